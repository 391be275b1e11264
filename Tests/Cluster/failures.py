"""The faults of a cluster, one by one: nothing acknowledged is lost, and pauses are short."""

import asyncio
import secrets
import signal
import time

from cluster import FREE, TOKEN, Cluster, ClusterServer, Traffic, quiet
from harness import PATIENCE, Client, Refused, Skipped, eventually, refused
from websockets.exceptions import WebSocketException


def redis_alone(ctx):
    if ctx.bus != "redis":
        raise Skipped("it is about Redis alone")


# The longest time from a send to its acknowledgement on a machine that does nothing else, in seconds.
KILL, HANG, DRAIN = 2, 4, 1
# The same for a server that alone loses the bus: for clients of others, and for its own, which stay for
# cluster.isolation_ms.
DEAF, DEAF_CLIENTS = 5, 6
# What clients may take beside that which connect anew and recover, all at once.
RETURN = 1
# How much longer it may take where builds and other tests run beside: Scripts/chaos measures how long it takes, and
# here only what waits for something else than a new home is found.
BUSY = 3 * PATIENCE


async def busy(ctx, *flags, **options):
    """Three servers with traffic in a channel that is at home on the third."""
    cluster = await ctx.cluster(3, *FREE, *flags)
    owner = await ctx.user(cluster.servers[0])
    channel = await cluster.channel_at(cluster.servers[2], owner)
    traffic = await Traffic.begin(ctx, cluster, channel, **options)
    await traffic.flow(1)
    return cluster, channel, traffic


def closed(traffic):
    """The close codes of connections that have ended."""
    return [code for roamer in traffic.roamers for code in roamer.closes]


async def test_the_home_is_killed(ctx):
    """Killed: its clients go elsewhere, its channels pause two seconds at most, nothing is lost or
    doubled, and the others list it as dead."""
    cluster, channel, traffic = await busy(ctx)
    await cluster.servers[2].kill()
    await traffic.flow(4)
    await traffic.end()
    assert max(traffic.pauses) <= KILL * BUSY, max(traffic.pauses)
    assert max(traffic.returns) <= (KILL + RETURN) * BUSY, max(traffic.returns)
    assert await cluster.home(channel) in cluster.servers[:2]

    async def gone():
        servers = (await cluster.servers[0].cluster_status())["servers"]
        ends = [s["ending"] for s in servers if s["state"] == "dead"]
        return [s["state"] for s in servers].count("live") == 2 and ends == ["expelled"]
    await eventually(gone, "two live servers, and one that is listed as lost")


async def test_an_edge_is_killed(ctx):
    """A server that is home of nothing here is killed: its clients recover on the others, and its users
    leave the channel when the registry has given it up, but for those that came back."""
    cluster, channel, traffic = await busy(ctx)
    watcher = await ctx.user(cluster.servers[2])
    await watcher.enter(channel)
    await cluster.servers[1].kill()
    await traffic.flow(4)
    await traffic.end()
    returned = {roamer.user_id for roamer in traffic.roamers}
    exits = {e["params"]["user"]["user_id"] for e in watcher.told("channel.user_exited")}
    entries = {e["params"]["user"]["user_id"] for e in watcher.told("channel.user_entered")}
    assert exits & returned <= entries, "a user that came back counts as gone"


async def test_a_zombie(ctx):
    """Halted for ten seconds: its channels pause four at most. When it goes on it writes nothing, and joins
    again as another server; the process goes on, with the descriptors and threads that it had."""
    cluster, channel, traffic = await busy(ctx)
    zombie = cluster.servers[2]
    before = await zombie.identity()
    resources = len(zombie.descriptors()), zombie.thread_count()
    zombie.halt()
    await traffic.flow(10)
    # Those on the zombie itself hang with it; the others go on.
    zombie.go_on()
    await traffic.flow(2)
    await zombie.joins_again(before)
    await traffic.end()
    pauses = sorted(traffic.pauses + traffic.returns)
    others = pauses[:int(len(pauses) * 0.95)]
    assert others[-1] <= HANG * BUSY, others[-1]
    await cluster.until_whole(3)
    await traffic.abandon()

    async def as_before():
        now = len(zombie.descriptors()), zombie.thread_count()
        return now[0] <= resources[0] and now[1] <= resources[1]
    await eventually(as_before, "the descriptors and threads of one server")


