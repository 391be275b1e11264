"""The harness itself: backends, wires, clients that roam. Needs no cluster."""

import asyncio
import contextlib
import os
import time

from backends import PostgreSQL, Redis
from cluster import FREE, TOKEN, ClusterServer, Traffic, quiet
from faults import KINDS, plan
from harness import DEADLINE, PATIENCE, eventually
from ledger import Ledger
from wires import Wire


async def test_postgresql_comes_and_goes(ctx):
    """PostgreSQL starts, crashes, recovers what was committed, halts, goes on, and leaves no file and no
    process behind."""
    server = await PostgreSQL.start()
    try:
        database = await server.database()
        await server.query(database, "CREATE TABLE t (a int)")
        await server.query(database, "INSERT INTO t VALUES (7)")
        await server.crash()
        await server.up()
        assert await server.query(database, "SELECT a, a + 1 FROM t") == [["7", "8"]]
        await server.stop()
        await server.copy_data("kept")
        await server.up()
        await server.query(database, "INSERT INTO t VALUES (8)")
        await server.stop()
        await server.put_back("kept")
        await server.up()
        assert await server.query(database, "SELECT count(*) FROM t") == [["1"]]
        server.halt()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.3):
                await asyncio.open_connection("127.0.0.1", server.port)
        server.go_on()
        assert await server.query(database, "SELECT 1") == [["1"]]
        process = server.process.pid
    finally:
        await server.remove()
    assert not os.path.exists(server.folder) and not os.path.exists(f"/proc/{process}")


async def test_redis_comes_and_goes(ctx):
    """Redis starts, publishes, loses everything in a crash, and leaves nothing behind."""
    server = await Redis.start()
    try:
        assert await server.call("SET", "a", "ü b") == "OK"
        assert await server.call("GET", "a") == "ü b"
        assert await server.call("PUBLISH", "inbox", "x") == 0
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"SUBSCRIBE inbox\r\n")
        assert (await server.answer(reader))[0] == "subscribe"
        assert await server.call("PUBLISH", "inbox", "x") == 1
        assert await server.answer(reader) == ["message", "inbox", "x"]
        assert await server.cut_subscribers() == 1
        assert await reader.read() == b""
        writer.close()
        await server.crash()
        await server.up()
        assert await server.call("GET", "a") is None
    finally:
        await server.remove()
    assert not os.path.exists(server.folder)


class Echo:
    """A TCP server that answers with what it is sent."""

    def __init__(self):
        self.writers = []

    async def __aenter__(self):
        async def serve(reader, writer):
            self.writers.append(writer)
            with contextlib.suppress(OSError):
                while data := await reader.read(65536):
                    writer.write(data)
                    await writer.drain()
            writer.close()
        self.server = await asyncio.start_server(serve, "127.0.0.1", 0)
        self.wire = await Wire.lay(self.server.sockets[0].getsockname()[1])
        return self.wire

    async def __aexit__(self, *_):
        await self.wire.close()
        self.server.close()


async def said(reader, count, seconds=DEADLINE):
    async with asyncio.timeout(seconds):
        return await reader.readexactly(count)


async def test_wires_carry(ctx):
    """A sound wire carries megabytes unchanged, both ways, and the end of a stream."""
    async with Echo() as wire:
        reader, writer = await asyncio.open_connection("127.0.0.1", wire.port)
        data = os.urandom(3_000_000)
        writing = asyncio.ensure_future(written(writer, data))
        assert await said(reader, len(data)) == data
        await writing
        writer.write_eof()
        async with asyncio.timeout(DEADLINE):
            assert await reader.read() == b""
        assert wire.carried == 2 * len(data)
        writer.close()


async def written(writer, data):
    writer.write(data)
    await writer.drain()


