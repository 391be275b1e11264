"""What users have not read, and lists of groups, in parley.js."""

import asyncio
import copy
import json

from groupmessages import FREE
from parleygroups import GROUPS, GroupGateway, start, trio
from parleyjs import FLAGS, UNLIMITED, again, node

MINE, YOURS = ({"user_id": name} for name in ("ada", "ben"))
# Steps, and the number after each; the user is ada.
VECTORS = {
    "messages of others count, also those of nobody": [
        ("set", [0, 5], 5, 0), ("received", 6, YOURS, 1), ("received", 7, None, 2)],
    "what comes twice counts once": [
        ("set", [0, 5], 5, 0), ("received", 6, YOURS, 1), ("received", 6, YOURS, 1), ("received", 5, YOURS, 1)],
    "silent messages do not count": [("set", [2, 3], 5, 2), ("received", 0, YOURS, 2)],
    "an own message does not count, and reads what came before": [
        ("set", [2, 3], 5, 2), ("received", 6, YOURS, 3), ("received", 7, MINE, 0), ("received", 8, YOURS, 1)],
    "the answer to a send comes after a later message": [
        ("set", [2, 3], 5, 2), ("received", 7, YOURS, 3), ("received", 6, MINE, 1)],
    "an own message that an answer has changes nothing": [
        ("set", [2, 3], 5, 2), ("received", 4, MINE, 2)],
    "deleted messages of others that are unread are taken off": [
        ("set", [2, 3], 5, 2), ("deleted", 4, "ben", 1), ("deleted", 3, "ben", 1), ("deleted", 5, None, 0)],
    "deleted own messages were not counted": [("set", [2, 3], 6, 2), ("deleted", 5, "ada", 2)],
    "messages before the position were not counted": [
        ("set", [0, 9], 9, 0), ("received", 10, YOURS, 1), ("deleted", 4, "ben", 1), ("deleted", 10, "ben", 0)],
    "the table of the documentation": [
        ("set", [2, 8], 10, 2), ("received", 11, YOURS, 3), ("received", 11, YOURS, 3), ("deleted", 9, "ben", 2),
        ("deleted", 7, "ben", 2), ("received", 0, YOURS, 2), ("set", [0, 8], 10, 2), ("set", [1, 10], 11, 1),
        ("received", 12, MINE, 0), ("received", 13, None, 1), ("deleted", 13, None, 0)],
    "an event replaces the number": [
        ("set", [2, 3], 5, 2), ("received", 6, YOURS, 3), ("set", [1, 5], 6, 1), ("received", 6, YOURS, 1)],
    "an event has messages that an answer lacks": [
        ("set", [2, 3], 5, 2), ("set", [1, 6], 7, 1), ("received", 7, YOURS, 1), ("received", 8, YOURS, 2)],
    "an event that is older than an answer changes nothing": [
        ("set", [1, 6], 7, 1), ("set", [0, 5], 5, 1), ("received", 8, YOURS, 2)],
    "marked as unread on another connection": [
        ("set", [0, 5], 5, 0), ("set", [3, 2], 5, 3), ("deleted", 3, "ben", 2)],
    "an answer that is too old changes nothing": [
        ("set", [0, 5], 5, 0), ("received", 6, YOURS, 1), ("set", [0, 5], 5, 1), ("set", [1, 5], 6, 1)],
    "the number stays 0 for a user who does not want it": [
        ("set", [0, 5, "off"], 5, 0), ("received", 6, YOURS, 0), ("set", [0, 5, "unread_mention_count_only"], 6, 0),
        ("received", 7, YOURS, 0), ("set", [2, 5, "all"], 7, 2), ("received", 8, YOURS, 3)],
}


def step(kind, first, second, _):
    """A call of the counter."""
    if kind == "set":
        my = dict(zip(("unread_message_count", "read_ordinal", "count_preference"), [*first, "all"]))
        return [kind, {**my, "last_ordinal": second}]
    return [kind, {"ordinal": first, "user": second} if kind == "received" else {"ordinal": first, "sender_id": second}]


