"""Messages, people and what is done about them in the dashboard."""

from calls import Caller, Form
from dashboardaccess import key
from dashboardpage import FLAGS, HOSTILE, LIVE, fill, issue, log_in, pressed, settled, show, text
from pagefiles import in_browser

TEXTS = "[...document.querySelectorAll('.feed .said')].map((text) => text.textContent)"


@in_browser
async def test_messages_of_a_channel(ctx, page):
    """Messages are listed newest first and page by page, filtered, opened, and deleted after a question."""
    server = await ctx.fresh(*FLAGS)
    channel, owner, ada = await ctx.room(server, 1)
    for number in range(60):
        await (ada if number % 20 == 0 else owner).send(
            channel, f"text {number}", custom_type="note" if number == 7 else "")
    async with Caller(server) as caller:
        sent = await caller.call("POST", f"/open_channels/{channel}/messages", {
            "message_type": "FILE", "user_id": ada.user_id, "url": "https://a.example/plan.pdf", "file_name": "plan.pdf",
            "file_type": "application/pdf", "file_size": 5, "data": HOSTILE,
            "sorted_metaarray": [{"key": "colour", "value": ["red", "blue"]}]})
    await log_in(page, server, view=f"channels/{channel}", keep=True)
    await settled(page)
    assert "61 in all" in await text(page)
    texts = await page.run(TEXTS)
    assert texts == ["plan.pdf", *(f"text {number}" for number in range(59, 10, -1))], texts
    await page.run("[...document.querySelectorAll('main button')].find((one) => one.textContent === 'More').click()")
    await page.until(f"{TEXTS}.length === 61")
    assert (await page.run(TEXTS))[50:] == [f"text {number}" for number in range(10, -1, -1)]
    # A message is opened.
    await pressed(page, f"Details of the message {sent['message_id']}")
    await page.until("document.querySelector('.feed .more').innerText.includes('red, blue')")
    opened = await text(page, ".feed .more")
    assert HOSTILE in await page.run("document.querySelector('.feed .more').textContent") and "application/pdf" in opened
    assert await page.run("document.querySelector('.feed .more a').href") == "https://a.example/plan.pdf"
    # The filters are in the address.
    await fill(page, "Filter messages", sender=ada.user_id, kind="MESG")
    await page.until(f"{TEXTS}.join() === 'text 40,text 20,text 0'")
    await page.call("Page.reload")
    await page.until(f"{TEXTS}.join() === 'text 40,text 20,text 0'")
    await fill(page, "Filter messages", sender="", kind="", type="note")
    await page.until(f"{TEXTS}.join() === 'text 7'")
    await fill(page, "Filter messages", type="", role="nonoperator", kind="FILE")
    await page.until(f"{TEXTS}.join() === 'plan.pdf'")
    await fill(page, "Filter messages", role="", kind="", before="2001-01-01T00:00:00")
    await page.until("document.querySelector('main').innerText.includes('No message is found.')")
    await fill(page, "Filter messages", before="")
    await page.until(f"{TEXTS}[0] === 'plan.pdf'")
    # Cancel deletes nothing.
    delete = f"Delete the message {sent['message_id']}"
    await pressed(page, delete)
    await page.until("document.querySelector('dialog')?.innerText.includes('plan.pdf')")
    await page.run("document.querySelector('dialog button[value=no]').click()")
    await page.until("!document.querySelector('dialog')")
    assert not ada.told("message.deleted")
    await pressed(page, delete, confirm=True)
    assert (await ada.event("message.deleted"))["message_id"] == sent["message_id"]
    await page.until("document.querySelectorAll('.feed .gone').length === 1")


@in_browser
async def test_messages_of_a_group(ctx, page):
    """The messages of a group are listed and deleted too."""
    server = await ctx.fresh(*FLAGS)
    ada = await ctx.user(server, "ada")
    await ada.call("group.create", channel_url="trip")
    sent = (await ada.send("trip", "hello"))["message"]
    await log_in(page, server, view="groups/trip")
    await settled(page)
    assert await page.run(TEXTS) == ["hello"]
    await pressed(page, f"Delete the message {sent['message_id']}", confirm=True)
    await ada.event("message.deleted")


