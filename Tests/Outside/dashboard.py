"""The dashboard, in a real browser where one is installed, and the listeners that serve it."""

import asyncio
import base64
import hashlib
import json
import os
import re
import signal
from urllib.parse import quote

from calls import Caller
from harness import DEADLINE, eventually, fence, http
from pagefiles import in_browser

FLAGS = ["--unfurl-mode", "off", "--limits-flood-messages", "0"]
VIEWS = ["overview", "channels", "groups", "users", "previews", "files", "translation", "webhooks", "push", "tokens",
         "settings"]
HOSTILE = "<img src=x onerror=\"window.__ran = 1\"><script>window.__ran = 1</script>'\"\u202e&amp;"
NAMELESS = r"""
[...document.querySelectorAll('button, input, select, textarea, a[href], summary')]
  .filter((control) => control.checkVisibility())
  .filter((control) => !(control.getAttribute('aria-label') || control.textContent.trim()
    || [...(control.labels ?? [])].some((label) => label.textContent.trim())))
  .map((control) => control.outerHTML)
"""
CONTROLS = {"button", "textbox", "combobox", "checkbox", "link", "spinbutton", "searchbox", "log"}


async def log_in(page, server, token=None, view="overview", keep=False):
    await page.open(f"http://127.0.0.1:{server.port}/dashboard#/{view}")
    if keep:
        await page.run("document.querySelector('#keep').click()")
    await page.run(f"document.querySelector('#token').value = {json.dumps(token or server.api_token)}")
    await page.run("document.querySelector('#login form').requestSubmit()")
    await page.until("!document.querySelector('#app').hidden")


async def show(page, *parts):
    """Goes to a view, and waits until nothing is loading."""
    path = "/".join(quote(part, safe="") for part in parts)
    await page.run(f"location.hash = {json.dumps('#/' + path)}")
    await settled(page)


async def settled(page):
    """Waits until the view of the address is shown, and nothing is loading.

    An address changes at once, and its view is shown a turn of the page's loop later.
    """
    await page.until("""(() => {
      const [view, item] = (location.hash.slice(2) || 'overview').split('/').map(decodeURIComponent);
      const link = document.querySelector(`nav a[data-view="${view}"]`);
      const shown = document.querySelector('main h1')?.textContent;
      return link.getAttribute('aria-current') === 'page' && shown === (item || link.textContent)
        && !document.querySelector('main').innerText.includes('Loading…');
    })()""")


async def issue(server, role):
    async with Caller(server) as caller:
        return (await caller.call("POST", "/parley/api_tokens", {"name": role, "role": role}))["token"]


async def fill(page, form, **values):
    """Fills a form, found by its name, in and submits it."""
    await page.run(f"""(() => {{
      const form = document.querySelector('form[aria-label="{form}"]');
      for (const [name, value] of Object.entries({json.dumps(values)})) {{
        form.elements[name].value = value;
        form.elements[name].dispatchEvent(new Event('input', {{ bubbles: true }}));
      }}
      form.requestSubmit();
    }})()""")


async def text(page, selector="main"):
    return await page.run(f"document.querySelector({json.dumps(selector)}).innerText")


async def test_where_it_is_served(ctx):
    """Loopback serves it, operations.listen alone when it is set; `everywhere` and `off` decide."""
    server = await ctx.server()
    assert (await server.get("/dashboard"))[0] == 200
    for flags, status in (
            (["--operations-listen", "127.0.0.1:0"], 404),
            (["--operations-listen", "127.0.0.1:0", "--dashboard-mode", "everywhere"], 200),
            (["--proxy-trusted", "127.0.0.1/32", "--proxy-field", "x-forwarded-for"], 404),
            (["--dashboard-mode", "off"], 404)):
        server = await ctx.fresh(*flags)
        answer = await server.get("/dashboard")
        assert answer[0] == status, (flags, answer[0])
        if status == 404:
            assert json.loads(answer[2])["code"] == 400930, answer


