"""Which of two options is the cheaper over two drivers at once, and the line on which they cost the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lib.cost.cash_flow import Measure
from lib.cost.crossings import Cheaper
from lib.cost.drivers import COUNTS, Driver, moved
from lib.cost.options import Finance, Option
from lib.cost.sensitivity import difference_usd
from lib.errors import InputError

COLUMNS: Final = 41
ROWS: Final = 41

_HALVINGS: Final = 40

Point = tuple[float, float]
Edge = tuple[int, int, bool]
"""Row and column of a grid point, and whether the edge that starts there runs up instead of to the right."""


@dataclass(frozen=True, eq=False)
class BreakEvenMap:
    """The difference first minus second over a grid of two drivers, and the lines where it is nothing."""

    x: Driver
    y: Driver
    x_values: NDArray[np.float64]
    y_values: NDArray[np.float64]
    difference_usd: NDArray[np.float64]
    """Shape (y values, x values)."""
    along_rows: tuple[tuple[float, ...], ...]
    """For each value of y every value of x at which both cost the same; none is never."""
    lines: tuple[NDArray[np.float64], ...]
    """The lines of equal cost, each of shape (points, 2): x and y."""
    everywhere: Cheaper | None
    """The option that is the cheaper on the whole grid; None where it changes."""
    first_share: float
    """Share of the grid on which the first option costs less."""


def break_even_map(
    first: Option,
    second: Option,
    finance: Finance,
    x: Driver,
    y: Driver,
    measure: Measure = "npv",
    columns: int = COLUMNS,
    rows: int = ROWS,
) -> BreakEvenMap:
    """Where two options cost the same, over two drivers.

    difference(x, y) = 0

    Parameters
    ----------
    first, second : Option
        The two options.
    finance : Finance
        Shared by both.
    x, y : Driver
        The two fields that move, with their ranges.
    measure : {"npv", "nominal"}
        Value at month 0, or dollars paid.
    columns, rows : int
        Values of x and of y.

    Returns
    -------
    BreakEvenMap
        Its lines go through points at which the difference is nothing, found on the edges of the grid by halving.

    Raises
    ------
    InputError
        If a field is no amount, both are one, a range is empty or outside its meaning, or the grid is too small.

    Notes
    -----
    Between its points a line is drawn straight. An island smaller than a cell of the grid is not seen.

    Examples
    --------
    Eight GPUs rented all hours at 2 USD against eight by the hour used: equal where rent times utilisation is 2.

    >>> held, used = (Option(accelerator_id="h100-sxm", acquisition="rent", gpus=8, rent_usd_per_gpu_hour=2.0,
    ...                      billing=billing) for billing in ("all-hours", "used-hours"))
    >>> found = break_even_map(held, used, Finance(horizon_months=12), Driver("finance", "utilisation", 0.1, 1.0),
    ...                        Driver("second", "rent_usd_per_gpu_hour", 1.5, 5.5), rows=5)
    >>> found.y_values.tolist(), [[round(value, 6) for value in row] for row in found.along_rows]
    ([1.5, 2.5, 3.5, 4.5, 5.5], [[], [0.8], [0.571429], [0.444444], [0.363636]])
    """
    _check(x, y, columns, rows)
    x_values, y_values = np.linspace(x.low, x.high, columns), np.linspace(y.low, y.high, rows)

    def difference(at_x: NDArray[np.float64], at_y: NDArray[np.float64]) -> NDArray[np.float64]:
        """The difference at pairs of values, one dimension each."""
        by_x = moved(first, second, finance, x, at_x[:, None])
        found: Any = difference_usd(*moved(*by_x, y, at_y[:, None]), measure)
        return np.array(np.broadcast_to(found, (len(at_x), 1)).ravel(), dtype=float)

    across, up = np.meshgrid(x_values, y_values)
    grid = difference(across.ravel(), up.ravel()).reshape(rows, columns)
    is_first = grid < 0
    edges = [(int(row), int(column), False) for row, column in np.argwhere(is_first[:, :-1] != is_first[:, 1:])]
    edges += [(int(row), int(column), True) for row, column in np.argwhere(is_first[:-1] != is_first[1:])]
    points = dict(zip(edges, _roots(difference, x_values, y_values, is_first, edges), strict=True))
    along = tuple(
        tuple(sorted({at[0] for (row, _, runs_up), at in points.items() if row == number and not runs_up}))
        for number in range(rows)
    )
    return BreakEvenMap(
        x=x,
        y=y,
        x_values=x_values,
        y_values=y_values,
        difference_usd=grid,
        along_rows=along,
        lines=_lines(grid, is_first, points),
        everywhere=_everywhere(grid),
        first_share=float(is_first.mean()),
    )


def _check(x: Driver, y: Driver, columns: int, rows: int) -> None:
    for driver in (x, y):
        if driver.field in COUNTS:
            raise InputError("driver", driver.field, "a field that is an amount, not a count")
        if not driver.low < driver.high:
            raise InputError("range", (driver.low, driver.high), "from low to a higher value")
    same = {"first", "both"}, {"second", "both"}, {"finance"}
    if x.field == y.field and any({x.target, y.target} <= targets for targets in same):
        raise InputError("driver", y.field, "another field than the first driver's")
    if min(columns, rows) < 2:
        raise InputError("grid", (columns, rows), "2 columns and 2 rows at least")


def _roots(
    difference: Any,
    x_values: NDArray[np.float64],
    y_values: NDArray[np.float64],
    is_first: NDArray[np.bool_],
    edges: Sequence[Edge],
) -> list[Point]:
    """On each edge the point at which the cheaper option changes: all edges halved together."""
    if not edges:
        return []
    start = np.array([(x_values[column], y_values[row]) for row, column, _ in edges])
    end = np.array(
        [(x_values[column], y_values[row + 1]) if runs_up else (x_values[column + 1], y_values[row])
         for row, column, runs_up in edges]
    )  # fmt: skip
    at_start = np.array([is_first[row, column] for row, column, _ in edges])
    for _ in range(_HALVINGS):
        middle = (start + end) / 2
        stays = ((difference(middle[:, 0], middle[:, 1]) < 0) == at_start)[:, None]
        start, end = np.where(stays, middle, start), np.where(stays, end, middle)
    return [(float(x), float(y)) for x, y in end]


def _lines(
    grid: NDArray[np.float64], is_first: NDArray[np.bool_], points: dict[Edge, Point]
) -> tuple[NDArray[np.float64], ...]:
    """The points joined cell by cell, and the pieces joined to lines."""
    neighbours: dict[Edge, list[Edge]] = {edge: [] for edge in points}
    for one, other in _pieces(grid, is_first, points):
        neighbours[one].append(other)
        neighbours[other].append(one)
    ends = [edge for edge, beside in neighbours.items() if len(beside) == 1]
    left = {edge: list(beside) for edge, beside in neighbours.items()}
    lines = []
    for start in [*ends, *neighbours]:
        line, edge = [points[start]], start
        while left[edge]:
            following = left[edge].pop()
            left[following].remove(edge)
            line.append(points[following])
            edge = following
        if len(line) > 1:
            lines.append(np.array(line))
    return tuple(lines)


def _pieces(
    grid: NDArray[np.float64], is_first: NDArray[np.bool_], points: dict[Edge, Point]
) -> list[tuple[Edge, Edge]]:
    """The pieces of line within each cell; where four edges are crossed, the middle of the cell says how they join."""
    pieces = []
    for row in range(grid.shape[0] - 1):
        for column in range(grid.shape[1] - 1):
            bottom, top = (row, column, False), (row + 1, column, False)
            left, right = (row, column, True), (row, column + 1, True)
            crossed = [edge for edge in (bottom, left, top, right) if edge in points]
            if len(crossed) == 2:
                pieces.append((crossed[0], crossed[1]))
            elif crossed:
                middle_is_first = grid[row : row + 2, column : column + 2].mean() < 0
                if middle_is_first == is_first[row, column]:
                    pieces += [(bottom, right), (left, top)]
                else:
                    pieces += [(bottom, left), (top, right)]
    return pieces


def _everywhere(grid: NDArray[np.float64]) -> Cheaper | None:
    if (grid < 0).all():
        return "first"
    if (grid > 0).all():
        return "second"
    return "same" if (grid == 0).all() else None
