"""The dashboard by keyboard, for screen readers, on narrow screens and with hostile texts."""


from calls import Caller
from dashboardpage import FLAGS, HOSTILE, LIVE, TABS, VIEWS, log_in, settled, show, text
from pagefiles import in_browser

NAMELESS = r"""
[...document.querySelectorAll('button, input, select, textarea, a[href], summary')]
  .filter((control) => control.checkVisibility())
  .filter((control) => !(control.getAttribute('aria-label') || control.textContent.trim()
    || [...(control.labels ?? [])].some((label) => label.textContent.trim())))
  .map((control) => control.outerHTML)
"""
CONTROLS = {"button", "textbox", "combobox", "checkbox", "link", "spinbutton", "searchbox", "log"}


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
    await owner.send("lobby", HOSTILE, custom_type=HOSTILE, data=HOSTILE)
    for parts in (*((view,) for view in VIEWS), *(("channels", "lobby", tab) for tab in TABS),
                  *(("groups", "trip", tab) for tab in TABS), ("users", "<b>ada</b>"), ("users", "../x?y#z")):
        await show(page, *parts)
        # Previews are off.
        assert parts == ("previews",) or "Failed" not in await text(page), (parts, await text(page))
    await show(page, "channels", "lobby")
    assert "onerror" in await text(page)
    await page.run("document.querySelector('#log').parentElement.querySelector('button').click()")
    await page.until(LIVE)
    await owner.send("lobby", HOSTILE)
    await page.until("document.querySelectorAll('#log li').length === 2")
    assert HOSTILE == await page.run("document.querySelector('#log li:last-child .said').textContent")
    await page.run("document.querySelector('.feed [aria-expanded]').click()")
    await page.until("document.querySelectorAll('.feed dd').length > 3")
    await page.run("document.querySelector('#log button').click()")
    assert HOSTILE == await text(page, "dialog blockquote")
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
    await walk("Settings")
    await key(page, "Enter", 13)
    await page.until("location.hash === '#/channels/lobby/settings'")
    await settled(page)
    assert await page.run("document.activeElement.dataset.tab") == "settings"
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
    await owner.send(channel, "text")
    for parts in (*((view,) for view in VIEWS), *(("channels", channel, tab) for tab in TABS),
                  *(("groups", "trip", tab) for tab in TABS), ("users", owner.user_id)):
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


# Fields that are wider than the places they are in.
OVERLAPS = r"""
[...document.querySelectorAll('.field > *')].filter((one) => one.checkVisibility()
  && one.getBoundingClientRect().right > one.parentElement.getBoundingClientRect().right + 1).map((one) => one.outerHTML)
"""

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
    await owner.send(channel, "m" * 3000, custom_type="t" * 128)
    group = "g" * 100
    await owner.call("group.create", channel_url=group, name="W" * 191, is_public=True, access_code="code")
    await log_in(page, server)
    for width, dark in ((320, False), (1440, True)):
        await size(page, width, dark)
        await page.until(f"innerWidth === {width}")
        for parts in (*((view,) for view in VIEWS), *(("channels", channel, tab) for tab in TABS),
                      *(("groups", group, tab) for tab in TABS), ("users", owner.user_id)):
            await show(page, *parts)
            await page.run("document.querySelectorAll('details').forEach((d) => { d.open = true })")
            wide = await page.run("document.documentElement.scrollWidth")
            assert wide <= width, (parts, wide)
            over = await page.run(OVERLAPS)
            assert over == [], (parts, over)
            faint = await page.run(CONTRAST)
            assert faint == [], (parts, dark, faint[:5])
