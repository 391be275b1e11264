"""Reads what callgrind writes: costs by function."""

import re
from pathlib import Path

INSTRUCTIONS, SYSTEM_CALLS = "Ir", "sysCount"
# Answered without the kernel by the page that it maps into a process, which valgrind hides.
CLOCKS = ("clock_gettime", "gettimeofday")


def read(path):
    """The costs of each function by itself: a dictionary for each kind that was counted."""
    events, names, costs, function, is_call = [], {}, {}, None, False
    for line in Path(path).read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("events:"):
            events = line.split()[1:]
            costs = {event: {} for event in events}
        elif found := re.match(r"c?fn=\((\d+)\)(?: (.*))?", line):
            number, name = found.groups()
            if name is not None:
                names[number] = name
            if line.startswith("fn"):
                function = names[number]
        elif line.startswith("calls="):
            is_call = True
        elif line[:1] in "0123456789+-*" and line and function:
            # The line behind a call is what the call cost, and is in the callee's own lines too.
            if not is_call:
                # A count that is 0 at the end of the line is left out.
                for event, amount in zip(events, line.split()[1:]):
                    costs[event][function] = costs[event].get(function, 0) + int(amount)
            is_call = False
    return costs


def totals(path):
    """The instructions, and the system calls that reach the kernel."""
    costs = read(path)
    calls = sum(
        amount for name, amount in costs[SYSTEM_CALLS].items() if not name.startswith(CLOCKS))
    return sum(costs[INSTRUCTIONS].values()), calls