# The table of the documentation: a call of the counter, and the unread messages and mentions after it.
ADA = {"mention_type": "users", "mentioned_users": [{"user_id": "ada"}], "mentioned_user_ids": ["ada"]}
ALL = {"mention_type": "channel"}


def own(last, read, unread, mentions):
    return {
        "last_ordinal": last, "read_ordinal": read, "unread_message_count": unread, "unread_mention_count": mentions,
        "count_preference": "all"}


def changed(ordinal, mentions, former):
    return {"message": {"ordinal": ordinal, "user": YOURS, **mentions}, "former_mentions": former}


MENTIONS = [
    ("set", own(10, 8, 2, 1), 2, 1), ("received", {"ordinal": 11, "user": YOURS, **ADA}, 3, 2),
    ("received", {"ordinal": 11, "user": YOURS, **ADA}, 3, 2), ("updated", changed(11, {}, ADA), 3, 1),
    ("updated", changed(10, ALL, {}), 3, 2), ("updated", changed(7, ALL, {}), 3, 2),
    ("deleted", {"ordinal": 9, "sender_id": "ben", **ADA}, 2, 1),
    ("deleted", {"ordinal": 7, "sender_id": "ben", **ADA}, 2, 1), ("received", {"ordinal": 0, "user": YOURS, **ADA}, 2, 1),
    ("set", own(10, 8, 2, 2), 2, 1), ("set", own(11, 10, 1, 0), 1, 0), ("received", {"ordinal": 12, "user": MINE}, 0, 0),
    ("received", {"ordinal": 13, "user": None, **ALL}, 1, 1), ("deleted", {"ordinal": 13, **ALL}, 0, 0),
    # The answer to a send comes after a later message, and one preference leaves out the number.
    ("received", {"ordinal": 15, "user": YOURS, **ADA}, 1, 1), ("received", {"ordinal": 14, "user": MINE}, 1, 1),
    ("set", {**own(15, 14, 1, 0), "count_preference": "unread_message_count_only"}, 1, 0),
    ("received", {"ordinal": 16, "user": YOURS, **ALL}, 2, 0),
    ("set", {**own(16, 14, 0, 2), "count_preference": "unread_mention_count_only"}, 0, 2),
    ("received", {"ordinal": 17, "user": YOURS, **ALL}, 0, 3)]


async def counted(made, calls):
    """The numbers of messages and mentions after each call of a counter."""
    return await made.run(f"""
      const counter = new UnreadCount("ada");
      return {json.dumps(calls)}.map(([kind, ...values]) => {{
        counter[kind](...values);
        return [counter.value, counter.mentions];
      }});""")


async def test_the_vectors_of_mentions(ctx):
    """The counter gives the documented numbers of messages and mentions."""
    async with node(ctx) as made:
        numbers = await counted(made, [one[:2] for one in MENTIONS])
        assert numbers == [list(one[2:]) for one in MENTIONS], numbers


async def test_mentions(ctx):
    """Each connection knows how many unread messages mention its user, also after edits and deletions."""
    server = await ctx.fresh(*FREE, *FLAGS)
    async with node(ctx, server) as made:
        await start(made, server, "ada", "ben", "cleo")
        await trio(made)
        await made.run("""
          globalThis.one = await a.send({ message: "one", mentioned_user_ids: ["ben"] });
          await a.send({ message: "all", mention_type: "channel" });
          await until(() => b.unreadMentions === 2 && c.unreadMentions === 1 && a.unreadMentions === 0);
          const { message_id } = one;
          await a.call("message.update", { message_id, mentioned_user_ids: ["cleo"] });
          await until(() => b.unreadMentions === 1 && c.unreadMentions === 2);
          await a.call("message.update", { message_id, mention_type: "channel" });
          await until(() => b.unreadMentions === 2 && c.unreadMentions === 2);
          await a.call("message.delete", { message_id });
          await until(() => b.unreadMentions === 1 && c.unreadMentions === 1);""")
        assert await made.run("return [b.unread, c.unread, (await ben.groups.unread()).unread_mention_count]") == [1, 1, 1]
        await made.run("""
          await ben.block("ada");
          await a.send({ message: "unheard", mentioned_user_ids: ["ben", "cleo"] });
          await until(() => c.unreadMentions === 2 && b.unread === 2 && b.unreadMentions === 0);""")


