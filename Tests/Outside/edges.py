"""Where two rules meet."""

import asyncio
import contextlib
import json
import os
import re
import signal
import socket
import ssl
import subprocess

from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from harness import (
    DEADLINE, Client, RawSocket, Server, eventually, fence, http, known, process_environment)

FREE = ("--limits-flood-messages", "0")


async def burst(client, channel, count, **params):
    waiting = [await client.ask("message.send", channel_url=channel, message=str(n), **params)
               for n in range(count)]
    return [await client.result(part) for part in waiting]


async def test_req_ids_of_a_deleted_channel(ctx):
    """A req_id used in a deleted channel is free in the new channel at the same address."""
    server = await ctx.server()
    channel, owner = await ctx.room(server, 0)
    first = await owner.send(channel, "old", req_id="q")
    await owner.call("channel.delete", channel_url=channel)
    await owner.call("channel.create", channel_url=channel)
    await owner.enter(channel)
    second = await owner.send(channel, "new", req_id="q")
    assert second["message"]["message"] == "new"
    assert second["message"]["message_id"] > first["message"]["message_id"]


async def test_a_repeat_of_a_deleted_message(ctx):
    """A repeat of a send whose message was deleted since sends nothing anew."""
    server = await ctx.server()
    channel, owner, viewer = await ctx.room(server, 1)
    first = (await owner.send(channel, "x", req_id="q"))["message"]
    await owner.call("message.delete", channel_url=channel, message_id=first["message_id"])
    try:
        again = await owner.send(channel, "x", req_id="q")
        assert again["message"]["message_id"] == first["message_id"], again
    except Exception as refusal:
        assert getattr(refusal, "code", None) in (400201, 400202), refusal
    await fence(channel, owner, viewer)
    assert len(viewer.messages(channel)) == 1
    assert (await owner.call("message.list", channel_url=channel))["messages"] == []


async def test_req_ids_in_an_ephemeral_channel(ctx):
    """In an ephemeral channel a repeated req_id answers with the first message, too."""
    server = await ctx.server()
    channel, owner, viewer = await ctx.room(server, 1, is_ephemeral=True)
    first = await owner.send(channel, "x", req_id="q")
    assert await owner.send(channel, "y", req_id="q") == first
    await fence(channel, owner, viewer)
    assert len(viewer.messages(channel)) == 1


@known("nothing of an ephemeral channel's messages is stored")
async def test_req_ids_in_an_ephemeral_channel_after_kill_9(ctx):
    """In an ephemeral channel a repeat after kill -9 and a restart sends nothing, too."""
    server = await ctx.fresh()
    channel, owner = await ctx.room(server, 0, is_ephemeral=True)
    first = await owner.send(channel, "x", req_id="q")
    await server.kill()
    server = await ctx.fresh(data=server.data)
    owner = await ctx.user(server, owner.user_id)
    await owner.enter(channel)
    again = await owner.send(channel, "x", req_id="q")
    assert again["message"]["message_id"] == first["message"]["message_id"], (first, again)


