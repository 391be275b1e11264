"""Groups in the embedded page, in a real browser where one is installed."""

import json
import os

from calls import Caller
from commands import terminal
from pagechat import FLAGS, LIVE, ROWS, press, write
from pagefiles import enter, file, in_browser
from pages import Pages

GROUPS = "[...document.querySelectorAll('#groups .place')]"
UNREAD = f"{GROUPS}.map((row) => row.querySelector('.unread')?.textContent ?? '')"
NAMES = f"{GROUPS}.map((row) => row.firstElementChild.textContent)"
MEMBERS = "[...document.querySelectorAll('#members .member')].map((row) => row.textContent)"
NOTES = "[...document.querySelectorAll('.note')].map((note) => note.textContent.replace(/[\\u2068\\u2069]/g, ''))"
TITLE = "document.getElementById('title').textContent.replace(/[\\u2068\\u2069]/g, '')"
NOTICE = "document.getElementById('notice').textContent.replace(/[\\u2068\\u2069]/g, '')"
IN_GROUP = "new URLSearchParams(location.search).get('group')"


def click(selector):
    return f"document.querySelector({json.dumps(selector)}).click()"


async def pictured(page, name):
    """A screenshot for people, where a directory for them is given."""
    if directory := os.environ.get("PARLEY_TEST_PICTURES"):
        await page.picture(os.path.join(directory, f"{name}.png"))


async def browse(page):
    await page.run("document.getElementById('side').hidden && document.getElementById('browse').click()")


async def create(page, name, users):
    """Creates a group with the form, and waits until it is shown."""
    await browse(page)
    await page.run(f"""(() => {{
      document.getElementById('new-group').open = true;
      document.getElementById('group-name').value = {json.dumps(name)};
      document.getElementById('group-users').value = {json.dumps(users)};
      document.getElementById('create').requestSubmit();
    }})()""")
    await page.until(f"{IN_GROUP} && {LIVE}")
    return await page.run(IN_GROUP)


async def choose(page, name):
    await browse(page)
    await page.until(f"{GROUPS}.some((one) => one.textContent.includes({json.dumps(name)}))")
    await page.run(f"{GROUPS}.find((one) => one.textContent.includes({json.dumps(name)})).click()")


async def quit(page, selector):
    """Presses a button that asks once."""
    for _ in range(2):
        await page.run(click(selector))


@in_browser
async def test_a_group_beside_a_channel(ctx, page):
    """A group appears at its members without a call; texts, previews and files come as in channels, and through kill -9."""
    site = await Pages.start()
    try:
        site.add("/page", "A page")
        flags = ["--auth-mode", "open", "--unfurl-allow-addresses", "127.0.0.1/32", "--unfurl-allow-ports", str(site.port)]
        server = await ctx.fresh(*flags)
        port = server.port
        other = await page.tab()
        await enter(page, server, "lobby", "ada")
        await enter(other, server, "lobby", "ben")
        await create(page, "<b>Trip", "ben")
        await page.until(f"{TITLE} === '<b>Trip' && document.getElementById('count').textContent === '2 members'")
        await page.until(f"{MEMBERS}.length === 2")
        assert await page.run(MEMBERS) == ["adayou, operator", "benRemove"]
        await other.until("document.getElementById('browse').classList.contains('news')")
        await choose(other, "<b>Trip")
        await other.until(f"{IN_GROUP} && {LIVE}")
        assert await other.run(MEMBERS) == ["adaoperator", "benyou"]
        await write(page, f"see {site.url('/page')}")
        for tab in (page, other):
            await tab.until("document.querySelector('#timeline .card')?.textContent.includes('A page')")
        await other.choose("#files", file(ctx, "notes.txt", b"some notes"))
        for tab in (page, other):
            await tab.until("document.querySelector('#timeline .file a')?.textContent.includes('notes.txt')")
        await pictured(page, "group-wide")
        await server.kill(keeps_port=True)
        await page.until("document.getElementById('status').className === 'waiting'")
        await write(page, "two")
        server = await ctx.fresh(*flags, "--listen", f"127.0.0.1:{port}", data=server.data)
        server.port = port
        await other.until(f"{ROWS}.length === 2 && {LIVE}")
        await write(other, "three")
        for tab in (page, other):
            await tab.until(f"{ROWS}.length === 3 && {LIVE}")
            assert (await tab.run(ROWS))[1:] == ["two", "three"]
        # What comes while another place is shown is counted, and there afterwards.
        await browse(other)
        await other.run(click("#rooms .place"))
        await other.until(f"{TITLE} === '#lobby' && {LIVE} && {ROWS}.length === 0")
        await write(page, "four")
        await other.until(f"{UNREAD}[0] === '1'")
        await write(other, "in the lobby")
        await choose(other, "Trip")
        await other.until(f"{ROWS}.length === 4 && {UNREAD}[0] === ''")
        assert (await other.run(ROWS))[1:] == ["two", "three", "four"]
        assert not other.errors, other.errors
    finally:
        site.close()


