"""Event streams: the same sessions over Server-Sent Events and posted messages."""

import asyncio
import json
import random
import re

from edges import make_certificate, with_tls
from eventstreams import Stream, begin, post, proxy, request
from harness import DEADLINE, eventually, fence, http
from hooks import BackEnd

# Neither spam-flood protection nor the throttle.
FREE = ("--limits-flood-messages", "0", "--limits-throttle-messages", "0")


async def chat(ctx, server, count=0):
    """A channel with an operator on a WebSocket and a stream in it."""
    channel, owner = await ctx.room(server, count)
    stream = await Stream.open(server.port, ctx.name("user"))
    await stream.listen()
    assert "result" in await stream.call("channel.enter", channel_url=channel)
    return channel, owner, stream


async def test_a_chat(ctx):
    """A session over a stream sends and receives as one over a WebSocket."""
    server = await ctx.server()
    channel, owner, stream = await chat(ctx, server)
    assert stream.result["user"]["user_id"] and stream.result["limits"]["message_bytes"]
    sent = await stream.call("message.send", channel_url=channel, message="hello")
    assert sent["result"]["message"]["message"] == "hello"
    await owner.send(channel, "hi\nthere")
    await stream.until(lambda: "hi\nthere" in stream.messages())
    await owner.until(lambda: owner.messages(channel), "the message")
    assert owner.messages(channel)[0]["message"] == "hello"
    status, named, _ = await http(server.port, "DELETE", stream.address)
    assert status == 204, status
    await stream.until(lambda: stream.closed)
    assert stream.closed == {"code": 1000, "reason": ""}
    assert await stream.response.event() is None and stream.response.ended
    for method in ("GET", "DELETE", "POST"):
        body = json.dumps(request("session.ping")).encode()
        fields = {"Content-Length": str(len(body))} if method == "POST" else {}
        status, _, answer = await http(
            server.port, method, f"{stream.address}?after={stream.last}" if method == "GET" else stream.address,
            fields, body if method == "POST" else b"")
        assert status == 410, (method, status, answer)


async def test_a_chat_by_curl(ctx):
    """curl alone is enough for a chat."""
    server = await ctx.server()
    base = f"http://127.0.0.1:{server.port}"

    async def curl(*arguments):
        status, output, errors = await ctx.run("curl", "-sS", *arguments)
        assert status == 0, errors
        return output

    async def message(address, method, **params):
        return json.loads(await curl(base + address, "--json", json.dumps(request(method, 7, **params))))

    opened = await message("/v1/streams", "session.open", user_id=ctx.name("user"), groups=False)
    address, channel = opened["stream"], ctx.name("room")
    assert await message(address, "channel.create", channel_url=channel) == {}
    assert await message(address, "channel.enter", channel_url=channel) == {}
    assert await message(address, "message.send", channel_url=channel, message="by curl") == {}
    polled = b""
    last = 0
    while b"by curl" not in polled:
        polled = await curl(f"{base}{address}?poll=1&after={last}")
        last = max(map(int, re.findall(rb"^id: (\d+)$", polled, re.M)), default=last)
    await curl("-X", "DELETE", base + address)


async def test_the_head_and_the_beginning(ctx):
    """The response is neither cached nor transformed, begins with hello, and with padding if asked for."""
    server = await ctx.server()
    stream = await Stream.open(server.port, ctx.name("user"))
    response = await stream.listen("?padding=2048")
    assert response.status == 200
    assert response.fields["content-type"].startswith("text/event-stream")
    assert response.fields["cache-control"] == "no-store, no-transform"
    assert response.fields["x-accel-buffering"] == "no"
    assert "content-length" not in response.fields
    while b"hello" not in response.text:
        assert await response.more()
    assert response.text.index(b"event: hello") == 2048, response.text.index(b"event: hello")
    assert (await response.event()) == {"event": "hello", "data": '{"after":0}'}
    response.close()
    old = await stream.listen(version="1.0")
    assert old.fields["connection"] == "close" and "transfer-encoding" not in old.fields
    assert (await old.event())["event"] == "hello"
    status, _, _ = await http(server.port, "HEAD", stream.address)
    assert status == 200