def farewell(name, channel, text):
    """The frames of a client that opens, enters, sends and says no more."""
    calls = [("session.open", {"user_id": name}), ("channel.enter", {"channel_url": channel}),
             ("message.send", {"channel_url": channel, "message": text}), ("user.get", {"user_id": name})]
    return b"".join(
        RawSocket.frame(1, json.dumps(
            {"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode())
        for number, (method, params) in enumerate(calls))


async def rest(wire):
    """The numbers of the calls that were answered, and the close code, of a connection that ends."""
    answered, code = [], None
    while frame := await wire.read():
        opcode, payload = frame
        if opcode == 8:
            code = int.from_bytes(payload[:2])
        elif opcode == 1 and "id" in (value := json.loads(payload)):
            assert "result" in value, value
            answered.append(value["id"])
    return answered, code


async def test_requests_before_a_close_frame(ctx):
    """What was asked before a close frame, or the end of the client's side, is carried out and answered."""
    server = await ctx.server(*FREE)
    channel, owner = await ctx.room(server, 0)
    for text in ("close", "half", "closed"):
        wire = await ctx.raw(server)
        frames = farewell(ctx.name(), channel, text)
        await wire.write(frames if text == "half" else frames + RawSocket.frame(8, b"\x03\xe8"))
        if text == "closed":
            wire.writer.close()
        else:
            if text == "half":
                wire.writer.write_eof()
            assert await rest(wire) == ([0, 1, 2, 3], None if text == "half" else 1000)
        await owner.event("message.received", channel_url=channel)
        await owner.until(lambda: owner.messages(channel)[-1]["message"] == text)
    # Nobody is left in the channel.
    async def is_left():
        return len((await owner.call("channel.participants", channel_url=channel))["participants"]) == 1
    await eventually(is_left)


async def test_a_client_that_leaves_at_once(ctx):
    """A client of a library that closes right after it has sent has its message sent."""
    server = await ctx.server(*FREE)
    channel, owner = await ctx.room(server, 0)
    async with connect(f"ws://127.0.0.1:{server.port}/v1/ws") as socket:
        for method, params in (
                ("session.open", {"user_id": ctx.name()}), ("channel.enter", {"channel_url": channel}),
                ("message.send", {"channel_url": channel, "message": "bye"})):
            await socket.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
    assert (await owner.event("message.received", channel_url=channel))["message"]["message"] == "bye"


async def test_lists_come_after_their_events(ctx):
    """A list of messages comes after the events of all messages in it."""
    server = await ctx.server(*FREE, "--limits-throttle-messages", "0")
    channel, owner, *senders = await ctx.room(server, 4)
    ends = asyncio.get_running_loop().time() + 3

    async def write(sender):
        while asyncio.get_running_loop().time() < ends:
            await burst(sender, channel, 5)
    writing = asyncio.gather(*map(write, senders))
    lists = 0
    while asyncio.get_running_loop().time() < ends:
        answer = await owner.raw_answer({
            "jsonrpc": "2.0", "id": 1_000_000 + lists, "method": "message.list",
            "params": {"channel_url": channel, "prev_limit": 3}})
        lists += 1
        position = owner.inbox.index(answer)
        before = {value["params"]["message"]["message_id"] for value in owner.inbox[:position]
                  if value.get("method") == "message.received"}
        assert {m["message_id"] for m in answer["result"]["messages"]} <= before, answer
    await writing
    assert lists > 10, lists


async def test_a_mentioned_user_half_inside(ctx):
    """A mentioned user with one connection inside is in the channel: no mention.received."""
    server = await ctx.server()
    channel, owner, sender, inside = await ctx.room(server, 2)
    outside = await ctx.user(server, inside.user_id)
    await sender.send(channel, "look", mentioned_user_ids=[inside.user_id])
    await fence(channel, owner, inside)
    await outside.call("session.ping")
    assert not outside.told("mention.received") and not inside.told("mention.received")


async def test_metaarray_updates_of_withheld_messages(ctx):
    """A change of the meta arrays of a withheld message is withheld as well."""
    server = await ctx.server(*FREE)
    channel, owner, sender, viewer = await ctx.room(server, 2)
    sent = [a["message"] for a in await burst(sender, channel, 9)]
    await fence(channel, owner, viewer)
    seen = {m["message_id"] for m in viewer.messages(channel)}
    assert len(seen) < 9
    for message in sent:
        await sender.call("message.add_metaarray_values", channel_url=channel,
                          message_id=message["message_id"], values={"a": ["b"]})
    await fence(channel, owner, viewer)
    told = {e["params"]["message"]["message_id"] for e in viewer.told("message.updated")}
    assert told == seen


async def test_live_events_after_a_throttled_recovery(ctx):
    """After a throttled recovery live messages follow with the next seq, in order."""
    server = await ctx.server(*FREE)
    channel, owner, sender, viewer = await ctx.room(server, 2)
    state = await viewer.enter(channel)
    await viewer.call("channel.exit", channel_url=channel)
    await burst(sender, channel, 20)
    answer = await viewer.enter(channel, recover={"epoch": state["epoch"], "seq": state["seq"]})
    assert answer["recovered"] and len(answer["events"]) < 20
    await asyncio.sleep(1.1)
    sent = await sender.send(channel, "live")
    event = await viewer.until(lambda: [
        e for e in viewer.told("message.received", channel_url=channel)
        if e["params"]["seq"] > answer["seq"]])
    assert event[0]["params"]["seq"] == sent["seq"] == answer["seq"] + 1


async def test_recovery_beside_another_connection(ctx):
    """A second connection of a user that is inside recovers on its own, the first unharmed."""
    server = await ctx.server(*FREE, "--limits-throttle-messages", "0")
    channel, owner, sender, first = await ctx.room(server, 2)
    state = await first.enter(channel)
    sent = await burst(sender, channel, 10)
    second = await ctx.user(server, first.user_id)
    answer = await second.enter(channel, recover={"epoch": state["epoch"], "seq": state["seq"]})
    assert [e["params"]["seq"] for e in answer["events"]] == [a["seq"] for a in sent]
    await sender.send(channel, "live")
    await fence(channel, owner, first, second)
    assert len(first.messages(channel)) == 11 and len(second.messages(channel)) == 1


async def test_forty_sessions_at_once(ctx):
    """Of forty sessions opened at the same time thirty stay and ten are closed with 4003."""
    server = await ctx.server()
    name = ctx.name()
    clients = await asyncio.gather(*(ctx.user(server, name, groups=False) for _ in range(40)))
    done = 0
    async with asyncio.timeout(DEADLINE):
        while done < 10:
            done = sum(1 for client in clients if client.closed is not None)
            await asyncio.sleep(0.01)
    for client in clients:
        if client.closed is None:
            await client.call("session.ping")
        else:
            assert client.closed == 4003, client.closed
    assert sum(1 for client in clients if client.closed is None) == 30


async def test_requests_behind_session_close(ctx):
    """Requests behind session.close are not carried out."""
    server = await ctx.server()
    channel, owner, sender = await ctx.room(server, 1)
    await sender.ask("session.close")
    for n in range(5):
        try:
            await sender.ask("message.send", channel_url=channel, message=str(n))
        except Exception:
            break
    assert await sender.ended() == 1000
    await owner.event("channel.user_exited", channel_url=channel)
    assert (await owner.call("message.list", channel_url=channel))["messages"] == []


async def test_sends_before_session_close_are_kept(ctx):
    """Sends before session.close are answered before it closes, and kept."""
    server = await ctx.server()
    channel, owner, sender = await ctx.room(server, 1)
    waiting = [await sender.ask("message.send", channel_url=channel, message=str(n))
               for n in range(4)]
    waiting.append(await sender.ask("session.close"))
    for part in waiting:
        await sender.result(part)
    listed = await owner.call("message.list", channel_url=channel)
    assert [m["message"] for m in listed["messages"]] == ["0", "1", "2", "3"]


async def test_a_batch_with_session_close(ctx):
    """A batch in which session.close stands is answered as a batch before the connection ends."""
    client = await ctx.user(await ctx.server())
    answer = await client.raw_answer([
        {"jsonrpc": "2.0", "id": "a", "method": "session.ping"},
        {"jsonrpc": "2.0", "id": "b", "method": "session.close"}])
    assert isinstance(answer, list) and len(answer) == 2, answer
    assert await client.ended() == 1000


async def test_odd_user_ids(ctx):
    """User ids of any characters open a session as they are or are refused; nothing breaks."""
    server = await ctx.server()
    channel, owner = await ctx.room(server, 0)
    for user_id in (" ", "a/b?c=d&e", "'; drop table users; --", "\u202e\u200b", "%00", "%", "_",
                    "\x00", "\n", '"', "\\", "é", "e\u0301", "👨‍👩‍👧" * 5):
        client = await ctx.connect(server)
        try:
            opened = await client.call("session.open", user_id=user_id)
        except Exception as refusal:
            assert getattr(refusal, "code", None) in (400151, 400111, 400105), (user_id, refusal)
            continue
        assert opened["user"]["user_id"] == user_id, (user_id, opened)
        await client.enter(channel)
        await client.send(channel, user_id)
        await client.leave()
    await owner.call("session.ping")


async def test_composed_and_decomposed_names(ctx):
    """User ids that look alike but consist of other scalars are never taken for one user."""
    server = await ctx.server()
    stem = ctx.name()
    await ctx.user(server, stem + "\u00e9", nickname="composed")
    other = await ctx.connect(server)
    try:
        opened = await other.call("session.open", user_id=stem + "e\u0301")
        assert opened["user"]["nickname"] == "", opened
    except Exception as refusal:
        assert getattr(refusal, "code", None) == 400151, refusal


async def test_req_ids_that_look_alike(ctx):
    """req_ids that differ in scalars only are different, too."""
    server = await ctx.server()
    channel, owner = await ctx.room(server, 0)
    first = await owner.send(channel, "a", req_id="\u00e9")
    second = await owner.send(channel, "b", req_id="e\u0301")
    assert first["message"]["message_id"] != second["message"]["message_id"]


async def test_a_large_mixed_crowd(ctx):
    """Three hundred participants, plain and compressed, each are shown the same, in order."""
    server = await ctx.server(*FREE, "--limits-throttle-messages", "0")
    channel, owner, sender = await ctx.room(server, 1)
    crowd = []
    for n in range(300):
        client = await ctx.user(server, compression="deflate" if n % 3 == 0 else None)
        await client.enter(channel)
        crowd.append(client)
    sent = [a["message"]["message_id"] for a in await burst(sender, channel, 60)]
    await fence(channel, owner, *crowd)
    for client in crowd:
        assert [m["message_id"] for m in client.messages(channel)] == sent


async def test_more_connections_than_descriptors(ctx):
    """Out of descriptors the server goes on with those it has, and takes others later."""
    process = await asyncio.create_subprocess_exec(
        "sh", "-c", 'ulimit -n 300; exec "$@"', "sh", ctx.parleyd, "--listen", "127.0.0.1:0",
        "--data-dir", ctx.directory(), *ctx.always, stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
        env=process_environment(None))
    server = Server(process)
    ctx.running.append(server)
    async with asyncio.timeout(DEADLINE):
        while server.port is None:
            line = (await process.stderr.readline()).decode()
            assert line, "the server ended"
            if found := re.search(r"listening on ws://127\.0\.0\.1:(\d+)", line):
                server.port = int(found[1])
    server.reading = asyncio.create_task(server._read())
    first = await ctx.user(server)
    plain = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(400)]
    await first.call("session.ping")
    channel = ctx.name()
    await first.call("channel.create", channel_url=channel)
    await first.enter(channel)
    await first.send(channel, "still serving")
    for _, writer in plain:
        writer.close()
    last = None
    async with asyncio.timeout(DEADLINE):
        while last is None:
            try:
                last = await ctx.user(server)
            except (OSError, InvalidStatus):
                # The server has not seen yet that the others are gone.
                await asyncio.sleep(0.05)
    await last.enter(channel)
    await first.event("channel.user_entered", channel_url=channel)


async def test_http_keeps_alive_and_pipelines(ctx):
    """Two requests in one write on one connection are answered in order."""
    server = await ctx.server()
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
                 b"GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    async with asyncio.timeout(DEADLINE):
        answer = await reader.read()
    writer.close()
    assert re.findall(rb"HTTP/1\.1 (\d+)", answer) == [b"200", b"404"], answer


async def test_head_and_other_methods(ctx):
    """HEAD is answered without a body, other methods with 404 or 405."""
    server = await ctx.server()
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(b"HEAD /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    async with asyncio.timeout(DEADLINE):
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    assert not body, body
    assert head.split()[1] in (b"200", b"404", b"405"), head
    status, _, body = await http(server.port, "DELETE", "/healthz")
    assert status in (404, 405), status
    assert body, "a refusal says why"


async def test_sighup_without_tls(ctx):
    """SIGHUP on a server without TLS changes nothing."""
    server = await ctx.fresh()
    client = await ctx.user(server)
    server.process.send_signal(signal.SIGHUP)
    for _ in range(20):
        await client.call("session.ping")
    assert server.process.returncode is None


async def test_wrong_certificate_files_are_named(ctx):
    """A certificate file that is not there stops the start; setting and file are named."""
    try:
        await ctx.fresh("--tls-listen", "127.0.0.1:0", "--tls-certificate", "/no/such/cert.pem",
                        "--tls-private-key", "/no/such/key.pem")
    except AssertionError as refusal:
        assert "tls.certificate" in str(refusal) and "/no/such/cert.pem" in str(refusal), refusal
    else:
        raise AssertionError("it started")


async def test_other_connections_come_and_go(ctx):
    """A user inside a channel keeps its place while other connections of it come and go."""
    server = await ctx.server()
    channel, owner, inside = await ctx.room(server, 1)
    for _ in range(10):
        other = await ctx.user(server, inside.user_id)
        await other.leave()
    await owner.send(channel, "x")
    await inside.event("message.received", channel_url=channel)
    assert not owner.told("channel.user_exited")


async def test_events_and_answers_interleave_in_order(ctx):
    """On the sender's connection answers come in order among the events of others' messages."""
    server = await ctx.server(*FREE, "--limits-throttle-messages", "0")
    channel, owner, one, two = await ctx.room(server, 2)
    await asyncio.gather(burst(one, channel, 80), burst(two, channel, 80))
    await fence(channel, owner, one, two)
    for client in (one, two):
        numbers = [
            (v["params"]["seq"] if "method" in v else v["result"]["seq"]) for v in client.inbox
            if v.get("method") == "message.received" or "seq" in (v.get("result") or {})
            and "message" in v["result"]]
        received = [v["params"]["seq"] for v in client.inbox
                    if v.get("method") == "message.received"]
        assert received == sorted(received) and len(received) == 80
        assert sorted(numbers) == list(range(min(numbers), min(numbers) + 160))


async def test_a_message_of_the_greatest_size(ctx):
    """A send just under limits.message_bytes, with unknown members, is accepted."""
    raw = await ctx.raw(await ctx.server())
    await raw.sign_in(ctx.name())
    text = json.dumps({"jsonrpc": "2.0", "id": 4, "method": "session.ping", "params": {
        "padding": ""}})
    text = text.replace('"padding": ""', '"padding": "%s"' % ("x" * (262_144 - len(text))))
    assert len(text) == 262_144
    await raw.write(RawSocket.frame(1, text.encode()))
    assert (await raw.answer())["result"]["time"]


async def test_what_a_recovery_withheld_is_told(ctx):
    """Messages that a recovery withheld are told of by one channel.throttled, the last event."""
    server = await ctx.server(*FREE)
    channel, owner, sender, viewer = await ctx.room(server, 2)
    state = await viewer.enter(channel)
    await viewer.call("channel.exit", channel_url=channel)
    sent = [a["message"] for a in await burst(sender, channel, 20)]
    answer = await viewer.enter(channel, recover={"epoch": state["epoch"], "seq": state["seq"]})
    *received, notice = answer["events"]
    assert {e["method"] for e in received} == {"message.received"}
    shown = {e["params"]["message"]["message_id"] for e in received}
    missing = [m["message_id"] for m in sent if m["message_id"] not in shown]
    assert missing and notice["method"] == "channel.throttled", notice
    assert notice["params"]["channel_url"] == channel and "seq" not in notice["params"]
    assert notice["params"]["withheld"] == len(missing), notice
    assert notice["params"]["first_message_id"] == missing[0]
    assert notice["params"]["last_message_id"] == missing[-1]
    # Another connection of the same user that recovers is told just so.
    second = await ctx.user(server, viewer.user_id)
    again = await second.enter(channel, recover={"epoch": state["epoch"], "seq": state["seq"]})
    assert again["events"][-1]["params"] == {**notice["params"], "ts": again["events"][-1][
        "params"]["ts"]}
    await fence(channel, owner, viewer, second)
    assert not viewer.told("channel.throttled") and not second.told("channel.throttled")


def ended_over_tls(port, trust, frames):
    """The bytes that a client receives that sends frames and ends its side of TLS, not of TCP."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    wire = trust.wrap_bio(incoming, outgoing)
    with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE) as plain:
        def step(action):
            """Does what TLS allows; None when it needs bytes that have not come."""
            try:
                return action()
            except ssl.SSLWantReadError:
                return None
            finally:
                plain.sendall(outgoing.read())

        def receive():
            data = plain.recv(65_536)
            incoming.write(data) if data else incoming.write_eof()
        while step(lambda: (wire.do_handshake(), True)) is None:
            receive()
        step(lambda: wire.write(
            b"GET /v1/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n" + frames))
        step(wire.unwrap)
        received = b""
        with contextlib.suppress(ssl.SSLZeroReturnError):
            while (data := step(lambda: wire.read(65_536))) != b"":
                received += data or b""
                if data is None:
                    receive()
        return received


def make_certificate(folder, name):
    """Makes a key and a certificate for it, whose paths are returned."""
    key, certificate = os.path.join(folder, "key.pem"), os.path.join(folder, "certificate.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-subj", f"/CN={name}", "-keyout", key, "-out", certificate],
        check=True, capture_output=True)
    return key, certificate


async def with_tls(ctx, key, certificate, *flags):
    """A server that speaks TLS too, the port for it, and a context of clients that trust it."""
    server = await ctx.fresh("--tls-listen", "127.0.0.1:0", "--tls-certificate", certificate,
                             "--tls-private-key", key, *flags)
    async with asyncio.timeout(DEADLINE):
        while not (found := re.findall(r"wss://127\.0\.0\.1:(\d+)", "\n".join(server.lines))):
            await asyncio.sleep(0.01)
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
    return server, int(found[0]), trust


async def test_over_tls(ctx):
    """Over TLS the same sessions open, and after SIGHUP new connections get the new certificate."""
    folder = ctx.directory()
    server, port, trust = await with_tls(ctx, *make_certificate(folder, "first"))

    async def connected():
        socket = await connect(f"wss://127.0.0.1:{port}/v1/ws", ssl=trust, proxy=None)
        client = Client(socket)
        ctx.clients.append(client)
        await client.call("session.open", user_id=ctx.name())
        transport = socket.transport.get_extra_info("ssl_object")
        return client, transport.getpeercert(binary_form=True), transport.version()
    first, old, version = await connected()
    assert version in ("TLSv1.2", "TLSv1.3")
    channel, owner = await ctx.room(server, 0)
    await first.call("channel.enter", channel_url=channel)
    await owner.send(channel, "over TLS " * 500)
    await first.event("message.received", channel_url=channel)
    # A client that ends its side of TLS has its requests carried out and answered.
    received = await asyncio.to_thread(
        ended_over_tls, port, trust, farewell(ctx.name(), channel, "the end of TLS"))
    assert all(f'"id":{number},"result"'.encode() in received for number in range(4)), received
    await owner.until(lambda: "the end of TLS" in [m["message"] for m in owner.messages(channel)])
    make_certificate(folder, "second")
    server.process.send_signal(signal.SIGHUP)
    async with asyncio.timeout(DEADLINE):
        while (await connected())[1] == old:
            await asyncio.sleep(0.02)
    await first.call("session.ping")
