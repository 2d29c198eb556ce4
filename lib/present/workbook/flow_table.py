"""The monthly flows of every option as a table of text, for other programs."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from lib.choice.costed import Costed
from lib.cost.cash_flow import COMPONENTS
from lib.present.problems import spreadsheet_safe


def flows_csv(options: Sequence[Costed]) -> bytes:
    """The flows of every option, one line a month, as CSV.

    Parameters
    ----------
    options : sequence of Costed
        Those with flows are listed.

    Returns
    -------
    bytes
        UTF-8 with its mark. US dollars, a cost positive; the same column names in every language; text that a
        spreadsheet would run as a formula has a quote before it.
    """
    lines: list[dict[str, Any]] = []
    for place, one in enumerate(options, start=1):
        flows = one.flows
        if flows is None:
            continue
        columns = {f"{name}_usd": flows.components[name].tolist() for name in COMPONENTS}
        columns |= {
            "total_usd": flows.total.tolist(),
            "cumulative_usd": flows.cumulative.tolist(),
            "discount_factor": flows.discount_factors.tolist(),
            "cumulative_discounted_usd": flows.cumulative_discounted.tolist(),
        }
        start = {
            "option": place,
            "accelerator": one.accelerator.short_name,
            "acquisition": one.candidate.acquisition,
            "price_source": one.candidate.price_source,
        }
        lines += [
            start | {"month": month} | {name: values[month] for name, values in columns.items()}
            for month in range(flows.finance.horizon_months + 1)
        ]
    return spreadsheet_safe(pd.DataFrame(lines)).to_csv(index=False, lineterminator="\n").encode("utf-8-sig")