async def test_cut_off_from_the_bus(ctx):
    """One server loses the bus alone for a while: its channels move, it is not ready, and drains after
    cluster.isolation_ms. It waits for the bus, alive, with one line in the log, and joins again when the bus
    is back. Nothing is lost."""
    redis_alone(ctx)
    cluster, channel, traffic = await busy(ctx)
    lonely = cluster.servers[2]
    before = await lonely.identity()
    ready = len(lonely.logged("ready"))
    lonely.bus_wire.cut()

    async def unready():
        return not await lonely.is_ready()
    await eventually(unready, "503 of /readyz")

    async def waits():
        status, _, body = await lonely.get("/readyz")
        return status == 503 and b"waiting for the bus" in body
    await eventually(waits, "the wait for the bus")
    await traffic.flow(4)
    assert (await lonely.get("/healthz"))[0] == 200 and lonely.process.returncode is None
    assert len(lonely.logged("waiting for the bus")) == 1, lonely.logged("waiting for the bus")
    assert not [line for line in lonely.logged("ready")[ready:] if "not ready" not in line]
    lonely.bus_wire.restore()
    await lonely.joins_again(before)
    await cluster.until_whole(3)
    await traffic.end()
    assert max(traffic.pauses) <= DEAF * BUSY, max(traffic.pauses)
    assert max(traffic.returns) <= (DEAF_CLIENTS + RETURN) * BUSY, max(traffic.returns)


async def test_a_start_waits_for_the_bus(ctx):
    """With a wrong password of Redis a server starts and waits, alive and not ready, and says so once; the
    others go on. It is ready as soon as Redis takes the password."""
    redis_alone(ctx)
    cluster = await ctx.cluster(2, *FREE)
    port = ctx.redis.port
    server = await cluster.add(
        *FREE, environment={"PARLEY_CLUSTER_BUS": f"redis://parley:hush@127.0.0.1:{port}"})

    async def waits():
        status, _, body = await server.get("/readyz")
        return status == 503 and b"waiting for the bus" in body and b"password" in body
    await eventually(waits, "the wait for the bus")
    await asyncio.sleep(7)
    assert await waits() and (await server.get("/healthz"))[0] == 200
    assert server.process.returncode is None
    assert len(server.logged("waiting for the bus")) == 1, list(server.lines)
    assert not server.logged(": ready"), list(server.lines)
    states = [s["state"] for s in (await cluster.servers[0].cluster_status())["servers"]]
    assert sorted(states) == ["joining", "live", "live"], states
    await ctx.redis.call("ACL", "SETUSER", "parley", "on", ">hush", "~*", "&*", "+@all")
    await eventually(server.is_ready, "200 of /readyz")
    await cluster.until_whole(3)
    assert server.process.returncode is None


async def test_the_bus_ends_for_all(ctx):
    """When Redis dies no server is worse off than another: /readyz is 200 on all, from the first moment on."""
    redis_alone(ctx)
    cluster = await ctx.cluster(3, *FREE)
    await asyncio.sleep(1)
    await ctx.redis.crash()
    end = time.monotonic() + 10
    while time.monotonic() < end:
        for server in cluster.servers:
            status, _, body = await server.get("/readyz")
            assert status == 200, (server.name, body)
        await asyncio.sleep(0.02)
    await ctx.redis.up()
    end = time.monotonic() + 4
    while time.monotonic() < end:
        for server in cluster.servers:
            status, _, body = await server.get("/readyz")
            assert status == 200, (server.name, body)
        await asyncio.sleep(0.02)


async def test_deaf_on_the_bus(ctx):
    """A bus that is silent one way, with its connection open, is found by the missing echo."""
    redis_alone(ctx)
    cluster, channel, traffic = await busy(ctx)
    deaf = cluster.servers[2]
    before = await deaf.identity()
    deaf.bus_wire.silence("back")
    await traffic.flow(8)
    deaf.bus_wire.restore()
    await deaf.joins_again(before)
    await traffic.end()


