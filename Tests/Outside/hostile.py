"""Broken framing, broken text, floods of nonsense, and clients that do not read."""

import asyncio
import json
import os
import random

from harness import DEADLINE, RawSocket, http

PING = b'{"jsonrpc":"2.0","id":3,"method":"session.ping"}'
frame = RawSocket.frame


async def closes(ctx, code, *chunks):
    server = await ctx.server()
    raw = await ctx.raw(server)
    await raw.sign_in(ctx.name())
    for chunk in chunks:
        await raw.write(chunk)
    got = await raw.close_code()
    assert got == code, f"closed with {got}, not {code}"
    bystander = await ctx.user(server)
    await bystander.call("session.ping")


async def test_binary_messages(ctx):
    """A binary message closes with 1003."""
    await closes(ctx, 1003, frame(2, PING))


async def test_frames_without_a_mask(ctx):
    """A frame of a client that is not masked closes with 1002."""
    await closes(ctx, 1002, frame(1, PING, masked=False))


async def test_reserved_bits(ctx):
    """A reserved bit that was not negotiated closes with 1002."""
    for bits in (1, 2, 4):
        await closes(ctx, 1002, frame(1, PING, reserved=bits))


async def test_reserved_opcodes(ctx):
    """A reserved opcode closes with 1002."""
    for opcode in (3, 7, 11, 15):
        await closes(ctx, 1002, frame(opcode, b"x"))


async def test_fragments_out_of_place(ctx):
    """A continuation without a beginning, and a beginning within a message, close with 1002."""
    await closes(ctx, 1002, frame(0, PING))
    await closes(ctx, 1002, frame(1, PING[:5], fin=False), frame(1, PING))


async def test_control_frames(ctx):
    """A control frame that is fragmented or longer than 125 bytes closes with 1002."""
    await closes(ctx, 1002, frame(9, b"x", fin=False))
    await closes(ctx, 1002, frame(9, bytes(126)))


async def test_close_frames(ctx):
    """A close frame with one byte or a code that may not be sent closes with 1002."""
    await closes(ctx, 1002, frame(8, b"\x03"))
    for code in (999, 1004, 1005, 1006, 1015, 2999, 5000):
        await closes(ctx, 1002, frame(8, code.to_bytes(2)))
    await closes(ctx, 1007, frame(8, (1000).to_bytes(2) + b"\xff"))


async def test_an_orderly_close_is_echoed(ctx):
    """A client's close frame is answered with its code."""
    for code in (1000, 1001, 3000, 4999):
        await closes(ctx, code, frame(8, code.to_bytes(2) + b"bye"))


