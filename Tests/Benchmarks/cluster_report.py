"""Tables of what several servers cost beside one: the scenarios `cluster-…` of Scripts/bench."""

import statistics

from tables import amount, ratio, table

NAMES = {
    "sqlite": "one server, SQLite", "postgresql": "one server, PostgreSQL",
    "redis": "three servers, Redis", "notify": "three servers, NOTIFY"}
# What three servers may cost beside one, and PostgreSQL beside SQLite.
DELIVERIES_TARGET, LATENCY_TARGET, DURABLE_TARGET = 0.8, 1.5, 1.3


def verdict(values, target, more_is_better=True):
    """The ratio of the rounds, and whether its median is as good as it should be."""
    if not values:
        return "–"
    middle = statistics.median(values)
    is_met = middle >= target if more_is_better else middle <= target
    sign = "≥" if more_is_better else "≤"
    return f"{ratio(values)}, {sign} {target:g}: {'met' if is_met else 'missed'}"


def per_delivery(records, case, server, name):
    """A CPU time of a round for each of its deliveries, in µs."""
    rounds = records.rounds(case, server).values()
    figures = [record[name] * 1e3 / record["deliveries"] for record in rounds]
    return statistics.median(figures) if figures else None


def described(case):
    kind, *numbers = case.split("/")
    if kind == "cluster-fanout":
        return "one channel, {} subscribers, {} in flight".format(*numbers)
    return "{} senders in {} channels, {} messages a second".format(*numbers)


def cluster_cpu(records):
    rows = []
    for case in records.cases("cluster-fanout") + records.cases("cluster-chatter"):
        for server in NAMES:
            if not records.rounds(case, server):
                continue
            ratios = [
                # Deliveries a CPU second: the inverse of CPU time for each.
                verdict([1 / value for value in records.ratios(
                    case, "cpu_ns_per_delivery", other, under=server)], DELIVERIES_TARGET)
                if server in ("redis", "notify") else "" for other in ("sqlite", "postgresql")]
            rows.append([
                f"{described(case)}: {NAMES[server]}", *ratios,
                amount(records.median(case, server, "cpu_ns_per_delivery"), 1e3),
                amount(per_delivery(records, case, server, "database_cpu_ms")),
                amount(per_delivery(records, case, server, "broker_cpu_ms")),
            ])
    table(
        "Deliveries for each CPU second of parleyd, three servers against one",
        "All parleyd share one core. CPU time is that of all threads of all servers for each\n"
        "delivery; what PostgreSQL and Redis use for it is printed beside it.",
        ["", "to one on SQLite", "to one on PostgreSQL", "parleyd, µs", "PostgreSQL, µs",
         "Redis, µs"],
        rows)


def cluster_latency(records):
    rows = []
    for case in records.cases("cluster-latency"):
        for server in NAMES:
            if not records.rounds(case, server):
                continue
            median, tail = (
                records.ratios(case, name, "postgresql", under=server)
                for name in ("p50_us", "p99_us"))
            is_cluster = server in ("redis", "notify")
            rows.append([
                NAMES[server],
                verdict(median, LATENCY_TARGET, more_is_better=False) if is_cluster else "",
                ratio(tail) if is_cluster else "",
                amount(records.median(case, server, "p50_us"), 1, 0),
                amount(records.median(case, server, "p99_us"), 1, 0),
            ])
    table(
        "Latency of a durable message at 100 messages a second, in µs",
        "From when it was due to its arrival at the one subscriber. Of three servers, the sender, the\n"
        "channel's home and the subscriber are each on another. Ratios to one server on PostgreSQL.",
        ["", "median", "99th percentile", "median, µs", "99th, µs"], rows)


def cluster_durable(records):
    rows = []
    for case in records.cases("cluster-durable"):
        _, senders, in_flight = case.split("/")
        for server in NAMES:
            if not records.rounds(case, server):
                continue
            ratios = records.ratios(case, "messages_per_second", "sqlite", under=server)
            shown = "" if server == "sqlite" else ratio(ratios)
            if server == "postgresql" and senders == "100":
                shown = verdict(ratios, DURABLE_TARGET)
            rows.append([
                f"{senders} senders, {in_flight} in flight each: {NAMES[server]}", shown,
                amount(records.median(case, server, "messages_per_second"), 1, 0),
                amount(records.median(case, server, "cpu_us_per_message"), 1, 1),
            ])
    table(
        "Durable messages per second",
        "Each sender in a channel of its own; answers counted, each of which means that the message is\n"
        "on disk. Ratios to one server on SQLite, on the same disk.",
        ["", "to SQLite", "messages per s", "parleyd, CPU µs per message"], rows)
