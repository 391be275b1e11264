"""parley-streams.js: clients whose WebSockets are blocked, in Node and in a browser."""

import asyncio
import contextlib
import json
import signal

import pagechat
from fronts import Front, cutting, dropped, hanging, held, once, refused, times, unanswered
from harness import eventually, scaled
from parleyjs import UNLIMITED, again, elsewhere, in_browser, node, show

STREAMS = "parley-streams.js"
# The time limit of a handshake, 5 s, is over sooner.
HASTE = f"""
  const usual = globalThis.setTimeout;
  globalThis.setTimeout = (action, ms, ...values) => usual(action, ms === 5000 ? {scaled(500)} : ms, ...values);
"""
# What is in memory for pages.
STORAGE = "globalThis.window = { localStorage: {} };"
REFUSED = {"upgrade": refused(403)}


@contextlib.asynccontextmanager
async def front(server, **treats):
    made = await Front.start(server.port, **treats)
    try:
        yield made
    finally:
        made.close()


async def enter(made, url, *names, options="{}"):
    """Clients of these names whose channels are in `rooms`."""
    await made.run(f"""
      globalThis.clients ??= {{}}; globalThis.rooms ??= {{}};
      for (const name of {json.dumps(names)}) {{
        clients[name] = start("{url}", name, {options});
        rooms[name] = await join(clients[name], "lobby");
      }}""")


async def talk(made, sender, reader, count=20):
    """A client receives each message of another one once, and in order."""
    texts = await made.run(f"""
      const from = rooms.{reader}.got.length;
      for (let count = 0; count < {count}; count++) await rooms.{sender}.send(String(count));
      return until(() => {{
        const texts = rooms.{reader}.texts().slice(from);
        return texts.length >= {count} && texts;
      }});""")
    assert texts == [str(number) for number in range(count)], texts


async def seen(condition):
    async def is_seen():
        return condition()
    await eventually(is_seen)


async def number(server, name):
    """The value of a metric."""
    _, _, text = await server.get("/metrics")
    return next(int(line.split(b" ")[1]) for line in text.split(b"\n") if line.startswith(name.encode() + b" "))


async def test_a_chat(ctx):
    """Clients with streams alone talk; what was sent before `close` arrives, and the session ends at once."""
    server = await ctx.fresh(*UNLIMITED)
    async with node(ctx, server, STREAMS) as made:
        await enter(made, f"http://127.0.0.1:{server.port}", "ada", "ben", options="{ WebSocket: StreamSocket }")
        await talk(made, "ada", "ben")
        await talk(made, "ben", "ada")
        # A line separator does not end a line of an event.
        odd = 'é🎉 "\u2028\u2029\r\n\n: id: 9'
        await made.run(f"await rooms.ada.send({json.dumps(odd)})")
        await made.until(f"rooms.ben.texts().at(-1) === {json.dumps(odd)}")
        assert await number(server, "parley_streams") == 2
        await made.run("""
          for (const message of ["one", "two"]) rooms.ada.call("message.send", { message }).catch(() => {});
          await new Promise((resolve) => setTimeout(resolve));
          clients.ada.close();""")
        await made.until("rooms.ben.texts().slice(-2).join() === 'one,two' && rooms.ben.participantCount === 1")
        assert await made.run("return clients.ada.states") == ["connecting", "open", "closed 0"]


async def test_refused_handshakes(ctx):
    """After the second refused handshake a client uses a stream, and others of its process at once."""
    server = await ctx.fresh(*UNLIMITED)
    for status in (403, 502):
        async with front(server, upgrade=refused(status)) as proxy, node(ctx, server, STREAMS) as made:
            await enter(made, proxy.url, "ada", "ben")
            await talk(made, "ada", "ben")
            await talk(made, "ben", "ada")
            assert await made.run("return clients.ada.states") == ["connecting", "waiting 0", "connecting", "open"]
            # Of each client one, and the second one of the first client.
            assert (proxy.count("upgrade"), proxy.count("open"), proxy.count("poll")) == (3, 2, 0), proxy.asked


