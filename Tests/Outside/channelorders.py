"""The orders of lists of channels."""

import asyncio
import time

from harness import Refused, refused


async def walk(client, limit=2, **params):
    """The URLs of all pages; no channel comes twice."""
    seen, token = [], None
    while token != "":
        page = await client.call("channel.list", limit=limit, token=token, **params)
        seen += [channel["channel_url"] for channel in page["channels"]]
        assert len(page["channels"]) <= limit
        token = page["next"]
    assert len(seen) == len(set(seen)), seen
    return seen


async def channels(owner, count=7):
    """Creates channels, the first of which is the oldest; those with an odd number are of type odd."""
    urls = [f"order-{n}" for n in range(count)]
    for n, url in enumerate(urls):
        await owner.call("channel.create", channel_url=url, name=f"Nr {n}", custom_type="odd" if n % 2 else "even")
    return urls


async def speak(client, url):
    """Sends a message that is later than all before it."""
    await client.call("channel.enter", channel_url=url)
    sent = await client.send(url, "here")
    while time.time() * 1000 < sent["message"]["created_at"] + 1:
        await asyncio.sleep(0.001)


async def test_by_latest_message(ctx):
    """Channels with messages come first, the latest of them at the beginning; the others follow, newest first."""
    server = await ctx.fresh()
    owner = await ctx.user(server)
    urls = await channels(owner)
    assert await walk(owner, order="latest_message") == urls[::-1]
    for n in (4, 1, 0, 5):
        await speak(owner, urls[n])
    expected = [urls[n] for n in (5, 0, 1, 4, 6, 3, 2)]
    assert await walk(owner, order="latest_message") == expected
    assert await walk(owner, order="latest_message", limit=100) == expected
    assert await walk(owner, order="latest_message", custom_types=["odd"]) == [urls[n] for n in (5, 1, 3)]
    assert await walk(owner, order="latest_message", name_contains="nr 1") == [urls[1]]
    await owner.call("channel.freeze", channel_url=urls[0])
    await owner.call("channel.freeze", channel_url=urls[3])
    assert await walk(owner, order="latest_message", frozen=True) == [urls[0], urls[3]]
    assert await walk(owner, order="latest_message", frozen=False) == [urls[n] for n in (5, 1, 4, 6, 2)]
    assert await walk(owner, order="created") == await walk(owner) == urls[::-1]


async def test_by_participants(ctx):
    """Channels with the most participants come first; the others follow, newest first."""
    server = await ctx.fresh()
    owner, *others = await ctx.users(server, 4)
    urls = await channels(owner)
    assert await walk(owner, order="participants") == urls[::-1]
    for n, clients in ((4, others[:2]), (2, others), (1, others[:1])):
        for client in clients:
            await client.call("channel.enter", channel_url=urls[n])
    expected = [urls[n] for n in (2, 4, 1, 6, 5, 3, 0)]
    for limit in (1, 2, 3, 4, 7, 100):
        assert await walk(owner, limit, order="participants") == expected, limit
    listed = await owner.call("channel.list", order="participants", limit=5)
    assert [channel["participant_count"] for channel in listed["channels"]] == [3, 2, 1, 0, 0]
    assert await walk(owner, order="participants", custom_types=["even"]) == [urls[n] for n in (2, 4, 6, 0)]
    assert await walk(owner, order="participants", name_contains="nr 1") == [urls[1]]
    await owner.call("channel.freeze", channel_url=urls[0])
    await owner.call("channel.freeze", channel_url=urls[3])
    assert await walk(owner, order="participants", frozen=True) == [urls[3], urls[0]]
    assert await walk(owner, order="participants", frozen=False) == [urls[n] for n in (2, 4, 1, 6, 5)]
    await others[0].call("channel.exit", channel_url=urls[4])
    await others[1].call("channel.exit", channel_url=urls[4])
    await owner.call("channel.delete", channel_url=urls[2])
    assert await walk(owner, order="participants") == [urls[n] for n in (1, 6, 5, 4, 3, 0)]


async def test_a_later_message_does_not_repeat_a_channel(ctx):
    """A walk through the pages shows no channel twice while others talk and are created."""
    server = await ctx.fresh()
    owner = await ctx.user(server)
    urls = await channels(owner)
    for url in urls[:4]:
        await speak(owner, url)
    page = await owner.call("channel.list", order="latest_message", limit=2)
    assert [channel["channel_url"] for channel in page["channels"]] == urls[3:1:-1]
    await owner.send(urls[3], "once more")
    await owner.call("channel.create", channel_url="order-new")
    await speak(owner, "order-new")
    rest = await owner.call("channel.list", order="latest_message", limit=100, token=page["next"])
    assert [channel["channel_url"] for channel in rest["channels"]] == [urls[n] for n in (1, 0, 6, 5, 4)]


async def test_wrong_orders(ctx):
    """An unknown order is refused with the known ones, and so is a token of another order."""
    server = await ctx.fresh()
    owner = await ctx.user(server)
    urls = await channels(owner, 3)
    await speak(owner, urls[0])
    await owner.call("channel.enter", channel_url=urls[1])
    orders = ("created", "participants", "latest_message")
    for value in ("newest", "", "CREATED"):
        try:
            await owner.call("channel.list", order=value)
        except Refused as refusal:
            assert refusal.code == 400111 and refusal.data["field"] == "order", refusal
            assert all(order in str(refusal) for order in orders), refusal
        else:
            raise AssertionError(f"an unknown order was taken: {value!r}")
    for value in (1, True, ["created"]):
        async with refused(400100, field="order"):
            await owner.call("channel.list", order=value)
    for order in orders:
        token = (await owner.call("channel.list", limit=1, order=order))["next"]
        assert token
        for other in orders:
            if other != order:
                async with refused(400109, field="token"):
                    await owner.call("channel.list", limit=1, order=other, token=token)
    assert await walk(owner, order=None) == urls[::-1]