async def test_its_policy(ctx):
    """Nothing but what the page itself brings may run; no frame shows it; little is transferred."""
    server = await ctx.server()
    _, fields, body = await server.get("/dashboard")
    policy = dict(
        part.strip().split(" ", 1) for part in fields["content-security-policy"].split(";"))
    page = body.decode()
    for element in ("style", "script"):
        content = re.search(f"<{element}[^>]*>(.*?)</{element}>", page, re.S)[1]
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy[f"{element}-src"], element
    assert policy["default-src"] == "'none'" and policy["frame-ancestors"] == "'none'", policy
    assert policy["connect-src"] == "'self'" and "unsafe" not in str(policy), policy
    assert "http" not in str(policy), policy
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert word not in page, word
    assert fields["x-content-type-options"] == "nosniff"
    status, fields, body = await http(
        server.port, "GET", "/dashboard", {"Accept-Encoding": "gzip"})
    assert status == 200 and fields["content-encoding"] == "gzip" and len(body) < 30_000, len(body)


@in_browser
async def test_little_is_transferred(ctx, page):
    """The first paint takes 100 KB at most, and so does the overview after the login."""
    server = await ctx.fresh(*FLAGS)
    received = await page.first_paint(f"http://127.0.0.1:{server.port}/dashboard")
    assert 10_000 < received <= 100_000, received
    await log_in(page, server)
    await page.until("document.querySelector('main').innerText.includes('Ready')")
    assert page.received - received <= 100_000, (page.received, received)


@in_browser
async def test_logging_in(ctx, page):
    """A wrong token is refused, a right one opens; it is kept only when asked for."""
    server = await ctx.fresh(*FLAGS)
    await page.open(f"http://127.0.0.1:{server.port}/dashboard")
    for wrong in ("wrong", "é"):
        await page.run(f"document.querySelector('#token').value = {json.dumps(wrong)}")
        await page.run("document.querySelector('#login form').requestSubmit()")
        await page.until("document.querySelector('#login [role=alert]').textContent")
        assert await page.run("document.querySelector('#app').hidden")
    await log_in(page, server)
    assert "admin" in await text(page, "#who")
    kept = "sessionStorage.length + localStorage.length + document.cookie.length"
    assert await page.run(kept) == 0
    await page.open(f"http://127.0.0.1:{server.port}/dashboard?again")
    assert await page.run("document.querySelector('#app').hidden")
    await log_in(page, server, keep=True)
    await page.open(f"http://127.0.0.1:{server.port}/dashboard?once-more")
    await page.until("!document.querySelector('#app').hidden")
    await page.run("document.querySelector('#logout').click()")
    assert await page.run(kept) == 0
    assert await page.run("document.activeElement.id") == "token"
    # The same page logs in again.
    await page.run(f"""
      document.querySelector('#token').value = {json.dumps(server.api_token)};
      document.querySelector('#login form').requestSubmit();""")
    await page.until("!document.querySelector('#app').hidden")


@in_browser
async def test_the_overview(ctx, page):
    """The lines move with what happens, and the state of the server is told."""
    server = await ctx.fresh(*FLAGS)
    channel, owner, other = await ctx.room(server, 1)
    await log_in(page, server)

    async def talk():
        while True:
            await owner.send(channel, "text")
            await asyncio.sleep(0.05)
    talking = asyncio.create_task(talk())
    try:
        for line in ("Messages", "Deliveries", "Sessions", "Participants", "Commit time"):
            await page.until(
                f"""parseFloat(document.querySelector('[aria-label="{line}"] b').textContent) > 0""")
        # The busiest channel leads to its view.
        await page.until(f"""document.querySelector('a[href="#/channels/{channel}"]')?.closest("li")
            ?.textContent.match(/[1-9]\\d* messages2 in it/)""")
    finally:
        talking.cancel()
    assert await page.run("document.querySelector('.line polyline').getAttribute('points').length > 5")
    # What has not changed is not made anew.
    running = ("[...document.querySelectorAll('.facts dt')]"
               ".find((one) => one.textContent === 'Running for').nextSibling.textContent")
    await page.run("globalThis.kept = document.querySelector('.facts dd'); 0")
    earlier = await page.run(running)
    await page.until(f"{running} !== {json.dumps(earlier)}")
    assert await page.run("kept.isConnected")
    assert "Ready" in await text(page) and "0.1.0" in await text(page)


