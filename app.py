"""Entry point: `streamlit run app.py` or `uvicorn app:app`."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st
from starlette.middleware import Middleware

from lib.ui.headers import SecurityHeaders


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Pay for imports, tables and one figure before the first visitor, then keep them out of garbage collection."""
    from lib.ui import cached

    cached.warm()
    gc.collect()
    gc.freeze()  # Streamlit collects after every rerun; frozen objects cost it nothing
    yield


app = st.App("lib/ui/shell.py", lifespan=lifespan, middleware=[Middleware(SecurityHeaders)])
