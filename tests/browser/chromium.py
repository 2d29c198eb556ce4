"""The browser of tests and benchmarks: the Debian package chromium, or the program that CHROMIUM names."""

import os
import shutil

from playwright.sync_api import Browser, Playwright

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def launch(playwright: Playwright) -> Browser:
    """Start the browser, or say how to install it."""
    program = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    if not shutil.which(program):
        raise RuntimeError(f"there is no browser at {program}: run `make system`, or name one in CHROMIUM")
    return playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
