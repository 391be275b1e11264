"""Groups in parley.js: members hear them without entering, and miss nothing."""

import asyncio
import json

from calls import Caller
from examples import blocks, scripts_of
from groupmessages import FREE
from pages import Pages
from parleyjs import FLAGS, RUN, UNLIMITED, Gateway, Proxy, again, elsewhere, in_browser, node, publish, show

# What each client of a group was sent is collected, so that a test can look at all of it.
GROUPS = """
globalThis.watch = (group) => {
  Object.assign(group, { got: [], ids: [], updates: [], gone: [], members_: [], news: [] });
  group.on("received", (message, { own }) => {
    group.got.push([message.message, message.ordinal, own === true]);
    group.ids.push(message.message_id);
  })
    .on("updated", (message) => group.updates.push(message))
    .on("deleted", (id) => group.gone.push(id))
    .on("member", (change, { user, users }) => group.members_.push(
      [change, ...(users ?? [user]).map(({ user_id: id }) => id)]));
  group.numbers = [];
  group.on("unread", (count) => group.numbers.push(count));
  for (const name of ["lost", "recovered"]) {
    group.on(name, ({ error, ...params }) => group.news.push([name, params, error?.code ?? 0]));
  }
  group.texts = () => group.got.map(([text]) => text);
  return group;
};
/** The group that a client hears of next. */
globalThis.heard = async (client, name = "group.joined") => {
  const { channel_url: url } = await new Promise((resolve) => client.on(name, resolve));
  return watch(await client.groups.get(url));
};
globalThis.code = (promise) => promise.then(() => 0, ({ code }) => code);
"""


class GroupGateway(Gateway):
    """The small gateway with one group, whose messages and numbers a test sets."""

    def __init__(self):
        super().__init__()
        self.view = {"channel_url": "g", "operators": [], "my": {"state": "joined", "last_ordinal": 1}, "epoch": "e", "seq": 1,
                     "last_ordinal": 1, "last_message": {"message_id": 1}}
        self.listed = []

    async def _answer(self, socket, request):
        await super()._answer(socket, request)
        if request["method"] == "session.open":
            await self.send("group.ready", ts=1, token="t")

    def result(self, method, params):
        if method == "group.get":
            return {"channel": self.view}
        if method == "message.list":
            return {"messages": self.listed, "has_next": False}
        result = super().result(method, params)
        return {**result, "features": {"groups": {"max_members": 100}}} if method == "session.open" else result

    async def send(self, event, **params):
        await self.sockets[-1].send(json.dumps({"jsonrpc": "2.0", "method": event, "params": params}))

    async def say(self, number):
        await self.send("message.received", channel_url="g", seq=number, ts=1, message=said(number))

    def stand(self, number, *missed):
        """The group after this many messages; these are listed as later ones."""
        self.view |= {"seq": number, "last_ordinal": number, "last_message": {"message_id": number}}
        self.view["my"] |= {"last_ordinal": number}
        self.listed = [said(one) for one in missed]


def said(number):
    return {"message_id": number, "ordinal": number, "message": str(number), "created_at": 1, "req_id": ""}


async def start(made, server, *names, port=None):
    """Clients by these names whose groups are ready."""
    await made.run(GROUPS + f"globalThis.url = 'http://127.0.0.1:{port or server.port}';")
    for name in names:
        await made.run(f"""
          globalThis.{name} = start(url, "{name}");
          await new Promise((resolve) => {name}.on("group.ready", resolve));""")


async def trio(made):
    """A group of ada, ben and cleo as a, b and c."""
    await made.run("""
      const hearing = [heard(ben), heard(cleo)];
      globalThis.a = watch(await ada.groups.create({ user_ids: ["ben", "cleo"], name: "Trip" }));
      [globalThis.b, globalThis.c] = await Promise.all(hearing);""")