async def test_resuming(ctx):
    """A request with Last-Event-ID continues after that event; an event is neither lost nor repeated."""
    server = await ctx.server(*FREE)
    channel, owner, stream = await chat(ctx, server)
    for count in range(1, 30):
        await owner.send(channel, str(count))
        await stream.until(lambda: stream.messages())
        if count % 3 == 0:
            # Events that were sent and not read are sent again.
            await stream.listen()
    await stream.until(lambda: len(stream.messages()) == 29)
    assert stream.messages() == [str(n) for n in range(1, 30)]
    # A confirmed event is gone.
    response = await begin(server.port, f"{stream.address}?after={stream.last - 1}")
    assert response.status == 410 or (await response.event())["event"] == "hello"


async def test_polls(ctx):
    """Polls carry the same events in the same order."""
    server = await ctx.server(*FREE)
    channel, owner = await ctx.room(server, 0)
    stream = await Stream.open(server.port, ctx.name("user"))
    await stream.send("channel.enter", channel_url=channel)
    await stream.poll()
    for count in range(20):
        await owner.send(channel, str(count))
        if count % 4 == 0:
            await stream.poll()
    while len(stream.messages()) < 20:
        await stream.poll()
    assert stream.messages() == [str(n) for n in range(20)]


async def test_one_event_loop(ctx):
    """Streams whose requests arrive on their own event loop carry the same."""
    server = await ctx.server(*FREE, "--reactors", "1")
    channel, owner, stream = await chat(ctx, server)
    await owner.send(channel, "0")
    await stream.until(lambda: stream.messages())
    stream.response.close()
    for count in range(1, 4):
        await owner.send(channel, str(count))
        while len(stream.messages()) <= count:
            await stream.poll()
    await stream.listen(Accept_Encoding="gzip")
    await owner.send(channel, "4")
    await stream.until(lambda: len(stream.messages()) == 5)
    assert stream.messages() == [str(n) for n in range(5)]


async def test_several_event_loops_and_tls(ctx):
    """Requests for events arrive on any event loop, over TLS too, with more requests behind them."""
    server, port, trust = await with_tls(
        ctx, *make_certificate(ctx.directory(), "streams"), *FREE, "--reactors", "4")
    channel, owner = await ctx.room(server, 0)
    streams = [await Stream.open(server.port, ctx.name("user")) for _ in range(8)]
    for index, stream in enumerate(streams):
        where = {"port": port, "tls": trust} if index % 2 else {"port": server.port}
        fields = {"Accept_Encoding": "gzip"} if index % 3 == 0 else {}

        async def listen(stream=stream, where=where, fields=fields):
            stream.response = await begin(
                target=f"{stream.address}?after={stream.last}", body=b"GET /health/live HTTP/1.1\r\n\r\n",
                **where, **fields)
        await listen()
        assert "result" in await stream.call("channel.enter", channel_url=channel)
        stream.listen_again = listen
    for count in range(12):
        await owner.send(channel, "x" * (count * 1_000 % 4_900) + str(count))
        for index, stream in enumerate(streams):
            match (count + index) % 4:
                case 0: await stream.listen_again()
                case 1:
                    stream.response.close()
                    await stream.listen_again()
    for stream in streams:
        await stream.until(lambda: len(stream.messages()) == 12)
        assert [text.lstrip("x") for text in stream.messages()] == [str(n) for n in range(12)]
        status, _, _ = await http(server.port, "DELETE", stream.address)
        assert status == 204
        await stream.until(lambda: stream.closed)
        assert await stream.response.event() is None and stream.response.ended


async def test_posts_confirm(ctx):
    """A posted message confirms the events that its client has received; one of the future is refused."""
    server = await ctx.server(*FREE)
    channel, owner, stream = await chat(ctx, server)
    await owner.send(channel, "x")
    await stream.until(lambda: stream.messages())
    ping = request("session.ping", 90)
    status, _, answer = await post(server.port, f"{stream.address}?after={stream.last + 1}", ping)
    assert (status, answer["code"]) == (400, 400113), answer
    status, _, _ = await post(server.port, f"{stream.address}?after={stream.last}", ping)
    assert status == 202
    confirmed = stream.last
    await stream.until(lambda: 90 in stream.answers)
    assert (await begin(server.port, f"{stream.address}?after={confirmed - 1}")).status == 410
    await stream.listen(f"?after={confirmed}")
    await owner.send(channel, "y")
    stream.last = confirmed
    await stream.until(lambda: len(stream.messages()) == 2)


