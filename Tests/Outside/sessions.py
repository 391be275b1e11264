"""Opening, pinging, refreshing and ending sessions."""

import asyncio

from harness import RawSocket, refused, scaled


async def test_open_answers_with_the_documented_members(ctx):
    """session.open answers with the session, the user, the server and the limits."""
    server = await ctx.server()
    user_id = ctx.name("jeff")
    client = await ctx.user(
        server, user_id, nickname="Jeff", profile_url="https://example.com/j.png")
    answer = client.session
    assert answer["session_id"] and isinstance(answer["session_id"], str)
    assert answer["user"] == {
        "user_id": user_id, "nickname": "Jeff", "profile_url": "https://example.com/j.png",
        "metadata": {}}, answer["user"]
    assert answer["server"]["name"] == "parley" and answer["server"]["version"]
    assert answer["limits"]["message_bytes"] == 262144
    assert answer["limits"]["flood"] == {"messages": 5, "window_ms": 1000}
    assert answer["limits"]["user_flood"] == {"messages": 20, "window_ms": 1000}
    assert answer["limits"]["custom_type_length"] == 128
    assert answer["limits"]["data_bytes"] == 16384
    assert answer["limits"]["metaarray"] == {
        "keys": 10, "key_length": 128, "values": 100, "value_length": 190, "bytes": 16384}
    assert answer["limits"]["metadata"] == {
        "keys": 25, "key_length": 128, "value_length": 190, "user_bytes": 4096}
    assert answer["ping_interval_ms"] == 25000


async def test_each_session_has_an_id_of_its_own(ctx):
    """Two sessions of one user have different ids."""
    server = await ctx.server()
    user_id = ctx.name()
    first, second = await ctx.user(server, user_id), await ctx.user(server, user_id)
    assert first.session["session_id"] != second.session["session_id"]


async def test_open_shows_the_settings_in_force(ctx):
    """session.open tells the limits and the ping interval that the operator has set."""
    server = await ctx.fresh(
        "--limits-flood-messages", "7", "--limits-flood-window-ms", "2500",
        "--limits-ping-interval-ms", "12000", "--limits-message-bytes", "4096",
        "--limits-metaarray-keys", "12", "--limits-metadata-user-bytes", "5000")
    answer = (await ctx.user(server)).session
    assert answer["limits"]["flood"] == {"messages": 7, "window_ms": 2500}
    assert answer["limits"]["message_bytes"] == 4096
    assert answer["limits"]["metaarray"]["keys"] == 12
    assert answer["limits"]["metadata"]["user_bytes"] == 5000
    assert answer["ping_interval_ms"] == 12000


async def test_the_first_request_must_be_open(ctx):
    """Anything before session.open is -32600, and the session can still be opened after it."""
    server = await ctx.server()
    client = await ctx.connect(server)
    async with refused(-32600):
        await client.call("session.ping")
    async with refused(-32600):
        await client.call("channel.list")
    assert (await client.call("session.open", user_id=ctx.name()))["session_id"]


async def test_a_second_open_is_refused(ctx):
    """A second session.open on a connection is -32600, and the first session goes on."""
    client = await ctx.user(await ctx.server())
    async with refused(-32600):
        await client.call("session.open", user_id=ctx.name())
    assert (await client.call("session.ping"))["time"]


async def test_a_user_id_is_required(ctx):
    """session.open without, with a null or with an empty user_id is 400105 naming the field."""
    server = await ctx.server()
    for params in ({}, {"user_id": None}, {"user_id": ""}):
        client = await ctx.connect(server)
        async with refused(400105, field="user_id"):
            await client.call("session.open", **params)


async def test_a_user_id_has_at_most_80_characters(ctx):
    """A user_id of 80 scalars opens a session, one of 81 is 400305."""
    server = await ctx.server()
    stem = ctx.name()
    fits = stem + "é" * (80 - len(stem))
    client = await ctx.user(server, fits)
    assert client.session["user"]["user_id"] == fits
    other = await ctx.connect(server)
    async with refused(400305):
        await other.call("session.open", user_id=fits + "x")


async def test_a_user_id_is_a_string(ctx):
    """A user_id that is a number, list, object or boolean is 400100 naming the field."""
    server = await ctx.server()
    for value in (7, ["a"], {"a": 1}, True):
        client = await ctx.connect(server)
        async with refused(400100, field="user_id"):
            await client.call("session.open", user_id=value)


