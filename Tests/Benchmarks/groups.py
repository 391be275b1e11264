"""Groups beside open channels, and members of groups beside users without any, on the same server program.

Called by Scripts/bench --only groups. Rounds are interleaved; ratios are medians of the rounds' own. What
lists and totals cost does not depend on the round, so that their groups are made once.
"""

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys

from grouped_servers import settled_memory, written_rows
from groups_report import report
from measuring import Measuring, say

MANY, LISTERS = 2_000, 10


class Bench(Measuring):
    """The measurements of a run: each kind with its groups, on servers that it starts and ends."""

    # Deliveries

    def deliveries(self, online, stored):
        """A group, of whose members some are online, beside an open channel with as many participants."""
        share = max(self.options.deliveries // online, 32)
        for kind in ("open", "group"):
            for in_flight in (1, 16):
                with self.servers.fresh() as server:
                    more = {}
                    if kind == "group":
                        server.back.add_users(max(online, stored))
                        server.back.add_group("bench-0", stored, is_super=stored > 1_000)
                        more["groups"] = "yes"
                    name = f"{kind}/{online}/{in_flight}"
                    say(f"deliveries, {name}")
                    self.keep(name, self.load(
                        server, "fanout", connections=online - 1, in_flight=in_flight,
                        messages=share * (4 if in_flight > 1 else 1), **more))

    # Pushes

    def pushes(self):
        """The wait of a sender in a group of 100, of whom 90 are away with a device each: without pushes, with them,
        and with a push service that answers nothing."""
        for kind in ("none", "accept", "hang"):
            say(f"acknowledgements, pushes: {kind}")
            with self.push_settings(kind) as settings, self.servers.fresh(*settings) as server:
                server.back.add_users(100)
                server.back.add_group("bench-0", 100)
                if kind != "none":
                    server.back.at_once(lambda number: server.back.call(
                        "POST", f"/users/bench-{number}/push/gcm", {"gcm_reg_token": f"device-{number}"}), range(10, 100))
                self.keep(f"ack/{kind}", self.load(
                    server, "ack", connections=9, rate=50, seconds=self.options.ack_seconds, groups="yes"))

    @contextlib.contextmanager
    def push_settings(self, kind):
        if kind == "none":
            yield []
            return
        place = ["taskset", "-c", self.options.client_core] if self.options.client_core else []
        sink = os.path.join(os.path.dirname(os.path.abspath(__file__)), "push_sink.py")
        with subprocess.Popen(
                [*place, sys.executable, sink, kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as service:
            port = service.stdout.readline().strip()
            yield ["--push-url", f"http://127.0.0.1:{port}/", "--push-url-types", "gcm",
                   "--push-secret", "a secret of the benchmark", "--push-per-user-per-minute", "0",
                   "--push-per-sender-per-minute", "0"]
            service.stdin.close()

    # Rows

    def rows(self):
        """The rows that a message writes, in a group none of whose members is online."""
        say("rows written for a message")
        with self.servers.fresh() as server:
            server.back.add_users(100)
            server.back.add_group("bench-0", 100)
            server.back.send("bench-0", "bench-0")
            for name, sender in (("member", "bench-1"), ("admin", None)):
                for _ in range(3):
                    written = written_rows(
                        server.database, lambda sender=sender: server.back.send("bench-0", sender))
                    self.keep(f"rows/{name}", {"rows_per_message": sum(written.values()), "tables": written})

    # Many groups

    @contextlib.contextmanager
    def many_groups(self):
        """A server with users in many groups, each of which has an unread message."""
        with self.servers.fresh() as server:
            say(f"making {MANY} groups of 50 members")
            server.back.add_users(51)
            server.back.at_once(lambda number: server.back.add_group(f"bench-{number}", 50), range(MANY))
            answers = server.back.at_once(lambda number: server.back.send(f"bench-{number}", "bench-49"), range(MANY))
            # Groups are no longer in memory.
            server.restart()
            yield server, answers[0]["message_id"]

    def many(self, server, message_id):
        """Sessions, lists and totals of users in many groups."""
        sessions = {"messages": self.options.sessions, "rate": 20}
        for name, first in (("none", 1_000), ("many", 0)):
            say(f"session.open, {name}")
            self.keep(f"sessions/{name}", self.load(server, "sessions", first_user=first, **sessions))
        calls = {"connections": LISTERS, "messages": self.options.calls, "rate": 40, "groups": "yes"}
        get = {"channel_url": "bench-0", "message_id": message_id}
        for name, method, params in (
                ("get", "message.get", get), ("list", "group.list", {"limit": 20}), ("totals", "group.unread", {})):
            say(method)
            self.keep(f"calls/{name}", self.load(
                server, "calls", request=f'"method":"{method}","params":{json.dumps(params)}', **calls))

    # Memory

    def idle(self):
        """Idle sessions of members of 50 groups that are not in memory, beside users without groups.

        Each user has several sessions, so that the measured ones read nothing new into the caches of the
        database."""
        users, groups = 200, 50
        for name in ("none", "member"):
            with self.servers.fresh() as server:
                say(f"idle connections, {name}")
                if name == "member":
                    server.back.add_users(users)
                    server.back.at_once(
                        lambda number: server.back.add_group(f"bench-{number}", users), range(groups))
                    server.restart()
                self.keep(f"idle/{name}", self.load(
                    server, "idle", connections=self.options.idle, channels=0, warm=2 * users, users=users,
                    groups="yes"))

    def loaded(self):
        """What groups take that are in memory.

        The large groups before the first reading fill the caches of the database, and take the memory that a
        thread needs while it reads one. The first small ones take what is left of that."""
        say("groups in memory")
        measured = self.options.loaded
        with self.servers.fresh() as server:
            server.back.add_users(2)
            large = [f"large-{number}" for number in range(8 * measured)]
            small = [f"small-{number}" for number in range(300 * measured)]
            for urls, is_super in ((large, True), (small, False)):
                server.back.at_once(lambda url, is_super=is_super: server.back.add_group(
                    url, 2, is_super=is_super), urls)
            server.fill({**dict.fromkeys(large, 9_998), **dict.fromkeys(small, 98)})
            for size, urls, warm in ((10_000, large, 7 * measured), (100, small, 150 * measured)):
                before, loaded = self.load_groups(server, urls[:warm])
                after, all_loaded = self.load_groups(server, urls[warm:])
                count = len(urls) - warm
                if all_loaded - loaded < count:
                    raise SystemExit("groups: the machine is too slow, groups left memory before they were measured")
                self.keep(f"loaded/{size}", {"bytes_per_group": (after - before) / count})

    @staticmethod
    def load_groups(server, urls):
        """Sends a message to groups, which keeps them in memory for half a minute; returns the memory of the server,
        and the number of channels in it."""
        server.back.at_once(lambda url: server.back.send(url, None), urls)
        return settled_memory(server.pid), server.back.metric("parley_channels")

    # Reading

    def reading(self):
        """All members of a group of 100 read a message at once, with and without read receipts."""
        for name, limit in (("silent", 0), ("told", 100)):
            say(f"marking as read, {name}")
            with self.servers.fresh("--groups-receipts-members", str(limit)) as server:
                server.back.add_users(100)
                server.back.add_group("bench-0", 100)
                self.keep(f"reading/{name}", self.load(
                    server, "reading", connections=100, cycles=self.options.cycles))

    def run(self):
        self.rows()
        with self.many_groups() as prepared:
            for number in range(self.options.rounds):
                print(f"round {number + 1}", file=sys.stderr)
                self.many(*prepared)
                self.pushes()
                self.deliveries(100, 100)
                self.deliveries(1_000, 10_000)
                self.reading()
                if number < 3:
                    self.idle()
        self.loaded()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parleyd", required=True)
    parser.add_argument("--load-client", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--server-core")
    parser.add_argument("--client-core")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--deliveries", type=int, default=300_000, help="of a fan-out with one message in flight")
    parser.add_argument("--sessions", type=int, default=200, help="session.open, one after another")
    parser.add_argument("--ack-seconds", type=int, default=8, help="of acknowledgements, 50 a second")
    parser.add_argument("--calls", type=int, default=200, help="of each method")
    parser.add_argument("--idle", type=int, default=2_000, help="idle connections")
    parser.add_argument("--loaded", type=int, default=6, help="groups of 10,000 in memory that are measured")
    parser.add_argument("--cycles", type=int, default=5, help="messages that all members read")
    parser.add_argument("--json")
    options = parser.parse_args()
    options.work = os.path.realpath(options.work)
    # Ends the servers on the way out.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGHUP, lambda *_: sys.exit(143))
    bench = Bench(options)
    try:
        bench.run()
    except KeyboardInterrupt:
        sys.exit(130)
    report(bench.records)


if __name__ == "__main__":
    main()