@in_browser
async def test_a_family(ctx, page):
    """A phone with the page and two terminals keep one order of all messages, through kill -9 of the server."""
    server = await ctx.fresh(*FLAGS)
    port = server.port
    await enter(page, server, "lobby", "ada")
    for user in ("ben", "cleo"):
        await ctx.user(server, user)
    group = await create(page, "Family", "ben, cleo")
    async with (terminal(ctx, server, "chat", group, "--group", "--user", "ben", NO_COLOR="1") as ben,
                terminal(ctx, server, "chat", group, "--group", "--user", "cleo", NO_COLOR="1") as cleo):
        for user, chat in (("ben", ben), ("cleo", cleo)):
            await chat.until(f"{user}> ")
        await write(page, "Dinner at seven?")
        for chat in (ben, cleo):
            await chat.until("Dinner at seven?")
        ben.type("I am late\r")
        await cleo.until("I am late")
        await page.until(f"{ROWS}.length === 2")
        await server.kill(keeps_port=True)
        await page.until("document.getElementById('status').className === 'waiting'")
        await write(page, "We wait for you")
        ben.type("On my way\r")
        server = await ctx.fresh(*FLAGS, "--listen", f"127.0.0.1:{port}", data=server.data)
        server.port = port
        for text in ("We wait for you", "On my way"):
            await cleo.until(text)
        cleo.type("Bring bread\r")
        await ben.until("Bring bread")
        await page.until(f"{ROWS}.length === 5 && {LIVE}")
        rows = await page.run(ROWS)
        assert rows[:2] + rows[4:] == ["Dinner at seven?", "I am late", "Bring bread"], rows
        assert sorted(rows[2:4]) == ["On my way", "We wait for you"], rows
        for user, chat in (("ben", ben), ("cleo", cleo)):
            others = [text for text in rows if text != {"ben": "On my way", "cleo": "Bring bread"}[user]]
            places = [chat.text.rindex(text) for text in others]
            assert places == sorted(places), (user, chat.text)
        assert not page.errors, page.errors


@in_browser
async def test_members_of_a_group(ctx, page):
    """Members are invited by id, leave, and are removed; each member sees it, and who is out is shown the channel."""
    server = await ctx.fresh(*FLAGS)
    other = await page.tab()
    await enter(page, server, "lobby", "ada")
    await enter(other, server, "lobby", "ben")
    await ctx.user(server, "cleo", nickname="Cleo")
    await create(page, "Trip", "")
    await page.run("""(() => {
      document.getElementById('invited').value = 'ben, cleo';
      document.getElementById('invite').requestSubmit();
    })()""")
    await page.until(f"{MEMBERS}.length === 3")
    assert await page.run(MEMBERS) == ["adayou, operator", "benRemove", "CleoRemove"]
    assert await page.run(NOTES) == ["ben joined", "Cleo joined"]
    await choose(other, "Trip")
    await other.until(f"{IN_GROUP} && {MEMBERS}.length === 3")
    await page.run("document.getElementById('invited').value = 'nobody-known'")
    await page.run("document.getElementById('invite').requestSubmit()")
    await page.until(f"{NOTICE}.includes('400201')")
    await quit(page, "#members .member:nth-child(3) button")
    await page.until(f"{MEMBERS}.length === 2 && {NOTES}.includes('Cleo was removed')")
    await quit(other, "#quit")
    await other.until(f"{TITLE} === '#lobby' && {LIVE} && {NOTICE} === 'You left Trip.'")
    assert await other.run(f"{GROUPS}.length") == 0
    await page.until(f"{MEMBERS}.length === 1 && {NOTES}.includes('ben left')")
    assert not other.errors, other.errors


