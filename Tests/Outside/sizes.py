"""How large values, events and answers may be, and who goes when memory is short."""


import json

from harness import RawSocket, eventually, http, refused

EVENT = 65_536
ANSWER = 524_288
ALL = ("--limits-flood-messages", "0", "--limits-throttle-messages", "0")
CONTROL = "\u0001"


def larger_events(client):
    return [len(text) for text, value in zip(client.raw, client.inbox)
            if isinstance(value, dict) and "method" in value and len(text.encode()) > EVENT]


async def post(server, path, value):
    body = json.dumps(value).encode()
    status, _, content = await http(
        server.port, "POST", f"/v3{path}", {
            "Api-Token": server.api_token, "Content-Type": "application/json",
            "Content-Length": str(len(body))}, body)
    return status, json.loads(content)


async def test_references_have_no_metadata(ctx):
    """Users in messages, events and channels have three members; user.get has the metadata."""
    server = await ctx.server()
    channel, owner, viewer = await ctx.room(server, 1)
    await owner.call("user.update", metadata={"team": "blue"})
    sent = (await owner.send(channel, "hi", mentioned_user_ids=[viewer.user_id]))["message"]
    event = await viewer.event("message.received", channel_url=channel)
    got = (await viewer.call("channel.get", channel_url=channel))["channel"]
    page = await viewer.call("channel.participants", channel_url=channel)
    for user in (sent["user"], sent["mentioned_users"][0], event["message"]["user"],
                 got["operators"][0], *page["participants"]):
        assert set(user) == {"user_id", "nickname", "profile_url"}, user
    user = (await viewer.call("user.get", user_id=owner.user_id))["user"]
    assert user["metadata"] == {"team": "blue"} and user["user_id"] == owner.user_id, user
    async with refused(400201, field="user_id"):
        await viewer.call("user.get", user_id=ctx.name("nobody"))


async def test_values_together(ctx):
    """Metaarrays of a message hold 16,384 bytes, metadata of a user 4,096, over both doors."""
    server = await ctx.server(*ALL)
    channel, owner = await ctx.room(server, 0)
    full = [{"key": "k", "value": [f"{n:02}" + "x" * 188 for n in range(86)]}]
    sent = (await owner.send(channel, "m", metaarray=full))["message"]
    for size, code in ((42, None), (2, 400110)):
        call = owner.call(
            "message.add_metaarray_values", channel_url=channel, message_id=sent["message_id"],
            values={"k": ["y" * size]})
        if code:
            async with refused(code, field="metaarray", limit=16_384):
                await call
        else:
            await call
    full[0]["value"].append("z" * 190)
    async with refused(400110, field="metaarray", limit=16_384):
        await owner.send(channel, "m", metaarray=full)
    items = {f"k{n:02}": "v" * 190 for n in range(21)}
    await owner.call("user.update", metadata=items)
    async with refused(400110, field="metadata", limit=4_096):
        await owner.call("user.update", metadata={**items, "more": "v" * 100})
    status, answer = await post(
        server, f"/users/{owner.user_id}/metadata", {"metadata": {"more": "v" * 100}})
    assert status == 400 and answer["code"] == 400110, (status, answer)


async def test_how_many(ctx):
    """Ten users may be mentioned over the socket, and a channel has a hundred operators."""
    server = await ctx.server()
    channel, owner = await ctx.room(server, 0)
    await owner.send(channel, "m", mentioned_user_ids=[f"u{n}" for n in range(10)])
    async with refused(400203, field="mentioned_user_ids"):
        await owner.send(channel, "m", mentioned_user_ids=[f"u{n}" for n in range(11)])
    others = await ctx.users(server, 2)
    names = [client.user_id for client in others]
    for _ in range(98):
        name = ctx.name("op")
        names.append(name)
        status, answer = await post(
            server, "/users", {"user_id": name, "nickname": "", "profile_url": ""})
        assert status == 200, answer
    await owner.call("channel.add_operators", channel_url=channel, user_ids=names[:99])
    async with refused(400203):
        await owner.call("channel.add_operators", channel_url=channel, user_ids=names[99:])
    got = (await owner.call("channel.get", channel_url=channel))["channel"]
    assert len(got["operators"]) == 100


