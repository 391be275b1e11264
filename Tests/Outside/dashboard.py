"""The dashboard, in a real browser where one is installed, and the listeners that serve it."""

import asyncio
import base64
import hashlib
import json
import os
import re
import signal

from calls import Caller
from dashboardaccess import key
from dashboardpage import FLAGS, LIVE, TABS, VIEWS, fill, issue, log_in, pressed, settled, show, text
from harness import eventually, http
from pagefiles import in_browser

NAMES = "[...document.querySelectorAll('tbody tr td:first-child')].map((cell) => cell.innerText)"


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
        content = re.search(f"<{element}[^>]*>(.*?)</{element}>", page, re.DOTALL)[1]
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
    assert status == 200 and fields["content-encoding"] == "gzip" and len(body) < 36_500, len(body)


@in_browser
async def test_the_last_day(ctx, page):
    """A chart shows what the server has kept of a metric, with its axes; without two values it says why not."""
    server = await ctx.fresh(*FLAGS)
    await log_in(page, server)
    await page.until("[...document.querySelectorAll('.card')].some((one) => one.innerText.includes('Nothing yet'))")
    # What a server has kept after a day, in which it did not answer for a while.
    await page.run("""(() => {
      const real = fetch, start = Date.now() - 86_400_000, times = [...Array(2880).keys()].map((i) => start + i * 30_000);
      globalThis.fetch = async (address, options) => String(address).includes("/metrics/history")
        ? new Response(JSON.stringify({ interval_ms: 30_000, times, series: [{ name: "parley_sessions", kind: "gauge",
            values: times.map((_, i) => (i > 1000 && i < 1100 ? null : i % 500)) }] }), { headers: { "Content-Type": "application/json" } })
        : real(address, options);
    })()""")
    await page.run("""(() => {
      const choice = document.querySelector("select[aria-label=Metric]");
      choice.value = [...choice.options].find((one) => one.text === "Sessions").value;
      choice.dispatchEvent(new Event("change"));
    })()""")
    await page.until("document.querySelector('.day svg')?.getAttribute('aria-label').startsWith('Sessions from ')")
    assert await page.run("document.querySelector('.day .scale').innerText.split('\\n').join()") == "499,250,0"
    assert await page.run("document.querySelectorAll('.day .times time').length") == 4
    assert await page.run("document.querySelector('.day path:nth-of-type(2)').getAttribute('d').split('M').length - 1") == 2
    # One value is read with the keys and with the pointer, and a table has the highest ones.
    reading = "document.querySelector('.day output').textContent"
    assert (await page.run(reading)).endswith(": 379"), await page.run(reading)
    await page.run("document.querySelector('.day input').focus()")
    await key(page, "ArrowLeft", 37)
    assert (await page.run(reading)).endswith(": 378"), await page.run(reading)
    assert await page.run("document.querySelector('.day input').getAttribute('aria-valuetext')") == await page.run(reading)
    await page.run("""(() => {
      const svg = document.querySelector(".day svg"), { left, width, top } = svg.getBoundingClientRect();
      svg.dispatchEvent(new PointerEvent("pointermove", { clientX: left + width * 499 / 2879, clientY: top, bubbles: true }));
    })()""")
    # A pixel is a few values wide.
    assert 490 <= int((await page.run(reading)).split(": ")[1]) <= 499, await page.run(reading)
    rows = await page.run("[...document.querySelectorAll('table[aria-label=Sessions] tbody tr')].map((row) => row.cells[1].textContent)")
    assert 46 <= len(rows) <= 50 and "499" in rows, rows


