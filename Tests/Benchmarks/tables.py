"""What the benchmark has recorded, and tables of it."""

import json
import statistics
from collections import defaultdict


class Records:
    """The figures of all rounds, by case, server and name."""

    def __init__(self, path):
        self._rounds = defaultdict(dict)
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                self._rounds[record["case"], record["server"]][record["round"]] = record

    def cases(self, prefix):
        return list(dict.fromkeys(case for case, _ in self._rounds if case.startswith(prefix)))

    def servers(self, case):
        return [server for other, server in self._rounds if other == case]

    def rounds(self, case, server):
        """The whole records, by number of the round."""
        return self._rounds.get((case, server), {})

    def figures(self, case, server, name):
        return {number: record[name] for number, record in self.rounds(case, server).items()}

    def median(self, case, server, name):
        figures = self.figures(case, server, name).values()
        return statistics.median(figures) if figures else None

    def ratios(self, case, name, over, under="parley", under_case=None):
        upper = self.figures(case, under, name)
        lower = self.figures(under_case or case, over, name)
        return [upper[number] / lower[number] for number in upper if lower.get(number)]


def amount(value, unit=1.0, digits=2):
    return "–" if value is None else f"{value / unit:,.{digits}f}"


def ratio(values):
    if not values:
        return "–"
    return f"{statistics.median(values):.2f} ({min(values):.2f}–{max(values):.2f})"


def table(title, method, heads, rows):
    """Prints a Markdown table, padded so that it reads as it stands."""
    if not rows:
        return
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]

    def line(cells):
        first = cells[0].ljust(widths[0])
        others = [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:])]
        return "| " + " | ".join([first, *others]) + " |"

    print(f"\n{title}\n{method}\n")
    print(line(heads))
    print("|" + "|".join("-" * (width + 2) for width in widths) + "|")
    for row in rows:
        print(line(row))