async def visible(page, is_visible):
    """Tells the page that it is in sight, or not."""
    await page.run(f"""(() => {{
      Object.defineProperty(document, "hidden", {{ value: {json.dumps(not is_visible)}, configurable: true }});
      document.dispatchEvent(new Event("visibilitychange"));
    }})()""")


@in_browser
async def test_the_list_of_groups(ctx, page):
    """Groups of earlier visits are listed with what is not read; what is in sight is read, and hidden groups come back."""
    server = await ctx.fresh(*FLAGS)
    ben, _, phone = [await ctx.user(server, name) for name in ("ben", "ada", "ada")]
    urls = {}
    for name in ("Old", "Trip", "Work"):
        made = await ben.call("group.create", user_ids=["ada"], name=name)
        urls[name] = made["channel"]["channel_url"]
        for number in range(2 if name == "Trip" else 1):
            await ben.call("message.send", channel_url=urls[name], message=f"{name} {number}")
    await enter(page, server, "lobby", "ada")
    await page.until("document.getElementById('browse').classList.contains('news')")
    await browse(page)
    await page.until(f"{GROUPS}.length === 3")
    assert await page.run(NAMES) == ["Work", "Trip", "Old"]
    assert await page.run(UNREAD) == ["1", "2", "1"]
    await ben.call("message.send", channel_url=urls["Old"], message="news")
    await page.until(f"{NAMES}[0] === 'Old' && {UNREAD}[0] === '2'")
    await pictured(page, "unread")
    await choose(page, "Trip")
    await page.until(f"{ROWS}.length === 2 && {UNREAD}[2] === ''")
    assert (await phone.event("group.unread"))["my"]["unread_message_count"] == 0
    # Only what is in sight is read.
    await visible(page, False)
    await ben.call("message.send", channel_url=urls["Trip"], message="more")
    await page.until(f"{ROWS}.length === 3 && {UNREAD}[0] === '1'")
    totals = await phone.call("group.unread")
    assert totals["unread_message_count"] == 4, totals
    await visible(page, True)
    await page.until(f"{UNREAD}[0] === ''")
    await page.run(click("#hide-group"))
    await page.until(f"{TITLE} === '#lobby' && {NAMES}.join() === 'Old,Work'")
    await page.until(f"{NOTICE} === 'Trip is hidden until its next message.'")
    await ben.call("message.send", channel_url=urls["Trip"], message="back")
    await page.until(f"{NAMES}.join() === 'Trip,Old,Work' && {UNREAD}[0] === '1'")
    # Read on another connection.
    await phone.call("group.mark_read")
    await page.until(f"{UNREAD}.join('') === '' && !document.getElementById('browse').classList.contains('news')")
    assert not page.errors, page.errors


async def enter_with_groups(ctx, page, count):
    """Lists the groups of a user who is in this many."""
    server = await ctx.fresh(*FLAGS)
    await ctx.user(server, "ada")
    caller = Caller(server)
    for number in range(count):
        await caller.call("POST", "/group_channels", {"user_ids": ["ada"], "name": f"Group {number}"})
    await enter(page, server, "lobby", "ada")
    await browse(page)


