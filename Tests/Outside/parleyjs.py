"""parley.js, the client for browsers and Node: as served, in Node, and in a real browser."""

import asyncio
import base64
import contextlib
import gzip
import hashlib
import json
import logging
import os
import shutil
import signal
import time

import browser
from files import download
from harness import PATIENCE, Skipped, eventually, http, scaled
from node import Node
from pages import Pages
from schemas import source
from tokens import SECRET, token
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Examples")
FLAGS = ["--unfurl-mode", "off", "--auth-mode", "open"]
# The modules that are served under a name with their hash too.
LASTING = ("parley", "parley-store", "parley-streams", "parley-views")
UNLIMITED = [*FLAGS, "--limits-flood-messages", "0", "--limits-throttle-messages", "0"]

# What a client was sent is collected, so that a test can look at all of it.
CLIENTS = """
globalThis.start = (url, userId, options = {}) => {
  const client = new Parley(url, { userId, ...options });
  client.states = [];
  client.on("state", ({ state, error }) => client.states.push(error ? `${state} ${error.code}` : state));
  return client;
};
globalThis.join = async (client, url, options = { create: true }) => {
  const channel = await client.enter(url, options);
  channel.got = []; channel.updates = []; channel.news = [];
  channel.on("received", (message, { seq }) => channel.got.push([message.message, seq]));
  channel.on("updated", (message) => channel.updates.push(message.message));
  for (const name of ["lost", "recovered", "left", "throttled"]) {
    channel.on(name, (params) => channel.news.push([name, params.error?.code ?? params]));
  }
  channel.texts = () => channel.got.map(([text]) => text);
  return channel;
};
"""


@contextlib.asynccontextmanager
async def node(ctx, server=None, *others):
    """A Node with the module as a server serves it, and further modules of the tree."""
    server = server or await ctx.server(*FLAGS)
    _, _, module = await server.get("/parley.js")
    async with Node(ctx.directory(), module, {name: source(name) for name in others}) as made:
        await made.run(CLIENTS)
        yield made


async def pair(made, server, channel="lobby", **options):
    """The clients ada and bob, whose channels are a and b."""
    shown = json.dumps(options)
    await made.run(f"""
      globalThis.url = "http://127.0.0.1:{server.port}";
      globalThis.ada = start(url, "ada", {shown}); globalThis.bob = start(url, "bob", {shown});
      globalThis.a = await join(ada, {json.dumps(channel)});
      globalThis.b = await join(bob, {json.dumps(channel)});""")


async def again(ctx, server, *flags):
    """Another server in the place of one that is gone."""
    made = await ctx.fresh(*flags, "--listen", f"127.0.0.1:{server.port}", data=server.data)
    # It listens on a port of its own choice as well.
    made.port = server.port
    return made


class Proxy:
    """Passes connections on until it is told to break them."""

    def __init__(self, port):
        self.target = port
        self.breaks_after = None
        self.writers = set()

    @classmethod
    async def start(cls, port):
        proxy = cls(port)
        proxy.server = await asyncio.start_server(proxy._serve, "127.0.0.1", 0)
        proxy.port = proxy.server.sockets[0].getsockname()[1]
        return proxy

    async def _serve(self, reader, writer):
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except ConnectionError:
            return writer.transport.abort()
        self.writers |= {writer, far_writer}
        await asyncio.gather(
            self._pass(reader, far_writer, True), self._pass(far_reader, writer, False))
        self.writers -= {writer, far_writer}

    async def _pass(self, reader, writer, counts):
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65536):
                if counts and self.breaks_after is not None:
                    self.breaks_after -= len(data)
                    if self.breaks_after < 0:
                        self.breaks_after = None
                        return self.cut()
                writer.write(data)
                await writer.drain()
        writer.close()

    def cut(self):
        for writer in self.writers:
            writer.transport.abort()

    def close(self):
        self.server.close()
        self.cut()


class Gateway:
    """A small gateway whose answers a test holds back or leaves out.

    For what a real one does at a moment that a test cannot choose.
    """

    def __init__(self):
        self.asked = []
        self.sockets = []
        self.silent = set()
        self.gates = {}
        # Results in the place of its own.
        self.results = {}
        self.answering = set()
        self.messages = 0

    @classmethod
    @contextlib.asynccontextmanager
    async def start(cls):
        made = cls()
        # Requests of uploads are refused, which is no news.
        logger = logging.Logger("gateway", logging.CRITICAL)
        async with serve(
                made._serve, "127.0.0.1", 0, subprotocols=["parley.v1"], logger=logger) as server:
            made.port = server.sockets[0].getsockname()[1]
            made.url = f"http://127.0.0.1:{made.port}"
            yield made

    async def _serve(self, socket):
        self.sockets.append(socket)
        with contextlib.suppress(ConnectionClosed):
            async for text in socket:
                request = json.loads(text)
                self.asked.append((request["method"], request.get("params", {})))
                task = asyncio.create_task(self._answer(socket, request))
                self.answering.add(task)
                task.add_done_callback(self.answering.discard)

    async def _answer(self, socket, request):
        method = request["method"]
        if method in self.silent:
            return
        if gate := self.gates.get(method):
            await gate.wait()
        result = self.results.get(method) if method in self.results else self.result(
            method, request.get("params", {}))
        with contextlib.suppress(ConnectionClosed):
            await socket.send(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}))

    def result(self, method, params):
        if method == "session.open":
            return {"user": {"user_id": params["user_id"]}, "ping_interval_ms": 25000, "limits": {}}
        if method == "channel.enter":
            return {"channel": {"channel_url": params["channel_url"]}, "participant_count": 1,
                    "epoch": "e", "seq": self.messages, "events": [], "recovered": True}
        if method == "message.send":
            self.messages += 1
            return {"seq": self.messages, "message": {
                "message_id": self.messages, "message": params.get("message", ""), "created_at": 1,
                "req_id": params.get("req_id", "")}}
        if method == "file.create":
            return {"file": {"file_id": "f"}, "upload_url": f"{self.url}/v1/uploads/secret"}
        return {}

    def count(self, method):
        return [name for name, _ in self.asked].count(method)

    async def until(self, method, times=1):
        """Waits until a method was called this often."""
        async def is_asked():
            return self.count(method) >= times
        await eventually(is_asked, f"{times} calls of {method}")

    async def cut(self, code=1012, reason=""):
        """Closes the newest connection."""
        await self.sockets[-1].close(code, reason)


async def test_the_module_is_served(ctx):
    """Module and types are served as they are in the tree, for pages of any origin."""
    server = await ctx.server(*FLAGS)
    module = source("parley.js")
    brief, forever = "public, max-age=300", "public, max-age=31536000, immutable"
    served = []
    for name in ("parley", "parley-store", "parley-streams", "parley-views", "parley-react", "parley-vue", "parley-mock"):
        served += [(f"/{name}.js", source(f"{name}.js"), "text/javascript", brief),
                   (f"/{name}.d.ts", source(f"{name}.d.ts"), "application/typescript", brief)]
    for name in LASTING:
        served.append((lasting_name(name, source(f"{name}.js")), source(f"{name}.js"), "text/javascript", forever))
    for path, content, kind, caching in served:
        status, fields, body = await server.get(path, Origin="https://elsewhere.example")
        assert (status, body) == (200, content), path
        assert fields["content-type"] == f"{kind}; charset=utf-8", fields
        assert fields["cache-control"] == caching, fields
        assert fields["access-control-allow-origin"] == "*", fields
        assert fields["x-content-type-options"] == "nosniff", fields
        status, head, body = await http(server.port, "HEAD", path)
        assert (status, body, head["content-length"]) == (200, b"", str(len(content)))
        status, again_fields, body = await server.get(path, **{"If-None-Match": fields["etag"]})
        assert (status, body, again_fields["etag"]) == (304, b"", fields["etag"])
        status, fields, body = await server.get(path, **{"Accept-Encoding": "gzip, br"})
        assert (status, fields["content-encoding"]) == (200, "gzip"), fields
        assert gzip.decompress(body) == content and "accept-encoding" in fields["vary"].lower()
        assert fields["etag"] != head["etag"]
    for path in ("/parley-0123456789abcdef.js", "/parley-other.js", "/other.js", "/x.d.ts", "/parley-react.js/x"):
        assert (await server.get(path))[0] == 404, path
    assert len(gzip.compress(module, 9)) <= 25 * 1024


def lasting_name(name, content):
    return f"/{name}-{hashlib.sha256(content).hexdigest()[:16]}.js"


async def test_names_with_a_hash_survive_an_upgrade(ctx):
    """A version that ran on this data is served under its name by the next one, unless its file is damaged."""
    server = await ctx.fresh(*FLAGS)
    folder = os.path.join(server.data, "modules")
    assert sorted(os.listdir(folder)) == sorted(
        lasting_name(name, source(f"{name}.js")).removeprefix("/") for name in LASTING)
    await server.kill(keeps_port=True)
    former = b"export const Parley = 1;"
    path = lasting_name("parley", former)
    damaged = lasting_name("parley-store", b"whole")
    for name, content in ((path, former), (damaged, b"half")):
        with open(folder + name, "wb") as file:
            file.write(content)
    server = await again(ctx, server, *FLAGS)
    status, fields, body = await server.get(path, Origin="https://elsewhere.example")
    assert (status, body) == (200, former), (status, body)
    assert fields["cache-control"] == "public, max-age=31536000, immutable", fields
    assert fields["access-control-allow-origin"] == "*", fields
    assert (await server.get(damaged))[0] == 404
    assert (await server.get(lasting_name("parley", source("parley.js"))))[0] == 200


async def test_the_types_are_strict(ctx):
    """TypeScript takes the types, and finds what they do not allow."""
    if shutil.which("tsc") is None:
        raise Skipped("tsc is not installed")
    directory = ctx.directory()
    for name in ("parley.d.ts", "parley-store.d.ts"):
        with open(os.path.join(directory, name), "wb") as file:
            file.write(source(name))
    with open(os.path.join(directory, "use.ts"), "w", encoding="utf-8") as file:
        file.write(TYPED)
    status, output, errors = await ctx.run(
        shutil.which("tsc"), "--strict", "--noEmit", "--target", "es2022", "--lib", "es2022,dom",
        "--module", "es2022", "--moduleResolution", "node", os.path.join(directory, "use.ts"))
    assert status == 0, output.decode() + errors.decode()


