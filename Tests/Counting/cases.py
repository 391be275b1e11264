"""What is counted, and how the counts become costs of one delivery, message or connection."""

import json
import shutil
import time
from collections import namedtuple

from machine import ALLOCATIONS, INSTRUCTIONS, SYSTEM_CALLS, Counted
from server import Server

# Two sizes: the difference between them is what their difference in subscribers costs, and what is
# left is the message's own. Valgrind makes handshakes slow, so that TLS has fewer.
Case = namedtuple(
    "Case", "name transport storage subscribers in_flight rounds throttle", defaults=[0])
CASES = [
    # These come first, in an empty store: what is stored already, and the notes of when the users of
    # another case were last seen, make a difference of some per cent. Many rounds, since whatever the
    # server does once a second falls into them as well, and into more of them on a slow machine.
    Case("durable-one", "plain", "durable", (1,), (1,), 120),
    Case("durable", "plain", "durable", (10,), (1, 16), 120),
    Case("plain", "plain", "ephemeral", (200, 1000), (1, 16), 12),
    Case("deflate", "deflate", "ephemeral", (50, 200), (1, 16), 12),
    Case("tls", "tls", "ephemeral", (25, 75), (1, 16), 12),
    # More than are sent in a second: each participant's window is asked, and nothing is withheld.
    Case("throttle", "plain", "ephemeral", (100, 1000), (16,), 10, throttle=10_000),
]
# A number of connections before the first reading, and one between the readings.
IDLE = {"plain": (1000, 3000), "tls": (300, 1000)}
MEMORY = "bytes"


def joined(numbers):
    return ",".join(map(str, numbers))


def count(case, server, counted, programs):
    """The phases of a case, each with its counts."""
    printed = server.load(programs / "count-client", case.transport, [
        "--counters", counted.counters, "--transport", case.transport, "--storage", case.storage,
        "--channel", f"count-{case.name}", "--subscribers", joined(case.subscribers),
        "--in-flight", joined(case.in_flight), "--rounds", case.rounds])
    phases = [json.loads(line) for line in printed.splitlines()]
    for phase in phases:
        phase.update(counted.totals(phase["mark"]), dump=counted.dump_of(phase["mark"]).name)
    return phases


def costs(case, phases):
    """What each message and each delivery costs, and the dump that shows it."""
    found = {}
    for in_flight in case.in_flight:
        of_size = [phase for phase in phases if phase["in_flight"] == in_flight]
        for unit in (INSTRUCTIONS, SYSTEM_CALLS, ALLOCATIONS):
            if unit in of_size[0]:
                for name, (amount, dump) in split(of_size, unit, in_flight).items():
                    found[f"{case.name}/{in_flight}/{name}", unit] = amount, dump
    return found


def split(phases, unit, in_flight):
    small, large = phases[0], phases[-1]
    per_small, per_large = (phase[unit] / phase["messages"] for phase in (small, large))
    if small is large:
        return {"message": (per_small, small["dump"])}
    # How messages fall into transactions and turns depends on the threads when there are many: then
    # only the whole is steady enough, so each delivery bears its share of its message.
    if in_flight > 1:
        return {"delivery": (per_large / large["subscribers"], large["dump"])}
    slope = (per_large - per_small) / (large["subscribers"] - small["subscribers"])
    return {
        "delivery": (slope, large["dump"]),
        "message": (per_small - slope * small["subscribers"], small["dump"])}


def count_deliveries(parleyd, folder, programs, names, under_valgrind):
    """The costs of all cases that are named."""
    found = {}
    wanted = [case for case in CASES if case.name in names]
    for throttle in sorted({case.throttle for case in wanted}):
        counted = Counted(folder, programs, under_valgrind, name=f"throttle-{throttle}")
        shutil.rmtree(folder / "data", ignore_errors=True)
        with Server(parleyd, folder, throttle, counted.prefix, counted.environment) as server:
            for case in wanted:
                if case.throttle == throttle:
                    found.update(timed(case, server, counted, programs))
    return found


def timed(case, server, counted, programs):
    started = time.monotonic()
    found = costs(case, count(case, server, counted, programs))
    print(f"  {case.name}: {time.monotonic() - started:.0f} s", flush=True)
    return found


def count_memory(parleyd, folder, programs, transport):
    """The server's own memory for each idle connection: not counted by what it asked for, but by
    the pages that it has written to.

    The median of three servers: in one of them the allocator may just give pages back."""
    started = time.monotonic()
    amounts = sorted(memory(parleyd, folder, programs, transport) for _ in range(3))
    print(f"  idle, {transport}: {time.monotonic() - started:.0f} s", flush=True)
    return {(f"idle/{transport}/connection", MEMORY): (amounts[1], None)}


def memory(parleyd, folder, programs, transport):
    shutil.rmtree(folder / "data", ignore_errors=True)
    before, between = IDLE[transport]
    tls = ["--tls", "yes"] if transport == "tls" else []
    with Server(parleyd, folder, throttle=0) as server:
        printed = server.load(programs / "load-client", transport, [
            "idle", "--dialect", "parley", "--warm", before, "--connections", between, *tls])
    return json.loads(printed)["private_dirty_per_connection"]
