"""A member's own part in a group: read positions, unread counts, hiding, histories and preferences."""

import asyncio
import random

from groups import FREE, code, fence, group, heard, view
from groupmessages import messages
from harness import Refused, eventually, refused

OWN = ("group.mark_read", "group.mark_unread", "group.hide", "group.unhide", "group.reset_history",
       "group.set_preference")


async def unread(url, *clients):
    """The numbers of unread messages of members, as views of the group show them."""
    return [(await view(client, url, members_limit=0))["my"]["unread_message_count"] for client in clients]


async def sent(client, url, text="x"):
    return (await client.send(url, text))["message"]


def told(client, url, *names):
    """The own parts in events of a group, in order."""
    return [e["params"]["my"] for e in client.events
            if e["method"] in (names or ("group.unread",)) and e["params"]["channel_url"] == url]


async def test_members_count_for_themselves(ctx):
    """Each member's number rises with messages of others only, and falls with its own reading and sending."""
    server = await ctx.server(*FREE)
    url, creator, one, two = await group(ctx, server)
    people = (creator, one, two)
    assert await unread(url, *people) == [0, 0, 0]
    first, second = await sent(creator, url), await sent(creator, url)
    assert await unread(url, *people) == [0, 2, 2]
    mine = (await one.call("group.mark_read", channel_url=url))["my"]
    assert (mine["unread_message_count"], mine["read_ordinal"]) == (0, 2), mine
    assert mine["read_at"] == second["created_at"] and mine["count_preference"] == "all"
    third = await sent(one, url)
    assert await unread(url, *people) == [1, 0, 3]
    await sent(two, url)
    seen = [(await view(client, url))["my"] for client in people]
    assert [my["unread_message_count"] for my in seen] == [2, 1, 0], seen
    assert [my["read_ordinal"] for my in seen] == [2, 3, 4], seen
    assert seen[1]["read_at"] == third["created_at"]
    await fence(url, creator, *people)
    assert not [e for client in people for e in client.events if e["method"] == "group.unread"]
    assert first["ordinal"] == 1


async def test_what_was_not_shown_stays_unread(ctx):
    """Reading up to a message leaves later ones unread, whatever came meanwhile; the position only rises."""
    server = await ctx.server(*FREE)
    url, creator, reader = await group(ctx, server, 1)
    shown = [await sent(creator, url) for _ in range(3)]
    later = [await creator.ask("message.send", channel_url=url, message=f"later {n}") for n in range(5)]
    my = (await reader.call("group.mark_read", channel_url=url, message_id=shown[-1]["message_id"]))["my"]
    assert my["read_ordinal"] == 3 and my["read_at"] == shown[-1]["created_at"], my
    for answer in later:
        await creator.result(answer)
    assert await unread(url, reader) == [5]
    for message in shown:
        again = (await reader.call("group.mark_read", channel_url=url, message_id=message["message_id"]))["my"]
        assert (again["read_ordinal"], again["unread_message_count"]) == (3, 5), again


