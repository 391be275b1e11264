"""Delivery receipts: how far the clients of members have received a group."""

import asyncio
import random
import time

from groupendpoints import BASE, Back
from groupmetrics import numbers
from groupreading import sent
from groups import FREE, code, fence, group, heard, view
from groupsettings import FAST, reload
from harness import eventually
from reloading import Settings

ON = (*FREE, "--groups-delivery-receipts", "true")


def moves(client, url):
    """All positions that the client was told, in order."""
    return [move for event in client.told("group.delivered", channel_url=url) for move in event["params"]["reads"]]


def known(client, url):
    """The last position of each member that the client was told."""
    return {move["user_id"]: move["read_at"] for move in moves(client, url)}


async def mark(client, *messages, url=None):
    """Marks messages of one group, or the given pairs of group and message."""
    for message in messages:
        channels = [{"channel_url": url, "message_id": message["message_id"]}]
        assert await client.call("group.mark_delivered", channels=channels) == {}


async def delivered(client, url):
    return (await client.call("group.receipts", channel_url=url))["delivered"]


async def refusal(client, url, message_id):
    return await code(client, "group.mark_delivered", channels=[{"channel_url": url, "message_id": message_id}])


async def test_off_there_is_nothing(ctx):
    """Without the setting the call is refused, and nothing shows positions."""
    server = await ctx.server(*FREE)
    url, creator, one = await group(ctx, server, 1)
    assert creator.session["features"]["groups"]["delivery"] is False
    message = await sent(creator, url)
    assert await refusal(one, url, message["message_id"]) == 400920
    await one.call("group.mark_read", channel_url=url)
    await creator.until(lambda: creator.told("group.read", channel_url=url), "group.read")
    assert await delivered(creator, url) == {}
    assert all("delivered_at" not in member for member in (await view(one, url))["members"])
    async with Back(server) as back:
        shown = await back.view(url, show_member="true", show_delivery_receipt="true")
        assert "delivery_receipt" not in shown and "delivered_ts" not in shown["members"][0], shown
    assert not creator.told("group.delivered")


async def test_others_are_told(ctx):
    """A position is told to all members, and is in receipts and members at once; a second device raises it only."""
    server = await ctx.server(*ON)
    url, creator, one, two = await group(ctx, server, 2)
    assert creator.session["features"]["groups"]["delivery"] is True
    phone = await ctx.user(server, one.user_id)
    first, second = await sent(creator, url), await sent(creator, url)
    assert await delivered(two, url) == {creator.user_id: second["created_at"], one.user_id: 0, two.user_id: 0}
    await mark(one, first, url=url)
    expected = {"user_id": one.user_id, "read_at": first["created_at"], "message_id": first["message_id"]}
    for client in (creator, one, phone, two):
        await client.until(lambda: moves(client, url), "group.delivered")
        event = client.told("group.delivered", channel_url=url)[0]["params"]
        assert event["reads"] == [expected] and set(event) == {"channel_url", "ts", "reads"}, event
    await mark(phone, second, url=url)
    await creator.until(lambda: known(creator, url).get(one.user_id) == second["created_at"], "the second one")
    await mark(one, first, second, url=url)
    await fence(url, creator, creator)
    assert len(moves(creator, url)) == 2
    wanted = {creator.user_id: second["created_at"], one.user_id: second["created_at"], two.user_id: 0}
    assert await delivered(creator, url) == wanted
    for members in ((await view(two, url))["members"], (await two.call("group.members", channel_url=url))["members"]):
        assert {m["user_id"]: m["delivered_at"] for m in members} == wanted
    assert (await two.call("group.receipts", channel_url=url))["read"][one.user_id] == 0


async def test_several_groups_in_a_call(ctx):
    """A call marks up to 100 groups; the first refusal is its answer, and the others are marked all the same."""
    server = await ctx.server(*ON)
    url, creator, one = await group(ctx, server, 1)
    other = (await creator.call("group.create", user_ids=[one.user_id]))["channel"]["channel_url"]
    messages = {where: await sent(creator, where) for where in (url, other)}
    nowhere = {"channel_url": ctx.name("group"), "message_id": 1}
    channels = [nowhere, *({"channel_url": where, "message_id": m["message_id"]} for where, m in messages.items())]
    assert await code(one, "group.mark_delivered", channels=channels) == 400201
    for where, message in messages.items():
        assert (await delivered(creator, where))[one.user_id] == message["created_at"]
    for wrong, expected in (
            ([], 400111), ([nowhere] * 2, 400111), ([{"channel_url": url}], 400105), ("x", 400102), ([1], 400103),
            ([{"channel_url": f"nowhere-{n}", "message_id": 1} for n in range(101)], 400203)):
        assert await code(one, "group.mark_delivered", channels=wrong) == expected, wrong
    assert await code(one, "group.mark_delivered") == 400105