TYPED = """
import { MessageStore, storeOf } from "./parley-store";
import { Parley, ParleyError, messageTypes, type Message, type Channel, type Group } from "./parley";
const parley = new Parley("https://chat.example", {
  userId: "ada", token: async () => "t", outbox: "persistent", WebSocket });
export async function use(): Promise<void> {
  const lobby: Channel = await parley.enter("lobby", { create: { name: "Lobby" } });
  lobby.on("received", (message, { seq, own }) => {
    const text: string = message.message, number: number = seq, mark: true | undefined = own;
    console.log(text, number, mark);
  }).on("throttled", ({ withheld }) => withheld.toFixed())
    .on("lost", (gap) => gap.isReset).on("left", ({ error }) => error?.code)
    .on("message.deleted", ({ message_id }) => message_id.toFixed());
  const sent: Message = await lobby.send({ message: "hi", translation_target_langs: ["es"] });
  await lobby.sendFiles([new Blob(["x"])], {
    thumbnailSizes: [[200, 200]], progress: (file, sent, total) => file.size + sent / total });
  await lobby.sendFiles([new File(["x"], "x.txt")], { progress: (file) => console.log(file.name) });
  (await lobby.call("message.list", { prev_limit: 10 })).messages.map((m) => m.og_tag?.["og:title"]);
  await parley.call("channel.list");
  (await parley.call("user.get", { user_id: "jeff" })).user.metadata["x"]?.length;
  parley.on("state", ({ state, retryAt }) => state === "open" || retryAt?.toFixed());
  parley.on("mention.received", ({ message }) => message.user?.nickname);
  parley.outbox.on("change", (entry) => entry.state === "failed" && entry.retry());
  if (sent.file) parley.fileURL(sent.file, sent.file.thumbnails[0]);
  const group: Group = await parley.groups.create({ user_ids: ["ben"], name: "Trip" });
  group.on("received", (message, { seq, own }) => {
    const text: string = message.message, number: number | undefined = seq, mark: true | undefined = own;
    console.log(text, number, mark);
  }).on("member", (change, params) => {
    if (change === "left") return params.user.user_id + params.member_count;
    if (change === "invited") return params.users.map((user) => user.user_id);
  }).on("lost", ({ reason, error }) => reason === "banned" || error.code)
    .on("changed", ({ channel }) => channel.joined_member_count.toFixed())
    .on("recovered", ({ missed, isComplete }) => isComplete || missed.toFixed())
    .on("group.joined", ({ user }) => user.nickname)
    .on("unread", (count) => count.toFixed()).on("hidden", ({ my }) => my.hidden_state);
  await group.markRead(sent);
  (await group.hide({ allow_auto_unhide: false })).my.read_ordinal.toFixed();
  const { groups, next } = await parley.groups.list({ limit: 10, unread_only: true });
  groups.map(({ info, unread }) => info.name + unread.toFixed() + next.length);
  (await parley.groups.unread()).unread_channel_count.toFixed();
  // @ts-expect-error
  await group.markUnread();
  (await group.invite(["cleo"])).skipped.map((id) => id.length);
  (await group.members({ member_state: "invited" })).members.map(({ role }) => role === "operator");
  await (await parley.groups.get("trip")).send({ message: "hi" });
  (await group.list({ prev_limit: 10 })).messages.map((m) => m.ordinal?.toFixed());
  parley.on("group.invited", ({ channel, inviter }) => channel.name + inviter?.user_id)
    .on("group.ready", () => parley.groups.held.map(({ info }) => info.my?.state));
  const place: ServiceWorkerRegistration = await navigator.serviceWorker.ready;
  (await parley.push.subscribe(place, { device_id: "laptop" })).endpoint.length;
  await parley.push.unsubscribe(place);
  (await parley.push.preferences({ push_trigger_option: "mention_only" })).timezone.length;
  (await parley.push.tokens()).map(({ type, token }) => type === "web" && token);
  await parley.background(parley.push.isSupported);
  const types = messageTypes<{ poll: { options: string[] }; note: number }>();
  await lobby.send({ message: "Lunch?", ...types.withData("poll", { options: ["here"] }) });
  lobby.on("received", (message) => types.dataOf(message, "poll")?.options.length);
  const note: number | undefined = types.dataOf(sent, "note");
  console.log(note);
  // @ts-expect-error
  types.withData("poll", { options: [1] });
  // @ts-expect-error
  types.dataOf(sent, "other");
  const store = new MessageStore(group, { limit: 200 });
  const stop: () => void = store.subscribe(() => store.getSnapshot().messages[0]?.message.length);
  await store.loadEarlier(20);
  store.getSnapshot().pending.map(({ state, error, retry }) => state === "failed" && error?.code && retry());
  storeOf(lobby).readBy(sent).map((id) => id.length);
  stop();
  // @ts-expect-error
  store.getSnapshot().messages.push(sent);
  // @ts-expect-error
  new MessageStore(parley);
  // @ts-expect-error
  await parley.push.preferences({ push_trigger_option: "some" });
  // @ts-expect-error
  group.on("entered", () => {});
  // @ts-expect-error
  await group.invite("cleo");
  // @ts-expect-error
  await parley.call("user.get");
  // @ts-expect-error
  await parley.call("no.method", {});
  // @ts-expect-error
  await parley.call("user.get", { user_id: 1 });
  // @ts-expect-error
  lobby.on("nothing", () => {});
  // @ts-expect-error
  await lobby.send({ message: 1 });
  const observer = new Parley("https://chat.example", { ticket: async () => "t" });
  (await observer.enter("lobby")).on("withheld", (id, params) => {
    const message: number = id, count: number = params.participants;
    console.log(message, count);
  });
  // @ts-expect-error
  new Parley("https://chat.example", { userId: "ada", ticket: () => "t" });
  // @ts-expect-error
  new Parley("https://chat.example", {});
  throw new ParleyError(0, "done");
}
"""


# In Node


async def test_an_observer_listens(ctx):
    """With tickets the client hears channels unseen, and comes back with another after a kill."""
    server = await ctx.fresh(*FLAGS, "--limits-throttle-messages", "1")
    async with node(ctx, server) as made:
        await pair(made, server)
        await made.run(f"""
          globalThis.tickets = 0;
          const ticket = async () => {{
            tickets++;
            const answer = await fetch(`${{url}}/v3/parley/tickets`, {{
              method: "POST", headers: {{ "Api-Token": "{server.api_token}" }} }});
            return (await answer.json()).ticket;
          }};
          globalThis.watcher = start(url, undefined, {{ ticket }});
          globalThis.w = await join(watcher, "lobby", {{}});
          w.held = [];
          w.on("withheld", (id, {{ participants }}) => w.held.push(participants));
          for (const text of ["one", "two", "three"]) await a.send(text);
          await until(() => w.got.length === 3 && w.held.length === 2);""")
        assert await made.run("return w.texts()") == ["one", "two", "three"]
        assert await made.run("return w.held") == [1, 1]
        assert await made.run("return [b.participantCount, watcher.user]") == [2, None]
        await server.kill(keeps_port=True)
        await again(ctx, server, *FLAGS, "--limits-throttle-messages", "1")
        await made.run("await until(() => w.isEntered && a.isEntered && tickets > 1)")
        await made.run("await a.send('four'); await until(() => w.texts().includes('four'))")
        assert await made.run("return watcher.call('message.send', { channel_url: 'lobby', message: 'x' })"
                              ".then(() => 0, ({ code }) => code)") == 400108


async def test_two_clients_talk(ctx):
    """Each message comes to both clients once, in order; the sender's too, marked as its own."""
    server = await ctx.fresh(*FLAGS)
    async with node(ctx, server) as made:
        await pair(made, server)
        await made.run("""
          a.own = [];
          a.on("received", (_, { own }) => a.own.push(own === true));
          globalThis.first = await a.send("hello <b>");
          await b.send({ message: "hi", custom_type: "greeting", data: "{}" });
          await a.call("message.update", { message_id: first.message_id, message: "hello" });""")
        await made.until("a.got.length === 2 && b.updates.length === 1")
        assert await made.run("return [a.got, b.got, a.own, b.updates]") == [
            [["hello <b>", 1], ["hi", 2]], [["hello <b>", 1], ["hi", 2]], [True, False], ["hello"]]
        assert await made.run("return (await a.call('message.list')).messages.length") == 2
        await made.run("await b.exit()")
        await made.until("a.participantCount === 1")
        await made.run("ada.close(); bob.close()")
        assert await made.run("return ada.state") == "closed"


async def test_a_channel_is_entered_once(ctx):
    """Two entries of a channel at once are one, and give the same channel."""
    async with Gateway.start() as gateway, node(ctx) as made:
        assert await made.run(f"""
          globalThis.ada = start("{gateway.url}", "ada");
          const [first, second] = await Promise.all([ada.enter("lobby"), ada.enter("lobby")]);
          const third = await ada.enter("lobby");
          return [first === second, first === third, ada.channels.length, first.isEntered];
        """) == [True, True, 1, True]
        assert gateway.count("channel.enter") == 1


async def test_recovery_after_a_kill(ctx):
    """After kill -9, each message that was sent before, meanwhile and after is there once, in order."""
    server = await ctx.fresh(*UNLIMITED)
    async with node(ctx, server) as made:
        await pair(made, server)
        await made.run("for (let i = 0; i < 3; i++) await a.send(`before ${i}`)")
        await made.run("globalThis.sends = []")
        for goal in (30, 60):
            await made.run(f"""
              globalThis.timer = setInterval(() => {{
                if (sends.length < {goal}) sends.push(a.send(`during ${{sends.length}}`));
              }}, 5);""")
            await made.until(f"a.got.length > {goal - 20}")
            await server.kill(keeps_port=True)
            await made.until(f"ada.state === 'waiting' && sends.length === {goal}")
            await made.run("clearInterval(timer)")
            server = await again(ctx, server, *UNLIMITED)
            await made.until("ada.state === 'open' && bob.state === 'open'")
        await made.run("await Promise.all(sends); await a.send('after')")
        wanted = [f"before {i}" for i in range(3)] + [f"during {i}" for i in range(60)] + ["after"]
        await made.until("b.got.length === 64")
        for name in "ab":
            texts, numbers, news = await made.run(
                f"return [{name}.texts(), {name}.got.map(([, seq]) => seq), {name}.news]")
            assert texts == wanted and numbers == list(range(1, 65)), (texts, numbers)
            assert [kind for kind, _ in news] == ["recovered"] * 2, news
        stored = await made.run(
            "return (await a.call('message.list', { prev_limit: 200 })).messages.map((m) => m.message)")
        assert stored == wanted
        assert await made.run("return ada.outbox.entries.length") == 0