async def test_the_pace_of_marks(ctx):
    """Three marks of a member are carried out at once; of the others only the newest, at most a second later."""
    server = await ctx.server(*FREE)
    url, creator, reader, other = await group(ctx, server, 2)
    ids = [(await sent(creator, url))["message_id"] for _ in range(20)]
    phone = await ctx.user(server, reader.user_id)
    await phone.event("group.ready")
    start = asyncio.get_running_loop().time()
    asked = [await reader.ask("group.mark_read", channel_url=url, message_id=message) for message in ids[:-1]]
    await view(reader, url)
    asked.append(await phone.ask("group.mark_read", channel_url=url, message_id=ids[4]))
    # Another member does not wait.
    mine = (await other.call("group.mark_read", channel_url=url, message_id=ids[0]))["my"]
    assert mine["read_ordinal"] == 1 and not reader.told("group.unread", channel_url=url)
    answers = [(await client.result(call))["my"]["read_ordinal"]
               for client, call in zip([reader] * 19 + [phone], asked, strict=True)]
    assert answers == [1, 2, 3] + [19] * 17, answers
    assert 0.9 < asyncio.get_running_loop().time() - start < 5
    # The mark that has become one is answered on both connections, which hear nothing of it.
    assert [my["read_ordinal"] for my in told(reader, url)] == []
    assert [my["read_ordinal"] for my in told(phone, url)] == [1, 2, 3]
    # The last one wins, and what comes after a mark as unread is read after it.
    asked = [await reader.ask(f"group.mark_{kind}", channel_url=url, message_id=ids[index]) for kind, index in (
        ("read", 0), ("read", 0), ("read", 0), ("read", 19), ("unread", 5), ("unread", 9), ("read", 12), ("read", 11))]
    answers = [(await reader.result(call))["my"]["read_ordinal"] for call in asked]
    assert answers[3:] == [9, 9, 9, 13, 13] and await unread(url, reader) == [7], answers


async def test_two_devices_agree(ctx):
    """The other connection of a member hears the same values as the answer has, between the events around it."""
    server = await ctx.server(*FREE)
    url, creator, reader = await group(ctx, server, 1)
    other = await ctx.user(server, reader.user_id)
    deaf = await ctx.user(server, reader.user_id, groups=False)
    answers = []
    for n in range(5):
        await sent(creator, url)
        answers.append((await reader.call("group.mark_read", channel_url=url))["my"])
        # What changes nothing is not told.
        await reader.call("group.mark_read", channel_url=url)
    await fence(url, creator, creator, reader, other)
    assert told(other, url) == answers and [my["read_ordinal"] for my in answers] == list(range(1, 6))
    names = [name for name in heard(other, url) if name in ("message.received", "group.unread")]
    assert names == ["message.received", "group.unread"] * 5, names
    assert told(reader, url) == told(creator, url) == told(deaf, url) == []
    event = other.told("group.unread", channel_url=url)[0]["params"]
    assert set(event) == {"channel_url", "ts", "my"}, event
    assert (await view(other, url))["my"] == answers[-1]


async def test_answers_are_in_the_order_of_events(ctx):
    """What an answer counts is exactly what came before it, however fast others send."""
    server = await ctx.server(*FREE)
    url, creator, reader = await group(ctx, server, 1)
    for _ in range(30):
        begun = len(reader.inbox)
        sending = [await creator.ask("message.send", channel_url=url, message="x") for _ in range(5)]
        asking = [await reader.ask(method, channel_url=url, **params) for method, params in (
            ("group.mark_read", {}), ("group.get", {"members_limit": 0}), ("group.reset_history", {}))]
        sending += [await creator.ask("message.send", channel_url=url, message="x") for _ in range(5)]
        for answer in sending:
            await creator.result(answer)
        for answer in asking:
            await reader.result(answer)
        last = None
        for value in reader.inbox[begun:]:
            if value.get("method") == "message.received":
                last = value["params"]["message"]["ordinal"]
            elif "result" in value:
                channel = value["result"].get("channel", value["result"])
                counted = channel["my"]["read_ordinal"] + channel["my"]["unread_message_count"]
                assert last in (None, counted), (last, value)
                assert channel["my"]["last_ordinal"] == channel.get("last_ordinal", counted) == counted, value


