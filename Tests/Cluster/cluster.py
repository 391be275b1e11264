"""Several real parleyd on one PostgreSQL and one bus, each with wires of its own that a test damages."""

import asyncio
import contextlib
import json
import pathlib
import signal
import time
from urllib.parse import urlencode

from backends import PostgreSQL, Redis
from harness import DEADLINE, PATIENCE, Client, Context, Refused, Server, eventually, http
from websockets.exceptions import ConnectionClosed, WebSocketException
from wires import Wire

TOKEN = "the-token-of-all-servers"
# Every client would be slowed down by what protects others from it, and lists cut short on a busy machine.
MANY_CALLS = ("--limits-query-ms", "0", "--limits-calls-per-second", "1000000", "--limits-calls-burst", "1000000",
              "--limits-unopened-connections-per-address", "0")
FREE = (*MANY_CALLS, "--limits-flood-messages", "0", "--limits-user-flood-messages", "0", "--limits-throttle-messages", "0")


def quiet(flags):
    """Flags under which nothing is fetched and no thumbnail made, unless they say otherwise themselves."""
    for name in ("--unfurl-mode", "--thumbnails-mode"):
        if name not in flags:
            flags = (name, "off", *flags)
    return flags


class ClusterServer(Server):
    """One parleyd of a cluster, with its wires to PostgreSQL and to Redis."""

    name, store_wire, bus_wire = "", None, None

    @property
    def api_token(self):
        return TOKEN

    async def api(self, method, path, body=None, **query):
        """A call of the Platform API: the status, and the JSON answered."""
        target = f"/v3{path}" + (f"?{urlencode(query)}" if query else "")
        content = b"" if body is None else json.dumps(body).encode()
        fields = {"Api-Token": TOKEN, "Content-Length": str(len(content))}
        status, _, answer = await http(self.port, method, target, fields, content)
        return status, json.loads(answer)

    async def cluster_status(self, **query):
        status, answer = await self.api("GET", "/parley/cluster", **query)
        assert status == 200, answer
        return answer

    async def identity(self):
        """Its id in the cluster; None while it does not serve."""
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError, AssertionError):
            return (await self.cluster_status())["server_id"]
        return None

    async def joins_again(self, before):
        """Waits until the same process is ready as another server of the cluster."""
        async def is_another():
            return await self.is_ready() and await self.identity() not in (None, before)
        await eventually(is_another, f"{self.name} as another server", DEADLINE * 2)
        assert self.process.returncode is None

    def descriptors(self):
        return list(pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir())

    def thread_count(self):
        """The threads of the server itself: the pool of Dispatch grows and shrinks by its own rules."""
        names = [(task / "comm").read_text() for task in pathlib.Path(f"/proc/{self.process.pid}/task").iterdir()]
        return sum("qos" not in name for name in names)

    def logged(self, text):
        """The lines of its log with a text in them."""
        return [line for line in self.lines if text in line]

    async def metric(self, name):
        """The sum of a metric's samples."""
        _, _, body = await self.get("/metrics")
        lines = [line for line in body.decode().splitlines() if line.startswith(name)]
        assert lines, f"there is no metric {name}"
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines)

    def halt(self):
        """Stops it as a machine that hangs: its sockets stay open, and nothing is done."""
        self.signal(signal.SIGSTOP)
        # A thread on another processor goes on for a moment.
        while self.process_state() not in "TZX":
            time.sleep(0.001)

    def process_state(self):
        """The letter that proc(5) has for it."""
        with contextlib.suppress(FileNotFoundError):
            stat = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text()
            return stat.rpartition(")")[2].split()[0]
        return "X"

    def go_on(self):
        self.signal(signal.SIGCONT)

    def signal(self, how):
        # It may have ended meanwhile.
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(how)