async def test_cut_off_from_postgresql(ctx):
    """One server loses PostgreSQL alone: its writes are 500901, others take its homes, its clients' calls
    go on over the bus, and it drains after cluster.isolation_ms. When PostgreSQL is the bus too it cannot
    know that it is alone: it is not ready. It joins again when PostgreSQL is back."""
    cluster, channel, traffic = await busy(ctx)
    lonely = cluster.servers[2]
    before = await lonely.identity()
    lonely.store_wire.cut()
    await traffic.flow(4)
    await asyncio.sleep(8)
    assert lonely.process.returncode is None and not await lonely.is_ready()
    assert (await lonely.get("/healthz"))[0] == 200
    assert await cluster.home(channel) in cluster.servers[:2]
    lonely.store_wire.restore()
    await lonely.joins_again(before)
    await traffic.flow(1)
    await traffic.end()


async def test_the_broker_restarts(ctx):
    """The bus restarts: nobody is closed, calls wait, and events that were missed come from the log."""
    cluster, channel, traffic = await busy(ctx)
    if ctx.bus == "redis":
        await ctx.redis.crash()
        await asyncio.sleep(0.5)
        await ctx.redis.up()
    else:
        await ctx.postgresql.stop()
        await ctx.postgresql.up()
    await traffic.flow(4)
    await traffic.end()
    assert not closed(traffic), closed(traffic)


async def test_the_broker_is_gone_for_long(ctx):
    """Without the bus for all, /readyz stays 200, channels at home go on, calls elsewhere are 500901 with
    an unknown outcome, and events come late but come."""
    redis_alone(ctx)
    cluster = await ctx.cluster(3, *FREE, "--cluster-call-timeout-ms", "1000")
    near, far = await ctx.user(cluster.servers[0]), await ctx.user(cluster.servers[1])
    here = await cluster.channel_at(cluster.servers[0], near)
    there = await cluster.channel_at(cluster.servers[1], near)
    for client in (near, far):
        for channel in (here, there):
            await client.enter(channel)
    await ctx.redis.crash()
    await asyncio.sleep(8)
    assert all([await server.is_ready() for server in cluster.servers])
    sent = await near.send(here, "at home")
    try:
        await near.send(there, "elsewhere")
        raise AssertionError("a call crossed a bus that is gone")
    except Refused as refusal:
        assert refusal.code == 500901 and refusal.data["outcome"] == "unknown", refusal
    event = await far.event("message.received", channel_url=here)
    assert event["seq"] == sent["seq"]
    await ctx.redis.up()
    await near.send(there, "again")
    assert near.closed is None and far.closed is None


async def test_subscribers_are_cut(ctx):
    """Redis cuts every subscriber, ten times under load: gaps are filled, nobody is closed."""
    redis_alone(ctx)
    cluster, channel, traffic = await busy(ctx)
    for _ in range(10):
        await ctx.redis.cut_subscribers()
        await traffic.flow(0.3)
    await traffic.end()
    assert not closed(traffic)


async def test_a_slow_bus(ctx):
    """100 ms more on one server's bus slows its calls and changes nothing else."""
    redis_alone(ctx)
    cluster, channel, traffic = await busy(ctx)
    cluster.servers[1].bus_wire.slow(0.1)
    await traffic.flow(3)
    await traffic.end()
    assert not closed(traffic) and all([await s.is_ready() for s in cluster.servers])


async def test_postgresql_crashes(ctx):
    """PostgreSQL crashes and recovers, five times under load: what was acknowledged is there once, no
    server ends, nobody is closed."""
    cluster, channel, traffic = await busy(ctx)
    for _ in range(5):
        await ctx.postgresql.crash()
        await ctx.postgresql.up()
        await traffic.flow(2)
    await traffic.end()
    assert not closed(traffic), closed(traffic)
    assert all(server.process.returncode is None for server in cluster.servers)