class Counter:
    """A connection that makes no calls and counts as the contract says, from what it receives in its order."""

    def __init__(self, client, url, channel):
        self.client, self.url, self.done = client, url, len(client.events)
        self.last = 0
        self.set(channel["my"])

    def count(self):
        """Counts what came, and gives the numbers."""
        for event in self.client.events[self.done:]:
            name, params = event["method"], event["params"]
            if params.get("channel_url") != self.url:
                continue
            if name == "message.received":
                self.receive(params["message"])
            elif name == "message.deleted":
                self.forget(params["ordinal"], params["sender_id"])
            elif name in ("group.unread", "group.hidden", "group.unhidden"):
                self.set(params["my"])
        self.done = len(self.client.events)
        return self.last, self.read, self.unread

    def set(self, my):
        # The connection makes no calls, so all events are in order.
        assert my["last_ordinal"] >= self.last, (my, self.last)
        self.last = my["last_ordinal"]
        self.read, self.unread = my["read_ordinal"], my["unread_message_count"]

    def receive(self, message):
        if message["ordinal"] <= self.last:
            return
        self.last = message["ordinal"]
        if message["user"]["user_id"] == self.client.user_id:
            # Another connection of the member has sent it, and has read up to it.
            self.read, self.unread = self.last, 0
        else:
            self.unread += 1

    def forget(self, ordinal, author):
        if ordinal > self.read and author != self.client.user_id:
            self.unread -= 1


async def test_clients_count_without_asking(ctx):
    """Connections that hear the random calls of others have the numbers that group.get shows."""
    for seed in range(8):
        await random_histories(ctx, random.Random(seed))


async def random_histories(ctx, chance):
    server = await ctx.server(*FREE)
    url, *active = await group(ctx, server)
    passive = [await ctx.user(server, client.user_id) for client in active]
    counters = [Counter(client, url, await view(client, url)) for client in passive]
    for _ in range(12):
        answers = []
        known = [message["message_id"] for message in passive[0].messages(url)][-12:]
        for _ in range(15):
            client = chance.choice(active)
            method, params = random_call(chance, known)
            if method == "message.delete":
                client = active[0]
            answers.append(await client.ask(method, channel_url=url, **params))
            if chance.random() < 0.3:
                await asyncio.sleep(0)
        for answer in answers:
            try:
                await active[0].result(answer)
            except Refused as error:
                assert error.code == 400201, error
        await fence(url, active[0], *passive)
        for counter in counters:
            seen = await view(counter.client, url, members_limit=0)
            wanted = seen["last_ordinal"], seen["my"]["read_ordinal"], seen["my"]["unread_message_count"]
            counted = counter.count()
            assert counted == wanted, (counter.client.user_id, counted, wanted)


def random_call(chance, known):
    """A call of a member, and its parameters beside the URL."""
    draw = chance.random()
    if draw < 0.4 or not known:
        return "message.send", {"message": "x"}
    message = {"message_id": chance.choice(known)}
    if draw < 0.55:
        return "message.delete", message
    if draw < 0.7:
        return "group.mark_read", message if chance.random() < 0.8 else {}
    if draw < 0.85:
        return "group.mark_unread", message
    return chance.choice([
        ("group.hide", {"hide_previous_messages": chance.random() < 0.3}),
        ("group.hide", {"allow_auto_unhide": False}), ("group.unhide", {}), ("group.reset_history", {})])


async def test_positions_go_back(ctx):
    """Marking unread counts from that message on, without own and deleted ones, and is told to other devices."""
    server = await ctx.server(*FREE)
    url, creator, reader = await group(ctx, server, 1)
    other = await ctx.user(server, reader.user_id)
    ids = [(await sent(client, url))["message_id"] for client in (creator, reader, creator, creator, reader)]
    assert await unread(url, reader, creator) == [0, 1]
    my = (await reader.call("group.mark_unread", channel_url=url, message_id=ids[0]))["my"]
    assert (my["unread_message_count"], my["read_ordinal"]) == (3, 0), my
    await other.until(lambda: told(other, url) == [my])
    # Deletions say where they were and who wrote them.
    for number, author in ((2, creator), (1, reader)):
        await creator.call("message.delete", channel_url=url, message_id=ids[number])
        event = await other.event("message.deleted", message_id=ids[number])
        assert (event["ordinal"], event["sender_id"]) == (number + 1, author.user_id), event
    assert await unread(url, reader) == [2]
    my = (await reader.call("group.mark_read", channel_url=url, message_id=ids[2]))["my"]
    assert (my["unread_message_count"], my["read_ordinal"]) == (1, 3), my
    my = (await reader.call("group.mark_unread", channel_url=url, message_id=ids[1]))["my"]
    assert (my["unread_message_count"], my["read_ordinal"]) == (1, 1), my
    await sent(reader, url)
    assert await unread(url, reader, creator) == [0, 2]


