"""One rerun at a time: scripts that run at once only take the interpreter from each other.

With 25 people on the cost page reruns that queue up are done in a third of the time of reruns that share the interpreter
(median 0.8 s against 2.4 s, 12.6 a second against 7.5: `benchmarks.sessions_load`).
"""

import threading
from typing import Final

TURN: Final = threading.Semaphore(1)
"""Held while a script draws a page; who waits longest is next. A second process is what a second core is for."""