async def test_sends_wait_for_postgresql(ctx):
    """PostgreSQL is away for two seconds: sends wait, here and on another server than the home's, and all are
    stored once, in their order; none is refused."""
    # Longer than PostgreSQL takes to come back on a busy machine.
    cluster = await ctx.cluster(3, *FREE, "--cluster-call-timeout-ms", "60000")
    near, far = await ctx.user(cluster.servers[2]), await ctx.user(cluster.servers[0])
    channel = await cluster.channel_at(cluster.servers[2], near)
    for client in (near, far):
        await client.enter(channel)
    await near.send(channel, "before")
    # Nothing is written when it ends: a commit that is cut may be refused.
    await ctx.postgresql.stop()
    waiting = []
    for number in range(20):
        for client in (near, far):
            waiting.append((client, await client.ask(
                "message.send", channel_url=channel, message=f"{client.user_id} {number}")))
        await asyncio.sleep(0.1)
    await ctx.postgresql.up()
    seqs = {near: [], far: []}
    for client, ticket in waiting:
        seqs[client].append((await client.result(ticket))["seq"])
    for found in seqs.values():
        assert found == sorted(found), found
    assert sorted(seqs[near] + seqs[far]) == list(range(2, 42)), seqs
    assert near.closed is None and far.closed is None


async def test_postgresql_is_gone_for_all(ctx):
    """Without PostgreSQL nobody drains: writes are 500901 after cluster.call_timeout_ms, and go on when it
    is back. No server is worse off than another, so /readyz stays 200; servers with PostgreSQL as their bus
    know nothing of each other then, and are not ready after cluster.isolation_ms."""
    cluster = await ctx.cluster(3, *FREE, "--cluster-call-timeout-ms", "1000")
    owner = await ctx.user(cluster.servers[0])
    channel = await cluster.channel_at(cluster.servers[2], owner)
    await owner.enter(channel)
    await ctx.postgresql.stop()
    for _ in range(4):
        await asyncio.sleep(0.5)
        assert all([await server.is_ready() for server in cluster.servers])
    await asyncio.sleep(6 * BUSY)
    assert all(server.process.returncode is None for server in cluster.servers)

    async def as_documented():
        return [await server.is_ready() for server in cluster.servers] == [ctx.bus == "redis"] * 3
    await eventually(as_documented, "the readiness of servers without PostgreSQL")
    async with refused(500901):
        await owner.send(channel, "nowhere")
    await ctx.postgresql.up()

    async def works():
        try:
            return await owner.send(channel, "again")
        except Refused:
            return None
    await eventually(works, "a message stored")

    async def all_ready():
        return all([await server.is_ready() for server in cluster.servers])
    await eventually(all_ready, "200 of /readyz")


async def test_a_synchronous_standby_is_promoted(ctx):
    """The primary crashes for good under load, and its synchronous standby is promoted: what was
    acknowledged is there once, the epoch stays, writes go on within seconds, nobody is closed and no
    server ends."""
    standby = await ctx.postgresql.standby()
    try:
        # libpq goes on to the next host when one refuses a connection, not when a proxy in front of it
        # takes the connection and closes it.
        ports = [ctx.postgresql.port, standby.port]
        cluster = await ctx.cluster(3, *FREE, store_ports=ports)
        owner = await ctx.user(cluster.servers[0])
        channel = await cluster.channel_at(cluster.servers[2], owner)
        before = await owner.enter(channel)
        traffic = await Traffic.begin(ctx, cluster, channel)
        await traffic.flow(2)
        acknowledged = set(traffic.acknowledged)
        await ctx.postgresql.crash()
        await asyncio.sleep(1)
        await standby.promote()
        began = time.monotonic()
        await traffic.flow(1)
        assert time.monotonic() - began <= 6 * BUSY
        await traffic.flow(2)
        await traffic.end()
        assert acknowledged <= set(await traffic.listed())
        assert not closed(traffic), closed(traffic)
        assert all(server.process.returncode is None for server in cluster.servers)
        again = await ctx.user(cluster.servers[1])
        assert (await again.enter(channel))["epoch"] == before["epoch"]
        assert all([await server.is_ready() for server in cluster.servers])
    finally:
        # What follows is to find a server that needs no standby.
        for server in ctx.running:
            await server.kill()
        await ctx.postgresql.up()
        await ctx.postgresql.query("postgres", "ALTER SYSTEM RESET synchronous_standby_names")
        await ctx.postgresql.query("postgres", "SELECT pg_reload_conf()")
        await standby.remove()


