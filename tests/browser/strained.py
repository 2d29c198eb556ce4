"""The app as its image holds it, served under strain: slow disk, no room on it, a clock that moves, events written down."""

import contextlib
import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.browser.app_server import AppServer, running_app

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Strained:
    """A server under strain, its own copy of the app, and what it was seen to do."""

    server: AppServer
    tree: Path
    log: Path
    clock: Path

    def events(self, kind: str) -> list[str]:
        """What it did of that kind, in order."""
        lines = self.log.read_text(encoding="utf-8").splitlines()
        return [what for one, what in map(json.loads, lines) if one == kind]

    def reached(self) -> list[str]:
        """Every address outside this machine that it asked for or spoke to."""
        return self.events("asked for") + self.events("reached for")


def image_files(root: Path = ROOT) -> list[str]:
    """What .dockerignore lets into the image, by the names that it gives."""
    lines = (root / ".dockerignore").read_text(encoding="utf-8").splitlines()
    return [line.removeprefix("!") for line in lines if line.startswith("!")]


def copy_of_the_image(target: Path) -> Path:
    """A tree with the files of the image and no others, as the app is served from one."""
    target.mkdir()
    for name in image_files():
        for source in ROOT.glob(name):
            destination = target / source.relative_to(ROOT)
            destination.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, destination)  # bytecode too, as the image holds it
            else:
                shutil.copy2(source, destination)
    return target


@contextlib.contextmanager
def strained_app(
    folder: Path, environment: Mapping[str, str] | None = None, base: str = "", **strain: object
) -> Iterator[Strained]:
    """Serve a copy of the app under strain; see strain/sitecustomize.py for the kinds."""
    tree = copy_of_the_image(folder / "tree")
    home = folder / "home"
    home.mkdir()
    log, clock = folder / "events", folder / "clock"
    given = {"log": str(log), "root": f"{tree}/", "clock": str(clock)} | strain
    variables = {
        "PYTHONPATH": str(Path(__file__).with_name("strain")),
        "PYTHONDONTWRITEBYTECODE": "1",
        "LEDGER_STRAIN": json.dumps(given),
    }
    with running_app(tree / "app.py", home, environment=variables | dict(environment or {}), base=base) as server:
        yield Strained(server, tree, log, clock)
