"""parley chat over event streams: chosen, and where WebSockets are blocked."""

from commands import terminal
from fronts import Front, dropped, held
from harness import eventually
from parleyjs import UNLIMITED


async def metric(server, name):
    """The value of a gauge."""
    _, _, text = await server.get("/metrics")
    return next(int(line.split()[1]) for line in text.decode().split("\n")
                if line.startswith(name + " "))


async def chat(ctx, server, port, *arguments):
    """A chat in a terminal, in which both sides say something; how many streams were open in it."""
    channel, owner = await ctx.room(server, 0)
    address = ["--server", f"http://127.0.0.1:{port}"]
    async with terminal(ctx, server, "chat", channel, "--user", "typist", *address, *arguments,
                        NO_COLOR="1") as shown:
        await shown.until("typist> ")
        for number in range(10):
            await owner.send(channel, f"number {number}.")
        await shown.until("number 9.")
        assert [shown.text.count(f"number {number}.") for number in range(10)] == [1] * 10, shown.text
        shown.type("hello\r")
        received = await owner.event("message.received", channel_url=channel)
        assert received["message"]["message"] == "hello", received
        count = await metric(server, "parley_streams")
        shown.type("/quit\r")
        assert await shown.ended() == 0
    return count


async def test_a_chosen_transport(ctx):
    """--transport stream opens a stream and ends its session; without it there is none where WebSockets work."""
    server = await ctx.fresh(*UNLIMITED)
    for transport in ("websocket", "automatic"):
        assert await chat(ctx, server, server.port, "--transport", transport) == 0
    before = await metric(server, "parley_sessions")
    assert await chat(ctx, server, server.port, "--transport", "stream") == 1

    async def ended():
        # The owner of the last channel remains.
        return await metric(server, "parley_sessions") <= before + 1
    await eventually(ended, "the end of the session")


async def test_pipes(ctx):
    """Lines from a pipe are sent once and in order over a stream."""
    server = await ctx.server(*UNLIMITED)
    channel, owner = await ctx.room(server, 0)
    lines = "".join(f"line {number}\n" for number in range(40))
    status, output, errors = await ctx.run(
        ctx.parley, "chat", channel, "--user", ctx.name("user"), "--transport", "stream",
        "--server", f"http://127.0.0.1:{server.port}", stdin=lines.encode())
    assert status == 0, errors
    listed = (await owner.call("message.list", channel_url=channel, prev_limit=100))["messages"]
    assert [message["message"] for message in listed] == lines.split("\n")[:-1]


async def test_blocked_websockets(ctx):
    """Behind a proxy that refuses WebSockets, and one that holds responses back, a chat continues by itself."""
    for ways in ({}, {"listen": held}):
        server = await ctx.fresh(*UNLIMITED)
        front = await Front.start(server.port, upgrade=dropped, **ways)
        assert await chat(ctx, server, front.port) == 1, ways
        front.close()
    _, _, text = await server.get("/metrics")
    assert b"parley_stream_polls_total 0" not in text


async def test_no_transport(ctx):
    """Where the server has no streams, --transport stream says so."""
    server = await ctx.fresh(*UNLIMITED, "--streams-mode", "off")
    status, _, errors = await ctx.run(
        ctx.parley, "chat", "lobby", "--user", "ada", "--transport", "stream", "--server",
        f"http://127.0.0.1:{server.port}")
    assert status == 2 and b"no event streams" in errors, (status, errors)
    status, _, errors = await ctx.run(ctx.parley, "chat", "lobby", "--user", "a", "--transport", "udp")
    assert status == 64 and b"automatic" in errors, (status, errors)