@in_browser
async def test_channels(ctx, page):
    """A channel is made, found, edited, frozen, moderated, limited, spoken to and deleted."""
    server = await ctx.fresh(*FLAGS)
    ada, bob = [await ctx.user(server, name) for name in ("ada", "bob")]
    await log_in(page, server, view="channels")
    await settled(page)
    await fill(page, "Create", channel_url="lobby", name="Lobby")
    await page.until("location.hash === '#/channels/lobby'")
    await settled(page)
    for client in (ada, bob):
        await client.enter("lobby")
    await fill(page, "Save", name="Another name")
    await ada.event("channel.changed")
    await fill(page, "Admin message", message="Attention")
    await ada.until(lambda: [m["message"] for m in ada.messages("lobby")] == ["Attention"])
    await page.until("document.querySelector('textarea[name=message]').value === ''")
    await page.run("document.querySelector('textarea[name=message]').value = 'x'.repeat(1001)")
    await page.run("document.querySelector('textarea[name=message]')"
                   ".dispatchEvent(new Event('input', { bubbles: true }))")
    assert "1,001 of 1,000" in await text(page)
    # A number of seconds takes the place of the time that is chosen.
    await fill(page, "Mute", user_id="bob", time="3600", seconds="660", description="loud")
    muted = await ada.event("channel.user_muted")
    assert (muted["user"]["user_id"], muted["description"], muted["seconds"]) == ("bob", "loud", 660), muted
    await fill(page, "Ban", user_id="bob", time="86400", description="louder")
    banned = await ada.event("channel.user_banned")
    assert (banned["seconds"], banned["description"]) == (86400, "louder"), banned
    await page.until("!!document.querySelector('[aria-label=\"Lift the ban of bob\"]')")
    await page.run("document.querySelector('[aria-label=\"Lift the ban of bob\"]').click()")
    await ada.event("channel.user_unbanned")
    await fill(page, "Add operator", user_id="ada")
    await bob.enter("lobby")
    await page.until("!!document.querySelector('[aria-label=\"Remove the operator ada\"]')")
    await fill(page, "Set for this channel", **{"flood.messages": "7"})
    await page.until("document.querySelector('main').innerText.includes('7 in 1,000 ms (channel)')")
    await fill(page, "Set metadata", key="topic", value=HOSTILE)
    await page.until("!!document.querySelector('[aria-label=\"Remove topic\"]')")
    await fill(page, "Set counters", key="votes", value="5")
    await page.until("!!document.querySelector('[aria-label=\"Remove votes\"]')")
    async with Caller(server) as caller:
        assert await caller.call("GET", "/open_channels/lobby/metacounter") == {"votes": 5}
        assert await caller.call("GET", "/open_channels/lobby/metadata") == {"topic": HOSTILE}
    press = "[...document.querySelectorAll('main button')].find((b) => b.textContent === '{}').click()"
    await page.run(press.format("Freeze"))
    await ada.event("channel.frozen")
    await page.until("[...document.querySelectorAll('main button')].some((b) => b.textContent === 'Unfreeze')")
    await page.run(press.format("Delete"))
    await page.until("!!document.querySelector('dialog')")
    await page.run("document.querySelector('dialog button[value=yes]').click()")
    await ada.event("channel.deleted")
    await page.until("location.hash === '#/channels'")


async def pressed(page, label, *, confirm=False):
    """Presses the button of this name, and the last one of the question it may ask."""
    button = f"document.querySelector('main button[aria-label=\"{label}\"]')"
    await page.until(f"!!{button}")
    await page.run(f"{button}.click()")
    if confirm:
        await page.until("!!document.querySelector('dialog')")
        await page.run("document.querySelector('dialog button[value=yes]').click()")


