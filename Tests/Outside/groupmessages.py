"""Messages of groups: who hears them and when, histories, numbers, previews, files and limits."""

import asyncio
import os

from calls import Caller
from groups import FREE, code, fence, group, heard, of_groups, view
from harness import Refused, eventually, refused
from messages import MEMBERS
from previews import FLAGS as PREVIEWS, preview_of, updates_of, with_pages
from sealing import ON as SEALED, code as problem, key, read, sent as sent_file
from translations import PATIENT, ready
from translators import ScriptedTranslator


def ordinals(client, url):
    return [message["ordinal"] for message in client.messages(url)]


async def messages(client, url, **params):
    """The texts that a member finds in the history."""
    params.setdefault("prev_limit", 200)
    listed = await client.call("message.list", channel_url=url, **params)
    return [message["message"] for message in listed["messages"]]


async def later(client, moment):
    """Waits until the clock of the server is past a moment."""
    async def is_past():
        return (await client.call("session.ping"))["time"] > moment
    await eventually(is_past, "a later millisecond")


async def test_members_hear_messages_without_entering(ctx):
    """Each member's connections receive each message once, with ordinals from 1; the author's own the answer."""
    server = await ctx.server(*FREE)
    url, creator, one, two = await group(ctx, server)
    second = await ctx.user(server, creator.user_id)
    sent = [await client.send(url, f"text {n}", data="d", req_id=f"r{n}")
            for n, client in enumerate((creator, one, creator))]
    for n, answer in enumerate(sent, 1):
        message = answer["message"]
        assert MEMBERS | {"ordinal", "silent"} == set(message) - {"og_pending"}, message
        assert (message["channel_type"], message["channel_url"]) == ("group_channels", url)
        assert (message["ordinal"], message["silent"], answer["seq"]) == (n, False, n + 2)
    await fence(url, creator, one, two, second)
    shown = [answer["message"] for answer in sent]
    assert two.messages(url) == second.messages(url) == shown
    assert creator.messages(url) == shown[1:2] and one.messages(url) == shown[::2]
    numbers = [e["params"]["seq"] for e in two.events if e["params"].get("channel_url") == url]
    assert numbers == list(range(1, len(numbers) + 1))
    assert not {name for name in heard(two, url) if name in (
        "channel.user_entered", "channel.user_exited", "channel.participant_count")}
    seen = await view(two, url)
    assert (seen["last_message"], seen["last_ordinal"]) == (shown[2], 3)
    got = await one.call("message.get", channel_url=url, message_id=shown[0]["message_id"])
    assert got["message"] == shown[0]
    assert await messages(one, url) == ["text 0", "text 1", "text 2"]
    # A repetition is no new message.
    assert await creator.send(url, "another text", req_id="r2") == sent[2]
    assert (await view(two, url))["last_ordinal"] == 3


async def test_a_session_opened_later(ctx):
    """A connection that opens later is ready once, and receives what follows, in a group that was not in use too."""
    server = await ctx.fresh(*FREE)
    url, creator, member = await group(ctx, server, 1)
    late = await ctx.user(server, member.user_id)
    sent = await creator.send(url, "for both")
    for client in (member, late):
        assert (await client.event("message.received", channel_url=url))["message"] == sent["message"]
    await server.end()
    # No group is in memory after the start.
    server = await ctx.fresh(*FREE, data=server.data)
    member, creator = await ctx.user(server, member.user_id), await ctx.user(server, creator.user_id)
    sent = await creator.send(url, "after the start")
    event = await member.event("message.received", channel_url=url)
    assert event["message"] == sent["message"] and sent["message"]["ordinal"] == 2
    await fence(url, creator, member, creator)
    for client in (member, creator):
        assert len(client.told("group.ready")) == 1


async def test_readiness(ctx):
    """group.ready comes once to every session, after the answer to session.open, with many groups or none."""
    server = await ctx.server(*FREE)
    loner = await ctx.user(server)
    creator, member = await ctx.users(server, 2)
    urls = []
    for _ in range(9):
        made = await creator.call("group.create", user_ids=[member.user_id])
        urls.append(made["channel"]["channel_url"])
    again = await ctx.connect(server)
    opened = await again.call("session.open", user_id=member.user_id)
    assert opened["features"]["groups"] == {
        "max_members": 100, "max_super_members": 10_000, "receipts": 100, "delivery": False, "typing": True}
    params = await again.event("group.ready")
    assert set(params) == {"ts", "token"}, params
    assert "result" in again.inbox[0], again.inbox[0]
    for number, url in enumerate(urls):
        await creator.send(url, f"{number}")
    for number, url in enumerate(urls):
        assert (await again.event("message.received", channel_url=url))["message"]["message"] == f"{number}"
    for client in (loner, member, again):
        await client.call("session.ping")
        assert len(client.told("group.ready")) == 1
    assert of_groups(loner) == loner.told("group.ready")