@in_browser
async def test_many_groups(ctx, page):
    """A press lists the groups after the first 50, which stay in their order."""
    await enter_with_groups(ctx, page, 52)
    await page.until(f"{GROUPS}.length === 50 && !document.getElementById('more-groups').hidden")
    await page.run(click("#more-groups"))
    await page.until(f"{GROUPS}.length === 52 && document.getElementById('more-groups').hidden")
    assert await page.run(NAMES) == [f"Group {number}" for number in reversed(range(52))]
    assert not page.errors, page.errors


@in_browser
async def test_groups_are_found_by_name(ctx, page):
    """The search field shows the groups whose name has its text, also those that were not listed, until it is empty."""
    await enter_with_groups(ctx, page, 52)
    await page.until(f"{GROUPS}.length === 50")

    async def search(text):
        await page.run(f"""(() => {{
          const field = document.getElementById('group-search');
          field.value = {json.dumps(text)};
          field.dispatchEvent(new Event('input'));
        }})()""")

    await search("GROUP 1")
    await page.until(f"{GROUPS}.length === 11 && document.getElementById('more-groups').hidden")
    assert set(await page.run(NAMES)) == {f"Group {number}" for number in (1, *range(10, 20))}
    await search("nothing")
    await page.until(f"{GROUPS}.length === 0 && !document.getElementById('no-match').hidden")
    await search("")
    await page.until(f"{GROUPS}.length >= 50 && document.getElementById('no-match').hidden")
    assert not page.errors, page.errors


@in_browser
async def test_unread_messages_in_the_title(ctx, page):
    """The title has the number of unread messages of all groups, as long as there are some."""
    server = await ctx.fresh(*FLAGS, "--groups-totals-ms", "100")
    await enter(page, server, "lobby", "ada")
    caller = Caller(server)
    await ctx.user(server, "ben")
    made = await caller.call("POST", "/group_channels", {"user_ids": ["ada", "ben"], "name": "Trip"})
    url = made["channel_url"]
    for text in ("one", "two"):
        await caller.call("POST", f"/group_channels/{url}/messages", {"message_type": "MESG", "user_id": "ben", "message": text})
    await page.until("document.title.startsWith('(2) ')")
    await caller.call("PUT", f"/group_channels/{url}/messages/mark_as_read", {"user_id": "ada"})
    await page.until("document.title.startsWith('#')")
    assert not page.errors, page.errors


@in_browser
async def test_an_invitation(ctx, page):
    """A user who accepts invitations itself sees one with its inviter, and then the messages; or declines."""
    server = await ctx.fresh(*FLAGS)
    inviter = await ctx.user(server, "ada", nickname="Ada")
    await enter(page, server, "lobby", "ben")
    await Caller(server).call("PUT", "/users/ben/channel_invitation_preference", {"auto_accept": False})
    for name in ("One", "Two"):
        await inviter.call("group.create", user_ids=["ben"], name=name, channel_url=f"group-{name}")
    door = "document.querySelector('#door p').textContent.replace(/[\\u2068\\u2069]/g, '')"
    await choose(page, "One")
    await page.until(f"{door} === 'Ada invites you to One.'")
    assert await page.run("document.getElementById('box').disabled")
    await pictured(page, "invitation")
    await page.run("document.getElementById('door').requestSubmit()")
    await page.until("document.getElementById('door').hidden && !document.getElementById('box').disabled")
    await write(page, "hello")
    assert (await inviter.event("message.received"))["message"]["message"] == "hello"
    await choose(page, "Two")
    await page.until(f"{door} === 'Ada invites you to Two.'")
    await page.run(click("#decline"))
    await page.until(f"{TITLE} === '#lobby' && {GROUPS}.length === 1")


