"""The embedded page, in a real browser where one is installed."""

import asyncio
import base64
import contextlib
import json
import re
import signal
import time

from pagefiles import enter, in_browser
from pages import Pages
from tokens import SECRET, token

FLAGS = ["--unfurl-mode", "off", "--auth-mode", "open"]
ROWS = "[...document.querySelectorAll('#timeline .said')].map((row) => row.textContent)"
WAITING = "[...document.querySelectorAll('#waiting .said')].map((row) => row.textContent)"
LIVE = "document.getElementById('status').className === 'live'"


async def write(page, text):
    """Types a text and presses Enter."""
    await page.call("Page.bringToFront")
    await page.run("document.getElementById('box').focus()")
    await page.call("Input.insertText", text=text)
    await press(page, "Enter", "\r")


async def press(page, key, text=""):
    code = {"Enter": 13}.get(key, 0)
    await page.call(
        "Input.dispatchKeyEvent", type="keyDown", key=key, code=key, text=text,
        windowsVirtualKeyCode=code)
    await page.call(
        "Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)


async def phone(page):
    await page.call(
        "Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
    await page.call("Emulation.setTouchEmulationEnabled", enabled=True)


@in_browser
async def test_two_windows_through_a_kill(ctx, page):
    """Two windows talk through kill -9 of the server; what is written meanwhile waits in sight."""
    server = await ctx.fresh(*FLAGS)
    other = await page.tab()
    await enter(page, server, "lobby", "ada")
    await enter(other, server, "lobby", "bob")
    await write(page, "one")
    await other.until(f"{ROWS}.length === 1")
    await server.kill(keeps_port=True)
    await page.until("document.getElementById('status').className === 'waiting'")
    await write(page, "two")
    await write(page, "three")
    assert await page.run(WAITING) == ["two", "three"]
    assert await page.run("document.getElementById('box').value") == ""
    server = await ctx.fresh(*FLAGS, "--listen", f"127.0.0.1:{server.port}", data=server.data)
    for tab in (page, other):
        await tab.until(f"{ROWS}.length === 3 && {LIVE}")
        assert await tab.run(ROWS) == ["one", "two", "three"]
    assert await page.run(WAITING) == []
    assert not other.errors, other.errors


@in_browser
async def test_what_waits_survives_a_reload(ctx, page):
    """Texts that wait are there again after the tab was left and the page entered anew, and go out once."""
    server = await ctx.fresh(*FLAGS)
    port = server.port
    await enter(page, server, "lobby")
    await server.kill(keeps_port=True)
    await page.until("document.getElementById('status').className === 'waiting'")
    await write(page, "later")
    await page.until("""new Promise((done) => {
      const opening = indexedDB.open("parley", 1);
      opening.onsuccess = () => {
        const all = opening.result.transaction("outbox").objectStore("outbox").getAll();
        all.onsuccess = () => done(all.result.length === 1);
      };
    })""")
    await page.call("Page.navigate", url="about:blank")
    server = await ctx.fresh(*FLAGS, "--listen", f"127.0.0.1:{port}", data=server.data)
    server.port = port
    await enter(page, server, "lobby")
    await page.until(f"{ROWS}.length === 1 && {WAITING}.length === 0")
    assert await page.run(ROWS) == ["later"]


@in_browser
async def test_enter_is_never_swallowed(ctx, page):
    """Texts beyond the flood limit leave the box at once, wait in sight, and go out in order."""
    server = await ctx.fresh(*FLAGS)
    viewer = await ctx.user(server, "viewer")
    await viewer.call("channel.create", channel_url="lobby", operator_ids=["viewer"])
    await viewer.enter("lobby")
    await enter(page, server, "lobby")
    texts = [f"text {number}" for number in range(12)]
    for text in texts:
        await write(page, text)
        assert await page.run("document.getElementById('box').value") == ""
    await page.until(f"{ROWS}.length === 12")
    assert await page.run(ROWS) == texts and await page.run(WAITING) == []
    await viewer.until(lambda: len(viewer.messages("lobby")) == 12)
    assert [message["message"] for message in viewer.messages("lobby")] == texts


@in_browser
async def test_refused_texts_are_kept(ctx, page):
    """A text that is refused stays with its reason, and goes out by Retry or back into the box."""
    server = await ctx.fresh(*FLAGS)
    owner = await ctx.user(server, "owner")
    await owner.call("channel.create", channel_url="lobby")
    await enter(page, server, "lobby")
    await owner.call("channel.mute", channel_url="lobby", user_id="ada")
    await page.until("document.getElementById('notice').textContent.includes('You were muted')")
    for text in ("one", "two"):
        await write(page, text)
    await page.until("document.querySelectorAll('#waiting .failed').length === 2")
    assert "muted" in await page.run("document.querySelector('#waiting .state').textContent")
    # No note beside the notice.
    assert await page.run("document.querySelectorAll('.note').length") == 0
    await page.run("document.querySelector('#waiting .failed button:last-child').click()")
    assert await page.run("document.getElementById('box').value") == "one"
    await owner.call("channel.unmute", channel_url="lobby", user_id="ada")
    await page.until("!document.getElementById('notice').textContent")
    await page.run("document.querySelector('#waiting .failed button').click()")
    await page.until(f"{ROWS}.length === 1")
    assert await page.run(ROWS) == ["two"] and await page.run(WAITING) == []


@in_browser
async def test_a_text_that_is_too_long(ctx, page):
    """A text that would be refused again has no Retry; it goes back into the box."""
    server = await ctx.fresh(*FLAGS)
    await enter(page, server, "lobby")
    await write(page, "x" * 5001)
    buttons = "[...document.querySelectorAll('#waiting .failed button')].map((one) => one.textContent)"
    await page.until(f"{buttons}.length")
    assert await page.run(buttons) == ["Discard"]
    await page.run("document.querySelector('#waiting button').click()")
    assert await page.run("document.getElementById('box').value.length") == 5001


@in_browser
async def test_a_preview_that_is_looked_up(ctx, page):
    """A link whose page is slow has a sign until its preview comes."""
    site = await Pages.start()
    try:
        site.add("/slow", "A slow page")
        gate = site.hold("/slow")
        server = await ctx.fresh(
            "--auth-mode", "open", "--unfurl-allow-addresses", "127.0.0.1/32", "--unfurl-allow-ports", str(site.port))
        await enter(page, server, "lobby")
        await write(page, site.url("/slow"))
        await page.until("document.querySelectorAll('#timeline .looking').length === 1")
        gate.set()
        await page.until("document.querySelector('#timeline .card')?.textContent.includes('A slow page')")
        assert await page.run("document.querySelectorAll('#timeline .looking').length") == 0
    finally:
        site.close()


@in_browser
async def test_what_applications_add_is_drawn(ctx, page):
    """A custom type and extra data stand below a message; a preview of Sendbird Desk's format is a card, and
    data that is none is no card."""
    server = await ctx.fresh(*FLAGS, "--limits-flood-messages", "0", "--limits-throttle-messages", "0")
    await enter(page, server, "lobby")
    ada = await ctx.user(server, "ada")
    await ada.enter("lobby")
    await ada.send("lobby", "an order", custom_type="order", metaarray=[{"key": "colour", "value": ["red", "blue"]}])
    additions = "[...document.querySelectorAll('#timeline .additions span')].map((one) => one.textContent)"
    await page.until(f"{additions}.length === 2")
    assert await page.run(additions) == ["order", "colour: red, blue"]
    body = {"url": "https://example.com/a", "site_name": "Süd", "title": "A title", "description": "About it"}
    preview = json.dumps({"type": "SENDBIRD_DESK_URL_PREVIEW", "body": body})
    cards = "[...document.querySelectorAll('#timeline .card')].map((one) => one.textContent + one.href)"
    for number, data in enumerate((preview, base64.b64encode(preview.encode()).decode()), 1):
        await ada.send("lobby", "see", custom_type="SENDBIRD_DESK_RICH_MESSAGE", data=data)
        await page.until(f"{cards}.length === {number}")
    for words in await page.run(cards):
        assert all(text in words for text in ("A title", "About it", "Süd", "example.com", "https://example.com/a"))
    address = json.dumps({"type": "SENDBIRD_DESK_URL_PREVIEW", "body": {"url": "javascript:alert(1)", "title": 7}})
    for data in ("", "null", "[]", "%%%", address, json.dumps({"type": "SENDBIRD_DESK_URL_PREVIEW"})):
        await ada.send("lobby", "no card", custom_type="SENDBIRD_DESK_RICH_MESSAGE", data=data)
    await ada.send("lobby", "the end")
    await page.until(f"{ROWS}.at(-1) === 'the end'")
    assert await page.run(f"{cards}.length") == 2


@in_browser
async def test_operators_see_all(ctx, page):
    """A line says that nothing is withheld from operators, as the creator of a channel is."""
    server = await ctx.fresh(*FLAGS)
    await enter(page, server, "lobby", "ada")
    role = "document.getElementById('role').textContent"
    assert "Operator" in await page.run(role)
    ada = await ctx.user(server, "ada")
    await ctx.user(server, "bob")
    await ada.call("channel.add_operators", channel_url="lobby", user_ids=["bob"])
    await ada.call("channel.remove_operators", channel_url="lobby", user_ids=["ada"])
    await page.until(f"{role} === ''")
    await enter(page, server, "lobby", "bob")
    assert "Operator" in await page.run(role)


@in_browser
async def test_a_token_that_expires(ctx, page):
    """The form says that the token has expired, or that a token was not accepted."""
    server = await ctx.fresh("--unfurl-mode", "off", "--auth-mode", "token", "--auth-jwt-secret", SECRET)
    refusal = "document.getElementById('refusal').textContent"

    async def join(text):
        await page.run(f"""
          document.getElementById("token").value = {json.dumps(text)};
          document.querySelector('#join form').requestSubmit();""")
    await page.open(f"http://127.0.0.1:{server.port}/?name=ada&channel=lobby")
    await join(token("ada", exp=int(time.time()) + 4))
    await page.until(f"{refusal} === 'Your session has ended: the access token has expired.'")
    await join("wrong")
    await page.until(f"{refusal}.startsWith('The token was not accepted: ')")


@in_browser
async def test_long_names_on_a_phone(ctx, page):
    """Long names of channels and users, and long words, leave the page as wide as the screen."""
    server = await ctx.fresh(*FLAGS)
    owner = await ctx.user(server, "u" * 80, nickname="N" * 80)
    await owner.call("channel.create", channel_url="lobby", name="W" * 191)
    await owner.enter("lobby")
    await owner.send("lobby", "m" * 3000)
    await phone(page)
    await enter(page, server, "lobby", "ada")
    await page.until(f"{ROWS}.length === 1")
    for width in (390, 320):
        await page.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=844, deviceScaleFactor=1,
            mobile=True)
        await page.until(f"innerWidth === {width}")
        wide = await page.run("""[...document.querySelectorAll('body *')]
          .filter((one) => one.offsetParent && !one.closest('svg, .spoken')
            && one.getBoundingClientRect().right > innerWidth + 1)
          .map((one) => one.id || one.className)""")
        assert wide == [] and await page.run("document.documentElement.scrollWidth") == width, wide
        assert await page.run("document.getElementById('box').offsetHeight") < 60


@in_browser
async def test_only_the_conversation_scrolls(ctx, page):
    """A conversation longer than the window scrolls by itself; the page stays as high as the window."""
    server = await ctx.fresh(*FLAGS)
    owner = await ctx.user(server, "owner")
    await owner.call("channel.create", channel_url="lobby")
    await owner.enter("lobby")
    await enter(page, server, "lobby")
    await owner.send("lobby", "one line\n" * 100)
    await page.until(f"{ROWS}.length === 1")
    await write(page, "an answer")
    await page.until(f"{ROWS}.length === 2")
    assert await page.run("document.documentElement.scrollHeight === innerHeight")


@in_browser
async def test_actions_on_a_phone(ctx, page):
    """Where nothing hovers, own messages have the whole width, and a tap shows what can be done."""
    server = await ctx.fresh(*FLAGS)
    await phone(page)
    await enter(page, server, "lobby")
    await write(page, "some words that take more than half of the width of a phone")
    await page.until(f"{ROWS}.length === 1")
    assert await page.run("matchMedia('(hover: none)').matches")
    shown = "document.querySelector('.actions').offsetWidth > 0"
    assert not await page.run(shown)
    await page.run("document.querySelector('.own .bubble').click()")
    assert await page.run(shown)
    await page.run("document.querySelector('.own .bubble').click()")
    assert not await page.run(shown)


async def replacing_host(server):
    """A proxy that puts the server's own host into Host, as careless ones do."""
    async def serve(reader, writer):
        upward, upwriter = await asyncio.open_connection("127.0.0.1", server.port)

        async def copy(source, target):
            with contextlib.suppress(ConnectionError):
                while data := await source.read(65_536):
                    target.write(re.sub(
                        rb"\r\nHost: [^\r]*", b"\r\nHost: 127.0.0.1:%d" % server.port, data))
                    await target.drain()
            target.close()
        await asyncio.gather(copy(reader, upwriter), copy(upward, writer))
    return await asyncio.start_server(serve, "127.0.0.1", 0)


@in_browser
async def test_a_refused_origin_is_said(ctx, page):
    """A page whose origin is not allowed says so, and does not try again for ever."""
    server = await ctx.fresh(*FLAGS, "--auth-allowed-origins", "https://chat.example")
    async with await replacing_host(server) as proxy:
        port = proxy.sockets[0].getsockname()[1]
        await page.open(f"http://127.0.0.1:{port}/?name=ada&channel=lobby")
        await page.run("document.querySelector('#join form').requestSubmit()")
        await page.until(
            "document.getElementById('notice').textContent.includes('refuses this page')")
        assert await page.run("document.getElementById('status').className") == "closed"
        notice = await page.run("document.getElementById('notice').textContent")
        assert "auth.allowed_origins" in notice, notice
        proxy.close()


@in_browser
async def test_withheld_messages_open_in_place(ctx, page):
    """Withheld messages stand before the notes that came after them, and keep the focus."""
    server = await ctx.fresh(*FLAGS, "--limits-flood-messages", "0")
    talker = await ctx.user(server, "talker")
    await talker.call("channel.create", channel_url="lobby")
    await talker.enter("lobby")
    await enter(page, server, "lobby")
    for number in range(9):
        await talker.send("lobby", f"text {number}")
    await talker.leave()
    await page.until("document.querySelector('.more button') && "
                     "[...document.querySelectorAll('.note')].some((one) => one.textContent.includes('left'))")
    await page.run("document.querySelector('.more button').focus()")
    await press(page, "Enter", "\r")
    await page.until(f"{ROWS}.length === 9")
    assert await page.run(ROWS) == [f"text {number}" for number in range(9)]
    assert await page.run("document.activeElement.textContent") == "text 5"
    assert await page.run("document.getElementById('timeline').lastElementChild.className") == "note"


@in_browser
async def test_texts_of_others(ctx, page):
    """Names and texts run nothing, take their own direction, and links go to web addresses only."""
    server = await ctx.fresh(*FLAGS)
    name = "<img src=x onerror=globalThis.ran=1>"
    owner = await ctx.user(server, name, nickname=name)
    await owner.call("channel.create", channel_url="lobby", name=name)
    await owner.enter("lobby")
    await enter(page, server, "lobby")
    await owner.send("lobby", "<script>globalThis.ran=1</script> \u202eabc javascript:alert(1)")
    await owner.send("lobby", "שלום https://a.example/x")
    await owner.call("message.send", channel_url="lobby", message_type="FILE",
                     url="https://a.example/<b>.png", file_name="<b>x")
    await page.until(f"{ROWS}.length === 2 && document.querySelectorAll('.file').length === 1")
    assert await page.run("globalThis.ran ?? null") is None
    assert await page.run("[...document.querySelectorAll('.bubble')].every((one) => one.dir === 'auto')")
    assert await page.run("getComputedStyle(document.querySelectorAll('.bubble')[1]).direction") == "rtl"
    links = await page.run("[...document.querySelectorAll('#timeline a')].map((one) => one.protocol)")
    assert links == ["https:", "https:"], links
    # A link has the brackets that it opens, and not the marks after it.
    ends = ("https://a.example/Foo_(bar)", "https://a.example/x", "https://a.example/(a)(b)", "https://a.example/y")
    await owner.send("lobby", f"{ends[0]} ({ends[1]}). {ends[2]})! {ends[3]}\u202etxt https://...")
    await page.until(f"{ROWS}.length === 3")
    shown = "[...document.querySelectorAll('#timeline .row:last-child a')].map((one) => one.textContent)"
    assert await page.run(shown) == list(ends)


@in_browser
async def test_leaving_with_something_unsent(ctx, page):
    """A text that waits while its author leaves and enters again is shown again, and goes out once."""
    server = await ctx.fresh(*FLAGS)
    await enter(page, server, "lobby")
    await server.kill(keeps_port=True)
    await page.until("document.getElementById('status').className === 'waiting'")
    await write(page, "later")
    await page.run("document.getElementById('leave').click()")
    await page.run("document.querySelector('#join form').requestSubmit()")
    await page.until(f"{WAITING}.length === 1")
    await ctx.fresh(*FLAGS, "--listen", f"127.0.0.1:{server.port}", data=server.data)
    await page.until(f"{ROWS}.length === 1 && {WAITING}.length === 0")
    assert await page.run(ROWS) == ["later"]


@in_browser
async def test_mentions(ctx, page):
    """`@` with the id or nickname of someone in the channel mentions them; a part of a word does not."""
    server = await ctx.fresh(*FLAGS, "--limits-flood-messages", "0", "--limits-throttle-messages", "0")
    ann = await ctx.user(server, "ann")
    eve = await ctx.user(server, "eve (x)", nickname="Eve+")
    await ann.call("channel.create", channel_url="lobby")
    for client in (ann, eve):
        await client.enter("lobby")
    await enter(page, server, "lobby", "ada")
    cases = (("hello @ann, @nobody", ["ann"]), ("@EVE+ and @ann", ["ann", "eve (x)"]),
             ("ask @eve (x)!", ["eve (x)"]), ("mail x@ann, @ann-marie, @annex", []), ("ann", []))
    for text, _ in cases:
        await write(page, text)
    await ann.until(lambda: len(ann.messages("lobby")) == len(cases))
    for message, case in zip(ann.messages("lobby"), cases, strict=True):
        found = sorted(user["user_id"] for user in message["mentioned_users"])
        assert (message["message"], found) == case, message
    # Someone who comes later is known too; a message that mentions the reader stands out.
    bob = await ctx.user(server, "bob")
    await bob.enter("lobby")
    await page.until("document.querySelector('.note')?.textContent.includes('bob')")
    await write(page, "welcome @bob")
    message = (await bob.event("message.received"))["message"]
    assert [user["user_id"] for user in message["mentioned_users"]] == ["bob"], message
    await bob.call("message.send", channel_url="lobby", message="thanks @ada", mentioned_user_ids=["ada"])
    await page.until("document.querySelector('.row.mention .said')?.textContent === 'thanks @ada'")
    assert await page.run("document.querySelectorAll('.row.mention').length") == 1


@in_browser
async def test_channels_to_choose_from(ctx, page):
    """After a visit the form offers the channels that there are; a choice fills the field."""
    server = await ctx.fresh(*FLAGS)
    owner = await ctx.user(server, "owner")
    for url, name in (("lobby", "Lobby"), ("garden", "<b>Garden"), ("nameless", "")):
        await owner.call("channel.create", channel_url=url, name=name)
    await page.open(f"http://127.0.0.1:{server.port}/")
    assert await page.run("document.getElementById('known-field').hidden")
    await enter(page, server, "lobby")
    await page.run("document.getElementById('leave').click()")
    offered = await page.run("[...document.getElementById('known').options].map((one) => [one.value, one.text])")
    assert offered[0] == ["", "Choose a channel"], offered
    assert sorted(offered[1:]) == [["garden", "<b>Garden"], ["lobby", "Lobby"], ["nameless", "nameless"]]
    assert await page.run("document.getElementById('known').labels[0].checkVisibility()")
    await page.run("""(() => {
      const known = document.getElementById('known');
      known.value = 'garden';
      known.dispatchEvent(new Event('change'));
      document.querySelector('#join form').requestSubmit();
    })()""")
    await page.until(f"{LIVE} && document.getElementById('title').textContent.includes('<b>Garden')")
    # Choosing nothing changes nothing.
    await page.run("document.getElementById('leave').click()")
    await page.run("document.getElementById('known').dispatchEvent(new Event('change'))")
    assert await page.run("document.getElementById('channel').value") == "garden"


@in_browser
async def test_little_is_transferred(ctx, page):
    """The first paint takes 100 KB at most, and entering a channel hardly more."""
    server = await ctx.fresh(*FLAGS)
    received = await page.first_paint(f"http://127.0.0.1:{server.port}/?channel=lobby")
    # The page and its module, compressed.
    assert 20_000 < received <= 100_000, received
    await enter(page, server, "lobby")
    assert page.received <= 2 * received + 10_000, (page.received, received)


@in_browser
async def test_scripts_of_the_page(ctx, page):
    """The page can import the client, as the README does in its console; nothing else comes from elsewhere."""
    server = await ctx.fresh(*FLAGS)
    await enter(page, server, "lobby")
    _, fields, _ = await server.get("/")
    assert "connect-src 'self';" in fields["content-security-policy"], fields
    refused = "new Promise((done) => document.addEventListener('securitypolicyviolation', " \
        "({ violatedDirective }) => done(violatedDirective), { once: true }))"
    other = f"ws://localhost:{server.port}/v1/ws"
    assert await page.run(f"(globalThis.refused = {refused}, new WebSocket({json.dumps(other)}), refused)") \
        == "connect-src"
    own, other = f"http://127.0.0.1:{server.port}/parley.js", f"http://localhost:{server.port}/parley.js"
    assert await page.run(f"import({json.dumps(own)}).then(({{ Parley }}) => typeof Parley)") == "function"
    assert await page.run(f"import({json.dumps(other)}).then(() => 'loaded', () => 'refused')") == "refused"


LINE = "document.getElementById('line')"
# Whether the JSON of the newest entry lies inside the list that is seen.
IN_VIEW = """(() => {
  const panel = document.getElementById('frames').getBoundingClientRect();
  const text = document.querySelector('#frames > li:last-child pre')?.getBoundingClientRect();
  return text !== undefined && text.height > 0 && text.top >= panel.top - 1 && text.top < panel.bottom
    && (text.bottom <= panel.bottom + 1 || text.height > panel.height);
})()"""


@in_browser
async def test_the_panel_shows_times_and_the_newest_entry(ctx, page):
    """Entries of the protocol have a time; the JSON of the newest is in view when it is opened."""
    server = await ctx.fresh(*FLAGS)
    await enter(page, server, "lobby", "ada")
    await page.run("document.getElementById('develop').click()")
    times = await page.run(
        "[...document.querySelectorAll('#frames time')].map((time) => time.textContent)")
    assert times and all(re.fullmatch(r"\d\d:\d\d:\d\d\.\d{3}", time) for time in times), times
    await page.run("document.querySelector('#frames > li:last-child summary').click()")
    await page.until(IN_VIEW)


@in_browser
async def test_a_line_by_hand(ctx, page):
    """A request that is typed is sent over the page's connection, and its answer opened."""
    server = await ctx.fresh(*FLAGS)
    await enter(page, server, "lobby", "ada")
    await page.run("document.getElementById('develop').click()")
    await page.call("Page.bringToFront")
    await page.run(f"{LINE}.focus()")
    await page.call(
        "Input.insertText", text='{"id": 7, "method": "channel.list", "params": {"limit": 5}}')
    await press(page, "Enter", "\r")
    answer = "document.querySelector('#frames > li.got.answer:last-of-type pre')?.textContent ?? ''"
    await page.until(f"({answer}).includes('\"channels\"')")
    await page.until(IN_VIEW)
    assert await page.run(f"{LINE}.value") == ""
    # What the server refuses is an entry; what is no request is said above the line, and stays there.
    for text in ('{"method": "channel.fly"}', '{"method": 5}', "not JSON", '{"method": "a", "params": 1}'):
        await page.run(f"{LINE}.value = {json.dumps(text)}")
        await page.run("document.getElementById('by-hand').requestSubmit()")
        if "fly" in text:
            await page.until("document.querySelector('#frames > li.failed.answer') !== null")
            continue
        assert await page.until("document.getElementById('fault').textContent"), text
        assert await page.run(f"{LINE}.value") == text
    assert await page.run("document.getElementById('status').className") == "live"


@in_browser
async def test_a_line_whose_answer_is_lost(ctx, page):
    """A request by hand comes back into its field when the connection ends before the answer."""
    server = await ctx.fresh(*FLAGS)
    await enter(page, server, "lobby", "ada")
    await page.run("document.getElementById('develop').click()")
    line = '{"method": "channel.create", "params": {"channel_url": "later"}}'
    # The server is stopped, and takes the request without an answer.
    server.process.send_signal(signal.SIGSTOP)
    await page.run(f"{LINE}.value = {json.dumps(line)}")
    await page.run("document.getElementById('by-hand').requestSubmit()")
    assert await page.run(f"{LINE}.value") == ""
    await server.kill(keeps_port=True)
    await page.until("document.getElementById('fault').textContent.includes('lost')")
    assert await page.run(f"{LINE}.value") == line