async def test_a_second_reader(ctx):
    """A second request takes over, and the first ends; so do a hundred."""
    server = await ctx.server()
    channel, owner, stream = await chat(ctx, server)
    first = stream.response
    readers = [await begin(server.port, stream.address, Last_Event_ID=str(stream.last)) for _ in range(100)]
    assert await first.event() is None and first.ended
    for reader in readers[:-1]:
        while await reader.event():
            pass
        assert reader.ended
    stream.response = readers[-1]
    await owner.send(channel, "x")
    await stream.until(lambda: stream.messages())
    for reader in readers:
        reader.close()


async def test_bad_positions(ctx):
    """A position that is negative, a text or in the future is refused, and the current reader stays."""
    server = await ctx.server()
    channel, owner, stream = await chat(ctx, server)
    for value in ("-1", "x", "1e3", "+1", " ", "99999999999999999999", "18446744073709551615"):
        response = await begin(server.port, stream.address, Last_Event_ID=value)
        assert response.status == 400, (value, response.status)
    status, _, body = await http(server.port, "GET", stream.address + f"?after={stream.last + 1}")
    assert status == 400 and json.loads(body)["code"] == 400113, body
    for query in ("?after=-1", "?poll=2", "?padding=x", "?padding=65537", "?from=1"):
        status, _, body = await http(server.port, "GET", stream.address + query)
        assert status == 400, (query, status, body)
    await owner.send(channel, "x")
    await stream.until(lambda: stream.messages())


async def test_bad_bodies(ctx):
    """A body that is no request is refused with 400 and −32700, and nothing of it is on the stream."""
    server = await ctx.server()
    stream = await Stream.open(server.port, ctx.name("user"))
    await stream.listen()
    for body in (b"", b"{", b"hello", b"\xff", b'{"jsonrpc":"2.0"'):
        status, _, answer = await post(server.port, stream.address, body)
        assert (status, answer["code"]) == (400, -32700), (body, status, answer)
    for body in (b"[]", b"5", b'"x"', b"{}"):
        status, _, answer = await post(server.port, stream.address, body)
        assert (status, answer["code"]) == (400, -32600), (body, status, answer)
    assert "result" in await stream.call("session.ping")
    limit = stream.result["limits"]["message_bytes"]
    status, _, answer = await post(
        server.port, stream.address, json.dumps(request("session.ping", x="x" * limit)).encode())
    assert status == 413, (status, answer)
    both = [request("session.ping", 50), request("session.ping", 51)]
    status, _, _ = await post(server.port, stream.address, both)
    assert status == 202
    while True:
        event = await stream.response.event()
        if event["data"].startswith("["):
            break
        stream.note(event)
    assert [part["id"] for part in json.loads(event["data"])] == [50, 51]


async def test_bad_openings(ctx):
    """A stream is opened only by session.open; an error has its status."""
    server = await ctx.server()
    for body, code in ((b"x", -32700), (b"[]", -32600), (request("session.ping"), -32600),
                       ([request("session.open", user_id="a")], -32600),
                       ({"jsonrpc": "2.0", "method": "session.open", "params": {"user_id": "a"}}, -32600),
                       (request("session.open"), 400105),
                       (request("session.open", user_id=5), 400100)):
        status, _, answer = await post(server.port, "/v1/streams", body)
        assert (status, answer["code"]) == (400, code), (body, status, answer)
    closed = await ctx.server("--auth-mode", "token")
    status, _, answer = await post(
        closed.port, "/v1/streams", request("session.open", user_id="a", access_token="b"))
    assert (status, answer["code"]) == (401, 400302), (status, answer)
    assert (await begin(server.port, "/v1/streams")).status == 405

    async def none():
        _, _, text = await server.get("/metrics")
        return True if b"parley_streams" in text else None
    await eventually(none)