async def test_wires_are_cut(ctx):
    """A cut wire resets what there is and each new connection, until it is restored."""
    async with Echo() as wire:
        reader, writer = await asyncio.open_connection("127.0.0.1", wire.port)
        writer.write(b"a")
        assert await said(reader, 1) == b"a"
        wire.cut()
        await broken(reader)
        again, _ = await asyncio.open_connection("127.0.0.1", wire.port)
        await broken(again)
        wire.restore()
        reader, writer = await asyncio.open_connection("127.0.0.1", wire.port)
        writer.write(b"b")
        assert await said(reader, 1) == b"b"
        wire.reset()
        await broken(reader)
        reader, writer = await asyncio.open_connection("127.0.0.1", wire.port)
        writer.write(b"c")
        assert await said(reader, 1) == b"c"


async def broken(reader):
    async with asyncio.timeout(DEADLINE):
        with contextlib.suppress(OSError):
            assert await reader.read(1) == b""


async def test_wires_fall_silent(ctx):
    """A silent wire closes nothing and carries nothing, one way or both; restored it delivers what was
    held back, in order."""
    async with Echo() as wire:
        reader, writer = await asyncio.open_connection("127.0.0.1", wire.port)
        writer.write(b"1")
        assert await said(reader, 1) == b"1"
        for direction in (["there"], ["back"], []):
            wire.silence(*direction)
            writer.write(b"23")
            try:
                data = await said(reader, 1, 0.2)
                raise AssertionError(f"{direction} let {data} through")
            except TimeoutError:
                pass
            assert not reader.at_eof()
            wire.restore()
            assert await said(reader, 2) == b"23"
        wire.silence()
        other, far = await asyncio.open_connection("127.0.0.1", wire.port)
        far.write(b"x")
        wire.restore()
        assert await said(other, 1) == b"x"


async def test_wires_are_slow(ctx):
    """A slow wire delivers everything later and in order, and does not carry less for it."""
    async with Echo() as wire:
        reader, writer = await asyncio.open_connection("127.0.0.1", wire.port)
        wire.slow(0.15)
        began = time.monotonic()
        for number in range(20):
            writer.write(bytes([number]))
            await asyncio.sleep(0.005)
        assert await said(reader, 20) == bytes(range(20))
        # Each way delays once, whatever the number of chunks.
        assert 0.3 <= time.monotonic() - began < 20 * 0.3 * PATIENCE
        wire.restore()


async def one(ctx, *flags):
    """A single server on SQLite, as a cluster of one."""
    cluster = await ctx.single(1, *FREE, *flags)
    return cluster, cluster.servers[0]


async def test_a_server_is_halted_and_goes_on(ctx):
    """A halted server keeps its connections and answers nothing; when it goes on, it answers."""
    cluster, server = await one(ctx)
    client = await ctx.user(server)
    assert await cluster.home("lobby") is server
    server.halt()
    waiting = await client.ask("session.ping")
    await asyncio.sleep(0.2)
    assert not waiting.done() and not await quick_ready(server)
    server.go_on()
    await client.result(waiting)
    assert await server.is_ready()


async def quick_ready(server):
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(0.3):
            return await server.is_ready()
    return False


async def test_traffic_survives_kills(ctx):
    """Roaming clients lose nothing and see nothing twice while the one server is killed and started
    again on its data, three times; a checker of the rules finds nothing."""
    cluster, server = await one(ctx)
    owner = await ctx.user(server)
    channel = ctx.name("room")
    await owner.call("channel.create", channel_url=channel)
    traffic = await Traffic.begin(ctx, cluster, channel, viewers=10, senders=4, rate=80)
    for _ in range(3):
        await traffic.flow(0.5)
        flags = ["--reactors", "1", *quiet(FREE)]
        await server.kill()
        server = await ClusterServer.start(
            ctx.parleyd, server.data, flags, {"PARLEY_AUTH_API_TOKEN": TOKEN})
        server.name = "server again"
        cluster.servers.append(server)
        ctx.running.append(server)
    await traffic.flow(0.5)
    await traffic.end()
    assert len(traffic.acknowledged) > 100
    assert any(close not in (None, 1000) for r in traffic.roamers for close in r.closes)