async def test_readiness_while_messages_arrive(ctx):
    """From group.ready on nothing is missing and nothing comes twice, however many messages arrive meanwhile."""
    server = await ctx.server(*FREE)
    url, creator, member = await group(ctx, server, 1)
    opened, stop = [], asyncio.Event()

    async def chatter():
        count = 0
        while not stop.is_set():
            await creator.send(url, f"{count}")
            count += 1
        return count
    talking = asyncio.create_task(chatter())
    for _ in range(20):
        client = await ctx.user(server, member.user_id)
        opened.append((client, (await view(client, url))["last_ordinal"]))
    stop.set()
    count = await talking
    await fence(url, creator, member, *(client for client, _ in opened))
    for client, known in opened:
        numbers = ordinals(client, url)
        # What the answer shows may have come as an event before, or never as one.
        first = numbers[0] if numbers else count + 1
        assert numbers == list(range(first, count + 1)) and first <= known + 1, (numbers, known, count)


async def test_a_session_without_groups(ctx):
    """With groups: false a connection hears nothing of groups, is not ready, and may make all calls."""
    server = await ctx.server(*FREE)
    creator, member = await ctx.users(server, 2)
    deaf = await ctx.user(server, member.user_id, groups=False)
    url = ctx.name("group")
    await creator.call("group.create", channel_url=url, user_ids=[member.user_id])
    await creator.send(url, "one")
    sent = await deaf.send(url, "two")
    assert sent["message"]["ordinal"] == 2
    assert (await member.event("message.received", channel_url=url, seq=sent["seq"]))["message"] == sent["message"]
    assert await messages(deaf, url) == ["one", "two"]
    assert (await view(deaf, url))["my"]["state"] == "joined"
    await fence(url, creator, member)
    await deaf.call("group.leave", channel_url=url)
    await member.event("group.lost", channel_url=url)
    await deaf.call("session.ping")
    assert {e["method"] for e in deaf.events} <= {"session.file_key"}, deaf.events
    # In open channels it hears what others do.
    channel, owner = await ctx.room(server, 0)
    await deaf.enter(channel)
    await owner.send(channel, "x")
    await deaf.event("message.received", channel_url=channel)


async def test_edits_and_deletions(ctx):
    """Others receive edits and deletions; a deletion names the ordinal, which is not given again."""
    server = await ctx.server(*FREE)
    url, creator, author, viewer = await group(ctx, server)
    first = (await author.send(url, "old"))["message"]
    address = {"channel_url": url, "message_id": first["message_id"]}
    changed = (await author.call("message.update", **address, message="new"))["message"]
    assert (changed["message"], changed["ordinal"]) == ("new", 1) and changed["updated_at"] > 0
    for client in (creator, viewer):
        assert (await client.event("message.updated", channel_url=url))["message"] == changed
    async with refused(400108):
        await viewer.call("message.update", **address, message="stolen")
    async with refused(400108):
        await viewer.call("message.delete", **address)
    await creator.call("message.update", **address, message="moderated")
    assert (await view(viewer, url))["last_message"]["message"] == "moderated"
    assert await author.call("message.delete", **address) == {}
    for client in (creator, viewer, author):
        event = await client.event("message.deleted", channel_url=url)
        assert (event["message_id"], event["ordinal"], event["sender_id"]) == (
            first["message_id"], 1, author.user_id), event
    seen = await view(viewer, url)
    assert (seen["last_message"], seen["last_ordinal"]) == (None, 1)
    second = (await author.send(url, "x"))["message"]
    assert second["ordinal"] == 2
    # Who has left may change nothing.
    await author.call("group.leave", channel_url=url)
    for method, params in (("message.update", {"message": "y"}), ("message.delete", {})):
        assert await code(
            author, method, channel_url=url, message_id=second["message_id"], **params) == 400201
    assert await messages(viewer, url) == ["x"]


