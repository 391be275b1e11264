"""Turns what Scripts/bench-peers has recorded into one table of medians and ratios to Parley.

    peers_report.py [--page FILE] FOLDER

FOLDER holds `records.jsonl` and `environment.json`; the report is kept there too, as `report.md`
and `summary.json`. A ratio is taken inside each round, and the median of the rounds' ratios is
shown with the lowest and the highest. With --page, the table replaces what is between the
markers.
"""

import argparse
import json
import pathlib
import statistics
import sys
import textwrap
from dataclasses import dataclass

from tables import Records, amount

SERVERS = {
    "parley": "Parley",
    "ephemeral": "Parley, ephemeral channel",
    "nchan": "nginx + nchan",
    "ws": "Node `ws`",
    "websockets": "Python `websockets`",
    "bare": "C loop",
    "gather": "C loop, gathering",
}
METHOD = """\
Parley syncs every message to the disk before anyone sees it; in an ephemeral channel it keeps none,
and neither do the others.

A delivery is a frame of about {bytes} bytes: Parley's is the event of a message of 128 characters,
the others pass on a text of that size. Nothing is compressed.

nginx has one worker; its master's processor time and memory are counted too, its table of
connections, allocated at the start, is not. Python uses `broadcast()`, Node a `send` for each
client. The C loop has one `send` per socket and message, or, where it gathers, per socket and turn.

Latency is from when a message was due to its arrival, the client's own reading included.

Connections are opened 100 at a time and reset once they are ready, by a client that has one core
too: a rate below what the server's CPU for each allows is the client's limit.

TLS: 1.3 with AES-128-GCM and an EC P-256 certificate, full handshakes, tickets as each server gives
them by default (Parley one, the others two).

Memory is Private_Dirty after minus before; Parley's subscriber is in one channel."""
BEGIN, END = "<!-- peers:begin -->", "<!-- peers:end -->"


@dataclass
class Row:
    """One measure of all servers, beside one server of the same round."""

    label: str
    case: str
    name: str
    unit: str = ""
    divisor: float = 1.0
    digits: int = 0
    base: str = "parley"
    more_is_better: bool = False

    def ratios(self, records, server):
        return records.ratios(self.case, self.name, self.base, under=server)

    def figure(self, records, server):
        text = amount(records.median(self.case, server, self.name), self.divisor, self.digits)
        return f"{text} {self.unit}".rstrip()

    def cell(self, records, server):
        source = self.base if server == "parley" else server
        if records.median(self.case, source, self.name) is None:
            return "–"
        figure = self.figure(records, source)
        if source == self.base:
            return figure
        ratios = self.ratios(records, server)
        if not ratios:
            return figure
        low, middle, high = min(ratios), statistics.median(ratios), max(ratios)
        return f"{figure} · **{short(middle)}** ({short(low)}–{short(high)})"


def short(value):
    """A ratio with at least two digits that say something."""
    return f"{value:.2g}" if value < 0.1 else f"{value:.2f}" if value < 100 else f"{value:,.0f}"


def fanout_rows(records):
    for case in records.cases("fanout"):
        _, subscribers, in_flight = case.split("/")
        ways = "one message at a time" if in_flight == "1" else f"{in_flight} messages in flight"
        size = f"{int(subscribers):,} subscribers, {ways}"
        yield Row(f"server CPU per delivery, {size}", case, "cpu_ns_per_delivery", "µs", 1e3, 2)
        yield Row(f"deliveries per second, {size}", case, "deliveries_per_second",
                  more_is_better=True)


def latency_rows(records):
    for case in records.cases("latency"):
        _, subscribers, rate = case.split("/")
        label = f"latency at {rate} messages a second to {int(subscribers):,} subscribers"
        yield Row(f"{label}, median", case, "p50_us", "ms", 1e3, 1)
        yield Row(f"{label}, 99th percentile", case, "p99_us", "ms", 1e3, 1)


def connect_rows(records):
    for case in records.cases("connect"):
        transport = "TLS" if case.endswith("/tls") else "plain"
        for base, what in (("upgrade", "upgraded"), ("parley", "upgraded, Parley's session open")):
            yield Row(f"connections per second, {transport}, {what}", case, "opened_per_second",
                      base=base, more_is_better=True)
            yield Row(f"server CPU per connection, {transport}, {what}", case,
                      "cpu_us_per_opening", "µs", base=base)


def idle_rows(records):
    for case in records.cases("idle"):
        transport = "TLS" if "/tls/" in case else "plain"
        yield Row(f"server's memory per idle subscriber, {transport}", case,
                  "private_dirty_per_connection", "B")