async def test_guessed_addresses(ctx):
    """An address that was not issued is unknown, whatever it resembles."""
    server = await ctx.server()
    stream = await Stream.open(server.port, ctx.name("user"))
    prefix, secret = stream.address.rsplit("/", 1)
    guesses = ["x", "A" * 48, secret[:-1], secret + "A", secret[:16] + "A" * 32, "%00", "é"]
    for index in (4, 10, 14, 16, 30, 47):
        letter = "A" if secret[index] != "A" else "B"
        guesses.append(secret[:index] + letter + secret[index + 1:])
    for guess in guesses:
        for method in ("GET", "POST", "DELETE"):
            status, _, answer = await http(
                server.port, method, f"{prefix}/{guess}", {"Content-Length": "0"} if method == "POST" else None)
            assert status in (404, 400) and secret not in answer.decode(), (guess, method, status)
    assert not any(secret in line for line in server.lines)


async def test_gzip(ctx):
    """A client that accepts gzip gets it, and each event at once."""
    server = await ctx.server(*FREE)
    channel, owner = await ctx.room(server, 0)
    stream = await Stream.open(server.port, ctx.name("user"))
    await stream.listen(Accept_Encoding="gzip")
    assert stream.response.inflater
    await stream.call("channel.enter", channel_url=channel)
    for count in range(5):
        await owner.send(channel, "hello " * 50 + str(count))
        await stream.until(lambda: len(stream.messages()) == count + 1)
    response = stream.response
    await http(server.port, "DELETE", stream.address)
    await stream.until(lambda: stream.closed)
    assert await response.event() is None and response.inflater.eof


async def test_cross_origin(ctx):
    """The rules for origins are those of upgrades, and allowed pages may read the answers."""
    server = await ctx.server("--auth-allowed-origins", "https://app.example")
    body = json.dumps(request("session.open", user_id=ctx.name("user"))).encode()
    fields = {"Content-Length": str(len(body)), "Origin": "https://evil.example"}
    status, _, _ = await http(server.port, "POST", "/v1/streams", fields, body)
    assert status == 403
    fields["Origin"] = "https://app.example"
    status, named, content = await http(server.port, "POST", "/v1/streams", fields, body)
    assert status == 201 and named["access-control-allow-origin"] == "https://app.example"
    address = json.loads(content)["stream"]
    status, named, _ = await http(
        server.port, "OPTIONS", address,
        {"Origin": "https://app.example", "Access-Control-Request-Method": "POST"})
    assert status == 204 and "POST" in named["access-control-allow-methods"]
    assert "Content-Type" in named["access-control-allow-headers"]
    for origin, status in (("https://app.example", 200), ("https://evil.example", 403)):
        response = await begin(server.port, address, Origin=origin)
        assert response.status == status
        assert response.fields.get("access-control-allow-origin") == (origin if status == 200 else None)
        response.close()


async def test_a_lost_client(ctx):
    """A stream without a request is closed after the grace period as a lost connection."""
    server = await ctx.server("--streams-grace-seconds", "1")
    channel, owner, stream = await chat(ctx, server)
    await fence(channel, owner)
    stream.response.close()
    await owner.until(
        lambda: owner.told("channel.user_exited", channel_url=channel), "the end of the stream")
    response = await begin(server.port, f"{stream.address}?after={stream.last}")
    assert response.status == 410, response.status


async def test_a_stream_never_read(ctx):
    """A stream whose client never asks for events ends."""
    server = await ctx.server("--streams-grace-seconds", "1")
    stream = await Stream.open(server.port, ctx.name("user"))

    async def is_gone():
        status, _, _ = await post(server.port, stream.address, request("session.ping"))
        return status == 410
    await eventually(is_gone)


async def test_a_reader_that_stops(ctx):
    """A stream whose unread events exceed the limit is closed with 4004."""
    server = await ctx.server(*FREE, "--limits-outbound-bytes", "300000")
    channel, owner, stream = await chat(ctx, server)
    stream.response.close()

    async def is_closed():
        for _ in range(20):
            await owner.send(channel, "x" * 4000)
        response = await begin(server.port, f"{stream.address}?poll=1&after={stream.last}")
        if response.status == 410:
            return True
        events = await response.rest()
        return events and events[-1].get("event") == "close" and "4004" in events[-1]["data"]
    for _ in range(80):
        await owner.send(channel, "x" * 4000)
    assert await eventually(is_closed)