async def test_a_handshake_that_hangs(ctx):
    """A handshake without an answer counts as blocked; one that comes later does not."""
    server = await ctx.fresh(*UNLIMITED)
    gate = asyncio.Event()
    async with front(server, upgrade=hanging(gate)) as proxy, node(ctx, server, STREAMS) as made:
        await made.run(HASTE + STORAGE)
        await enter(made, proxy.url, "ada")
        assert (proxy.count("open"), proxy.count("listen")) == (1, 1), proxy.asked
        await made.until("Object.values(window.localStorage)[0] > Date.now()")
        gate.set()
        await made.until("Object.values(window.localStorage)[0] === 0")
        await made.run("clients.ada.close(); await clients.ada.connect()")
        assert proxy.count("open") == 1 and proxy.asked[-1] == "upgrade", proxy.asked


async def test_the_memory(ctx):
    """For an hour a client and those of later pages use streams at once, and then try a WebSocket again."""
    server = await ctx.fresh(*UNLIMITED)
    async with front(server, **REFUSED) as proxy:
        async with node(ctx, server, STREAMS) as made:
            await made.run(STORAGE)
            await enter(made, proxy.url, "ada")
            upgrades = proxy.count("upgrade")
            await made.run("clients.ada.close(); await clients.ada.connect()")
            await talk(made, "ada", "ada")
            stored = await made.run("return window.localStorage")
        assert proxy.count("upgrade") == upgrades, proxy.asked
        assert [*stored] == [f"parley.streams {proxy.url}"], stored
        async with node(ctx, server, STREAMS) as made:
            await made.run(STORAGE + f"Object.assign(window.localStorage, {json.dumps(stored)})")
            await enter(made, proxy.url, "ada")
            assert proxy.count("upgrade") == upgrades, proxy.asked
            # A client that ends before its stream was opened has learned nothing.
            opened, gate = proxy.count("open"), asyncio.Event()
            proxy.treats["open"] = hanging(gate)
            await made.run(f"globalThis.brief = start('{proxy.url}', 'ben')")
            await seen(lambda: proxy.count("open") > opened)
            await made.run("brief.close()")
            assert await made.run("return window.localStorage") == stored
            proxy.treats.pop("open")
            gate.set()
            await made.run("""
              const now = Date.now;
              Date.now = () => now() + 3_600_000;
              clients.ada.close(); await clients.ada.connect();""")
            assert proxy.count("upgrade") > upgrades, proxy.asked


async def test_a_gateway_that_is_down(ctx):
    """Where neither handshakes nor requests arrive, nothing is remembered: the next connection is a WebSocket."""
    server = await ctx.fresh(*UNLIMITED)
    async with front(server, upgrade=dropped, open=dropped) as proxy, node(ctx, server, STREAMS) as made:
        await made.run(STORAGE + f"globalThis.clients = {{ ada: start('{proxy.url}', 'ada') }}")
        await made.until("clients.ada.states.length >= 5")
        assert proxy.count("open") >= 1, proxy.asked
        proxy.treats.clear()
        await made.run("await clients.ada.connect()")
        assert await made.run("return Object.values(window.localStorage)") == [0]
        assert proxy.count("listen") == 0, proxy.asked


async def test_a_gateway_without_streams(ctx):
    """Where streams are off, a client keeps trying WebSockets."""
    server = await ctx.fresh(*UNLIMITED, "--streams-mode", "off")
    async with front(server, **REFUSED) as proxy, node(ctx, server, STREAMS) as made:
        await made.run(f"globalThis.clients = {{ ada: start('{proxy.url}', 'ada') }}")
        await made.until("clients.ada.states.length >= 7")
        assert proxy.count("open") >= 1 and proxy.count("upgrade") >= 3, proxy.asked
        proxy.treats.clear()
        await made.run("await clients.ada.connect()")


async def test_without_the_module(ctx):
    """A client whose module for streams is missing keeps trying WebSockets, whatever its options are."""
    server = await ctx.fresh(*UNLIMITED)
    async with front(server, **REFUSED) as proxy, node(ctx, server) as made:
        await made.run(f"""
          globalThis.clients = {{
            ada: start("{proxy.url}", "ada"), ben: start("{proxy.url}", "ben", {{ transport: "stream" }}) }};
          await until(() => Object.values(clients).every(({{ states }}) => states.length >= 5));""")
        proxy.treats.clear()
        await made.run("for (const client of Object.values(clients)) await client.connect()")
        assert "open" not in proxy.asked