async def test_user_ids_are_case_sensitive(ctx):
    """Users whose ids differ in case are different users."""
    server = await ctx.server()
    name = ctx.name("case")
    lower = await ctx.user(server, name, nickname="lower")
    upper = await ctx.user(server, name.upper())
    assert lower.session["user"]["nickname"] == "lower"
    assert upper.session["user"]["nickname"] == ""


async def test_profile_is_replaced_when_given_and_kept_when_not(ctx):
    """nickname and profile_url of session.open replace the stored ones only when given."""
    server = await ctx.server()
    name = ctx.name()
    await ctx.user(server, name, nickname="One", profile_url="https://a.example/1")
    second = await ctx.user(server, name)
    assert second.session["user"]["nickname"] == "One"
    third = await ctx.user(server, name, nickname="Two")
    assert third.session["user"]["nickname"] == "Two"
    assert third.session["user"]["profile_url"] == "https://a.example/1"


async def test_ping_tells_the_time(ctx):
    """session.ping answers with the server's time in milliseconds, which does not go back."""
    client = await ctx.user(await ctx.server())
    first = (await client.call("session.ping"))["time"]
    second = (await client.call("session.ping"))["time"]
    assert isinstance(first, int) and 1_600_000_000_000 < first <= second


async def test_close_is_answered_and_closes_with_1000(ctx):
    """session.close is answered, then the connection closes with 1000."""
    client = await ctx.user(await ctx.server())
    assert await client.call("session.close") == {}
    assert await client.ended() == 1000


async def test_user_update_changes_what_is_given(ctx):
    """user.update changes nickname, profile_url and metadata and keeps what is not given."""
    server = await ctx.server()
    client = await ctx.user(server, nickname="Old", profile_url="https://a.example/p")
    user = (await client.call(
        "user.update", nickname="New", metadata={"team": "blue", "rank": "1"}))["user"]
    assert user["nickname"] == "New" and user["profile_url"] == "https://a.example/p"
    assert user["metadata"] == {"team": "blue", "rank": "1"}
    again = await ctx.user(server, client.user_id)
    assert again.session["user"] == user


async def test_user_update_refuses_wrong_values(ctx):
    """user.update names the field of a wrong type or of a nickname that is too long."""
    client = await ctx.user(await ctx.server())
    async with refused(400100, field="nickname"):
        await client.call("user.update", nickname=5)
    async with refused(400110, field="nickname"):
        await client.call("user.update", nickname="n" * 81)
    async with refused(400103, field="metadata"):
        await client.call("user.update", metadata="text")


async def test_messages_carry_the_updated_profile(ctx):
    """A message sent after user.update shows the new nickname to others."""
    server = await ctx.server()
    channel, _, sender, viewer = await ctx.room(server, 2)
    await sender.call("user.update", nickname="Renamed")
    await sender.send(channel, "hello")
    message = (await viewer.event("message.received", channel_url=channel))["message"]
    assert message["user"]["nickname"] == "Renamed"
    assert message["user"]["user_id"] == sender.user_id


async def test_the_subprotocol_is_selected_when_offered(ctx):
    """parley.v1 is selected when offered; an unknown subprotocol is not."""
    server = await ctx.server()
    offered = await ctx.user(server, subprotocols=["other", "parley.v1"])
    assert offered.socket.subprotocol == "parley.v1"
    unknown = await ctx.user(server, subprotocols=["other.v9"])
    assert unknown.socket.subprotocol is None
    none = await ctx.user(server)
    assert none.socket.subprotocol is None


async def test_no_open_in_time_closes_with_4001(ctx):
    """A connection without session.open within limits.open_timeout_ms closes with 4001."""
    server = await ctx.fresh("--limits-open-timeout-ms", scaled(300))
    opened = await ctx.user(server)
    silent = await ctx.connect(server)
    talking = await ctx.connect(server)
    async with refused(-32600):
        await talking.call("session.ping")
    assert await silent.ended() == 4001
    assert await talking.ended() == 4001
    assert (await opened.call("session.ping"))["time"]


async def test_the_31st_session_closes_the_oldest_with_4003(ctx):
    """A user's 31st session opens, and the oldest is closed with 4003."""
    server = await ctx.server()
    name = ctx.name()
    clients = [await ctx.user(server, name) for _ in range(30)]
    for client in clients:
        await client.call("session.ping")
    newest = await ctx.user(server, name)
    assert await clients[0].ended() == 4003
    for client in [*clients[1:], newest]:
        assert (await client.call("session.ping"))["time"]


async def test_connections_per_user_is_settable(ctx):
    """With limits.connections_per_user 2 the third session closes the first only."""
    server = await ctx.fresh("--limits-connections-per-user", "2")
    name = ctx.name()
    first, second = await ctx.user(server, name), await ctx.user(server, name)
    other = await ctx.user(server)
    third = await ctx.user(server, name)
    assert await first.ended() == 4003
    for client in (second, third, other):
        await client.call("session.ping")