async def test_own_parts_after_kill_9(ctx):
    """After kill -9 positions, hidden states, histories and preferences are as before, and counts go on."""
    server = await ctx.fresh(*FREE)
    url, creator, *others = await group(ctx, server, 4)
    ids = [(await sent(client, url))["message_id"] for client in (creator, others[0], creator, creator)]
    await creator.call("message.delete", channel_url=url, message_id=ids[2])
    for client, method, params in (
            (others[0], "group.mark_unread", {"message_id": ids[0]}), (others[1], "group.mark_read", {}),
            (others[1], "group.hide", {}), (others[2], "group.hide", {"allow_auto_unhide": False}),
            (others[2], "group.mark_read", {"message_id": ids[2]}), (others[3], "group.reset_history", {}),
            (others[3], "group.set_preference", {"count_preference": "unread_message_count_only"})):
        await client.call(method, channel_url=url, **params)
    people = [creator, *others]
    before = [(await view(client, url))["my"] for client in people]
    assert [my["unread_message_count"] for my in before] == [0, 2, 0, 1, 0], before
    await server.kill()
    server = await ctx.fresh(*FREE, data=server.data)
    people = [await ctx.user(server, client.user_id) for client in people]
    assert [(await view(client, url))["my"] for client in people] == before
    await sent(people[0], url)
    seen = [(await view(client, url))["my"] for client in people]
    assert [my["unread_message_count"] for my in seen] == [0, 3, 1, 2, 1], seen
    assert [my["hidden_state"] for my in seen] == [
        "unhidden", "unhidden", "unhidden", "hidden_prevent_auto_unhide", "unhidden"], seen
    # The position goes back over a message that was deleted before the restart.
    for client in people[1:3]:
        await client.call("group.mark_read", channel_url=url)
    await server.kill()
    server = await ctx.fresh(*FREE, data=server.data)
    reader = await ctx.user(server, people[2].user_id)
    my = (await reader.call("group.mark_unread", channel_url=url, message_id=ids[0]))["my"]
    assert my["unread_message_count"] == 4, my


async def test_positions_are_acknowledged_for_good(ctx):
    """kill -9 while members read: each position is at least the acknowledged one."""
    server = await ctx.fresh(*FREE)
    url, creator, *readers = await group(ctx, server, 4)
    ids = [(await sent(creator, url))["message_id"] for _ in range(60)]
    known = {reader.user_id: 0 for reader in readers}

    async def read(reader):
        for message in ids:
            try:
                answer = await reader.call("group.mark_read", channel_url=url, message_id=message)
            except Refused:
                raise
            except Exception:
                return
            known[reader.user_id] = answer["my"]["read_ordinal"]
    working = [asyncio.create_task(read(reader)) for reader in readers]

    async def is_begun():
        return sum(known.values()) > 20
    await eventually(is_begun, "some reading")
    await server.kill()
    await asyncio.gather(*working)
    server = await ctx.fresh(*FREE, data=server.data)
    for reader in readers:
        mine = (await view(await ctx.user(server, reader.user_id), url))["my"]
        assert known[reader.user_id] <= mine["read_ordinal"] <= known[reader.user_id] + 1, (known, mine)
        assert mine["unread_message_count"] == 60 - mine["read_ordinal"], mine


