"""What a message costs each of three servers: that of its sender, its channel's home, and another one
with participants."""

import contextlib
import http.client
import json
import time

from backends import Backends
from cases import Case, costs, count
from machine import Counted, CountingError, patient
from server import SETTINGS, Server

# The part of the counted server, and its place among the ports that the client gets: the publisher is
# on the first, subscribers are on all, and the channel is at home on the last.
PLACES = {"sender": 0, "reader": 1, "home": 2}
SUBSCRIBERS, IN_FLIGHT, ROUNDS, REPETITIONS = 30, (1, 16), 31, 3
TOKEN = "counting"
# Heartbeats are rare, and a server that valgrind makes slow must not count as dead.
CLUSTER_SETTINGS = [
    "--cluster-beat-ms", "5000", "--cluster-server-timeout-ms", "60000", "--cluster-isolation-ms",
    "60000", "--files-public-url", "http://127.0.0.1:9"]


class ClusterServer(Server):
    """One of several servers."""

    def __init__(self, bench, name, environment, prefix=()):
        super().__init__(bench.readable, bench.folder, bench.programs, 0, prefix, environment)
        self.log = bench.folder / f"server-{name}.log"
        self.command = [
            *prefix, str(bench.readable), "--listen", "127.0.0.1:0", "--data-dir",
            str(bench.folder / f"data-{name}"), "--limits-throttle-messages", "0", *SETTINGS,
            *CLUSTER_SETTINGS]

    def status(self, query=""):
        """What it says of the cluster."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port("plain"), timeout=patient(30))
        with contextlib.closing(connection):
            connection.request("GET", f"/v3/parley/cluster{query}", headers={"Api-Token": TOKEN})
            return json.loads(connection.getresponse().read())

    def sees(self, count):
        return [server["state"] for server in self.status()["servers"]].count("live") == count


def await_all(servers):
    deadline = time.monotonic() + patient(60)
    while not all(server.sees(len(servers)) for server in servers):
        if time.monotonic() > deadline:
            raise CountingError("the servers do not see each other")
        time.sleep(0.1)


def prefix_at(home, stem):
    """The beginning of a channel's name that makes it at home on a server."""
    wanted = home.status()["server_id"]
    for number in range(1000):
        prefix = f"{stem}{number}"
        if home.status(f"?channel_url={prefix}-0")["home"] == wanted:
            return prefix
    raise CountingError("no channel falls to the server")


def count_cluster(bench):
    """The costs of all parts, of one server that plays them one after the other."""
    found = {}
    counted = Counted(bench.folder, bench.programs, bench.under_valgrind, name="cluster")
    with contextlib.ExitStack() as stack:
        backends = stack.enter_context(Backends(bench.folder))
        shared = {**backends.environment, "PARLEY_AUTH_API_TOKEN": TOKEN}
        plain = {name: text for name, text in counted.environment.items() if name != "LD_PRELOAD"}
        others = [
            stack.enter_context(ClusterServer(bench, name, {**plain, **shared}))
            for name in ("one", "two")]
        server = stack.enter_context(ClusterServer(
            bench, "counted", {**counted.environment, **shared}, counted.prefix))
        await_all([server, *others])
        for part, place in PLACES.items():
            servers = others.copy()
            servers.insert(place, server)
            found.update(count_part(part, servers, server, counted, bench.programs))
    return found


def count_part(part, servers, server, counted, programs):
    case = Case(
        f"cluster-{part}", "plain", "durable", (SUBSCRIBERS,), IN_FLIGHT, ROUNDS, REPETITIONS)
    ports = ",".join(each.port("plain") for each in servers)
    return costs(case, count(
        case, server, counted, programs, prefix_at(servers[2], part), ports))