async def test_a_gap_is_reported(ctx):
    """A client that missed more than is replayed is told so, and goes on from there."""
    server = await ctx.fresh(*UNLIMITED)
    proxy = await Proxy.start(server.port)
    try:
        async with node(ctx, server) as made:
            await made.run(f"globalThis.bob = start('http://127.0.0.1:{proxy.port}', 'bob')")
            await made.run("globalThis.b = await join(bob, 'lobby')")
            ada = await ctx.user(server, "ada")
            await ada.enter("lobby")
            port, proxy.target = proxy.target, 1
            proxy.cut()
            await made.until("bob.state === 'waiting'")
            for number in range(302):
                await ada.send("lobby", str(number))
            proxy.target = port
            await made.until("b.news.length === 1")
            assert await made.run("return [b.news, b.got]") == [
                [["lost", {"from": 0, "to": 302, "isReset": False}]], []]
            await ada.send("lobby", "news")
            await made.until("b.got.length === 1")
            assert await made.run("return b.position.seq") == 303
    finally:
        proxy.close()


async def test_doubles_and_late_updates(ctx):
    """Events that were seen are passed over; an update counts once, however late, and a gap is none."""
    entries = []

    async def gateway(socket):
        async def answer(text):
            request = json.loads(text)
            method, params = request["method"], request.get("params", {})
            if method == "session.open":
                result = {"user": {"user_id": "bob"}, "ping_interval_ms": 25000, "limits": {}}
            elif method == "channel.enter":
                entries.append(params.get("recover"))
                result = {"channel": {}, "participant_count": 1, "epoch": "e", "seq": 0, "events": [],
                          "recovered": False}
                if params.get("recover"):
                    result |= {"seq": 9, "recovered": True, "events": [
                        event("updated", 5, 1), event("updated", 6, 1), event("received", 9, 3)]}
            else:
                result = {}
            return {"jsonrpc": "2.0", "id": request["id"], "result": result}

        def event(kind, seq, number):
            message = {"message_id": number, "message": f"{kind} {seq}", "user": {"user_id": "ada"}}
            return {"jsonrpc": "2.0", "method": f"message.{kind}", "params": {
                "channel_url": "lobby", "seq": seq, "ts": 1, "message": message}}

        with contextlib.suppress(ConnectionClosed):
            await converse(socket, answer, event)

    async def converse(socket, answer, event):
        async for text in socket:
            reply = json.dumps(await answer(text))
            if "channel.enter" not in text:
                await socket.send(reply)
                continue
            # At once with the answer, before the caller of `enter` goes on.
            await socket.send(reply)
            if len(entries) == 1:
                for kind, seq, number in (
                        ("received", 1, 1), ("received", 4, 2), ("received", 4, 2), ("received", 1, 1),
                        ("updated", 3, 1), ("updated", 5, 1), ("updated", 5, 1)):
                    await socket.send(json.dumps(event(kind, seq, number)))
                await socket.send(json.dumps({"jsonrpc": "2.0", "method": "channel.__proto__", "params": {
                    "channel_url": "lobby", "ts": 1}}))
                await socket.close(1012)

    async with serve(gateway, "127.0.0.1", 0, subprotocols=["parley.v1"]) as fake, node(ctx) as made:
        port = fake.sockets[0].getsockname()[1]
        await made.run(f"globalThis.bob = start('ws://127.0.0.1:{port}', 'bob')")
        await made.run("globalThis.b = await join(bob, 'lobby')")
        await made.until("b.news.length === 1")
        assert await made.run("return [b.texts(), b.updates, b.news]") == [
            ["received 1", "received 4", "received 9"], ["updated 3", "updated 5", "updated 6"],
            [["recovered", {"missed": 2}]]]
        assert entries == [None, {"epoch": "e", "seq": 5}], entries


async def test_an_answer_after_later_events(ctx):
    """A message whose answer comes after the event of a later one is delivered, and once."""
    async with Gateway.start() as gateway, node(ctx) as made:
        await made.run(f"""
          globalThis.ada = start("{gateway.url}", "ada");
          globalThis.a = await join(ada, "lobby", {{}});""")
        gateway.gates["message.send"] = gate = asyncio.Event()
        await made.run("globalThis.sending = a.send('own')")
        await gateway.until("message.send")
        event = {"channel_url": "lobby", "seq": 2, "ts": 1, "message": {"message_id": 2, "message": "later"}}
        await gateway.sockets[-1].send(json.dumps(
            {"jsonrpc": "2.0", "method": "message.received", "params": event}))
        await made.until("a.got.length === 1")
        gate.set()
        await made.run("await sending")
        assert await made.run("return a.got") == [["later", 2], ["own", 1]]
        # The same answer again, as to a send that is repeated.
        gateway.messages = 0
        await made.run("await a.send('own')")
        assert await made.run("return a.got.length") == 2


async def test_floods(ctx):
    """A text beyond the limit fails with the wait, and can be tried again; files wait themselves."""
    server = await ctx.fresh(*FLAGS)
    async with node(ctx, server) as made:
        await pair(made, server)
        outcomes = await made.run("""
          const sends = Array.from({ length: 7 }, (_, i) => a.send(`text ${i}`));
          return (await Promise.allSettled(sends)).map(({ value, reason }) =>
            value?.message ?? [reason instanceof ParleyError, reason.code, reason.data.retry_after_ms > 0]);""")
        assert outcomes == [f"text {i}" for i in range(5)] + [[True, 900200, True]] * 2, outcomes
        # Their sender knows: they are not kept. Others are, until they are sent or given up.
        assert await made.run("return ada.outbox.entries.length") == 0
        await made.run("for (let i = 0; i < 12; i++) a.send(`more ${i}`)")
        await made.until("ada.outbox.entries.length && ada.outbox.entries.every((e) => e.state === 'failed')")
        await made.run("""
          const [last] = ada.outbox.entries.slice(-1);
          for (const entry of ada.outbox.entries.slice(0, -1)) entry.discard();
          last.retry();
          await until(() => {
            if (last.state === "failed") last.retry();
            return last.state === "sent";
          });""")
        assert await made.run("return ada.outbox.entries.length") == 0
        total = len(await made.run("return a.got"))
        names = [f"{number}.txt" for number in range(7)]
        shown = await made.run(f"""
          globalThis.shares = [];
          const files = {json.dumps(names)}.map((name) => new File([name], name, {{ type: "text/plain" }}));
          const messages = await b.sendFiles(files, {{
            progress: (file, sent, total) => shares.push([file.name, sent / total]),
            params: {{ custom_type: "report" }} }});
          return messages.map((m) => [m.file.name, m.file.type, m.custom_type]);""")
        assert shown == [[name, "text/plain", "report"] for name in names], shown
        assert [name for name, share in await made.run("return shares") if share == 1] == names
        assert len(set(map(tuple, await made.run("return a.got")))) == total + 7


async def test_patient_texts(ctx):
    """Patient texts wait while their author sends too much, in order; a refusal ends only its own."""
    server = await ctx.fresh(*FLAGS)
    async with node(ctx, server) as made:
        await pair(made, server)
        outcomes = await made.run("""
          const texts = [...Array.from({ length: 8 }, (_, i) => `text ${i}`), "", "last"];
          return (await Promise.allSettled(texts.map((text) => a.send(text, { patient: true }))))
            .map(({ value, reason }) => value?.message ?? reason.code);""")
        texts = [f"text {number}" for number in range(8)]
        assert outcomes == [*texts, 400105, "last"], outcomes
        assert await made.run("return a.texts()") == [*texts, "last"]


async def test_errors(ctx):
    """Refusals have the code and its cause; the library's own have 0 and a reason."""
    server = await ctx.fresh(*FLAGS)
    async with node(ctx, server) as made:
        await pair(made, server)

        async def refusal(script):
            return await made.run(f"""
              try {{ {script}; return null }}
              catch (e) {{ return [e instanceof ParleyError, e.code, e.data.field ?? e.data.reason ?? null] }}""")
        refused = await refusal("await ada.call('no.such')")
        assert refused == [True, -32601, "method"], refused
        assert await refusal("await ada.call('user.get', { user_id: 'nobody' })") == [
            True, 400201, "user_id"]
        assert await refusal("await a.send('')") == [True, 400105, "message"]
        assert await refusal("await a.send({ message: 'x', data: 'y'.repeat(300000) })") == [
            True, 400110, "params"]
        assert await refusal("await ada.enter('missing')") == [True, 400201, "channel_url"]
        assert await refusal("await a.exit(); await a.send('x')") == [True, 0, "left"]
        assert await refusal("ada.close(); await ada.call('channel.list')") == [True, 0, "closed"]
        assert await refusal("await start(url, '').connect()") == [True, 400105, "user_id"]
        # An aborted wait ends with the signal's own reason.
        assert await made.run("""
          const c = start("http://127.0.0.1:1", "carl");
          const error = await c.call("channel.list", {}, { signal: AbortSignal.timeout(50) }).catch((e) => e);
          c.close();
          return error.name;""") == "TimeoutError"
        # Banned: out of the channel, and what waits for it has failed.
        await made.run("globalThis.a = await join(ada = start(url, 'ada'), 'lobby');")
        await made.run("await a.call('channel.ban', { user_id: 'bob' })")
        await made.until("b.news.length === 1")
        assert await made.run("return b.news") == [["left", 400750]]
        assert await refusal("await b.send('x')") == [True, 0, "left"]
        await made.run("await a.call('channel.delete')")
        await made.until("a.news.length === 1")
        assert await made.run("return a.news") == [["left", 400201]]