async def test_the_lost_tail_of_a_replica(ctx):
    """After a fail-over to a replica that lacks the last messages the channel has a new epoch, and clients
    learn that their position means nothing."""
    cluster = await ctx.cluster(3, *FREE)
    owner = await ctx.user(cluster.servers[0])
    channel = await cluster.channel_at(cluster.servers[2], owner)
    before = await owner.enter(channel)
    await owner.send(channel, "kept")
    await ctx.postgresql.stop()
    await ctx.postgresql.copy_data("replica")
    await ctx.postgresql.up()

    async def stored():
        try:
            return await owner.send(channel, "lost")
        except Refused:
            return None
    lost = await eventually(stored, "a message after the restart")
    await ctx.postgresql.stop()
    await ctx.postgresql.put_back("replica")
    await ctx.postgresql.up()

    async def renewed():
        try:
            back = await ctx.user(cluster.servers[1])
            state = await back.enter(
                channel, recover={"epoch": before["epoch"], "seq": lost["seq"]})
        except Refused:
            return None
        return state if state["epoch"] != before["epoch"] else None
    state = await eventually(renewed, "another epoch")
    assert state["recovered"] is False


async def test_a_drain_under_load(ctx):
    """A server drains: its channels pause a second at most, no send fails, and it ends with 0."""
    cluster, channel, traffic = await busy(ctx)
    ending = asyncio.ensure_future(cluster.servers[2].end(signal.SIGTERM))
    await traffic.flow(3)
    assert await ending == 0
    await traffic.end()
    assert traffic.longest_pause <= DRAIN * BUSY, traffic.longest_pause


async def test_a_rolling_upgrade(ctx):
    """One server after the other drains and is started anew under load: no send fails."""
    cluster, channel, traffic = await busy(ctx)
    for server in list(cluster.servers):
        await cluster.add(*FREE)
        await cluster.until_whole()
        assert await server.end(signal.SIGTERM) == 0
        await traffic.flow(1)
    await traffic.end()


async def test_the_home_of_a_user_dies(ctx):
    """After the death of the server that counts a user's sessions, the limit holds again within three
    seconds: the oldest beyond it are closed with 4003."""
    cluster = await ctx.cluster(3, *FREE, "--limits-connections-per-user", "4")
    name = ctx.name("user")
    sessions = [await ctx.user(cluster.servers[number % 2], name) for number in range(4)]
    # Any of the three may be the user's home.
    await cluster.servers[2].kill()
    began = time.monotonic()
    while time.monotonic() - began < 3 * BUSY:
        await asyncio.sleep(0.1)
    sessions.append(await ctx.user(cluster.servers[0], name))
    assert await sessions[0].ended() == 4003
    assert all(session.closed is None for session in sessions[1:])


async def test_a_flood_window_after_a_kill(ctx):
    """The window of a user goes on at the new home: it counts what the user has sent, and nothing that was
    sent in the user's name by the Platform API."""
    cluster = await ctx.cluster(
        3, "--limits-flood-messages", "4", "--limits-flood-window-ms", "600000",
        "--limits-throttle-messages", "0")
    user = await ctx.user(cluster.servers[0])
    channel = await cluster.channel_at(cluster.servers[2], user)
    await user.enter(channel)
    for number in range(2):
        await user.send(channel, f"own {number}")
        for _ in range(3):
            status, answer = await cluster.servers[1].api(
                "POST", f"/open_channels/{channel}/messages",
                {"user_id": user.user_id, "message_type": "MESG", "message": "in its name"})
            assert status == 200, answer
    await cluster.servers[2].kill()
    for number in range(2, 4):
        await user.send(channel, f"own {number}")
    async with refused(900200):
        await user.send(channel, "one more")