async def test_a_history_begins_with_joining(ctx):
    """A later member reads what comes after it; who leaves and joins again begins another history."""
    server = await ctx.server(*FREE)
    url, creator, member = await group(ctx, server, 1)
    old = (await member.send(url, "old"))["message"]
    await later(creator, old["created_at"])
    late = await ctx.user(server)
    joined = (await creator.call("group.invite", channel_url=url, user_ids=[late.user_id]))["joined"]
    assert joined == [late.user_id]
    seen = await view(late, url)
    assert seen["my"]["visible_from"] > old["created_at"] and seen["last_message"] is None
    assert seen["last_ordinal"] == 1 and await messages(late, url) == []
    assert await messages(late, url, message_ts=0, next_limit=10, prev_limit=0) == []
    await member.call("group.leave", channel_url=url)
    between = (await creator.send(url, "between"))["message"]
    await later(creator, between["created_at"])
    await creator.call("group.invite", channel_url=url, user_ids=[member.user_id])
    new = (await creator.send(url, "new"))["message"]
    assert (await view(member, url))["my"]["visible_from"] > between["created_at"]
    for client, texts in ((creator, ["old", "between", "new"]), (late, ["between", "new"]), (member, ["new"])):
        assert await messages(client, url) == texts
        assert await messages(client, url, message_ts=0, next_limit=10, prev_limit=0) == texts
        assert await messages(client, url, message_id=new["message_id"]) == texts
        assert (await view(client, url))["last_message"] == new
    hidden = {"channel_url": url, "message_id": old["message_id"]}
    for client in (late, member):
        for method, params in (
                ("message.get", {}), ("message.update", {"message": "x"}), ("message.delete", {}),
                ("message.add_metaarray_values", {"values": {"k": ["v"]}}),
                ("message.create_metaarray_keys", {"keys": ["k"]})):
            assert await code(client, method, **hidden, **params) == 400201, method
        try:
            assert "old" not in await messages(client, url, message_id=old["message_id"], next_limit=10)
        except Refused as error:
            assert error.code == 400201, error
    # An operator has no longer history than others.
    await creator.call("channel.add_operators", channel_url=url, user_ids=[late.user_id])
    assert await code(late, "message.delete", **hidden) == 400201
    assert await messages(creator, url) == ["old", "between", "new"]


async def test_mentions(ctx):
    """Mentions keep joined members and leave others out; nobody receives mention.received."""
    server = await ctx.server(*FREE)
    url, creator, member, former = await group(ctx, server)
    stranger, deaf = await ctx.user(server), await ctx.user(server, member.user_id, groups=False)
    await former.call("group.leave", channel_url=url)
    named = [stranger.user_id, member.user_id, former.user_id, ctx.name("nobody")]
    message = (await creator.send(url, "you", mentioned_user_ids=named))["message"]
    assert [u["user_id"] for u in message["mentioned_users"]] == [member.user_id]
    changed = (await creator.call(
        "message.update", channel_url=url, message_id=message["message_id"],
        mentioned_user_ids=[*named[::2], creator.user_id]))["message"]
    assert [u["user_id"] for u in changed["mentioned_users"]] == [creator.user_id]
    message = (await creator.send(url, "all", mention_type="channel"))["message"]
    assert message["mention_type"] == "channel"
    async with refused(400203, field="mentioned_user_ids"):
        await creator.send(url, "x", mentioned_user_ids=[ctx.name() for _ in range(11)])
    await fence(url, creator, member)
    for client in (stranger, deaf, member, former):
        await client.call("session.ping")
        assert not client.told("mention.received"), client.events


@with_pages
async def test_previews(ctx, pages):
    """Known links are previewed at once; others by one update to all members, the author among them."""
    server = await ctx.server(*PREVIEWS)
    url, creator, author, viewer = await group(ctx, server)
    pages.add("/g", "Title", og__description="Words")
    sent = (await author.send(url, f"see {pages.url('/g')}"))["message"]
    assert sent["og_tag"] is None and sent["og_pending"] is True
    for client in (creator, author, viewer):
        updated = await preview_of(client, sent)
        assert updated["og_tag"]["og:title"] == "Title" and updated["channel_type"] == "group_channels"
        assert {**updated, "og_tag": None, "og_pending": True} == sent
    assert (await view(viewer, url))["last_message"] == updated
    again = (await author.send(url, f"again {pages.url('/g')}"))["message"]
    assert again["og_tag"] == updated["og_tag"] and again["ordinal"] == 2
    await fence(url, creator, creator, viewer)
    assert viewer.messages(url)[-1] == again and not updates_of(viewer, again)
    assert pages.count("/g") == 1


