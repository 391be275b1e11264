"""Pushes in parley.js, and the service worker that shows them."""

import json

from parleyjs import FLAGS, Gateway, node
from schemas import source

KEY = "BAAB"
CHOICES = {"push_trigger_option": "mention_only", "do_not_disturb": False}
# What a browser has: a registration with one subscription at most.
BROWSER = """
globalThis.code = (promise) => promise.then(() => 0, ({ code, data }) => data?.reason ?? code);
globalThis.calls = [];
globalThis.registered = (key = "BAAB") => {
  const pushManager = {
    held: null,
    getSubscription: async () => pushManager.held,
    subscribe: async (options) => {
      calls.push(["subscribe", options]);
      const endpoint = `https://push.example/${calls.length}`;
      const bytes = Uint8Array.from(atob(options.applicationServerKey), (one) => one.charCodeAt(0));
      return pushManager.held = {
        endpoint, options: { applicationServerKey: bytes.buffer },
        toJSON: () => ({ endpoint, expirationTime: null, keys: { p256dh: "p", auth: "a" } }),
        unsubscribe: async () => { calls.push(["unsubscribe", endpoint]); pushManager.held = null; },
      };
    },
  };
  return { pushManager };
};
"""


class PushGateway(Gateway):
    """The small gateway with pushes."""

    def __init__(self):
        super().__init__()
        self.features = {"push": {"types": ["web"], "web_key": KEY}}

    def result(self, method, params):
        if method == "push.tokens":
            return {"tokens": [{"type": "web", "token": "12345678"}]}
        if method == "push.preferences":
            return {"preferences": {**CHOICES, **params}}
        result = super().result(method, params)
        return {**result, "features": self.features} if method == "session.open" else result

    def asked_about(self, *methods):
        return [(method, params) for method, params in self.asked if method in methods]


async def test_the_worker_is_served(ctx):
    """The service worker may be registered for all pages of its origin."""
    server = await ctx.server(*FLAGS)
    worker = source("parley-push.js")
    status, fields, body = await server.get("/parley-push.js")
    assert (status, body) == (200, worker)
    assert fields["content-type"] == "text/javascript; charset=utf-8", fields
    assert fields["service-worker-allowed"] == "/" and fields["cache-control"] == "public, max-age=300", fields
    status, _, body = await server.get("/parley-push.js", **{"If-None-Match": fields["etag"]})
    assert (status, body) == (304, b"")
    assert len(worker.splitlines()) <= 65


async def test_subscribing(ctx):
    """A browser is registered with the server's key, and a subscription with another key is replaced."""
    async with PushGateway.start() as gateway, node(ctx) as made:
        await made.run(BROWSER)
        await made.run(f"globalThis.ada = start({json.dumps(gateway.url)}, 'ada'); globalThis.place = registered()")
        await made.run("await ada.push.subscribe(place, { device_id: 'laptop' })")
        subscription = {"endpoint": "https://push.example/1", "keys": {"p256dh": "p", "auth": "a"}}
        assert gateway.asked_about("push.register") == [
            ("push.register", {"device_id": "laptop", "type": "web", "subscription": subscription})]
        assert await made.run("return calls") == [
            ["subscribe", {"userVisibleOnly": True, "applicationServerKey": KEY}]]
        # The same one is registered again, which a page does at each start.
        await made.run("await ada.push.subscribe(place)")
        assert await made.run("return calls.length") == 1 and gateway.count("push.register") == 2
        await made.run("""
          place.pushManager.held.options.applicationServerKey = new Uint8Array([1, 2, 3]).buffer;
          await ada.push.subscribe(place)""")
        assert await made.run("return calls.slice(1).map(([name]) => name)") == ["unsubscribe", "subscribe"]
        await made.run("await ada.push.unsubscribe()")
        assert gateway.asked_about("push.unregister") == [
            ("push.unregister", {"type": "web", "endpoint": "https://push.example/3"})]
        await made.run("await ada.push.unsubscribe(place)")
        assert gateway.count("push.unregister") == 1
        assert await made.run("return ada.push.isSupported") is False