async def test_the_vectors_of_counting(ctx):
    """The counter gives the documented numbers, step by step."""
    async with node(ctx) as made:
        for name, steps in VECTORS.items():
            numbers = [messages for messages, _ in await counted(made, [step(*one) for one in steps])]
            assert numbers == [number for *_, number in steps], (name, numbers)


async def test_unread_messages(ctx):
    """Each connection knows what its user has not read, and what another connection of the user marks."""
    server = await ctx.fresh(*FREE, *FLAGS)
    async with node(ctx, server) as made:
        await start(made, server, "ada", "ben", "cleo")
        await trio(made)
        await made.run("""
          globalThis.phone = start(url, "ben");
          await new Promise((resolve) => phone.on("group.ready", resolve));
          globalThis.p = watch(await phone.groups.get(b.url));
          globalThis.sent = [];
          for (const text of ["one", "two", "three"]) sent.push(await a.send(text));
          await until(() => [b, p].every(({ unread }) => unread === 3));""")
        assert await made.run("return [b.numbers, a.unread, a.numbers, b.info.my.unread_message_count]") == [
            [1, 2, 3], 0, [], 0]
        # The message that was shown is named: the others stay unread.
        await made.run("await b.markRead(sent[1]); await until(() => p.unread === 1)")
        assert await made.run("return [b.unread, p.info.my.read_ordinal]") == [1, 2]
        await made.run("await p.markRead(); await until(() => b.unread === 0)")
        await made.run("await p.markUnread(sent[0]); await until(() => b.unread === 3)")
        await made.run("await a.call('message.delete', { message_id: sent[1].message_id })")
        await made.until("b.unread === 2 && p.unread === 2 && c.unread === 2")
        # Who answers has read.
        await made.run("await b.send('four'); await until(() => p.unread === 0 && a.unread === 1)")
        assert await made.run("return [b.unread, (await ben.groups.unread()).unread_message_count]") == [0, 0]
        assert await made.run("return [c.unread, await cleo.groups.unread()]") == [
            3, {
                "unread_message_count": 3, "unread_mention_count": 0, "unread_channel_count": 1, "invitation_count": 0}]
        # An operator deletes what it has not read itself.
        await made.run("""
          await a.call("message.delete", { message_id: (await b.send("five")).message_id });
          await until(() => c.unread === 3 && a.unread === 1);""")
        await made.run("await c.resetHistory()")
        assert await made.run("return [c.unread, (await c.list()).messages.length]") == [0, 0]
        await made.run("await c.call('group.set_preference', { count_preference: 'off' }); await a.send('six')")
        await made.until("c.texts().includes('six')")
        assert await made.run("return c.unread") == 0
        await made.run("await c.call('group.set_preference', { count_preference: 'all' })")
        assert await made.run("return c.unread") == 1


async def test_blocked_users(ctx):
    """A blocked user's messages in a group of two are not counted, and the user is listed as blocked."""
    server = await ctx.fresh(*FREE, *FLAGS)
    async with node(ctx, server) as made:
        await start(made, server, "ada", "ben")
        await made.run("""
          globalThis.b = watch(await ben.groups.create({ user_ids: ["ada"] }));
          globalThis.a = watch(await ada.groups.get(b.url));
          await ada.block("ben");
          await b.send("one");
          await until(() => a.texts().includes("one") && a.unread === 0);""")
        listed = await made.run("return [(await ada.blocked()).users.map(({ user_id: id }) => id), await ben.blocked()]")
        assert listed == [["ben"], {"users": [], "next": ""}], listed
        assert await made.run("return [b.unread, await code(ada.block('ghost'))]") == [0, 400201]
        await made.run("await ada.unblock('ben'); await b.send('two'); await until(() => a.unread === 1)")
        assert await made.run("return (await ada.blocked()).users") == []