async def test_a_call_whose_home_dies(ctx):
    """Sends without a req_id that are under way when the home dies are stored once, answered or not."""
    cluster = await ctx.cluster(3, *FREE)
    owner = await ctx.user(cluster.servers[0])
    channel = await cluster.channel_at(cluster.servers[2], owner)
    await owner.enter(channel)
    waiting = [await owner.ask("message.send", channel_url=channel, message=f"m{n}")
               for n in range(300)]
    await cluster.servers[2].kill()
    answers = []
    for part in waiting:
        try:
            answers.append(await owner.result(part))
        except Refused as refusal:
            assert refusal.code == 500901 and refusal.data["outcome"] == "unknown", refusal
    traffic = Traffic(cluster, channel, [], 0)
    listed = await traffic.listed()
    assert len(listed) == len(set(listed))
    assert {answer["message"]["message_id"] for answer in answers} <= set(listed)
    _, page = await cluster.servers[0].api(
        "GET", f"/open_channels/{channel}/messages", message_ts=0, prev_limit=0, next_limit=200)
    texts = [message["message"] for message in page["messages"]]
    assert len(texts) == len(set(texts)), "a message was stored twice"


async def test_a_second_server_without_a_bus(ctx):
    """A second server on one database without cluster.bus is refused and names the setting."""
    url = ctx.postgresql.url(await ctx.postgresql.database())
    environment = {"PARLEY_STORE_URL": url}
    await ctx.fresh(environment=environment)
    try:
        await ctx.fresh(environment=environment)
    except AssertionError as refusal:
        assert "cluster.bus" in str(refusal) and "ended with 0" not in str(refusal), refusal
    else:
        raise AssertionError("a second server started")


async def test_one_server_is_killed_again_and_again(ctx):
    """A server alone on PostgreSQL is killed at full load twenty times: what was acknowledged is there
    once, and each next start serves."""
    environment = {
        "PARLEY_STORE_URL": ctx.postgresql.url(await ctx.postgresql.database()),
        "PARLEY_AUTH_API_TOKEN": TOKEN}
    directory, channel, acknowledged = ctx.directory(), ctx.name("room"), set()
    for number in range(20):
        server = await ClusterServer.start(
            ctx.parleyd, directory, ["--reactors", "1", *quiet(FREE)], environment)
        ctx.running.append(server)

        async def ready():
            return await server.is_ready()
        await eventually(ready, "200 of /readyz")
        client = await ctx.user(server)
        if number == 0:
            await client.call("channel.create", channel_url=channel)
        await client.enter(channel)
        asked = [await client.ask("message.send", channel_url=channel, message=f"{number} {n}")
                 for n in range(400)]
        for part in asked[:100]:
            acknowledged.add((await client.result(part))["message"]["message_id"])
        await server.kill()
        await client.ended()
        came = [part.result() for part in asked[100:] if not part.exception()]
        acknowledged |= {answer["result"]["message"]["message_id"] for answer in came}
    await only_once(ctx, environment, directory, channel, acknowledged)


async def only_once(ctx, environment, directory, channel, acknowledged):
    """Starts a server, and makes sure that it lists all that was acknowledged, and nothing twice."""
    cluster = Cluster(ctx, "none", ctx.bus)
    cluster.servers = [await ClusterServer.start(
        ctx.parleyd, directory, ["--reactors", "1", *quiet(FREE)], environment)]
    ctx.running.append(cluster.servers[0])
    listed = await Traffic(cluster, channel, [], 0).listed()
    assert len(listed) == len(set(listed)), "a message is listed twice"
    assert acknowledged <= set(listed), f"{len(acknowledged - set(listed))} are lost"
    assert len(acknowledged) >= 1_000


async def test_postgresql_crashes_under_one_server(ctx):
    """PostgreSQL crashes ten times under the load of one server: what was acknowledged is there once, and
    the same server serves again within seconds."""
    environment = {
        "PARLEY_STORE_URL": ctx.postgresql.url(await ctx.postgresql.database()),
        "PARLEY_AUTH_API_TOKEN": TOKEN}
    server = await ClusterServer.start(
        ctx.parleyd, ctx.directory(), ["--reactors", "1", *quiet(FREE)], environment)
    ctx.running.append(server)
    cluster = Cluster(ctx, "none", ctx.bus)
    cluster.servers = [server]
    owner = await ctx.user(server)
    channel = ctx.name("room")
    await owner.call("channel.create", channel_url=channel)
    traffic = await Traffic.begin(ctx, cluster, channel, viewers=10, senders=10, rate=300)
    for _ in range(10):
        await ctx.postgresql.crash()
        await ctx.postgresql.up()
        began = time.monotonic()
        await traffic.flow(0.2)
        assert time.monotonic() - began <= 3 * BUSY
    await traffic.end()
    assert not closed(traffic) and server.process.returncode is None