async def test_refusals(ctx):
    """Only joined members mark what they see: messages of the group, silent and deleted ones too."""
    server = await ctx.server(*ON)
    url, creator, one = await group(ctx, server, 1)
    invited, stranger = await ctx.users(server, 2)
    await invited.call("user.preferences", auto_accept_invitations=False)
    await creator.call("group.invite", channel_url=url, user_ids=[invited.user_id])
    message, gone = await sent(creator, url), await sent(creator, url)
    number = message["message_id"]
    assert await refusal(invited, url, number) == 900020
    assert await refusal(stranger, url, number) == 400201
    for wrong in (number + 10_000_000, 2**53 - 1, 1):
        assert await refusal(one, url, wrong) == 400201, wrong
    for wrong in (0, -1, 2**53):
        assert 400100 <= await refusal(one, url, wrong) <= 400151, wrong
    elsewhere, *_ = await group(ctx, server, 1)
    assert await refusal(one, elsewhere, number) == 400201
    await creator.call("message.delete", channel_url=url, message_id=gone["message_id"])
    await mark(one, gone, url=url)
    assert (await delivered(creator, url))[one.user_id] == gone["created_at"]
    late = await ctx.user(server)
    await creator.call("group.invite", channel_url=url, user_ids=[late.user_id])
    assert await refusal(late, url, number) == 400201
    open_channel = ctx.name("room")
    await creator.call("channel.create", channel_url=open_channel)
    assert await refusal(creator, open_channel, 1) == 400920
    private = (await creator.call("group.create", user_ids=[one.user_id], is_ephemeral=True))["channel"]["channel_url"]
    assert await refusal(one, private, 1) == 400201


async def test_large_and_super_groups_have_none(ctx):
    """Super groups, and groups with more members than have receipts, refuse the call and tell nothing."""
    server = await ctx.server(*ON)
    url, creator, one = await group(ctx, server, 1, is_super=True)
    message = await sent(creator, url)
    assert await refusal(one, url, message["message_id"]) == 400920
    server = await ctx.fresh(*ON, "--groups-max-members", "101", "--groups-invites-per-minute", "0")
    url, creator, one = await group(ctx, server, 1)
    message = await sent(creator, url)
    async with Back(server) as back:
        ids = await back.users(ctx, 99)
    for start in (0, 50):
        await creator.call("group.invite", channel_url=url, user_ids=ids[start:start + 50])
    assert (await view(one, url, members_limit=0))["member_count"] == 101
    assert await refusal(one, url, message["message_id"]) == 400920
    assert all("delivered_at" not in member for member in (await view(one, url))["members"])
    await creator.call("group.remove", channel_url=url, user_ids=ids[:1])
    await mark(one, message, url=url)
    await creator.until(lambda: moves(creator, url), "group.delivered")
    assert len(await delivered(creator, url)) == 100


async def test_reading_counts_as_delivered(ctx):
    """What is read is delivered, is told as such once, and stays so when it is marked as unread."""
    server = await ctx.server(*ON)
    url, creator, one, two = await group(ctx, server, 2)
    first, second = await sent(creator, url), await sent(creator, url)
    await one.call("group.mark_read", channel_url=url, message_id=first["message_id"])
    await creator.until(lambda: known(creator, url).get(one.user_id) == first["created_at"], "the read")
    await mark(one, first, url=url)
    await mark(one, second, url=url)
    await creator.until(lambda: known(creator, url).get(one.user_id) == second["created_at"], "the mark")
    await one.call("group.mark_read", channel_url=url, message_id=second["message_id"])
    await creator.until(lambda: any(
        e["params"]["reads"][0].get("read_at") == second["created_at"]
        for e in creator.told("group.read", channel_url=url)), "the second read")
    await one.call("group.mark_unread", channel_url=url, message_id=first["message_id"])
    answer = await creator.call("group.receipts", channel_url=url)
    assert answer["delivered"][one.user_id] == second["created_at"] > answer["read"][one.user_id], answer
    third = await sent(two, url)
    await fence(url, creator, creator)
    assert [move["read_at"] for move in moves(creator, url)] == [first["created_at"], second["created_at"]]
    assert (await delivered(creator, url))[two.user_id] == third["created_at"]


async def test_moves_are_gathered(ctx):
    """Many marks cause at most one event a second, each of a member the newest; all know the same in the end."""
    server = await ctx.server(*ON)
    url, creator, *others = await group(ctx, server, 5)
    choose, messages = random.Random(5), []
    for _ in range(80):
        messages.append(await sent(creator, url))
        for one in choose.sample(others, 3):
            await mark(one, choose.choice(messages[-10:]), url=url)
    wanted = {user: at for user, at in (await delivered(creator, url)).items() if user != creator.user_id}
    for client in (creator, others[0]):
        await client.until(lambda: known(client, url) == wanted, "all marks")
        events = client.told("group.delivered", channel_url=url)
        times = [e["params"]["ts"] for e in events]
        assert all(after - before >= 990 for before, after in zip(times, times[1:])), times
        for event in events:
            users = [move["user_id"] for move in event["params"]["reads"]]
            assert len(set(users)) == len(users), event
    assert "group.read" not in heard(creator, url)


