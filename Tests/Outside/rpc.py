"""JSON-RPC: envelopes, batches, notifications, order, errors."""

import asyncio
import json

from harness import refused


async def test_an_unknown_method(ctx):
    """A method that does not exist is -32601, with the request's id."""
    client = await ctx.user(await ctx.server())
    answer = await client.raw_answer({"jsonrpc": "2.0", "id": "q", "method": "channel.explode"})
    assert answer["error"]["code"] == -32601 and answer["id"] == "q", answer
    async with refused(-32601):
        await client.call("message.received")


async def test_params_must_be_an_object(ctx):
    """params that is a list, text or number is -32602; absent or null params are empty ones."""
    client = await ctx.user(await ctx.server())
    for params in ([], [1], "x", 5, True):
        answer = await client.raw_answer(
            {"jsonrpc": "2.0", "id": 1000, "method": "session.ping", "params": params})
        assert answer.get("error", {}).get("code") in (-32602, -32600), (params, answer)
        if isinstance(params, list):
            assert answer["error"]["code"] == -32602, (params, answer)
    for request in ({}, {"params": None}):
        answer = await client.raw_answer(
            {"jsonrpc": "2.0", "id": 1001, "method": "session.ping", **request})
        assert "result" in answer, answer


async def test_what_is_not_json_is_a_parse_error(ctx):
    """Text that is not JSON is -32700 with a null id, and the connection goes on."""
    client = await ctx.user(await ctx.server())
    for text in ("{", "", "nope", '{"jsonrpc":"2.0",}', "[1,2", '{"a":01}'):
        answer = await client.raw_answer(text)
        assert answer["error"]["code"] == -32700 and answer["id"] is None, (text, answer)
        assert "result" in await client.raw_answer(
            {"jsonrpc": "2.0", "id": 7, "method": "session.ping"})


async def test_what_is_no_request_is_invalid(ctx):
    """JSON that is no JSON-RPC 2.0 request is -32600, and the connection goes on."""
    client = await ctx.user(await ctx.server())
    wrong = (
        5, "text", True, None, {}, {"jsonrpc": "1.0", "id": 1, "method": "session.ping"},
        {"id": 1, "method": "session.ping"}, {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "id": 1, "method": 5},
        {"jsonrpc": "2.0", "id": {"a": 1}, "method": "session.ping"},
        {"jsonrpc": "2.0", "id": [1], "method": "session.ping"})
    for value in wrong:
        answer = await client.raw_answer(json.dumps(value))
        assert answer["error"]["code"] == -32600, (value, answer)
        await client.call("session.ping")


async def test_ids_are_given_back_as_they_came(ctx):
    """Ids that are numbers, texts, null or very large come back with the same value."""
    client = await ctx.user(await ctx.server())
    for written in ("0", "-5", '"x"', '""', "9007199254740993", '"\\u00e9\\n"'):
        count = len(client.raw)
        await client.write(f'{{"jsonrpc":"2.0","id":{written},"method":"session.ping"}}')
        await client.until(lambda: len(client.raw) > count)
        answer = json.loads(client.raw[count])
        assert "result" in answer and answer["id"] == json.loads(written), client.raw[count]


async def test_a_notification_is_not_answered(ctx):
    """A request without id is carried out and not answered, not even when it fails."""
    server = await ctx.server()
    channel, _, client, viewer = await ctx.room(server, 2)
    before = len(client.inbox)
    await client.write({"jsonrpc": "2.0", "method": "session.ping"})
    await client.write({"jsonrpc": "2.0", "method": "no.such"})
    await client.write({"jsonrpc": "2.0", "method": "message.send", "params": {"message": "x"}})
    await client.write({"jsonrpc": "2.0", "method": "message.send",
                        "params": {"channel_url": channel, "message": "silent"}})
    await client.call("session.ping")
    event = await viewer.event("message.received", channel_url=channel)
    assert event["message"]["message"] == "silent"
    await client.call("session.ping")
    answers = [value for value in client.inbox[before:] if "method" not in value]
    assert len(answers) == 2, answers


async def test_a_batch_is_answered_by_a_batch(ctx):
    """A batch is answered by one batch with an answer for each request that has an id."""
    client = await ctx.user(await ctx.server())
    answer = await client.raw_answer([
        {"jsonrpc": "2.0", "id": "a", "method": "session.ping"},
        {"jsonrpc": "2.0", "method": "session.ping"},
        5,
        {"jsonrpc": "2.0", "id": "b", "method": "no.such"},
        {"jsonrpc": "2.0", "id": "c", "method": "channel.list", "params": {"limit": 1}}])
    assert isinstance(answer, list) and len(answer) == 4, answer
    by_id = {part["id"]: part for part in answer}
    assert "result" in by_id["a"] and "result" in by_id["c"]
    assert by_id["b"]["error"]["code"] == -32601
    assert by_id[None]["error"]["code"] == -32600
    assert [part["id"] for part in answer] == ["a", None, "b", "c"], answer