async def test_two_talk_in_a_group(ctx):
    """Members hear a group from its creation on, without entering; texts, edits, deletions and files come once."""
    server = await ctx.fresh(*FLAGS)
    async with node(ctx, server) as made:
        await start(made, server, "ada", "ben", "cleo")
        await trio(made)
        assert await made.run("return [a.info.name, a.isMember, a.info.my.role, b.info.my.role]") == [
            "Trip", True, "operator", "none"]
        await made.run("""
          globalThis.first = await a.send("hello <b>");
          await b.send({ message: "hi", custom_type: "greeting" });
          await a.call("message.update", { message_id: first.message_id, message: "hello" });
          const [file] = await c.sendFiles([new File(["notes"], "notes.txt")]);
          await c.call("message.delete", { message_id: file.message_id });
          await until(() => a.gone.length && b.gone.length && a.got.length === 3 && b.got.length === 3);""")
        assert await made.run("return [a.got, b.got, b.updates.map(({ message }) => message)]") == [
            [["hello <b>", 1, True], ["hi", 2, False], ["", 3, False]],
            [["hello <b>", 1, False], ["hi", 2, True], ["", 3, False]], ["hello"]]
        listed = "return (await b.list({ prev_limit: 5 })).messages.map(({ message }) => message)"
        assert await made.run(listed) == ["hello", "hi"]
        await made.run("""
          await a.update({ name: "Journey", data: "{}" });
          await until(() => c.info.name === "Journey");
          await a.call("channel.freeze");
          await until(() => c.info.freeze);""")
        assert await made.run("return [a.info.name, code(c.send('no'))]") == ["Journey", {}]
        assert await made.run("return code(c.send('no'))") == 900050
        assert await made.run("return c.info.my.state") == "joined"


async def test_a_preview_is_an_update(ctx):
    """The preview of a link comes to sender and members as an update, and the text stays."""
    site = await Pages.start()
    try:
        site.add("/page", "A page")
        server = await ctx.fresh(
            "--auth-mode", "open", "--unfurl-allow-addresses", "127.0.0.1/32", "--unfurl-allow-ports",
            str(site.port))
        async with node(ctx, server) as made:
            await start(made, server, "ada", "ben", "cleo")
            await trio(made)
            link = json.dumps(site.url("/page"))
            await made.run(f"await a.send({link}); await until(() => [a, b, c].every((g) => g.updates.length))")
            assert await made.run("""return [a, b, c].map(({ updates: [{ message, og_tag }] }) =>
              [message, og_tag["og:title"]])""") == [[site.url("/page"), "A page"]] * 3
    finally:
        site.close()


async def test_members_come_and_go(ctx):
    """Members hear of changes; one who is removed loses the group, with what waits to be sent."""
    server = await ctx.fresh(*FREE, *FLAGS)
    async with node(ctx, server) as made:
        await start(made, server, "ada", "ben", "cleo", "dan")
        await trio(made)
        await made.run("globalThis.hearing = heard(dan)")
        result = await made.run("return b.invite(['dan', 'ben'])")
        assert (result["joined"], result["skipped"], result["invited"]) == (["dan"], ["ben"], []), result
        await made.run("globalThis.d = await hearing; await d.send('I am here')")
        await made.until("a.texts().includes('I am here') && a.info.member_count === 4")
        assert await made.run("return (await d.members()).members.map(({ user_id: id, role }) => [id, role])") == [
            ["ada", "operator"], ["ben", "none"], ["cleo", "none"], ["dan", "none"]]
        assert await made.run("return code(b.remove(['dan']))") == 400108
        await made.run("""
          await a.remove(["dan"]);
          await until(() => d.news.length && a.members_.length === 2 && b.info.member_count === 3);""")
        assert await made.run("return [d.news, dan.groups.held.length, code(d.send('no'))]") == [
            [["lost", {"reason": "removed"}, 900020]], 0, {}]
        assert await made.run("return d.send('no').catch(({ data }) => data.reason)") == "left"
        assert await made.run("return a.members_") == [["joined", "dan"], ["left", "dan"]]
        assert await made.run("return code(dan.groups.get(a.url))") == 400201
        await made.run("await b.leave(); await until(() => b.news.length)")
        assert await made.run("return b.news") == [["lost", {"reason": "left"}, 900020]]
        # Back with another history: what was said before is not there.
        await made.run("""
          globalThis.hearing = heard(ben);
          await a.invite(["ben"]);
          globalThis.again = await hearing;
          await a.send("welcome back");
          await until(() => again.texts().length);""")
        assert await made.run("return (await again.list()).messages.map(({ message }) => message)") == [
            "welcome back"]
        await made.run("await a.call('channel.add_operators', { user_ids: ['cleo'] })")
        await made.until("c.info.my.role === 'operator'")
        await made.run("await c.delete(); await until(() => a.news.length && again.news.length)")
        assert await made.run("return [a.news, a.gone, ada.groups.held.length]") == [
            [["lost", {"reason": "deleted"}, 400201]], [], 0]


