"""Event streams on several servers: requests to a stream may land on any of them."""

import asyncio
import itertools

from cluster import FREE
from eventstreams import Stream, begin, post, request
from harness import eventually
from reporting import room

from shared import several

def elsewhere(stream, server):
    """Sends the requests to a stream to a server."""
    stream.port = server.port


async def streamed(ctx, cluster, number=0):
    """A channel with clients on all servers, and a stream in it that a server has."""
    channel, clients = await room(ctx, cluster)
    stream = await Stream.open(cluster.servers[number].port, ctx.name("user"))
    await stream.listen()
    assert "result" in await stream.call("channel.enter", channel_url=channel)
    return channel, clients, stream


async def read_elsewhere(ctx):
    """Three servers, and a stream of the first one whose events the second one carries."""
    several(ctx)
    cluster = await ctx.cluster(3, *FREE)
    channel, clients, stream = await streamed(ctx, cluster)
    elsewhere(stream, cluster.servers[1])
    response = await stream.listen()
    await clients[1].send(channel, "before")
    await stream.until(lambda: stream.messages())
    return cluster, channel, clients, stream, response


async def test_requests_land_on_every_server(ctx):
    """Events, polls, posts and the end go through servers that do not have the stream, in one order."""
    cluster = await ctx.cluster(3, *FREE)
    channel, clients, stream = await streamed(ctx, cluster)
    expected = []
    servers = itertools.cycle(cluster.servers)
    for count in range(30):
        elsewhere(stream, next(servers))
        if count % 3 == 0:
            await stream.listen()
        await clients[count % len(clients)].send(channel, f"m{count}")
        expected.append(f"m{count}")
        if count % 5 == 0:
            answer = await stream.call("message.send", channel_url=channel, message=f"own {count}")
            assert "result" in answer, answer
        await stream.until(lambda: len(stream.messages()) >= len(expected))
    assert stream.messages() == expected
    stream.response.close()
    for count in range(6):
        elsewhere(stream, next(servers))
        await clients[0].send(channel, f"p{count}")
        expected.append(f"p{count}")
        while len(stream.messages()) < len(expected):
            await stream.poll()
    assert stream.messages() == expected
    elsewhere(stream, cluster.servers[1])
    response = await stream.listen(Accept_Encoding="gzip")
    assert response.inflater
    await clients[0].send(channel, "x" * 500)
    await stream.until(lambda: len(stream.messages()) > len(expected))
    status, _, answer = await post(cluster.servers[2].port, stream.address + "?after=999999", request("session.ping"))
    assert (status, answer["code"]) == (400, 400113), answer
    status, _, answer = await post(cluster.servers[2].port, stream.address, b"{")
    assert (status, answer["code"]) == (400, -32700), answer
    ended = await begin(cluster.servers[2].port, stream.address, method="DELETE")
    assert ended.status == 204
    await stream.until(lambda: stream.closed)
    assert stream.closed["code"] == 1000 and await response.event() is None
    for server in cluster.servers:
        gone = await begin(server.port, f"{stream.address}?after={stream.last}")
        assert gone.status == 410, gone.status


async def test_guesses_on_other_servers(ctx):
    """An address that was not issued is unknown everywhere; one of a server that does not exist is gone."""
    cluster = await ctx.cluster(3)
    stream = await Stream.open(cluster.servers[0].port, ctx.name("user"))
    prefix, secret = stream.address.rsplit("/", 1)
    for server in cluster.servers:
        # Another proof, another shard, another connection.
        for index in (47, 5, 14):
            letter = "A" if secret[index] != "A" else "B"
            guess = f"{prefix}/{secret[:index]}{letter}{secret[index + 1:]}"
            for method in ("GET", "DELETE"):
                assert (await begin(server.port, guess, method)).status == 404, (server.name, index)
        assert (await begin(server.port, f"{prefix}/_9{secret[2:]}")).status in (404, 410)


async def test_a_slow_reader_on_another_server(ctx):
    """A client that reads slowly through another server loses nothing, and holds up none."""
    cluster = await ctx.cluster(3, *FREE)
    channel, clients, stream = await streamed(ctx, cluster)
    elsewhere(stream, cluster.servers[1])
    await stream.listen()
    expected = []
    for count in range(120):
        text = f"{count} " + "x" * 3_000
        await clients[0].send(channel, text)
        expected.append(text)
    await stream.until(lambda: len(stream.messages()) == len(expected))
    assert stream.messages() == expected


async def test_the_server_of_a_stream_is_killed(ctx):
    """Its responses on other servers end, and requests are answered with 410; the client may open another."""
    cluster, channel, _, stream, response = await read_elsewhere(ctx)
    await cluster.servers[0].kill()
    while await response.event():
        pass

    async def is_gone():
        statuses = [
            (await begin(server.port, f"{stream.address}?poll=1&after={stream.last}")).status
            for server in cluster.servers[1:]]
        return statuses == [410, 410]
    await eventually(is_gone, "the stream is gone")
    status, _, _ = await post(cluster.servers[2].port, stream.address, request("session.ping"))
    assert status == 410
    other = await Stream.open(cluster.servers[2].port, stream.result["user"]["user_id"])
    await other.listen()
    assert "result" in await other.call("channel.enter", channel_url=channel)


async def test_the_server_of_a_request_is_killed(ctx):
    """The stream lives on: its client continues on another server, and misses nothing."""
    cluster, channel, clients, stream, response = await read_elsewhere(ctx)
    await cluster.servers[1].kill()
    while await response.event():
        pass
    await clients[0].send(channel, "between")
    elsewhere(stream, cluster.servers[2])
    await stream.listen()
    await clients[0].send(channel, "after")
    await stream.until(lambda: len(stream.messages()) == 3)
    assert stream.messages() == ["before", "between", "after"]


async def test_the_server_of_a_request_drains(ctx):
    """A server that stops ends the responses it passes on; their clients continue elsewhere."""
    cluster, channel, clients, stream, response = await read_elsewhere(ctx)
    ending = asyncio.create_task(cluster.servers[1].end())
    while event := await response.event():
        stream.note(event)
    assert response.ended and not stream.closed
    elsewhere(stream, cluster.servers[2])
    await stream.listen()
    await clients[0].send(channel, "after")
    await stream.until(lambda: len(stream.messages()) == 2)
    assert await ending == 0