@with_pages
async def test_a_desk_message(ctx, pages):
    """A rich message's data is changed byte for byte for both sides, and the preview of its text stays."""
    server = await ctx.server(*PREVIEWS)
    url, agent, customer = await group(ctx, server, 1)
    pages.add("/desk", "Form")
    kind = "SENDBIRD_DESK_RICH_MESSAGE"
    message = (await agent.send(url, f"rate us {pages.url('/desk')}", custom_type=kind, data="{}"))["message"]
    for client in (agent, customer):
        await preview_of(client, message)
    data = '{"type": "SENDBIRD_DESK_CUSTOMER_SATISFACTION", "body": {"score": "5", "x": "\\u00e9é"}}'
    changed = (await agent.call(
        "message.update", channel_url=url, message_id=message["message_id"], data=data, custom_type=kind))["message"]
    assert changed["data"] == data and changed["og_tag"]["og:title"] == "Form"
    await customer.until(lambda: len(updates_of(customer, message)) == 2)
    assert updates_of(customer, message)[1]["message"] == changed
    await fence(url, agent, agent, customer)
    assert len(updates_of(agent, message)) == 1 and pages.count("/desk") == 1


async def test_metaarrays(ctx):
    """The author and operators make keys, every joined member counts, and all receive the message."""
    server = await ctx.server(*FREE)
    url, creator, author, voter = await group(ctx, server)
    sent = await author.send(url, "poll", metaarray=[{"key": "yes", "value": []}])
    address = {"channel_url": url, "message_id": sent["message"]["message_id"]}
    answer = await voter.call("message.add_metaarray_values", **address, values={"yes": [voter.user_id]})
    assert answer["message"]["sorted_metaarray"] == [{"key": "yes", "value": [voter.user_id]}]
    for client in (creator, author):
        assert (await client.event("message.updated", channel_url=url))["message"] == answer["message"]
    async with refused(400108):
        await voter.call("message.create_metaarray_keys", **address, keys=["no"])
    await creator.call("message.create_metaarray_keys", **address, keys=["no"])
    await author.call("message.delete_metaarray_keys", **address, keys=["yes"])
    got = await voter.call("message.get", **address)
    assert got["message"]["sorted_metaarray"] == [{"key": "no", "value": []}]


async def test_translation(ctx):
    """A member has a message translated, and all members receive the translation."""
    service = await ScriptedTranslator.start()
    try:
        server = await ctx.fresh(*service.flags, *FREE, *PATIENT)
        await ready(server)
        url, creator, member, viewer = await group(ctx, server)
        stranger = await ctx.user(server)
        sent = (await creator.send(url, "The house"))["message"]
        address = {"channel_url": url, "message_id": sent["message_id"]}
        async with refused(400201, field="channel_url"):
            await stranger.call("message.translate", **address, target_langs=["es"])
        answer = await member.call("message.translate", **address, target_langs=["es"])
        assert answer["message"]["translations"] == {"es": "es:The house"}, answer
        for client in (creator, viewer):
            event = await client.event("message.updated", channel_url=url)
            assert event["message"]["translations"] == {"es": "es:The house"}
            assert event["message"]["channel_type"] == "group_channels"
        both = (await member.send(url, "The cat", translation_target_langs=["de"]))["message"]
        assert both["translations"] == {"de": "de:The cat"} and both["ordinal"] == 2
    finally:
        await service.stop()


