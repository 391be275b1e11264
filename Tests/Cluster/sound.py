"""Three servers on a sound network: the contract holds as it does on one."""

import asyncio
import json
import time

from cluster import FREE, TOKEN
from harness import PATIENCE, Refused, Skipped, eventually, fence, refused
from throttling import ids, shown

NO_THROTTLE = ("--limits-throttle-messages", "0")


async def everything(server, channel):
    """All messages of a channel, oldest first, by the Platform API."""
    found = []
    while True:
        place = {"message_id": found[-1]["message_id"], "include": "false"} if found else {
            "message_ts": 0}
        status, page = await server.api(
            "GET", f"/open_channels/{channel}/messages", prev_limit=0, next_limit=200, **place)
        assert status == 200, page
        if not page["messages"]:
            return found
        found += page["messages"]


async def made(ctx, cluster, **params):
    """A channel and its operator, on the first server."""
    owner = await ctx.user(cluster.servers[0])
    channel = ctx.name("room")
    await owner.call("channel.create", channel_url=channel, **params)
    await owner.enter(channel)
    return channel, owner


async def test_one_order_for_all(ctx):
    """(a) 30 clients on three servers see 1,000 messages of six senders in the same order without a gap,
    and the list has the same."""
    cluster = await ctx.cluster(3, *FREE)
    channel, owner = await made(ctx, cluster)
    clients = await ctx.spread(cluster, 30, channel)
    own = {}

    async def sends(client, count):
        own[client.user_id] = {
            (await client.send(channel, f"{client.user_id} {n}"))["seq"] for n in range(count)}
    await asyncio.gather(*(sends(client, 167) for client in clients[:6]))
    await fence(channel, owner, *clients)
    listed = ids(await everything(cluster.servers[1], channel))
    assert len(listed) == 6 * 167 and len(set(listed)) == len(listed)
    orders = {}
    for client in [owner, *clients]:
        events = client.told("message.received", channel_url=channel)
        seqs = [event["params"]["seq"] for event in events]
        assert seqs == sorted(seqs), client.user_id
        everything_seen = sorted({*seqs, *own.get(client.user_id, ())})
        assert len(everything_seen) == len(listed), (client.user_id, len(everything_seen))
        assert everything_seen[-1] - everything_seen[0] == len(listed) - 1, "a gap"
        orders.update({e["params"]["seq"]: e["params"]["message"]["message_id"] for e in events})
    assert [orders[seq] for seq in sorted(orders)] == listed


async def test_one_flood_window(ctx):
    """(b) A user with a socket on each of three servers gets at most five messages into any second."""
    cluster = await ctx.cluster(3, *NO_THROTTLE)
    channel, _ = await made(ctx, cluster)
    name = ctx.name("user")
    sockets = [await ctx.user(server, name) for server in cluster.servers]
    for socket in sockets:
        await socket.enter(channel)
    refusals = []

    async def sends(socket, count):
        for number in range(count):
            try:
                await socket.send(channel, str(number))
            except Refused as refusal:
                assert refusal.code == 900200, refusal
                refusals.append(refusal)
                await asyncio.sleep(0.02)
    await asyncio.gather(*(sends(socket, 100) for socket in sockets))
    times = [m["created_at"] for m in await everything(cluster.servers[2], channel)]
    assert len(times) + len(refusals) == 300 and refusals
    for first, sixth in zip(times, times[5:]):
        assert sixth - first >= 1000, f"six messages within {sixth - first} ms"


