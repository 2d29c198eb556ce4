"""What `python -m benchmarks.throughput_fit` prints: the serving model fitted to data/serving.csv."""

from typing import Final

from lib.sizing.kriging import Spreads
from lib.sizing.serving_model import Fitted

FITTED: Final = Fitted(
    steps=(
        0.8426,
        0.4448,
        0.7392,
        0.3729,
        0.225,
        0.1078,
        0.6853,
        7.685e-05,
        1.044e-05,
        0.002543,
        2.138e-05,
        0.0154,
        8.947e-06,
    ),
    first=(1.673, 0.07749),
    rate=Spreads(
        source=0.1222,
        source_age=0.1742,
        source_model=0.196,
        series=0.07954,
        load=0.2043,
        config=0.1776,
        part=0.1365,
        engine=0.096,
        model=0.1202,
        kind=0.2007,
        date=0.2139,
        noise=0.1272,
    ),
    share=Spreads(
        source=0.1747,
        source_age=0.1505,
        source_model=0.4948,
        series=0.1171,
        load=0.502,
        config=0.2652,
        part=0.1073,
        engine=0.1352,
        model=0.1867,
        kind=0.141,
        date=0.1641,
        noise=0.3921,
    ),
    rate_quantiles={
        "seen": (-1.528, 0.241, 1.137),
        "new-model": (-1.204, 0.212, 1.3),
        "new-part": (-1.296, 0.351, 1.639),
        "new-both": (-1.131, 0.382, 1.795),
        "own": (-1.138, 0.014, 1.046),
    },
    unstated_quantiles=(-1.422, 0.334, 1.424),
    first_token_quantiles=(-1.174, 0.042, 1.801),
    per_token_quantiles=(-1.248, -0.156, 1.74),
)

FITTED_ON: Final = "1db654cf"
"""Fingerprint of the rows that these were fitted to."""