async def test_text_that_is_not_utf8(ctx):
    """Text that is not UTF-8 closes with 1007, also when it is split or incomplete."""
    for text in (b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82"):
        await closes(ctx, 1007, frame(1, b'{"a":"' + text + b'"}'))
    await closes(ctx, 1007, frame(1, b'"\xe2', fin=False), frame(0, b'x"'))


async def test_a_frame_that_is_too_long(ctx):
    """A frame whose announced length is over the limit closes with 1009 before it came."""
    await closes(ctx, 1009, frame(1, PING, length=262_145)[:20])
    await closes(ctx, 1009, frame(1, PING, length=2**40)[:20])
    await closes(ctx, 1002, frame(1, PING, length=2**63)[:20])


async def test_fragments_that_are_too_long_together(ctx):
    """Fragments that pass the limit together close with 1009."""
    part = bytes(b" " * 65_536)
    await closes(ctx, 1009, frame(1, part, fin=False), *(
        frame(0, part, fin=False) for _ in range(4)))


async def test_fragments_and_pings_between_them(ctx):
    """A request in one-byte fragments with pings between them, byte by byte, is answered."""
    raw = await ctx.raw(await ctx.server())
    await raw.sign_in(ctx.name())
    data = frame(1, PING[:1], fin=False)
    for n in range(1, len(PING) - 1):
        data += frame(0, PING[n:n + 1], fin=False) + (frame(9, b"p") if n % 7 == 0 else b"")
    data += frame(0, PING[-1:])
    for n in range(len(data)):
        await raw.write(data[n:n + 1])
    assert (await raw.answer())["result"]["time"]


async def test_many_requests_in_one_segment(ctx):
    """A thousand requests in one write are all answered, in order."""
    raw = await ctx.raw(await ctx.server("--limits-calls-per-second", "0"))
    await raw.sign_in(ctx.name())
    await raw.write(b"".join(
        frame(1, json.dumps({"jsonrpc": "2.0", "id": n, "method": "session.ping"}).encode())
        for n in range(1000)))
    for n in range(1000):
        assert (await raw.answer())["id"] == n


async def test_ten_malformed_in_a_row(ctx):
    """Ten malformed requests in a row close with 1008; a good one between starts the count anew."""
    server = await ctx.server()
    client = await ctx.user(server)
    for _ in range(3):
        for _ in range(9):
            assert (await client.raw_answer("{"))["error"]["code"] == -32700
        await client.call("session.ping")
    for n in range(10):
        await client.write("{" if n % 2 else "5")
    assert await client.ended() == 1008


async def test_deep_nesting(ctx):
    """JSON nested a hundred thousand deep is an error, not the end of the server."""
    client = await ctx.user(await ctx.server())
    for text in ("[" * 100_000, '{"a":' * 40_000, "[" * 50_000 + "]" * 50_000):
        answer = await client.raw_answer(text)
        assert answer["error"]["code"] in (-32700, -32600), answer
    await client.call("session.ping")


async def test_strange_json(ctx):
    """Doubled members, huge numbers and long names are answered one way or the other."""
    client = await ctx.user(await ctx.server())
    for text in (
            '{"jsonrpc":"2.0","id":1,"id":2,"method":"session.ping"}',
            '{"jsonrpc":"2.0","id":1,"method":"session.ping","params":{"a":1e999}}',
            '{"jsonrpc":"2.0","id":1,"method":"channel.list","params":{"limit":1e400}}',
            '{"jsonrpc":"2.0","id":1,"method":"channel.list","params":{"limit":%s}}' % ("9" * 5000),
            '{"jsonrpc":"2.0","id":1,"method":"%s"}' % ("m" * 100_000),
            '{"jsonrpc":"2.0","id":"%s","method":"session.ping"}' % ("i" * 100_000),
            "\ufeff" + PING.decode()):
        answer = await client.raw_answer(text)
        assert "result" in answer or "error" in answer, answer
        assert len(json.dumps(answer)) < 250_000
        await client.call("session.ping")


async def test_a_huge_batch(ctx):
    """A batch of thousands is answered or refused as a whole; the connection goes on."""
    client = await ctx.user(await ctx.server())
    answer = await client.raw_answer(
        "[" + ",".join('{"jsonrpc":"2.0","id":%d,"method":"x"}' % n for n in range(5000)) + "]")
    if isinstance(answer, dict):
        assert answer["error"]["code"] == -32600, answer
    else:
        assert len(answer) == 5000
    await client.call("session.ping")


async def test_random_bytes(ctx):
    """Random bytes as HTTP, as frames and as JSON leave the server serving others."""
    server = await ctx.server("--limits-calls-per-second", "0")
    seed = random.randrange(1 << 30)
    dice = random.Random(seed)
    bystander = await ctx.user(server)
    for _ in range(40):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(dice.randbytes(dice.randrange(1, 3000)))
        writer.close()
        raw = await ctx.raw(server)
        try:
            await raw.sign_in(ctx.name())
            await raw.write(dice.randbytes(dice.randrange(1, 3000)))
            await raw.write(frame(1, dice.randbytes(100)))
        except (ConnectionError, AssertionError):
            pass
        raw.writer.transport.abort()
    good = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "message.send", "params": {
        "channel_url": "some", "message": "text", "metaarray": [{"key": "a", "value": ["b"]}]}})
    for _ in range(300):
        broken = list(good)
        for _ in range(dice.randrange(1, 4)):
            broken[dice.randrange(len(broken))] = dice.choice('{}[]",:0x\\ \u00e9')
        client = bystander
        before = len(client.inbox)
        await client.write("".join(broken))
        await client.call("session.ping")
        assert len(client.inbox) >= before + 1, f"seed {seed}"
    await bystander.call("session.ping")


