"""Typing, read and delivery receipts of groups in parley.js."""

from groupmessages import FREE
from parleygroups import start, trio
from parleyjs import FLAGS, Proxy, node

WATCH = """
for (const group of [a, b, c]) {
  Object.assign(group, { typed: [], moves: [] });
  group.on("typing", (ids, hasMore) => group.typed.push([ids, hasMore]))
    .on("read", (reads) => group.moves.push(...reads));
}"""


async def test_typing(ctx):
    """The others learn who types, and that it has ended; many calls are one, and an end without a beginning is none."""
    server = await ctx.fresh(*FREE, *FLAGS)
    async with node(ctx, server) as made:
        await start(made, server, "ada", "ben", "cleo")
        await trio(made)
        await made.run(WATCH)
        await made.run("""
          a.typing(false);
          for (let key = 0; key < 100; key++) b.typing();
          await until(() => a.typed.length && c.typed.length);""")
        assert await made.run("return [a.typed, c.typed, b.typed, a.typingUsers]") == [
            [[["ben"], False]], [[["ben"], False]], [], ["ben"]]
        # A message ends it, and the next key begins it again at once.
        await made.run("await b.send('said'); await until(() => a.typingUsers.length === 0)")
        await made.run("b.typing(); await until(() => a.typingUsers.length === 1)")
        await made.run("b.typing(false); await until(() => a.typingUsers.length === 0)")
        assert await made.run("return [a.typed.length, b.typed.length]") == [4, 0]


async def test_typing_ends_with_the_connection(ctx):
    """After a reconnection no typing members are shown, and the client begins again."""
    server = await ctx.fresh(*FREE, *FLAGS)
    proxy = await Proxy.start(server.port)
    try:
        async with node(ctx, server) as made:
            await start(made, server, "ada", "cleo")
            await made.run(f"""
              const url = "http://127.0.0.1:{proxy.port}";
              globalThis.ben = start(url, "ben");
              await new Promise((resolve) => ben.on("group.ready", resolve));""")
            await trio(made)
            await made.run(WATCH)
            await made.run("a.typing(); b.typing(); await until(() => b.typingUsers.length && a.typingUsers.length)")
            proxy.cut()
            await made.until("b.news.length === 1 && b.typingUsers.length === 0")
            assert await made.run("return b.typed.at(-1)") == [[], False]
            await made.until("a.typingUsers.length === 0")
            await made.run("b.typing(); await until(() => a.typingUsers.length === 1)")
    finally:
        proxy.close()


async def test_receipts(ctx):
    """Reads are heard by all, and the receipts are those of the server."""
    server = await ctx.fresh(*FREE, *FLAGS)
    async with node(ctx, server) as made:
        await start(made, server, "ada", "ben", "cleo")
        await trio(made)
        await made.run(WATCH)
        await made.run("""
          globalThis.sent = [await a.send("one"), await a.send("two")];
          await until(() => [b, c].every(({ got }) => got.length === 2));
          await b.markRead(sent[0]);
          await c.markRead(sent[1]);
          await until(() => [a, b, c].every(({ moves }) => moves.length === 2));""")
        expected = await made.run("""return [["ben", sent[0]], ["cleo", sent[1]]].map(
          ([user_id, { created_at: read_at, message_id }]) => ({ user_id, read_at, message_id }))""")
        assert await made.run("return a.moves") == expected
        times = {one["user_id"]: one["read_at"] for one in expected}
        assert await made.run("return a.receipts()") == {
            "read": {**times, "ada": await made.run("return sent[1].created_at")}, "delivered": {}}
        shown = await made.run("return (await a.members()).members.map(({ user_id, read_at }) => [user_id, read_at])")
        assert dict(shown)["ben"] == times["ben"], shown


async def test_preferences(ctx):
    """The choices of a user: invitations, and receipts where the server permits it."""
    server = await ctx.fresh(*FREE, *FLAGS, "--groups-private-reads", "true")
    async with node(ctx, server) as made:
        await start(made, server, "ada", "ben")
        both = {"auto_accept_invitations": True, "send_read_receipts": True}
        assert await made.run("return await ada.preferences()") == both
        assert await made.run("return await ada.prefer({ send_read_receipts: false })") == {
            **both, "send_read_receipts": False}
        assert await made.run("return await ben.preferences()") == both
        await made.run("await ada.prefer({ auto_accept_invitations: false, send_read_receipts: true })")
        assert await made.run("""
          const group = await ben.groups.create({ user_ids: ["ada"] });
          return group.info.joined_member_count""") == 1


DELIVERIES = """
for (const group of [a, b, c]) {
  group.arrived = [];
  group.on("delivered", (reads) => group.arrived.push(...reads));
}"""


async def test_deliveries(ctx):
    """A client marks what it receives by itself, in one call a second, and hears what others have received."""
    server = await ctx.fresh(*FREE, *FLAGS, "--groups-delivery-receipts", "true")
    async with node(ctx, server) as made:
        await start(made, server, "ada", "ben", "cleo")
        await trio(made)
        await made.run(DELIVERIES)
        await made.run("""
          globalThis.sent = [];
          for (let n = 0; n < 20; n++) sent.push(await a.send(`${n}`));
          const last = sent.at(-1).created_at;
          const times = async () => (await a.receipts()).delivered;
          await until(() => ["ben", "cleo"].every((id) =>
            a.arrived.some(({ user_id, read_at }) => user_id === id && read_at === last)));
          globalThis.delivered = await times();""")
        last = await made.run("return sent.at(-1).created_at")
        assert await made.run("return delivered") == {"ada": last, "ben": last, "cleo": last}
        # The sender has nothing to mark.
        assert not await made.run("return a.arrived.filter(({ user_id }) => user_id === 'ada').length")
        shown = await made.run("return (await a.members()).members.map(({ delivered_at }) => delivered_at)")
        assert shown == [last] * 3, shown
        await made.run("await b.markDelivered(sent[0])")
        assert await made.run("return (await a.receipts()).delivered.ben") == last


async def test_without_deliveries_nothing_is_marked(ctx):
    """Where the server has no delivery receipts the client makes no such calls, and one by hand is refused."""
    server = await ctx.fresh(*FREE, *FLAGS)
    async with node(ctx, server) as made:
        await start(made, server, "ada", "ben", "cleo")
        await trio(made)
        await made.run("""
          globalThis.sent = await a.send("one");
          await until(() => b.got.length === 1);
          globalThis.code = await b.markDelivered(sent).catch((error) => error.code);""")
        assert await made.run("return code") == 400920