async def test_subscribing_in_vain(ctx):
    """A page learns why it receives no pushes: the server, its own call, or the browser."""
    async with PushGateway.start() as gateway, node(ctx) as made:
        await made.run(BROWSER)
        gateway.features = {}
        await made.run(f"globalThis.ada = start({json.dumps(gateway.url)}, 'ada'); globalThis.place = registered()")
        assert await made.run("return code(ada.push.subscribe(place))") == "unsupported"
        assert await made.run("return code(ada.push.subscribe())") == "invalid"
        gateway.features = {"push": {"types": ["web"], "web_key": KEY}}
        await made.run("ada.close(); await ada.connect()")
        await made.run("place.pushManager.subscribe = async () => { throw new Error('denied') }")
        assert await made.run("return code(ada.push.subscribe(place))") == "failed"
        assert gateway.count("push.register") == 0


async def test_choices_and_tokens(ctx):
    """The choices are changed and returned, the tokens listed; a call whose answer is lost is repeated."""
    async with PushGateway.start() as gateway, node(ctx) as made:
        await made.run(f"globalThis.ada = start({json.dumps(gateway.url)}, 'ada')")
        assert await made.run("return ada.push.tokens()") == [{"type": "web", "token": "12345678"}]
        assert await made.run("return ada.push.preferences()") == CHOICES
        gateway.silent.add("push.preferences")
        await made.run("globalThis.chosen = ada.push.preferences({ do_not_disturb: true }); chosen.catch(() => {})")
        await gateway.until("push.preferences", 2)
        gateway.silent.clear()
        await gateway.cut()
        assert (await made.run("return chosen"))["do_not_disturb"] is True
        assert gateway.count("push.preferences") == 3


async def test_the_background(ctx):
    """The background is reported when it changes, and with each new session."""
    async with PushGateway.start() as gateway, node(ctx) as made:
        await made.run(f"globalThis.ada = start({json.dumps(gateway.url)}, 'ada')")
        await made.run("await ada.connect(); await ada.background(false); await ada.background()")
        await made.run("await ada.background(true)")
        assert gateway.asked_about("session.background") == [("session.background", {"on": True})]
        await gateway.cut()
        await gateway.until("session.background", 2)
        await made.run("await ada.connect(); await ada.background(false)")
        assert gateway.asked_about("session.background")[1:] == [
            ("session.background", {"on": True}), ("session.background", {"on": False})]
        await gateway.cut()
        await gateway.until("session.open", 3)
        await made.run("await ada.connect(); await ada.push.tokens()")
        assert gateway.count("session.background") == 3


async def test_the_visibility_of_a_page(ctx):
    """With `background: "visibility"` a hidden page is in the background, from its first session on."""
    async with PushGateway.start() as gateway, node(ctx) as made:
        await made.run("""
          globalThis.document = Object.assign(new EventTarget(), { visibilityState: "hidden" });
          globalThis.turn = (state) => {
            document.visibilityState = state;
            document.dispatchEvent(new Event("visibilitychange"));
          };""")
        await made.run(f"""
          globalThis.ada = start({json.dumps(gateway.url)}, "ada", {{ background: "visibility" }});
          globalThis.bob = start({json.dumps(gateway.url)}, "bob");""")
        await gateway.until("session.background")
        await made.run("await Promise.all([ada.connect(), bob.connect()]); turn('visible')")
        await gateway.until("session.background", 2)
        await made.run("turn('hidden')")
        await gateway.until("session.background", 3)
        assert [params["on"] for _, params in gateway.asked_about("session.background")] == [True, False, True]


