"""The channels and groups of the dashboard, and its live view."""

import asyncio

from calls import Caller
from dashboardpage import FLAGS, HOSTILE, LIVE, fill, log_in, pressed, settled, show, sockets, text
from harness import DEADLINE, fence
from pagefiles import in_browser


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
    await show(page, "channels", "lobby", "settings")
    await fill(page, "Save", name="Another name")
    await ada.event("channel.changed")
    await page.until("document.querySelector('main h1').textContent === 'Another name'")
    await show(page, "channels", "lobby", "messages")
    await fill(page, "Admin message", message="Attention")
    await ada.until(lambda: [m["message"] for m in ada.messages("lobby")] == ["Attention"])
    await page.until("document.querySelector('textarea[name=message]').value === ''")
    await page.run("document.querySelector('textarea[name=message]').value = 'x'.repeat(1001)")
    await page.run("document.querySelector('textarea[name=message]')"
                   ".dispatchEvent(new Event('input', { bubbles: true }))")
    assert "1,001 of 1,000" in await text(page)
    # A number of seconds takes the place of the time that is chosen.
    await show(page, "channels", "lobby", "people")
    await fill(page, "Mute or ban", user_id="bob", kind="mute", time="3600", seconds="660", description="loud")
    muted = await ada.event("channel.user_muted")
    assert (muted["user"]["user_id"], muted["description"], muted["seconds"]) == ("bob", "loud", 660), muted
    await page.until("!!document.querySelector('[aria-label=\"Lift the mute of bob\"]')")
    await fill(page, "Mute or ban", user_id="bob", kind="ban", time="86400", description="louder")
    banned = await ada.event("channel.user_banned")
    assert (banned["seconds"], banned["description"]) == (86400, "louder"), banned
    await page.until("!!document.querySelector('[aria-label=\"Lift the ban of bob\"]')")
    await page.run("document.querySelector('[aria-label=\"Lift the ban of bob\"]').click()")
    await ada.event("channel.user_unbanned")
    await fill(page, "Add operator", user_id="ada")
    await bob.enter("lobby")
    await page.until("!!document.querySelector('[aria-label=\"Remove the operator ada\"]')")
    await show(page, "channels", "lobby", "settings")
    await fill(page, "Set for this channel", **{"flood.messages": "7"})
    await page.until("document.querySelector('main').innerText.includes('7 in 1,000 ms (channel)')")
    async with Caller(server) as caller:
        for label, shown, is_held in (("Legal hold", "a legal hold", True), ("End the legal hold", "for ever", False)):
            press = f"[...document.querySelectorAll('main button')].find((b) => b.textContent === '{label}')"
            await page.until(f"!!{press}")
            await page.run(f"{press}.click()")
            await page.until(f"document.querySelector('main').innerText.includes({shown!r})")
            assert (await caller.call("GET", "/parley/channels/lobby/retention"))["hold"] is is_held
    await show(page, "channels", "lobby", "data")
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
    await show(page, "channels", "lobby", "settings")
    await page.run(press.format("Delete"))
    await page.until("!!document.querySelector('dialog')")
    await page.run("document.querySelector('dialog button[value=yes]').click()")
    await ada.event("channel.deleted")
    await page.until("location.hash === '#/channels'")


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
        await show(page, "groups", "trip", "people")
        await fill(page, "Invite", user_id="bob")
        await bob.event("group.joined", channel_url="trip")
        await page.until("!!document.querySelector('[aria-label=\"Remove the member bob\"]')")
        await fill(page, "Invite", user_id="cleo")
        await cleo.event("group.invited", channel_url="trip")
        await page.until("document.querySelector('main').innerText.includes('2 joined, 1 invited')")
        row = "document.querySelector('[aria-label=\"Remove the member {}\"]')?.closest('tr').innerText"
        await page.until(f"{row.format('ada')}?.includes('operator')")
        await page.until(f"{row.format('cleo')}?.includes('invited')")
        await show(page, "groups", "trip", "settings")
        await fill(page, "Save", name="Another name")
        assert (await ada.event("channel.changed"))["channel"]["name"] == "Another name"
        assert (await caller.call("GET", "/group_channels/trip"))["is_access_code_required"]
        await page.run("[...document.querySelectorAll('main button')]"
                       ".find((b) => b.textContent === 'Remove the access code').click()")
        await ada.until(lambda: len(ada.told("channel.changed")) == 2)
        assert not (await caller.call("GET", "/group_channels/trip"))["is_access_code_required"]
        await show(page, "groups", "trip")
        await fill(page, "Admin message", message="Attention")
        await bob.until(lambda: [m["message"] for m in bob.messages("trip")] == ["Attention"])
        await show(page, "groups", "trip", "people")
        await fill(page, "Add operator", user_id="bob")
        await page.until("!!document.querySelector('[aria-label=\"Remove the operator bob\"]')")
        await fill(page, "Mute or ban", user_id="bob", kind="mute", time="3600", description="loud")
        assert (await ada.event("channel.user_muted"))["seconds"] == 3600
        await page.until(f"{row.format('bob')}?.includes('muted')")
        await pressed(page, "Remove the member bob", confirm=True)
        await bob.event("group.lost", channel_url="trip")
        await page.until("!document.querySelector('[aria-label=\"Remove the member bob\"]')")
        await page.until("!document.querySelector('[aria-label=\"Remove the operator bob\"]')")
        await pressed(page, "Remove the member cleo", confirm=True)
        await page.until("document.querySelector('main').innerText.includes('1 joined, 0 invited')")
        await show(page, "groups", "trip", "settings")
        await fill(page, "Set for this channel", **{"flood.messages": "7"})
        await page.until("document.querySelector('main').innerText.includes('7 in 1,000 ms (channel)')")
        await show(page, "groups", "trip", "data")
        await fill(page, "Set metadata", key="topic", value=HOSTILE)
        await page.until("!!document.querySelector('[aria-label=\"Remove topic\"]')")
        assert await caller.call("GET", "/group_channels/trip/metadata") == {"topic": HOSTILE}
    press = "[...document.querySelectorAll('main button')].find((b) => b.textContent === '{}').click()"
    await page.run(press.format("Freeze"))
    await ada.event("channel.frozen")
    await page.until("[...document.querySelectorAll('main button')].some((b) => b.textContent === 'Unfreeze')")
    # Another one is found by its URL.
    await show(page, "groups")
    await fill(page, "Search groups", q="other")
    await page.until("document.querySelector('tbody a')?.getAttribute('href') === '#/groups/other'")
    await page.run("document.querySelector('tbody a').click()")
    await page.until("location.hash === '#/groups/other'")
    await settled(page)
    assert "1 joined, 0 invited" in await text(page)
    await show(page, "groups", "other", "settings")
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
async def test_a_missing_channel(ctx, page):
    """It fails in one place, where it can be tried again."""
    server = await ctx.fresh(*FLAGS)
    owner = await ctx.user(server)
    await log_in(page, server, view="channels/nowhere")
    await page.until("document.querySelector('main').innerText.includes('Failed')")
    assert (await text(page)).count("Failed") == 1
    await owner.call("channel.create", channel_url="nowhere", name="Somewhere")
    await page.run("document.querySelector('main button').click()")
    await page.until("document.querySelector('main h1').textContent === 'Somewhere'")
    assert await page.run("[...document.querySelectorAll('.tabs a')].map((tab) => tab.textContent)") == [
        "Messages", "People", "Settings", "Data"]


@in_browser
async def test_the_live_view(ctx, page):
    """Each message is shown, also those withheld, with from how many; nobody sees the view."""
    server = await ctx.fresh(*FLAGS, "--limits-throttle-messages", "1")
    channel, owner, sender, viewer = await ctx.room(server, 2)
    await log_in(page, server, view=f"channels/{channel}")
    await settled(page)
    await page.run("document.querySelector('#log').parentElement.querySelector('button').click()")
    await page.until(LIVE)
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
    await page.until("words() === 'Live'")
    await page.run("later()")
    assert await page.run("words()") == "Live"
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