async def test_files(ctx):
    """Files by URL, several in a call, and an encrypted upload, which members read as long as they are members."""
    server = await ctx.fresh(*SEALED, *FREE)
    url, creator, one, two = await group(ctx, server)
    stranger, late = await ctx.users(server, 2)
    answer = await creator.call("message.send_files", channel_url=url, files=[
        {"url": f"https://a.example/{n}", "file_name": f"{n}.txt"} for n in range(3)])
    assert [r["message"]["ordinal"] for r in answer["results"]] == [1, 2, 3]
    content = os.urandom(70_000)
    shown = await sent_file(one, server, url, content, type="image/png")
    assert shown["require_auth"] is True
    event = await two.event("message.received", channel_url=url, seq=6)
    assert event["message"]["file"] == shown and event["message"]["ordinal"] == 4
    for reader in (creator, one, two):
        status, _, body = await read(server, shown["url"], key(reader))
        assert (status, body) == (200, content)
    assert problem(await read(server, shown["url"], key(stranger))) == (403, 900020)
    # The history of a later member has no message with the file.
    await later(creator, event["message"]["created_at"])
    await creator.call("group.invite", channel_url=url, user_ids=[late.user_id])
    assert problem(await read(server, shown["url"], key(late))) == (403, 900020)
    await two.call("group.leave", channel_url=url)
    assert problem(await read(server, shown["url"], key(two))) == (403, 900020)
    await creator.call("group.remove", channel_url=url, user_ids=[one.user_id])
    # The uploader keeps its own.
    assert (await read(server, shown["url"], key(one)))[0] == 200


async def test_a_frozen_group(ctx):
    """In a frozen group operators send; members read, leave and are added."""
    server = await ctx.server(*FREE)
    url, creator, member, other = await group(ctx, server)
    late = await ctx.user(server)
    frozen = (await creator.call("channel.freeze", channel_url=url))["channel"]
    assert frozen["freeze"] is True and frozen["channel_type"] == "group_channels"
    event = await member.event("channel.frozen", channel_url=url)
    assert event["channel"]["freeze"] is True and event["channel"]["member_count"] == 3
    async with refused(900050):
        await member.send(url, "x")
    async with refused(400108):
        await member.call("channel.unfreeze", channel_url=url)
    sent = await creator.send(url, "listen")
    assert (await member.event("message.received", channel_url=url))["message"] == sent["message"]
    await other.call("group.leave", channel_url=url)
    assert (await member.call("group.invite", channel_url=url, user_ids=[late.user_id]))["joined"] == [late.user_id]
    assert (await view(late, url))["freeze"] is True
    await creator.call("channel.unfreeze", channel_url=url)
    await member.event("channel.unfrozen", channel_url=url)
    assert (await member.send(url, "at last"))["message"]["ordinal"] == 2


async def test_a_muted_member(ctx):
    """A muted member reads and may not send; it and the others see that it is muted, and until when."""
    server = await ctx.server(*FREE)
    url, creator, loud, viewer = await group(ctx, server)
    await creator.call("channel.mute", channel_url=url, user_id=loud.user_id, seconds=600, description="loud")
    event = await loud.event("channel.user_muted", channel_url=url)
    async with refused(900041):
        await loud.send(url, "x")
    mine = (await view(loud, url))["my"]
    assert mine["is_muted"] is True and mine["muted_until"] == event["ts"] + 600_000
    seen = {m["user_id"]: m["is_muted"] for m in (await view(viewer, url))["members"]}
    assert seen == {creator.user_id: False, loud.user_id: True, viewer.user_id: False}
    page = await viewer.call("group.members", channel_url=url)
    assert {m["user_id"]: m["is_muted"] for m in page["members"]} == seen
    await creator.send(url, "hear")
    await loud.event("message.received", channel_url=url)
    await creator.call("channel.unmute", channel_url=url, user_id=loud.user_id)
    assert (await view(loud, url))["my"]["muted_until"] == 0
    await loud.send(url, "again")


async def test_nothing_is_withheld(ctx):
    """The throttle of open channels is off in groups, unless it is set for a group or for its custom type."""
    server = await ctx.fresh(*FREE, "--limits-throttle-messages", "1", "--limits-throttle-window-ms", "60000")
    url, creator, viewer = await group(ctx, server, 1)
    for n in range(10):
        await creator.send(url, f"{n}")
    await fence(url, creator, viewer)
    assert ordinals(viewer, url) == list(range(1, 11))
    async with Caller(server) as caller:
        limit = {"throttle": {"messages": 2, "window_ms": 60_000}}
        await caller.call("PUT", f"/parley/limits/channels/{url}", limit)
        await caller.call("PUT", "/parley/limits/custom_types/busy", limit)
    busy, other, watcher = await group(ctx, server, 1, custom_type="busy")
    for sender, reader, place in ((creator, viewer, url), (other, watcher, busy)):
        before = len(reader.messages(place))
        for n in range(6):
            await sender.send(place, f"more {n}")
        notice = await reader.event("channel.throttled", channel_url=place)
        await fence(place, sender, reader)
        assert notice["withheld"] >= 1 and len(reader.messages(place)) < before + 6
    # What was withheld is counted and listed.
    assert (await view(viewer, url))["last_ordinal"] == 16 and len(await messages(viewer, url)) == 16


