"""Entry point: `streamlit run app.py` or `uvicorn app:app`."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st
from starlette.middleware import Middleware
from threadpoolctl import threadpool_limits

from lib.errors import LibError
from lib.ui import sign_in
from lib.ui.guard import OwnOrigin, UploadLimit
from lib.ui.headers import SecurityHeaders


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Pay for imports, tables and one figure before the first visitor, then keep them out of garbage collection."""
    from lib.ui import cached, listening

    listening.send_at_once()
    # Matrices of a few hundred rows: threads cost more than they save, and take other visitors' cores.
    threadpool_limits(1)
    try:
        sign_in.check()
        cached.warm()
    except (LibError, OSError) as error:  # the last line of the log is the reason, not a list of our own files
        raise SystemExit(f"Accelerator Ledger does not start: {error}") from None
    gc.collect()
    gc.freeze()  # what lives as long as the server is walked by no collection
    yield


middleware = [Middleware(one) for one in (SecurityHeaders, OwnOrigin, UploadLimit)]
app = st.App("lib/ui/shell.py", lifespan=lifespan, middleware=middleware, secrets=sign_in.secrets())