@in_browser
async def test_groups(ctx, page):
    """A group is made, found by its URL, edited, frozen, moderated, spoken to and deleted; its members change."""
    server = await ctx.fresh(*FLAGS)
    ada, bob, cleo = [await ctx.user(server, name) for name in ("ada", "bob", "cleo")]
    await cleo.call("group.create", channel_url="other")
    async with Caller(server) as caller:
        await caller.call("PUT", "/users/cleo/channel_invitation_preference", {"auto_accept": False})
        await log_in(page, server, view="groups")
        await settled(page)
        await fill(page, "Create a group", channel_url="trip", name="Trip", inviter_id="ada", access_code="code")
        await page.until("location.hash === '#/groups/trip'")
        await settled(page)
        await fill(page, "Invite", user_id="bob")
        await bob.event("group.joined", channel_url="trip")
        await page.until("!!document.querySelector('[aria-label=\"Remove the member bob\"]')")
        await fill(page, "Invite", user_id="cleo")
        await cleo.event("group.invited", channel_url="trip")
        await page.until("document.querySelector('main').innerText.includes('2 joined, 1 invited')")
        row = "document.querySelector('[aria-label=\"Remove the member {}\"]')?.closest('li').innerText"
        await page.until(f"{row.format('ada')}?.includes('operator')")
        await page.until(f"{row.format('cleo')}?.includes('invited')")
        await fill(page, "Save", name="Another name")
        assert (await ada.event("channel.changed"))["channel"]["name"] == "Another name"
        assert (await caller.call("GET", "/group_channels/trip"))["is_access_code_required"]
        await page.run("[...document.querySelectorAll('main button')]"
                       ".find((b) => b.textContent === 'Remove the access code').click()")
        await ada.until(lambda: len(ada.told("channel.changed")) == 2)
        assert not (await caller.call("GET", "/group_channels/trip"))["is_access_code_required"]
        await fill(page, "Admin message", message="Attention")
        await bob.until(lambda: [m["message"] for m in bob.messages("trip")] == ["Attention"])
        await fill(page, "Add operator", user_id="bob")
        await page.until("!!document.querySelector('[aria-label=\"Remove the operator bob\"]')")
        await fill(page, "Mute", user_id="bob", time="3600", description="loud")
        assert (await ada.event("channel.user_muted"))["seconds"] == 3600
        await page.until(f"{row.format('bob')}?.includes('muted')")
        await pressed(page, "Remove the member bob", confirm=True)
        await bob.event("group.lost", channel_url="trip")
        await page.until("!document.querySelector('[aria-label=\"Remove the member bob\"]')")
        await page.until("!document.querySelector('[aria-label=\"Remove the operator bob\"]')")
        await pressed(page, "Remove the member cleo", confirm=True)
        await page.until("document.querySelector('main').innerText.includes('1 joined, 0 invited')")
        await fill(page, "Set for this channel", **{"flood.messages": "7"})
        await page.until("document.querySelector('main').innerText.includes('7 in 1,000 ms (channel)')")
        await fill(page, "Set metadata", key="topic", value=HOSTILE)
        await page.until("!!document.querySelector('[aria-label=\"Remove topic\"]')")
        assert await caller.call("GET", "/group_channels/trip/metadata") == {"topic": HOSTILE}
    press = "[...document.querySelectorAll('main button')].find((b) => b.textContent === '{}').click()"
    await page.run(press.format("Freeze"))
    await ada.event("channel.frozen")
    await page.until("[...document.querySelectorAll('main button')].some((b) => b.textContent === 'Unfreeze')")
    # Another one is found by its URL.
    await show(page, "groups")
    await fill(page, "Find a group", channel_url="other")
    await page.until("location.hash === '#/groups/other'")
    await settled(page)
    assert "1 joined, 0 invited" in await text(page)
    await page.run(press.format("Delete"))
    await page.until("!!document.querySelector('dialog')")
    await page.run("document.querySelector('dialog button[value=yes]').click()")
    await cleo.event("group.lost", channel_url="other")
    await page.until("location.hash === '#/groups'")


@in_browser
async def test_the_other_kind_of_channel(ctx, page):
    """A URL of the other kind leads to its view; an unknown one is reported."""
    server = await ctx.fresh(*FLAGS)
    channel, owner = await ctx.room(server, 0)
    await owner.call("group.create", channel_url="trip")
    await log_in(page, server, view="channels/trip")
    await page.until("location.hash === '#/groups/trip'")
    await settled(page)
    assert "1 joined, 0 invited" in await text(page)
    await page.run(f"location.hash = '#/groups/{channel}'")
    await page.until(f"location.hash === '#/channels/{channel}'")
    await settled(page)
    await show(page, "groups", "nowhere")
    assert "there is no channel" in await text(page)


