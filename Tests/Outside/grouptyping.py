"""Typing of members in a group."""

import asyncio
import random

from groupendpoints import BASE, Back
from groups import FREE, code, fence, group, heard, view
from harness import refused


async def types(client, url, is_typing=True):
    assert await client.call("group.typing", channel_url=url, is_typing=is_typing) == {}


def shown(client, url):
    """The members whom the client was last told to be typing."""
    events = client.told("group.typing", channel_url=url)
    return events[-1]["params"]["user_ids"] if events else []


async def shows(client, url, *typing):
    await client.until(lambda: shown(client, url) == [one.user_id for one in typing], f"typing: {typing}")


async def test_others_are_told(ctx):
    """The others learn who types, in the order of beginning; a typing member learns of the others only."""
    server = await ctx.server(*FREE)
    url, creator, one, two = await group(ctx, server)
    phone = await ctx.user(server, one.user_id)
    deaf = await ctx.user(server, two.user_id, groups=False)
    assert one.session["features"]["groups"]["typing"] is True
    await types(one, url)
    for client in (creator, two):
        await shows(client, url, one)
    event = creator.told("group.typing", channel_url=url)[0]["params"]
    assert set(event) == {"channel_url", "ts", "user_ids", "more"} and event["more"] is False, event
    await types(two, url)
    await shows(creator, url, one, two)
    for client in (one, phone):
        await shows(client, url, two)
    # A repeated call causes no event.
    for _ in range(5):
        await types(one, url)
    await creator.send(url, "x")
    await fence(url, creator, creator, one, phone, two)
    for client, count in ((creator, 2), (one, 1), (phone, 1), (two, 1)):
        assert len(client.told("group.typing", channel_url=url)) == count, client.events
    assert not deaf.told("group.typing")


async def test_ends(ctx):
    """It ends by false, by a message after it, and with the last connection; the membership and a ban end it too."""
    server = await ctx.server(*FREE)
    url, creator, one = await group(ctx, server, 1)
    await types(one, url)
    await shows(creator, url, one)
    await types(one, url, False)
    await shows(creator, url)
    await types(one, url)
    await shows(creator, url, one)
    await one.send(url, "said")
    await shows(creator, url)
    names = [name for name in heard(creator, url) if name in ("message.received", "group.typing")]
    assert names[-2:] == ["message.received", "group.typing"], names
    phone = await ctx.user(server, one.user_id)
    await types(phone, url)
    await shows(creator, url, one)
    await one.leave()
    await creator.send(url, "x")
    await fence(url, creator, creator, phone)
    assert shown(creator, url) == [one.user_id]
    await phone.leave()
    await shows(creator, url)
    for end, params in (("channel.mute", {"user_id": one.user_id}), ("channel.freeze", {}),
                        ("channel.ban", {"user_id": one.user_id})):
        again = await ctx.user(server, one.user_id)
        await types(again, url)
        await shows(creator, url, one)
        await creator.call(end, channel_url=url, **params)
        await shows(creator, url)
        if end != "channel.ban":
            await creator.call(end.replace(".", ".un"), channel_url=url, **params)
    assert not [e for e in creator.told("group.typing", channel_url=url) if "seq" in e["params"]]


async def test_it_holds_ten_seconds(ctx):
    """Without another call it ends by itself."""
    server = await ctx.server(*FREE)
    url, creator, one = await group(ctx, server, 1)
    await types(one, url)
    await shows(creator, url, one)
    await shows(creator, url)
    first, last = [e["params"]["ts"] for e in creator.told("group.typing", channel_url=url)]
    assert last - first >= 9_000, (first, last)


async def test_who_may(ctx):
    """Nothing happens for muted and invited members, and in a frozen group; strangers are refused."""
    server = await ctx.server(*FREE)
    url, creator, muted, other = await group(ctx, server, is_public=True)
    invited, stranger = await ctx.users(server, 2)
    await invited.call("user.preferences", auto_accept_invitations=False)
    await creator.call("group.invite", channel_url=url, user_ids=[invited.user_id])
    await creator.call("channel.mute", channel_url=url, user_id=muted.user_id)
    for client in (muted, invited):
        await types(client, url)
        await types(client, url, False)
    assert await code(stranger, "group.typing", channel_url=url, is_typing=True) == 900020
    await creator.call("channel.freeze", channel_url=url)
    await types(other, url)
    await fence(url, creator, creator, other)
    assert not creator.told("group.typing", channel_url=url)
    await types(creator, url)
    await shows(other, url, creator)
    await creator.call("group.update", channel_url=url, is_public=False)
    assert await code(stranger, "group.typing", channel_url=url, is_typing=True) == 400201
    for wrong, field in ((None, 400105), (1, 400104), ("true", 400104)):
        assert await code(creator, "group.typing", channel_url=url, is_typing=wrong) == field, wrong
    async with refused(400920):
        channel = ctx.name("channel")
        await creator.call("channel.create", channel_url=channel)
        await creator.call("group.typing", channel_url=channel, is_typing=True)


async def test_a_flood_of_calls(ctx):
    """Many calls of many members cause at most an event a second, and the last call of each decides."""
    server = await ctx.server(*FREE)
    url, creator, *others = await group(ctx, server, 4)
    choose = random.Random(7)
    for _ in range(60):
        asked = [await one.ask("group.typing", channel_url=url, is_typing=choose.random() < 0.5)
                 for one in others for _ in range(3)]
        for one, number in zip([one for one in others for _ in range(3)], asked):
            await one.result(number)
        await asyncio.sleep(0.05)
    for one in others[:2]:
        await types(one, url)
    for one in others[2:]:
        await types(one, url, False)
    wanted = {one.user_id for one in others[:2]}
    await creator.until(lambda: set(shown(creator, url)) == wanted, "those who type")
    for one in others[:2]:
        await one.until(lambda: set(shown(one, url)) == wanted - {one.user_id}, "the other")
    times = [e["params"]["ts"] for e in creator.told("group.typing", channel_url=url)]
    assert all(after - before >= 990 for before, after in zip(times, times[1:])), times
    await fence(url, creator, creator)


async def test_the_platform_api(ctx):
    """A back end shows members as typing, and no longer; all of them must be members."""
    server = await ctx.server(*FREE)
    url, creator, one, two = await group(ctx, server)
    async with Back(server) as back:
        path = f"{BASE}/{url}/typing"
        assert await back.call("POST", path, {"user_ids": [one.user_id, two.user_id]}) == {}
        await shows(creator, url, one, two)
        await shows(one, url, two)
        assert await back.call("DELETE", path, {"user_ids": [one.user_id]}) == {}
        await shows(creator, url, two)
        assert await back.code("POST", path, {"user_ids": [one.user_id, "stranger"]}) == 400111
        assert await back.code("POST", path, {"user_ids": []}) == 400105
        assert await back.code("POST", path, {}) == 400105
        assert await back.code("POST", f"{BASE}/nowhere/typing", {"user_ids": [one.user_id]}) == 400201
    assert (await view(creator, url))["last_message"] is None
