"""Freezing, muting, banning and operators."""

import asyncio
import json

from harness import DEADLINE, fence, http, refused


async def test_a_frozen_channel(ctx):
    """In a frozen channel others are 900050 and operators still send; all are told."""
    server = await ctx.server()
    channel, owner, viewer = await ctx.room(server, 1)
    frozen = (await owner.call("channel.freeze", channel_url=channel))["channel"]
    assert frozen["freeze"] is True
    event = await viewer.event("channel.frozen", channel_url=channel)
    assert event["channel"]["freeze"] is True and isinstance(event["seq"], int)
    async with refused(900050):
        await viewer.send(channel, "no")
    await owner.send(channel, "yes")
    assert (await viewer.event("message.received"))["message"]["message"] == "yes"
    thawed = (await owner.call("channel.unfreeze", channel_url=channel))["channel"]
    assert thawed["freeze"] is False
    await viewer.event("channel.unfrozen", channel_url=channel)
    await viewer.send(channel, "again")


async def test_freezing_twice(ctx):
    """Freezing a frozen channel is accepted and leaves it frozen."""
    server = await ctx.server()
    channel, owner, viewer = await ctx.room(server, 1)
    for _ in range(2):
        assert (await owner.call(
            "channel.freeze", channel_url=channel))["channel"]["freeze"] is True
    async with refused(900050):
        await viewer.send(channel, "no")


async def test_a_muted_user(ctx):
    """A muted user is 900041 until it is unmuted; everyone is told with seconds and reason."""
    server = await ctx.server()
    channel, owner, loud, viewer = await ctx.room(server, 2)
    assert await owner.call(
        "channel.mute", channel_url=channel, user_id=loud.user_id, seconds=600,
        description="too loud") == {}
    for client in (loud, viewer):
        event = await client.event("channel.user_muted", channel_url=channel)
        assert event["user"]["user_id"] == loud.user_id and event["seconds"] == 600
        assert event["description"] == "too loud" and isinstance(event["seq"], int)
    async with refused(900041):
        await loud.send(channel, "mmm")
    await owner.send(channel, "heard")
    await loud.event("message.received", channel_url=channel)
    await owner.call("channel.unmute", channel_url=channel, user_id=loud.user_id)
    event = await viewer.event("channel.user_unmuted", channel_url=channel)
    assert event["user"]["user_id"] == loud.user_id
    await loud.send(channel, "again")


async def test_a_mute_for_ever(ctx):
    """Without seconds, or with -1, a mute is told as ten years or -1 and holds."""
    server = await ctx.server()
    channel, owner, loud = await ctx.room(server, 1)
    await owner.call("channel.mute", channel_url=channel, user_id=loud.user_id)
    event = await loud.event("channel.user_muted", channel_url=channel)
    assert event["seconds"] in (-1, 315_360_000), event
    await owner.call("channel.mute", channel_url=channel, user_id=loud.user_id, seconds=-1)
    async with refused(900041):
        await loud.send(channel, "mmm")


async def tries(client, channel, code):
    """Sends until it is accepted; every refusal before has this code."""
    while True:
        try:
            return await client.send(channel, "now?")
        except Exception as refusal:
            assert getattr(refusal, "code", None) == code, refusal
            await asyncio.sleep(0.05)


async def test_a_mute_runs_out_silently(ctx):
    """A mute of one second ends by itself, and nobody is told."""
    server = await ctx.server()
    channel, owner, loud, viewer = await ctx.room(server, 2)
    await owner.call("channel.mute", channel_url=channel, user_id=loud.user_id, seconds=1)
    muted = (await viewer.event("channel.user_muted"))["ts"]
    sent = await asyncio.wait_for(tries(loud, channel, 900041), DEADLINE)
    assert sent["message"]["created_at"] >= muted + 1000 - 5
    await fence(channel, owner, viewer)
    assert not viewer.told("channel.user_unmuted")


async def test_a_banned_user(ctx):
    """A banned user is told, put out, and 400750 for sending and entering until unbanned."""
    server = await ctx.server()
    channel, owner, bad, viewer = await ctx.room(server, 2)
    second = await ctx.user(server, bad.user_id)
    await second.enter(channel)
    await owner.call("channel.ban", channel_url=channel, user_id=bad.user_id, seconds=600,
                     description="spam")
    for client in (bad, second, viewer):
        event = await client.event("channel.user_banned", channel_url=channel)
        assert event["user"]["user_id"] == bad.user_id and event["seconds"] == 600
        assert event["description"] == "spam" and isinstance(event["seq"], int)
    await owner.send(channel, "good riddance")
    await fence(channel, owner, viewer)
    for client in (bad, second):
        async with refused(400750):
            await client.send(channel, "let me in")
        async with refused(400750):
            await client.enter(channel)
        assert not client.messages(channel), "a banned user still gets messages"
    page = await owner.call("channel.participants", channel_url=channel)
    assert {u["user_id"] for u in page["participants"]} == {owner.user_id, viewer.user_id}
    await owner.call("channel.unban", channel_url=channel, user_id=bad.user_id)
    await viewer.event("channel.user_unbanned", channel_url=channel)
    async with refused(900020):
        await bad.send(channel, "not entered yet")
    await bad.enter(channel)
    await bad.send(channel, "hello again")


