"""Turns the benchmark's records into a table of medians and ratios.

    report.py RECORDS

RECORDS holds one JSON object per line: what a program of the benchmark printed, with `round`,
`case` and `server` added. A ratio is taken inside each round, between runs made one after the other, and
the median of the rounds' ratios is shown with the lowest and the highest: the machine's speed may
drift from round to round, and divides out.
"""

import sys

from cluster_report import cluster_cpu, cluster_durable, cluster_latency
from previews_report import extractor, latency, previews, service
from tables import Records, amount, ratio, table


def fanout(records):
    name, rows = "cpu_ns_per_delivery", []
    for case in records.cases("fanout"):
        _, subscribers, in_flight, transport = case.split("/")
        rows.append([
            f"{int(subscribers):,} subscribers, {in_flight} in flight, {transport}",
            *(amount(records.median(case, server, name), 1e3)
              for server in ("bare", "gather", "parley")),
            ratio(records.ratios(case, name, "bare")),
            ratio(records.ratios(case, name, "gather")),
            amount(records.median(case, "parley", "deliveries_per_second"), 1, 0),
            amount(records.median(case, "bare", "bytes_per_delivery"), 1, 0)
            + " / " + amount(records.median(case, "parley", "bytes_per_delivery"), 1, 0),
        ])
    table(
        "Fan-out: the server's CPU time per delivery, in µs",
        "The process's CPU clock (user + system, all threads) over the run, divided by\n"
        "deliveries; a message's place in the window is free when every subscriber has it.\n"
        "Bytes: of WebSocket frames, read by the client per delivery, bare / Parley.",
        ["", "bare", "gathered", "Parley", "Parley/bare", "Parley/gathered", "Parley: per s",
         "bytes"],
        rows)


def idle(records):
    name, rows = "private_dirty_per_connection", []
    for case in records.cases("idle"):
        _, connections, channels, transport = case.split("/")
        place = "in one channel" if int(channels) else "session open"
        peer_case = f"idle/{connections}/0/{transport}"
        rows.append([
            f"{int(connections):,} connections, {transport}, {place}",
            amount(records.median(peer_case, "bare", name), 1, 0),
            amount(records.median(case, "parley", name), 1, 0),
            ratio(records.ratios(case, name, "bare", under_case=peer_case)),
            amount(records.median(case, "parley", "pss_per_connection"), 1, 0),
            amount(records.median(case, "parley", "opened_per_second"), 1, 0),
        ])
    table(
        "Memory per idle connection, in bytes of the server's own memory",
        "Private_Dirty of /proc/PID/smaps_rollup, after minus before, once it has settled,\n"
        "divided by the connections opened between; 64 more are open before. What the kernel\n"
        "holds for a socket is the same for all servers and not in it.",
        ["", "bare", "Parley", "Parley/bare", "Parley: Pss", "Parley: opened per s"], rows)


def ack(records):
    rows = []
    for case in records.cases("ack"):
        for name, label in (("p50_us", "median"), ("p99_us", "99th percentile")):
            rows.append([
                label, amount(records.median(case, "bare", name), 1, 0),
                amount(records.median("disk", "disk", name), 1, 0),
                amount(records.median(case, "parley", name), 1, 0),
                ratio(records.ratios(case, name, "bare")),
                ratio(records.ratios(case, name, "disk", under_case="disk")),
            ])
    table(
        "Acknowledgement at light load, in µs",
        "From sending to Parley's answer, which means stored; the bare loop stores nothing and\n"
        "answers nothing: its figure is the way to one subscriber. Sync: a 4 KiB write with\n"
        "fdatasync in the same folder, the least that a stored message costs.",
        ["", "bare", "sync", "Parley", "Parley/bare", "Parley/sync"], rows)


def durable(records):
    rows = []
    for case in records.cases("durable"):
        _, senders, channels, in_flight = case.split("/")
        rates = records.figures(case, "parley", "messages_per_second")
        syncs = records.figures("disk", "disk", "syncs_per_second")
        rows.append([
            f"{senders} senders in {channels} channels, {in_flight} in flight each",
            amount(records.median(case, "parley", "messages_per_second"), 1, 0),
            amount(records.median("disk", "disk", "syncs_per_second"), 1, 0),
            ratio([rates[number] / syncs[number] for number in rates if syncs.get(number)]),
            amount(records.median(case, "parley", "cpu_us_per_message"), 1, 1),
        ])
    table(
        "Durable messages per second",
        "Answers counted at the senders; each answer means that the message is on disk. Syncs:\n"
        "one after the other in the same folder, what a store without group commit could reach.",
        ["", "Parley", "syncs per s", "Parley/syncs", "CPU µs per message"], rows)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: report.py RECORDS")
    records = Records(sys.argv[1])
    for section in (
            cluster_cpu, cluster_latency, cluster_durable, fanout, idle, ack, durable, service, latency,
            previews, extractor):
        section(records)


if __name__ == "__main__":
    main()
