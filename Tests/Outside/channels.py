"""Channels: making, finding, changing, deleting, entering, leaving."""

from harness import fence, refused

MEMBERS = {
    "channel_url", "name", "cover_url", "data", "custom_type", "is_ephemeral", "freeze",
    "participant_count", "max_length_message", "operators", "created_at"}


async def test_create_with_everything(ctx):
    """channel.create takes every documented member and gives the channel back."""
    server = await ctx.server()
    owner, other = await ctx.users(server, 2)
    url = ctx.name("chan")
    channel = (await owner.call(
        "channel.create", channel_url=url, name="Lobby", cover_url="https://a.example/c.png",
        data="{\"x\":1}", custom_type="sports", operator_ids=[other.user_id],
        is_ephemeral=True))["channel"]
    assert MEMBERS <= set(channel), MEMBERS - set(channel)
    assert channel["channel_url"] == url and channel["name"] == "Lobby"
    assert channel["cover_url"] == "https://a.example/c.png" and channel["data"] == "{\"x\":1}"
    assert channel["custom_type"] == "sports" and channel["is_ephemeral"] is True
    assert channel["freeze"] is False and channel["participant_count"] == 0
    assert channel["max_length_message"] == 5000
    assert {o["user_id"] for o in channel["operators"]} == {owner.user_id, other.user_id}
    assert abs(channel["created_at"] - (await owner.call("session.ping"))["time"]) < 60_000
    assert (await other.call("channel.get", channel_url=url))["channel"] == channel


async def test_create_with_nothing(ctx):
    """channel.create without members makes an address and fills in empty texts."""
    owner = await ctx.user(await ctx.server())
    channel = (await owner.call("channel.create"))["channel"]
    assert channel["channel_url"].startswith("parley_open_channel_")
    assert 4 <= len(channel["channel_url"]) <= 100
    for name in ("name", "cover_url", "data", "custom_type"):
        assert channel[name] == "", name
    assert channel["is_ephemeral"] is False
    assert [o["user_id"] for o in channel["operators"]] == [owner.user_id]
    other = (await owner.call("channel.create"))["channel"]
    assert other["channel_url"] != channel["channel_url"]


async def test_a_taken_address(ctx):
    """channel.create with an address that is taken is 400202; another case is another channel."""
    owner = await ctx.user(await ctx.server())
    url = ctx.name("taken")
    await owner.call("channel.create", channel_url=url)
    async with refused(400202):
        await owner.call("channel.create", channel_url=url, name="again")
    await owner.call("channel.create", channel_url=url.upper())


async def test_channel_addresses(ctx):
    """Addresses of 4 to 100 characters of [A-Za-z0-9_-] are taken, others refused."""
    owner = await ctx.user(await ctx.server())
    stem = ctx.name("x")
    for url in (stem[-4:], stem + "A" * (100 - len(stem)), stem + "_-Z9"):
        await owner.call("channel.create", channel_url=url)
    for url, code in (
            ("abc", (400111, 400113)), (stem + "a" * (101 - len(stem)), (400110,)),
            ("with space", (400151,)), ("café-é", (400151,)), ("a/b/c/d", (400151,)),
            ("dot.dot", (400151,)), ("", (400105,))):
        try:
            await owner.call("channel.create", channel_url=url)
        except Exception as refusal:
            assert getattr(refusal, "code", None) in code, (url, refusal)
            assert refusal.data["field"] == "channel_url", (url, refusal.data)
        else:
            raise AssertionError(f"{url!r} was taken")


async def test_values_of_create(ctx):
    """channel.create names the member with a wrong type or length, and makes nothing."""
    owner = await ctx.user(await ctx.server())
    url = ctx.name("wrong")
    for code, member, value in (
            (400100, "name", 5), (400100, "data", {}), (400104, "is_ephemeral", "yes"),
            (400102, "operator_ids", "me"), (400100, "custom_type", []),
            (400110, "custom_type", "c" * 129), (400110, "name", "n" * 10_000)):
        async with refused(code, field=member):
            await owner.call("channel.create", channel_url=url, **{member: value})
    async with refused(400201):
        await owner.call("channel.get", channel_url=url)


async def test_unknown_operators(ctx):
    """channel.create with an operator that does not exist is 400201 and makes nothing."""
    owner = await ctx.user(await ctx.server())
    url = ctx.name("ops")
    async with refused(400201):
        await owner.call("channel.create", channel_url=url, operator_ids=[ctx.name("nobody")])
    async with refused(400201):
        await owner.call("channel.get", channel_url=url)


