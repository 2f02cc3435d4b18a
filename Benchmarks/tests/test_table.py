"""What the table of the benchmark says of its figures."""

import re
import unittest
from pathlib import Path

from harness.table import OURS, Aim, Figure, Row, Table

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"


def figures(**values):
    return {name: Figure.of([value]) for name, value in values.items()}


class AimTests(unittest.TestCase):
    """The column "met"."""

    def test_our_own_figure_is_judged_whichever_column_it_is_in(self):
        rates = figures(nginx=18_967, latchd=7_120, mod_auth_openidc=4_228)
        for order in (list(rates), list(reversed(rates))):
            row = Row("pages/s", {name: rates[name] for name in order}, Aim("≥ 10,000", at_least=10_000))
            self.assertIs(row.is_met, False)
        self.assertIs(Row("pages/s", rates, Aim("≥ 7,000", at_least=7_000)).is_met, True)
        self.assertIs(Row("seconds", figures(curl=9, latch=3), Aim("≤ 4", at_most=4)).is_met, True)
        self.assertIsNone(Row("pages/s", rates).is_met)

    def test_an_aim_without_our_figure_is_a_mistake(self):
        with self.assertRaises(ValueError):
            Row("pages/s", figures(nginx=18_967), Aim("≥ 1", at_least=1))

    def test_the_word_stands_in_the_last_column(self):
        table = Table({}, "", [Row("pages/s", figures(nginx=3, latchd=1), Aim("≥ 2", at_least=2))])
        self.assertEqual(table.cells()[-1], ["pages/s", "3.00", "1.00", "≥ 2", "missed"])


class PageTests(unittest.TestCase):
    """The figures that are published."""

    def test_every_row_with_an_aim_is_judged_by_our_figure(self):
        judged = 0
        for head, cells in rows(PAGE.read_text()):
            if not cells[-2]:
                continue
            column = next(index for index, name in enumerate(head) if name in OURS)
            value = float(re.match(r"[\d,.]+", cells[column])[0].replace(",", ""))
            sign, bound = re.match(r"([≥≤<>]) ([\d,.]+)", cells[-2]).groups()
            bound = float(bound.replace(",", ""))
            is_met = value >= bound if sign in "≥>" else value <= bound
            self.assertEqual(cells[-1], "met" if is_met else "missed", cells)
            judged += 1
        self.assertGreater(judged, 15)


def rows(text):
    """The rows of every table that ends with "aim" and "met", each with its table's head."""
    head = None
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if cells[-2:] == ["aim", "met"]:
            head = cells
        elif not cells:
            head = None
        elif head and not cells[0].startswith("---"):
            yield head, cells


if __name__ == "__main__":
    unittest.main()
