"""parley-streams.js: clients whose WebSockets are blocked."""

import asyncio
import contextlib

from parleyjs import UNLIMITED, node


async def proxied(port, treat):
    """A proxy whose behaviour depends on the head of each connection's first request: its port."""
    async def copy(reader, writer):
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def serve(reader, writer):
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            there, back = await asyncio.open_connection("127.0.0.1", port)
            # One request for each connection, so that none passes as another.
            back.write(head[:-2] + b"Connection: close\r\n\r\n")
            await asyncio.gather(copy(reader, back), treat(head, there, writer, copy))
    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    return listener, listener.sockets[0].getsockname()[1]


async def refusing(head, there, writer, copy):
    """Refuses WebSockets."""
    if b"upgrade: websocket" in head.lower():
        return writer.close()
    return await copy(there, writer)


async def holding(head, there, writer, copy):
    """Refuses WebSockets, and holds responses back until they end."""
    if b"upgrade: websocket" in head.lower():
        return writer.close()
    if b"GET /v1/streams" not in head or b"poll=1" in head:
        return await copy(there, writer)
    writer.write(await there.read())
    return writer.close()

CHAT = """
globalThis.url = "http://127.0.0.1:%d";
globalThis.ada = start(url, "ada", { WebSocket: automaticSocket() });
globalThis.bob = start(url, "bob", { WebSocket: automaticSocket() });
globalThis.a = await join(ada, "lobby");
globalThis.b = await join(bob, "lobby");
await a.send("hello");
await b.send("hi");
await until(() => b.texts().includes("hello") && a.texts().includes("hi"));
for (let count = 0; count < 20; count++) await a.send(String(count));
const numbers = () => b.texts().filter((text) => /^\\d+$/.test(text));
await until(() => numbers().length >= 20);
return numbers().join();
"""


async def chat(ctx, treat):
    server = await ctx.server(*UNLIMITED)
    listener, port = await proxied(server.port, treat)
    async with node(ctx, server, "parley-streams.js") as made:
        texts = await made.run(CHAT % port)
        assert texts == ",".join(map(str, range(20))), texts
        _, _, text = await server.get("/metrics")
        await made.run("ada.close(); bob.close(); return 1")
    listener.close()
    return text


async def test_blocked_websockets(ctx):
    """A client whose handshakes fail uses a stream."""
    text = await chat(ctx, refusing)
    assert b"parley_streams 2" in text, text[-6000:]


async def test_held_responses(ctx):
    """A client whose responses are held back polls."""
    assert b"parley_stream_polls_total 0" not in await chat(ctx, holding)


async def test_open_websockets(ctx):
    """A client whose handshakes succeed uses a WebSocket."""
    server = await ctx.fresh(*UNLIMITED)
    async with node(ctx, server, "parley-streams.js") as made:
        await made.run(CHAT % server.port)
    _, _, text = await server.get("/metrics")
    assert b"parley_streams 0" in text
