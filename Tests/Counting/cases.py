"""The cases on one server, and how counts become costs of one delivery, message or connection."""

import json
import shutil
import sys
from collections import namedtuple

from control import UNITS, rate, typical, without_time
from machine import BENCHMARKS, MARK_CALLS, SYSTEM_CALLS, Counted, patient
from server import Server

sys.path.append(str(BENCHMARKS))

from grouped_servers import settled_memory  # noqa: E402
from platform_api import PlatformAPI  # noqa: E402
from streams import Bench as Streams  # noqa: E402

# With two sizes, the difference between them is the cost of their difference in subscribers, and the rest is
# the message's own. Valgrind makes handshakes slow, so TLS has fewer subscribers. Durable messages come in
# multiples of 31, since the store prunes old events once in 31. The longest case comes first.
Case = namedtuple(
    "Case", "name transport storage subscribers in_flight rounds repetitions warm throttle is_group settings",
    defaults=[3, 0, False, ()])
CASES = [
    Case("tls", "tls", "ephemeral", (25, 75), (1, 16), 12, 5),
    Case("deflate", "deflate", "ephemeral", (50, 200), (1, 16), 12, 5),
    Case("plain", "plain", "ephemeral", (200, 1000), (1, 16), 12, 5),
    # A group has at most 1,000 members, one of whom sends.
    Case("group", "plain", "ephemeral", (200, 999), (1, 16), 12, 5, is_group=True),
    # More than are sent in a second: the window of each participant is checked, and nothing is withheld. A
    # window grows in powers of two: it has room for 1,024 messages after the first 512, so it does not grow
    # in any phase.
    Case("throttle", "plain", "ephemeral", (1000,), (16,), 5, 4, warm=33, throttle=10_000),
    Case("durable", "plain", "durable", (10,), (1, 16), 31, 5),
    Case("durable-one", "plain", "durable", (1,), (1,), 31, 5),
    # With the index of search, which follows the messages in steps: those of lone messages fall anywhere.
    Case("searched", "plain", "durable", (10,), (16,), 31, 5, settings=("--search-mode", "on")),
    # Each message is counted for its author, and for the deployment.
    Case("quota", "plain", "durable", (10,), (1, 16), 31, 5, settings=(
        "--limits-user-messages-per-day", "10000000", "--limits-messages-stored", "10000000",
        "--limits-database-bytes", "1000000000000")),
]
# Of a repetition of the first phase of each size (control.py).
PAUSE_MS = 3000
# A number of connections before the first reading, and one between the readings. "stream" is an event stream.
IDLE = {"plain": (1000, 3000), "tls": (300, 1000), "stream": (1000, 3000)}
MEMORY = "bytes"
# Of a client, from its first connection to its last phase.
CLIENT_SECONDS = 300


def joined(numbers):
    return ",".join(map(str, numbers))


def make_group(case, server, channel):
    """The group of a case, which the client's users have joined before they come."""
    back = PlatformAPI(int(server.port("plain")), server.api_token())
    back.add_users(case.subscribers[-1] + 1)
    back.add_group(f"{channel}-0", case.subscribers[-1] + 1, is_ephemeral=case.storage == "ephemeral")


def count(case, server, counted, programs, channel, ports=None):
    """The phases of a case, each with its counts."""
    groups = ["--groups", "yes"] if case.is_group else []
    printed = server.load(programs / "count-client", case.transport, [
        "--counters", counted.counters, "--transport", case.transport, "--storage", case.storage,
        "--channel", channel, "--subscribers", joined(case.subscribers),
        "--in-flight", joined(case.in_flight), "--rounds", case.rounds,
        "--repetitions", case.repetitions, "--warm", case.warm, "--pause", PAUSE_MS,
        "--timeout", int(patient(CLIENT_SECONDS)), *groups], ports=ports)
    phases = [json.loads(line) for line in printed.splitlines()]
    for phase in phases:
        phase.update(counted.totals(phase["mark"]), dump=counted.dump_of(phase["mark"]).name)
        if SYSTEM_CALLS in phase:
            phase[SYSTEM_CALLS] -= MARK_CALLS
    (counted.folder / f"phases.{case.name}.json").write_text(json.dumps(phases))
    return phases


