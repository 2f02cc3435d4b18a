"""The table: rows of figures, each with its spread and, where there is one, the aim that it is held against."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median


@dataclass(frozen=True)
class Figure:
    """A median with its spread; a figure measured once has none."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, values: list[float]) -> Figure:
        """The median of several rounds."""
        return cls(median(values), min(values), max(values))

    @property
    def text(self) -> str:
        """The figure for people."""
        if self.low == self.high:
            return number(self.value)
        return f"{number(self.value)} ({number(self.low)}–{number(self.high)})"


@dataclass(frozen=True)
class Aim:
    """What a figure of latchd must be."""

    text: str
    at_least: float | None = None
    at_most: float | None = None

    def is_met(self, value: float) -> bool:
        """Whether `value` is within the bounds."""
        return (self.at_least is None or value >= self.at_least) and (self.at_most is None or value <= self.at_most)


OURS = ("latchd", "latch")
"""The programs that an aim is for; a row has one of them at most."""


@dataclass(frozen=True)
class Row:
    """One measure with the figure of every program that has one; the aim is for our own, whichever column that is."""

    measure: str
    figures: dict[str, Figure]
    aim: Aim | None = None

    def __post_init__(self) -> None:
        if self.aim and sum(name in self.figures for name in OURS) != 1:
            raise ValueError(f"'{self.measure}' has an aim and no one figure of {' or '.join(OURS)}.")

    @property
    def is_met(self) -> bool | None:
        """Whether our own figure meets the aim; none without an aim."""
        return self.aim.is_met(next(self.figures[name] for name in OURS if name in self.figures).value) if self.aim else None


@dataclass
class Table:
    """All rows of a run."""

    machine: dict[str, str]
    command: str
    rows: list[Row] = field(default_factory=list)

    @property
    def columns(self) -> list[str]:
        """The servers, in the order in which they first occur."""
        return list(dict.fromkeys(name for row in self.rows for name in row.figures))

    def cells(self) -> list[list[str]]:
        """The head and the rows as text."""
        head = ["measure", *self.columns, "aim", "met"]
        return [head, *([*self._cells(row)] for row in self.rows)]

    def _cells(self, row: Row) -> list[str]:
        figures = [row.figures[name].text if name in row.figures else "" for name in self.columns]
        met = {None: "", True: "met", False: "missed"}[row.is_met]
        return [row.measure, *figures, row.aim.text if row.aim else "", met]


def number(value: float) -> str:
    """Three or more digits that matter."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