async def test_the_rules_are_checked(ctx):
    """A lost message, a doubled one and one that a client missed are each found."""
    cluster, server = await one(ctx)
    owner = await ctx.user(server)
    channel = ctx.name("room")
    await owner.call("channel.create", channel_url=channel)
    for fault in ("lost", "missed", "order"):
        traffic = await Traffic.begin(ctx, cluster, channel, viewers=2, senders=1, rate=50)
        await traffic.flow(0.3)
        traffic.stopping = True
        await asyncio.gather(*traffic.tasks)
        viewer = traffic.roamers[-1]
        last = max(traffic.acknowledged.values())
        await eventually(
            lambda: asyncio.sleep(0, any(seq >= last for seq, _ in viewer.seen)), "all of it")
        if fault == "lost":
            traffic.acknowledged[12345] = last
        elif fault == "missed":
            viewer.seen.pop(len(viewer.seen) // 2)
        else:
            viewer.seen.append(viewer.seen[0])
        try:
            await traffic.end()
        except AssertionError as found:
            words = {"lost": "are lost", "missed": "missed", "order": "out of order"}
            assert words[fault] in str(found), found
        else:
            raise AssertionError(f"{fault}: nothing was found")
        await traffic.abandon()


async def test_a_draining_server_ends(ctx):
    """The single server drains by its id, and its process ends with 0."""
    _, server = await one(ctx)
    identity = (await server.cluster_status())["server_id"]
    status, _ = await server.api("POST", f"/parley/cluster/servers/{identity}/drain")
    assert status == 200
    assert await server.wait() == 0


async def test_settings_reach_the_servers(ctx):
    """The settings that servers of a cluster are started with are valid, and with the bus alone the
    start is refused and names what is missing."""
    database = "parley"
    environment = {
        "PARLEY_STORE_URL": ctx.postgresql.url(database), "PARLEY_AUTH_API_TOKEN": "x",
        "PARLEY_CLUSTER_BUS": ctx.redis.url(), "PARLEY_CLUSTER_NAME": database,
        "PARLEY_FILES_STORE": "directory:/srv/parley"}
    flags = ["--check-config", "--files-public-url", "http://127.0.0.1:9"]
    status, output, errors = await ctx.run(ctx.parleyd, *flags, environment=environment)
    assert status == 0, errors.decode()
    status, _, errors = await ctx.run(
        ctx.parleyd, "--check-config", environment={"PARLEY_CLUSTER_BUS": ctx.redis.url()})
    assert status == 78, status
    for name in ("store.url", "auth.api_token", "files.public_url", "files.store", "cluster.bus"):
        assert name in errors.decode(), errors.decode()
    for name, value in (("PARLEY_STORE_URL", "mysql://u:hush@a/b"),
                        ("PARLEY_CLUSTER_BUS", "redis://u:hush@a/x"),
                        ("PARLEY_CLUSTER_SECRET", "hush")):
        status, output, errors = await ctx.run(
            ctx.parleyd, "--check-config", environment={name: value})
        assert status == 78 and b"hush" not in output + errors, (name, errors.decode())


def received(seq, user="other", text=None, at=None):
    message = {"message_id": 1000 + seq, "message": text or f"{user} {seq}",
               "created_at": at or seq * 1000, "user": {"user_id": user}}
    return {"method": "message.received", "params": {"seq": seq, "message": message}}


def entered(ledger, user="viewer", seq=0, events=(), recovered=False, position=None):
    answer = {"epoch": "e", "seq": seq, "events": list(events), "recovered": recovered}
    return ledger.entered(user, answer, position, False)


def well(ledger, count=9):
    """Lets a second client see everything, and lists it."""
    witness = entered(ledger, "witness")
    for seq in range(1, count + 1):
        ledger.shown(witness, received(seq))
    ledger.news([received(seq)["params"]["message"] for seq in range(1, count + 1)])


async def test_the_ledger_finds_what_is_wrong(ctx):
    """Of each rule of a channel a breach is found, and nothing where all is well."""
    def fine(ledger):
        stay = entered(ledger)
        for seq in range(1, 10):
            ledger.shown(stay, received(seq))

    def gap(ledger):
        stay = entered(ledger)
        for seq in (1, 2, 4, 5, 6, 7, 8, 9):
            ledger.shown(stay, received(seq))

    def double(ledger):
        stay = entered(ledger)
        for seq in (1, 2, 2):
            ledger.shown(stay, received(seq))

    def overtaken(ledger):
        stay = entered(ledger)
        message = received(3, "viewer")["params"]
        stay.asked.add("viewer 3")
        ledger.answered(stay, message)
        ledger.shown(stay, received(2))

    def lost(ledger):
        ledger.answered(None, received(99)["params"])

    def not_recovered(ledger):
        entered(ledger, seq=9, position={"epoch": "e", "seq": 5})

    def recovered_in_part(ledger):
        entered(ledger, seq=9, events=[received(seq) for seq in (6, 7, 8)], recovered=True,
                position={"epoch": "e", "seq": 5})

    def other_order(ledger):
        ledger.shown(entered(ledger), received(1, text="another") | {
            "method": "message.deleted"})

    def refused(ledger):
        ledger.refused["other 4"] = "500901"

    def barred(ledger):
        ledger.barred("other", since=1)
        ledger.accepted("other", "other 4", asked=2, answered=3)

    def flood(ledger):
        ledger.has_limits = True
        ledger.news([received(20 + n, at=50_000 + n)["params"]["message"] for n in range(6)])

    def stored_twice(ledger):
        ledger.news([received(20 + n, text="same")["params"]["message"] for n in range(2)])

    def changed_back(ledger):
        stay = entered(ledger, "other", seq=9)
        ledger.changing(stay, 1004, "new")

    for breach, words in (
            (fine, None), (gap, "was not shown 3"), (double, "after it"), (overtaken, "after it"),
            (lost, "is not listed"), (not_recovered, "was not recovered"),
            (recovered_in_part, "was not shown 9"), (other_order, "for another"),
            (refused, "was refused (500901)"), (barred, "was accepted"),
            (flood, "6 messages"), (stored_twice, "is stored as"), (changed_back, "is 'other 4'")):
        ledger = Ledger("room")
        breach(ledger)
        well(ledger)
        found = ledger.broken + ledger.problems()
        assert bool(found) == bool(words), (breach.__name__, found)
        assert not words or any(words in sentence for sentence in found), (breach.__name__, found)
        if not found:
            ledger.settle()
            assert not ledger.problems()


async def test_the_ledger_knows_throttling(ctx):
    """Messages may be withheld if channel.throttled says so, and only so many are shown in a second."""
    for shown, notices, words in (
            (range(1, 6), [(1006, 1009)], None), (range(1, 6), [(1006, 1008)], "nor notified of"),
            (range(1, 7), [(1007, 1009)], "was shown 6 after 5 others")):
        ledger = Ledger("room", has_limits=True)
        stay, operator = entered(ledger), ledger.entered(
            "operator", {"epoch": "e", "seq": 0, "events": [], "recovered": False}, None, True)
        for seq in range(1, 10):
            event = received(seq, f"user {seq}", at=5000 + seq)
            ledger.shown(operator, event)
            if seq in shown:
                ledger.shown(stay, event)
        for first, last in notices:
            ledger.shown(stay, {"method": "channel.throttled", "params": {
                "withheld": 1, "first_message_id": first, "last_message_id": last}})
        ledger.shown(stay, {"method": "channel.changed", "params": {"seq": 10, "channel": {}}})
        found = ledger.problems()
        assert bool(found) == bool(words), found
        assert not words or words in found[0], found


async def test_plans_of_faults_repeat(ctx):
    """A seed plans the same faults each time, and only those of its bus; every kind has its sentence."""
    first, again = plan(7, 100, "redis"), plan(7, 100, "redis")
    assert first == again and first != plan(8, 100, "redis")
    assert sum(map(len, first)) == 100
    kinds = {fault.kind for faults in plan(7, 500, "redis") for fault in faults}
    assert kinds == {
        name for name, kind in KINDS.items() if kind.bus in (None, "redis")}
    assert all(kind.sentence for kind in KINDS.values())
