"""What a vendor offers, as it stands on paper: who, when, what for how much, and what is claimed of the part.

Blank and None are what the offer does not say; only what it says is written, so that links without offers stay short.
"""

import zlib
from datetime import date
from typing import Annotated, Final, Literal, Self

from pydantic import Field, field_validator, model_validator

from lib.choice.page_choices import Sparse

MOST_QUOTES: Final = 8
MOST_PEAKS: Final = 3
FIRST_DAY: Final = date(2000, 1, 1)
LAST_DAY: Final = date(2100, 12, 31)
"""The days that an offer may name, in a link as in a form."""

NO_SUCH_DAY: Final = "no such day"
FORMAT_TWICE: Final = "a format stands twice"
VENDOR_CHARACTERS: Final = 40

VENDOR_PATTERN: Final = (
    r"^[A-Za-z0-9\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff\u4e00-\u9fff]"
    r"[A-Za-z0-9\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff\u4e00-\u9fff\uff08\uff09 .,&()+-]"
    rf"{{0,{VENDOR_CHARACTERS - 1}}}$"
)
"""Letters and digits begin it, and nothing in it can be a formula, turn the direction of writing or hide."""

Basis = Literal["gpu", "server", "rent", "commit-1y", "commit-3y"]
QuoteCurrency = Literal["USD", "CNY", "EUR"]
PeakFormat = Literal["tf32", "fp16", "bf16", "fp8", "fp6", "fp4", "int8"]
PeakKind = Literal["unsaid", "dense", "sparse"]

Day = Annotated[str, Field(pattern=r"^(\d{4}-\d{2}-\d{2})?$")]


class ClaimedPeak(Sparse):
    """A peak rate that an offer claims of one part: the format's word, the figure, and what it says of sparsity."""

    format: PeakFormat
    tflops: Annotated[float, Field(gt=0, le=10_000_000)]
    kind: PeakKind = "unsaid"


class Quote(Sparse):
    """One offer. The price is without tax, per unit of its basis; the quantity counts those units, GPUs or servers.

    `used_at_per_usd` is no statement of the vendor: the units of the currency per US dollar at which its price was last put
    into an option, so that the option is known to be at this price after the rate has changed.
    """

    vendor: Annotated[str, Field(pattern=VENDOR_PATTERN)]
    part: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,59}$")]
    basis: Basis = "gpu"
    date: Day = ""
    valid_until: Day = ""
    price: Annotated[float, Field(gt=0, le=1e9)] | None = None
    currency: QuoteCurrency = "USD"
    quantity: Annotated[int, Field(ge=1, le=100_000)] | None = None
    gpus_in_server: Annotated[int, Field(ge=1, le=128)] | None = None
    delivery_months: Annotated[int, Field(ge=0, le=48)] | None = None
    warranty_years: Annotated[float, Field(ge=0, le=20)] | None = None
    memory_gb: Annotated[float, Field(gt=0, le=100_000)] | None = None
    bandwidth_tbs: Annotated[float, Field(gt=0, le=10_000)] | None = None
    peaks: Annotated[tuple[ClaimedPeak, ...], Field(max_length=MOST_PEAKS)] = ()
    used_at_per_usd: Annotated[float, Field(ge=0.01, le=10_000)] | None = None

    @field_validator("date", "valid_until")
    @classmethod
    def _is_a_day(cls, text: str) -> str:
        if text and not _exists(text):
            raise ValueError(NO_SUCH_DAY)
        return text

    @model_validator(mode="after")
    def _formats_once(self) -> "Quote":
        if len({one.format for one in self.peaks}) < len(self.peaks):
            raise ValueError(FORMAT_TWICE)
        return self

    @property
    def buys(self) -> bool:
        """Whether the offer sells the parts, rather than rents them out."""
        return self.basis in ("gpu", "server")

    @property
    def acquisition(self) -> Literal["buy", "rent", "commit-1y", "commit-3y"]:
        """The way of having the part that the offer is."""
        return "buy" if self.basis == "gpu" or self.basis == "server" else self.basis

    @property
    def fingerprint(self) -> str:
        """A short mark of everything the offer says; another statement has another mark."""
        return f"{zlib.crc32(self.as_offered.model_dump_json().encode()):08x}"

    @property
    def as_offered(self) -> Self:
        """What the offer says, without what was done with it."""
        return self.model_copy(update={"used_at_per_usd": None})


def _exists(day: str) -> bool:
    try:
        return FIRST_DAY <= date.fromisoformat(day) <= LAST_DAY
    except ValueError:
        return False


EXAMPLE: Final = Quote(
    vendor="Example",
    part="h100-sxm",
    memory_gb=80.0,
    bandwidth_tbs=3.35,
    peaks=(ClaimedPeak(format="fp16", tflops=1979.0), ClaimedPeak(format="fp8", tflops=3958.0)),
)
"""An offer to begin with: figures as they stand in many sheets, sparse ones without a word; it states no price."""