@in_browser
async def test_moderating(ctx, page):
    """A message, a row of the live view and a participant lead to muting, banning and deleting."""
    server = await ctx.fresh(*FLAGS)
    channel, owner, bob, cleo = await ctx.room(server, 2)
    first = (await bob.send(channel, "one"))["message"]
    await log_in(page, server, view=f"channels/{channel}")
    await settled(page)
    # The dialog takes the focus, and gives it back.
    name = f"Actions on {bob.user_id} and the message {first['message_id']}"
    await page.run(f"document.querySelector('[aria-label=\"{name}\"]').focus()")
    await key(page, "Enter", 13)
    await page.until("document.activeElement.tagName === 'H2' && !!document.activeElement.closest('dialog')")
    await key(page, "Escape", 27)
    await page.until("!document.querySelector('dialog')")
    assert await page.run("document.activeElement.getAttribute('aria-label')") == name
    await pressed(page, name)
    await page.run("[...document.querySelectorAll('dialog button')].find((one) => one.textContent.startsWith('Why')).click()")
    await page.until("document.querySelector('dialog')?.innerText.includes('A message would pass now.')")
    await fill(page, f"Mute or ban {bob.user_id}", kind="mute", time="604800", description="loud")
    muted = await owner.event("channel.user_muted")
    assert (muted["user"]["user_id"], muted["seconds"], muted["description"]) == (bob.user_id, 604800, "loud"), muted
    await page.until("!document.querySelector('dialog')")
    # A row of the live view.
    await page.run("document.querySelector('#log').parentElement.querySelector('button').click()")
    await page.until(LIVE)
    second = (await cleo.send(channel, "two"))["message"]
    await page.until("document.querySelectorAll('#log li').length === 2")
    await pressed(page, f"Actions on {cleo.user_id} and the message {second['message_id']}")
    await page.run("[...document.querySelectorAll('dialog button')].find((one) => one.textContent === 'Delete the message').click()")
    await page.until("!!document.querySelector('dialog button[value=yes]')")
    await page.run("document.querySelector('dialog button[value=yes]').click()")
    assert (await owner.event("message.deleted"))["message_id"] == second["message_id"]
    await page.until("!document.querySelector('dialog') && document.querySelectorAll('#log .gone').length === 1")
    # All messages that came are counted.
    await page.until("document.querySelector('#log').parentElement.innerText.includes('1 messages')")
    # The messages of the user; the dialog closes though the address stays the same the second time.
    for _ in range(2):
        await pressed(page, name)
        await page.run("[...document.querySelectorAll('dialog a')].find((one) => one.textContent.startsWith('Messages')).click()")
        await page.until("!document.querySelector('dialog')")
        await page.until(f"location.hash.endsWith('?sender={bob.user_id}') && {TEXTS}.join() === 'one'")
    # A row of the participants.
    await show(page, "channels", channel, "people")
    row = f"document.querySelector('[aria-label=\"Actions on {bob.user_id}\"]').closest('tr').innerText"
    assert "muted" in await page.run(row)
    await pressed(page, f"Actions on {cleo.user_id}")
    await fill(page, f"Mute or ban {cleo.user_id}", kind="ban", time="3600", description="spam")
    assert (await cleo.event("channel.user_banned"))["seconds"] == 3600
    await page.until(f"!document.querySelector('[aria-label=\"Actions on {cleo.user_id}\"]')")
    await page.until(f"!!document.querySelector('[aria-label=\"Lift the ban of {cleo.user_id}\"]')")
    # The page of the user.
    await pressed(page, f"Actions on {bob.user_id}")
    await page.run("[...document.querySelectorAll('dialog a')].find((one) => one.textContent.startsWith('Open')).click()")
    await page.until(f"location.hash === '#/users/{bob.user_id}'")
    assert not await page.run("!!document.querySelector('dialog')")


@in_browser
async def test_an_admin_message_to_several_channels(ctx, page):
    """A moderator sends one message to channels and groups; the URL that is refused stays in the form."""
    server = await ctx.fresh(*FLAGS)
    channel, owner = await ctx.room(server, 0)
    await owner.call("group.create", channel_url="trip")
    await log_in(page, server, await issue(server, "moderator"), view="channels")
    await settled(page)
    await page.run("[...document.querySelectorAll('summary')].find((one) => one.textContent.startsWith('Admin')).click()")
    await fill(page, "Admin message to several channels", urls=f"{channel}\ntrip\nnowhere {channel}", message="Closing at ten")
    await page.until("!!document.querySelector('dialog')")
    await page.run("document.querySelector('dialog button[value=yes]').click()")
    await page.until("document.querySelector('main').innerText.includes('Sent to 2 of 3.')")
    assert await page.run("document.querySelector('[name=urls]').value") == "nowhere"
    async with Caller(server) as caller:
        for target in (f"open_channels/{channel}", "group_channels/trip"):
            found = await caller.call("GET", f"/{target}/messages", message_ts=9007199254740991, prev_limit=5, next_limit=0)
            assert [(one["type"], one["message"]) for one in found["messages"]] == [("ADMM", "Closing at ten")], found


