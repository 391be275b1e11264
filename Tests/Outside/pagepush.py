"""Notifications of the embedded page, and its service worker, in a real browser where one is installed."""

import json

import browser
from calls import Caller
from harness import eventually
from pagechat import FLAGS
from pagefiles import enter

PUSH = [*FLAGS, "--push-web", "true", "--push-subject", "mailto:operations@chat.example"]
STATE = "document.getElementById('notify').dataset.state"
CLICK = "document.getElementById('notify').click()"
# A browser without a connection to its push service cannot subscribe. The keys are real ones.
SUBSCRIPTIONS = """
const text = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
  .replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
let held = null;
Object.assign(PushManager.prototype, {
  getSubscription: async () => held,
  async subscribe({ userVisibleOnly, applicationServerKey }) {
    const { publicKey } = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"]);
    const keys = {
      p256dh: text(await crypto.subtle.exportKey("raw", publicKey)), auth: text(crypto.getRandomValues(new Uint8Array(16))),
    };
    globalThis.asked = [userVisibleOnly, applicationServerKey];
    const endpoint = "https://push.example/one";
    held = { endpoint, toJSON: () => ({ endpoint, keys }), unsubscribe: async () => { held = null; } };
    return held;
  },
});
"""


def in_profile(test):
    async def attempt(ctx):
        browser.need()
        async with browser.ProfilePage() as page:
            await test(ctx, page)
            assert not page.errors, page.errors
    attempt.__doc__ = test.__doc__
    return attempt


async def permit(page, server, setting):
    origin = f"http://127.0.0.1:{server.port}"
    await page.open(origin)
    await page.permit("notifications", setting, origin)


async def tokens(server, user="ada"):
    async with Caller(server) as caller:
        return (await caller.call("GET", f"/users/{user}/push/web"))["token"]


@in_profile
async def test_the_button(ctx, page):
    """A click registers the browser for its user, and another one ends that."""
    server = await ctx.fresh(*PUSH)
    await page.call("Page.addScriptToEvaluateOnNewDocument", source=SUBSCRIPTIONS)
    await permit(page, server, "granted")
    await enter(page, server, "lobby")
    await page.until(f"{STATE} === 'off'")
    assert await page.run("document.getElementById('notify').textContent.trim()") == "Notify me"
    assert await tokens(server) == []
    await page.run(CLICK)
    await page.until(f"{STATE} === 'on'")
    assert await tokens(server) == ["https://push.example/one"]
    asked = await page.run("asked")
    assert asked[0] is True and len(asked[1]) == 87, asked
    assert await page.run("document.getElementById('notify').getAttribute('aria-pressed')") == "true"
    # It is the subscription of its user, not of another one in the same browser.
    await page.run("document.getElementById('leave').click(); document.getElementById('name').value = 'bob'")
    await page.run("document.querySelector('#join form').requestSubmit()")
    await page.until(f"document.getElementById('status').className === 'live' && {STATE} === 'off'")
    assert await tokens(server) == ["https://push.example/one"] and await tokens(server, "bob") == []
    await page.run("document.getElementById('leave').click(); document.getElementById('name').value = 'ada'")
    await page.run("document.querySelector('#join form').requestSubmit()")
    await page.until(f"document.getElementById('status').className === 'live' && {STATE} === 'on'")
    await page.run(CLICK)
    await page.until(f"{STATE} === 'off'")
    assert await tokens(server) == []


@in_profile
async def test_where_there_are_none(ctx, page):
    """The button says why there are no notifications, and is not there on a server without Web Push."""
    server = await ctx.fresh(*PUSH)
    await permit(page, server, "denied")
    await enter(page, server, "lobby")
    await page.until(f"{STATE} === 'blocked'")
    assert await page.run("document.getElementById('notify').disabled")
    other = await page.tab()
    await other.call("Page.addScriptToEvaluateOnNewDocument", source="delete globalThis.PushManager")
    await enter(other, server, "lobby", "bob")
    await other.until(f"{STATE} === 'unsupported'")
    assert not other.errors, other.errors
    without = await ctx.fresh(*FLAGS)
    await enter(page, without, "lobby")
    await page.until(STATE)
    assert await page.run("document.getElementById('notify').hidden")


@in_profile
async def test_a_push_is_shown(ctx, page):
    """The real service worker shows a push, and another one with its message replaces it."""
    server = await ctx.fresh(*FLAGS)
    await permit(page, server, "granted")
    await enter(page, server, "lobby")
    await page.run("""navigator.serviceWorker.register('/parley-push.js')
      .then(() => navigator.serviceWorker.ready).then(() => true)""")
    await page.call("ServiceWorker.enable")
    # Those of earlier tests are listed too.
    registrations = (await page.heard("ServiceWorker.workerRegistrationUpdated"))["registrations"]
    registration, = [one["registrationId"] for one in registrations if f":{server.port}/" in one["scopeURL"]]
    shown = """navigator.serviceWorker.ready.then((one) => one.getNotifications())
      .then((all) => all.map(({ title, body, tag, data }) => [title, body, tag, data.channel_url ?? null]))"""
    for title, number in (("Jeff", 1), ("Jeff · Team", 1), ("Kim", 2)):
        push = {"type": "message", "channel_url": "team", "message_id": number, "title": title, "body": "hi"}

        async def is_shown(push=push):
            # The browser drops what comes before it has stored the worker.
            await page.call(
                "ServiceWorker.deliverPushMessage", origin=f"http://127.0.0.1:{server.port}",
                registrationId=registration, data=json.dumps(push))
            return any(row[0] == push["title"] for row in await page.run(shown))
        await eventually(is_shown, title)
    assert sorted(await page.run(shown)) == [["Jeff · Team", "hi", "1", "team"], ["Kim", "hi", "2", "team"]]