async def test_a_channel_that_is_not_there(ctx):
    """Every call about a channel that does not exist is 400201."""
    client = await ctx.user(await ctx.server())
    url = ctx.name("gone")
    for method, params in (
            ("channel.get", {}), ("channel.update", {"name": "x"}), ("channel.delete", {}),
            ("channel.enter", {}), ("channel.participants", {}), ("channel.freeze", {}),
            ("channel.unfreeze", {}), ("channel.mute", {"user_id": client.user_id}),
            ("channel.unmute", {"user_id": client.user_id}),
            ("channel.ban", {"user_id": client.user_id}),
            ("channel.unban", {"user_id": client.user_id}),
            ("channel.add_operators", {"user_ids": [client.user_id]}),
            ("channel.remove_operators", {"user_ids": [client.user_id]}),
            ("message.list", {}), ("message.get", {"message_id": 1}),
            ("message.update", {"message_id": 1, "message": "x"}),
            ("message.delete", {"message_id": 1})):
        try:
            await client.call(method, channel_url=url, **params)
        except Exception as refusal:
            assert getattr(refusal, "code", None) == 400201, (method, refusal)
        else:
            raise AssertionError(f"{method} was accepted")


async def test_the_channel_is_required(ctx):
    """Every call about a channel without channel_url is 400105 naming it."""
    client = await ctx.user(await ctx.server())
    for method in (
            "channel.get", "channel.update", "channel.delete", "channel.enter", "channel.exit",
            "channel.participants", "channel.freeze", "channel.mute", "message.send",
            "message.list", "message.get"):
        async with refused(400105, field="channel_url"):
            await client.call(method)
        async with refused(400100, field="channel_url"):
            await client.call(method, channel_url=5)


async def test_update_changes_what_is_given(ctx):
    """channel.update changes what is given and tells everyone in the channel."""
    server = await ctx.server()
    channel, owner, viewer = await ctx.room(
        server, 1, name="Old", data="kept", custom_type="c1")
    changed = (await owner.call("channel.update", channel_url=channel, name="New"))["channel"]
    assert changed["name"] == "New" and changed["data"] == "kept"
    event = await viewer.event("channel.changed", channel_url=channel)
    assert event["channel"]["name"] == "New" and isinstance(event["seq"], int)
    assert isinstance(event["ts"], int)
    assert (await viewer.call("channel.get", channel_url=channel))["channel"]["name"] == "New"


async def test_only_operators_change_a_channel(ctx):
    """update, delete, freeze, mute, ban and the operators' list are 400108 for others."""
    server = await ctx.server()
    channel, owner, viewer = await ctx.room(server, 1)
    before = (await owner.call("channel.get", channel_url=channel))["channel"]
    user = {"user_id": owner.user_id}
    for method, params in (
            ("channel.update", {"name": "x"}), ("channel.delete", {}), ("channel.freeze", {}),
            ("channel.unfreeze", {}), ("channel.mute", user), ("channel.unmute", user),
            ("channel.ban", user), ("channel.unban", user),
            ("channel.add_operators", {"user_ids": [viewer.user_id]}),
            ("channel.remove_operators", {"user_ids": [owner.user_id]})):
        async with refused(400108):
            await viewer.call(method, channel_url=channel, **params)
    assert (await owner.call("channel.get", channel_url=channel))["channel"] == before


async def test_delete(ctx):
    """channel.delete tells those in the channel, and everything about it is 400201 then."""
    server = await ctx.server()
    channel, owner, viewer = await ctx.room(server, 1)
    await viewer.send(channel, "last words")
    assert await owner.call("channel.delete", channel_url=channel) == {}
    event = await viewer.event("channel.deleted", channel_url=channel)
    assert event["channel"]["channel_url"] == channel and isinstance(event["seq"], int)
    for client in (owner, viewer):
        async with refused(400201):
            await client.call("channel.get", channel_url=channel)
        async with refused(400201):
            await client.call("message.list", channel_url=channel)
        async with refused(400201):
            await client.enter(channel)
    try:
        await viewer.send(channel, "too late")
    except Exception as refusal:
        assert getattr(refusal, "code", None) in (400201, 900020), refusal
    listed = await owner.call("channel.list", url_contains=channel)
    assert listed["channels"] == []


