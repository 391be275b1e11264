"""Totals: the numbers over all groups, as a connection watches them."""

import asyncio

from groups import FREE, group, refusal

QUICK = (*FREE, "--groups-totals-ms", "100")


NUMBERS = ("unread_message_count", "unread_channel_count", "invitation_count", "unread_mention_count")


def shown(event):
    return tuple(event[name] for name in NUMBERS)


def totals(client):
    """The totals that a connection was sent."""
    return [event["params"] for event in client.told("group.totals")]


async def watch(client):
    """Begins to watch, and returns the first numbers."""
    count = len(totals(client))
    assert await client.call("group.watch_totals", on=True) == {}
    await client.until(lambda: len(totals(client)) > count, "the first totals")
    return totals(client)[count]


async def settled(client, *numbers, mentions=0):
    """Waits until the last totals are these."""
    numbers = (*numbers, mentions)
    await client.until(
        lambda: totals(client) and shown(totals(client)[-1]) == numbers,
        f"totals of {numbers}, not {[shown(e) for e in totals(client)]}")
    answer = await client.call("group.unread")
    assert shown(answer) == numbers, answer


async def test_totals_follow_what_happens(ctx):
    """Messages, reading on either device, hiding, leaving and invitations: the totals are those of group.unread."""
    server = await ctx.server(*QUICK)
    creator, phone = await ctx.users(server, 2)
    laptop = await ctx.user(server, phone.user_id)
    await phone.event("group.ready")
    urls = [ctx.name("total") for _ in range(3)]
    for url, kind in zip(urls, ("support", "support", "")):
        await creator.call("group.create", channel_url=url, user_ids=[phone.user_id], custom_type=kind)
    assert shown(await watch(phone)) == (0, 0, 0, 0)
    assert totals(laptop) == []
    sent = [await creator.send(url, "x") for url in (*urls, urls[0])]
    await settled(phone, 4, 3, 0)
    assert totals(phone)[-1]["by_custom_type"] == {
        "support": {"unread_message_count": 3, "unread_mention_count": 0, "unread_channel_count": 2, "invitation_count": 0}}
    await laptop.call("group.mark_read", channel_url=urls[0])
    await settled(phone, 2, 2, 0)
    await phone.call("group.mark_read", channel_url=urls[1])
    await settled(phone, 1, 1, 0)
    await phone.call("group.mark_unread", channel_url=urls[1], message_id=sent[1]["message"]["message_id"])
    await settled(phone, 2, 2, 0)
    await creator.call("message.delete", channel_url=urls[1], message_id=sent[1]["message"]["message_id"])
    await settled(phone, 1, 1, 0)
    await phone.call("group.hide", channel_url=urls[2])
    await settled(phone, 0, 0, 0)
    await creator.send(urls[2], "back")
    await settled(phone, 2, 1, 0)
    await phone.call("group.hide", channel_url=urls[2], allow_auto_unhide=False)
    await creator.send(urls[2], "archived")
    await settled(phone, 0, 0, 0)
    await phone.call("group.unhide", channel_url=urls[2])
    await settled(phone, 3, 1, 0)
    await creator.send(urls[0], "more")
    await settled(phone, 4, 2, 0)
    await phone.send(urls[0], "own")
    await settled(phone, 3, 1, 0)
    await phone.call("user.preferences", auto_accept_invitations=False)
    invited = ctx.name("invited")
    await creator.call("group.create", channel_url=invited, user_ids=[phone.user_id])
    await settled(phone, 3, 1, 1)
    await phone.call("group.decline", channel_url=invited)
    await settled(phone, 3, 1, 0)
    await creator.call("group.remove", channel_url=urls[2], user_ids=[phone.user_id])
    await settled(phone, 0, 0, 0)
    await creator.send(urls[0], "unread")
    await settled(phone, 1, 1, 0)
    await phone.call("group.mark_read")
    await settled(phone, 0, 0, 0)
    # Never the same twice in a row.
    numbers = [{**event, "ts": 0} for event in totals(phone)]
    assert all(one != other for one, other in zip(numbers, numbers[1:]))
    await phone.call("group.watch_totals", on=False)
    count = len(totals(phone))
    await creator.send(urls[0], "unseen")
    await phone.until(
        lambda: any(e["params"]["message"]["message"] == "unseen" for e in phone.told("message.received")), "the message")
    assert shown(await phone.call("group.unread")) == (1, 1, 0, 0)
    assert len(totals(phone)) == count


async def test_totals_have_mentions(ctx):
    """Unread mentions are in the totals, also of groups whose messages the user does not count."""
    server = await ctx.server(*QUICK)
    creator, phone = await ctx.users(server, 2)
    await phone.event("group.ready")
    url = ctx.name("total")
    await creator.call("group.create", channel_url=url, user_ids=[phone.user_id])
    await watch(phone)
    await phone.call("group.set_preference", channel_url=url, count_preference="unread_mention_count_only")
    await creator.send(url, "x", mentioned_user_ids=[phone.user_id])
    other = (await creator.send(url, "y"))["message"]
    await settled(phone, 0, 0, 0, mentions=1)
    await creator.call(
        "message.update", channel_url=url, message_id=other["message_id"], mention_type="channel")
    await settled(phone, 0, 0, 0, mentions=2)
    await phone.call("group.mark_read", channel_url=url)
    await settled(phone, 0, 0, 0)


async def test_many_messages_are_few_totals(ctx):
    """A hundred messages bring few events, and the last one is right."""
    server = await ctx.server(*FREE, "--groups-totals-ms", "1000")
    url, creator, member = await group(ctx, server, 1)
    await watch(member)
    started = asyncio.get_running_loop().time()
    for _ in range(100):
        await creator.send(url, "x")
    await settled(member, 100, 1, 0)
    took = asyncio.get_running_loop().time() - started
    assert len(totals(member)) <= took + 3, (len(totals(member)), took)


async def test_refusals(ctx):
    """`on` is needed."""
    server = await ctx.server(*FREE)
    client = await ctx.user(server)
    for params in ({}, {"on": "x"}, {"on": 7}):
        error = await refusal(client, "group.watch_totals", **params)
        assert error and error.data.get("field") == "on", (params, error)
    assert await client.call("group.watch_totals", on=False) == {}