async def test_invitations(ctx):
    """A user who accepts invitations itself hears of one, sees no messages, and joins or declines."""
    server = await ctx.fresh(*FLAGS)
    async with node(ctx, server) as made:
        await start(made, server, "ada", "ben")
        await Caller(server).call("PUT", "/users/ben/channel_invitation_preference", {"auto_accept": False})
        await made.run("""
          for (const name of ["one", "two"]) {
            const hearing = heard(ben, "group.invited");
            globalThis[`${name}A`] = watch(await ada.groups.create({ user_ids: ["ben"], name }));
            globalThis[`${name}B`] = await hearing;
          }
          await oneA.send("early");""")
        assert await made.run("return [oneB.info.my.state, oneB.isMember, oneB.info.my.inviter.user_id]") == [
            "invited", False, "ada"]
        assert await made.run("return Promise.all([code(oneB.list()), code(oneB.send('no'))])") == [400108, 900020]
        await made.run("""
          await oneB.accept();
          await oneA.send("hello");
          await until(() => oneB.texts().length === 1);
          await twoB.decline();
          await until(() => twoB.news.length && twoA.members_.length && oneA.members_.length);""")
        assert await made.run("return [oneB.texts(), oneB.isMember, oneA.members_, twoA.members_, twoB.news]") == [
            ["hello"], True, [["joined", "ben"]], [["declined", "ben"]], [["lost", {"reason": "declined"}, 900020]]]


async def test_invitations_that_rise(ctx):
    """A group to which the user is invited is listed once, also when a message moves it to a page that was read."""
    server = await ctx.fresh(*FLAGS)
    async with node(ctx, server) as made:
        await start(made, server, "ada", "ben")
        await Caller(server).call("PUT", "/users/ben/channel_invitation_preference", {"auto_accept": False})
        await made.run("""
          globalThis.groups = [];
          for (const custom_type of ["b", "a", "a", "a", "a"]) {
            groups.push(await ada.groups.create({ user_ids: ["ben"], custom_type }));
          }
          for (const group of groups) await group.send("early");
          globalThis.listed = async (params) => {
            const urls = [];
            for (let token = "", page; page?.next !== ""; token = page.next) {
              page = await ben.groups.list({ limit: 2, token, ...params });
              urls.push(...page.groups.map(({ url }) => groups.findIndex((group) => group.url === url)));
              // The oldest ones rise.
              if (urls.length === 2) for (const group of groups.slice(0, 2)) await group.send("late");
            }
            return urls;
          };""")
        assert await made.run("return listed()") == [4, 3, 2, 1, 0]
        # Only those that the list is about.
        await made.run("for (const group of groups.slice(2)) await group.send('up')")
        assert await made.run("return listed({ custom_type_startswith: 'a' })") == [4, 3, 2, 1]
        assert await made.run("return ben.groups.held.length") == 5


