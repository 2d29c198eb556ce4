"""Two replicas behind nginx on this machine, started the way docs/operate.md says, and what can happen to them."""

import contextlib
import os
import re
import signal
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.browser.app_server import free_port

ROOT = Path(__file__).resolve().parents[2]
SECONDS_TO_START = 120


@dataclass
class Pair:
    """The running pair: its addresses, its folder of files, and those brought back after they were killed."""

    proxy: str
    ports: dict[str, int]
    folder: Path
    revived: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def direct(self, name: str) -> str:
        """Address of one replica without the proxy."""
        return f"http://127.0.0.1:{self.ports[name]}"

    def kill(self, name: str) -> None:
        """End a replica at once, as a machine does that loses its power."""
        os.kill(int((self.folder / f"{name}.pid").read_text(encoding="ascii")), signal.SIGKILL)

    def revive(self, name: str) -> None:
        """Bring a killed replica back and wait until it answers."""
        command = [str(ROOT / "deploy" / "loopback"), "replica", name, str(self.ports[name]), str(self.folder)]
        self.revived.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        wait_until_healthy(self.direct(name))

    def made_whole(self) -> "Pair":
        """Both replicas answering, whatever the test before did to them."""
        for name in self.ports:
            if not is_healthy(self.direct(name)):
                self.revive(name)
        return self

    @contextlib.contextmanager
    def without_affinity(self) -> Iterator[None]:
        """Let nginx deal out requests in turn, whatever the cookie says; affinity comes back afterwards."""
        settings = self.folder / "replicas.conf"
        text = settings.read_text(encoding="utf-8")
        dealt = re.sub(r"\n    (hash .*|one +ledger_one|two +ledger_two);", "", text)
        assert dealt.count("ledger_one") == dealt.count("ledger_two") == 1
        for said in (dealt, text):
            settings.write_text(said, encoding="utf-8")
            os.kill(int((self.folder / "nginx.pid").read_text(encoding="ascii")), signal.SIGHUP)
            time.sleep(1)  # the old workers keep what is open, new requests go to new ones
            if said is dealt:
                yield

    def proxy_log(self) -> str:
        """What nginx has written, access and errors."""
        return (self.folder / "nginx.log").read_text(encoding="utf-8")

    def answered_by(self, path: str) -> list[str]:
        """Status that the replicas gave to requests for a path, as the proxy saw it."""
        return re.findall(rf"^\S+ \w+ {re.escape(path)} \d+ ([\d, -]+?) [\d.]+$", self.proxy_log(), re.MULTILINE)


@contextlib.contextmanager
def replica_pair(folder: Path) -> Iterator[Pair]:
    """Start deploy/loopback on free ports, and end it and everything revived at the end."""
    proxy, one, two = (free_port() for _ in range(3))
    pair = Pair(f"http://127.0.0.1:{proxy}", {"one": one, "two": two}, folder)
    command = [str(ROOT / "deploy" / "loopback"), *(str(port) for port in (proxy, one, two)), str(folder)]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("STREAMLIT_", "XDG_"))}
    with (folder.parent / "loopback.log").open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=inherited)
    try:
        try:
            wait_until_healthy(pair.proxy, process)
        except RuntimeError as error:
            said = (folder.parent / "loopback.log").read_text(encoding="utf-8", errors="replace")
            raise RuntimeError(f"{error}:\n{said}") from error
        yield pair
    finally:
        process.terminate()
        process.wait(timeout=20)
        for one_more in pair.revived:
            one_more.kill()
            one_more.wait()


def is_healthy(address: str) -> bool:
    """Whether the app answers at an address."""
    try:
        with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as answer:  # noqa: S310
            return bool(answer.read() == b"ok")
    except OSError:
        return False  # not listening yet


def wait_until_healthy(address: str, starter: subprocess.Popen[bytes] | None = None) -> None:
    """Wait until the app answers at an address, while its starter lives."""
    for _ in range(SECONDS_TO_START * 5):
        if starter is not None and starter.poll() is not None:
            break
        if is_healthy(address):
            return
        time.sleep(0.2)
    raise RuntimeError(f"nothing healthy at {address}")
