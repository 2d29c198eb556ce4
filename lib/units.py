"""Units: every quantity inside the library is in the base unit that its name's suffix says."""

from typing import Final

KIB: Final = 1024
GIB: Final = 1024**3
GB: Final = 1_000_000_000
TB: Final = 1_000_000_000_000
BITS_PER_BYTE: Final = 8

HOURS_PER_YEAR: Final = 8760
MONTHS_PER_YEAR: Final = 12
HOURS_PER_MONTH: Final = HOURS_PER_YEAR / MONTHS_PER_YEAR
SECONDS_PER_HOUR: Final = 3600
