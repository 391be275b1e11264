"""Metrics of groups."""

from groups import FREE, fence, group
from groupreading import sent
from harness import eventually
from observers import Caller


async def numbers(server, name):
    """The samples of a metric by the value of its label, or the only one."""
    async with Caller(server) as caller:
        shown = await caller.call("GET", "/parley/metrics")
    found = {tuple(s["labels"].values()): s["value"] for s in shown["samples"] if s["name"] == name}
    durations = {(): d["count"] for d in shown["durations"] if d["name"] == name}
    found |= durations
    return found[()] if set(found) == {()} else {label: value for (label,), value in found.items()}


async def test_groups_and_members(ctx):
    """Groups in memory, their members and those with connected members rise and fall; stored ones are counted."""
    server = await ctx.fresh(*FREE)
    await eventually(lambda: stored(server, 0))
    url, creator, *others = await group(ctx, server, 3)
    await creator.call("channel.create", channel_url=ctx.name("open"))
    assert (await numbers(server, "parley_groups"))["loaded"] == 1
    assert await numbers(server, "parley_group_members") == 4
    assert await numbers(server, "parley_group_stages") == 1
    await others[0].call("group.leave", channel_url=url)
    assert await numbers(server, "parley_group_members") == 3
    for client in (creator, *others):
        await client.socket.close()
    await eventually(lambda: equal(server, "parley_group_stages", 0))
    again = await ctx.user(server, creator.user_id)
    await eventually(lambda: equal(server, "parley_group_stages", 1))
    await again.call("group.delete", channel_url=url)
    assert await numbers(server, "parley_group_members") == 0
    assert await numbers(server, "parley_group_stages") == 0
    assert (await numbers(server, "parley_groups"))["loaded"] == 0


async def stored(server, count):
    return (await numbers(server, "parley_groups")).get("stored") == count


async def equal(server, name, wanted):
    return await numbers(server, name) == wanted


async def test_recoveries_and_watchers(ctx):
    """Groups in group.recover are counted by their outcome, and connections that watch totals while they do."""
    server = await ctx.fresh(*FREE)
    url, creator, one = await group(ctx, server, 1)
    channel = (await one.call("group.get", channel_url=url))["channel"]
    known = {"channel_url": url, "epoch": channel["epoch"], "seq": channel["seq"]}
    for part in (known, {**known, "epoch": "other"}, {**known, "channel_url": ctx.name("none")}):
        await one.call("group.recover", channels=[part])
    assert await numbers(server, "parley_group_recoveries_total") == {
        "recovered": 1, "unavailable": 1, "refused": 1, "budget": 0}
    for client in (creator, one, one):
        await client.call("group.watch_totals", on=True)
    assert await numbers(server, "parley_group_totals_watchers") == 2
    for _ in range(2):
        await creator.call("group.watch_totals", on=False)
    assert await numbers(server, "parley_group_totals_watchers") == 1
    await one.socket.close()
    await eventually(lambda: equal(server, "parley_group_totals_watchers", 0))


async def test_stored_groups_are_counted(ctx):
    """After a start, the groups in the database are counted whether they are in memory or not."""
    server = await ctx.fresh(*FREE)
    (creator,) = await ctx.users(server, 1)
    for _ in range(3):
        await creator.call("group.create", user_ids=[])
    assert await server.end() == 0
    server = await ctx.fresh(*FREE, data=server.data)
    await eventually(lambda: stored(server, 3))
    assert (await numbers(server, "parley_groups"))["loaded"] == 0


async def test_what_members_do_is_counted(ctx):
    """Invitations, reads, receipts and typing have their outcomes; sessions their time until group.ready."""
    server = await ctx.fresh(*FREE)
    url, creator, one = await group(ctx, server, 1)
    invited = await ctx.user(server)
    await invited.call("user.preferences", auto_accept_invitations=False)
    await creator.call("group.invite", channel_url=url, user_ids=[invited.user_id])
    await invited.call("group.decline", channel_url=url)
    await creator.call("group.invite", channel_url=url, user_ids=[invited.user_id])
    await invited.call("group.accept", channel_url=url)
    assert await numbers(server, "parley_group_invitations_total") == {
        "joined": 1, "invited": 2, "accepted": 1, "declined": 1, "withdrawn": 0}
    message = await sent(creator, url)
    for _ in range(2):
        await one.call("group.mark_read", channel_url=url, message_id=message["message_id"])
    assert await numbers(server, "parley_group_reads_total") == {"moved": 1, "same": 1, "late": 0}
    asked = [await one.ask("group.mark_read", channel_url=url, message_id=message["message_id"]) for _ in range(4)]
    for call in asked:
        await one.result(call)
    assert (await numbers(server, "parley_group_reads_total"))["late"] >= 1
    await creator.until(lambda: creator.told("group.read", channel_url=url), "group.read")
    assert await numbers(server, "parley_group_receipts_total") == 1
    for is_typing in (True, True, False):
        await one.call("group.typing", channel_url=url, is_typing=is_typing)
    await creator.call("group.typing", channel_url=url, is_typing=False)
    assert await numbers(server, "parley_group_typing_total") == {
        "started": 1, "extended": 1, "stopped": 1, "ignored": 1}
    for client in (creator, one, invited):
        await client.until(lambda: client.told("group.ready"), "group.ready")
    assert await numbers(server, "parley_group_ready_seconds") == 3
    await fence(url, creator, one)
    assert (await numbers(server, "parley_messages_total"))["accepted"] == 1