async def test_groups_of_others(ctx):
    """A private group of others is refused like a URL that no channel has; a public one can be joined."""
    server = await ctx.fresh(*FLAGS)
    async with node(ctx, server) as made:
        await start(made, server, "ada", "ben")
        await made.run("""
          globalThis.hidden = await ada.groups.create({ name: "Hidden" });
          globalThis.open = watch(await ada.groups.create({ is_public: true, access_code: "sesame" }));""")
        words = """
          const refusal = (url) => ben.groups.get(url).then(() => 0, (error) =>
            [error.code, error.message.replace(url, ""), error.data]);
          return Promise.all([hidden.url, hidden.url.replace(/.$/, "-")].map(refusal));"""
        refused, unknown = await made.run(words)
        assert refused == unknown and refused[0] == 400201, (refused, unknown)
        assert await made.run("return code(ben.enter(hidden.url))") == 400201
        assert await made.run("return ada.enter(hidden.url).catch(({ data }) => data.reason)") == "invalid"
        await made.run("globalThis.o = watch(await ben.groups.get(open.url))")
        assert await made.run("return [o.isMember, o.info.my ?? null, await code(o.join('no'))]") == [False, None, 400111]
        await made.run("await o.join('sesame'); await open.send('hi'); await until(() => o.texts().length)")
        assert await made.run("return [o.isMember, o.texts()]") == [True, ["hi"]]
        # The same distinct group is the same object.
        assert await made.run("""
          const params = { user_ids: ["ben"], is_distinct: true };
          return await ada.groups.create(params) === await ada.groups.create(params)""")


async def test_a_group_through_a_kill(ctx):
    """After kill -9, each message that was sent before, meanwhile and after is there once, in order."""
    server = await ctx.fresh(*UNLIMITED)
    async with node(ctx, server) as made:
        await start(made, server, "ada", "ben", "cleo")
        await trio(made)
        await made.run("await a.send('one'); await until(() => b.got.length && c.got.length)")
        await server.kill(keeps_port=True)
        await made.until("[ada, ben, cleo].every(({ state }) => state === 'waiting')")
        await made.run("globalThis.waiting = [a.send('two'), a.send('three'), b.send('four')]")
        await again(ctx, server, *UNLIMITED)
        await made.run("await Promise.all(waiting); await c.send('five')")
        await made.until("[a, b, c].every(({ got }) => got.length === 5)")
        got = await made.run("return [a.got, b.got, c.got]")
        assert [ordinal for _, ordinal, _ in got[2]] == [1, 2, 3, 4, 5], got
        # What a client sends is delivered with its answer, which may come after later events.
        assert all(sorted(ordinal for _, ordinal, _ in one) == [1, 2, 3, 4, 5] for one in got), got
        texts = [text for text, _, _ in got[2]]
        assert texts[0] == "one" and texts[4] == "five" and texts.index("two") < texts.index("three"), texts
        assert sorted(text for text, _, own in got[0] if own) == ["one", "three", "two"], got[0]
        news = await made.run("return [a.news, b.news, c.news]")
        assert all([kind for kind, *_ in one] == ["recovered"] for one in news), news


async def test_what_was_missed(ctx):
    """A client that was away gets the messages, pages of them, and hears that others have changed."""
    server = await ctx.fresh(*FREE, *UNLIMITED)
    async with node(ctx, server) as made:
        await start(made, server, "ada", "ben", "cleo")
        await trio(made)
        await made.run("globalThis.first = await a.send('first'); await until(() => c.got.length)")
        away = "cleo.close(); {} await cleo.connect(); await until(() => c.news.length === {});"
        await made.run(away.format("", 1))
        assert await made.run("return c.news.at(-1)") == ["recovered", {"missed": 0, "isComplete": True}, 0]
        await made.run(away.format("for (let i = 0; i < 450; i++) await b.send(String(i));", 2))
        assert await made.run("return c.news.at(-1)") == ["recovered", {"missed": 450, "isComplete": True}, 0]
        ordinals = await made.run("return c.got.map(([, ordinal]) => ordinal)")
        assert ordinals == list(range(1, 452)), ordinals
        await made.run(away.format(
            "await a.call('message.delete', { message_id: first.message_id }); await a.send('last');", 3))
        assert await made.run("return [c.news.at(-1), c.texts().at(-1), c.gone.length]") == [
            ["recovered", {"missed": 2, "isComplete": True}, 0], "last", 1]
        # More than are delivered: the client must list.
        await made.run(away.format(
            "await Promise.all([...Array(1100)].map(() => b.send('many'))); await a.send('end');", 4))
        assert await made.run("return c.news.at(-1)[1].isComplete") is False
        await made.run("await a.send('news'); await until(() => c.texts().at(-1) === 'news')")
        assert await made.run("return [new Set(c.got.map(([, o]) => o)).size === c.got.length]") == [True]


