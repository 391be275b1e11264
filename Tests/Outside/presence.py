"""Who is in a channel, and who is told."""

from harness import fence, refused


def reference(client):
    """The client's user as others are shown it."""
    user = client.session["user"]
    return {name: user[name] for name in ("user_id", "nickname", "profile_url")}


async def test_entering_is_told_to_others(ctx):
    """Others in the channel are told of one that enters, with the count; itself is not."""
    server = await ctx.server()
    channel, owner = await ctx.room(server, 0)
    client = await ctx.user(server, nickname="Newcomer")
    await client.enter(channel)
    event = await owner.event("channel.user_entered", channel_url=channel)
    assert event["user"]["user_id"] == client.user_id
    assert event["user"]["nickname"] == "Newcomer"
    assert event["participant_count"] == 2 and "seq" not in event and isinstance(event["ts"], int)
    await fence(channel, owner, client)
    assert not client.told("channel.user_entered")


async def test_exiting_is_told_to_others(ctx):
    """Others are told of one that leaves by channel.exit, by closing, or by vanishing."""
    server = await ctx.server()
    channel, owner, one, two, three = await ctx.room(server, 3)
    await one.call("channel.exit", channel_url=channel)
    event = await owner.event("channel.user_exited", user=reference(one))
    assert event["participant_count"] == 3 and "seq" not in event
    await two.leave()
    assert (await owner.event(
        "channel.user_exited", user=reference(two)))["participant_count"] == 2
    three.socket.transport.abort()
    assert (await owner.event(
        "channel.user_exited", user=reference(three)))["participant_count"] == 1


async def test_only_the_first_and_last_connection_are_told(ctx):
    """A user's second connection enters, and either leaves, without others being told."""
    server = await ctx.server()
    channel, owner, first = await ctx.room(server, 1)
    second = await ctx.user(server, first.user_id)
    assert (await second.enter(channel))["participant_count"] == 2
    await fence(channel, owner, owner)
    assert len(owner.told("channel.user_entered", channel_url=channel)) == 1
    await first.leave()
    await second.call("session.ping")
    await fence(channel, owner, second)
    assert not owner.told("channel.user_exited")
    await second.call("channel.exit", channel_url=channel)
    event = await owner.event("channel.user_exited", channel_url=channel)
    assert event["user"]["user_id"] == first.user_id and event["participant_count"] == 1


async def test_a_user_s_other_connection_outside_gets_nothing(ctx):
    """A connection of the same user that has not entered gets no events of the channel."""
    server = await ctx.server()
    channel, owner, inside = await ctx.room(server, 1)
    outside = await ctx.user(server, inside.user_id)
    await owner.send(channel, "hello")
    await fence(channel, owner, inside)
    await outside.call("session.ping")
    assert not [e for e in outside.events if e["params"].get("channel_url") == channel]


async def test_exit_of_a_channel_not_entered(ctx):
    """channel.exit by a connection that is not in the channel is 900020 or changes nothing."""
    server = await ctx.server()
    channel, owner, inside = await ctx.room(server, 1)
    outside = await ctx.user(server, inside.user_id)
    try:
        await outside.call("channel.exit", channel_url=channel)
    except Exception as refusal:
        assert getattr(refusal, "code", None) == 900020, refusal
    await owner.send(channel, "still here")
    await inside.event("message.received", channel_url=channel)


async def test_participants(ctx):
    """channel.participants lists each user once, in pages, and stops at the last."""
    server = await ctx.server()
    channel, owner, *others = await ctx.room(server, 6)
    again = await ctx.user(server, others[0].user_id)
    await again.enter(channel)
    wanted = {client.user_id for client in (owner, *others)}
    seen, token = [], None
    while token != "":
        page = await owner.call("channel.participants", channel_url=channel, limit=3, token=token)
        assert len(page["participants"]) <= 3
        seen += [user["user_id"] for user in page["participants"]]
        token = page["next"]
    assert sorted(seen) == sorted(wanted)
    whole = await owner.call("channel.participants", channel_url=channel)
    assert {u["user_id"] for u in whole["participants"]} == wanted and whole["next"] == ""
    assert {"user_id", "nickname", "profile_url"} == set(whole["participants"][0])


async def test_participants_who_left_are_gone(ctx):
    """channel.participants and the channel's count follow those who leave."""
    server = await ctx.server()
    channel, owner, one, two = await ctx.room(server, 2)
    await one.leave()
    await owner.event("channel.user_exited", channel_url=channel)
    page = await owner.call("channel.participants", channel_url=channel)
    assert {u["user_id"] for u in page["participants"]} == {owner.user_id, two.user_id}
    got = (await owner.call("channel.get", channel_url=channel))["channel"]
    assert got["participant_count"] == 2
    listed = await owner.call("channel.list", url_contains=channel)
    assert listed["channels"][0]["participant_count"] == 2


async def test_participants_values(ctx):
    """channel.participants refuses a limit out of range and a made-up token."""
    server = await ctx.server()
    channel, owner = await ctx.room(server, 0)
    async with refused(400113, field="limit"):
        await owner.call("channel.participants", channel_url=channel, limit=101)
    for token in ("!", "1", "zz", "0" * 24, "f" * 24, "00" * 1000):
        async with refused(400109, field="token"):
            await owner.call("channel.participants", channel_url=channel, token=token)
    other, another, _ = await ctx.room(server, 1)
    token = (await another.call("channel.participants", channel_url=other, limit=1))["next"]
    async with refused(400109, field="token"):
        await owner.call("channel.participants", channel_url=channel, token=token)


async def test_more_than_a_hundred(ctx):
    """Above 100 participants nobody is told one by one; channel.participant_count follows."""
    server = await ctx.server()
    channel, owner, *crowd = await ctx.room(server, 99)
    await owner.until(
        lambda: len(owner.told("channel.user_entered", channel_url=channel)) == 99,
        "99 entries told one by one")
    more = await ctx.users(server, 10)
    for client in more:
        await client.enter(channel)
    await owner.event("channel.participant_count", participant_count=110)
    event = owner.told("channel.participant_count", channel_url=channel)[-1]["params"]
    assert event["participant_count"] == 110 and "seq" not in event and "ts" in event
    told = len(owner.told("channel.user_entered", channel_url=channel))
    assert told == 99, f"{told} were told one by one"
    for client in more[:5]:
        await client.leave()
    await owner.event("channel.participant_count", participant_count=105)
    stamps = [e["params"]["ts"] for e in owner.told("channel.participant_count")]
    gaps = [b - a for a, b in zip(stamps, stamps[1:])]
    assert all(gap >= 1000 for gap in gaps), gaps
    counts = [e["params"]["participant_count"] for e in owner.told("channel.participant_count")]
    assert all(a != b for a, b in zip(counts, counts[1:])), counts
    assert not owner.told("channel.user_exited")
    await crowd[3].event("channel.participant_count", participant_count=105)


async def test_falling_to_a_hundred_is_told_one_by_one_again(ctx):
    """Once no more than 100 are left, entering and leaving are told one by one again."""
    server = await ctx.server()
    channel, owner, *crowd = await ctx.room(server, 101)
    for client in crowd[:5]:
        await client.call("channel.exit", channel_url=channel)
    newcomer = await ctx.user(server)
    await newcomer.enter(channel)
    event = await owner.event("channel.user_entered", user=reference(newcomer))
    assert event["participant_count"] == 98