async def test_a_throttle_window_for_each_server(ctx):
    """(c) Two sockets of a user on two servers are each shown the messages that the rule gives there."""
    cluster = await ctx.cluster(3, "--limits-flood-messages", "0", "--limits-user-flood-messages", "0")
    channel, owner = await made(ctx, cluster)
    name = ctx.name("user")
    first = await ctx.user(cluster.servers[1], name)
    await first.enter(channel)
    sender = (await ctx.spread(cluster, 1, channel))[0]
    for number in range(20):
        await sender.send(channel, f"before {number}")
    second = await ctx.user(cluster.servers[2], name)
    await second.enter(channel)
    await fence(channel, owner, first, second)
    for number in range(60):
        await sender.send(channel, f"after {number}")
        await asyncio.sleep(0.01 * (number % 9))
    await fence(channel, owner, first, second)
    stored = await everything(cluster.servers[0], channel)
    assert ids(first.messages(channel)) == ids(shown(stored, name))
    # The second socket begins with an empty window.
    assert ids(second.messages(channel)) == ids(shown(stored[20:], name))


async def test_presence_is_one(ctx):
    """(d) After 1,000 enters and exits on three servers the count is exact everywhere, and each user that
    stays or goes for good is announced once."""
    cluster = await ctx.cluster(3, *FREE)
    channel, owner = await made(ctx, cluster)
    clients = await ctx.spread(cluster, 30)

    async def moves(client, number):
        for _ in range(17):
            await client.enter(channel)
            await client.call("channel.exit", channel_url=channel)
        if number % 3:
            await client.enter(channel)
    await asyncio.gather(*(moves(client, n) for n, client in enumerate(clients)))
    inside = {client.user_id for n, client in enumerate(clients) if n % 3} | {owner.user_id}

    async def settled():
        counts = []
        for server in cluster.servers:
            _, page = await server.api("GET", f"/open_channels/{channel}/participants", limit=100)
            names = {user["user_id"] for user in page["participants"]}
            _, view = await server.api("GET", f"/open_channels/{channel}")
            counts.append(names == inside and view["participant_count"] == len(inside))
        return all(counts)
    await eventually(settled, "the same participants on each server")

    def told(what, client):
        return sum(e["params"]["user"]["user_id"] == client.user_id
                   for e in owner.told(f"channel.user_{what}", channel_url=channel))

    def exact():
        return all(
            told("entered", client) - told("exited", client) == (client.user_id in inside)
            for client in clients)
    # Within a second the net effect is announced.
    await owner.until(exact, "as many entered as exited, and one more of those inside")


async def test_two_sockets_are_one_participant(ctx):
    """(d) A user's second socket on another server is not told to others, nor the exit of either but the
    last."""
    cluster = await ctx.cluster(3)
    channel, owner = await made(ctx, cluster)
    name = ctx.name("user")
    first, second = [await ctx.user(server, name) for server in cluster.servers[1:]]
    await first.enter(channel)
    assert (await second.enter(channel))["participant_count"] == 2
    await first.leave()
    await fence(channel, owner, second)
    assert len(owner.told("channel.user_entered", channel_url=channel)) == 1
    assert not owner.told("channel.user_exited", channel_url=channel)
    await second.leave()
    assert (await owner.event("channel.user_exited", channel_url=channel))["participant_count"] == 1


async def test_a_repeated_request(ctx):
    """(e) The same req_id on three servers at once makes one message and three equal answers."""
    cluster = await ctx.cluster(3, *FREE)
    channel, owner = await made(ctx, cluster)
    name = ctx.name("user")
    sockets = [await ctx.user(server, name) for server in cluster.servers]
    for socket in sockets:
        await socket.enter(channel)
    for number in range(20):
        answers = await asyncio.gather(*(
            socket.send(channel, f"once {number}", req_id=f"r{number}") for socket in sockets))
        assert len({json.dumps(answer["message"], sort_keys=True) for answer in answers}) == 1
        assert len({answer["seq"] for answer in answers}) == 1
    assert len(await everything(cluster.servers[0], channel)) == 20
    await fence(channel, owner, owner)
    assert len(owner.messages(channel)) == 20