def costs(case, phases):
    """The cost of each message and each delivery, and the dump that shows it."""
    found = {}
    for in_flight in case.in_flight:
        sizes = case.subscribers if in_flight == 1 else case.subscribers[-1:]
        for unit in UNITS:
            if unit in phases[0]:
                of_size = [typical(controlled(phases, size, in_flight, unit), unit) for size in sizes]
                for name, (amount, dump) in split(case, of_size, unit).items():
                    found[f"{case.name}/{in_flight}/{name}", unit] = amount, dump
    return found


def controlled(phases, size, in_flight, unit):
    """The repetitions of a phase, without what the server did as time passed."""
    of_size = [phase for phase in phases if phase["subscribers"] == size]
    paused = [phase for phase in of_size if phase["pause_ms"] > 0]
    steady = [phase for phase in of_size if phase["pause_ms"] == 0]
    per_second = {unit: rate(phase, [
        each for each in steady if each["in_flight"] == phase["in_flight"]], unit)
        for phase in paused}
    return [without_time(phase, per_second) for phase in steady if phase["in_flight"] == in_flight]


def split(case, phases, unit):
    small, large = phases[0], phases[-1]
    per_small, per_large = (phase[unit] / phase["messages"] for phase in (small, large))
    if case.storage == "durable":
        return {"message": (per_small, small["dump"])}
    # How messages fall into turns depends on the threads when there are many: then only the whole is
    # steady enough, so each delivery bears its share of its message.
    if small is large:
        return {"delivery": (per_large / large["subscribers"], large["dump"])}
    slope = (per_large - per_small) / (large["subscribers"] - small["subscribers"])
    return {
        "delivery": (slope, large["dump"]),
        "message": (per_small - slope * small["subscribers"], small["dump"])}


def count_deliveries(case, bench):
    """The costs of a case, on a server whose store was empty."""
    counted = Counted(bench.folder, bench.programs, bench.under_valgrind, name=case.name)
    with Server(
            bench.readable, bench.folder, bench.programs, case.throttle, counted.prefix,
            counted.environment, case.settings) as server:
        channel = f"count-{case.name}"
        if case.is_group:
            make_group(case, server, channel)
        return costs(case, count(case, server, counted, bench.programs, channel))


def count_memory(transport, bench):
    """The server's own memory for each idle connection: not counted by what it asked for, but by
    the pages that it has written to.

    The median of three servers: in one of them the allocator may just give pages back."""
    amounts = sorted(memory(transport, bench) for _ in range(3))
    return {(f"idle/{transport}/connection", MEMORY): (amounts[1], None)}


def memory(transport, bench):
    shutil.rmtree(bench.folder / "data", ignore_errors=True)
    before, between = IDLE[transport]
    tls = ["--tls", "yes"] if transport == "tls" else []
    with Server(bench.parleyd, bench.folder, bench.programs, throttle=0) as server:
        if transport == "stream":
            return memory_of_streams(server, before, between)
        printed = server.load(bench.programs / "load-client", transport, [
            "idle", "--dialect", "parley", "--warm", before, "--connections", between,
            "--timeout", int(patient(CLIENT_SECONDS)), *tls])
    return json.loads(printed)["private_dirty_per_connection"]


def memory_of_streams(server, before, between):
    port, pid = int(server.port("plain")), server.process.pid
    kept = Streams.open("stream", port, before)
    first = settled_memory(pid)
    kept += Streams.open("stream", port, between)
    amount = (settled_memory(pid) - first) / between
    for connection in kept:
        connection.close()
    return amount