async def test_the_list_of_groups(ctx):
    """The groups of a user are listed by pages, and held from then on; hidden ones come back with a message."""
    server = await ctx.fresh(*FREE, *FLAGS)
    async with node(ctx, server) as made:
        await start(made, server, "ada", "ben")
        await made.run("""
          globalThis.made = [];
          for (const name of ["one", "two", "three"]) {
            made.push(watch(await ada.groups.create({ name, user_ids: ["ben"] })));
            await made.at(-1).send(`hello from ${name}`);
          }
          globalThis.first = await ben.groups.list({ limit: 2 });
          globalThis.second = await ben.groups.list({ limit: 2, token: first.next });
          globalThis.listed = [...first.groups, ...second.groups].map(watch);""")
        pages = await made.run("return [listed.map(({ info, unread }) => [info.name, unread]), second.next]")
        assert pages == [
            [["three", 1], ["two", 1], ["one", 1]], ""], pages
        assert await made.run("return ben.groups.held.length") == 3
        await made.run("await made[0].send('news'); await until(() => listed[2].unread === 2)")
        await made.run("""
          globalThis.other = start(url, "ben");
          const { groups } = await other.groups.list();
          globalThis.shown = groups.find(({ info }) => info.name === "one");
          shown.news = [];
          for (const name of ["hidden", "unhidden"]) shown.on(name, ({ my }) => shown.news.push(my.hidden_state));
          await listed[2].hide();
          await until(() => shown.news.length);""")
        assert await made.run("return [listed[2].info.my.hidden_state, (await ben.groups.list()).groups.length]") == [
            "hidden_allow_auto_unhide", 2]
        await made.run("await made[0].send('back'); await until(() => shown.news.length === 2)")
        news = await made.run("return [shown.news, shown.unread, listed[2].unread]")
        assert news == [
            ["hidden_allow_auto_unhide", "unhidden"], 3, 3], news
        await made.run("await listed[2].hide({ allow_auto_unhide: false }); await made[0].send('again')")
        await made.until("shown.unread === 4")
        assert await made.run("return listed[2].info.my.hidden_state") == "hidden_prevent_auto_unhide"
        await made.run("await shown.unhide(); await until(() => listed[2].info.my.hidden_state === 'unhidden')")


async def test_unread_after_being_away(ctx):
    """What was sent, deleted and read while a client was away is in its number."""
    server = await ctx.fresh(*FREE, *UNLIMITED)
    async with node(ctx, server) as made:
        await start(made, server, "ada", "ben", "cleo")
        await trio(made)
        await made.run("""
          for (let i = 0; i < 5; i++) globalThis.last = await a.send(String(i));
          await until(() => b.unread === 5 && c.unread === 5);
          ben.close(); cleo.close();
          await a.call("message.delete", { message_id: last.message_id });
          for (let i = 0; i < 3; i++) await a.send(String(i));
          await cleo.connect(); await until(() => c.news.length);
          await c.markRead();
          await a.send("end");
          await ben.connect(); await until(() => b.news.length);""")
        assert await made.run("return [b.unread, c.unread, b.got.length]") == [8, 1, 9]
        await server.kill(keeps_port=True)
        await made.until("[ada, ben, cleo].every(({ state }) => state === 'waiting')")
        await made.run("globalThis.waiting = b.send('back')")
        await again(ctx, server, *FREE, *UNLIMITED)
        await made.run("await waiting; await until(() => a.unread === 1 && c.unread === 2)")
        assert await made.run("return b.unread") == 0


async def test_totals(ctx):
    """The numbers over all groups come as an event, also over a reconnection."""
    server = await ctx.fresh(*FREE, *UNLIMITED, "--groups-totals-ms", "100")
    async with node(ctx, server) as made:
        await start(made, server, "ada", "ben", "cleo")
        await trio(made)
        await made.run("""
          globalThis.totals = [];
          ben.on("group.totals", ({ unread_message_count: count }) => totals.push(count));
          await ben.groups.watchTotals();
          await until(() => totals.length === 1);
          await a.send("one"); await a.send("two");
          await until(() => totals.at(-1) === 2);
          await b.markRead();
          await until(() => totals.at(-1) === 0);
          ben.close();
          await a.send("three");
          await ben.connect();
          await until(() => totals.at(-1) === 1);
          await ben.groups.watchTotals(false);""")