async def test_a_ban_is_everywhere(ctx):
    """(f) A ban on one server puts the user's sockets out on all within 200 ms, and keeps it out."""
    cluster = await ctx.cluster(3)
    channel, owner = await made(ctx, cluster)
    name = ctx.name("user")
    sockets = [await ctx.user(server, name) for server in cluster.servers]
    for socket in sockets:
        await socket.enter(channel)
    began = time.monotonic()
    await owner.call("channel.ban", channel_url=channel, user_id=name, seconds=600)
    for socket in sockets:
        await socket.event("channel.user_banned", channel_url=channel)
    assert time.monotonic() - began < 0.2 * PATIENCE
    for socket in sockets:
        async with refused(400750):
            await socket.enter(channel)
    assert len(owner.told("channel.user_exited", channel_url=channel)) <= 1


async def test_limits_of_a_user(ctx):
    """(g) The 31st session, wherever it opens, closes the oldest with 4003; an eleventh channel is
    400203, wherever it is entered."""
    cluster = await ctx.cluster(3)
    name = ctx.name("user")
    sessions = []
    for number in range(30):
        sessions.append(await ctx.user(cluster.servers[number % 3], name))
    await ctx.user(cluster.servers[1], name)
    assert await sessions[0].ended() == 4003
    assert all(session.closed is None for session in sessions[1:])
    channels = [ctx.name("room") for _ in range(11)]
    for channel in channels:
        await sessions[1].call("channel.create", channel_url=channel)
    for number, channel in enumerate(channels[:10]):
        await sessions[1 + number % 3].enter(channel)
    async with refused(400203):
        await sessions[5].enter(channels[10])


async def test_users_are_reached(ctx):
    """(h) A mention reaches a user on another server, a profile changes everywhere, and a deactivation
    closes every session with 4002 within a second."""
    cluster = await ctx.cluster(3)
    channel, owner = await made(ctx, cluster)
    name = ctx.name("user")
    sockets = [await ctx.user(server, name) for server in cluster.servers]
    await owner.send(channel, "hello", mention_type="users", mentioned_user_ids=[name])
    for socket in sockets:
        await socket.event("mention.received")
    await sockets[0].call("user.update", nickname="Renamed")
    for server in cluster.servers:
        status, user = await server.api("GET", f"/users/{name}")
        assert status == 200 and user["nickname"] == "Renamed"
    await sockets[2].enter(channel)
    await sockets[2].send(channel, "with the new name")
    message = (await owner.event("message.received", channel_url=channel))["message"]
    assert message["user"]["nickname"] == "Renamed"
    began = time.monotonic()
    await cluster.servers[1].api("PUT", f"/users/{name}", {"is_active": False})
    assert [await socket.ended() for socket in sockets] == [4002] * 3
    assert time.monotonic() - began < 1 * PATIENCE


async def test_the_platform_api_is_one(ctx):
    """(i) Calls are answered alike by each server; sessions and connections of all are listed by each, and
    `parley sessions list` shows them."""
    # Lists that are cut short, on a busy machine, would differ.
    cluster = await ctx.cluster(3, "--limits-query-ms", "0")
    channel, _ = await made(ctx, cluster, name="Room")
    clients = await ctx.spread(cluster, 9, channel)
    for client in clients[:3]:
        await client.send(channel, "hello")
    await cluster.servers[1].api(
        "PUT", "/parley/limits", {"flood": {"messages": 77, "window_ms": 1000}})
    names = {client.user_id for client in clients}

    async def limits_agree():
        answers = [await s.api("GET", "/parley/limits") for s in cluster.servers]
        return all(answer["flood"]["messages"] == 77 for _, answer in answers)
    await eventually(limits_agree, "the limit on each server")
    for path in (f"/open_channels/{channel}", f"/open_channels/{channel}/participants",
                 f"/open_channels/{channel}/messages?message_ts=0&next_limit=20", "/users?limit=50",
                 "/open_channels?limit=50", "/parley/sessions?limit=100"):
        answers = [await server.api("GET", path) for server in cluster.servers]
        assert all(answer == answers[0] and answer[0] == 200 for answer in answers), path
    for server in cluster.servers:
        status, output, errors = await ctx.run(
            ctx.parley, "sessions", "list", "--all", "--json", environment={
                "PARLEY_CLI_SERVER": f"http://127.0.0.1:{server.port}",
                "PARLEY_CLI_API_TOKEN": TOKEN})
        assert status == 0, errors
        assert names <= {session["user_id"] for session in json.loads(output)}
    victim = clients[2]
    status, closed = await cluster.servers[0].api(
        "DELETE", f"/parley/sessions/{victim.session['session_id']}")
    assert status == 200 and await victim.ended() == 1001
    assert closed == {"user_id": victim.user_id}
    status, token = await cluster.servers[0].api("POST", "/parley/api_tokens", {"name": "shop"})
    assert status == 200, token
    status, again = await cluster.servers[2].api("GET", "/parley/api_tokens")
    assert token["id"] in [issued["id"] for issued in again["api_tokens"]]