class Cluster:
    """Servers that share a database and a bus."""

    def __init__(self, ctx, database, bus):
        self.ctx, self.database, self.bus = ctx, database, bus
        self.servers = []
        self.number = 0
        self.files = ctx.directory()
        # Of PostgreSQLs that are used without wires; the servers look for one that takes writes.
        self.store_ports = []

    async def add(self, *flags, environment=None, program=None, data=None):
        """Starts one more server, with wires and a data directory of its own unless one is given; of this version,
        unless another program is given."""
        ctx = self.ctx
        store_wire = await Wire.lay(ctx.postgresql.port)
        bus_wire = await Wire.lay(ctx.redis.port) if self.bus == "redis" else None
        ctx.wires += [wire for wire in (store_wire, bus_wire) if wire]
        environment = {
            "PARLEY_STORE_URL": ctx.postgresql.url(
                self.database, *(self.store_ports or [store_wire.port])),
            "PARLEY_AUTH_API_TOKEN": TOKEN,
            "PARLEY_CLUSTER_BUS": ctx.redis.url(bus_wire.port) if bus_wire else "postgresql",
            "PARLEY_CLUSTER_NAME": self.database,
            "PARLEY_FILES_STORE": f"directory:{self.files}", **(environment or {}),
        }
        self.number += 1
        name = f"server {self.number}"
        flags = ["--files-public-url", "http://127.0.0.1:9", "--reactors", "1", *ctx.always, *quiet(flags)]
        server = await ClusterServer.start(
            program or ctx.parleyd, data or ctx.directory(), flags, environment)
        server.name, server.flags, server.environment = name, flags, environment
        server.store_wire, server.bus_wire = store_wire, bus_wire
        self.servers.append(server)
        ctx.running.append(server)
        return server

    @property
    def living(self):
        return [server for server in self.servers if server.process.returncode is None]

    async def until_whole(self, count=None):
        """Waits until each living server lists all of them as live, and is ready."""
        living = self.living
        count = count or len(living)

        async def agree():
            for server in living:
                states = [s["state"] for s in (await server.cluster_status())["servers"]]
                if states.count("live") != count or not await server.is_ready():
                    return False
            return True
        await eventually(agree, f"{count} live servers, seen alike by each")

    async def home(self, channel):
        """The server that judges a channel."""
        status = await self.servers[0].cluster_status(channel_url=channel)
        for server in self.servers:
            if server.process.returncode is None and (
                    await server.cluster_status())["server_id"] == status["home"]:
                return server
        raise AssertionError(f"nobody is {status['home']}")

    async def channel_at(self, wanted, owner, **params):
        """Makes a channel whose home is a certain server."""
        for _ in range(1000):
            name = self.ctx.name("room")
            if await self.home(name) is wanted:
                await owner.call("channel.create", channel_url=name, **params)
                return name
        raise AssertionError(f"no channel falls to {wanted.name}")


class ClusterContext(Context):
    """What a test is given: PostgreSQL, Redis, clusters on them, and clients."""

    def __init__(self, programs, bus, is_single):
        super().__init__(programs, [])
        self.bus, self.is_single = bus, is_single
        self.postgresql = self.redis = None
        self.wires, self.traffics = [], []
        # The executable of an older version, if one was given.
        self.older = None

    async def begin(self):
        self.postgresql = await PostgreSQL.start()
        self.redis = await Redis.start()

    async def cluster(self, count=3, *flags, store_ports=(), database=None):
        """Servers of one cluster, all live, on a database of their own or an empty one that is named."""
        if self.is_single:
            return await self.single(count, *flags)
        cluster = Cluster(self, database or await self.postgresql.database(), self.bus)
        cluster.store_ports = store_ports
        await cluster.add(*flags)
        await asyncio.gather(*(cluster.add(*flags) for _ in range(count - 1)))
        cluster.servers.sort(key=lambda server: server.name)
        await cluster.until_whole()
        return cluster

    async def single(self, count, *flags):
        """One server on SQLite that stands for all: checks that hold of it check what they mean to."""
        cluster = Cluster(self, "none", self.bus)
        server = await ClusterServer.start(
            self.parleyd, self.directory(), ["--reactors", "1", *quiet(flags)],
            {"PARLEY_AUTH_API_TOKEN": TOKEN})
        self.running.append(server)
        cluster.servers = [server]
        await cluster.until_whole()
        cluster.servers = [server] * count
        return cluster

    async def spread(self, cluster, count, channel=None):
        """Clients of different users, the next always on the next server; in the channel, if any."""
        clients = []
        for number in range(count):
            client = await self.user(cluster.servers[number % len(cluster.servers)])
            if channel:
                await client.enter(channel)
            clients.append(client)
        return clients

    async def tidy(self):
        for traffic in self.traffics:
            await traffic.abandon()
        self.traffics = []
        for server in self.running:
            if server.process.returncode is None:
                server.process.send_signal(signal.SIGCONT)
        await super().tidy()
        for wire in self.wires:
            await wire.close()
        self.wires = []
        for backend in (self.postgresql, self.redis):
            if backend and backend.process is None:
                await backend.up()
            elif backend:
                backend.go_on()

    async def close(self):
        await super().close()
        for backend in (self.postgresql, self.redis):
            if backend:
                await backend.remove()