async def test_a_replaced_session_leaves_its_place_to_others(ctx):
    """A session that ended counts no more towards the user's sessions."""
    server = await ctx.fresh("--limits-connections-per-user", "2")
    name = ctx.name()
    first = await ctx.user(server, name)
    channel, owner = await ctx.room(server, 0)
    second = await ctx.user(server, name)
    await second.enter(channel)
    await second.leave()
    await owner.event("channel.user_exited", channel_url=channel)
    third = await ctx.user(server, name)
    for client in (first, third):
        await client.call("session.ping")


async def test_too_many_connections_are_refused_with_503(ctx):
    """An upgrade beyond limits.connections gets HTTP 503 and 400501, and the connection ends."""
    import json
    from harness import http
    server = await ctx.fresh("--limits-connections", "2")
    await ctx.user(server)
    await ctx.user(server)
    status, fields, body = await http(server.port, "GET", "/v1/ws", {
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="})
    assert status == 503 and fields["connection"] == "close", (status, fields)
    value = json.loads(body)
    assert value["error"] is True and value["code"] == 400501, value


async def test_no_pong_closes_with_4005(ctx):
    """A client that answers no ping within limits.pong_timeout_ms is closed with 4005."""
    server = await ctx.fresh(
        "--limits-ping-interval-ms", "200", "--limits-pong-timeout-ms", "300")
    raw = await ctx.raw(server)
    await raw.sign_in(ctx.name())
    seen = []
    while frame := await raw.read():
        seen.append(frame)
        if frame[0] == 8:
            break
    assert any(opcode == 9 for opcode, _ in seen), "no ping came"
    assert seen[-1][0] == 8 and int.from_bytes(seen[-1][1][:2]) == 4005, seen


async def test_pongs_and_messages_keep_a_connection(ctx):
    """A client that answers pings stays through many of them."""
    server = await ctx.fresh(
        "--limits-ping-interval-ms", "100", "--limits-pong-timeout-ms", "10000")
    raw = await ctx.raw(server)
    await raw.sign_in(ctx.name())
    pings = 0
    while pings < 5:
        opcode, payload = await raw.read()
        assert opcode == 9, opcode
        pings += 1
        await raw.write(RawSocket.frame(10, payload))
    await raw.text({"jsonrpc": "2.0", "id": 9, "method": "session.ping"})
    assert (await raw.answer())["result"]["time"]


async def test_a_client_ping_is_answered(ctx):
    """A ping frame is answered by a pong with the same payload."""
    raw = await ctx.raw(await ctx.server())
    await raw.write(RawSocket.frame(9, b"are you there?"))
    assert await raw.read() == (10, b"are you there?")


async def test_allowed_origins(ctx):
    """With a list of origins another Origin gets 403 and 400307; a listed one or none passes."""
    import json
    from harness import http
    server = await ctx.fresh("--auth-allowed-origins", "https://good.example")
    upgrade = {
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
    for origin in (
            "https://bad.example", "http://good.example", "https://good.example.bad.example"):
        status, _, body = await http(server.port, "GET", "/v1/ws", {**upgrade, "Origin": origin})
        assert status == 403 and json.loads(body)["code"] == 400307, (origin, status, body)
    await ctx.user(server, origin="https://good.example")
    await ctx.user(server)


async def test_draining_is_told_to_all(ctx):
    """SIGTERM: server.draining with reconnect_after_ms, close 1001, exit 0."""
    import signal
    server = await ctx.fresh()
    clients = await ctx.users(server, 8)
    server.process.send_signal(signal.SIGTERM)
    delays = set()
    for client in clients:
        event = await client.event("server.draining")
        assert isinstance(event["reconnect_after_ms"], int) and event["reconnect_after_ms"] >= 0
        assert isinstance(event["ts"], int)
        delays.add(event["reconnect_after_ms"])
        assert await client.ended() == 1001
    assert len(delays) > 1, f"all clients were told the same: {delays}"
    assert await server.wait() == 0


async def test_open_and_close_repeatedly(ctx):
    """Two hundred sessions one after another leave nothing behind that refuses the next."""
    server = await ctx.server()
    name = ctx.name()
    for _ in range(20):
        clients = await asyncio.gather(*(ctx.user(server, name) for _ in range(10)))
        await asyncio.gather(*(client.leave() for client in clients))
    assert (await (await ctx.user(server, name)).call("session.ping"))["time"]