# A service worker's surroundings, which note what it does.
WORKER = """
globalThis.work = async (text, pages = []) => {
  const { runInNewContext } = await import("node:vm");
  const done = [], listeners = {};
  const scope = "https://chat.example/app/";
  const client = (url) => ({
    url, focus: async () => { done.push(["focus", url]); return client(url); },
    postMessage: (message) => done.push(["post", url, message]),
  });
  const self = {
    location: new URL(`${scope}parley-push.js`),
    addEventListener: (name, action) => { listeners[name] = action; },
    skipWaiting: () => {},
    clients: {
      claim: async () => {}, matchAll: async () => pages.map(client),
      openWindow: async (url) => done.push(["open", url]),
    },
    registration: {
      scope, showNotification: async (title, options) => done.push(["show", title, options]),
      pushManager: { subscribe: async (options) => done.push(["subscribe", options]) },
    },
  };
  runInNewContext(text, { self, URL, Object, String });
  return { done, async fire(name, event) {
    let wait;
    listeners[name]({ waitUntil: (promise) => { wait = promise; }, ...event });
    await wait;
  } };
};
"""
PUSH = {"type": "message", "channel_url": "team one", "message_id": 1042, "title": "Jeff · Team", "body": "see swift.org",
        "ts": 5}


async def work(made, pages, *events):
    """What the worker does at some events, with these pages open."""
    text = source("parley-push.js").decode()
    fired = "".join(f"await worker.fire({events});" for events in events)
    return await made.run(f"""
      const worker = await work({json.dumps(text)}, {json.dumps(pages)});
      {fired}
      return worker.done;""")


def push(text):
    return f"'push', {{ data: {{ json: () => JSON.parse({json.dumps(text)}) }} }}"


def click(data):
    return f"'notificationclick', {{ notification: {{ close() {{}}, data: {json.dumps(data)} }} }}"


async def test_what_the_worker_shows(ctx):
    """Each push shows something, and a repeated one replaces the first by its tag."""
    async with node(ctx) as made:
        await made.run(WORKER)
        [shown] = await work(made, [], push(json.dumps(PUSH)))
        assert shown == ["show", "Jeff · Team", {
            "body": "see swift.org", "tag": "1042", "timestamp": 5, "data": PUSH}]
        for text in ("{}", "", "null", "[", "7"):
            [[_, title, options]] = await work(made, [], push(text))
            assert title == "New message" and options["body"] == "" and options["tag"] == "parley", text
        [[_, title, _]] = await work(made, [], "'push', {}")
        assert title == "New message"


async def test_what_a_click_opens(ctx):
    """A click brings a page of the scope to the front, or opens one with the group."""
    async with node(ctx) as made:
        await made.run(WORKER)
        page = "https://chat.example/app/?name=ada"
        others = ["https://chat.example/", "https://chat.example/app/dashboard#/users", "https://chat.example/app/docs"]
        message = {"type": "parley.open", "push": PUSH}
        assert await work(made, [*others, page], click(PUSH)) == [["focus", page], ["post", page, message]]
        assert await work(made, others, click(PUSH)) == [["open", "https://chat.example/app/?group=team+one"]]
        assert await work(made, [], click(None)) == [["open", "https://chat.example/app/"]]


async def test_a_replaced_subscription(ctx):
    """The worker subscribes again where the browser has not, and pages register it."""
    async with node(ctx) as made:
        await made.run(WORKER)
        page = "https://chat.example/app/"
        post = ["post", page, {"type": "parley.subscribe"}]
        old = "oldSubscription: { options: { applicationServerKey: 'k' } }"
        assert await work(made, [page], f"'pushsubscriptionchange', {{ {old} }}") == [
            ["subscribe", {"userVisibleOnly": True, "applicationServerKey": "k"}], post]
        assert await work(made, [page], f"'pushsubscriptionchange', {{ {old}, newSubscription: {{}} }}") == [post]
        assert await work(made, [], "'pushsubscriptionchange', {}") == []