async def test_messages_that_are_too_large(ctx):
    """A message above 48 KiB as JSON is refused, sent or changed, and the member is named."""
    server = await ctx.server(*ALL)
    channel, owner = await ctx.room(server, 0)
    async with refused(400110, field="data", limit=49_152):
        await owner.send(channel, "m", data=CONTROL * 16_384)
    async with refused(400110, field="message", limit=49_152):
        await owner.send(channel, CONTROL * 5_000, data="d" * 16_384, metaarray=[
            {"key": "k", "value": ["v" * 180]}, {"key": "l", "value": [CONTROL * 190, CONTROL * 189]}])
    sent = (await owner.send(channel, "m", data="d" * 16_384))["message"]
    place = {"channel_url": channel, "message_id": sent["message_id"]}
    async with refused(400110, field="data"):
        await owner.call("message.update", **place, data=CONTROL * 16_384)
    async with refused(400110):
        await owner.call("message.add_metaarray_values", **place, values={
            f"k{n}": [CONTROL * 180 + f"{v}" for v in range(9)] for n in range(9)})
    async with refused(400110, field="data", limit=31_744):
        await owner.call("channel.update", channel_url=channel, data=CONTROL * 16_384)
    async with refused(400110, field="data", limit=31_744):
        await owner.call("channel.create", data=CONTROL * 16_384)
    got = (await owner.call("message.get", **place))["message"]
    assert got == sent


async def test_no_event_is_larger(ctx):
    """However long users and messages are, no event holds more than 64 KiB."""
    server = await ctx.server(*ALL)
    channel, owner, viewer = await ctx.room(server, 1)
    names = []
    for _ in range(10):
        user = await ctx.user(server)
        await user.call(
            "user.update", nickname="\"" * 80, profile_url="https://a.b/" + "\"" * 2_030)
        names.append(user.user_id)
    await owner.call("user.update", profile_url="https://a.b/" + "\"" * 2_030)
    await owner.call("channel.add_operators", channel_url=channel, user_ids=names)
    sent = (await owner.send(
        channel, "語" * 5_000, data="d" * 16_384, mentioned_user_ids=names,
        metaarray=[{"key": "k", "value": [f"{n:02}" + "x" * 180 for n in range(85)]}]))["message"]
    assert [user["user_id"] for user in sent["mentioned_users"]] == names[
        :len(sent["mentioned_users"])] and sent["mentioned_users"]
    assert len(sent["data"]) == 16_384 and len(sent["message"]) == 5_000
    await owner.call(
        "channel.update", channel_url=channel, data="d" * 16_384, name="n" * 191,
        cover_url="https://a.b/" + "c" * 2_030)
    await viewer.event("channel.changed", channel_url=channel)
    assert viewer.told("message.received") and not larger_events(viewer)


async def large_room(ctx, server, count):
    """A channel with messages of about 20 KB each."""
    channel, owner, viewer = await ctx.room(server, 1)
    state = await viewer.enter(channel)
    for part in [await owner.ask("message.send", channel_url=channel, message="x" * 4_000,
                                 data="d" * 16_000) for _ in range(count)]:
        await part
    return channel, owner, viewer, {"epoch": state["epoch"], "seq": state["seq"]}


async def test_recovery_within_its_budget(ctx):
    """What was missed comes back up to 512 KiB; beyond, recovered is false."""
    server = await ctx.server(*ALL)
    channel, owner, viewer, state = await large_room(ctx, server, 30)
    answer = await viewer.enter(channel, recover=state)
    assert answer["recovered"] is False and answer["events"] == []
    state["seq"] += 10
    answer = await viewer.enter(channel, recover=state)
    assert answer["recovered"] is True and len(answer["events"]) == 20
    assert max(len(text.encode()) for text in viewer.raw) <= ANSWER