async def test_flood_protection(ctx):
    """A user sends five messages in a second to a group, as to an open channel; refused ones have no number."""
    server = await ctx.server()
    url, creator, member = await group(ctx, server, 1)
    waiting = [await creator.ask("message.send", channel_url=url, message=str(n)) for n in range(9)]
    answers = [await part for part in waiting]
    accepted = [a["result"]["message"]["ordinal"] for a in answers if "result" in a]
    assert accepted == list(range(1, len(accepted) + 1)) and len(accepted) >= 5
    errors = [a["error"] for a in answers if "error" in a]
    assert all(e["code"] == 900200 and e["data"]["scope"] == "user_channel" for e in errors) and errors
    sent = await member.send(url, "mine")
    assert sent["message"]["ordinal"] == len(accepted) + 1
    await member.until(lambda: len(member.messages(url)) == len(accepted))


async def test_numbers_under_load(ctx):
    """Many send at once: ordinals have no gap, rise with seq and time, and all members agree on them."""
    server = await ctx.server(*FREE)
    url, creator, *others = await group(ctx, server, 4)
    answers = []

    async def chatter(client):
        for n in range(25):
            answers.append(await client.send(url, str(n)))
    await asyncio.gather(*(chatter(client) for client in others))
    answers.sort(key=lambda answer: answer["seq"])
    assert [a["message"]["ordinal"] for a in answers] == list(range(1, 101))
    times = [a["message"]["created_at"] for a in answers]
    assert times == sorted(times)
    await fence(url, creator, creator, *others)
    assert ordinals(creator, url) == list(range(1, 101))
    for client in others:
        own = {a["message"]["ordinal"] for a in answers if a["message"]["user"]["user_id"] == client.user_id}
        assert ordinals(client, url) == [n for n in range(1, 101) if n not in own]


async def test_an_ephemeral_group(ctx):
    """An ephemeral group delivers messages to its members and keeps none."""
    server = await ctx.server(*FREE)
    url, creator, member = await group(ctx, server, 1, is_ephemeral=True)
    sent = [await creator.send(url, f"{n}") for n in range(3)]
    assert [a["message"]["ordinal"] for a in sent] == [1, 2, 3]
    await fence(url, creator, member)
    assert member.messages(url) == [a["message"] for a in sent]
    seen = await view(member, url)
    assert seen["is_ephemeral"] is True and seen["last_message"] is None and seen["last_ordinal"] == 3
    for method, params in (("message.list", {}), ("message.get", {"message_id": sent[0]["message"]["message_id"]})):
        assert await code(member, method, channel_url=url, **params) == 400201
    await member.call("group.leave", channel_url=url)
    assert (await creator.event("group.left", channel_url=url))["reason"] == "left"


async def test_a_lost_connection(ctx):
    """A member whose connection was lost is ready again and finds what it missed in the history."""
    server = await ctx.server(*FREE)
    url, creator, member = await group(ctx, server, 1)
    await creator.send(url, "one")
    await member.event("message.received", channel_url=url)
    known = await view(member, url)
    member.socket.transport.abort()
    await member.ended()
    for text in ("two", "three"):
        await creator.send(url, text)
    member = await ctx.user(server, member.user_id)
    now = await view(member, url)
    assert now["epoch"] == known["epoch"] and now["last_ordinal"] - known["last_ordinal"] == 2
    assert now["seq"] > known["seq"]
    missed = await messages(
        member, url, message_id=known["last_message"]["message_id"], include=False, prev_limit=0, next_limit=100)
    assert missed == ["two", "three"]
    await creator.send(url, "four")
    assert (await member.event("message.received", channel_url=url))["message"]["ordinal"] == 4
    # Losing a connection is no leaving.
    await fence(url, creator, creator)
    assert not creator.told("group.left") and not creator.told("channel.user_exited")