async def test_tokens(ctx):
    """A refused token is fetched anew, an expiring one refreshed; a second refusal is final."""
    server = await ctx.fresh("--unfurl-mode", "off", "--auth-mode", "token", "--auth-jwt-secret", SECRET)
    async with node(ctx, server) as made:
        now = int(time.time())
        given = [token("ada", exp=now - 5), token("ada", exp=now + 15), token("ada", exp=now + 7200)]
        await made.run(f"""
          globalThis.url = "http://127.0.0.1:{server.port}";
          globalThis.given = {json.dumps(given)};
          globalThis.calls = [];
          globalThis.ada = start(url, "ada", {{
            token: async () => given.shift(), log: (way, frame, method) => calls.push(method) }});
          await ada.connect();""")
        # The second expires within a minute, which is announced at once, and is used for most of its time.
        await made.until("calls.filter((name) => name === 'session.refresh').length === 2")
        assert await made.run("return [given.length, ada.state]") == [0, "open"]
        assert await made.run("return ada.states") == [
            "connecting", "waiting 400302", "connecting", "open"]
        for options in ("token: 'wrong'", "token: () => 'wrong'", "nickname: 'x'"):
            outcome = await made.run(f"""
              globalThis.eve = start(url, "eve", {{ {options} }});
              const error = await eve.connect().catch((e) => e);
              return [error.code, eve.state];""")
            assert outcome == [400302, "closed"], outcome
        # A token that cannot be fetched now is fetched later.
        good = json.dumps(token("eve"))
        assert await made.run(f"""
          let attempts = 0;
          const eve = start(url, "eve", {{ token: () => {{
            if (++attempts === 1) throw new Error("no network");
            return {good};
          }} }});
          await eve.connect();
          return [attempts, eve.user.user_id];""") == [2, "eve"]


# The module's limit of answers and of sessions, 60 s, and that of tokens, 15 s, are over sooner.
IMPATIENT = f"""
  const patient = globalThis.setTimeout;
  globalThis.setTimeout = (action, ms, ...values) =>
    patient(action, [60000, 15000].includes(ms) ? {scaled(1000)} : ms, ...values);
"""


async def test_tokens_that_live_for_seconds(ctx):
    """A token is fetched once in its life, and the same one again does no harm."""
    server = await ctx.fresh("--unfurl-mode", "off", "--auth-mode", "token", "--auth-jwt-secret", SECRET)
    async with node(ctx, server) as made:
        now = int(time.time())
        await made.run(f"""
          globalThis.url = "http://127.0.0.1:{server.port}";
          globalThis.given = {json.dumps([token("ada", exp=now + 60 + number) for number in range(50)])};
          globalThis.fetches = {{ ada: 0, eve: 0 }};
          globalThis.calls = [];
          const same = {json.dumps(token("eve", exp=now + 14))};
          globalThis.ada = start(url, "ada", {{
            token: () => {{ fetches.ada++; return given.shift(); }}, log: (way, frame, method) => calls.push(method) }});
          globalThis.eve = start(url, "eve", {{ token: () => {{ fetches.eve++; return same; }} }});
          await ada.connect(); await eve.connect();""")
        # The second token of eve is refused, as it has expired.
        await made.until("eve.state === 'closed'")
        fetched = await made.run("return fetches")
        assert fetched["ada"] == 1 and 2 <= fetched["eve"] <= 4, fetched
        assert await made.run("return [eve.error.code, ada.state]") == [400302, "open"]
        assert (await made.run("return calls")).count("session.expiring") == 1


async def test_the_key_of_a_refreshed_session(ctx):
    """Another token brings another key for files, which is used from then on and reported."""
    async with Gateway.start() as gateway, node(ctx) as made:
        gateway.results["session.open"] = {
            "user": {"user_id": "ada"}, "ping_interval_ms": 25000, "limits": {},
            "file_key": {"key": "first", "expires_at": 1}}
        gateway.results["session.refresh"] = {"file_key": {"key": "second", "expires_at": 2}}
        await made.run(f"""
          globalThis.keys = [];
          globalThis.given = 0;
          globalThis.ada = start("{gateway.url}", "ada", {{ token: () => `token ${{++given}}` }});
          ada.on("session.file_key", ({{ file_key: {{ key }} }}) => keys.push(key));
          await ada.connect();
          // The first token was fetched an hour ago.
          const {{ now }} = performance;
          performance.now = () => now.call(performance) + 3_600_000;
          globalThis.key = () => new URL(ada.fileURL({{
            file_id: "f", url: "{gateway.url}/files/f/x", require_auth: true }})).searchParams.get("auth");""")
        assert await made.run("return key()") == "first"
        await gateway.sockets[-1].send(json.dumps({"jsonrpc": "2.0", "method": "session.expiring", "params": {
            "ts": 1, "expires_at": 60001}}))
        await made.until("keys.length")
        assert await made.run("return [key(), keys]") == ["second", ["second"]]
        assert gateway.asked[-1] == ("session.refresh", {"access_token": "token 2"})


async def test_calls_without_an_answer(ctx):
    """Each call ends: without an answer, with one that is none, and with a refusal that names no call."""
    async with Gateway.start() as gateway, node(ctx) as made:
        gateway.silent |= {"channel.list", "message.send", "channel.get", "no.read"}
        await made.run(IMPATIENT + f"""
          globalThis.ada = start("{gateway.url}", "ada");
          globalThis.a = await join(ada, "lobby", {{}});
          globalThis.reason = (error) => [error instanceof ParleyError, error.code, error.data.reason ?? null];""")
        outcomes = await made.run("""
          const sends = [ada.call("channel.list"), a.send("x"), a.call("message.send", { message: "y" })];
          return (await Promise.allSettled(sends)).map((outcome) => reason(outcome.reason));""")
        assert outcomes == [[True, 0, "timeout"]] * 3, outcomes
        # Whether it was sent is not known: it can be sent again.
        assert await made.run("return ada.outbox.entries.map(({ state }) => state)") == ["failed"]
        gateway.silent.discard("message.send")
        await made.run("await ada.outbox.entries[0].retry()")
        ids = {params["req_id"] for method, params in gateway.asked if params.get("message") == "x"}
        assert len(ids) == 1, ids
        # Nobody is asked twice, and the connection is the same.
        assert gateway.count("session.open") == 1
        await made.run("globalThis.asking = ada.call('channel.get', { channel_url: 'lobby' }).catch((e) => e)")
        await gateway.until("channel.get")
        await gateway.sockets[-1].send(json.dumps(
            {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "no JSON"}}))
        assert await made.run("return reason(await asking)") == [True, -32700, None]
        # A call that was passed by an answer waits for its time: the next one is meant.
        gateway.silent.add("no.mark")
        await made.run("ada.call('no.mark').catch(() => {}); await ada.call('no.silence')")
        await made.run("globalThis.asking = ada.call('channel.get', { channel_url: 'lobby' }).catch((e) => e)")
        await gateway.until("channel.get", 2)
        await gateway.sockets[-1].send(json.dumps(
            {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "no JSON"}}))
        assert await made.run("return reason(await asking)") == [True, -32700, None]
        gateway.results["channel.enter"] = None
        assert await made.run("return reason(await ada.enter('other').catch((e) => e))") == [True, 0, "failed"]
        # What is no JSON-RPC costs the connection, which settles calls.
        for text in ("nonsense", "null", "[7]", '{"method":"channel.deleted"}'):
            opened = gateway.count("session.open")
            await made.run("globalThis.asking = ada.call('no.read').catch((e) => e)")
            await gateway.until("no.read")
            gateway.asked = [call for call in gateway.asked if call[0] != "no.read"]
            await gateway.sockets[-1].send(text)
            if text.startswith("{"):
                await gateway.cut()
            assert await made.run("return reason(await asking)") == [True, 0, "lost"], text
            await gateway.until("session.open", opened + 1)
            await made.until("ada.state === 'open'")


async def test_an_event_in_place_of_an_answer(ctx):
    """A message whose answer took too long is settled by its event."""
    async with Gateway.start() as gateway, node(ctx) as made:
        gateway.silent.add("message.send")
        await made.run(IMPATIENT + f"""
          globalThis.ada = start("{gateway.url}", "ada");
          globalThis.a = await join(ada, "lobby", {{}});""")
        assert await made.run("return a.send('x').catch(({ data }) => data.reason)") == "timeout"
        [sent] = [params for method, params in gateway.asked if method == "message.send"]
        await gateway.sockets[-1].send(json.dumps({"jsonrpc": "2.0", "method": "message.received", "params": {
            "channel_url": "lobby", "seq": 1, "ts": 1, "message": {
                "message_id": 1, "message": "x", "req_id": sent["req_id"], "user": {"user_id": "ada"}}}}))
        await made.until("ada.outbox.entries.length === 0")
        assert await made.run("return a.got") == [["x", 1]]


async def test_half_characters(ctx):
    """Half a character is sent as U+FFFD; a text that looks like the escape of one stays."""
    server = await ctx.fresh(*UNLIMITED)
    async with node(ctx, server) as made:
        await pair(made, server)
        texts = await made.run(r"""
          const texts = ["cut \ud83d", "\udc00 cut", "whole \u{1f600}", "\\ud83d", "\\\ud83d"];
          const sent = await Promise.all(texts.map((text) => a.send({ message: text, data: "\ude00" })));
          return sent.map(({ message, data }) => [message, data]);""")
        assert texts == [[text, "\ufffd"] for text in (
            "cut \ufffd", "\ufffd cut", "whole \U0001f600", "\\ud83d", "\\\ufffd")], texts
        names = await made.run(r"""
          const { user } = await ada.call("user.update", { metadata: { "key \ud800": "value \ud800" } });
          const { req_id: id } = await a.send({ message: "x", req_id: "r \udfff" });
          return [Object.entries(user.metadata), id, ada.outbox.entries.length];""")
        assert names == [[["key \ufffd", "value \ufffd"]], "r \ufffd", 0], names