async def test_batches_share_a_budget(ctx):
    """The answers of a batch hold 512 KiB together; what no longer fits is not carried out."""
    # Without a limit of time: on a busy machine it would cut pages before their bytes do.
    server = await ctx.server(*ALL, "--limits-query-ms", "0")
    channel, owner, viewer, _ = await large_room(ctx, server, 10)
    calls = [{"jsonrpc": "2.0", "id": n, "method": "message.list", "params": {
        "channel_url": channel, "prev_limit": 10}} for n in range(20)]
    calls.append({"jsonrpc": "2.0", "id": 99, "method": "message.send", "params": {
        "channel_url": channel, "message": "not sent"}})
    answers = await owner.raw_answer(calls)
    text = next(text for text, value in zip(owner.raw, owner.inbox) if value is answers)
    assert len(text.encode()) <= ANSWER, len(text)
    assert [answer["id"] for answer in answers] == [*range(20), 99]
    given = [answer for answer in answers if "result" in answer]
    assert len(given) == 2, [len(json.dumps(answer)) for answer in answers]
    for answer in answers[2:]:
        assert answer["error"]["code"] == 500910, answer
        assert answer["error"]["data"]["scope"] == "batch", answer
    listed = (await viewer.call("message.list", channel_url=channel, prev_limit=1))["messages"]
    assert listed[-1]["message"] != "not sent"
    # One that holds little goes through as ever.
    answers = await owner.raw_answer([
        {"jsonrpc": "2.0", "id": n, "method": "message.send", "params": {
            "channel_url": channel, "message": f"m{n}"}} for n in range(100)])
    assert len(answers) == 100 and all("result" in answer for answer in answers), answers[-1]


async def test_answers_wait_for_a_slow_reader(ctx):
    """A client that asks for much and reads late gets every answer, and is not closed."""
    # Without limits of time: on a busy machine they would cut pages, and charge for them.
    server = await ctx.server(*ALL, "--limits-query-ms", "0", "--limits-calls-per-second", "0")
    channel, owner, viewer, _ = await large_room(ctx, server, 20)
    slow = await RawSocket.open(server, receive_buffer=65_536)
    ctx.clients.append(slow)
    await slow.sign_in(ctx.name("slow"))
    for n in range(40):
        await slow.text({"jsonrpc": "2.0", "id": n, "method": "message.list", "params": {
            "channel_url": channel, "prev_limit": 20}})
    await viewer.call("message.list", channel_url=channel)
    for n in range(40):
        answer = await slow.answer()
        assert answer["id"] == n and len(answer["result"]["messages"]) == 20, answer


async def metric(server, name):
    text = (await server.get("/metrics"))[2].decode()
    return float(next(line.split()[-1] for line in text.splitlines() if line.startswith(name + " ")))


async def test_memory_is_short(ctx):
    """Above limits.memory_bytes the connection that holds most goes with 1013, and no other."""
    server = await ctx.fresh(*ALL, "--limits-memory-bytes", "400000")
    channel, owner, viewer = await ctx.room(server, 1)
    assert await metric(server, "parley_held_bytes_limit") == 400_000
    hog = await RawSocket.open(server, receive_buffer=4_096)
    ctx.clients.append(hog)
    await hog.sign_in(ctx.name("hog"))
    await hog.text({"jsonrpc": "2.0", "id": 2, "method": "channel.enter",
                    "params": {"channel_url": channel}})
    await hog.answer()
    sent = 0
    while await metric(server, "parley_memory_closed_total") == 0:
        for _ in range(20):
            await owner.send(channel, "x" * 4_000, data="d" * 16_000)
            sent += 1
        assert sent < 4_000
    assert await hog.close_code() == 1013
    await viewer.until(lambda: len(viewer.messages(channel)) == sent)
    assert await metric(server, "parley_memory_closed_total") == 1
    assert await metric(server, "parley_slow_consumers_closed_total") == 0

    async def is_free():
        return await metric(server, "parley_held_bytes") < 100_000

    await eventually(is_free, "the memory that the hog held")
    await owner.call("session.ping")


async def test_answers_that_nobody_reads(ctx):
    """Of many that do not read what they asked for the largest go; the one that reads stays."""
    server = await ctx.fresh(*ALL, "--limits-memory-bytes", "2000000")
    channel, owner, viewer, _ = await large_room(ctx, server, 20)
    hogs = []
    for _ in range(6):
        hog = await RawSocket.open(server, receive_buffer=4_096)
        ctx.clients.append(hog)
        hogs.append(hog)
        await hog.sign_in(ctx.name("hog"))
        for n in range(40):
            await hog.text({"jsonrpc": "2.0", "id": n, "method": "message.list", "params": {
                "channel_url": channel, "prev_limit": 20}})

    async def is_relieved():
        return await metric(server, "parley_memory_closed_total") > 0

    await eventually(is_relieved, "a connection closed for want of memory")
    for _ in range(20):
        await owner.send(channel, "still here")
    await viewer.until(lambda: len(viewer.messages(channel)) == 40)
    assert await metric(server, "parley_held_bytes") <= 2_000_000
    assert owner.closed is None and viewer.closed is None