async def test_a_batch_of_notifications_is_not_answered(ctx):
    """A batch of notifications alone is answered by nothing; an empty batch is -32600."""
    client = await ctx.user(await ctx.server())
    before = len(client.inbox)
    await client.write([{"jsonrpc": "2.0", "method": "session.ping"}] * 3)
    await client.call("session.ping")
    assert len(client.inbox) == before + 1, client.inbox[before:]
    answer = await client.raw_answer([])
    assert answer["error"]["code"] == -32600 and answer["id"] is None


async def test_a_batch_may_open_the_session(ctx):
    """session.open may be the first request of a batch whose others then use the session."""
    client = await ctx.connect(await ctx.server())
    answer = await client.raw_answer([
        {"jsonrpc": "2.0", "id": 1, "method": "session.open", "params": {"user_id": ctx.name()}},
        {"jsonrpc": "2.0", "id": 2, "method": "session.ping"}])
    assert [("result" in part) for part in answer] == [True, True], answer


async def test_sends_in_a_batch_keep_their_order(ctx):
    """Sends of one batch get rising seq and message_id and reach others in that order."""
    server = await ctx.server()
    channel, _, sender, viewer = await ctx.room(server, 2)
    answer = await sender.raw_answer([
        {"jsonrpc": "2.0", "id": n, "method": "message.send",
         "params": {"channel_url": channel, "message": f"m{n}"}} for n in range(5)])
    results = [part["result"] for part in answer]
    assert [r["message"]["message"] for r in results] == [f"m{n}" for n in range(5)]
    sequence = [r["seq"] for r in results]
    assert sequence == list(range(sequence[0], sequence[0] + 5)), sequence
    await viewer.until(lambda: len(viewer.messages(channel)) == 5)
    assert [m["message"] for m in viewer.messages(channel)] == [f"m{n}" for n in range(5)]


async def test_pipelined_requests_are_answered_in_order(ctx):
    """Requests of many kinds sent without waiting are answered in the order sent."""
    server = await ctx.server("--limits-flood-messages", "0")
    channel, _, client = await ctx.room(server, 1)
    asked = []
    for n in range(60):
        for method, params in (
                ("message.send", {"channel_url": channel, "message": f"m{n}"}),
                ("session.ping", {}),
                ("channel.get", {"channel_url": channel}),
                ("message.list", {"channel_url": channel, "prev_limit": 2}),
                ("no.such", {})):
            asked.append((next(client.numbers), method, params))
    before = len(client.inbox)
    for number, method, params in asked:
        await client.write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    await client.until(lambda: len(client.inbox) >= before + len(asked))
    answers = [value["id"] for value in client.inbox[before:] if "id" in value]
    assert answers == [number for number, _, _ in asked]


async def test_requests_before_the_answer_to_open_wait_for_it(ctx):
    """Requests pipelined behind session.open are served by the session that it opens."""
    client = await ctx.connect(await ctx.server())
    opening = await client.ask("session.open", user_id=ctx.name())
    listing = await client.ask("channel.list")
    ping = await client.ask("session.ping")
    for waiting in (opening, listing, ping):
        await client.result(waiting)
    assert [value["id"] for value in client.inbox if "id" in value] == [1, 2, 3]


async def test_enter_and_send_pipelined(ctx):
    """create, enter and send may be pipelined: each sees the effect of those before."""
    client = await ctx.user(await ctx.server())
    channel = ctx.name()
    waiting = [
        await client.ask("channel.create", channel_url=channel),
        await client.ask("channel.enter", channel_url=channel),
        await client.ask("message.send", channel_url=channel, message="hello"),
        await client.ask("message.list", channel_url=channel),
        await client.ask("channel.exit", channel_url=channel),
        await client.ask("message.send", channel_url=channel, message="too late")]
    for part in waiting[:3]:
        await client.result(part)
    listed = await client.result(waiting[3])
    assert [m["message"] for m in listed["messages"]] == ["hello"], listed
    await client.result(waiting[4])
    async with refused(900020):
        await client.result(waiting[5])


async def test_unknown_members_are_ignored(ctx):
    """Members that the server does not know change nothing, at any level."""
    client = await ctx.user(await ctx.server())
    answer = await client.raw_answer({
        "jsonrpc": "2.0", "id": 77, "method": "session.ping", "trace": {"deep": [1, 2]},
        "params": {"whatever": [{}]}})
    assert "result" in answer