@in_browser
async def test_restrictions_of_all_channels(ctx, page):
    """The view lists mutes and bans of channels and groups, newest first, finds those of a user, and lifts them."""
    server = await ctx.fresh(*FLAGS)
    channel, owner, bob, cleo = await ctx.room(server, 2)
    await owner.call("group.create", channel_url="trip", user_ids=[bob.user_id])
    async with Caller(server) as caller:
        for target, kind, user in ((f"open_channels/{channel}", "ban", cleo), ("group_channels/trip", "mute", bob),
                                   (f"open_channels/{channel}", "mute", bob)):
            await caller.call("POST", f"/{target}/{kind}", {"user_id": user.user_id, "seconds": 600, "description": "loud"})
        await log_in(page, server, await issue(server, "moderator"), view="restrictions")
        await settled(page)
        rows = "[...document.querySelectorAll('tbody tr')].map((row) => [0, 1, 2].map((i) => row.cells[i].innerText).join(' '))"
        assert await page.run(rows) == [
            f"{bob.user_id} muted {channel}", f"{bob.user_id} muted trip", f"{cleo.user_id} banned {channel}"]
        await fill(page, "Search mutes and bans", q=f"is:muted {bob.user_id}")
        await page.until(f"{rows}.length === 2")
        await fill(page, "Search mutes and bans", q="channel:trip")
        await page.until(f"{rows}.length === 1")
        await pressed(page, f"Lift the mute of {bob.user_id} in trip")
        await bob.event("channel.user_unmuted", channel_url="trip")
        await page.until("document.querySelector('main').innerText.includes('There are no mutes and no bans.')")
        await fill(page, "Search mutes and bans", q="")
        await page.until(f"{rows}.length === 2")
        left = (await caller.call("GET", "/parley/restrictions"))["restrictions"]
        assert [(one["kind"], one["channel_type"], one["user"]["user_id"]) for one in left] == [
            ("mute", "open_channels", bob.user_id), ("ban", "open_channels", cleo.user_id)], left


@in_browser
async def test_the_page_of_a_user(ctx, page):
    """It has the profile, mutes and bans, sessions, open channels, groups, files and devices."""
    server = await ctx.fresh(*FLAGS, "--push-url", "http://127.0.0.1:9/", "--push-url-types", "huawei",
                             "--push-secret", "hush-hush-hush-1")
    channel, owner, bob = await ctx.room(server, 1)
    await bob.call("group.create", channel_url="trip", name="Trip")
    async with Caller(server) as caller:
        await caller.call("PUT", f"/users/{bob.user_id}", {"nickname": "Bob"})
        await caller.call("POST", f"/users/{bob.user_id}/push/huawei", {"huawei_device_token": "device-of-bob"})
        await caller.call("POST", f"/open_channels/{channel}/mute", {"user_id": bob.user_id, "seconds": 600, "description": "loud"})
        form = Form("file", message_type="FILE", user_id=bob.user_id)
        assert (await caller.send("POST", f"/v3/open_channels/{channel}/messages", form)).status == 200
        await log_in(page, server, view=f"users/{bob.user_id}")
        await settled(page)
        rows = "document.querySelector('table[aria-label=\"{}\"]')?.innerText ?? ''"
        assert await text(page, "main h1") == "Bob"
        assert "127.0.0.1" in await page.run(rows.format("Sessions"))
        channels = await page.run(rows.format("Open channels"))
        assert channel in channels and "trip" not in channels, channels
        restrictions = await page.run(rows.format("Mutes and bans"))
        assert channel in restrictions and "muted" in restrictions and "loud" in restrictions, restrictions
        groups = await page.run(rows.format("Groups"))
        assert "Trip" in groups and "operator" in groups
        assert "f.png" in await page.run(rows.format("Files"))
        assert "device-of-bob"[-12:] in await page.run(rows.format("Devices")), await page.run(rows.format("Devices"))
        await pressed(page, f"Remove the device …{'device-of-bob'[-12:]}", confirm=True)
        await page.until("document.querySelector('main').innerText.includes('The user has registered no device.')")
        assert (await caller.call("GET", f"/users/{bob.user_id}/push/huawei"))["devices"] == []
        await pressed(page, f"Lift the mute in {channel}")
        await owner.event("channel.user_unmuted", channel_url=channel)
        await page.until(f"!({rows.format('Mutes and bans')}).includes('muted')")
        # A group is found for the form that takes a URL.
        await fill(page, "Mute or ban", channel_url="trip", kind="mute", time="600")
        await bob.event("channel.user_muted", channel_url="trip")
        await page.until(f"({rows.format('Groups')}).includes('muted')")
