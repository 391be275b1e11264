"""The figures of Scripts/bench --only groups beside their goals."""

import statistics

from tables import table


def median(records, case, name):
    return statistics.median(record[name] for record in records[case])


def ratios(records, above, below, name):
    """The ratios of the rounds, with their median."""
    pairs = zip(records[above], records[below])
    found = [upper[name] / lower[name] for upper, lower in pairs]
    return statistics.median(found), f"{statistics.median(found):.2f} ({min(found):.2f}–{max(found):.2f})"


class Figures:
    """Rows of the report: what is measured, the figures and whether the goal is met."""

    def __init__(self, records):
        self.records = records
        self.rows = []

    def add(self, words, above, below, value, shown, goal, limit):
        self.rows.append([words, above, below, shown, goal, "yes" if value <= limit else "NO"])

    def ratio(self, words, cases, name, unit, scale, limit):
        """Adds the ratio of two cases."""
        above, below = cases
        value, shown = ratios(self.records, above, below, name)
        figures = [f"{median(self.records, case, name) / scale:,.2f} {unit}" for case in cases]
        self.add(words, *figures, value, shown, f"≤ {limit:g}", limit)

    def absolute(self, words, case, name, unit, scale, limit):
        value = median(self.records, case, name) / scale
        goal = f"≤ {limit:g} {unit}".rstrip()
        self.add(words, f"{value:,.2f} {unit}".rstrip(), "", value, "", goal, limit)


def report(records):
    figures = Figures(records)
    for in_flight in (1, 16):
        words = f"{in_flight} in flight"
        cpu = ("cpu_ns_per_delivery", "µs", 1e3)
        figures.ratio(
            f"CPU per delivery, 100 members online / open channel of 100, {words}",
            (f"group/100/{in_flight}", f"open/100/{in_flight}"), *cpu, 1.15)
        figures.ratio(
            f"CPU per delivery, 1,000 of 10,000 members online / open channel of 1,000, {words}",
            (f"group/1000/{in_flight}", f"open/1000/{in_flight}"), *cpu, 1.1)
    for kind, words in (("accept", "with pushes / without"), ("hang", "with a push service that hangs / without")):
        words = f"acknowledgement in a group of 100, 90 away with devices, {words}"
        figures.ratio(f"{words}, median", (f"ack/{kind}", "ack/none"), "p50_us", "ms", 1e3, 1.2)
    sessions = ("sessions/many", "sessions/none")
    words = "user in 2,000 groups / in none"
    figures.ratio(f"session.open, median, {words}", sessions, "open_p50_us", "ms", 1e3, 1.2)
    figures.ratio(f"session.open, 99th percentile, {words}", sessions, "open_p99_us", "ms", 1e3, 1.2)
    figures.absolute("group.ready of 2,000 groups, the longest", "sessions/many", "ready_max_us", "ms", 1e3, 250)
    figures.ratio(
        "memory of an idle connection, member of 50 groups / of none", ("idle/member", "idle/none"),
        "private_dirty_per_connection", "B", 1, 1.05)
    figures.absolute("memory of a group of 100 in use", "loaded/100", "bytes_per_group", "KiB", 1024, 16)
    figures.absolute("memory of a group of 10,000 in use", "loaded/10000", "bytes_per_group", "KiB", 1024, 400)
    figures.absolute(
        "rows written for a message to 100 members, none online", "rows/admin", "rows_per_message", "", 1, 2)
    figures.absolute(
        "the same with the read position of its author", "rows/member", "rows_per_message", "", 1, 3)
    figures.ratio(
        "20 of 2,000 groups / message.get, median", ("calls/list", "calls/get"), "p50_us", "ms", 1e3, 10)
    figures.ratio(
        "the same, CPU time", ("calls/list", "calls/get"), "cpu_us_per_call", "µs", 1, 10)
    figures.absolute("totals of 2,000 groups, median", "calls/totals", "p50_us", "ms", 1e3, 10)
    figures.ratio(
        "100 members mark as read, CPU, with / without receipts", ("reading/told", "reading/silent"),
        "cpu_us_per_call", "µs", 1, 1.2)
    # By the shortest time between two, with room for delays on the way.
    figures.absolute("group.read a second to each of them", "reading/told", "notices_per_second", "", 1, 1.1)
    table(
        "Groups", "Medians; ratios are medians of the rounds' own (lowest–highest).",
        ["measured", "first", "second", "ratio", "goal", "met"], figures.rows)