@in_browser
async def test_the_live_view(ctx, page):
    """Each message is shown, also those withheld, with from how many; nobody sees the view."""
    server = await ctx.fresh(*FLAGS, "--limits-throttle-messages", "1")
    channel, owner, sender, viewer = await ctx.room(server, 2)
    await log_in(page, server, view=f"channels/{channel}")
    await settled(page)
    await page.run("document.querySelector('#log').parentElement.querySelector('button').click()")
    await page.until("document.querySelector('main').innerText.includes('Live: 0 messages')")
    for number in range(4):
        await sender.send(channel, f"text {number}")
    await page.until("document.querySelectorAll('#log li').length === 4")
    await page.until("document.querySelectorAll('#log .held').length === 3")
    rows = await page.run("[...document.querySelectorAll('#log li')].map((row) => row.textContent)")
    assert all(f"text {number}" in row for number, row in enumerate(rows)), rows
    assert ["withheld from 1" in row for row in rows] == [False, True, True, True], rows
    assert len(viewer.messages(channel)) == 1
    status, sessions = await server.api("GET", "/parley/sessions")
    assert len(sessions["sessions"]) == 3, sessions
    await owner.call("message.delete", channel_url=channel,
                     message_id=owner.messages(channel)[0]["message_id"])
    await page.until("document.querySelectorAll('#log .gone').length === 1")
    # Leaving the view ends the observer.
    await show(page, "settings")
    async with Caller(server) as caller:
        async with asyncio.timeout(DEADLINE):
            while (await caller.call("GET", "/parley/metrics"))["samples"] and await sockets(caller) > 3:
                await asyncio.sleep(0.05)
    await fence(channel, owner, viewer)
    assert not viewer.told("channel.user_entered") and not viewer.told("channel.user_exited")


@in_browser
async def test_stopping_the_live_view_while_it_connects(ctx, page):
    """Stop works before the view is connected, and so does leaving; another start is not disturbed."""
    server = await ctx.fresh(*FLAGS)
    channel, owner = await ctx.room(server, 0)
    await log_in(page, server, view=f"channels/{channel}")
    await settled(page)
    await page.run("""
      globalThis.made = 0;
      globalThis.WebSocket = class extends WebSocket {
        constructor(...values) { super(...values); made++; }
      };
      // A ticket takes its time.
      const real = fetch;
      globalThis.fetch = async (...values) => {
        if (String(values[0]).includes('tickets')) await new Promise((done) => setTimeout(done, 300));
        return real(...values);
      };
      globalThis.box = document.querySelector('#log').parentElement;
      globalThis.press = () => box.querySelector('button').click();
      // Longer than the module and a connection take.
      globalThis.later = () => import('/parley.js').then(() => new Promise((done) => setTimeout(done, 500)));
      globalThis.words = () => box.querySelector('[role=status]').textContent; 0""")
    await page.run("(press(), press(), later())")
    assert await page.run("[words(), made]") == ["Stopped.", 0]
    # With a client that waits for its ticket.
    await page.run("(press(), import('/parley.js').then(() => setTimeout(press, 100)), later())")
    assert await page.run("[words(), made]") == ["Stopped.", 0]
    # The first of two ends, and leaves the second alone.
    await page.run("(press(), press(), press(), 0)")
    await page.until("words().startsWith('Live: 0 messages')")
    await page.run("later()")
    assert await page.run("words()") == "Live: 0 messages, withheld 0 times."
    await owner.send(channel, "hello")
    await page.until("document.querySelectorAll('#log li').length === 1")
    await page.run("(press(), globalThis.count = made, press(), location.hash = '#/settings', 0)")
    await settled(page)
    await page.run("later()")
    assert await page.run("made === count")
    async with Caller(server) as caller:
        async with asyncio.timeout(DEADLINE):
            while await sockets(caller) > 1:
                await asyncio.sleep(0.05)


@in_browser
async def test_without_storage(ctx, page):
    """Where the browser forbids storage, a token is merely not kept."""
    server = await ctx.fresh(*FLAGS)
    await page.call("Page.addScriptToEvaluateOnNewDocument", source="""
      Object.defineProperty(globalThis, 'sessionStorage', {
        get() { throw new DOMException('forbidden', 'SecurityError'); } });""")
    await log_in(page, server, keep=True)
    await page.run("document.querySelector('#logout').click()")
    await page.until("document.querySelector('#app').hidden")
    assert await page.run("document.activeElement.id") == "token"