async def test_flood_and_ban(ctx):
    """Spam-flood protection and bans are those of sockets."""
    server = await ctx.server("--limits-flood-messages", "3", "--limits-flood-window-ms", "600000")
    channel, owner, stream = await chat(ctx, server)
    answers = [await stream.call("message.send", channel_url=channel, message=str(n)) for n in range(5)]
    assert [answer.get("error", {}).get("code") for answer in answers] == [None] * 3 + [900200] * 2
    await owner.call("channel.ban", channel_url=channel, user_id=stream.result["user"]["user_id"])
    answer = await stream.call("message.send", channel_url=channel, message="x")
    assert answer["error"]["code"] in (400750, 900020), answer


async def test_the_throttle(ctx):
    """The throttle withholds the same messages from a stream as from a socket."""
    server = await ctx.server("--limits-flood-messages", "0", "--limits-throttle-messages", "2",
                              "--limits-throttle-window-ms", "600000")
    channel, owner, stream = await chat(ctx, server)
    viewer = await ctx.user(server)
    await viewer.enter(channel)
    sender = await ctx.user(server)
    await sender.enter(channel)
    for count in range(5):
        await sender.send(channel, f"m{count}")
    await fence(channel, owner, viewer)
    await stream.until(lambda: any(event["method"] == "channel.changed" for event in stream.events))
    assert len(stream.messages()) == len(viewer.messages(channel)) == 2, stream.messages()


async def test_the_back_end(ctx):
    """The app's back end is asked about a session, and learns that a stream carries it."""
    async with BackEnd() as back_end:
        server = await ctx.fresh(*back_end.flags("session.open"))
        await Stream.open(server.port, "ada")
        assert [asked["session"]["transport"] for asked in back_end.questions] == ["stream"]
        back_end.decide = lambda question: {"allow": False, "code": 910001, "message": "not today"}
        status, _, answer = await post(server.port, "/v1/streams", request("session.open", user_id="ben"))
        assert (status, answer["code"]) == (403, 910001), (status, answer)


async def test_messages_that_wait(ctx):
    """While a session is not read, eight messages wait, and another one is refused with 429."""
    server = await ctx.server("--limits-calls-per-second", "10", "--limits-calls-burst", "10")
    stream = await Stream.open(server.port, ctx.name("user"))
    await stream.listen()
    await post(server.port, stream.address, [request("session.ping", n) for n in range(100)])
    answers = await asyncio.gather(
        *(post(server.port, stream.address, request("session.ping", 200 + n)) for n in range(20)))
    counts = {status: sum(1 for answer in answers if answer[0] == status) for status in (202, 429)}
    assert counts[202] >= 8 and counts[202] + counts[429] == 20 and counts[429] > 0, counts
    refused = next(answer for answer in answers if answer[0] == 429)
    assert refused[2]["code"] == 500910 and refused[1]["retry-after"] == "1", refused


async def test_too_many_sessions(ctx):
    """A stream is one of the sessions of its user, the oldest of which is closed with 4003."""
    server = await ctx.server("--limits-connections-per-user", "2")
    user = ctx.name("user")
    first = await Stream.open(server.port, user)
    await first.listen()
    second = await Stream.open(server.port, user)
    await ctx.user(server, user)
    await first.until(lambda: first.closed)
    assert first.closed["code"] == 4003
    await second.listen()
    assert "result" in await second.call("session.ping")


async def test_draining(ctx):
    """A server that stops asks streams to reconnect, and closes them with 1001."""
    server = await ctx.fresh()
    _, _, stream = await chat(ctx, server)
    ending = asyncio.create_task(server.end())
    await stream.until(lambda: stream.closed)
    assert stream.closed["code"] == 1001
    assert any(event["method"] == "server.draining" for event in stream.events)
    assert await ending == 0