async def test_the_disk_of_postgresql_is_full(ctx):
    """The disk of PostgreSQL fills up: sends are 500901 and nothing of them is stored; they go on when
    there is room again."""
    disk = await ctx.postgresql.small_disk(16)
    try:
        name = await disk.database()
        server = await ClusterServer.start(
            ctx.parleyd, ctx.directory(), ["--reactors", "1", *quiet(FREE)],
            {"PARLEY_STORE_URL": ctx.postgresql.url(name), "PARLEY_AUTH_API_TOKEN": TOKEN})
        ctx.running.append(server)
        client = await ctx.user(server)
        channel = ctx.name("room")
        await client.call("channel.create", channel_url=channel)
        await client.enter(channel)
        stored = [(await client.send(channel, "before"))["message"]["message_id"]]
        disk.fill()

        async def full():
            try:
                answer = await client.send(channel, secrets.token_hex(1_000))
            except Refused as refusal:
                assert refusal.code == 500901, refusal
                assert refusal.data.get("outcome") != "unknown", refusal
                return True
            stored.append(answer["message"]["message_id"])
        await eventually(full, "a refusal for want of room")
        assert (await server.get("/readyz"))[0] == 503
        disk.relieve()

        async def works():
            try:
                return await client.send(channel, "after")
            except Refused:
                return None
        stored.append((await eventually(works, "a message stored"))["message"]["message_id"])
        cluster = Cluster(ctx, "none", ctx.bus)
        cluster.servers = [server]
        listed = await Traffic(cluster, channel, [], 0).listed()
        assert sorted(listed) == sorted(stored), (len(listed), len(stored))
        assert client.closed is None
    finally:
        for server in ctx.running:
            await server.kill()
        await disk.remove()


async def test_the_disk_of_postgresql_is_full_for_all(ctx):
    """The disk of PostgreSQL fills up under three servers: sends to channels of each are 500901 and nothing
    of them is stored. No server is worse off than another, so /readyz stays 200 on all, nobody is closed and
    none drains; /metrics says it. Sends go on when there is room again."""
    disk = await ctx.postgresql.small_disk(24)
    try:
        cluster = await ctx.cluster(3, *FREE, database=await disk.database())
        owner = await ctx.user(cluster.servers[0])
        channels = [await cluster.channel_at(server, owner) for server in cluster.servers]
        clients = await ctx.spread(cluster, 3)
        stored = {channel: [] for channel in channels}
        for channel in channels:
            for client in clients:
                await client.enter(channel)
                stored[channel].append((await client.send(channel, "before"))["message"]["message_id"])
        disk.fill()

        async def full(client, channel):
            try:
                answer = await client.send(channel, secrets.token_hex(1_000))
            except Refused as refusal:
                assert refusal.code == 500901, refusal
                assert refusal.data.get("outcome") != "unknown", refusal
                return True
            stored[channel].append(answer["message"]["message_id"])
            return False
        for client, channel in zip(clients, channels):
            await eventually(lambda: full(client, channel), "a refusal for want of room")  # noqa: B023
        # The servers find out one after the other; longer than that, and than one is isolated.
        for _ in range(80):
            ready = [await server.is_ready() for server in cluster.servers]
            assert ready == [True] * 3, ready
            await asyncio.sleep(0.1 * BUSY)
        healthy = [await server.metric("parley_store_healthy") for server in cluster.servers]
        assert healthy == [0] * 3, healthy
        assert all(server.process.returncode is None for server in cluster.servers)
        disk.relieve()

        async def works(client, channel):
            try:
                return await client.send(channel, "after")
            except Refused:
                return None
        for client, channel in zip(clients, channels):
            answer = await eventually(
                lambda: works(client, channel), "a message stored")  # noqa: B023
            stored[channel].append(answer["message"]["message_id"])
        for channel in channels:
            listed = await Traffic(cluster, channel, [], 0).listed()
            assert sorted(listed) == sorted(stored[channel]), (channel, len(listed))
        assert not [client for client in [owner, *clients] if client.closed is not None]
    finally:
        for server in ctx.running:
            await server.kill()
        await disk.remove()


