"""What a buyer prefers, stated in the link: what an answer is measured by, and what a risk is worth in money."""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

Metric = Literal["million-tokens", "gpu-hour", "tokens-per-mw", "tokens-per-budget", "time-to-train", "outlay"]
Ways = Literal["stated", "all"]
Axis = Literal["unit-cost", "outlay", "throughput", "token-time", "power", "gpus", "slack", "evidence", "risk"]

METRICS: Final[tuple[Metric, ...]] = (
    "million-tokens", "gpu-hour", "tokens-per-mw", "tokens-per-budget", "time-to-train", "outlay",
)  # fmt: skip
AXES: Final[tuple[Axis, ...]] = (
    "unit-cost", "outlay", "throughput", "token-time", "power", "gpus", "slack", "evidence", "risk",
)  # fmt: skip

TARGET_LOAD: Final = 0.8
"""Share of what a fleet can do that a buyer plans to use at the peak. A choice and no fact: the room above it is what a
queue needs to stay short. It is an input of the page and travels in the link."""

Weight = Annotated[float, Field(ge=0, le=1)]
Points = Annotated[int, Field(ge=0, le=100)]


class Preference(BaseModel):
    """What the answer is measured by, what the buyer's tastes weigh, and the axes and weights that a committee fixes.

    A weight of 0.2 says: the full risk is worth a fifth of the cost. Nothing weighs anything unless it is set. `ways` says
    whether each part is had as the candidates state, or in every way that has a price.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    metric: Metric = "million-tokens"
    target_load: Annotated[float, Field(ge=0.05, le=1)] = TARGET_LOAD
    software_weight: Weight = 0.0
    evidence_weight: Weight = 0.0
    x_axis: Axis = "unit-cost"
    y_axis: Axis = "throughput"
    map_x: Annotated[str, Field(pattern=r"^[a-z0-9.-]{0,40}$")] = ""
    map_y: Annotated[str, Field(pattern=r"^[a-z0-9.-]{0,40}$")] = ""
    price_points: Points = 60
    speed_points: Points = 20
    evidence_points: Points = 10
    software_points: Points = 10
    ways: Ways = "stated"

    @model_serializer(mode="wrap")
    def _with_ways_if_open(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = handler(self)
        if self.ways == "stated":
            del written["ways"]
        return written