def all_rows(records):
    for rows in (fanout_rows, latency_rows, connect_rows, idle_rows):
        yield from rows(records)


def measured(records):
    seen = {server for case in records.cases("") for server in records.servers(case)}
    return [server for server in SERVERS if server in seen]


def table(records, rows, servers):
    heads = ["", *(SERVERS[server] for server in servers)]
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    for row in rows:
        cells = [row.label, *(row.cell(records, server) for server in servers)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def provenance(environment):
    """Which machine, which servers."""
    versions = ", ".join(environment[name] for name in ("nchan", "ws", "websockets")
                         if name in environment)
    rounds = "one round" if environment["rounds"] == "1" else f"{environment['rounds']} rounds"
    yield (f"Medians of {rounds}, interleaved (memory: of at most three), on"
           f" {environment['machine']}, over loopback, {environment['placement']}; Parley's store"
           f" on {environment['disk']}. In bold: divided by Parley's figure of the same round"
           " (lowest–highest).")
    if environment["quick"] == "yes":
        yield "Quick: too short for figures to rely on."
    yield (f"Parley {environment['parley'].split()[-1]} runs with one reactor, and with previews,"
           " spam-flood protection and throttling off"
           + (f"; beside it {versions}." if versions else "."))
    if environment["missing"]:
        missing = ", ".join(SERVERS[name] for name in environment["missing"].split())
        yield f"Not installed, and so not measured: {missing}."


def notes(environment):
    """What a reader must know to judge the table, as a list in Markdown."""
    method = METHOD.format(bytes=environment["bytes"]).split("\n\n")
    return "\n".join(textwrap.fill(point, 110, initial_indent="- ", subsequent_indent="  ",
                                   break_long_words=False, break_on_hyphens=False)
                     for point in [*provenance(environment), *method])


def better(records, rows, servers):
    """Where a peer's median does better than Parley's: to be looked at before the table."""
    for row in rows:
        for server in servers:
            ratios = row.ratios(records, server)
            if server in ("parley", "ephemeral") or not ratios:
                continue
            middle = statistics.median(ratios)
            if (middle > 1) == row.more_is_better and middle != 1:
                yield (f"{SERVERS[server]}: {row.label}: {short(middle)} of Parley's"
                       f" ({short(min(ratios))}–{short(max(ratios))})")


def beside(records, prefix, name, form):
    """A further figure of each server, for a line in each case that begins with the prefix."""
    for case in records.cases(prefix):
        figures = [f"{server} {records.median(case, server, name):{form}}"
                   for server in records.servers(case)]
        yield f"{case}: " + ", ".join(figures)


def summary(records, environment, rows):
    figures = []
    for row in rows:
        for server in records.servers(row.case):
            ratios = row.ratios(records, server)
            figures.append({
                "case": row.case, "name": row.name, "server": server, "beside": row.base,
                "median": records.median(row.case, server, row.name),
                "ratio": ratios and {"median": statistics.median(ratios), "lowest": min(ratios),
                                     "highest": max(ratios), "rounds": len(ratios)},
            })
    return {"environment": environment, "figures": figures}


def write_page(path, text):
    page = path.read_text(encoding="utf-8")
    if page.count(BEGIN) != 1 or page.count(END) != 1 or page.index(BEGIN) > page.index(END):
        sys.exit(f"{path} has no {BEGIN} before {END}")
    before, rest = page.split(BEGIN)
    path.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    records = Records(options.folder / "records.jsonl")
    environment = json.loads((options.folder / "environment.json").read_text(encoding="utf-8"))
    rows, servers = list(all_rows(records)), measured(records)
    text = table(records, rows, servers) + "\n\n" + notes(environment)
    (options.folder / "report.md").write_text(text + "\n", encoding="utf-8")
    (options.folder / "summary.json").write_text(
        json.dumps(summary(records, environment, rows), indent=2) + "\n", encoding="utf-8")
    print(text)
    print("\nBytes of frames per delivery, those to the publisher included:",
          *beside(records, "fanout", "bytes_per_delivery", ".1f"), sep="\n  ")
    print("\nThe server's share of its core:", *beside(records, "latency", "server_busy", ".0%"),
          *beside(records, "connect", "server_busy", ".0%"), sep="\n  ")
    wins = list(better(records, rows, servers))
    print("\nWhere another does better than Parley:", *(wins or ["nowhere"]), sep="\n  ")
    if options.page:
        write_page(options.page, text)


if __name__ == "__main__":
    main()