async def test_events_while_a_group_is_read(ctx):
    """Missed messages come before the events that arrive meanwhile; one that is in both, or was sent here, comes once."""
    async with GroupGateway.start() as gateway, node(ctx) as made:
        await made.run(GROUPS + f"globalThis.ada = start('{gateway.url}', 'ada');")
        await made.run("globalThis.g = watch(await ada.groups.get('g'))")
        gateway.gates["message.list"] = gate = asyncio.Event()
        gateway.stand(3, 2, 3, 4)
        await gateway.cut()
        await gateway.until("message.list")
        await gateway.say(4)
        gate.set()
        await made.until("g.news.length === 1")
        assert await made.run("return g.texts()") == ["2", "3", "4"]
        assert await made.run("return g.news") == [["recovered", {"missed": 2, "isComplete": True}, 0]]
        # The answer to a send is ahead of an event before it, and the next list begins after that event.
        gateway.messages = 5
        await made.run("await g.send('6')")
        await gateway.say(5)
        await made.until("g.got.length === 5")
        gateway.stand(7, 6, 7)
        await gateway.cut()
        await made.until("g.news.length === 2")
        assert await made.run("return g.texts()") == ["2", "3", "4", "6", "5", "7"]


async def test_events_that_were_missed(ctx):
    """Edits, deletions and members that a client missed come as events, in order, before those that arrive meanwhile."""
    server = await ctx.fresh(*FREE, *UNLIMITED)
    async with node(ctx, server) as made:
        await start(made, server, "ada", "ben", "cleo")
        await trio(made)
        await made.run("""
          globalThis.sent = []; for (const text of ["one", "two"]) sent.push(await a.send(text));
          await until(() => c.got.length === 2);
          globalThis.order = [];
          for (const name of ["message.received", "message.updated", "message.deleted", "group.left"]) {
            c.on(name, ({ seq }) => order.push([name, seq]));
          }
          globalThis.before = c.position.seq;
          cleo.close();
          await a.call("message.update", { message_id: sent[0].message_id, message: "edited" });
          await a.call("message.delete", { message_id: sent[1].message_id });
          await a.send("three");
          await b.leave();
          await cleo.connect();
          await until(() => c.news.length);
          await a.send("four");
          await until(() => c.got.length === 4);""")
        assert await made.run("return c.news") == [["recovered", {"missed": 4, "isComplete": True}, 0]]
        order = await made.run("return order.map(([name, seq]) => [name, seq - before])")
        assert order == [["message.updated", 1], ["message.deleted", 2], ["message.received", 3], ["group.left", 4],
                         ["message.received", 5]], order
        assert await made.run("return [c.unread, c.texts()]") == [3, ["one", "two", "three", "four"]]