async def sockets(caller):
    numbers = await caller.call("GET", "/parley/metrics")
    return next(s["value"] for s in numbers["samples"] if s["name"] == "parley_websockets")


@in_browser
async def test_missing_master_keys(ctx, page):
    """The view of files says why the server lacks the keys of encrypted files, until it has them."""
    data = ctx.directory()
    keys = os.path.join(data, "file-keys")
    with open(keys, "w", encoding="ascii") as file:
        file.write("nonsense\n")
    server = await ctx.fresh(*FLAGS, "--files-encryption", "on", data=data)
    await log_in(page, server, view="files")
    await page.until("document.querySelector('main [role=alert]')?.innerText.includes('line 1')")
    with open(keys, "w", encoding="ascii") as file:
        file.write(f"own {base64.b64encode(os.urandom(32)).decode()}\n")
    server.process.send_signal(signal.SIGHUP)

    async def has_keys():
        return not (await server.api("GET", "/parley/files/encryption"))[1]["problem"]
    await eventually(has_keys, "the keys")
    await show(page, "users")
    await show(page, "files")
    assert not await page.run("!!document.querySelector('main .card [role=alert]')?.innerText")


@in_browser
async def test_users_and_tokens(ctx, page):
    """A user's obstacles are explained, its session is closed; tokens are issued and revoked."""
    server = await ctx.fresh(*FLAGS, "--limits-flood-messages", "5")
    channel, owner, ada = await ctx.room(server, 1)
    await owner.call("channel.mute", channel_url=channel, user_id=ada.user_id, description="spam")
    await log_in(page, server, view="users")
    await show(page, "users", ada.user_id)
    await fill(page, "Explain", channel_url=channel)
    await page.until("document.querySelector('main').innerText.includes('900041')")
    assert "spam" in await text(page)
    session = ada.session["session_id"]
    await page.run(f"document.querySelector('[aria-label=\"Close the session {session}\"]').click()")
    assert await ada.ended() == 1001
    await show(page, "tokens")
    await fill(page, "Issue", name="board", role="viewer")
    token = await page.until("document.querySelector('main [role=status] code')?.textContent")
    async with Caller(server) as caller:
        own = await caller.send("GET", "/v3/parley/api_tokens/me", headers={"Api-Token": token})
        assert own.value["role"] == "viewer", own
        await page.until("!!document.querySelector('[aria-label=\"Revoke board\"]')")
        await page.run("document.querySelector('[aria-label=\"Revoke board\"]').click()")
        await page.until("!!document.querySelector('dialog')")
        await page.run("document.querySelector('dialog button[value=yes]').click()")
        await page.until("!document.querySelector('[aria-label=\"Revoke board\"]')")
        own = await caller.send("GET", "/v3/parley/api_tokens/me", headers={"Api-Token": token})
        assert own.status == 401, own


@in_browser
async def test_a_viewer_changes_nothing(ctx, page):
    """For a viewer's token the page has nothing that changes, and the gateway refuses it all the same."""
    server = await ctx.fresh(*FLAGS)
    channel, owner = await ctx.room(server, 0)
    async with Caller(server) as caller:
        await caller.call("POST", f"/open_channels/{channel}/metadata", {"metadata": {"k": "v"}})
    await owner.call("group.create", channel_url="trip", is_public=True, access_code="code")
    await log_in(page, server, await issue(server, "viewer"))
    labels = set()
    for view in VIEWS:
        await show(page, view)
        labels |= set(await page.run(
            "[...document.querySelectorAll('main button')].map((b) => b.textContent)"))
    for parts in (("channels", channel), ("groups", "trip"), ("users", owner.user_id)):
        await show(page, *parts)
        labels |= set(await page.run(
            "[...document.querySelectorAll('main button')].map((b) => b.textContent)"))
    assert labels <= {"Find", "More", "Explain", "Refresh", "Start", "Pause"}, labels
    # It may listen.
    await show(page, "channels", channel)
    await page.run("document.querySelector('#log').parentElement.querySelector('button').click()")
    await page.until("document.querySelector('main').innerText.includes('Live: 0 messages')")
    await owner.send(channel, "hello")
    await page.until("document.querySelectorAll('#log li').length === 1")


