"""The table as text, Markdown or JSON, and the block of docs/benchmarks.md."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from .process import BenchError
from .table import Row, Table

BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"


def text(table: Table) -> str:
    """Columns side by side."""
    cells = table.cells()
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells]
    return "\n".join([*_preamble(table), "", *lines])


def markdown(table: Table) -> str:
    """A table of Markdown below what it was measured on."""
    head, *rows = table.cells()
    lines = [head, ["---", *["--:" for _ in table.columns], "---", "---"], *rows]
    return "\n\n".join([_paragraph(table), "\n".join("| " + " | ".join(line) + " |" for line in lines)])


def as_json(table: Table) -> str:
    """Everything, for programs."""
    rows = [_row(row) for row in table.rows]
    return json.dumps({"machine": table.machine, "command": table.command, "rows": rows}, indent=2, ensure_ascii=False)


def update_page(page: Path, table: Table) -> None:
    """Puts the table between the two markers of `page`."""
    before, begin, rest = page.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise BenchError(f"Could not put the table into {page}: the lines '{BEGIN}' and '{END}' are not there.")
    page.write_text(f"{before}{BEGIN}\n{markdown(table)}\n{END}{after}")


def _row(row: Row) -> dict[str, object]:
    figures = {name: asdict(figure) for name, figure in row.figures.items()}
    aim = {"aim": asdict(row.aim), "met": row.is_met} if row.aim else {}
    return {"measure": row.measure, "figures": figures, **aim}


def _preamble(table: Table) -> list[str]:
    return [*(f"{key}: {value}" for key, value in table.machine.items()), f"command: {table.command}"]


def _paragraph(table: Table) -> str:
    machine = "; ".join(f"{key} {value}" for key, value in table.machine.items())
    return f"Measured with `{table.command}` on: {machine}."