async def test_the_option(ctx):
    """`transport` excludes streams, or WebSockets; a class of the application excludes both."""
    server = await ctx.fresh(*UNLIMITED)
    async with front(server, **REFUSED) as proxy, node(ctx, server, STREAMS) as made:
        await made.run(f"""
          globalThis.clients = {{
            ada: start("{proxy.url}", "ada", {{ transport: "websocket" }}),
            ben: start("{proxy.url}", "ben", {{ WebSocket }}),
          }};
          await until(() => Object.values(clients).every(({{ states }}) => states.length >= 7));
          for (const client of Object.values(clients)) client.close();""")
        assert "open" not in proxy.asked
        async with front(server) as other:
            await enter(made, other.url, "eve", options="{ transport: 'stream' }")
            assert (other.count("upgrade"), other.count("open")) == (0, 1), other.asked


async def test_held_responses(ctx):
    """Through a proxy that holds responses back until they have 64 KiB or end, a client polls."""
    server = await ctx.fresh(*UNLIMITED)
    async with front(server, **REFUSED, listen=held) as proxy, node(ctx, server, STREAMS) as made:
        await enter(made, proxy.url, "ada", "ben")
        await talk(made, "ada", "ben", 100)
        assert (proxy.count("listen"), proxy.count("poll") > 2) == (2, True), proxy.asked


async def test_cut_responses(ctx):
    """Through a proxy that cuts each response, nothing is lost or comes twice, and all is in order."""
    server = await ctx.fresh(*UNLIMITED)
    async with front(server, **REFUSED, listen=cutting(5)) as proxy, node(ctx, server, STREAMS) as made:
        await enter(made, proxy.url, "ada", "ben")
        await talk(made, "ada", "ben", 200)
        await talk(made, "ben", "ada", 50)
        assert proxy.count("listen") > 20 and proxy.count("open") == 2, proxy.asked


