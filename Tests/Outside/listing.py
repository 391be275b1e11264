"""message.list and message.get."""

import asyncio

from harness import refused


async def filled(ctx, count=12, flags=("--limits-flood-messages", "0")):
    server = await ctx.server(*flags)
    channel, owner, sender = await ctx.room(server, 1)
    sent = []
    for n in range(count):
        sent.append((await (owner if n % 3 == 0 else sender).send(
            channel, f"m{n}", custom_type="even" if n % 2 == 0 else "odd"))["message"])
    return channel, owner, sender, sent


def texts(answer):
    return [message["message"] for message in answer["messages"]]


async def test_the_last_fifteen(ctx):
    """Without a position message.list gives the last 15, oldest first."""
    channel, owner, _, _ = await filled(ctx, 20)
    answer = await owner.call("message.list", channel_url=channel)
    assert texts(answer) == [f"m{n}" for n in range(5, 20)], texts(answer)


async def test_around_a_message(ctx):
    """prev_limit, next_limit and include go around a message_id."""
    channel, owner, _, sent = await filled(ctx)
    number = sent[6]["message_id"]

    async def around(**params):
        return texts(await owner.call(
            "message.list", channel_url=channel, message_id=number, **params))
    assert await around(prev_limit=2, next_limit=3) == ["m4", "m5", "m6", "m7", "m8", "m9"]
    assert await around(prev_limit=2, next_limit=3, include=False) == [
        "m4", "m5", "m7", "m8", "m9"]
    assert await around(prev_limit=0, next_limit=0) == ["m6"]
    assert await around(prev_limit=0, next_limit=0, include=False) == []
    assert await around(prev_limit=0, next_limit=2) == ["m6", "m7", "m8"]
    assert await around(prev_limit=2) == ["m4", "m5", "m6"]


async def test_reverse(ctx):
    """reverse turns the order of the very same messages round."""
    channel, owner, _, sent = await filled(ctx)
    params = {"channel_url": channel, "message_id": sent[6]["message_id"],
              "prev_limit": 2, "next_limit": 2}
    forward = texts(await owner.call("message.list", **params))
    backward = texts(await owner.call("message.list", **params, reverse=True))
    assert forward == ["m4", "m5", "m6", "m7", "m8"] and backward == forward[::-1]


async def test_around_a_time(ctx):
    """message_ts with include gives those of that very millisecond, and limits go beside them."""
    channel, owner, _, sent = await filled(ctx)
    stamp = sent[6]["created_at"]
    before = [m["message"] for m in sent if m["created_at"] < stamp]
    same = [m["message"] for m in sent if m["created_at"] == stamp]
    after = [m["message"] for m in sent if m["created_at"] > stamp]

    async def around(**params):
        return texts(await owner.call(
            "message.list", channel_url=channel, message_ts=stamp, **params))
    assert await around(prev_limit=2, next_limit=2) == before[-2:] + same + after[:2]
    assert await around(prev_limit=2, next_limit=2, include=False) == before[-2:] + after[:2]
    assert await around(prev_limit=0, next_limit=200) == same + after
    assert await around(prev_limit=200, next_limit=0) == before + same


async def test_before_and_after_everything(ctx):
    """A message_ts before the first and after the last message finds the ends."""
    channel, owner, _, sent = await filled(ctx, 5)
    every = [m["message"] for m in sent]
    assert texts(await owner.call(
        "message.list", channel_url=channel, message_ts=0, next_limit=200)) == every
    assert texts(await owner.call(
        "message.list", channel_url=channel, message_ts=2**53 - 1, prev_limit=3)) == every[-3:]


async def test_a_message_id_that_is_gone(ctx):
    """A message_id that was deleted still marks a place; the message itself is left out."""
    channel, owner, _, sent = await filled(ctx, 6)
    number = sent[3]["message_id"]
    await owner.call("message.delete", channel_url=channel, message_id=number)
    answer = await owner.call("message.list", channel_url=channel, message_id=number,
                              prev_limit=2, next_limit=2)
    assert texts(answer) == ["m1", "m2", "m4", "m5"], texts(answer)