async def test_wrong_arguments(ctx):
    """Wrong arguments, unknown events, functions that never end and a wrong port have clear errors."""
    async with node(ctx) as made:
        await made.run(IMPATIENT + """
          globalThis.fault = (action) => {
            try { action(); return null; } catch (e) { return e instanceof ParleyError && [e.data.reason, e.message]; }
          };""")
        for script, words in (
                ("new Parley('http://a.example', {})", "userId"),
                ("new Parley('http://a.example')", "userId"),
                ("new Parley('http://a.example', { userId: 7 })", "userId"),
                (r"new Parley('http://a.example', { userId: 'a\ud800' })", "half a character"),
                ("new Parley('http://a.example', { userId: 'a', token: 7 })", "token"),
                ("new Parley('http://a.example', { ticket: 'x' })", "ticket"),
                ("new Parley('http://a.example:99999', { userId: 'a' })", "address"),
                ("new Parley('ftp://a.example', { userId: 'a' })", "address"),
                ("new Parley(undefined, { userId: 'a' })", "address")):
            outcome = await made.run(f"return fault(() => {script})")
            assert outcome and outcome[0] == "invalid" and words in outcome[1], (script, outcome)
        wrong = await made.run("""
          const client = start("http://127.0.0.1:1", "ada");
          const faults = [() => client.on("recieved", () => {}), () => client.on("state"),
            () => client.outbox.on("sent", () => {})].map(fault);
          const enter = await client.enter(7).catch((error) => error.data.reason);
          // On a busy machine, even a refusal takes its time.
          await until(() => client.error);
          const errors = await Promise.all([client.connect(), client.enter("lobby"), client.call("channel.list")]
            .map((waiting) => waiting.catch(({ data, message }) => [data.reason, message])));
          client.close();
          return [faults, enter, errors];""")
        faults, entered, errors = wrong
        assert [reason for reason, _ in faults] == ["invalid"] * 3 and entered == "invalid", wrong
        assert "recieved" in faults[0][1] and "state" in faults[0][1], faults
        assert all(reason == "timeout" and "127.0.0.1:1/" in words for reason, words in errors), errors
        for option in ("userId: 'ada', token", "ticket"):
            outcome = await made.run(f"""
              const client = new Parley("http://127.0.0.1:1", {{ {option}: () => new Promise(() => {{}}) }});
              await until(() => client.error);
              const {{ reason }} = client.error.data;
              client.close();
              return reason;""")
            assert outcome == "timeout", outcome


async def test_a_preview_that_is_aborted(ctx):
    """A preview that is not wanted any more is cancelled at the server."""
    async with Gateway.start() as gateway, node(ctx) as made:
        gateway.silent.add("preview.fetch")
        await made.run(f"""
          globalThis.ada = start("{gateway.url}", "ada");
          globalThis.control = new AbortController();
          globalThis.fetching = ada.call("preview.fetch", {{ url: "https://a.example" }}, {{ signal: control.signal }})
            .catch((error) => error.name);""")
        await gateway.until("preview.fetch")
        assert await made.run("control.abort(); return await fetching") == "AbortError"
        await gateway.until("preview.cancel")
        fetched, cancelled = [
            params["fetch_id"] for method, params in gateway.asked if method.startswith("preview.")]
        assert fetched == cancelled


async def test_files_and_texts_keep_their_order(ctx):
    """Texts wait for files that were sent before them in the channel, and files for texts."""
    async with Gateway.start() as gateway, node(ctx) as made:
        await made.run(f"""
          globalThis.ada = start("{gateway.url}", "ada");
          globalThis.a = await join(ada, "lobby", {{}});
          globalThis.b = await join(ada, "other", {{}});""")
        gateway.gates["file.create"] = asyncio.Event()
        await made.run("""
          globalThis.sends = [a.send("1"), a.sendFiles([new File([], "2")], { params: { message: "2" } }),
            a.send("3"), b.send("elsewhere"), a.send("4")];
          await sends[0]; await sends[3];""")
        gateway.gates.pop("file.create").set()
        await made.run("await Promise.all(sends)")
        sent = [params["message"] for method, params in gateway.asked if method == "message.send"]
        assert [text for text in sent if text != "elsewhere"] == ["1", "2", "3", "4"], sent
        assert sent.index("elsewhere") < sent.index("2"), sent
        # A file whose text is refused for now waits with it.
        gateway.gates["message.send"] = asyncio.Event()
        await made.run("""
          globalThis.sends = [a.send("5", { patient: true }), a.sendFiles([new File([], "6")], { params: { message: "6" } })];""")
        await gateway.until("file.create", 2)
        gateway.gates.pop("message.send").set()
        await made.run("await Promise.all(sends)")
        sent = [params["message"] for method, params in gateway.asked if method == "message.send"]
        assert sent[-2:] == ["5", "6"], sent


async def test_drains(ctx):
    """A draining server is left when it says, and its successor gets what was sent meanwhile."""
    server = await ctx.fresh(*UNLIMITED)
    async with node(ctx, server) as made:
        await pair(made, server)
        await made.run("""
          globalThis.drained = new Promise((resolve) => ada.on("server.draining", resolve));
          globalThis.moving = new Promise((resolve) =>
            ada.on("state", ({ state, retryAt }) => { if (state === "open" && retryAt) resolve(retryAt); }));
          await a.send("before");""")
        server.process.send_signal(signal.SIGTERM)
        wait = await made.run("return (await drained).reconnect_after_ms")
        assert abs(await made.run("return (await moving) - Date.now()") - wait) < 1000 * PATIENCE
        await server.wait()
        await made.run("globalThis.send = a.send('meanwhile')")
        await again(ctx, server, *UNLIMITED)
        await made.run("await send; await a.send('after')")
        await made.until("b.got.length === 3")
        assert await made.run("return b.texts()") == ["before", "meanwhile", "after"]
        assert await made.run("return [...a.news, ...b.news].map(([name]) => name)") == ["recovered"] * 2


async def test_final_closes(ctx):
    """A close after which no other connection would do better is final, until it is asked for."""
    server = await ctx.fresh(*FLAGS, "--limits-connections-per-user", "1")
    async with node(ctx, server) as made:
        await made.run(f"""
          globalThis.first = start("http://127.0.0.1:{server.port}", "ada");
          await first.connect();
          globalThis.second = start("http://127.0.0.1:{server.port}", "ada");
          await second.connect();""")
        await made.until("first.state === 'closed'")
        assert await made.run("return first.error.data") == {"reason": "closed", "close": 4003}
        await made.run("await first.connect()")
        await made.until("second.state === 'closed'")


async def test_the_reason_of_a_close(ctx):
    """An error after a close has the words of the server, or else the code."""
    async with Gateway.start() as gateway, node(ctx) as made:
        await made.run(f"""globalThis.ada = start("{gateway.url}", "ada", {{ token: "t" }});""")
        for code, reason, error, end in (
                (1011, "the disk is full", 0, "waiting"), (1012, "", 0, "waiting"),
                (4003, "too many sessions", 0, "closed"), (4002, "the access token has expired", 400302, "closed")):
            await made.run("await ada.connect()")
            await made.run(f"""
              globalThis.ended = new Promise((resolve) => {{
                const hear = (change) => {{ if (change.error) {{ ada.off("state", hear); resolve(change); }} }};
                ada.on("state", hear);
              }});""")
            await gateway.cut(code, reason)
            assert await made.run("""
              const { state, error } = await ended;
              return [state, error.code, error.message, error.data.close];
            """) == [end, error, reason or f"the connection was closed ({code})", code]


async def test_a_final_end_fails_what_waits(ctx):
    """After a final close a message is sent again only when its author asks for that."""
    async with Gateway.start() as gateway, node(ctx) as made:
        gateway.silent.add("message.send")
        await made.run(f"""
          globalThis.ada = start("{gateway.url}", "ada");
          globalThis.a = await join(ada, "lobby", {{}});
          globalThis.sending = a.send("one").catch((error) => error);""")
        await gateway.until("message.send")
        await gateway.cut(4003)
        assert await made.run("""
          const { data } = await sending;
          const [entry] = ada.outbox.entries;
          const late = await a.send("two").catch((error) => error);
          return [data, entry.state, entry.error.data, late.data, ada.outbox.entries.length];
        """) == [{"reason": "closed", "close": 4003}, "failed", {"reason": "closed", "close": 4003},
                 {"reason": "closed", "close": 4003}, 1]
        gateway.silent.clear()
        await made.run("await ada.connect(); await until(() => a.isEntered)")
        # A message after it would have followed the first one.
        await made.run("await a.send('three')")
        assert await made.run("return ada.outbox.entries.map(({ state }) => state)") == ["failed"]
        await made.run("await ada.outbox.entries[0].retry()")
        sent = [params["message"] for method, params in gateway.asked if method == "message.send"]
        assert sent == ["one", "three", "one"], sent


async def test_leaving_while_entering(ctx):
    """A channel that is left while the client enters it again is left on the server too."""
    async with Gateway.start() as gateway, node(ctx) as made:
        await made.run(f"""
          globalThis.ada = start("{gateway.url}", "ada");
          globalThis.a = await join(ada, "lobby", {{}});""")
        gateway.gates["channel.enter"] = asyncio.Event()
        await gateway.cut()
        await gateway.until("channel.enter", 2)
        assert await made.run("""
          globalThis.waiting = ada.enter("lobby").catch(({ data }) => data.reason);
          await a.exit();
          globalThis.anew = ada.enter("lobby");
          return [ada.channels.length, a.isEntered, a.news];
        """) == [0, False, [["left", {"error": None}]]]
        gateway.gates["channel.enter"].set()
        await gateway.until("channel.exit")
        # An entry from before ends with it; one from after it makes another channel.
        assert await made.run("""
          const channel = await anew;
          return [await waiting, channel === a, a.isEntered, channel.isEntered, ada.channels.length];
        """) == ["left", False, False, True, 1]
        calls = [method for method, _ in gateway.asked if method.startswith("channel.e")]
        assert calls == ["channel.enter"] * 2 + ["channel.exit", "channel.enter"], calls


async def test_leaving_with_messages_that_wait(ctx):
    """What waits for its answer in a channel that is left has failed; an answer that comes later counts."""
    async with Gateway.start() as gateway, node(ctx) as made:
        await made.run(f"""
          globalThis.ada = start("{gateway.url}", "ada");
          globalThis.a = await join(ada, "lobby", {{}});""")
        gateway.gates["message.send"] = asyncio.Event()
        await made.run("globalThis.sending = a.send('one').catch((error) => error)")
        await gateway.until("message.send")
        assert await made.run("""
          await a.exit();
          const { code, data } = await sending;
          return [code, data.reason, ada.outbox.entries.map(({ state }) => state)];
        """) == [0, "left", ["failed"]]
        gateway.gates["message.send"].set()
        await made.until("ada.outbox.entries.length === 0")


