"""Many people on one server: rerun latency and memory over Streamlit's own protocol, without browsers.

    python -m benchmarks.sessions_load --page cost --label "Electricity price" --sessions 10 25 50

Serves the app, opens that many sessions, and lets each move the slider or number input of that label a few times,
thinking between the moves. Each session walks a stretch of its own, so that no cache answers for another while the
control has steps enough. Prints median and 95th percentile of one rerun (server side, painting not counted), reruns
per second, processor time of a rerun, errors, and the resident memory of the server.
"""

import argparse
import asyncio
import json
import random
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psutil
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.ui_latency import APP, percentile_95
from tests.browser.app_server import AppServer, running_app

SECONDS_TO_ANSWER: Final = 60
SEED: Final = 20_000
"""Thinking times are the same in every run."""


@dataclass
class Control:
    """The widget that a session moves."""

    id: str
    kind: str
    low: float
    high: float
    step: float

    def moved(self, value: float, steps: int) -> float:
        """The value that many steps on, starting again at the low end after the high end."""
        count = int((self.high - self.low) / self.step + 1e-9) + 1
        return self.low + (round((value - self.low) / self.step) + steps) % count * self.step


class Session:
    """One visitor with a websocket of their own."""

    def __init__(self, address: str, page: str, query: str, label: str, start: int) -> None:
        self.address, self.page, self.query, self.label = address, page, query, label
        self.start = start
        self.control: Control | None = None
        self.value: float | None = None
        self.errors = 0

    async def open(self) -> None:
        """Connect and load the page."""
        self.socket = await websockets.connect(
            self.address,
            subprotocols=[websockets.Subprotocol("streamlit")],
            max_size=None,
            origin=None,
        )
        await self.rerun()

    async def rerun(self) -> float:
        """Move the control one step where it is known, wait for the whole page, return the time taken [ms]."""
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.page_name = self.page
        if self.control is not None and self.value is not None:
            self.value = self.control.moved(self.value, 1)
            state = message.rerun_script.widget_states.widgets.add()
            state.id = self.control.id
            if self.control.kind == "slider":
                state.double_array_value.data.append(self.value)
            else:
                state.double_value = self.value
        start = time.perf_counter()
        await self.socket.send(message.SerializeToString())
        while True:
            reply = ForwardMsg()
            reply.ParseFromString(await asyncio.wait_for(self.socket.recv(), SECONDS_TO_ANSWER))
            kind = reply.WhichOneof("type")
            if kind == "delta" and reply.delta.WhichOneof("type") == "new_element":
                self._see(reply.delta.new_element)
            if kind == "script_finished":
                return (time.perf_counter() - start) * 1000

    def _see(self, element: Any) -> None:
        """Count what went wrong, and find the control and the value that it opens with."""
        kind = element.WhichOneof("type")
        if kind == "exception":
            self.errors += 1
        if kind in ("slider", "number_input"):
            widget = getattr(element, kind)
            if self.label in widget.label:
                self.control = Control(widget.id, kind, widget.min, widget.max, widget.step or 1)
                if self.value is None:
                    default = widget.default[0] if kind == "slider" else widget.default
                    self.value = self.control.moved(default, self.start)


def resident_mib(server: AppServer) -> float:
    """Resident memory of the server and its children [MiB]."""
    process = psutil.Process(server.process_id)
    return float(sum(one.memory_info().rss for one in (process, *process.children(recursive=True))) / 2**20)


def processor_seconds(server: AppServer) -> float:
    """Processor time of the server and its children so far [s]."""
    process = psutil.Process(server.process_id)
    times = [one.cpu_times() for one in (process, *process.children(recursive=True))]
    return float(sum(one.user + one.system for one in times))


async def load(server: AppServer, options: argparse.Namespace) -> list[dict[str, float]]:
    """Add sessions up to each target in turn and measure all of them at work."""
    address = server.url.replace("http://", "ws://") + "/_stcore/stream"
    chance = random.Random(SEED)  # noqa: S311  thinking times, not secrets
    sessions: list[Session] = []
    report = []
    stretch = options.edits * len(options.sessions)
    for target in options.sessions:
        while len(sessions) < target:
            session = Session(address, options.page, options.query, options.label, len(sessions) * stretch)
            await session.open()
            if session.control is None:
                raise SystemExit(f"no slider or number input is labelled {options.label!r} on page {options.page!r}")
            sessions.append(session)
        latencies: list[float] = []

        async def person(session: Session, latencies: list[float]) -> None:
            for _ in range(options.edits):
                await asyncio.sleep(chance.uniform(0.5, 1.5) * options.think)
                latencies.append(await session.rerun())

        start, spent = time.perf_counter(), processor_seconds(server)
        await asyncio.gather(*(person(session, latencies) for session in sessions))
        seconds = time.perf_counter() - start
        report.append(
            {
                "sessions": target,
                "median_ms": round(statistics.median(latencies)),
                "p95_ms": round(percentile_95(latencies)),
                "reruns_per_s": round(len(latencies) / seconds, 1),
                "processor_ms_per_rerun": round(1000 * (processor_seconds(server) - spent) / len(latencies), 1),
                "errors": sum(session.errors for session in sessions),
                "resident_mib": round(resident_mib(server)),
            }
        )
    for session in sessions:
        await session.socket.close()
    return report


def main() -> None:
    """Read the arguments, measure, print JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--app", type=Path, default=APP, help="the script to serve; default: this app")
    parser.add_argument("--page", default="", help="path of the page; default: the front page")
    parser.add_argument("--query", default="", help="query of the page, such as preset=serve-70b")
    parser.add_argument("--label", required=True, help="label of the slider or number input to move")
    parser.add_argument("--sessions", type=int, nargs="+", default=[10, 25, 50])
    parser.add_argument("--edits", type=int, default=8, help="moves of each person")
    parser.add_argument("--think", type=float, default=1.0, help="mean time between moves [s]")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home, running_app(options.app.resolve(), Path(home)) as server:
        print(json.dumps(asyncio.run(load(server, options)), indent=1))


if __name__ == "__main__":
    main()
