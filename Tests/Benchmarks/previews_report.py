"""The tables of link previews."""

import statistics

from tables import amount, ratio, table

TARGET_PER_SECOND = 1_000
TARGET_MEGABYTES = 100
SLOWEST_SHOWN = 5


def service(records):
    rows = []
    for case in records.cases("service"):
        _, pages, rate = case.split("/")

        def median(name):
            return records.median(case, "parley-unfurl", name)

        costs = records.figures(case, "parley-unfurl", "cpu_us_per_preview")
        pages_costs = records.figures(case, "parley-unfurl", "pages_cpu_us_per_preview")
        rates = records.figures(case, "parley-unfurl", "previews_per_cpu_second").values()
        connections = records.rounds(case, "parley-unfurl").values()
        rows.append([
            (f"{int(rate):,} a second" if int(rate) else "as fast as it can")
            + (", a connection per page" if pages == "close" else ", connections kept"),
            amount(median("previews_per_second"), 1, 0),
            amount(median("previews_per_cpu_second"), 1, 0),
            ratio([rate / TARGET_PER_SECOND for rate in rates]),
            amount(median("cpu_us_per_preview"), 1, 0),
            amount(median("pages_cpu_us_per_preview"), 1, 0),
            ratio([costs[number] / pages_costs[number] for number in costs if
                   pages_costs[number] > 0]),
            amount(median("p50_us"), 1e3), amount(median("p99_us"), 1e3),
            amount(statistics.median(r["pages"] / max(r["connections"], 1) for r in connections),
                   1, 1),
        ])
    table(
        f"Previews by parley-unfurl; the target: {TARGET_PER_SECOND:,} a second on one core",
        "64 kept connections ask it for the previews of distinct pages of 8 KB on 32 addresses.\n"
        "CPU: the process's clock, user + system, all threads; per CPU s: what one core could do;\n"
        "service/pages: its CPU time beside that of the bare C program that serves the page.\n"
        "Latency in ms, from when the question was due to the whole answer.",
        ["", "per s", "per CPU s", "of target", "CPU µs", "pages: CPU µs", "service/pages",
         "p50 ms", "p99 ms", "pages per connection"],
        rows)


def phase_figures(record, traffic, name):
    return [phase[name] for phase in record["phases"] if phase["traffic"] == traffic]


def latency(records):
    rows = []
    for case in records.cases("latency"):
        rounds = records.rounds(case, "parley").values()
        for name, label in (
                ("ack_p50_us", "acknowledged, median"), ("ack_p99_us", "acknowledged, 99 %"),
                ("delivery_p50_us", "delivered, median"), ("delivery_p99_us", "delivered, 99 %")):
            quiet, text, links = (
                [phase_figures(record, traffic, name) for record in rounds]
                for traffic in ("quiet", "text", "links"))

            def over(base):
                return ratio([statistics.mean(linked) / statistics.mean(figures)
                              for linked, figures in zip(links, base)])

            def noise(base):
                return ratio([last / first for first, last in base])

            rows.append([
                f"{arrangement(case)}: {label}",
                *(amount(statistics.median(map(statistics.mean, figures)), 1, 0)
                  for figures in (quiet, text, links)),
                over(text), over(quiet), noise(text), noise(quiet),
            ])
    table(
        "Latency beside 1,000 previews a second, in µs; target: links/text as near to 1 as noise",
        "One sender and one subscriber of a channel, 50 messages a second without links, while 20\n"
        "other channels are quiet; carry 1,000 messages of text a second; those with a link each.\n"
        "Phases of 2 s, over and over quiet, text, links, text, quiet; both of a kind count alike.\n"
        "Noise: the second phase of a kind over the first; 1 on a machine without any.",
        ["", "quiet", "text", "links", "links/text", "links/quiet", "noise: text", "noise: quiet"],
        rows)


def arrangement(case):
    """`latency/http/any-core` as "http, any core"."""
    return ", ".join(case.split("/")[1:]).replace("-", " ")


def cpu_ms(record, traffic, process):
    return statistics.mean(phase_figures(record, traffic, f"{process}_cpu_ms"))


def previews(records):
    rows = []
    for case in records.cases("latency"):
        rounds = list(records.rounds(case, "parley").values())

        def share(traffic, process):
            shares = [cpu_ms(record, traffic, process) / record["seconds"] / 10
                      for record in rounds]
            return amount(statistics.median(shares), 1, 0) + " %"

        costs = [
            sum(cpu_ms(record, "links", process) - cpu_ms(record, "text", process)
                for process in ("server", "unfurler")) * 1e3 / record["previews_asked"]
            for record in rounds]
        asked = sum(record["previews_asked"] for record in rounds)
        arrived = sum(record["previews_arrived"] for record in rounds)
        rows.append([
            arrangement(case), f"{arrived:,} of {asked:,}",
            amount(records.median(case, "parley", "preview_p50_us"), 1e3),
            amount(records.median(case, "parley", "preview_p99_us"), 1e3),
            share("quiet", "server"), share("text", "server"), share("links", "server"),
            share("links", "unfurler"), amount(statistics.median(costs), 1, 0),
        ])
    table(
        "The previews of those phases",
        "Arrived: message.updated with the page's og_tag at the other channels' subscribers, in\n"
        "ms from sending the message. CPU in percent of one core; µs: what a link costs more than\n"
        "text, gateway and parley-unfurl together.",
        ["", "arrived", "p50 ms", "p99 ms", "gateway: quiet", "gateway: text", "gateway: links",
         "parley-unfurl", "CPU µs per preview"],
        rows)


def extractor(records):
    speeds = {name: records.median("extractor", name, "value")
              for name in records.servers("extractor")}
    typical = [name for name in speeds if not name.startswith("hostile:")]
    hostile = sorted(set(speeds) - set(typical), key=speeds.get)

    def row(name):
        values = records.figures("extractor", name, "value").values()
        return [name, amount(speeds[name], 1, 0),
                ratio([value / TARGET_MEGABYTES for value in values])]

    table(
        f"Reading pages, in MB/s of one core; the target: {TARGET_MEGABYTES}",
        f"4 MB of each kind through the extractor. Of {len(hostile)} hostile kinds, the"
        f" {min(SLOWEST_SHOWN, len(hostile))} slowest.",
        ["", "MB/s", "of target"],
        [row(name) for name in typical + hostile[:SLOWEST_SHOWN]])