async def test_a_deleted_channel_may_be_made_anew(ctx):
    """A new channel at a deleted one's address has another epoch and none of its messages."""
    server = await ctx.server()
    channel, owner = await ctx.room(server, 0)
    await owner.send(channel, "old")
    old = await owner.enter(channel)
    await owner.call("channel.delete", channel_url=channel)
    await owner.call("channel.create", channel_url=channel)
    new = await owner.enter(channel, recover={"epoch": old["epoch"], "seq": old["seq"]})
    assert new["epoch"] != old["epoch"] and new["recovered"] is False
    assert (await owner.call("message.list", channel_url=channel))["messages"] == []


async def test_deleted_channels_free_their_place(ctx):
    """A channel that was deleted counts no more towards the ten that a user may be in."""
    server = await ctx.server()
    owner, client = await ctx.users(server, 2)
    urls = [ctx.name("ten") for _ in range(11)]
    for url in urls:
        await owner.call("channel.create", channel_url=url)
    for url in urls[:10]:
        await client.enter(url)
    async with refused(400203):
        await client.enter(urls[10])
    await owner.call("channel.delete", channel_url=urls[0])
    await client.event("channel.deleted", channel_url=urls[0])
    await client.enter(urls[10])


async def test_the_eleventh_channel(ctx):
    """An eleventh channel is 400203 until one is left; entering one of the ten again is not."""
    server = await ctx.server()
    owner = await ctx.user(server)
    urls = [ctx.name("ten") for _ in range(11)]
    for url in urls:
        await owner.call("channel.create", channel_url=url)
    client = await ctx.user(server)
    second = await ctx.user(server, client.user_id)
    for n, url in enumerate(urls[:10]):
        await (client if n % 2 else second).enter(url)
    for place in (client, second):
        async with refused(400203):
            await place.enter(urls[10])
    await client.enter(urls[0])
    await second.call("channel.exit", channel_url=urls[2])
    await client.enter(urls[10])


async def test_pipelined_enters_stop_at_ten(ctx):
    """Of twelve entries sent at once, over two connections, exactly ten succeed."""
    server = await ctx.server()
    owner = await ctx.user(server)
    urls = [ctx.name("burst") for _ in range(12)]
    for url in urls:
        await owner.call("channel.create", channel_url=url)
    first = await ctx.user(server)
    second = await ctx.user(server, first.user_id)
    waiting = [
        await (first if n % 2 else second).ask("channel.enter", channel_url=url)
        for n, url in enumerate(urls)]
    answers = [await part for part in waiting]
    errors = [a["error"]["code"] for a in answers if "error" in a]
    assert errors == [400203, 400203], errors


async def test_enter_answers_with_the_state(ctx):
    """channel.enter answers with the channel, the count, epoch, seq and recovery."""
    server = await ctx.server()
    channel, owner, *_ = await ctx.room(server, 2)
    await owner.send(channel, "one")
    client = await ctx.user(server)
    answer = await client.enter(channel)
    assert answer["channel"]["channel_url"] == channel
    assert answer["participant_count"] == 4
    assert answer["channel"]["participant_count"] == 4, answer["channel"]
    assert isinstance(answer["epoch"], str) and answer["epoch"]
    assert answer["seq"] >= 1 and answer["recovered"] is False and answer["events"] == []


async def test_seq_counts_without_gaps(ctx):
    """The durable events of a channel are numbered one after another, whatever their kind."""
    server = await ctx.server("--limits-flood-messages", "0", "--limits-throttle-messages", "0")
    channel, owner, viewer = await ctx.room(server, 1)
    start = (await viewer.enter(channel))["seq"]
    sent = await owner.send(channel, "a")
    await owner.call("message.update", channel_url=channel,
                     message_id=sent["message"]["message_id"], message="b")
    await owner.call("channel.freeze", channel_url=channel)
    await owner.call("channel.unfreeze", channel_url=channel)
    await owner.call("channel.mute", channel_url=channel, user_id=viewer.user_id)
    await owner.call("channel.unmute", channel_url=channel, user_id=viewer.user_id)
    await owner.call("message.delete", channel_url=channel,
                     message_id=sent["message"]["message_id"])
    await owner.call("channel.add_operators", channel_url=channel, user_ids=[viewer.user_id])
    await fence(channel, owner, viewer)
    events = [e for e in viewer.events if e["params"].get("channel_url") == channel
              and "seq" in e["params"]]
    assert [e["method"] for e in events] == [
        "message.received", "message.updated", "channel.frozen", "channel.unfrozen",
        "channel.user_muted", "channel.user_unmuted", "message.deleted",
        "channel.operators_changed", "channel.changed"], [e["method"] for e in events]
    assert [e["params"]["seq"] for e in events] == list(range(start + 1, start + 10))