async def test_ended_streams_are_released(ctx):
    """A stream whose client has ended it is gone at once; another is kept for its last event, but not on the way out."""
    server = await ctx.fresh("--streams-grace-seconds", "600", "--limits-connections-per-user", "1")

    async def streams():
        _, _, text = await server.get("/metrics")
        return int(re.search(rb"^parley_streams (\d+)$", text, re.M)[1])
    for number in range(5):
        stream = await Stream.open(server.port, ctx.name("user"))
        if number % 2:
            await stream.listen()
        if number == 3:
            await stream.send("session.close")
        else:
            status, _, _ = await http(server.port, "DELETE", stream.address)
            assert status == 204
        if number % 2:
            await stream.until(lambda stream=stream: stream.closed)

    async def none():
        return await streams() == 0
    await eventually(none, "the end of all streams")
    first = await Stream.open(server.port, "ada")
    await first.listen()
    second = await Stream.open(server.port, "ada")
    await first.until(lambda: first.closed)
    assert first.closed["code"] == 4003 and await streams() == 2
    again = await begin(server.port, f"{first.address}?poll=1&after={first.last - 1}")
    assert "4003" in (await again.rest())[-1]["data"]
    assert (await begin(server.port, second.address, method="DELETE")).status == 204
    assert await server.end() == 0


async def test_switched_off(ctx):
    """With streams.mode off there are no streams."""
    server = await ctx.server("--streams-mode", "off")
    status, _, answer = await post(server.port, "/v1/streams", request("session.open", user_id="a"))
    assert (status, answer["code"]) == (404, 400930), (status, answer)


async def test_a_proxy_that_cuts(ctx):
    """Through a proxy that cuts at random, no event is lost or repeated, and all are in order."""
    server = await ctx.server(*FREE)
    channel, owner, stream = await chat(ctx, server)
    dice = random.Random(7)

    def cutting():
        rest = dice.randrange(300, 6000)

        async def pass_on(data, writer):
            nonlocal rest
            writer.write(data[:rest])
            await writer.drain()
            rest -= len(data)
            return rest > 0
        return pass_on
    listener, port = await proxy(server.port, cutting)
    count = 300

    async def talk():
        for number in range(count):
            await owner.send(channel, str(number))
    talking = asyncio.create_task(talk())
    stream.port, cuts = port, 0
    async with asyncio.timeout(DEADLINE):
        while len(stream.messages()) < count:
            try:
                response = await stream.listen()
            except (OSError, asyncio.IncompleteReadError):
                continue
            while len(stream.messages()) < count and (event := await response.event()):
                stream.note(event)
            response.close()
            cuts += 1
    await talking
    assert stream.messages() == [str(n) for n in range(count)]
    assert cuts > 5, cuts
    listener.close()


async def test_a_proxy_that_holds_back(ctx):
    """Through a proxy that holds responses back until they end, polls carry everything."""
    server = await ctx.server(*FREE)
    channel, owner, stream = await chat(ctx, server)

    def holding():
        held = b""

        async def pass_on(data, writer):
            nonlocal held
            held += data
            if len(held) >= 65536 or held.endswith(b"0\r\n\r\n"):
                writer.write(held)
                await writer.drain()
                held = b""
            return True
        return pass_on
    listener, port = await proxy(server.port, holding)
    stream.port = port
    for number in range(100):
        await owner.send(channel, str(number))
    while len(stream.messages()) < 100:
        await stream.poll()
    assert stream.messages() == [str(n) for n in range(100)]
    listener.close()


async def test_a_slow_post(ctx):
    """A message posted byte by byte is given up, and others are not held up."""
    server = await ctx.server("--limits-head-timeout-ms", "1000")
    stream = await Stream.open(server.port, ctx.name("user"))
    await stream.listen()
    body = json.dumps(request("session.ping")).encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(f"POST {stream.address} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n".encode())

    async def trickle():
        for byte in body:
            writer.write(bytes([byte]))
            await asyncio.sleep(0.2)
    trickling = asyncio.create_task(trickle())
    assert "result" in await stream.call("session.ping")
    async with asyncio.timeout(DEADLINE):
        line = await reader.readuntil(b"\r\n")
    assert b" 408 " in line, line
    trickling.cancel()
    writer.close()