async def test_null_counts_as_absent(ctx):
    """A member that is null is taken as not given."""
    client = await ctx.user(await ctx.server())
    channel = ctx.name()
    made = (await client.call(
        "channel.create", channel_url=channel, name=None, data=None, operator_ids=None,
        is_ephemeral=None))["channel"]
    assert made["name"] == "" and made["is_ephemeral"] is False
    listed = await client.call("channel.list", limit=None, token=None, name_contains=None)
    assert isinstance(listed["channels"], list)


async def test_unicode_survives(ctx):
    """Escapes, astral characters, NUL and quotes come back as they went."""
    server = await ctx.server()
    channel, _, sender, viewer = await ctx.room(server, 2)
    text = 'q"\\/\b\f\n\r\t \u0001\u001f\x7f é 한국어 😀 \u2028 \U0010ffff'
    sent = await sender.send(channel, text)
    assert sent["message"]["message"] == text
    got = (await viewer.event("message.received", channel_url=channel))["message"]
    assert got["message"] == text
    listed = await viewer.call("message.list", channel_url=channel)
    assert listed["messages"][0]["message"] == text


async def test_a_lone_surrogate_is_refused(ctx):
    """An escaped lone surrogate, which UTF-8 cannot carry, is an error and changes nothing."""
    server = await ctx.server()
    channel, _, sender = await ctx.room(server, 1)
    request = (
        '{"jsonrpc":"2.0","id":%d,"method":"message.send","params":{"channel_url":"%s",'
        '"message":"a\\ud800b"}}')
    answer = await sender.raw_answer(request % (500, channel))
    assert answer["error"]["code"] == -32700 and answer["id"] == 500, answer
    answer = await sender.raw_answer(f"[{request % (501, channel)},{request % (502, channel)}]")
    assert [(part["id"], part["error"]["code"]) for part in answer] == [(501, -32700), (502, -32700)]
    assert (await sender.call("message.list", channel_url=channel))["messages"] == []


async def test_what_is_refused_has_its_id(ctx):
    """A request that no parser takes is answered with its id: too deep, with double members, unfinished."""
    client = await ctx.user(await ctx.server())
    deep = "[" * 40 + "]" * 40
    values = ",".join("0" * 20_001)
    for text, code in (
            ('{"jsonrpc":"2.0","id":"a","method":"session.ping","params":{"a":%s}}' % deep, -32600),
            ('{"jsonrpc":"2.0","id":"b","method":"session.ping","params":{"a":1,"a":2}}', -32600),
            ('{"jsonrpc":"2.0","id":"c","method":"session.ping","params":{"a":[%s]}}' % values, -32600),
            ('{"jsonrpc":"2.0","id":"d","method":"session.pi', -32700)):
        answer = await client.raw_answer(text)
        assert answer["error"]["code"] == code and answer["id"] == text[23], answer


async def test_calls_beyond_the_rate_are_500910(ctx):
    """Calls beyond limits.calls_burst are 500910 with retry_after_ms, limit, window_ms, scope."""
    server = await ctx.server("--limits-calls-per-second", "1", "--limits-calls-burst", "5")
    client = await ctx.user(server)
    waiting = [await client.ask("session.ping") for _ in range(20)]
    answers = [await part for part in waiting]
    refusals = [a["error"] for a in answers if "error" in a]
    assert 10 <= len(refusals) <= 16, len(refusals)
    for error in refusals:
        assert error["code"] == 500910
        assert 0 < error["data"]["retry_after_ms"] <= 20_000, error
        assert {"limit", "window_ms", "scope"} <= set(error["data"]), error


async def test_sends_are_outside_the_call_rate(ctx):
    """message.send does not use up the rate of other calls."""
    server = await ctx.server(
        "--limits-calls-per-second", "1", "--limits-calls-burst", "6",
        "--limits-flood-messages", "0")
    channel, _, client = await ctx.room(server, 1)
    waiting = [
        await client.ask("message.send", channel_url=channel, message=str(n)) for n in range(40)]
    for part in waiting:
        await client.result(part)
    await client.call("session.ping")


async def test_many_connections_at_once(ctx):
    """Requests of forty connections at once all get the answers that belong to them."""
    server = await ctx.server()
    clients = await ctx.users(server, 40)

    async def work(client):
        for _ in range(10):
            user = (await client.call("user.update", nickname=client.user_id[:40]))["user"]
            assert user["user_id"] == client.user_id
    await asyncio.gather(*(work(client) for client in clients))
