"""Sending, changing, deleting and fetching messages."""

import asyncio

from harness import fence, refused

MEMBERS = {
    "type", "message_id", "channel_url", "channel_type", "user", "message", "data", "custom_type",
    "mention_type", "mentioned_users", "sorted_metaarray", "og_tag", "translations", "file",
    "req_id", "created_at", "updated_at"}


async def test_a_message_has_the_documented_members(ctx):
    """A sent message comes back with every documented member, and the same to others."""
    server = await ctx.server()
    channel, _, sender, viewer = await ctx.room(server, 2)
    answer = await sender.send(
        channel, "hello", data="{\"a\":1}", custom_type="greeting", req_id="r-1",
        metaarray=[{"key": "itemType", "value": ["tablet", "phone"]}, {"key": "empty"}],
        mention_type="users", mentioned_user_ids=[viewer.user_id], push_option="suppress")
    message = answer["message"]
    assert MEMBERS <= set(message), MEMBERS - set(message)
    assert isinstance(answer["seq"], int)
    assert message["type"] == "MESG" and message["channel_type"] == "open_channels"
    assert message["channel_url"] == channel and message["message"] == "hello"
    assert message["data"] == "{\"a\":1}" and message["custom_type"] == "greeting"
    assert message["req_id"] == "r-1" and message["og_tag"] is None and message["file"] is None
    assert message["translations"] == {} and message["updated_at"] == 0
    assert message["user"]["user_id"] == sender.user_id
    assert message["mention_type"] == "users"
    assert [u["user_id"] for u in message["mentioned_users"]] == [viewer.user_id]
    assert {a["key"]: a["value"] for a in message["sorted_metaarray"]} == {
        "itemType": ["tablet", "phone"], "empty": []}
    assert 1 <= message["message_id"] < 2**53
    event = await viewer.event("message.received", channel_url=channel)
    assert event["message"] == message and event["seq"] == answer["seq"]
    assert isinstance(event["ts"], int)
    got = await viewer.call(
        "message.get", channel_url=channel, message_id=message["message_id"])
    assert got["message"] == message


async def test_defaults_of_a_message(ctx):
    """A message with a text alone has empty texts and lists elsewhere."""
    server = await ctx.server()
    channel, owner = await ctx.room(server, 0)
    message = (await owner.send(channel, "x"))["message"]
    assert message["data"] == "" and message["custom_type"] == ""
    assert message["mention_type"] == "users" and message["mentioned_users"] == []
    assert message["sorted_metaarray"] == []
    assert message["req_id"] in ("", None), message["req_id"]


async def test_the_sender_learns_by_the_answer_alone(ctx):
    """The sending connection gets no event; the user's other connection inside does."""
    server = await ctx.server()
    channel, owner, sender = await ctx.room(server, 1)
    second = await ctx.user(server, sender.user_id)
    await second.enter(channel)
    sent = await sender.send(channel, "x")
    event = await second.event("message.received", channel_url=channel)
    assert event["message"] == sent["message"]
    await fence(channel, owner, sender)
    assert not sender.messages(channel)


async def test_the_sender_must_be_inside(ctx):
    """Sending to a channel that the user has not entered is 900020, for operators too."""
    server = await ctx.server()
    owner, other = await ctx.users(server, 2)
    channel = ctx.name()
    await owner.call("channel.create", channel_url=channel)
    for client in (owner, other):
        async with refused(900020):
            await client.send(channel, "x")