@in_browser
async def test_hostile_texts(ctx, page):
    """Names and texts of strangers are shown as they are, and nothing in them runs."""
    server = await ctx.fresh(*FLAGS)
    owner = await ctx.user(server, "<b>ada</b>", nickname=HOSTILE.replace("\u202e", ""))
    await owner.call("channel.create", channel_url="lobby", name=HOSTILE.replace("\u202e", ""),
                     custom_type=HOSTILE, data=HOSTILE)
    await owner.enter("lobby")
    await owner.call("group.create", channel_url="trip", name=HOSTILE.replace("\u202e", ""),
                     custom_type=HOSTILE, data=HOSTILE)
    async with Caller(server) as caller:
        await caller.call("POST", "/parley/api_tokens", {"name": HOSTILE})
        await caller.call("POST", "/open_channels/lobby/metadata", {"metadata": {HOSTILE: HOSTILE}})
        await caller.call("POST", "/users", {
            "user_id": "../x?y#z", "nickname": "x", "profile_url": ""})
        await caller.call("POST", "/open_channels/lobby/ban", {
            "user_id": "../x?y#z", "description": HOSTILE})
    await log_in(page, server)
    for parts in (*((view,) for view in VIEWS), ("channels", "lobby"), ("groups", "trip"), ("users", "<b>ada</b>"),
                  ("users", "../x?y#z")):
        await show(page, *parts)
        # Previews are off.
        assert parts == ("previews",) or "Failed" not in await text(page), (parts, await text(page))
    await show(page, "channels", "lobby")
    assert "onerror" in await text(page)
    await page.run("document.querySelector('#log').parentElement.querySelector('button').click()")
    await page.until("document.querySelector('main').innerText.includes('Live: 0 messages')")
    await owner.send("lobby", HOSTILE)
    await page.until("document.querySelectorAll('#log li').length === 1")
    assert HOSTILE == await page.run("document.querySelector('#log .said').textContent")
    assert await page.run("window.__ran") is None
    assert await page.run("document.querySelectorAll('img, iframe, object, embed').length") == 0


async def key(page, name, code, *, shift=False):
    text_ = {"Enter": "\r", " ": " "}.get(name, "")
    modifiers = 8 if shift else 0
    for kind in ("keyDown", "keyUp"):
        await page.call(
            "Input.dispatchKeyEvent", type=kind, key=name, code=name, modifiers=modifiers,
            windowsVirtualKeyCode=code, **({"text": text_} if kind == "keyDown" and text_ else {}))


@in_browser
async def test_by_keyboard(ctx, page):
    """From the login to an admin message and a deletion without a mouse; focus is never lost."""
    server = await ctx.fresh(*FLAGS)
    ada = await ctx.user(server, "ada")
    await ada.call("channel.create", channel_url="lobby", name="Lobby")
    await ada.enter("lobby")
    await page.open(f"http://127.0.0.1:{server.port}/dashboard")
    await page.call("Page.bringToFront")

    async def walk(wanted, limit=80):
        """Presses Tab until what has the focus is wanted."""
        for _ in range(limit):
            await key(page, "Tab", 9)
            focused = await page.run(
                "document.activeElement.getAttribute('aria-label') || document.activeElement.name"
                " || document.activeElement.innerText || document.activeElement.id")
            if focused == wanted or focused and focused.strip() == wanted:
                return
        raise AssertionError(f"Tab never came to {wanted}")
    await page.run("document.body.focus()")
    await walk("token", 5) if await page.run("document.activeElement.id") != "token" else None
    await page.call("Input.insertText", text=server.api_token)
    await key(page, "Enter", 13)
    await page.until("!document.querySelector('#app').hidden")
    await settled(page)
    for view in VIEWS[1:]:
        await walk(view.capitalize())
        await key(page, "Enter", 13)
        await page.until(f"location.hash === '#/{view}'")
        await settled(page)
        assert await page.run("document.activeElement.tagName") == "H1", view
        if view != VIEWS[-1]:
            await page.run("document.querySelector('nav a').focus()")
    await show(page, "channels")
    await walk("Lobby")
    await key(page, "Enter", 13)
    await page.until("location.hash === '#/channels/lobby'")
    await settled(page)
    await walk("message")
    await page.call("Input.insertText", text="by keyboard")
    await walk("Send")
    await key(page, " ", 32)
    await ada.until(lambda: [m["message"] for m in ada.messages("lobby")] == ["by keyboard"])
    await page.run("document.querySelector('main h1').focus()")
    await walk("Delete")
    await key(page, "Enter", 13)
    await page.until("!!document.querySelector('dialog')")
    assert await page.run("document.activeElement.textContent") == "Cancel"
    await key(page, "Escape", 27)
    await page.until("!document.querySelector('dialog')")
    assert await page.run("document.activeElement.textContent") == "Delete"
    await key(page, "Enter", 13)
    await page.until("!!document.querySelector('dialog')")
    await walk("Delete", 3)
    await key(page, "Enter", 13)
    await ada.event("channel.deleted")