async def test_exit(ctx):
    """After channel.exit nothing of the channel comes any more, and sending is 900020."""
    server = await ctx.server()
    channel, owner, viewer, other = await ctx.room(server, 2)
    assert await viewer.call("channel.exit", channel_url=channel) == {}
    await owner.send(channel, "secret")
    await fence(channel, owner, other)
    await viewer.call("session.ping")
    assert not viewer.messages(channel) and not viewer.told("channel.changed")
    async with refused(900020):
        await viewer.send(channel, "hello")


async def test_entering_again_doubles_nothing(ctx):
    """Entering again answers afresh, tells nobody, and each event still comes once."""
    server = await ctx.server()
    channel, owner, viewer = await ctx.room(server, 1)
    first = await viewer.enter(channel)
    sent = await owner.send(channel, "x")
    again = await viewer.enter(channel)
    assert again["epoch"] == first["epoch"] and again["seq"] == sent["seq"] == first["seq"] + 1
    assert again["participant_count"] == 2
    await owner.send(channel, "y")
    await fence(channel, owner, viewer)
    assert [m["message"] for m in viewer.messages(channel)] == ["x", "y"]
    assert len(owner.told("channel.user_entered", channel_url=channel)) == 1


async def test_events_start_exactly_at_the_answer(ctx):
    """While others send, one that enters gets every event after the answer's seq, none before."""
    import asyncio
    server = await ctx.server("--limits-flood-messages", "0", "--limits-throttle-messages", "0")
    channel, owner, sender = await ctx.room(server, 1)
    stop = False

    async def chatter():
        number = 0
        while not stop:
            await sender.send(channel, f"m{number}")
            number += 1
    talking = asyncio.create_task(chatter())
    try:
        for _ in range(15):
            viewer = await ctx.user(server)
            answer = await viewer.enter(channel)
            await viewer.until(lambda: len(viewer.messages(channel)) >= 3)
            events = [e["params"]["seq"] for e in viewer.events if "seq" in e["params"]
                      and e["params"].get("channel_url") == channel]
            assert events == list(range(answer["seq"] + 1, answer["seq"] + 1 + len(events)))
            await viewer.leave()
    finally:
        stop = True
        await talking


async def test_list_pages_newest_first(ctx):
    """channel.list goes newest first through all pages without doubles; next ends as ""."""
    server = await ctx.fresh()
    owner = await ctx.user(server)
    made = []
    for n in range(23):
        url = f"page-{n:02}-x"
        await owner.call("channel.create", channel_url=url)
        made.append(url)
    seen, token, pages = [], None, 0
    while token != "":
        page = await owner.call("channel.list", limit=5, token=token)
        seen += [c["channel_url"] for c in page["channels"]]
        token, pages = page["next"], pages + 1
        assert len(page["channels"]) <= 5 and isinstance(token, str)
    assert seen == made[::-1], seen
    assert pages == 5, pages
    assert len((await owner.call("channel.list"))["channels"]) == 10


async def test_list_of_exactly_one_page(ctx):
    """When a page holds the last channel its next is "", also when it is full."""
    server = await ctx.fresh()
    owner = await ctx.user(server)
    assert await owner.call("channel.list") == {"channels": [], "next": ""}
    for n in range(4):
        await owner.call("channel.create", channel_url=f"even-{n}")
    page = await owner.call("channel.list", limit=4)
    assert len(page["channels"]) == 4 and page["next"] == "", page["next"]


async def test_list_is_stable_while_channels_come(ctx):
    """A channel made between two pages neither doubles nor hides another."""
    server = await ctx.fresh()
    owner = await ctx.user(server)
    for n in range(6):
        await owner.call("channel.create", channel_url=f"old-{n}")
    first = await owner.call("channel.list", limit=3)
    await owner.call("channel.create", channel_url="new-0")
    second = await owner.call("channel.list", limit=100, token=first["next"])
    assert [c["channel_url"] for c in first["channels"] + second["channels"]] == [
        f"old-{n}" for n in reversed(range(6))]