async def test_filters(ctx):
    """message_type, custom_types and sender_ids filter, alone and together."""
    channel, owner, sender, sent = await filled(ctx)

    async def found(**params):
        return texts(await owner.call("message.list", channel_url=channel, **params))
    assert await found(custom_types=["even"]) == [f"m{n}" for n in range(0, 12, 2)]
    assert await found(custom_types=["even", "odd"]) == [f"m{n}" for n in range(12)]
    assert await found(sender_ids=[owner.user_id]) == [f"m{n}" for n in range(0, 12, 3)]
    assert await found(sender_ids=[owner.user_id], custom_types=["odd"]) == ["m3", "m9"]
    assert await found(message_type="MESG", prev_limit=2) == ["m10", "m11"]
    assert await found(message_type="FILE") == []
    assert await found(custom_types=["even"], prev_limit=2) == ["m8", "m10"]
    assert await found(message_id=sent[5]["message_id"], custom_types=["even"], prev_limit=1,
                       next_limit=1) == ["m4", "m6"]


async def test_values(ctx):
    """Limits outside 0 to 200, wrong types and both positions at once are refused."""
    channel, owner, _, sent = await filled(ctx, 2)
    for field in ("prev_limit", "next_limit"):
        async with refused(400113, field=field):
            await owner.call("message.list", channel_url=channel, **{field: 201})
        async with refused(400106, field=field):
            await owner.call("message.list", channel_url=channel, **{field: -1})
        async with refused(400101, field=field):
            await owner.call("message.list", channel_url=channel, **{field: "1"})
    async with refused(400104, field="include"):
        await owner.call("message.list", channel_url=channel, include="yes")
    async with refused(400104, field="reverse"):
        await owner.call("message.list", channel_url=channel, reverse=1)
    async with refused(400102, field="custom_types"):
        await owner.call("message.list", channel_url=channel, custom_types="a")
    async with refused(400111, field="message_type"):
        await owner.call("message.list", channel_url=channel, message_type="NOPE")
    answers = await owner.raw_answer({
        "jsonrpc": "2.0", "id": 99999, "method": "message.list", "params": {
            "channel_url": channel, "message_id": sent[0]["message_id"],
            "message_ts": sent[1]["created_at"]}})
    assert answers.get("error", {}).get("code", 400920) == 400920, answers


async def test_paging_through_everything(ctx):
    """Going back and forth by message_id meets every message once."""
    channel, owner, _, sent = await filled(ctx, 30)
    seen, position = [], None
    while True:
        where = {"message_id": position, "include": False} if position else {}
        page = (await owner.call(
            "message.list", channel_url=channel, prev_limit=7, **where))["messages"]
        if not page:
            break
        seen = page + seen
        position = page[0]["message_id"]
    assert [m["message_id"] for m in seen] == [m["message_id"] for m in sent]


async def test_two_hundred_at_once(ctx):
    """200 before and 200 after may be asked for at once."""
    # A list that takes longer than limits.query_ms is cut short, on a busy machine.
    server = await ctx.server("--limits-flood-messages", "0", "--limits-query-ms", "0")
    channel, owner = await ctx.room(server, 0)
    waiting = [await owner.ask("message.send", channel_url=channel, message=str(n))
               for n in range(401)]
    sent = [(await owner.result(part))["message"] for part in waiting]
    answer = await owner.call("message.list", channel_url=channel, prev_limit=200, next_limit=200,
                              message_id=sent[200]["message_id"])
    assert texts(answer) == [str(n) for n in range(401)]


async def test_get_values(ctx):
    """message.get of an id that is not there or out of range is refused."""
    channel, owner, _, sent = await filled(ctx, 1)
    async with refused(400201):
        await owner.call("message.get", channel_url=channel, message_id=5)
    for number in (0, 2**53):
        async with refused(400113, field="message_id"):
            await owner.call("message.get", channel_url=channel, message_id=number)
    async with refused(400106, field="message_id"):
        await owner.call("message.get", channel_url=channel, message_id=-1)


async def test_reading_while_writing(ctx):
    """What message.list gives to a sender always holds what it was told is sent."""
    server = await ctx.server("--limits-flood-messages", "0", "--limits-throttle-messages", "0")
    channel, _, *senders = await ctx.room(server, 4)

    async def work(client):
        for n in range(20):
            number = (await client.send(channel, str(n)))["message"]["message_id"]
            listed = await client.call("message.list", channel_url=channel, prev_limit=200)
            ids = [m["message_id"] for m in listed["messages"]]
            assert number in ids and ids == sorted(ids)
    await asyncio.gather(*(work(client) for client in senders))