class Roamer:
    """A client as a good library is: it reconnects to any server, recovers, and repeats what was not
    answered under the same `req_id`."""

    # Seconds between two attempts to connect and enter.
    rest = 0.02

    def __init__(self, cluster, user_id, channel, first=0):
        self.cluster, self.user_id, self.channel = cluster, user_id, channel
        self.place = first
        self.client = None
        self.position = None
        # What was seen, in the order in which it came: (seq, message_id).
        self.seen = []
        # The seqs of its own messages, by their answers.
        self.answered = set()
        self.closes = []
        self.gaps = 0
        self.longest_silence = 0.0
        self.alive = True
        # What it waits for while it is not in the channel.
        self.doing = "nothing yet"
        self.entered = asyncio.Event()
        self.running = asyncio.ensure_future(self._run())

    async def _run(self):
        while self.alive:
            servers = [s for s in self.cluster.servers if s.process.returncode is None]
            if not servers:
                await asyncio.sleep(0.02)
                continue
            server = servers[self.place % len(servers)]
            self.client = None
            try:
                async with asyncio.timeout(5 * PATIENCE):
                    self.doing = f"connecting to {server.name}"
                    self.client = await Client.connect(server)
                    self.client.server = server
                    self.doing = f"opening a session on {server.name}"
                    await self.client.call("session.open", user_id=self.user_id)
                    self.doing = f"entering on {server.name}"
                    recover = {"recover": self.position} if self.position else {}
                    answer = await self.client.enter(self.channel, **recover)
                self._take(answer)
                self.entered.set()
                await self._follow()
            except (Refused, OSError, TimeoutError, AssertionError, ConnectionClosed,
                    WebSocketException):
                pass
            finally:
                self.entered.clear()
                if self.client:
                    # Not those that it gave up itself.
                    if self.client.closed is not None:
                        self.closes.append(self.client.closed)
                    with contextlib.suppress(Exception):
                        await asyncio.wait_for(self.client.socket.close(), 1)
                    self.client.socket.transport.abort()
            self.place += 1
            await asyncio.sleep(self.rest)

    def _take(self, answer):
        if self.position and not answer.get("recovered"):
            self.gaps += 1
        for event in answer.get("events", []):
            self._note_event(event)
        self.position = {"epoch": answer["epoch"], "seq": answer["seq"]}

    def _note(self, value):
        """Takes what came over the socket: an event, or the answer to a message of its own, which is
        all that its author's connection gets of it and may come after later events."""
        if "method" in value:
            return self._note_event(value)
        result = value.get("result")
        if isinstance(result, dict) and "message" in result and "seq" in result:
            self.answered.add(result["seq"])
            self.position["seq"] = max(self.position["seq"], result["seq"])

    def _note_event(self, event):
        params = event["params"]
        if event["method"] == "message.received":
            self.seen.append((params["seq"], params["message"]["message_id"]))
        if "seq" in params and self.position:
            self.position["seq"] = max(self.position["seq"], params["seq"])

    async def _follow(self):
        # What came before the answer to channel.enter is of no channel.
        client = self.client
        read = next(i for i, value in enumerate(client.inbox)
                    if isinstance(value.get("result"), dict) and "epoch" in value["result"]) + 1
        last = time.monotonic()
        while True:
            news = client.news
            while read < len(client.inbox):
                self._note(client.inbox[read])
                read += 1
                self.longest_silence = max(self.longest_silence, time.monotonic() - last)
                last = time.monotonic()
            # A connection that lasts would keep everything.
            read = 0
            for kept in (client.inbox, client.events, client.raw):
                kept.clear()
            if client.closed is not None:
                return
            await news.wait()

    async def send(self, text):
        """Sends until it is acknowledged; the answer, and the seconds that it took."""
        began = time.monotonic()
        key = f"{self.user_id}-{text}"[:64]
        while True:
            await self.entered.wait()
            try:
                async with asyncio.timeout(12 * PATIENCE):
                    answer = await self.client.send(self.channel, text, req_id=key)
                return answer, time.monotonic() - began
            except Refused as refusal:
                if refusal.code not in (500901, 400501, 500910):
                    raise
                await asyncio.sleep(0.05)
            except (OSError, TimeoutError, ConnectionClosed, WebSocketException):
                await asyncio.sleep(0.05)

    async def leave(self):
        self.alive = False
        if self.client and self.client.closed is None:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(self.client.socket.close(), 2)
        self.running.cancel()
        await asyncio.gather(self.running, return_exceptions=True)