async def test_a_ban_frees_one_of_ten_places(ctx):
    """A channel that a user was put out of counts no more towards its ten."""
    server = await ctx.server()
    owner, client = await ctx.users(server, 2)
    urls = [ctx.name("ten") for _ in range(11)]
    for url in urls:
        await owner.call("channel.create", channel_url=url)
    for url in urls[:10]:
        await client.enter(url)
    await owner.call("channel.ban", channel_url=urls[0], user_id=client.user_id)
    await client.event("channel.user_banned", channel_url=urls[0])
    await client.enter(urls[10])


async def test_a_ban_runs_out_silently(ctx):
    """A ban of one second ends by itself, and nobody is told."""
    server = await ctx.server()
    channel, owner, bad = await ctx.room(server, 1)
    await owner.call("channel.ban", channel_url=channel, user_id=bad.user_id, seconds=1)
    await bad.event("channel.user_banned")

    async def enters():
        while True:
            try:
                return await bad.enter(channel)
            except Exception as refusal:
                assert getattr(refusal, "code", None) == 400750, refusal
                await asyncio.sleep(0.05)
    await asyncio.wait_for(enters(), DEADLINE)
    await fence(channel, owner, bad)
    assert not owner.told("channel.user_unbanned")


async def test_someone_outside_can_be_banned_and_muted(ctx):
    """A user who is not in the channel can be banned and muted beforehand."""
    server = await ctx.server()
    channel, owner = await ctx.room(server, 0)
    bad, loud = await ctx.users(server, 2)
    await owner.call("channel.ban", channel_url=channel, user_id=bad.user_id)
    await owner.call("channel.mute", channel_url=channel, user_id=loud.user_id)
    async with refused(400750):
        await bad.enter(channel)
    await loud.enter(channel)
    async with refused(900041):
        await loud.send(channel, "mmm")


async def test_bans_and_mutes_survive_a_restart(ctx):
    """After kill -9 and a restart a ban, a mute, a freeze and the operators are still there."""
    server = await ctx.fresh()
    channel, owner, bad, loud = await ctx.room(server, 2)
    await owner.call("channel.ban", channel_url=channel, user_id=bad.user_id)
    await owner.call("channel.mute", channel_url=channel, user_id=loud.user_id)
    await owner.call("channel.freeze", channel_url=channel)
    await server.kill()
    server = await ctx.fresh(data=server.data)
    bad, loud, owner = [await ctx.user(server, c.user_id) for c in (bad, loud, owner)]
    async with refused(400750):
        await bad.enter(channel)
    await loud.enter(channel)
    async with refused(900050):
        await loud.send(channel, "x")
    await owner.call("channel.unfreeze", channel_url=channel)
    async with refused(900041):
        await loud.send(channel, "x")


async def test_values_of_moderation(ctx):
    """Unknown users are 400201; wrong seconds and descriptions are named."""
    server = await ctx.server()
    channel, owner, other = await ctx.room(server, 1)
    for method in ("channel.mute", "channel.ban"):
        async with refused(400201):
            await owner.call(method, channel_url=channel, user_id=ctx.name("nobody"))
        async with refused(400105, field="user_id"):
            await owner.call(method, channel_url=channel)
        async with refused(400101, field="seconds"):
            await owner.call(method, channel_url=channel, user_id=other.user_id, seconds="1")
        for seconds in (-2, 2**53):
            try:
                await owner.call(
                    method, channel_url=channel, user_id=other.user_id, seconds=seconds)
            except Exception as refusal:
                assert getattr(refusal, "code", None) in (400106, 400113), refusal
                assert refusal.data["field"] == "seconds"
            else:
                raise AssertionError(f"{method} took seconds {seconds}")
        async with refused(400110, field="description"):
            await owner.call(method, channel_url=channel, user_id=other.user_id,
                             description="d" * 10_000)
    await other.send(channel, "unharmed")


async def test_the_order_of_checks(ctx):
    """A ban outweighs not being inside, that a freeze, that a mute, that wrong values."""
    server = await ctx.server()
    channel, owner, other = await ctx.room(server, 1)
    await owner.call("channel.freeze", channel_url=channel)
    await owner.call("channel.mute", channel_url=channel, user_id=other.user_id)
    async with refused(900050):
        await other.send(channel, "x" * 5001)
    await owner.call("channel.unfreeze", channel_url=channel)
    async with refused(900041):
        await other.send(channel, "x" * 5001)
    await owner.call("channel.freeze", channel_url=channel)
    await other.call("channel.exit", channel_url=channel)
    async with refused(900020):
        await other.send(channel, "x" * 5001)
    await owner.call("channel.ban", channel_url=channel, user_id=other.user_id)
    async with refused(400750):
        await other.send(channel, "x" * 5001)