@in_browser
async def test_little_is_transferred(ctx, page):
    """The first paint takes 100 KB at most, and so does the overview after the login."""
    server = await ctx.fresh(*FLAGS)
    received = await page.first_paint(f"http://127.0.0.1:{server.port}/dashboard")
    assert 10_000 < received <= 100_000, received
    await log_in(page, server)
    await page.until("document.querySelector('#state').innerText === 'Ready'")
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
            ?.textContent.match(/[1-9]\\d* messages2 participants/)""")
    finally:
        talking.cancel()
    assert await page.run("document.querySelector('.line polyline').getAttribute('points').length > 5")
    # What has not changed stays.
    running = ("[...document.querySelectorAll('.facts dt')]"
               ".find((one) => one.textContent === 'Running for').nextSibling.textContent")
    await page.run("globalThis.kept = document.querySelector('.facts dd'); 0")
    earlier = await page.run(running)
    await page.until(f"{running} !== {json.dumps(earlier)}")
    assert await page.run("kept.isConnected")
    assert await text(page, "#state") == "Ready" and "0.1.0" in await text(page, "#facts")
    assert "peak" in await text(page, '[aria-label="Sessions"]')


@in_browser
async def test_when_the_server_is_gone(ctx, page):
    """The header says since when there is no answer; what failed is tried again when the server is back."""
    server = await ctx.fresh(*FLAGS)
    channel, _ = await ctx.room(server, 0)
    await log_in(page, server, view="users")
    await settled(page)
    await page.until("document.querySelector('#state').innerText === 'Ready'")
    assert await page.run("getComputedStyle(document.querySelector('.pill.good')).color") != await page.run(
        "getComputedStyle(document.querySelector('#facts')).color")
    await server.kill(keeps_port=True)
    await page.until("document.querySelector('#state').innerText.startsWith('No answer since')")
    assert await page.run("[document.querySelector('.pill').className, document.querySelector('#app').className].join()") == "pill gone,gone"
    assert "trying again" in await text(page, "#facts")
    await page.run(f"location.hash = '#/channels/{channel}'")
    await page.until("document.querySelector('main').innerText.includes('Failed: the server does not answer')")
    assert await page.run("[...document.querySelectorAll('main button')].map((one) => one.textContent)") == ["Retry"]
    server = await ctx.fresh(*FLAGS, "--listen", f"127.0.0.1:{server.port}", data=server.data)
    await page.until("document.querySelector('#state').innerText === 'Ready'")
    await page.until("document.querySelectorAll('.tabs a').length === 4")
    await settled(page)
    assert "Failed" not in await text(page)
    # A server that hangs is noticed too.
    await page.run("""
      const patience = AbortSignal.timeout;
      AbortSignal.timeout = () => patience.call(AbortSignal, 300); 0""")
    server.process.send_signal(signal.SIGSTOP)
    try:
        await page.until("document.querySelector('#state').innerText.startsWith('No answer since')")
    finally:
        server.process.send_signal(signal.SIGCONT)
    await page.until("document.querySelector('#state').innerText === 'Ready'")
    # A server that is not ready says why.
    await page.run("""
      globalThis.real = fetch;
      globalThis.fetch = async (...values) => {
        const answer = await real(...values);
        if (!String(values[0]).includes('metrics')) return answer;
        return Response.json({ ...await answer.json(), is_ready: false, reason: 'the disk is full' });
      }; 0""")
    await page.until("document.querySelector('#state').innerText === 'Not ready: the disk is full'")


@in_browser
async def test_searching_and_sorting(ctx, page):
    """A table is searched while one types and sorted by its headings; Back and a reload keep both."""
    server = await ctx.fresh(*FLAGS)
    owner = await ctx.user(server)
    for number, name in enumerate(("Beta", "alpha", "Gamma 10", "Gamma 9")):
        await owner.call("channel.create", channel_url=f"room-{number}", name=name)
    await owner.call("channel.create", channel_url="gammas", name="By its URL", custom_type="sport")
    await log_in(page, server, view="channels", keep=True)
    await settled(page)
    assert len(await page.run(NAMES)) == 5 and "5 channels" in await text(page)
    head = "[...document.querySelectorAll('th')].find((cell) => cell.innerText.startsWith('{}'))"
    await page.run(f"{head.format('Name')}.querySelector('button').click()")
    assert await page.run(NAMES) == ["alpha", "Beta", "By its URL", "Gamma 9", "Gamma 10"]
    assert await page.run(f"{head.format('Name')}.getAttribute('aria-sort')") == "ascending"
    await page.run(f"{head.format('Name')}.querySelector('button').click()")
    assert await page.run(f"{head.format('Name')}.getAttribute('aria-sort')") == "descending"
    await page.run("document.querySelector('input[type=search]').focus()")
    await page.call("Input.insertText", text="gamma")
    found = ["Gamma 10", "Gamma 9", "By its URL"]
    await page.until(f"JSON.stringify({NAMES}) === {json.dumps(json.dumps(found, separators=(',', ':')))}")
    assert await page.run("location.hash") == "#/channels?sort=-Name&q=gamma"
    await page.run("document.querySelector('tbody a').click()")
    await page.until("location.hash === '#/channels/room-2'")
    await settled(page)
    await page.run("history.back()")
    await page.until("location.hash.startsWith('#/channels?')")
    await settled(page)
    await page.until(f"{NAMES}.length === 3")
    assert await page.run(NAMES) == found
    assert await page.run("document.querySelector('input[type=search]').value") == "gamma"
    await page.call("Page.reload")
    await page.until("!!document.querySelector('tbody tr')")
    assert await page.run(NAMES) == found
    await fill(page, "Search channels", q="type:sport")
    await page.until(f"{NAMES}.join() === 'By its URL'")
    await fill(page, "Search channels", q="nothing")
    await page.until("document.querySelector('main').innerText.includes('No channel is found.')")
    # A text that no user can have as its id.
    await show(page, "users")
    await fill(page, "Search users", q=",")
    await page.until("document.querySelector('main').innerText.includes('No user is found.')")
    await fill(page, "Search users", q=owner.user_id)
    await page.until(f"{NAMES}.join() === '{owner.user_id}'")
    # Rows that are loaded are searched at once.
    await show(page, "settings")
    await fill(page, "Search settings", q="limits.flood")
    await page.until(f"{NAMES}.length > 0 && {NAMES}.every((name) => name.startsWith('limits.flood'))")


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
    await owner.send(channel, "earlier")
    shown = "[...document.querySelectorAll('{} button:not(.sort)')].map((b) => b.textContent)"
    labels = set()
    for parts in (*((view,) for view in VIEWS), *(("channels", channel, tab) for tab in TABS),
                  *(("groups", "trip", tab) for tab in TABS), ("users", owner.user_id)):
        await show(page, *parts)
        labels |= set(await page.run(shown.format("main")))
    assert labels <= {
        "More", "Explain", "Refresh", "Start", "Pause", "Filter", "Clear", "Details", "Actions", "Retry"}, labels
    await show(page, "channels", channel, "people")
    await pressed(page, f"Actions on {owner.user_id}")
    assert await page.run(shown.format("dialog")) == ["Close", "Why can’t they send?"]
    # It may listen.
    await show(page, "channels", channel)
    await page.run("document.querySelector('#log').parentElement.querySelector('button').click()")
    await page.until(LIVE)
    await owner.send(channel, "hello")
    await page.until("[...document.querySelectorAll('#log .said')].map((text) => text.textContent).join() === 'earlier,hello'")
