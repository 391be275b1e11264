"""What the measurements of one server program beside itself share."""

import argparse
import json
import signal
import subprocess
import sys
from collections import defaultdict

from grouped_servers import Servers


def say(text):
    print(f"  {text}", file=sys.stderr, flush=True)


class Measuring:
    """A run: servers that it starts and ends, and the records of its cases."""

    def __init__(self, options):
        self.options = options
        self.servers = Servers(options.parleyd, options.work, options.server_core)
        self.records = defaultdict(list)

    def keep(self, name, record):
        self.records[name].append(record)
        if self.options.json:
            with open(self.options.json, "a", encoding="utf-8") as file:
                print(json.dumps({"case": name, **record}), file=file)

    def load(self, server, mode, **options):
        """Runs the load client against a server; returns the figures that it prints."""
        command = [self.options.load_client, mode, "--dialect", "parley", "--port", server.port, "--server",
                   server.pid, "--timeout", 300]
        for name, value in options.items():
            command += [f"--{name.replace('_', '-')}", value]
        if self.options.client_core:
            command = ["taskset", "-c", self.options.client_core, *command]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{mode}: {done.stderr.strip()}\n{server.log_end()}")
        return json.loads(done.stdout)


def measure(kind, programs, counts):
    """Runs the measurements of a kind with the options of the command line, and reports them.

    Programs are options that must be given; counts are numbers with their defaults."""
    parser = argparse.ArgumentParser()
    for name in ("parleyd", "work", *programs):
        parser.add_argument(f"--{name}", required=True)
    for name in ("json", "server-core", "client-core"):
        parser.add_argument(f"--{name}")
    for name, value in counts.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    bench = kind(parser.parse_args())
    # Ends the servers on the way out.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGHUP, lambda *_: sys.exit(143))
    bench.run()
    bench.report()