async def test_values_come_before_flood(ctx):
    """Wrong values are told even to one over the flood limit, and do not count in it."""
    server = await ctx.server()
    channel, _, other = await ctx.room(server, 1)
    waiting = [await other.ask("message.send", channel_url=channel, message="") for _ in range(9)]
    waiting += [await other.ask("message.send", channel_url=channel, message="x") for _ in range(5)]
    waiting.append(await other.ask("message.send", channel_url=channel, message="x" * 5001))
    answers = [await part for part in waiting]
    assert [a["error"]["code"] for a in answers[:9]] == [400105] * 9
    assert all("result" in a for a in answers[9:14]), answers[9:14]
    assert answers[14]["error"]["code"] == 400110


async def test_operators_come_and_go(ctx):
    """An added operator may act at once, a removed one no more, and all are told the list."""
    server = await ctx.server()
    channel, owner, second = await ctx.room(server, 1)
    made = (await owner.call(
        "channel.add_operators", channel_url=channel, user_ids=[second.user_id]))["channel"]
    assert {o["user_id"] for o in made["operators"]} == {owner.user_id, second.user_id}
    event = await second.event("channel.operators_changed", channel_url=channel)
    assert {o["user_id"] for o in event["operators"]} == {owner.user_id, second.user_id}
    assert isinstance(event["seq"], int)
    await second.call("channel.update", channel_url=channel, name="mine")
    await second.call("channel.remove_operators", channel_url=channel, user_ids=[owner.user_id])
    async with refused(400108):
        await owner.call("channel.update", channel_url=channel, name="not mine")


async def test_operators_values(ctx):
    """add_operators with an unknown user is 400201, with no list 400105 or 400102."""
    server = await ctx.server()
    channel, owner = await ctx.room(server, 0)
    async with refused(400201):
        await owner.call("channel.add_operators", channel_url=channel, user_ids=[ctx.name("no")])
    async with refused(400105, field="user_ids"):
        await owner.call("channel.add_operators", channel_url=channel)
    async with refused(400102, field="user_ids"):
        await owner.call("channel.add_operators", channel_url=channel, user_ids="me")


async def test_a_new_description_leaves_the_end_of_a_ban(ctx):
    """A ban of which only the description is changed ends to the millisecond when it did."""
    server = await ctx.server()
    channel, owner, one = await ctx.room(server, 1)
    await owner.call("channel.ban", channel_url=channel, user_id=one.user_id, seconds=3600)
    path = f"/v3/open_channels/{channel}/ban/{one.user_id}"

    async def ban(method, **values):
        status, _, body = await http(
            server.port, method, path,
            {"Api-Token": server.api_token, "Content-Type": "application/json",
             "Content-Length": str(len(json.dumps(values)))}, json.dumps(values).encode())
        assert status == 200, body
        return json.loads(body)
    end = (await ban("GET"))["end_at"]
    for n in range(5):
        changed = await ban("PUT", description=f"again {n}")
        assert (changed["end_at"], changed["description"]) == (end, f"again {n}")
    assert (await ban("GET"))["end_at"] == end
    later = await ban("PUT", seconds=7200)
    assert later["end_at"] - later["start_at"] == 7_200_000
    assert later["description"] == "again 4"


async def test_a_channel_has_a_hundred_operators_at_most(ctx):
    """Beyond 100 operators creating, updating and adding are 400203, by whichever door."""
    server = await ctx.fresh("--limits-calls-per-second", "0", "--limits-flood-messages", "0")
    names = [ctx.name("operator") for _ in range(101)]

    async def api(method, path, **values):
        body = json.dumps(values).encode()
        status, _, answer = await http(
            server.port, method, "/v3" + path,
            {"Api-Token": server.api_token, "Content-Type": "application/json",
             "Content-Length": str(len(body))}, body)
        return status, json.loads(answer)
    for name in names:
        status, answer = await api(
            "POST", "/users", user_id=name, nickname="", profile_url="")
        assert status == 200, answer
    owner = await ctx.user(server)
    channel = ctx.name("crowd")
    async with refused(400203, field="operator_ids", limit=100):
        await owner.call("channel.create", channel_url=channel, operator_ids=names[:100])
    async with refused(400201):
        await owner.call("channel.get", channel_url=channel)
    await owner.call("channel.create", channel_url=channel, operator_ids=names[:98])
    async with refused(400203, field="user_ids", limit=100):
        await owner.call("channel.add_operators", channel_url=channel, user_ids=names[97:100])
    status, answer = await api(
        "POST", f"/open_channels/{channel}/operators", operator_ids=names[97:100])
    assert (status, answer["code"]) == (400, 400203), answer
    got = (await owner.call("channel.get", channel_url=channel))["channel"]
    assert len(got["operators"]) == 99
    await owner.call("channel.add_operators", channel_url=channel, user_ids=names[90:99])
    got = (await owner.call(
        "channel.update", channel_url=channel,
        operator_ids=[owner.user_id, *names[2:101]]))["channel"]
    assert len(got["operators"]) == 100
    async with refused(400203):
        await owner.call("channel.add_operators", channel_url=channel, user_ids=names[:1])
    await owner.call("channel.freeze", channel_url=channel)