async def test_signals_that_are_aborted(ctx):
    """A call with an aborted signal ends at once and leaves nothing behind; nor does one that lives on."""
    async with Gateway.start() as gateway, node(ctx) as made:
        # A rejection that nobody handles is a complaint of Node.
        assert await made.run("""
          const client = start("http://127.0.0.1:1", "carl");
          const error = await client.call("channel.list", {}, { signal: AbortSignal.abort() }).catch((e) => e);
          client.close();
          return error.name;""") == "AbortError"
        assert await made.run(f"""
          const client = start("{gateway.url}", "ada");
          const channel = await join(client, "lobby", {{}});
          const {{ signal }} = new AbortController();
          let heard = 0;
          for (const [name, step] of [["addEventListener", 1], ["removeEventListener", -1]]) {{
            const original = signal[name].bind(signal);
            signal[name] = (...values) => {{ heard += step; return original(...values); }};
          }}
          await channel.sendFiles([new File([], "a"), new File([], "b")], {{ signal }});
          client.close();
          return heard;""") == 0


async def test_faults_of_the_application(ctx):
    """What a callback throws is reported and stops nothing; a file that cannot be read fails alone."""
    async with Gateway.start() as gateway, node(ctx) as made:
        assert await made.run(f"""
          globalThis.reported = new Set();
          globalThis.reportError = (error) => reported.add(error.message);
          const fault = (words) => () => {{ throw new Error(words); }};
          globalThis.ada = start("{gateway.url}", "ada", {{ log: fault("log") }});
          globalThis.a = await join(ada, "lobby", {{}});
          await a.sendFiles([new File([], "empty")], {{ progress: fault("progress") }});
          return [...reported];""") == ["log", "progress"]
        assert await made.run("""
          const broken = Object.assign(new File(["x"], "broken"), { slice() { throw new TypeError("gone"); } });
          const error = await a.sendFiles([broken]).catch((e) => e);
          await a.send("after");
          return [error instanceof ParleyError, error.code, error.message, error.data, error.cause.name,
            ada.outbox.entries.map(({ state }) => state)];
        """) == [True, 0, "gone", {"reason": "failed"}, "TypeError", ["failed"]]
        assert await made.run(f"""
          const client = start("{gateway.url}", "eve", {{ token: async () => {{ throw new Error("no network"); }} }});
          await until(() => client.error);
          const {{ error }} = client;
          client.close();
          return [error instanceof ParleyError, error.message, error.data];
        """) == [True, "no network", {"reason": "failed"}]


async def test_a_call_that_is_repeated(ctx):
    """A lost call with a req_id is repeated as long as the server recognizes it, and then rejected."""
    async with Gateway.start() as gateway, node(ctx) as made:
        await made.run(f"""
          globalThis.ada = start("{gateway.url}", "ada");
          await ada.connect();
          const call = () => ada.call("channel.create", {{ channel_url: "lobby", req_id: "r" }});
          globalThis.call = () => call().then(() => "answered", ({{ data }}) => data.reason);""")
        for minutes, outcome in ((8, "answered"), (10, "lost")):
            asked = gateway.count("channel.create")
            gateway.silent.add("channel.create")
            await made.run("globalThis.outcome = call()")
            await gateway.until("channel.create", asked + 1)
            gateway.silent.clear()
            await made.run(f"""
              const now = Date.now;
              globalThis.restore = () => {{ Date.now = now; }};
              Date.now = () => now() + {minutes} * 60_000;""")
            await gateway.cut()
            assert await made.run("return outcome") == outcome
            await made.run("restore()")
            assert gateway.count("channel.create") == asked + (2 if outcome == "answered" else 1)


async def test_an_upload_that_stalls(ctx):
    """A request of a page that makes no progress is cut, and the upload continues; so is a cancelled one."""
    async with Gateway.start() as gateway, node(ctx) as made:
        assert await made.run(f"""
          // Half a minute is a moment here.
          const setTimer = setTimeout;
          globalThis.setTimeout = (action, ms, ...more) => setTimer(action, ms === 30_000 ? 50 : ms, ...more);
          globalThis.requests = [];
          globalThis.XMLHttpRequest = class {{
            upload = {{}};
            status = 204;
            open() {{ requests.push(this); }}
            setRequestHeader() {{}}
            getResponseHeader() {{ return "3"; }}
            send() {{
              this.upload.onprogress({{ loaded: 1 }});
              if (requests.length === 2) setTimer(() => {{ this.onload(); this.onloadend(); }});
            }}
            abort() {{ this.isAborted = true; this.onabort(); this.onloadend(); }}
          }};
          const ada = start("{gateway.url}", "ada");
          const a = await join(ada, "lobby", {{}});
          await a.sendFiles([new File(["one"], "one")]);
          const stop = new AbortController();
          const cancelled = a.sendFiles([new File(["two"], "two")], {{
            signal: stop.signal, progress: (file, sent) => {{ if (sent) stop.abort(); }} }});
          const outcome = await cancelled.catch(({{ name }}) => name);
          ada.close();
          return [requests.map(({{ isAborted }}) => isAborted === true), outcome];
        """) == [[True, False, True], "AbortError"]


async def test_listening_after_a_close(ctx):
    """A client that connects after it was closed hears again when the network is back."""
    async with Gateway.start() as gateway, node(ctx) as made:
        assert await made.run(f"""
          const heard = new Set();
          globalThis.addEventListener = (name) => heard.add(name);
          globalThis.removeEventListener = (name) => heard.delete(name);
          const ada = start("{gateway.url}", "ada");
          const counts = [heard.size];
          ada.close();
          counts.push(heard.size);
          await ada.connect();
          counts.push(heard.size);
          globalThis.hear = () => heard.size;
          globalThis.ada = ada;
          return counts;""") == [1, 0, 1]
        # A client that the server has ended for good can be forgotten.
        await gateway.cut(4003)
        await made.until("ada.state === 'closed'")
        assert await made.run("return hear()") == 0


async def test_connecting_in_a_listener(ctx):
    """A listener may connect again at once when it hears of the end."""
    async with Gateway.start() as gateway, node(ctx) as made:
        await made.run(f"""
          globalThis.ada = start("{gateway.url}", "ada");
          await ada.connect();
          globalThis.again = new Promise((resolve, reject) => ada.on("state", ({{ state }}) => {{
            if (state === "closed") ada.connect().then(resolve, reject);
          }}));""")
        await gateway.cut(4003)
        await made.run("await again")
        assert await made.run("return ada.state") == "open"


async def test_closing_in_a_listener(ctx):
    """A listener may close the client as soon as it hears that the session is open."""
    async with Gateway.start() as gateway, node(ctx) as made:
        gateway.silent.add("session.ping")
        # An exception of a timer is a complaint of Node.
        assert await made.run(PINGING + f"""
          globalThis.ada = start("{gateway.url}", "ada");
          ada.on("state", ({{ state }}) => {{ if (state === "open") ada.close(); }});
          const called = await ada.call("channel.list").catch(({{ data }}) => data.reason);
          await new Promise((resolve) => setTimeout(resolve, 500));
          return [called, ada.states];""") == ["closed", ["connecting", "open", "closed 0"]]


# The time limit of a ping, 10 s, is over sooner.
PINGING = f"""
  const later = globalThis.setTimeout;
  globalThis.setTimeout = (action, ms, ...values) => later(action, ms === 10000 ? {scaled(1000)} : ms, ...values);
"""


async def test_a_dead_connection_is_noticed(ctx):
    """A ping without an answer ends the connection, also when others follow before its time is over."""
    async with Gateway.start() as gateway, node(ctx) as made:
        gateway.results["session.open"] = {"user": {"user_id": "ada"}, "ping_interval_ms": 50, "limits": {}}
        await made.run(PINGING + f"""
          globalThis.ada = start("{gateway.url}", "ada");
          await ada.connect();""")
        await gateway.until("session.ping", 10)
        assert gateway.count("session.open") == 1
        gateway.silent.add("session.ping")
        await gateway.until("session.open", 2)


async def test_a_clock_that_is_set(ctx):
    """The return to a draining server does not depend on the clock of the machine."""
    async with Gateway.start() as gateway, node(ctx) as made:
        await made.run(f"""
          globalThis.ada = start("{gateway.url}", "ada");
          globalThis.drained = new Promise((resolve) => ada.on("server.draining", resolve));
          await ada.connect();""")
        await gateway.sockets[-1].send(json.dumps({"jsonrpc": "2.0", "method": "server.draining", "params": {
            "ts": 1, "reconnect_after_ms": 300}}))
        await made.run("""
          await drained;
          const { now } = Date;
          Date.now = () => now() - 3_600_000;""")
        await gateway.cut()
        await gateway.until("session.open", 2)


async def test_messages_that_nobody_waits_for(ctx):
    """A message that cannot be sent is refused, and does not end a process that does not wait for it."""
    async with Gateway.start() as gateway, node(ctx) as made:
        # A rejection that nobody handles is a complaint of Node.
        assert await made.run(f"""
          globalThis.ada = start("{gateway.url}", "ada");
          const a = await join(ada, "lobby", {{}});
          a.send("one");
          ada.outbox.entries[0].retry();
          a.sendFiles(["no file"]);
          a.sendFiles([new File(["x"], "x")], {{ signal: AbortSignal.abort() }});
          await a.exit();
          a.send("two");
          a.sendFiles([new File(["x"], "x")]);
          const b = await join(ada, "other", {{}});
          ada.close();
          b.send("three");
          await new Promise((resolve) => setTimeout(resolve, 50));
          return [await b.send("four").catch(({{ data }}) => data.reason), ada.outbox.entries.length];
        """) == ["closed", 0]


async def test_discarding_in_a_listener(ctx):
    """A message that a listener discards while it is sent again is settled."""
    async with Gateway.start() as gateway, node(ctx) as made:
        gateway.silent.add("message.send")
        await made.run(f"""
          globalThis.ada = start("{gateway.url}", "ada");
          globalThis.a = await join(ada, "lobby", {{}});
          globalThis.sending = a.send("one").catch(() => {{}});""")
        await gateway.until("message.send")
        assert await made.run("""
          await a.exit();
          await sending;
          ada.outbox.on("change", (entry) => { if (entry.state === "pending") entry.discard(); });
          return ada.outbox.entries[0].retry().catch(({ data }) => data.reason);""") == "cancelled"


async def test_a_constructor_that_refuses(ctx):
    """A WebSocket that may not be made, as on a page with encryption, ends the client with the reason."""
    async with node(ctx) as made:
        assert await made.run("""
          class Refusing { constructor() { throw new Error("insecure"); } }
          const client = start("http://chat.example", "ada", { WebSocket: Refusing });
          const error = await client.enter("lobby").catch((e) => e);
          return [error instanceof ParleyError, error.code, error.message, error.data.reason, client.states];
        """) == [True, 0, "insecure", "closed", ["connecting", "closed 0"]]