async def test_posts_beyond_a_limit(ctx):
    """A message that is one of too many is posted again, and later ones wait for it."""
    server = await ctx.fresh(*UNLIMITED)

    async def limited(front, head, reader, writer):
        body = b'{"error":true,"code":500910,"message":"wait","retry_after_ms":20}'
        writer.write(b"HTTP/1.1 429 No\r\nContent-Type: application/json\r\nConnection: close\r\n"
                     + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()
    async with front(server, **REFUSED) as proxy, node(ctx, server, STREAMS) as made:
        await enter(made, proxy.url, "ada", "ben")
        proxy.treats["post"] = times(3, limited)
        assert await made.run("""
          await Promise.all(["one", "two", "three"].map((text) => rooms.ada.send(text)));
          return until(() => rooms.ben.got.length === 3 && rooms.ben.texts());""") == ["one", "two", "three"]
        assert proxy.count("open") == 2, proxy.asked


async def test_a_post_without_an_answer(ctx):
    """A message that may have been received is sent in another session, and comes once."""
    server = await ctx.fresh(*UNLIMITED)
    async with front(server, **REFUSED) as proxy, node(ctx, server, STREAMS) as made:
        await enter(made, proxy.url, "ada", "ben")
        for count, lost in enumerate((unanswered, dropped, refused(502)), 1):
            proxy.treats["post"] = once(lost)
            await made.run(f"""
              await rooms.ada.send("unsure");
              await until(() => rooms.ben.got.length === {4 * count - 3});""")
            await talk(made, "ada", "ben", 3)
        assert await made.run("return rooms.ben.texts().filter((text) => text === 'unsure').length") == 3
        assert proxy.count("open") == 5, proxy.asked


async def test_a_stream_that_is_gone(ctx):
    """A client whose stream has ended, or whose server was killed, opens another one and recovers."""
    server = await ctx.fresh(*UNLIMITED, "--streams-grace-seconds", "1")
    async with front(server, **REFUSED) as proxy, node(ctx, server, STREAMS) as made:
        await enter(made, proxy.url, "ada", "ben")
        # Only one of them reads, and is not read.
        await made.run("clients.ben.close()")
        await enter(made, f"http://127.0.0.1:{server.port}", "ben")
        proxy.treats["listen"] = proxy.treats["poll"] = refused(503)
        proxy.cut()
        for text in ("one", "two"):
            await made.run(f"await rooms.ben.send('{text}')")
        await made.until("rooms.ben.participantCount === 1")
        await made.run("await rooms.ben.send('three')")
        proxy.treats.pop("listen"), proxy.treats.pop("poll")
        await made.until("rooms.ada.got.length === 3")
        assert await made.run("return rooms.ada.texts()") == ["one", "two", "three"]
        await made.run("clients.ben.close()")
        await server.kill(keeps_port=True)
        await made.until("clients.ada.state === 'waiting'")
        server = await again(ctx, server, *UNLIMITED)
        await made.until("rooms.ada.isEntered")
        await talk(made, "ada", "ada")
        assert await number(server, "parley_streams") == 1


async def test_closes(ctx):
    """The codes of closes reach a client as over a WebSocket."""
    server = await ctx.server(*UNLIMITED, "--limits-connections-per-user", "1")
    gate = asyncio.Event()
    async with front(server) as proxy, node(ctx, server, STREAMS) as made:
        await enter(made, proxy.url, "ada", options="{ transport: 'stream' }")
        proxy.treats["post"] = once(hanging(gate))
        posts = proxy.count("post")
        await made.run("clients.ada.call('channel.list').catch(() => {})")
        await seen(lambda: proxy.count("post") > posts)
        await made.run(f"""
          globalThis.other = start("http://127.0.0.1:{server.port}", "ada", {{ transport: "stream" }});
          await other.connect();""")
        await made.until("clients.ada.state === 'closed'")
        assert await made.run("return clients.ada.error.data") == {"reason": "closed", "close": 4003}
        # The answer to a message on its way changes nothing.
        asked = len(proxy.asked)
        gate.set()
        await made.run("await other.call('channel.list')")
        await seen(lambda: not proxy.writers)
        assert len(proxy.asked) == asked, proxy.asked


async def test_drains(ctx):
    """A draining server is left when it says, and its successor has what was sent meanwhile."""
    server = await ctx.fresh(*UNLIMITED)
    async with node(ctx, server, STREAMS) as made:
        url = f"http://127.0.0.1:{server.port}"
        await enter(made, url, "ada", "ben", options="{ transport: 'stream' }")
        await made.run("globalThis.drained = new Promise((resolve) => clients.ada.on('server.draining', resolve))")
        server.process.send_signal(signal.SIGTERM)
        assert await made.run("return (await drained).reconnect_after_ms") >= 0
        assert await server.wait() == 0
        await made.run("globalThis.send = rooms.ada.send('meanwhile')")
        await again(ctx, server, *UNLIMITED)
        await made.run("await send; await rooms.ada.send('after')")
        await made.until("rooms.ben.got.length === 2")
        assert await made.run("return rooms.ben.texts()") == ["meanwhile", "after"]


async def test_a_refused_session(ctx):
    """A refusal of the first message has its code, and is final where it is over a WebSocket."""
    server = await ctx.fresh("--unfurl-mode", "off", "--auth-mode", "token")
    async with front(server, **REFUSED) as proxy, node(ctx, server, STREAMS) as made:
        await made.run(STORAGE + f"globalThis.ada = start('{proxy.url}', 'ada', {{ token: 'wrong' }})")
        await made.until("ada.state === 'closed'")
        assert await made.run("return [ada.error.code, window.localStorage]") == [400302, {}]


# In a browser


@in_browser
async def test_event_source(ctx, page, site):
    """The EventSource of a page of another origin reads a stream, and continues after a cut."""
    server = await elsewhere(ctx, site, *UNLIMITED)
    site.add_html("/", "<!doctype html><title>Events</title>")
    async with front(server) as proxy:
        await page.open(site.url("/"))
        await page.run(f"""(async () => {{
          globalThis.base = "{proxy.url}";
          globalThis.post = async (path, method, params = {{}}) => (await fetch(base + path, {{
            method: "POST", body: JSON.stringify({{ jsonrpc: "2.0", id: 1, method, params }}) }})).json();
          globalThis.got = []; globalThis.ids = []; globalThis.closes = [];
          const {{ stream }} = await post("/v1/streams", "session.open", {{ user_id: "ada" }});
          globalThis.stream = stream;
          globalThis.source = new EventSource(base + stream);
          source.onmessage = ({{ data, lastEventId }}) => {{
            const {{ method, params }} = JSON.parse(data);
            ids.push(Number(lastEventId));
            if (method === "message.received") got.push(params.message.message);
          }};
          source.addEventListener("close", ({{ data }}) => {{ closes.push(JSON.parse(data)); source.close(); }});
          await post(stream, "channel.create", {{ channel_url: "lobby" }});
          await post(stream, "channel.enter", {{ channel_url: "lobby" }});
        }})()""")
        ben = await ctx.user(server, "ben")
        await ben.enter("lobby")
        for text in ("one", "two", "three"):
            await ben.send("lobby", text)
            await page.until(f"got.at(-1) === '{text}'")
            listens = proxy.count("listen")
            proxy.cut()
            await ben.send("lobby", f"after {text}")
            await page.until(f"got.at(-1) === 'after {text}'")
            assert proxy.count("listen") > listens
        assert await page.run("got") == ["one", "after one", "two", "after two", "three", "after three"]
        assert await page.run("ids.every((id, index) => id === index + 1)"), await page.run("ids")
        await page.run("fetch(base + stream, { method: 'DELETE' }).then(({ status }) => status)")
        await page.until("closes.length === 1")
        assert await page.run("closes") == [{"code": 1000, "reason": ""}]


async def publish(site, server, proxy, policy=None):
    """A page that chats through the proxy."""
    for name in ("/parley.js", "/parley-streams.js"):
        _, _, module = await server.get(name)
        site.answer(name, "200 OK", {"Content-Type": "text/javascript"}, module)
    fields = {"content_security_policy": policy} if policy else {}
    site.add_html("/", f"""<!doctype html><title>A chat</title><script type="module">
      import {{ Parley }} from "/parley.js";
      globalThis.parley = new Parley("{proxy.url}", {{ userId: "ada" }});
      globalThis.lobby = await parley.enter("lobby", {{ create: true }});
      globalThis.got = [];
      lobby.on("received", ({{ message }}) => got.push(message));
    </script>""", **fields)


@in_browser
async def test_a_page(ctx, page, site):
    """A page falls back to a stream, the next one uses it at once, and its session ends with the page."""
    server = await elsewhere(ctx, site, *UNLIMITED)
    ben = await ctx.user(server, "ben")
    await ben.call("channel.create", channel_url="lobby")
    await ben.enter("lobby")
    async with front(server, **REFUSED) as proxy:
        await publish(site, server, proxy)
        await page.open(site.url("/"))
        for upgrades in (2, 2):
            await page.until("globalThis.lobby?.isEntered")
            await page.run("lobby.send('from the page').then(() => true)")
            await ben.until(lambda: ben.messages("lobby"), "the message")
            await ben.send("lobby", "hello")
            await page.until("got.includes('hello')")
            assert proxy.count("upgrade") == upgrades, proxy.asked
            await page.call("Page.reload")
        await page.until("globalThis.lobby?.isEntered")
        assert proxy.count("delete") == 2, proxy.asked
        assert not page.errors, page.errors


@in_browser
async def test_the_page_of_the_gateway(ctx, page, site):
    """The page at `/` may load the module, and chats over a stream."""
    server = await ctx.server(*UNLIMITED)
    ben = await ctx.user(server, "ben")
    await ben.call("channel.create", channel_url="streamed")
    await ben.enter("streamed")
    async with front(server, **REFUSED) as proxy:
        await pagechat.enter(page, proxy, "streamed", "ada")
        await pagechat.write(page, "from the page")
        await ben.until(lambda: ben.messages("streamed"), "the message")
        await ben.send("streamed", "hello")
        await page.until(f"{pagechat.ROWS}.join().includes('hello')")
        assert (proxy.count("upgrade"), proxy.count("open")) == (2, 1), proxy.asked


@in_browser
async def test_a_page_that_forbids_the_module(ctx, page, site):
    """Where a policy forbids to load the module, a client keeps trying WebSockets."""
    server = await elsewhere(ctx, site, *UNLIMITED)
    async with front(server, **REFUSED) as proxy:
        await publish(site, server, proxy, policy=f"script-src 'unsafe-inline' {site.url('/parley.js')}")
        await page.open(site.url("/"))
        await page.until("globalThis.parley?.state === 'waiting'")

        await seen(lambda: proxy.count("upgrade") >= 3)
        assert "open" not in proxy.asked, proxy.asked
        proxy.treats.clear()
        await page.until("globalThis.lobby?.isEntered")
        assert not page.errors, page.errors
