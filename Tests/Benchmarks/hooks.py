"""Messages that a back end is asked about beside messages that it is not, on the same server program.

Called by Scripts/bench --only hooks. Rounds are interleaved; ratios are medians of the rounds' own. The back end
allows everything after 5 ms, or never answers.
"""

import contextlib
import subprocess

from groups_report import Figures, median
from measuring import Measuring, measure, say
from tables import table

DELAY_MS, HANGING_MS, SENDERS = 5, 3_600_000, 512


class Bench(Measuring):
    """The measurements of a run."""

    @contextlib.contextmanager
    def back_end(self, delay):
        """The flags that let a server ask a back end before messages are sent; ends the back end."""
        process = subprocess.Popen([self.options.hook_server, str(delay)], stdout=subprocess.PIPE, text=True)
        try:
            port = process.stdout.readline().strip()
            yield ["--hooks-url", f"http://127.0.0.1:{port}/", "--hooks-secret", "x" * 32]
        finally:
            process.kill()
            process.wait()

    def acknowledgements(self, name, flags):
        with self.servers.fresh(*flags) as server:
            say(f"acknowledgements, {name}")
            self.keep(f"ack/{name}", self.load(
                server, "ack", connections=1, rate=50, seconds=self.options.seconds))

    def throughput(self, name, flags):
        """Messages of many users, each of whom waits for the answer to one before the next."""
        with self.servers.fresh(*flags) as server:
            say(f"throughput, {name}")
            figures = self.load(
                server, "durable", connections=SENDERS, channels=32, in_flight=1, seconds=self.options.seconds)
            figures["us_per_message"] = 1e6 / figures["messages_per_second"]
            self.keep(f"durable/{name}", figures)

    def run(self):
        for number in range(self.options.rounds):
            say(f"round {number + 1} of {self.options.rounds}")
            for case in (self.acknowledgements, self.throughput):
                case("none", [])
                with self.back_end(DELAY_MS) as flags:
                    case("asked", [*flags, "--hooks-events", "message.send"])
            # Messages are sent while the back end does not answer what it is asked about uploads.
            with self.back_end(HANGING_MS) as flags:
                self.acknowledgements("other", [*flags, "--hooks-events", "file.create"])

    def report(self):
        figures = Figures(self.records)
        more = (median(self.records, "ack/asked", "p50_us") - median(self.records, "ack/none", "p50_us")) / 1e3
        shown = [f"{median(self.records, f'ack/{name}', 'p50_us') / 1e3:,.2f} ms" for name in ("asked", "none")]
        figures.add(f"acknowledgement, median, asked after {DELAY_MS} ms / not asked",
                    *shown, more, f"+{more:,.2f} ms", "≤ +7 ms", 7)
        figures.ratio(
            f"time of a message of {SENDERS} users who send as fast as they can, asked / not asked",
            ("durable/asked", "durable/none"), "us_per_message", "µs", 1, 1.25)
        figures.ratio(
            "acknowledgement, median, asked about uploads only / not asked", ("ack/other", "ack/none"),
            "p50_us", "ms", 1e3, 1.1)
        table(
            "Hooks", "Medians; ratios are medians of the rounds' own (lowest–highest).",
            ["measured", "asked", "not asked", "ratio (of the rounds)", "goal", "met"], figures.rows)


if __name__ == "__main__":
    measure(Bench, ["load-client", "hook-server"], {"rounds": 5, "seconds": 5})