async def test_lengths(ctx):
    """5,000 scalars are accepted and 5,001 are 400110; so with custom_type, data and req_id."""
    server = await ctx.server("--limits-flood-messages", "0")
    channel, owner = await ctx.room(server, 0)
    assert (await owner.send(channel, "😀" * 5000))["message"]["message"] == "😀" * 5000
    family = "👨‍👩‍👧"
    await owner.send(channel, family * (5000 // len(family)))
    fits = {"custom_type": "c" * 128, "data": "d" * 16_384, "req_id": "r" * 64}
    await owner.send(channel, "x", **fits)
    for field, value in fits.items():
        async with refused(400110, field=field):
            await owner.send(channel, "x", **{field: value + "x"})
    async with refused(400110, field="data"):
        await owner.send(channel, "x", data="é" * 8193)
    async with refused(400110, field="message"):
        await owner.send(channel, "x" * 5001)


async def test_values_of_a_message(ctx):
    """message.send names a member that is missing, of a wrong type or of a wrong value."""
    server = await ctx.server()
    channel, owner = await ctx.room(server, 0)
    async with refused(400105, field="message"):
        await owner.call("message.send", channel_url=channel)
    async with refused(400105, field="message"):
        await owner.send(channel, "")
    for code, field, value in (
            (400100, "message", 5), (400100, "data", {"a": 1}), (400100, "custom_type", 1),
            (400100, "req_id", 1), (400111, "message_type", "WHAT"),
            (400111, "mention_type", "everyone"), (400102, "mentioned_user_ids", "jeff"),
            (400102, "metaarray", "x"), (400111, "push_option", "loud"),
            (400111, "message_type", "ADMM")):
        try:
            await owner.call("message.send", **{
                "channel_url": channel, "message": "x", field: value})
        except Exception as refusal:
            assert getattr(refusal, "code", None) == code, (field, value, refusal)
            assert refusal.data["field"].startswith(field), (field, refusal.data)
        else:
            raise AssertionError(f"{field}={value!r} was accepted")
    assert (await owner.call("message.list", channel_url=channel))["messages"] == []


async def test_ids_and_times_rise(ctx):
    """message_id and created_at never decrease, whoever sends at the same time."""
    server = await ctx.server("--limits-flood-messages", "0", "--limits-throttle-messages", "0")
    channel, owner, *senders = await ctx.room(server, 4)
    answers = []

    async def chatter(client):
        for n in range(25):
            answers.append(await client.send(channel, str(n)))
    await asyncio.gather(*(chatter(client) for client in senders))
    answers.sort(key=lambda answer: answer["seq"])
    ids = [a["message"]["message_id"] for a in answers]
    times = [a["message"]["created_at"] for a in answers]
    assert ids == sorted(set(ids)) and times == sorted(times)
    sequence = [a["seq"] for a in answers]
    assert sequence == list(range(sequence[0], sequence[0] + 100))
    await fence(channel, owner, *senders)
    seen = [e["params"]["seq"] for e in owner.told("message.received", channel_url=channel)]
    assert seen == sequence
    for client in senders:
        own = [m["message_id"] for m in client.messages(channel)]
        assert own == [a["message"]["message_id"] for a in answers
                       if a["message"]["user"]["user_id"] != client.user_id]


async def test_a_repeated_req_id(ctx):
    """A repeat with the same req_id answers with the first message and sends nothing."""
    server = await ctx.server()
    channel, owner, sender, viewer = await ctx.room(server, 2)
    first = await sender.send(channel, "once", req_id="same")
    again = await sender.send(channel, "another text", req_id="same")
    assert again == first, again
    second = await ctx.user(server, sender.user_id)
    await second.enter(channel)
    assert await second.send(channel, "x", req_id="same") == first
    await fence(channel, owner, viewer)
    assert len(viewer.messages(channel)) == 1


async def test_req_ids_belong_to_a_user_and_a_channel(ctx):
    """The same req_id of another user, or in another channel, sends a message of its own."""
    server = await ctx.server()
    channel, owner, one, two = await ctx.room(server, 2)
    other = ctx.name()
    await owner.call("channel.create", channel_url=other)
    await one.enter(other)
    ids = {(await client.send(place, "x", req_id="q"))["message"]["message_id"]
           for client, place in ((one, channel), (two, channel), (one, other))}
    assert len(ids) == 3


async def test_pipelined_repeats_of_a_req_id(ctx):
    """Repeats sent before the first is answered, over two connections, make one message."""
    server = await ctx.server()
    channel, owner, one = await ctx.room(server, 1)
    two = await ctx.user(server, one.user_id)
    await two.enter(channel)
    waiting = [
        await client.ask("message.send", channel_url=channel, message="x", req_id="q")
        for _ in range(20) for client in (one, two)]
    answers = [(await part) for part in waiting]
    assert all("result" in answer for answer in answers), answers
    assert len({a["result"]["message"]["message_id"] for a in answers}) == 1
    listed = await owner.call("message.list", channel_url=channel)
    assert len(listed["messages"]) == 1


async def test_a_repeat_over_the_flood_limit(ctx):
    """A repeat is answered with the first message even when the user is over the flood limit."""
    server = await ctx.server()
    channel, _, sender = await ctx.room(server, 1)
    first = await sender.send(channel, "x", req_id="q")
    waiting = [await sender.ask("message.send", channel_url=channel, message=str(n))
               for n in range(20)]
    repeat = await sender.ask("message.send", channel_url=channel, message="x", req_id="q")
    codes = [(await part).get("error", {}).get("code") for part in waiting]
    assert 900200 in codes
    assert await sender.result(repeat) == first


async def test_a_repeat_by_a_muted_or_absent_user(ctx):
    """A repeat is answered before freezing, muting, membership and values are looked at."""
    server = await ctx.server()
    channel, owner, sender = await ctx.room(server, 1)
    first = await sender.send(channel, "x", req_id="q")
    await owner.call("channel.mute", channel_url=channel, user_id=sender.user_id)
    await owner.call("channel.freeze", channel_url=channel)
    assert await sender.send(channel, "x", req_id="q") == first
    await sender.call("channel.exit", channel_url=channel)
    assert await sender.send(channel, "x", req_id="q") == first
    await owner.call("channel.ban", channel_url=channel, user_id=sender.user_id)
    assert await sender.send(channel, "x", req_id="q") == first


async def test_a_refused_send_leaves_its_req_id_free(ctx):
    """A send that was refused does not take its req_id."""
    server = await ctx.server()
    channel, owner, sender = await ctx.room(server, 1)
    await owner.call("channel.freeze", channel_url=channel)
    async with refused(900050):
        await sender.send(channel, "x", req_id="q")
    await owner.call("channel.unfreeze", channel_url=channel)
    assert (await sender.send(channel, "y", req_id="q"))["message"]["message"] == "y"


async def test_a_repeat_after_kill_9(ctx):
    """After kill -9 and a restart a repeat is still answered with the first message."""
    server = await ctx.fresh()
    channel, _, sender = await ctx.room(server, 1)
    first = await sender.send(channel, "x", req_id="q", data="d", custom_type="c")
    await server.kill()
    server = await ctx.fresh(data=server.data)
    sender = await ctx.user(server, sender.user_id)
    await sender.enter(channel)
    again = await sender.send(channel, "x", req_id="q")
    assert again == first, (again, first)
    assert len((await sender.call("message.list", channel_url=channel))["messages"]) == 1


async def test_a_repeat_shows_the_message_as_it_is(ctx):
    """A repeat after an edit still answers with that message and sends nothing."""
    server = await ctx.server()
    channel, _, sender = await ctx.room(server, 1)
    first = (await sender.send(channel, "x", req_id="q"))["message"]
    await sender.call("message.update", channel_url=channel, message="y",
                      message_id=first["message_id"])
    again = (await sender.send(channel, "x", req_id="q"))["message"]
    assert again["message_id"] == first["message_id"] and again["message"] in ("x", "y")


async def test_update(ctx):
    """message.update changes what is given, sets updated_at, and tells others."""
    server = await ctx.server()
    channel, owner, sender, viewer = await ctx.room(server, 2)
    second = await ctx.user(server, sender.user_id)
    await second.enter(channel)
    first = (await sender.send(channel, "old", data="kept", custom_type="c"))["message"]
    changed = (await sender.call(
        "message.update", channel_url=channel, message_id=first["message_id"],
        message="new"))["message"]
    assert changed["message"] == "new" and changed["data"] == "kept"
    assert changed["custom_type"] == "c" and changed["created_at"] == first["created_at"]
    assert changed["updated_at"] >= first["created_at"]
    for client in (viewer, second, owner):
        event = await client.event("message.updated", channel_url=channel)
        assert event["message"] == changed and isinstance(event["seq"], int)
    await fence(channel, owner, sender)
    assert not sender.told("message.updated"), "the updating connection was told"


async def test_update_of_every_member(ctx):
    """data, custom_type, mention_type and the mentioned are changed alone, too."""
    server = await ctx.server()
    channel, owner, sender = await ctx.room(server, 1)
    number = (await sender.send(channel, "text", data="d"))["message"]["message_id"]
    address = {"channel_url": channel, "message_id": number}
    changed = (await sender.call("message.update", **address, data="e"))["message"]
    assert changed["data"] == "e" and changed["message"] == "text"
    changed = (await sender.call("message.update", **address, custom_type="k"))["message"]
    assert changed["custom_type"] == "k" and changed["data"] == "e"
    changed = (await sender.call("message.update", **address, mention_type="channel"))["message"]
    assert changed["mention_type"] == "channel"
    changed = (await sender.call(
        "message.update", **address, mentioned_user_ids=[owner.user_id]))["message"]
    assert [u["user_id"] for u in changed["mentioned_users"]] == [owner.user_id]
    assert changed["message"] == "text"


async def test_who_may_update_and_delete(ctx):
    """Others are 400108; an operator may change and delete another's message."""
    server = await ctx.server()
    channel, owner, sender, other = await ctx.room(server, 2)
    number = (await sender.send(channel, "mine"))["message"]["message_id"]
    address = {"channel_url": channel, "message_id": number}
    async with refused(400108):
        await other.call("message.update", **address, message="stolen")
    async with refused(400108):
        await other.call("message.delete", **address)
    changed = (await owner.call("message.update", **address, message="moderated"))["message"]
    assert changed["message"] == "moderated" and changed["user"]["user_id"] == sender.user_id
    assert (await sender.event("message.updated"))["message"] == changed
    await owner.call("message.delete", **address)
    assert (await sender.event("message.deleted"))["message_id"] == number


async def test_update_values(ctx):
    """message.update refuses texts that are too long or empty, and unknown messages."""
    server = await ctx.server()
    channel, _, sender = await ctx.room(server, 1)
    number = (await sender.send(channel, "x"))["message"]["message_id"]
    address = {"channel_url": channel, "message_id": number}
    async with refused(400110, field="message"):
        await sender.call("message.update", **address, message="x" * 5001)
    async with refused(400105, field="message"):
        await sender.call("message.update", **address, message="")
    async with refused(400201):
        await sender.call("message.update", channel_url=channel, message_id=number + 1,
                          message="y")
    async with refused(400105, field="message_id"):
        await sender.call("message.update", channel_url=channel, message="y")
    for wrong in ("5", [], True):
        async with refused(400101, field="message_id"):
            await sender.call("message.update", channel_url=channel, message_id=wrong, message="y")
    got = await sender.call("message.get", **address)
    assert got["message"]["message"] == "x" and got["message"]["updated_at"] == 0


async def test_a_message_belongs_to_its_channel(ctx):
    """A message is not found, changed or deleted through another channel."""
    server = await ctx.server()
    channel, _, sender = await ctx.room(server, 1)
    other, *_ = await ctx.room(server, 0)
    await sender.enter(other)
    number = (await sender.send(channel, "x"))["message"]["message_id"]
    for method, params in (
            ("message.get", {}), ("message.update", {"message": "y"}), ("message.delete", {})):
        async with refused(400201):
            await sender.call(method, channel_url=other, message_id=number, **params)
    await sender.call("message.get", channel_url=channel, message_id=number)


async def test_delete(ctx):
    """message.delete tells every connection, the author's too, and the message is gone."""
    server = await ctx.server()
    channel, owner, sender, viewer = await ctx.room(server, 2)
    number = (await sender.send(channel, "x"))["message"]["message_id"]
    address = {"channel_url": channel, "message_id": number}
    assert await sender.call("message.delete", **address) == {}
    for client in (sender, viewer, owner):
        event = await client.event("message.deleted", channel_url=channel)
        assert event["message_id"] == number and isinstance(event["seq"], int)
        assert "message" not in event
    for method, params in (
            ("message.get", {}), ("message.update", {"message": "y"}), ("message.delete", {})):
        async with refused(400201):
            await sender.call(method, **address, **params)
    assert (await sender.call("message.list", channel_url=channel))["messages"] == []


async def test_a_file_by_its_address(ctx):
    """A FILE message shows its file to its sender and to participants, with or without a text."""
    server = await ctx.server()
    channel, owner, viewer = await ctx.room(server, 1)
    file = {"url": "https://files.example/plan.pdf", "name": "plan.pdf",
            "type": "application/pdf", "size": 7}
    bare = {"file_id": "", "require_auth": False, "thumbnails": []}
    sent = (await owner.call(
        "message.send", channel_url=channel, message_type="FILE", url=file["url"],
        file_name=file["name"], file_type=file["type"], file_size=file["size"]))["message"]
    assert (sent["type"], sent["message"], sent["file"]) == ("FILE", "", {**file, **bare}), sent
    await owner.call(
        "message.send", channel_url=channel, message_type="FILE", url="HTTP://a.example",
        message="look")
    await fence(channel, owner, viewer)
    first, second = viewer.messages(channel)
    assert first == sent and second["message"] == "look", (first, second)
    expected = {"url": "HTTP://a.example", "name": "", "type": "", "size": 0, **bare}
    assert second["file"] == expected, second
    listed = (await viewer.call(
        "message.list", channel_url=channel, message_type="FILE"))["messages"]
    assert listed == [first, second]


async def test_files_that_are_refused(ctx):
    """A FILE message needs the address of a file that a browser may be sent to."""
    server = await ctx.server()
    channel, owner = await ctx.room(server, 0)
    for code, params in (
            (400105, {}), (400105, {"url": ""}), (400100, {"url": 1}),
            (400111, {"url": "javascript:alert(1)"}), (400111, {"url": "ftp://a.example/f"}),
            (400111, {"url": "f.png"}), (400110, {"url": "https://" + "a" * 2041}),
            (400110, {"url": "https://a.example", "file_name": "n" * 256}),
            (400106, {"url": "https://a.example", "file_size": -1}),
            (400105, {"file": {"url": "https://a.example/f.png"}})):
        async with refused(code):
            await owner.call("message.send", channel_url=channel, message_type="FILE", **params)
    assert (await owner.call("message.list", channel_url=channel))["messages"] == []


async def test_a_wish_for_translations_refuses_nothing(ctx):
    """Without a translator a message goes out with no translations; only what is no tag is refused."""
    server = await ctx.server()
    channel, owner, viewer = await ctx.room(server, 1)
    sent = await owner.send(channel, "noon", translation_target_langs=["es", "pt-BR", "xx"])
    assert sent["message"]["translations"] == {}
    event = await viewer.event("message.received")
    assert event["message"]["translations"] == {}
    for code, wish in ((400203, [f"la-{n}" for n in range(11)]), (400111, ["pt_BR"]),
                       (400100, [7]), (400102, "es"), (400110, ["a" * 36])):
        async with refused(code, field="translation_target_langs"):
            await owner.call("message.send", channel_url=channel, message="noon",
                             translation_target_langs=wish)


async def test_translation_is_refused_clearly(ctx):
    """message.translate, where no translator is set up, is an error with a code and a cause."""
    server = await ctx.server()
    channel, owner = await ctx.room(server, 0)
    number = (await owner.send(channel, "hello"))["message"]["message_id"]
    try:
        await owner.call("message.translate", channel_url=channel, message_id=number,
                         target_langs=["de"])
    except Exception as refusal:
        assert getattr(refusal, "code", None) is not None and refusal.message, refusal
    await owner.call("session.ping")


async def test_a_mention_reaches_those_outside(ctx):
    """A mentioned user that is connected but outside gets mention.received, not one inside."""
    server = await ctx.server()
    channel, owner, sender, inside = await ctx.room(server, 2)
    outside = await ctx.user(server)
    stranger = await ctx.user(server)
    sent = await sender.send(
        channel, "look", mentioned_user_ids=[outside.user_id, inside.user_id])
    event = await outside.event("mention.received")
    assert event["message"] == sent["message"] and event["channel_url"] == channel
    assert "ts" in event
    await fence(channel, owner, inside)
    await stranger.call("session.ping")
    assert not inside.told("mention.received") and not stranger.told("mention.received")
    assert [m["message_id"] for m in inside.messages(channel)] == [sent["message"]["message_id"]]


async def test_a_mention_reaches_every_connection_outside(ctx):
    """A mentioned user's connections, none of which is inside, are all told."""
    server = await ctx.server()
    channel, _, sender = await ctx.room(server, 1)
    first = await ctx.user(server)
    second = await ctx.user(server, first.user_id)
    await sender.send(channel, "look", mentioned_user_ids=[first.user_id])
    for client in (first, second):
        await client.event("mention.received")


async def test_unknown_mentions(ctx):
    """A mentioned user who does not exist is left out or is 400201; the server stays up."""
    server = await ctx.server()
    channel, owner = await ctx.room(server, 0)
    try:
        sent = await owner.send(channel, "x", mentioned_user_ids=[ctx.name("nobody")])
        assert sent["message"]["mentioned_users"] == []
    except Exception as refusal:
        assert getattr(refusal, "code", None) == 400201, refusal


async def test_mentioning_oneself_and_twice(ctx):
    """A user mentioned twice is listed once, and the sender gets no mention.received."""
    server = await ctx.server()
    channel, owner, sender = await ctx.room(server, 1)
    sent = await sender.send(
        channel, "me", mentioned_user_ids=[sender.user_id, owner.user_id, owner.user_id])
    ids = [u["user_id"] for u in sent["message"]["mentioned_users"]]
    assert sorted(ids) == sorted({sender.user_id, owner.user_id}), ids
    await sender.call("session.ping")
    assert not sender.told("mention.received")


async def test_messages_are_the_same_bytes_for_all(ctx):
    """A channel event is the same text for every subscriber."""
    server = await ctx.server()
    channel, _, sender, *viewers = await ctx.room(server, 6)
    await sender.send(channel, "same", data="d", req_id="q")
    texts = set()
    for viewer in viewers:
        await viewer.event("message.received")
        texts.add(next(t for t in viewer.raw if '"message.received"' in t))
    assert len(texts) == 1, texts