@in_browser
async def test_names_of_controls(ctx, page):
    """Each control has a name in the accessibility tree, in every view; each page one heading."""
    server = await ctx.fresh(*FLAGS)
    channel, owner = await ctx.room(server, 0)
    await owner.call("group.create", channel_url="trip", is_public=True, access_code="code")
    await page.open(f"http://127.0.0.1:{server.port}/dashboard")
    assert await page.run(NAMELESS) == []
    await log_in(page, server)
    await page.call("Accessibility.enable")
    for parts in (*((view,) for view in VIEWS), ("channels", channel), ("groups", "trip"),
                  ("users", owner.user_id)):
        await show(page, *parts)
        await page.run("document.querySelectorAll('details').forEach((d) => { d.open = true })")
        assert await page.run(NAMELESS) == [], parts
        tree = await page.call("Accessibility.getFullAXTree")
        unnamed = [node for node in tree["nodes"] if not node.get("ignored")
                   and node.get("role", {}).get("value") in CONTROLS
                   and not node.get("name", {}).get("value")]
        assert not unnamed, (parts, unnamed[:3])
        assert await page.run("document.querySelectorAll('h1').length") == 2  # That of the login too.
        doubled = await page.run(
            "[...document.querySelectorAll('[id]')].map((e) => e.id)"
            ".filter((id, i, all) => all.indexOf(id) !== i)")
        assert doubled == [], doubled


async def size(page, width, dark=False):
    await page.call(
        "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1,
        mobile=width < 500)
    await page.call("Emulation.setEmulatedMedia", features=[
        {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
        {"name": "prefers-reduced-motion", "value": "reduce"}])


CONTRAST = r"""
(() => {
  const parse = (color) => {
    const canvas = parse.canvas ??= new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const ground = (element) => {
    for (; element; element = element.parentElement) {
      const color = parse(getComputedStyle(element).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255, 255];
  };
  const bad = [];
  for (const element of document.querySelectorAll('body *')) {
    if (![...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
    if (!element.checkVisibility() || element.closest(':disabled')) continue;
    const [a, b] = [light(parse(getComputedStyle(element).color)), light(ground(element))];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) bad.push([ratio.toFixed(2), element.outerHTML.slice(0, 120)]);
  }
  return bad;
})()
"""


@in_browser
async def test_narrow_screens_and_contrast(ctx, page):
    """At 320 pixels nothing scrolls sideways, with long names too; texts stand out, light and dark."""
    server = await ctx.fresh(*FLAGS)
    owner = await ctx.user(server, "u" * 80, nickname="N" * 80)
    channel = "c" * 100
    await owner.call("channel.create", channel_url=channel, name="W" * 191)
    await owner.enter(channel)
    await owner.send(channel, "m" * 3000)
    group = "g" * 100
    await owner.call("group.create", channel_url=group, name="W" * 191, is_public=True, access_code="code")
    await log_in(page, server)
    for width, dark in ((320, False), (1440, True)):
        await size(page, width, dark)
        await page.until(f"innerWidth === {width}")
        for parts in (*((view,) for view in VIEWS), ("channels", channel), ("groups", group),
                      ("users", owner.user_id)):
            await show(page, *parts)
            await page.run("document.querySelectorAll('details').forEach((d) => { d.open = true })")
            wide = await page.run("document.documentElement.scrollWidth")
            assert wide <= width, (parts, wide)
            faint = await page.run(CONTRAST)
            assert faint == [], (parts, dark, faint[:5])