async def test_hidden_until_the_next_message(ctx):
    """A hidden group is shown again by any next message, an archived one by its member only."""
    server = await ctx.server(*FREE)
    url, creator, one, two = await group(ctx, server)
    other = await ctx.user(server, one.user_id)
    first = await sent(creator, url)
    my = (await one.call("group.hide", channel_url=url))["my"]
    assert my["hidden_state"] == "hidden_allow_auto_unhide" and my["unread_message_count"] == 1, my
    archived = (await two.call("group.hide", channel_url=url, allow_auto_unhide=False))["my"]
    assert archived["hidden_state"] == "hidden_prevent_auto_unhide", archived
    await creator.call("message.delete", channel_url=url, message_id=first["message_id"])
    await creator.call("channel.freeze", channel_url=url)
    await creator.call("channel.unfreeze", channel_url=url)
    assert (await view(one, url))["my"]["hidden_state"] == "hidden_allow_auto_unhide"
    await sent(creator, url)
    await fence(url, creator, creator, one, other, two)
    names = [name for name in heard(other, url) if name in ("message.received", "group.hidden", "group.unhidden")]
    assert names == ["message.received", "group.hidden", "message.received", "group.unhidden"], [
        e for e in other.events if e["params"].get("channel_url") == url]
    assert told(other, url, "group.hidden") == [my]
    shown = (await view(one, url))["my"]
    assert told(other, url, "group.unhidden") == told(one, url, "group.unhidden") == [shown]
    assert shown["hidden_state"] == "unhidden" and shown["unread_message_count"] == 1, shown
    assert told(two, url, "group.unhidden") == told(creator, url, "group.unhidden") == []
    assert (await view(two, url))["my"]["hidden_state"] == "hidden_prevent_auto_unhide"
    assert (await two.call("group.unhide", channel_url=url))["my"]["hidden_state"] == "unhidden"
    # A member's own message shows it as well.
    await one.call("group.hide", channel_url=url)
    await sent(one, url)
    await one.event("group.unhidden", channel_url=url)
    assert (await view(one, url))["my"]["hidden_state"] == "unhidden"
    ephemeral, _, reader = await group(ctx, server, 1, is_ephemeral=True)
    for method in ("group.mark_read", "group.reset_history"):
        async with refused(400201):
            await reader.call(method, channel_url=ephemeral)


async def test_a_history_begins_anew(ctx):
    """Nothing older is listed, found, counted or a place to read up to; others see it as before."""
    server = await ctx.server(*FREE)
    url, creator, reader = await group(ctx, server, 1)
    other = await ctx.user(server, reader.user_id)
    old = [(await sent(creator, url, f"old {n}"))["message_id"] for n in range(3)]
    answer = await reader.call("group.reset_history", channel_url=url)
    my = answer["my"]
    assert answer["ts_message_offset"] == my["visible_from"] > 0 and my["unread_message_count"] == 0, answer
    await other.until(lambda: told(other, url) == [my])
    new = await sent(creator, url, "new")
    assert new["created_at"] >= my["visible_from"]
    assert await messages(reader, url) == ["new"]
    assert await messages(creator, url) == ["old 0", "old 1", "old 2", "new"]
    assert await unread(url, reader) == [1]
    for method in ("message.get", "group.mark_read", "group.mark_unread"):
        async with refused(400201):
            await reader.call(method, channel_url=url, message_id=old[2])
    await creator.call("message.delete", channel_url=url, message_id=old[1])
    assert await unread(url, reader) == [1]
    hidden = (await reader.call("group.hide", channel_url=url, hide_previous_messages=True))["my"]
    assert hidden["visible_from"] > my["visible_from"] and hidden["unread_message_count"] == 0, hidden
    assert await messages(reader, url) == [] and (await view(reader, url))["last_message"] is None
    again = [await reader.call("group.reset_history", channel_url=url) for _ in range(3)]
    offsets = [answer["ts_message_offset"] for answer in again]
    assert offsets == sorted(offsets), offsets
    await sent(creator, url, "last")
    assert await messages(reader, url) == ["last"] and await unread(url, reader) == [1]