async def test_the_outbox_keeps_the_order(ctx):
    """What is sent without a connection waits, is shown as such, and goes out in order."""
    server = await ctx.fresh(*UNLIMITED)
    async with node(ctx, server) as made:
        await pair(made, server)
        await made.run("""
          globalThis.changes = [];
          ada.outbox.on("change", (e) => changes.push(`${e.params.message} ${e.state}`));""")
        await server.kill(keeps_port=True)
        await made.until("ada.state === 'waiting'")
        states = await made.run("""
          globalThis.sends = [0, 1, 2, 3, 4].map((i) => a.send(`text ${i}`));
          const dropped = a.send("dropped").catch((e) => e.data.reason);
          ada.outbox.entries.at(-1).discard();
          return [await dropped, ada.outbox.entries.map((e) => e.state)];""")
        assert states == ["cancelled", ["pending"] * 5]
        await again(ctx, server, *UNLIMITED)
        await made.run("await Promise.all(sends)")
        await made.until("b.got.length === 5")
        texts = [f"text {i}" for i in range(5)]
        assert await made.run("return b.texts()") == texts
        changes = await made.run("return changes")
        assert changes[5:] == ["dropped pending", "dropped discarded"] + [f"{t} sent" for t in texts]


async def test_an_upload_continues_after_cuts(ctx):
    """Bytes go on from where they stand after cuts and after kill -9; an aborted upload is gone."""
    server = await ctx.fresh(*FLAGS)
    proxy = await Proxy.start(server.port)
    content = os.urandom(6_000_000)
    path = written(ctx, "film.bin", content)
    try:
        async with node(ctx, server) as made:
            await made.run(f"""
              const {{ openAsBlob }} = await import("node:fs");
              globalThis.ada = start("http://127.0.0.1:{proxy.port}", "ada");
              globalThis.a = await join(ada, "lobby");
              globalThis.sent = [];
              globalThis.blob = await openAsBlob({json.dumps(path)});
              globalThis.sending = a.sendFiles([new File([blob], "film.bin")], {{
                progress: (file, bytes) => sent.push(bytes) }});
              sending.catch(() => {{}});""")
            proxy.breaks_after = 1_500_000
            await made.until("sent.at(-1) >= 1048576")
            await eventually(lambda: broken(proxy), "the cut")
            await made.until("sent.at(-1) >= 3 * 1048576")
            await server.kill(keeps_port=True)
            server = await again(ctx, server, *FLAGS)
            url = await made.run("return (await sending)[0].file.url")
            assert (await download(server, url))[2] == content
            # Nothing was begun anew.
            shares = await made.run("return sent")
            assert min(shares[shares.index(1 << 20):]) >= 1 << 20, shares
            assert await made.run("""
              const stop = new AbortController();
              const waiting = a.sendFiles([new File([blob], "other.bin")], {
                signal: stop.signal, progress: (_, bytes) => { if (bytes) stop.abort(); } });
              return waiting.catch((error) => [error.name, ada.outbox.entries.length]);
            """) == ["AbortError", 0]
            await made.until("ada.call('file.list').then(({ files }) => files.length === 0)")
    finally:
        proxy.close()


async def broken(proxy):
    return proxy.breaks_after is None


async def test_hostile_names(ctx):
    """Names of members of JavaScript and markup are strings like others."""
    server = await ctx.fresh(*FLAGS)
    names = ["__proto__", "constructor", "hasOwnProperty", "<img src=x onerror=alert(1)>"]
    async with node(ctx, server) as made:
        await pair(made, server, channel="__proto__", nickname=names[3])
        for name in names[:3]:
            await made.run(f"globalThis.c = await join(start(url, {json.dumps(name)}), {json.dumps(name)})")
            texts = await made.run(f"""
              await c.send({{ message: {json.dumps(name)}, req_id: {json.dumps(name)}, custom_type: "toString" }});
              return c.texts();""")
            assert texts == [name], texts
        message = await made.run("return await a.send(String.raw`</script><b>${1}\u2028`)")
        assert message["user"]["nickname"] == names[3] and message["message"] == "</script><b>1\u2028"
        name = await made.run("""
          const [message] = await b.sendFiles([new File(["x"], "../<b>\\u202e.exe")]);
          return message.file.name;""")
        assert name == "<b>.exe", name
        assert await made.run("return ({}).polluted ?? Object.keys(Object.prototype).length") == 0
        assert await made.run("""
          const file = { file_id: "", require_auth: true };
          return ["javascript:alert(1)", "data:text/html,x", "", "http://a.example/x"]
            .map((url) => ada.fileURL({ ...file, url }));""") == ["", "", "", "http://a.example/x"]


async def test_keys_of_files(ctx):
    """The address of a file that needs a key has this user's; another's does not."""
    server = await ctx.fresh(*FLAGS, "--files-encryption", "on")
    async with node(ctx, server) as made:
        await pair(made, server)
        assert await made.run("""
          const [{ file }] = await a.sendFiles([new File(["secret"], "s.txt")]);
          const shown = await fetch(bob.fileRequest(file));
          const linked = await fetch(bob.fileURL(file));
          if ((await linked.text()) !== (await shown.clone().text())) throw new Error("not the same");
          if (bob.fileRequest(file).url.includes("auth=")) throw new Error("a key in the address");
          const hidden = await fetch(file.url);
          globalThis.file = file;
          return [await shown.text(), hidden.status, ada.fileURL({ ...file, file_id: "" }).includes("auth=")];
        """) == ["secret", 401, False]
        # The sender of a file can make its address name another host.
        assert await made.run("""
          const own = new URL(file.url);
          const [host, path] = [own.host, own.pathname];
          return [
            `http://evil.example${path}`, `https://${host}${path}`, `http://${own.hostname}:1${path}`,
            `http://${host}@evil.example${path}`, `http://ada:secret@${host}${path}`, `http://${own.hostname}.evil.example${path}`,
            `HTTP://${host.toUpperCase()}${path}`, `http://evil.example/files/x${path}`,
          ].filter((url) => !ada.fileURL({ ...file, url }).startsWith(own.origin + "/"));
        """) == []
        assert await made.run("""
          const shown = await fetch(bob.fileURL({ ...file, url: file.url.replace("127.0.0.1", "evil.example") }));
          return await shown.text();
        """) == "secret"


async def test_the_base_of_files(ctx):
    """Keys go to the base of addresses that the server has named."""
    server = await ctx.fresh(
        *FLAGS, "--files-encryption", "on", "--files-public-url", "https://files.example/parley")
    async with node(ctx, server) as made:
        await pair(made, server)
        assert await made.run("""
          const [{ file }] = await a.sendFiles([new File(["secret"], "s.txt")], { params: { require_auth: true } });
          const other = { ...file, url: file.url.replace("files.example", "other.example") };
          return [file.require_auth, ...[file, other].map((file) => new URL(bob.fileURL(file)).origin)];
        """) == [True, "https://files.example", f"http://127.0.0.1:{server.port}"]


# In a browser

def in_browser(test):
    async def attempt(ctx):
        browser.need()
        site = await Pages.start()
        try:
            async with browser.Page() as page:
                await test(ctx, page, site)
                assert not page.errors, page.errors
        finally:
            site.close()
    attempt.__doc__ = test.__doc__
    return attempt


async def publish(site, server, script=CLIENTS):
    """A page on another origin, with the module under its lasting name and its hash."""
    module = source("parley.js")
    name = f"parley-{hashlib.sha256(module).hexdigest()[:16]}.js"
    digest = base64.b64encode(hashlib.sha384(module).digest()).decode()
    # Served here as well, since a page that is loaded again while its gateway is away needs it.
    site.answer(f"/{name}", "200 OK", {"Content-Type": "text/javascript"}, module)
    site.add_html("/", f"""<!doctype html><title>A page</title>
      <link rel="modulepreload" href="/{name}" integrity="sha384-{digest}">
      <script type="module">
        import * as parley from "/{name}";
        Object.assign(globalThis, parley);
        globalThis.url = "http://127.0.0.1:{server.port}";
        {script}
        globalThis.isReady = true;
      </script>""")
    return f"http://127.0.0.1:{server.port}/{name}", f"sha384-{digest}"


async def show(page, site):
    await page.open(site.url("/"))
    await page.until("globalThis.isReady")


async def elsewhere(ctx, site, *flags):
    """A gateway that lets the site's pages in."""
    return await ctx.fresh(
        *flags, "--auth-allowed-origins", f"http://{site.host}:{site.port}")


RUN = "(async () => {{ {} }})()"


@in_browser
async def test_two_tabs_through_a_kill(ctx, page, site):
    """Two pages of another origin talk through kill -9 of the server, and lose nothing."""
    server = await elsewhere(ctx, site, *UNLIMITED)
    lasting, integrity = await publish(site, server)
    other = await page.tab()
    for tab, name in ((page, "ada"), (other, "bob")):
        await show(tab, site)
        await tab.run(RUN.format(
            f"globalThis.me = start(url, '{name}'); globalThis.c = await join(me, 'lobby')"))
    await page.run("c.send('one').then(() => true)")
    await server.kill(keeps_port=True)
    await page.until("me.state === 'waiting'")
    await page.run("(c.send('two'), c.send('three'), true)")
    server = await again(
        ctx, server, *UNLIMITED, "--auth-allowed-origins", f"http://{site.host}:{site.port}")
    await other.until("c.got.length === 3")
    await other.run("c.send('four').then(() => true)")
    for tab in (page, other):
        await tab.until("c.got.length === 4")
        assert await tab.run("c.texts()") == ["one", "two", "three", "four"]
        news = await tab.run("c.news")
        assert [kind for kind, _ in news] == ["recovered"], news
    # The module from the gateway itself, as SRI in the documentation has it.
    assert await page.run(RUN.format(f"""
      const link = document.createElement("script");
      link.type = "module"; link.crossOrigin = "anonymous";
      link.integrity = {json.dumps(integrity)}; link.src = {json.dumps(lasting)};
      document.head.append(link);
      return new Promise((done) => {{ link.onload = () => done(true); link.onerror = () => done(false); }})"""))