async def test_the_platform_api_shows_them(ctx):
    """show_delivery_receipt shows the times of the group and of its members."""
    server = await ctx.server(*ON)
    url, creator, one = await group(ctx, server, 1)
    invited = await ctx.user(server)
    await invited.call("user.preferences", auto_accept_invitations=False)
    await creator.call("group.invite", channel_url=url, user_ids=[invited.user_id])
    message = await sent(creator, url)
    await mark(one, message, url=url)
    wanted = {creator.user_id: message["created_at"], one.user_id: message["created_at"], invited.user_id: None}

    def times(members):
        return {member["user_id"]: member.get("delivered_ts") for member in members}

    async with Back(server) as back:
        shown = await back.view(url, show_member="true", show_delivery_receipt="True")
        assert times(shown["members"]) == wanted and "read_receipt" not in shown, shown
        assert shown["delivery_receipt"] == {user: at for user, at in wanted.items() if at is not None}, shown
        page = await back.call("GET", f"{BASE}/{url}/members", show_delivery_receipt="true")
        assert times(page["members"]) == wanted and "read_ts" not in page["members"][0]
        both = await back.view(url, show_read_receipt="true", show_delivery_receipt="true")
        assert both["read_receipt"][one.user_id] == 0 and both["delivery_receipt"][one.user_id], both
        plain = await back.view(url, show_member="true")
        assert "delivery_receipt" not in plain and "delivered_ts" not in plain["members"][0], plain


async def test_a_crash_loses_five_seconds_at_most(ctx):
    """After the server was killed, positions are those that were marked, or older ones of the last five seconds; never newer."""
    server = await ctx.fresh(*ON)
    url, creator, one = await group(ctx, server, 1)
    first = await sent(creator, url)
    await mark(one, first, url=url)
    began = time.monotonic()

    async def listed():
        # Lists have a rate.
        await asyncio.sleep(0.3)
        page = await creator.call("group.list", channel_urls=[url], members_limit=10)
        times = {m["user_id"]: m["delivered_at"] for m in page["channels"][0]["members"]}
        return times[one.user_id]
    # Lists show what is stored.
    await eventually(lambda: is_at(listed, first), "the stored position")
    assert time.monotonic() - began >= 4
    second = await sent(creator, url)
    await mark(one, second, url=url)
    assert (await delivered(creator, url))[one.user_id] == second["created_at"]
    await server.kill()
    again = await ctx.fresh(*ON, data=server.data)
    back = await ctx.user(again, creator.user_id)
    assert (await delivered(back, url))[one.user_id] in (first["created_at"], second["created_at"])
    # The client marks it again.
    phone = await ctx.user(again, one.user_id)
    await mark(phone, second, url=url)
    assert (await delivered(back, url))[one.user_id] == second["created_at"]


async def is_at(read, message):
    return await read() == message["created_at"]


async def test_a_stop_loses_none(ctx):
    """A server that stops in order stores all positions."""
    server = await ctx.fresh(*ON)
    url, creator, one = await group(ctx, server, 1)
    message = await sent(creator, url)
    await mark(one, message, url=url)
    data = server.data
    assert await server.end() == 0
    again = await ctx.fresh(*ON, data=data)
    back = await ctx.user(again, creator.user_id)
    assert (await delivered(back, url))[one.user_id] == message["created_at"]


async def test_private_reads(ctx):
    """A member who keeps its reads to itself has what its clients mark, and nothing that it only reads."""
    server = await ctx.fresh(*ON, "--groups-private-reads", "true")
    url, creator, one = await group(ctx, server, 1)
    await one.call("user.preferences", send_read_receipts=False)
    first, second = await sent(creator, url), await sent(creator, url)
    await mark(one, first, url=url)
    await one.call("group.mark_read", channel_url=url, message_id=second["message_id"])
    await one.call("group.mark_unread", channel_url=url, message_id=second["message_id"])
    assert (await delivered(creator, url))[one.user_id] == first["created_at"]
    assert (await delivered(one, url))[creator.user_id] == second["created_at"]
    await creator.until(lambda: moves(creator, url), "group.delivered")
    assert [move["read_at"] for move in moves(creator, url)] == [first["created_at"]]


async def test_they_are_counted(ctx):
    """Calls have their outcomes, and positions that were sent their number."""
    server = await ctx.fresh(*ON)
    url, creator, one = await group(ctx, server, 1)
    message = await sent(creator, url)
    await mark(one, message, message, url=url)
    await creator.until(lambda: moves(creator, url), "group.delivered")
    assert await numbers(server, "parley_group_deliveries_total") == {"moved": 1, "same": 1}
    assert await numbers(server, "parley_group_delivery_receipts_total") == 1


async def test_the_setting_takes_effect_on_reload(ctx):
    """A reload turns the receipts on and off, also in groups that are in use; positions are kept."""
    file = Settings(ctx, **FAST)
    server = await ctx.fresh("--config", file.path)
    url, creator, one = await group(ctx, server, 1)
    message = await sent(creator, url)
    for is_on in (False, True, False, True):
        await reload(file, server, groups__delivery_receipts=is_on)
        assert await refusal(one, url, message["message_id"]) == (None if is_on else 400920)
        assert (await delivered(creator, url)).get(one.user_id) == (message["created_at"] if is_on else None)
        opened = await ctx.user(server)
        assert opened.session["features"]["groups"]["delivery"] is is_on
