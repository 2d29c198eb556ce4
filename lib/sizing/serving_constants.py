"""What `python -m benchmarks.throughput_fit` prints: the serving model fitted to data/serving.csv."""

from typing import Final

from lib.sizing.kriging import Spreads
from lib.sizing.serving_model import Fitted

FITTED: Final = Fitted(
    steps=(
        0.8373,
        0.4879,
        0.7591,
        0.3873,
        0.234,
        0.1049,
        0.576,
        4.963e-05,
        1.201e-05,
        0.002887,
        2.102e-05,
        0.01294,
        8.087e-06,
    ),
    first=(1.74, 0.07455),
    rate=Spreads(
        source=0.1233,
        source_age=0.1913,
        source_model=0.1875,
        series=0.07859,
        load=0.2001,
        config=0.1763,
        part=0.1224,
        engine=0.09595,
        model=0.1247,
        kind=0.1848,
        date=0.198,
        noise=0.1275,
    ),
    share=Spreads(
        source=0.1802,
        source_age=0.1492,
        source_model=0.4976,
        series=0.1192,
        load=0.5077,
        config=0.2423,
        part=0.108,
        engine=0.1338,
        model=0.1962,
        kind=0.1514,
        date=0.1466,
        noise=0.3913,
    ),
    rate_quantiles={
        "seen": (-1.51, 0.203, 1.131),
        "new-model": (-1.189, 0.197, 1.318),
        "new-part": (-1.288, 0.29, 1.572),
        "new-both": (-1.167, 0.369, 1.724),
        "own": (-1.199, 0.016, 1.036),
    },
    unstated_quantiles=(-1.48, 0.321, 1.455),
    first_token_quantiles=(-1.234, 0.024, 1.749),
    per_token_quantiles=(-1.233, -0.129, 1.688),
)
