"""What a reader has chosen on single pages: parts of the view, so that a colleague sees the same."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

RunsToday = Literal["cuda", "rocm", "none"]
End = Literal["low", "base", "high"]
CostSection = Literal[
    "", "difference", "map", "months", "years", "reach", "units", "offers", "assumptions", "articles", "method"
]


class _Choices(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class StackChoices(_Choices):
    """What runs today and what of it is the reader's own: it decides what a move costs."""

    runs_today: RunsToday = "cuda"
    kernel_libraries: Annotated[int, Field(ge=0, le=50)] = 1
    kernel_lines: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    effort: End = "base"


class TimingChoices(_Choices):
    """Which part is bought or rented when, and what is waited for; None is the scenario's own."""

    part: Annotated[str, Field(pattern=r"^[A-Za-z0-9._:-]{0,60}$")] = ""
    gpus: Annotated[int, Field(ge=1, le=100_000)] | None = None
    rent_first_months: Annotated[int, Field(ge=1, le=48)] = 6
    lead_months: Annotated[int, Field(ge=0, le=36)] | None = None
    prices_follow: bool = True
    wait_for: Annotated[str, Field(pattern=r"^[A-Za-z0-9 .(),+-]{0,60}$")] = ""


class ClaimsChoices(_Choices):
    """Which claims are looked at, and the claim of the reader's own; its model and load are the scenario's.

    Only what the reader chose is written: most links are about something else, and must stay short.
    """

    section: Literal["claims", "contrasts", "questions", "own"] = "claims"
    article: Literal["", "article-a0", "article-a1", "article-a2", "article-a3", "article-a4"] = ""
    verdict: Literal["", "holds", "holds-with-condition", "contradicted", "uncheckable"] = ""
    topic: Annotated[str, Field(pattern=r"^[a-z]{0,20}$")] = ""
    part: Annotated[str, Field(pattern=r"^[A-Za-z0-9._:-]{0,60}$")] = ""
    search: Annotated[
        str, Field(max_length=60, pattern=r"^[^\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]*$")
    ] = ""
    page: Annotated[int, Field(ge=1, le=60)] = 1
    claim: Annotated[str, Field(pattern=r"^(A[0-4]-\d{3})?$")] = ""
    own: Literal["sizing", "price", "per-dollar"] = "sizing"
    own_part: Annotated[str, Field(pattern=r"^[A-Za-z0-9._:-]{0,60}$")] = ""
    own_other: Annotated[str, Field(pattern=r"^[A-Za-z0-9._:-]{0,60}$")] = ""
    own_gpus: Annotated[int, Field(ge=1, le=1024)] = 1
    own_ratio: Annotated[float, Field(ge=0.01, le=100)] = 1.0
    own_price: Literal["on-demand", "purchase"] = "on-demand"

    @model_serializer(mode="wrap")
    def _chosen(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = handler(self)
        return {name: value for name, value in written.items() if value != type(self).model_fields[name].default}
