"""Starts an app as its users do, on a free port of this machine, for tests and benchmarks."""

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

SECONDS_TO_START = 60
COMPLAINTS = ("Please replace", "will be removed", "Traceback (most recent call last)")
"""What a sound app never logs: Streamlit announces deprecations in its log, not as Python warnings."""


@dataclass(frozen=True)
class AppServer:
    """A running app: its address, its process and what it logs."""

    url: str
    process_id: int
    log: Path

    def complaints(self) -> list[str]:
        """Lines of the log that announce a deprecation or an uncaught error."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return [line.strip() for line in lines if any(words in line for words in COMPLAINTS)]


def free_port() -> int:
    """A port of the loopback interface that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@contextlib.contextmanager
def running_app(
    script: Path, home: Path, port: int | None = None, environment: Mapping[str, str] | None = None, base: str = ""
) -> Iterator[AppServer]:
    """Serve a script with `streamlit run`, from its own folder and with an empty home; stopped at the end."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("STREAMLIT_", "XDG_"))}
    port, log = port or free_port(), home / "server.log"
    command = [sys.executable, "-m", "streamlit", "run", script.name]
    command += ["--server.port", str(port), "--server.address", "127.0.0.1", "--server.headless", "true"]
    command += ["--server.fileWatcherType", "none", "--browser.gatherUsageStats", "false"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=script.parent,
            env=inherited | {"HOME": str(home)} | dict(environment or {}),
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    server = AppServer(f"http://127.0.0.1:{port}", process.pid, log)
    try:
        _wait_until_healthy(server, process, base)
        yield server
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_healthy(server: AppServer, process: subprocess.Popen[bytes], base: str) -> None:
    for _ in range(SECONDS_TO_START * 10):
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{server.url}{base}/_stcore/health", timeout=1) as answer:  # noqa: S310
                if answer.status == 200:
                    return
        except OSError:
            pass  # not listening yet
        time.sleep(0.1)
    raise RuntimeError(f"the app did not start:\n{server.log.read_text(encoding='utf-8', errors='replace')}")