async def test_a_start_waits_for_postgresql(ctx):
    """Without PostgreSQL the listener stands: /healthz is 200, /readyz 503 with the reason, and everything
    else is refused with 503. SIGTERM ends the wait with 0; a database that turns out to be missing ends
    it with 78."""
    name = await ctx.postgresql.database()
    await ctx.postgresql.stop()
    environment = {"PARLEY_STORE_URL": ctx.postgresql.url(name), "PARLEY_AUTH_API_TOKEN": TOKEN}
    server = await ctx.fresh(environment=environment)
    status, _, body = await server.get("/readyz")
    assert status == 503 and b"PostgreSQL" in body, body
    assert (await server.get("/healthz"))[0] == 200
    assert (await server.get("/v3/users", **{"Api-Token": TOKEN}))[0] == 503
    try:
        await Client.connect(server)
        raise AssertionError("a WebSocket was opened")
    except WebSocketException as refusal:
        assert "503" in str(refusal), refusal
    assert any("waiting for PostgreSQL" in line for line in server.lines), server.lines
    assert await server.end(signal.SIGTERM) == 0
    wrong = {**environment, "PARLEY_STORE_URL": ctx.postgresql.url("nothing")}
    buses = {"PARLEY_CLUSTER_BUS": ctx.redis.url(), "PARLEY_FILES_PUBLIC_URL": "http://127.0.0.1:9",
             "PARLEY_FILES_STORE": f"directory:{ctx.directory()}"}
    waiting = [await ctx.fresh(environment=wrong), await ctx.fresh(environment={**wrong, **buses})]
    for server in waiting:
        assert (await server.get("/readyz"))[0] == 503
    await ctx.postgresql.up()
    for server in waiting:
        assert await server.wait() == 78


async def test_a_start_outlives_its_connections(ctx):
    """A server whose connections to PostgreSQL break while it starts, after any of them was made, waits for
    PostgreSQL and is ready in the end."""
    redis_alone(ctx)
    cluster = await ctx.cluster(1, *FREE)
    for count in range(1, 6):
        known = len(ctx.wires)
        starting = asyncio.ensure_future(cluster.add(*FREE))
        # Both ends of each connection; some are short, and may be missed.
        while not starting.done() and (
                len(ctx.wires) == known or len(ctx.wires[known].connections) < 2 * count):
            await asyncio.sleep(0.001)
        ctx.wires[known].cut()
        await asyncio.sleep(0.6)
        ctx.wires[known].restore()
        server = await starting
        await eventually(server.is_ready, "a server that is ready")
        assert server.process.returncode is None, list(server.lines)
        assert await server.end(signal.SIGTERM) == 0
        cluster.servers.remove(server)


async def test_wrong_databases_end_the_start(ctx):
    """A missing database ends the start with 78 and without the password; a PostgreSQL that cannot be
    reached is waited for, and the server is not ready meanwhile."""
    url = ctx.postgresql.url("nothing").replace("parley@", "parley:hush@")
    status, output, errors = await ctx.run(
        ctx.parleyd, "--listen", "127.0.0.1:0", "--data-dir", ctx.directory(),
        environment={"PARLEY_STORE_URL": url})
    assert status == 78 and b"nothing" in errors and b"hush" not in output + errors, errors
    name = await ctx.postgresql.database()
    await ctx.postgresql.stop()
    server = await ctx.fresh(environment={"PARLEY_STORE_URL": ctx.postgresql.url(name)})
    assert (await server.get("/readyz"))[0] == 503
    await ctx.postgresql.up()
    await eventually(server.is_ready, "200 of /readyz")
