"""What the measurements of one server program beside itself share."""

import json
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