async def test_a_gap_while_connected(ctx):
    """Events before one that came too early are asked for, and delivered first; what the client has done itself is no gap."""
    async with GroupGateway.start() as gateway, node(ctx) as made:
        await made.run(GROUPS + f"globalThis.ada = start('{gateway.url}', 'ada');")
        await made.run("globalThis.g = watch(await ada.groups.get('g'))")
        gateway.results["group.recover"] = {"results": [{
            "channel_url": "g", "epoch": "e", "seq": 4, "recovered": True, "events": [
                {"jsonrpc": "2.0", "method": "message.received",
                 "params": {"channel_url": "g", "seq": number, "ts": 1, "message": said(number)}} for number in (2, 3, 4)]}]}
        gateway.gates["group.recover"] = gate = asyncio.Event()
        await gateway.say(4)
        await gateway.until("group.recover")
        await gateway.say(5)
        assert await made.run("return g.texts()") == []
        gate.set()
        await made.until("g.got.length === 4")
        # With several servers, what was recovered may also arrive afterwards.
        for number in (3, 5, 6):
            await gateway.say(number)
        await made.until("g.got.length === 5")
        assert await made.run("return [g.texts(), g.news]") == [["2", "3", "4", "5", "6"], []]
        gateway.results["message.update"] = {"message": said(2)}
        await made.run("await g.call('message.update', { message_id: 2, message: 'x' })")
        await gateway.say(8)
        await made.until("g.got.length === 6")
        assert gateway.count("group.recover") == 1


async def test_a_membership_that_ends_while_away(ctx):
    """A client that was away hears that it is no longer a member; one that joined again has the new history."""
    server = await ctx.fresh(*FREE, *UNLIMITED)
    async with node(ctx, server) as made:
        await start(made, server, "ada", "ben", "cleo")
        await trio(made)
        await made.run("""
          for (const text of ["one", "two"]) await a.send(text);
          await until(() => b.got.length === 2 && c.got.length === 2);
          ben.close(); cleo.close();
          await a.remove(["ben", "cleo"]);
          await a.send("three");
          await a.invite(["cleo"]);
          await a.send("four");
          await Promise.all([ben.connect(), cleo.connect()]);
          await until(() => b.news.length && c.news.length);""")
        outcome = await made.run("return [b.news, b.texts(), ben.groups.held.length]")
        assert outcome == [[["lost", {"reason": None}, 400201]], ["one", "two"], 0], outcome
        outcome = await made.run("return [c.texts(), c.news]")
        assert outcome == [
            ["one", "two", "four"], [["recovered", {"missed": 2, "isComplete": True}, 0]]], outcome
        # Deleted and made again: numbers of the first one mean nothing.
        await made.run("""
          cleo.close();
          await a.delete();
          globalThis.second = watch(await ada.groups.create({ channel_url: a.url, user_ids: ["cleo"] }));
          await second.send("anew");
          await cleo.connect();
          await until(() => c.news.length === 2);""")
        outcome = await made.run("return [c.texts().at(-1), c.news[1]]")
        assert outcome == ["anew", ["recovered", {"missed": 1, "isComplete": False}, 0]], outcome


async def test_cuts_while_all_send(ctx):
    """While members send at once, cuts of one connection neither lose nor double a message."""
    server = await ctx.fresh(*FREE, *UNLIMITED)
    proxy = await Proxy.start(server.port)
    try:
        async with node(ctx, server) as made:
            await start(made, server, "ben", "cleo")
            await start(made, server, "ada", port=proxy.port)
            await trio(made)
            await made.run("""
              globalThis.sends = [a, b, c].flatMap((group) =>
                [...Array(60)].map((_, i) => new Promise((resolve) => setTimeout(resolve, i * 20))
                  .then(() => group.send(`${group === a} ${i}`))));""")
            for count in (20, 60, 100):
                await made.until(f"a.got.length > {count}")
                proxy.cut()
            await made.run("await Promise.all(sends)")
            await made.until("[a, b, c].every(({ got }) => got.length >= 180)")
            for name in "abc":
                ordinals = sorted(await made.run(f"return {name}.got.map(([, ordinal]) => ordinal)"))
                assert ordinals == list(range(1, 181)), (name, ordinals)
            own = await made.run("return a.got.filter(([, , own]) => own).length")
            assert own == 60, own
            news = await made.run("return a.news")
            assert news and all(kind == "recovered" for kind, *_ in news), news
    finally:
        proxy.close()