async def test_list_filters(ctx):
    """name_contains ignores case, url_contains, custom_types and show_frozen filter, and all together."""
    server = await ctx.fresh()
    owner = await ctx.user(server)
    for url, name, kind in (
            ("alpha-1", "Red Fox", "a"), ("alpha-2", "red hen", "b"), ("beta-1", "BLUE fox", "a"),
            ("beta_2", "100% _wild_", "c")):
        await owner.call("channel.create", channel_url=url, name=name, custom_type=kind)

    async def found(**params):
        listed = await owner.call("channel.list", **params)
        return sorted(c["channel_url"] for c in listed["channels"])
    assert await found(name_contains="RED") == ["alpha-1", "alpha-2"]
    assert await found(name_contains="fox") == ["alpha-1", "beta-1"]
    assert await found(url_contains="beta") == ["beta-1", "beta_2"]
    assert await found(url_contains="_") == ["beta_2"], "an underscore is no wildcard"
    assert await found(name_contains="%") == ["beta_2"], "a percent sign is no wildcard"
    assert await found(custom_types=["a", "c"]) == ["alpha-1", "beta-1", "beta_2"]
    assert await found(custom_types=["a"], name_contains="fox", url_contains="beta") == ["beta-1"]
    assert await found(custom_types=["zzz"]) == []
    await owner.call("channel.freeze", channel_url="alpha-1")
    assert await found(name_contains="fox", show_frozen=False) == ["beta-1"]
    assert await found(name_contains="fox", show_frozen=True) == ["alpha-1", "beta-1"]


async def test_name_contains_ignores_case_beyond_ascii(ctx):
    """name_contains ignores the case of letters outside ASCII too."""
    server = await ctx.fresh()
    owner = await ctx.user(server)
    await owner.call("channel.create", channel_url="umlaut", name="GRÜSSE aus Köln")
    listed = await owner.call("channel.list", name_contains="grüsse AUS kÖln")
    assert [c["channel_url"] for c in listed["channels"]] == ["umlaut"]


async def test_filters_hold_on_every_page(ctx):
    """A filtered list pages through the matches only."""
    server = await ctx.fresh()
    owner = await ctx.user(server)
    for n in range(14):
        await owner.call("channel.create", channel_url=f"mix-{n:02}",
                         custom_type="even" if n % 2 == 0 else "odd")
    seen, token = [], None
    while token != "":
        page = await owner.call("channel.list", limit=3, token=token, custom_types=["even"])
        seen += [c["channel_url"] for c in page["channels"]]
        token = page["next"]
    assert seen == [f"mix-{n:02}" for n in reversed(range(0, 14, 2))]


async def test_list_refuses_wrong_limits_and_tokens(ctx):
    """A limit outside 1 to 100 is refused as out of range, a made-up token too."""
    owner = await ctx.user(await ctx.server())
    for limit in (0, 101, 2**53):
        async with refused(400113, field="limit"):
            await owner.call("channel.list", limit=limit)
    async with refused(400106, field="limit"):
        await owner.call("channel.list", limit=-1)
    for limit in ("5", True, []):
        async with refused(400101, field="limit"):
            await owner.call("channel.list", limit=limit)
    for token in ("nonsense", "AAAA", "!"):
        try:
            await owner.call("channel.list", token=token)
        except Exception as refusal:
            assert getattr(refusal, "code", None) in (400109, 400111), refusal
            assert refusal.data["field"] == "token", refusal
        else:
            raise AssertionError(f"a made-up token was taken: {token!r}")


async def test_ephemeral_channels_keep_no_messages(ctx):
    """Messages of an ephemeral channel reach others, but list, get, update, delete are 400201."""
    server = await ctx.server()
    channel, owner, viewer = await ctx.room(server, 1, is_ephemeral=True)
    sent = await owner.send(channel, "gone soon")
    got = (await viewer.event("message.received", channel_url=channel))["message"]
    assert got["message"] == "gone soon"
    number = sent["message"]["message_id"]
    for method, params in (
            ("message.list", {}), ("message.get", {"message_id": number}),
            ("message.update", {"message_id": number, "message": "x"}),
            ("message.delete", {"message_id": number})):
        async with refused(400201):
            await owner.call(method, channel_url=channel, **params)


async def test_ephemeral_channels_recover_nothing(ctx):
    """Entering an ephemeral channel with recover brings back no messages."""
    server = await ctx.server()
    channel, owner, viewer = await ctx.room(server, 1, is_ephemeral=True)
    state = await viewer.enter(channel)
    await viewer.leave()
    await owner.send(channel, "missed")
    back = await ctx.user(server, viewer.user_id)
    answer = await back.enter(channel, recover={"epoch": state["epoch"], "seq": state["seq"]})
    assert not [e for e in answer["events"] if e["method"].startswith("message.")], answer