@in_browser
async def test_the_address_of_a_group(ctx, page):
    """A group is found by its address; one of others is refused, a public one is joined, and a reload finds all again."""
    server = await ctx.fresh(*FLAGS)
    base = f"http://127.0.0.1:{server.port}/"
    owner = await ctx.user(server, "owner")
    await owner.call("group.create", channel_url="hidden-group", name="Hidden")
    await owner.call("group.create", channel_url="public-group", name="Public", is_public=True, access_code="sesame")
    await page.open(f"{base}?name=ada&group=hidden-group")
    assert await page.run("document.getElementById('channel-field').hidden")
    submit = "document.querySelector('#join form').requestSubmit()"
    await page.run(submit)
    await page.until("document.getElementById('refusal').textContent.includes('400201')")
    await page.open(f"{base}?name=ada&group=public-group")
    await page.run(submit)
    await page.until("!document.getElementById('door').hidden && document.getElementById('code').checkVisibility()")
    await page.run("document.getElementById('code').value = 'wrong'")
    await page.run("document.getElementById('door').requestSubmit()")
    await page.until(f"{NOTICE}.includes('400111')")
    await page.run("document.getElementById('code').value = 'sesame'")
    await page.run("document.getElementById('door').requestSubmit()")
    await page.until(f"document.getElementById('door').hidden && {LIVE}")
    await owner.call("message.send", channel_url="public-group", message="welcome")
    await page.until(f"{ROWS}.length === 1")
    # The address is joined again without asking.
    await page.open(await page.run("location.href"))
    await page.until(f"{LIVE} && {ROWS}.length === 1 && {GROUPS}.length === 1")
    # Without a channel there is none to go back to.
    await owner.call("group.delete", channel_url="public-group")
    await page.until("document.getElementById('refusal').textContent.includes('was deleted')")
    assert not await page.run("document.getElementById('channel-field').hidden")


@in_browser
async def test_the_list_on_a_phone(ctx, page):
    """From 320 pixels on nothing is wider than the page, and the keyboard opens, uses and closes the list."""
    server = await ctx.fresh(*FLAGS)
    await ctx.user(server, "ben")
    for width in (320, 390, 768, 1280):
        await page.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=720, deviceScaleFactor=1, mobile=width < 768)
        await enter(page, server, "lobby", "ada")
        await create(page, f"A group with a name that is rather long {width}", "ben")
        await write(page, "hello")
        await page.until(f"{ROWS}.length === 1")
        fits = "document.documentElement.scrollWidth <= innerWidth"
        assert await page.run(fits), width
        await pictured(page, f"group-{width}")
        await page.run("document.getElementById('side').hidden || document.getElementById('close-side').click()")
        await page.call("Page.bringToFront")
        await page.run("document.getElementById('browse').focus()")
        await press(page, "Enter", "\r")
        assert await page.run("document.activeElement.id") == "close-side"
        assert await page.run(fits), width
        assert await page.run("(side => side.scrollWidth <= side.clientWidth)(document.getElementById('side'))"), width
        await pictured(page, f"list-{width}")
        await press(page, "Escape")
        assert await page.run("document.activeElement.id === 'browse' && document.getElementById('side').hidden")


@in_browser
async def test_typing_and_read_marks(ctx, page):
    """A member sees who types, and under its own message who has read it."""
    server = await ctx.fresh("--auth-mode", "open")
    await ctx.user(server, "cleo")
    other = await page.tab()
    await enter(page, server, "lobby", "ada")
    await enter(other, server, "lobby", "ben")
    await create(page, "Trip", "ben, cleo")
    await choose(other, "Trip")
    await other.until(f"{IN_GROUP} && {LIVE}")
    typing = "(document.getElementById('typing').hidden ? '' : document.getElementById('typing').textContent)"
    plain = f"{typing}.replace(/[\\u2068\\u2069]/g, '')"
    await other.run("""(() => {
      const box = document.getElementById("box");
      box.value = "hel";
      box.dispatchEvent(new Event("input"));
    })()""")
    await page.until(f"{plain} === 'ben is typing…'")
    assert await other.run(plain) == ""
    await write(other, "hello")
    await page.until(f"{plain} === '' && {ROWS}.length === 1")
    await write(page, "hi")
    marks = "[...document.querySelectorAll('#timeline .read')].map((mark) => mark.textContent)"
    # A page marks what is read while it is in front, and a message that it sends reads those before.
    await other.until(f"{marks}.join() === 'Read by 1'")
    await pictured(other, "group-read")
    assert not page.errors and not other.errors, (page.errors, other.errors)