async def test_the_busiest_channels_of_all(ctx):
    """Each server lists the busiest channels of all of them, with all their participants."""
    cluster = await ctx.cluster(3, *FREE)
    counts = {}
    for count in range(1, 7):
        channel, owner = await made(ctx, cluster)
        other = await ctx.user(cluster.servers[-1])
        await other.enter(channel)
        for number in range(count):
            await owner.send(channel, f"text {number}")
        counts[channel] = count
    wanted = [(channel, count, 2) for channel, count in sorted(counts.items(), key=lambda one: -one[1])]
    for server in cluster.servers:
        async def listed():
            status, answer = await server.api("GET", "/parley/channels/busiest")  # noqa: B023
            assert status == 200 and answer["unanswered_servers"] == 0, answer
            return [(one["channel_url"], one["messages"], one["participants"])
                    for one in answer["channels"]] == wanted
        await eventually(listed, "the channels of all servers")


async def test_page_tokens_go_around(ctx):
    """(i) A list that is begun on one server goes on on another."""
    cluster = await ctx.cluster(3)
    owner = await ctx.user(cluster.servers[0])
    channels = sorted(ctx.name("room") for _ in range(7))
    for channel in channels:
        await owner.call("channel.create", channel_url=channel)
    found, token = [], ""
    for number in range(10):
        _, page = await cluster.servers[number % 3].api(
            "GET", "/open_channels", limit=2, **({"token": token} if token else {}))
        found += [channel["channel_url"] for channel in page["channels"]]
        token = page["next"]
        if not token:
            break
    assert sorted(found) == channels


async def test_the_status_is_one(ctx):
    """Each server lists the same servers and names the same home of a channel, and the bus works."""
    if ctx.is_single:
        raise Skipped("one server is the home of everything")
    cluster = await ctx.cluster(3)
    homes = set()
    for number in range(30):
        seen = [await s.cluster_status(channel_url=f"channel-{number}") for s in cluster.servers]
        assert len({status["home"] for status in seen}) == 1
        homes.add(seen[0]["home"])
    assert len(homes) == 3, "channels are spread over all servers"
    assert all(status["bus"]["is_up"] and status["bus"]["kind"] == ctx.bus for status in seen)
    assert all(len({s["slot"] for s in status["servers"]}) == 3 for status in seen)


async def test_servers_have_names(ctx):
    """Servers are listed by the names that their settings give them, or by that of the machine."""
    if ctx.is_single:
        raise Skipped("it is about several servers")
    cluster = await ctx.cluster(1, "--cluster-server-name", "chat-one.internal")
    await cluster.add("--cluster-server-name", "chat_two")
    await cluster.until_whole(2)
    names = {s["name"] for s in (await cluster.servers[0].cluster_status())["servers"]}
    assert names == {"chat-one.internal", "chat_two"}, names