# In a browser


@in_browser
async def test_the_outbox_of_a_group(ctx, page, site):
    """What waits for a group survives a reload without a connection, and goes out once its group is asked for."""
    server = await elsewhere(ctx, site, *UNLIMITED)
    await publish(site, server)
    await show(page, site)
    start_client = RUN.format("globalThis.me = start(url, 'ada', { outbox: 'persistent' });")
    await page.run(start_client)
    await page.run("me.groups.create({ channel_url: 'group' }).then((group) => { globalThis.g = group; })")
    await server.kill(keeps_port=True)
    await page.until("me.state === 'waiting'")
    await page.run("(g.send('later'), true)")
    await page.until("""new Promise((done) => {
      const opening = indexedDB.open("parley", 1);
      opening.onsuccess = () => {
        const all = opening.result.transaction("outbox").objectStore("outbox").getAll();
        all.onsuccess = () => done(all.result.length === 1);
      };
    })""")
    await show(page, site)
    await page.run(start_client)
    await page.until("me.outbox.entries.length === 1")
    await again(ctx, server, *UNLIMITED, "--auth-allowed-origins", f"http://{site.host}:{site.port}")
    await page.until("me.state === 'open'")
    assert await page.run("me.outbox.entries.length") == 1
    await page.run("me.groups.get('group').then((group) => { globalThis.g = group; })")
    await page.until("me.outbox.entries.length === 0")
    assert await page.run("g.list().then(({ messages }) => messages.map(({ message }) => message))") == ["later"]


@in_browser
async def test_the_support_desk(ctx, page, site):
    """The desk of the documentation: a ticket, a rich message that both sides change, and a preview that stays."""
    desk, = (block for block in blocks("html") if "SENDBIRD_DESK" in block.text)
    assert len(scripts_of(desk).strip().splitlines()) <= 60
    site.add("/order", "Order 5")
    server = await elsewhere(
        ctx, site, "--auth-mode", "open", "--unfurl-allow-addresses", "127.0.0.1/32",
        "--unfurl-allow-ports", str(site.port))
    text = desk.text.replace("https://chat.example", f"http://127.0.0.1:{server.port}")
    for name in ("ben", "ada"):
        site.add_html(f"/desk?name={name}", text)
    customer = await page.tab()
    await page.open(site.url("/desk?name=ben"))
    await page.until("!document.getElementById('ask').hidden")
    # The agent is known once its session is open.
    await ctx.user(server, "ben")
    await customer.open(site.url("/desk?name=ada"))
    rows = "[...document.querySelectorAll('#messages li')].map((row) => row.textContent)"
    press = "[...document.querySelectorAll('button')].find((one) => one.textContent === {!r}).click()"
    write = "(box.value = {!r}, document.forms[0].requestSubmit())"
    await page.until("document.querySelectorAll('#tickets button').length === 1")
    await page.run(press.format("Ticket of ada"))
    await customer.until("document.querySelectorAll('#tickets button').length === 1")
    await customer.run(write.format(f"Where is {site.url('/order')}"))
    for tab in (page, customer):
        await tab.until(f"{rows}[0]?.includes('Order 5')")
    await page.run(press.format("Ask to close"))
    await customer.until(f"{rows}[1]?.includes('CONFIRMED')")
    assert await page.run(f"{rows}[1]") == "ben: May I close this ticket? WAITING"
    await customer.run(press.format("CONFIRMED"))
    await page.until(f"{rows}[1] === 'ben: May I close this ticket? CONFIRMEDCLOSED'")
    await page.run(press.format("CLOSED"))
    for tab in (page, customer):
        await tab.until(f"{rows}[1] === 'ben: May I close this ticket? CLOSED'")
        assert "Order 5" in await tab.run(f"{rows}[0]")
    # A customer who returns finds the ticket.
    await customer.open(site.url("/desk?name=ada"))
    await customer.until(f"{rows}.length === 2")
    assert not customer.errors, customer.errors
