"""Exit 0 when the app of this container answers: /_stcore/health, for any other unknown path answers 200 as well."""

import os
import sys
import urllib.request

port = os.environ.get("STREAMLIT_SERVER_PORT", "8501")
base = os.environ.get("STREAMLIT_SERVER_BASE_URL_PATH", "").strip("/")
address = "/".join(part for part in (f"http://127.0.0.1:{port}", base, "_stcore/health") if part)
try:
    with urllib.request.urlopen(address, timeout=2) as answer:  # noqa: S310  our own address
        sys.exit(answer.read() != b"ok")
except OSError as error:
    sys.exit(f"{address}: {error}")
