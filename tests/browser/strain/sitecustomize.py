"""Read by Python at its start from PYTHONPATH: puts a server under strain, and writes down what it reaches for.

The variable LEDGER_STRAIN holds JSON: `log` is where events go, one line each; `root` is the app's folder; `slow_s`
delays every file of the app; `full` refuses to write any file; `clock` names a file whose number of seconds is added to
the clock while it exists.
"""

import errno
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_LOOPBACK = ("127.", "::1", "localhost")


def _put_under(strain: dict[str, Any]) -> None:
    events = os.open(strain["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def note(*words: object) -> None:
        os.write(events, (json.dumps([str(word) for word in words]) + "\n").encode())

    def on_event(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "socket.connect" and isinstance(arguments[1], tuple):
            if not str(arguments[1][0]).startswith(_LOOPBACK):
                note("reached for", arguments[1][0])
        elif event == "socket.getaddrinfo":
            if arguments[0] and not str(arguments[0]).startswith(_LOOPBACK):
                note("asked for", arguments[0])
        elif event == "open" and isinstance(arguments[0], str):
            path, _mode, flags = arguments
            if flags & _WRITES and not path.startswith("/dev/"):
                note("writes", path)
                if strain.get("full"):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
            elif path.startswith(strain["root"]):
                note("reads", path)
                if delay := strain.get("slow_s"):
                    wait(delay)

    wait = time.sleep
    sys.addaudithook(on_event)
    if strain.get("clock"):
        _move_clock(Path(strain["clock"]))


def _move_clock(shift: Path) -> None:
    real, real_ns = time.time, time.time_ns

    def seconds() -> float:
        return float(shift.read_text(encoding="ascii")) if shift.exists() else 0.0

    time.time = lambda: real() + seconds()
    time.time_ns = lambda: real_ns() + int(seconds() * 1e9)


if "LEDGER_STRAIN" in os.environ:
    _put_under(json.loads(os.environ["LEDGER_STRAIN"]))