async def test_marks_while_all_send(ctx):
    """Numbers are those of the server after many messages, deletions and marks at once."""
    server = await ctx.fresh(*FREE, *UNLIMITED)
    async with node(ctx, server) as made:
        await start(made, server, "ada", "ben", "cleo")
        await trio(made)
        await made.run("""
          globalThis.phone = start(url, "ben");
          await new Promise((resolve) => phone.on("group.ready", resolve));
          globalThis.p = watch(await phone.groups.get(b.url));
          const rounds = async (action) => { for (let i = 0; i < 60; i++) await action(i); };
          await Promise.all([
            rounds(() => a.send("a")), rounds(() => c.send("c")),
            rounds((i) => i % 7 || b.send("b")),
            rounds((i) => b.got.length && b.call("group.mark_read", { message_id: b.ids.at(-1 - i % 3) ?? b.ids[0] })),
            rounds((i) => i % 9 || p.ids.length && p.markUnread({ message_id: p.ids.at(-5) ?? p.ids[0] })),
            rounds(async () => {
              const { message_id } = await a.send("gone");
              await a.call("message.delete", { message_id });
            })]);
          await until(() => [a, b, c, p].every(({ ids }) => ids.length >= 189));""")
        for name, client in (("a", "ada"), ("b", "ben"), ("c", "cleo"), ("p", "phone")):
            told = await made.run(f"""
              const {{ channel }} = await {client}.call("group.get", {{ channel_url: a.url }});
              return [{name}.unread, channel.my.unread_message_count];""")
            assert told[0] == told[1], (name, told)


async def test_a_list_that_is_older_than_events(ctx):
    """A group of which events came while it was listed is read again, and counts from there."""
    async with GroupGateway.start() as gateway, node(ctx) as made:
        gateway.view["my"] |= {"unread_message_count": 1, "read_ordinal": 0}
        gateway.results["group.list"] = {"channels": [copy.deepcopy(gateway.view)], "next": ""}
        gateway.gates["group.list"] = gate = asyncio.Event()
        await made.run(GROUPS + f"""
          globalThis.ada = start('{gateway.url}', 'ada');
          globalThis.listing = ada.groups.list().then(({{ groups }}) => groups.map(watch));""")
        await gateway.until("group.list")
        await gateway.say(2)
        gateway.stand(2)
        gateway.view["my"]["unread_message_count"] = 2
        gate.set()
        assert await made.run("[globalThis.g] = await listing; return g.unread") == 2
        await gateway.say(3)
        await made.until("g.unread === 3")
        assert await made.run("return ada.groups.list().then(({ groups }) => groups[0] === g && g.unread)") == 3
        assert gateway.count("group.get") == 1


async def test_marks_while_a_group_is_read(ctx):
    """Answers and events about marks keep their place among the messages that arrive while a group is read again."""
    async with GroupGateway.start() as gateway, node(ctx) as made:
        gateway.view["my"] |= {"unread_message_count": 1, "read_ordinal": 0}
        await made.run(GROUPS + f"globalThis.ada = start('{gateway.url}', 'ada');")
        await made.run("globalThis.g = watch(await ada.groups.get('g'))")
        gateway.gates["group.get"] = reading = asyncio.Event()
        gateway.gates["message.list"] = listing = asyncio.Event()
        await gateway.cut()
        await gateway.until("group.get", 2)
        # The answer has what came before it.
        my = {"state": "joined", "last_ordinal": 1, "unread_message_count": 0, "read_ordinal": 1}
        await gateway.send("group.unread", channel_url="g", ts=1, my=my)
        await gateway.say(2)
        gateway.stand(2, 2)
        gateway.view["my"] |= {"unread_message_count": 1, "read_ordinal": 1}
        reading.set()
        await gateway.until("message.list")
        await made.until("g.unread === 1 && g.info.my.read_ordinal === 1")
        # What comes after it is applied after the messages.
        await gateway.say(3)
        gateway.results["group.mark_read"] = {"my": my | {"last_ordinal": 3, "read_ordinal": 3}}
        await made.run("await g.call('group.mark_read', { message_id: 3 })")
        await gateway.say(4)
        listing.set()
        await made.until("g.texts().length === 3")
        assert await made.run("return [g.texts(), g.unread]") == [["2", "3", "4"], 1]
