"""Computes what many servers need for 1 and 10 million connections, from the costs of single parts.

    capacity.py [--records FILE] [--unit NAME=VALUE]… [--seed N]

FILE is what `Scripts/bench --only cluster --json FILE` has kept: unit costs are then taken from its
fan-out on one server, its chatter in small channels and its durable messages, and the model is checked
against the rest. Without it the costs are those written here.

The load: each client is in two channels and sends a message every 50 s; the audience of a message is
50 on average, over channels of very different sizes; and one event channel has every client in it and
is at the throttle, five messages a second. Which servers share a channel, what one commit and one turn
gather, and the death of a server are simulated with a fixed seed, for one server of the cluster, since
all are alike.
"""

import argparse
import json
import math
import random
import statistics
from collections import defaultdict
from dataclasses import dataclass, fields

from tables import table


@dataclass
class Units:
    """CPU times in µs, sizes in bytes, other times in ms."""

    delivery: float = 5.9  # one write to one client, without TLS
    delivery_gathered: float = 0.43  # one message more in such a write
    tls: float = 2.6  # what TLS adds to a delivery
    message: float = 175.0  # of a busy server with PostgreSQL, before its deliveries
    message_gathered: float = 16.5  # one message more in a turn
    bus_message: float = 104.0  # sending and receiving one message of the bus, on both servers
    bus_gathered: float = 7.0  # one packet more in a message of the bus
    broker: float = 17.0  # Redis, for each message of the bus
    database: float = 395.0  # PostgreSQL, for each commit, its first message included
    database_gathered: float = 12.0  # PostgreSQL, for each message more in a commit
    enter: float = 90.0  # an opened session's entry into a channel, its home included
    opening: float = 330.0  # a TLS connection with its session
    commit_time: float = 0.8  # of one message
    commit_time_gathered: float = 0.02  # for each message more
    takeover_time: float = 0.5  # of one channel, in a server's lane
    detection: float = 1000.0  # of a server's death
    event_bytes: float = 630.0
    packet_bytes: float = 700.0
    frame_bytes: float = 120.0  # of a message of the bus beside its packets
    wal_bytes: float = 706.0
    stored_bytes: float = 420.0
    connection_memory: float = 14300.0
    place_memory: float = 470.0  # of a connection in a channel
    roster_memory: float = 200.0  # of a participant, at the channel's home


@dataclass
class Cluster:
    connections: int
    servers: int
    cores: int
    gathering: float = 0  # ms that a commit waits for more messages

    @property
    def name(self):
        name = f"{self.connections // 1_000_000} M connections"
        return name + (f", gathering {self.gathering:g} ms" if self.gathering else "")


CLUSTERS = [
    Cluster(1_000_000, 20, 8), Cluster(10_000_000, 60, 16), Cluster(10_000_000, 60, 16, gathering=5)]
CHANNELS_EACH, SEND_INTERVAL, AUDIENCE, EVENT_RATE = 2, 50, 50, 5
# The spread of channel sizes, as the σ of a log-normal distribution.
SPREAD = 1.0


def channel_size(random_source):
    """The size of the channel of a message: large ones are chosen as often as they have members."""
    middle = math.log(AUDIENCE + 1) - SPREAD**2 / 2
    return max(2, round(random_source.lognormvariate(middle, SPREAD)))


def sharing(size, servers, random_source):
    """The servers that have members of a channel."""
    if size > servers * 12:
        return set(range(servers))
    return {random_source.randrange(servers) for _ in range(size)}


@dataclass
class Home:
    """One server as the home of its channels, over some seconds."""

    messages: float = 0.0  # each of these a second
    commits: float = 0.0
    packets: float = 0.0
    bus_messages: float = 0.0
    calls: float = 0.0
    deliveries: float = 0.0
    shared_by: float = 0.0  # servers, on average of messages
    wait: float = 0.0  # ms until its commit has ended, the 99th percentile