class Traffic:
    """Roamers in one channel of which some send at a steady rate, and the rules that hold after."""

    def __init__(self, cluster, channel, roamers, rate):
        self.cluster, self.channel, self.roamers, self.rate = cluster, channel, roamers, rate
        self.acknowledged = {}
        self.doubles = []
        # Seconds from each send to its acknowledgement, and those of clients that had to connect anew.
        self.pauses = []
        self.returns = []
        self.stopping = False
        self.tasks = []

    @classmethod
    async def begin(cls, ctx, cluster, channel, viewers=60, senders=10, rate=100):
        roamers = [
            Roamer(cluster, ctx.name("roamer"), channel, first=number)
            for number in range(viewers + senders)]
        async with asyncio.timeout(DEADLINE * 4):
            await asyncio.gather(*(roamer.entered.wait() for roamer in roamers))
        traffic = cls(cluster, channel, roamers, rate)
        traffic.tasks = [
            asyncio.ensure_future(traffic._work(roamer, rate / senders))
            for roamer in roamers[:senders]]
        ctx.traffics.append(traffic)
        return traffic

    async def _work(self, roamer, rate):
        number = 0
        while not self.stopping:
            was_there, closes = roamer.entered.is_set(), len(roamer.closes)
            answer, seconds = await roamer.send(f"{roamer.user_id} {number}")
            number += 1
            message = answer["message"]["message_id"]
            if message in self.acknowledged:
                self.doubles.append(message)
            self.acknowledged[message] = answer["seq"]
            stayed = was_there and len(roamer.closes) == closes
            (self.pauses if stayed else self.returns).append(seconds)
            await asyncio.sleep(max(0, 1 / rate - seconds))

    async def flow(self, seconds):
        """Lets it go on, and makes sure that it does: messages are acknowledged."""
        before = len(self.acknowledged)
        await asyncio.sleep(seconds)

        async def more():
            return len(self.acknowledged) > before
        await eventually(more, "an acknowledged message")

    async def end(self):
        """Stops, waits until every viewer has everything, and checks the rules."""
        self.stopping = True
        async with asyncio.timeout(DEADLINE * 2):
            await asyncio.gather(*self.tasks)
        last = max(self.acknowledged.values())

        async def caught_up():
            return all(r.position and r.position["seq"] >= last for r in self.roamers)
        await eventually(caught_up, "every client at the last message")
        listed = await self.listed()
        assert len(listed) == len(set(listed)), "a message is listed twice"
        lost = set(self.acknowledged) - set(listed)
        assert not lost, f"{len(lost)} acknowledged messages are lost"
        assert not self.doubles, f"acknowledged twice under two req_ids: {self.doubles[:5]}"
        for roamer in self.roamers:
            seqs = [seq for seq, _ in roamer.seen]
            assert seqs == sorted(set(seqs)), f"{roamer.user_id} saw events out of order or twice"
            if not roamer.gaps:
                first = min([*seqs, *roamer.answered], default=last)
                wanted = [seq for message, seq in self.acknowledged.items() if seq >= first]
                missed = set(wanted) - set(seqs) - roamer.answered
                assert not missed, f"{roamer.user_id} missed {sorted(missed)[:5]} and was not told"
        return self

    async def listed(self):
        """The ids of all messages, by the Platform API of the first living server."""
        server = next(s for s in self.cluster.servers if s.process.returncode is None)
        found = []
        while True:
            place = {"message_id": found[-1], "include": "false"} if found else {"message_ts": 0}
            status, page = await server.api(
                "GET", f"/open_channels/{self.channel}/messages", prev_limit=0, next_limit=200,
                **place)
            assert status == 200, page
            if not page["messages"]:
                return found
            found += [message["message_id"] for message in page["messages"]]

    @property
    def longest_pause(self):
        return max(self.pauses + self.returns, default=0)

    async def abandon(self):
        self.stopping = True
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        await asyncio.gather(*(roamer.leave() for roamer in self.roamers))