async def test_a_slow_consumer(ctx):
    """One that does not read is closed with 4004 once too much waits; others are unharmed."""
    server = await ctx.fresh(
        "--limits-outbound-bytes", "262144", "--limits-flood-messages", "0",
        "--limits-throttle-messages", "0", "--limits-calls-per-second", "0")
    channel, owner, viewer = await ctx.room(server, 1)
    slow = await RawSocket.open(server, receive_buffer=4096)
    ctx.clients.append(slow)
    name = ctx.name("slow")
    await slow.sign_in(name)
    await slow.text({"jsonrpc": "2.0", "id": 2, "method": "channel.enter",
                     "params": {"channel_url": channel}})
    await slow.answer()
    gone = asyncio.create_task(owner.until(lambda: [
        e for e in owner.told("channel.user_exited", channel_url=channel)
        if e["params"]["user"]["user_id"] == name], "the slow one's leaving"))
    sent = 0
    while not gone.done():
        await owner.send(channel, "x" * 5000, data="d" * 16_000)
        sent += 1
    await gone
    code = await slow.close_code()
    assert code == 4004, code
    await viewer.until(lambda: len(viewer.messages(channel)) == sent)


async def test_http_nonsense(ctx):
    """Requests that are no upgrade, or a broken one, get an HTTP error and no connection."""
    server = await ctx.server()
    assert (await http(server.port, "GET", "/v1/ws"))[0] in (400, 426)
    key = {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    assert (await http(server.port, "GET", "/v1/ws", upgrade))[0] == 400
    status, fields, _ = await http(
        server.port, "GET", "/v1/ws", {**upgrade, **key, "Sec-WebSocket-Version": "8"})
    assert status == 426 and fields.get("sec-websocket-version") == "13", (status, fields)
    assert (await http(server.port, "POST", "/v1/ws", {**upgrade, **key}))[0] in (400, 405)
    status, _, body = await http(server.port, "GET", "/nowhere", {**upgrade, **key})
    assert status == 404, status
    assert json.loads(body)["code"] == 400930, body


async def raw_http(server, data, until_end=True):
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    try:
        writer.write(data)
        async with asyncio.timeout(DEADLINE):
            return await (reader.read() if until_end else reader.readuntil(b"\r\n\r\n"))
    except (ConnectionError, asyncio.IncompleteReadError):
        return b""
    finally:
        writer.close()


async def test_http_framing(ctx):
    """Heads that are too long, doubled lengths and other ambiguities are refused with 4xx."""
    server = await ctx.server()
    for data in (
            b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 200_000 + b"\r\n\r\n",
            b"GET /" + b"x" * 200_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"GET /healthz HTTP/1.1\r\n\r\n",
            b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: b\r\n\r\n",
            b"POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
            b"POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            b"POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
            b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nBad Name: x\r\n\r\n",
            b"GET /healthz HTTP/9.9\r\nHost: localhost\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + os.urandom(200)):
        answer = await raw_http(server, data)
        first = answer.split(b"\r\n")[0]
        assert not answer or first[9:10] in (b"4", b"5"), (data[:60], first)


async def test_a_head_that_never_ends(ctx):
    """A request's head that has not come within limits.head_timeout_ms ends the connection."""
    server = await ctx.fresh("--limits-head-timeout-ms", "300")
    answer = await raw_http(server, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
    assert not answer or answer.startswith(b"HTTP/1.1 408"), answer


async def test_vanishing_clients(ctx):
    """Clients that vanish while requests are under way leave a server that serves others."""
    server = await ctx.server("--limits-flood-messages", "0")
    channel, owner = await ctx.room(server, 0)
    for _ in range(40):
        raw = await ctx.raw(server)
        await raw.sign_in(ctx.name())
        await raw.text({"jsonrpc": "2.0", "id": 2, "method": "channel.enter",
                        "params": {"channel_url": channel}})
        for n in range(5):
            await raw.text({"jsonrpc": "2.0", "id": n, "method": "message.send",
                            "params": {"channel_url": channel, "message": "x"}})
        raw.writer.transport.abort()
    await owner.until(lambda: len(owner.told("channel.user_exited", channel_url=channel))
                      == len(owner.told("channel.user_entered", channel_url=channel)))
    await owner.send(channel, "still here")
    page = await owner.call("channel.participants", channel_url=channel)
    assert [u["user_id"] for u in page["participants"]] == [owner.user_id]