def simulate(rate, cluster, units, random_source, seconds=10):
    """Runs one home under a rate of messages, and gathers as it does.

    Messages come at random times; those that come during a commit are in the next one; what a commit
    brings for one server leaves as one message of the bus. Server 0 is the home."""
    home, waits, shared = Home(), [], []
    servers = cluster.servers
    arrivals, now = [], 0.0
    while now < seconds * 1000:
        now += random_source.expovariate(rate / 1000)
        arrivals.append(now)
    start, index = 0.0, 0
    while index < len(arrivals):
        start = max(start, arrivals[index] + cluster.gathering)
        batch = 0
        while index + batch < len(arrivals) and arrivals[index + batch] <= start:
            batch += 1
        end = start + units.commit_time + units.commit_time_gathered * (batch - 1)
        targets = defaultdict(int)
        for arrival in arrivals[index:index + batch]:
            size = channel_size(random_source)
            members = sharing(size, servers, random_source)
            home.deliveries += size - 1
            shared.append(len(members))
            # The sender's server is one of them; its call is a message of the bus too.
            home.calls += random_source.random() >= 1 / servers
            for server in members - {0}:
                targets[server] += 1
            waits.append(end - arrival)
        home.packets += sum(targets.values())
        home.bus_messages += len(targets)
        home.commits += 1
        index += batch
        start = end
    home.messages = len(arrivals)
    for name in ("messages", "commits", "packets", "bus_messages", "calls", "deliveries"):
        setattr(home, name, getattr(home, name) / seconds)
    home.shared_by = statistics.fmean(shared)
    home.wait = sorted(waits)[len(waits) * 99 // 100]
    return home


def computed(cluster, units, random_source):
    """The figures of a cluster: name to text."""
    servers, connections = cluster.servers, cluster.connections
    rate = connections / SEND_INTERVAL
    home = simulate(rate / servers, cluster, units, random_source)
    event = connections * EVENT_RATE
    deliveries = home.deliveries * servers + event
    frames = (home.bus_messages + home.calls) * servers
    packets = home.packets * servers
    commits = home.commits * servers
    cpu = (
        deliveries * (units.delivery + units.tls)
        + commits * units.message + (rate - commits) * units.message_gathered
        + frames * units.bus_message
        + (packets + home.calls * servers - frames) * units.bus_gathered) / 1e6
    broker = frames * units.broker / 1e6
    database = (commits * units.database + (rate - commits) * units.database_gathered) / 1e6
    bus_bytes = frames * units.frame_bytes + (packets + home.calls * servers) * units.packet_bytes
    dead = connections / servers
    channels = connections * CHANNELS_EACH / mean_size(random_source)
    moved = channels / servers / (servers - 1)
    memory = dead * (units.connection_memory + CHANNELS_EACH * units.place_memory
                     + (CHANNELS_EACH + 1) * units.roster_memory)
    figure = "{:,.0f}".format
    return {
        "servers, cores each": f"{servers} × {cluster.cores}",
        "connections of each": figure(dead),
        "messages a second": figure(rate),
        "deliveries a second, the event's among them": f"{deliveries / 1e6:.1f} M",
        "parleyd: cores busy, of": f"{cpu:,.0f} of {servers * cluster.cores:,}",
        "out to clients, each server, Gb/s":
            f"{deliveries / servers * (units.event_bytes + 29) * 8 / 1e9:.1f}",
        "servers that share a channel, on average of messages": f"{home.shared_by:.1f}",
        "messages in a commit": f"{rate / commits:.1f}",
        "append at the home, 99th percentile, ms": f"{home.wait:.1f}",
        "packets a second": figure(packets),
        "messages of the bus a second": figure(frames),
        "Redis: cores busy": f"{broker:.1f}",
        "Redis: Gb/s in, and as many out": f"{bus_bytes * 8 / 1e9:.1f}",
        "PostgreSQL: commits a second": figure(commits),
        "PostgreSQL: cores busy": f"{database:.1f}",
        "PostgreSQL: MB/s of WAL": f"{rate * units.wal_bytes / 1e6:.0f}",
        "stored a day, at a fifth of the peak, GB":
            figure(rate / 5 * 86_400 * units.stored_bytes / 1e9),
        "memory of a server, GB": f"{memory / 1e9:.1f}",
        "a server dies: enters a second, for 10 s": figure(dead * CHANNELS_EACH / 10),
        "  cores of the others for these": f"{cores_of_return(dead, units):.1f}",
        "  channels that move": figure(channels / servers),
        "  reads of missed events a second": figure(reads(dead, channels, servers) / 10),
        "  pause of a busy channel, median and longest, ms":
            f"{units.detection + moved * units.takeover_time / 2:,.0f}, "
            f"{units.detection + moved * units.takeover_time:,.0f}",
    }


def mean_size(random_source):
    """Of channels, each counted once: a message finds large ones more often."""
    sizes = [channel_size(random_source) for _ in range(20_000)]
    return 1 / statistics.fmean(1 / size for size in sizes)


def cores_of_return(clients, units):
    return clients / 10 * (units.opening + CHANNELS_EACH * units.enter) / 1e6


def reads(clients, channels, servers):
    """A channel is read once on each server that clients return to."""
    places = clients * CHANNELS_EACH
    return min(places, channels * (servers - 1) * (1 - math.exp(-places / channels / (servers - 1))))


# MARK: What was measured

# Busy, with so few deliveries that messages are most of its cost: ten in each of 30 channels.
SMALL_CHATTER = "cluster-chatter/300/30/1000"


class Measured:
    """Medians of the rounds of `Scripts/bench --only cluster --json`."""

    def __init__(self, path):
        self.rounds = defaultdict(list)
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                self.rounds[record["case"], record["server"]].append(record)

    def has(self, case, server):
        return (case, server) in self.rounds

    def per_message(self, case, server, name):
        """CPU time of a message in µs."""
        return statistics.median(
            record[name] * 1e3 / self.messages(record) for record in self.rounds[case, server])

    @staticmethod
    def messages(record):
        if record["mode"] == "latency":
            # Those of the first second, too, which are not among the samples.
            return record["samples"] / record["subscribers"] + record["rate"]
        return record["answers"] if record["mode"] == "durable" else record["messages"]

    def units(self):
        """The unit costs that fan-outs, chatter in small channels and durable messages show."""
        found = {}
        one, many = "cluster-fanout/1000/1", "cluster-fanout/1000/16"
        large = "cluster-durable/100/16"
        busy = SMALL_CHATTER
        if self.has(one, "sqlite") and self.has(many, "sqlite"):
            found["delivery"] = self.per_message(one, "sqlite", "server_cpu_ms") / 1000
            found["delivery_gathered"] = self.per_message(many, "sqlite", "server_cpu_ms") / 1000
        if self.has(busy, "postgresql") and self.has(busy, "redis"):
            alone = self.per_message(busy, "postgresql", "server_cpu_ms")
            found["message"] = alone - 9 * found.get("delivery", Units.delivery)
            # The call of two senders in three, and a packet to each of the other servers.
            bus = 2 + 2 / 3
            found["bus_message"] = (self.per_message(busy, "redis", "server_cpu_ms") - alone) / bus
            found["broker"] = self.per_message(busy, "redis", "broker_cpu_ms") / bus
            found["database"] = self.per_message(busy, "redis", "database_cpu_ms")
        if self.has(large, "postgresql"):
            found["message_gathered"] = self.per_message(large, "postgresql", "server_cpu_ms")
            found["database_gathered"] = self.per_message(large, "postgresql", "database_cpu_ms")
        return found


def checked(measured, units):
    """Rows that set what the model says of small runs beside what was measured."""
    rows = []

    def check(name, case, server, column, value):
        if not measured.has(case, server):
            return
        found = measured.per_message(case, server, column)
        rows.append([name, f"{value:,.0f}", f"{found:,.0f}", f"{(value / found - 1) * 100:+.0f} %"])

    audiences = [
        ("cluster-fanout/1000/1", "one message to 1,000", 1000, 1.0),
        ("cluster-latency/1", "one message to one, 100 a second", 1, 1.0)]
    for case, _ in sorted(measured.rounds):
        if case.startswith("cluster-chatter/") and case != SMALL_CHATTER:
            senders, channels, rate = map(int, case.split("/")[1:])
            # The sender is at home in one of three cases.
            audiences.append((case, f"chatter, {senders // channels} in a channel, {rate} a second",
                              senders // channels - 1, 2 / 3))
    for case, name, audience, calls in dict.fromkeys(audiences):
        alone = units.message + audience * units.delivery
        bus = 2 + calls
        check(f"{name}: one server", case, "postgresql", "server_cpu_ms", alone)
        check(f"{name}: three servers", case, "redis", "server_cpu_ms",
              alone + bus * units.bus_message)
        check(f"{name}: PostgreSQL", case, "redis", "database_cpu_ms", units.database)
        check(f"{name}: Redis", case, "redis", "broker_cpu_ms", bus * units.broker)
    return rows


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records")
    parser.add_argument("--unit", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    names = {field.name for field in fields(Units)}
    arguments.units = {}
    for assignment in arguments.unit:
        name, _, value = assignment.partition("=")
        if name not in names:
            parser.error(f"there is no unit {name}; there are {', '.join(sorted(names))}")
        arguments.units[name] = float(value)
    return arguments


def main():
    arguments = read_arguments()
    measured = Measured(arguments.records) if arguments.records else None
    given = {**(measured.units() if measured else {}), **arguments.units}
    units = Units(**given)
    columns = [
        computed(cluster, units, random.Random(arguments.seed)) for cluster in CLUSTERS]
    table(
        "Capacity, computed",
        "Each client in two channels, a message every 50 s, 50 others on average, over TLS; one event\n"
        "channel with all clients at 5 messages a second. The last column asks what it would bring if\n"
        "commits waited for more messages, which they do not.",
        ["", *(cluster.name for cluster in CLUSTERS)],
        [[name, *(column[name] for column in columns)] for name in columns[0]])
    table(
        "Unit costs", "CPU times in µs, other times in ms, sizes in bytes.", ["", "value", ""],
        [[field.name, f"{getattr(units, field.name):,.1f}",
          "measured" if field.name in given else ""] for field in fields(Units)])
    if measured:
        table(
            "The model beside small runs: CPU time of a message, in µs",
            "No unit is taken from these runs, but for the cost of a delivery from the fan-out on SQLite. A\n"
            "message alone, at low rates, costs more than the model says: each one wakes every thread on its\n"
            "way. Under load, which is what capacity is about, wake-ups are shared.",
            ["", "computed", "measured", "error"], checked(measured, units))


if __name__ == "__main__":
    main()