@in_browser
async def test_the_persistent_outbox(ctx, page, site):
    """What waits survives a reload without a connection, and goes out once; texts, files, failures."""
    server = await elsewhere(ctx, site, *UNLIMITED)
    await publish(site, server)
    open_page = RUN.format("""
      globalThis.me = start(url, "ada", { outbox: "persistent" });
      globalThis.entered = join(me, "lobby").then((channel) => { globalThis.c = channel; });""")
    await show(page, site)
    await page.run(open_page)
    await page.until("globalThis.c?.isEntered")
    # What was refused is kept with its reason; text and file wait.
    await page.run("(c.send(''), true)")
    await page.until("me.outbox.entries[0]?.state === 'failed'")
    await server.kill(keeps_port=True)
    await page.until("me.state === 'waiting'")
    await page.run("""(c.send('one'), c.send({ message: 'two', data: '2' }),
      c.sendFiles([new File(['x'.repeat(300000)], 'notes.txt', { type: 'text/plain' })]), true)""")
    states = "me.outbox.entries.map((e) => [e.state, e.error?.code ?? 0, e.params.message ?? e.file.name])"
    waiting = [["failed", 400105, ""], ["pending", 0, "one"], ["pending", 0, "two"],
               ["pending", 0, "notes.txt"]]
    assert await page.run(states) == waiting
    await page.until("""new Promise((done) => {
      const opening = indexedDB.open("parley", 1);
      opening.onsuccess = () => {
        const all = opening.result.transaction("outbox").objectStore("outbox").getAll();
        all.onsuccess = () => done(all.result.length === 4);
      };
    })""")
    # Another page of the same user leaves them alone as long as this one lives.
    other = await page.tab()
    await show(other, site)
    await other.run(open_page)
    await other.until("me.state === 'waiting' && indexedDB.databases().then((all) => all.length === 1)")
    assert await other.run("me.outbox.entries.length") == 0
    await show(page, site)
    await page.run(open_page)
    holder = await settled(page, other)
    assert await holder.run(states) == waiting
    await again(ctx, server, *UNLIMITED, "--auth-allowed-origins", f"http://{site.host}:{site.port}")
    await holder.until("me.outbox.entries.length === 1 && me.state === 'open'")
    await holder.run("me.outbox.discard()")
    viewer = await ctx.user(server, "viewer")

    async def listed():
        found = (await viewer.call("message.list", channel_url="lobby", prev_limit=50))["messages"]
        return found if len(found) >= 3 else None
    found = await eventually(listed)
    assert [(m["message"], m["data"], m["file"] and m["file"]["size"]) for m in found] == [
        ("one", "", None), ("two", "2", None), ("", "", 300_000)], found
    # A page after that has nothing left to send.
    await show(holder, site)
    await holder.run(open_page)
    await holder.until("globalThis.c?.isEntered")
    assert await holder.run("me.outbox.entries.length") == 0
    assert len((await viewer.call("message.list", channel_url="lobby", prev_limit=50))["messages"]) == 3


@in_browser
async def test_a_persistent_outbox_after_the_end(ctx, page, site):
    """What waits on disk goes out after a final close and connect, and after close to the next client."""
    async with Gateway.start() as gateway:
        await publish(site, gateway)
        await show(page, site)
        gateway.silent.add("message.send")
        await page.run(RUN.format("""
          globalThis.me = start(url, "ada", { outbox: "persistent" });
          globalThis.c = await join(me, "lobby", {});
          globalThis.sending = c.send("one");"""))
        await gateway.until("message.send")
        await gateway.cut(4003)
        await page.until("me.state === 'closed'")
        assert await page.run("me.outbox.entries.map(({ state }) => state)") == ["pending"]
        gateway.silent.clear()
        await page.run("me.connect().then(() => true)")
        assert await page.run("sending.then(({ message }) => message)") == "one"
        # Closed with a message that has no answer: it is for the next client.
        gateway.silent.add("message.send")
        await page.run("(globalThis.sending = c.send('two').catch(({ data }) => data.reason), true)")
        await gateway.until("message.send", 3)
        assert await page.run("(me.close(), sending)") == "closed"
        assert await page.run("me.outbox.entries.length") == 0
        gateway.silent.clear()
        # The same client counts as the next one, with a lock like any other.
        await page.run("me.connect().then(() => true)")
        await gateway.until("message.send", 4)
        await page.until("me.outbox.entries.length === 0 && c.texts().length === 2")
        locks = "navigator.locks.query().then(({ held }) => held.length)"
        await page.until(f"{locks}.then((count) => count === 1)")
        sent = [params for method, params in gateway.asked if method == "message.send"]
        assert [params["message"] for params in sent] == ["one", "one", "two", "two"], sent
        assert [sent[0]["req_id"], sent[2]["req_id"]] == [sent[1]["req_id"], sent[3]["req_id"]]


@in_browser
async def test_a_loss_that_is_noticed_late(ctx, page, site):
    """A message that was being stored while the connection changed goes out on the new one."""
    async with Gateway.start() as gateway:
        await publish(site, gateway)
        await show(page, site)
        await page.run(RUN.format("""
          globalThis.me = start(url, "ada", { outbox: "persistent" });
          globalThis.c = await join(me, "lobby", {});
          // The disk is slow from here on, until it is not.
          const { set } = Object.getOwnPropertyDescriptor(IDBTransaction.prototype, "oncomplete");
          const gate = new Promise((resolve) => { globalThis.release = resolve; });
          Object.defineProperty(IDBTransaction.prototype, "oncomplete", {
            configurable: true, set(done) { set.call(this, () => gate.then(done)); } });
          globalThis.sending = c.send("one");"""))
        await gateway.cut()
        await gateway.until("channel.enter", 2)
        await page.until("me.state === 'open'")
        assert gateway.count("message.send") == 0
        await page.run("(release(), true)")
        assert await page.run("sending.then(({ message }) => message)") == "one"


@in_browser
async def test_a_closed_client_takes_nothing_over(ctx, page, site):
    """A client that is closed while it waits for another's messages leaves them to the next one."""
    async with Gateway.start() as gateway:
        await publish(site, gateway)
        await show(page, site)
        gateway.silent.add("message.send")
        await page.run(RUN.format("""
          globalThis.first = start(url, "ada", { outbox: "persistent" });
          globalThis.c = await join(first, "lobby", {});
          c.send("one").catch(() => {});"""))
        await gateway.until("message.send")
        stored = """new Promise((done) => {
          const opening = indexedDB.open("parley", 1);
          opening.onsuccess = () => {
            const all = opening.result.transaction("outbox").objectStore("outbox").getAll();
            all.onsuccess = () => done(all.result.map(({ owner }) => owner));
          };
        })"""
        owners = await page.run(stored)
        assert len(owners) == 1, owners
        await page.run("(globalThis.second = start(url, 'ada', { outbox: 'persistent' }), true)")
        locks = "navigator.locks.query().then(({{ held, pending }}) => held.length === {} && pending.length === {})"
        await page.until(locks.format(2, 1))
        await page.run("(second.close(), true)")
        await page.until(locks.format(1, 1))
        await page.run("(first.close(), true)")
        await page.until(locks.format(0, 0))
        assert await page.run(stored) == owners


async def settled(*tabs):
    """The tab that has taken the messages over."""
    async def found():
        for tab in tabs:
            if await tab.run("globalThis.me?.outbox.entries.length === 4"):
                return tab
        return None
    return await eventually(found, "a page that takes the messages over")


@in_browser
async def test_the_web_chat(ctx, page, site):
    """The example shows history and news, sends texts and files, and what waits or was refused."""
    with open(os.path.join(EXAMPLES, "web-chat", "index.html"), encoding="utf-8") as file:
        text = file.read()
    assert text.count("\n") <= 60
    server = await elsewhere(ctx, site, *FLAGS)
    address = f"/?gateway=http://127.0.0.1:{server.port}&name=ada"
    site.add_html(address, text)
    viewer = await ctx.user(server, "viewer", nickname="<b>Vera</b>")
    await viewer.call("channel.create", channel_url="lobby")
    await viewer.enter("lobby")
    await viewer.send("lobby", "old")
    await page.open(site.url(address))
    rows = "[...document.querySelectorAll('#messages li')].map((row) => row.textContent.trim())"
    await page.until(f"{rows}.length === 1")
    new = (await viewer.send("lobby", "new <i>"))["message"]
    await page.until(f"{rows}.length === 2")
    assert await page.run(rows) == ["<b>Vera</b>: old", "<b>Vera</b>: new <i>"]
    write = "(box.value = {}, document.forms[0].requestSubmit())"
    await page.run(write.format("'hello'"))
    await viewer.event("message.received")
    await page.choose("#files", written(ctx, "notes.txt", b"some notes"))
    await page.until(f"{rows}.length === 4")
    assert (await page.run(rows))[2:] == ["ada: hello", "ada:  notes.txt"]
    url = await page.run("document.querySelector('#messages a').href")
    assert (await download(server, url))[2] == b"some notes"
    await viewer.call("message.delete", channel_url="lobby", message_id=new["message_id"])
    await page.until(f"{rows}.length === 3")
    # A text that is refused has a button that sends it again.
    await viewer.call("channel.mute", channel_url="lobby", user_id="ada")
    await page.run(write.format("'quiet'"))
    await page.until("waiting.querySelector('li.failed button')?.textContent === 'Retry'")
    await viewer.call("channel.unmute", channel_url="lobby", user_id="ada")
    await page.run("waiting.querySelector('button').click()")
    await page.until(f"{rows}.length === 4 && waiting.children.length === 0")
    # While the gateway is away, what is written waits in sight.
    await server.kill(keeps_port=True)
    await page.until("state.textContent.includes('1006')")
    await page.run(write.format("'later'"))
    assert await page.run("waiting.textContent") == "later (pending)"
    await again(ctx, server, *FLAGS, "--auth-allowed-origins", f"http://{site.host}:{site.port}")
    await page.until(f"{rows}.length === 5")
    assert (await page.run(rows))[4] == "ada: later" and await page.run("waiting.children.length") == 0
    # An entry that is refused says so; its error ends the script.
    viewer = await ctx.user(server, "viewer")
    await viewer.call("channel.ban", channel_url="lobby", user_id="ada")
    await page.open(site.url(address))
    await page.until("state.textContent.includes('banned')")
    assert any("banned" in error for error in page.errors), page.errors
    page.errors.clear()


def written(ctx, name, content):
    path = os.path.join(ctx.directory(), name)
    with open(path, "wb") as file:
        file.write(content)
    return path