async def test_preferences_leave_counts_out(ctx):
    """A member who wants no counts gets 0, and the exact number again when it wants them."""
    server = await ctx.server(*FREE)
    url, creator, reader = await group(ctx, server, 1)
    other = await ctx.user(server, reader.user_id)
    await sent(creator, url)
    shown = []
    for preference, count in (
            ("off", 0), ("unread_mention_count_only", 0), ("unread_message_count_only", 2), ("all", 3)):
        my = (await reader.call("group.set_preference", channel_url=url, count_preference=preference))["my"]
        wanted = (preference, 0 if count == 0 else len(shown) + 1)
        assert (my["count_preference"], my["unread_message_count"]) == wanted, my
        shown.append(my)
        assert (await view(reader, url))["my"] == my
        await sent(creator, url)
    await fence(url, creator, other)
    assert told(other, url) == shown


async def test_bad_input(ctx):
    """Ids of other channels, of no message and of no number, and unknown preferences change nothing."""
    server = await ctx.server(*FREE)
    url, creator, reader = await group(ctx, server, 1)
    elsewhere, *_ = await group(ctx, server, 1)
    open_url, owner = await ctx.room(server, 0)
    foreign = [(await creator.send(url, "x"))["message"]["message_id"]]
    second, third, _ = await group(ctx, server, 1)
    others = [(await sent(third, second))["message_id"], (await sent(owner, open_url))["message_id"]]
    before = (await view(reader, url))["my"]
    wrong = [(message, 400201) for message in (*others, foreign[0] + 1, 2**53 - 1, 1)]
    wrong += [(0, 400113), (2**53, 400113), (-1, 400106), ("7", 400101), (1.5, 400111), (True, 400101), ([], 400101)]
    for method in ("group.mark_read", "group.mark_unread"):
        for message, wanted in wrong:
            found = await code(reader, method, channel_url=url, message_id=message)
            assert found == wanted, (method, message, found)
    for method, params, wanted in (
            ("group.mark_unread", {}, 400105), ("group.set_preference", {}, 400105),
            ("group.set_preference", {"count_preference": "none"}, 400111),
            ("group.set_preference", {"count_preference": False}, 400100),
            ("group.hide", {"allow_auto_unhide": "no"}, 400104),
            ("group.hide", {"hide_previous_messages": 1}, 400104)):
        found = await code(reader, method, channel_url=url, **params)
        assert found == wanted, (method, params, found)
    required = {"group.mark_unread": {"message_id": 1}, "group.set_preference": {"count_preference": "all"}}
    for method in OWN:
        params = required.get(method, {})
        assert await code(owner, method, channel_url=open_url, **params) == 400920, method
        assert await code(reader, method, channel_url=elsewhere, **params) == 400201, method
        assert await code(reader, method, channel_url=ctx.name("none"), **params) == 400201, method
    assert (await view(reader, url))["my"] == before


async def test_a_distinct_group_comes_back(ctx):
    """Creating a distinct group that exists shows it again to the caller, who had archived it, and to nobody else."""
    server = await ctx.server(*FREE)
    creator, other = await ctx.users(server, 2)
    second = await ctx.user(server, creator.user_id)
    people = {"user_ids": [other.user_id], "is_distinct": True}
    url = (await creator.call("group.create", **people))["channel"]["channel_url"]
    for client in (creator, other):
        await client.call("group.hide", channel_url=url, allow_auto_unhide=False)
    found = await creator.call("group.create", **people)
    assert found["created"] is False and found["channel"]["my"]["hidden_state"] == "unhidden", found
    await second.until(lambda: second.told("group.unhidden", channel_url=url))
    my = (await view(other, url))["my"]
    assert my["hidden_state"] == "hidden_prevent_auto_unhide", my
