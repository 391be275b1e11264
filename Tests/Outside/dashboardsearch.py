"""The search of messages in the dashboard."""

from dashboardaccess import CONTRAST, size
from dashboardpage import FLAGS, fill, issue, log_in, pressed, settled, text
from groups import group
from pagefiles import in_browser
from pagegroups import pictured
from pagesearch import indexed

FOUND = "[...document.querySelectorAll('tbody tr td:first-child')].map((cell) => cell.innerText)"
FORM = "Search messages"
LINES = "[...document.querySelectorAll('.feed .said')].map((one) => one.textContent)"


def is_found(*texts):
    return f"JSON.stringify({FOUND}) === JSON.stringify({list(texts)!r})"


@in_browser
async def test_messages_are_searched(ctx, page):
    """Words find messages of channels and groups, limited to one channel or one user; a result leads to its messages."""
    server = await ctx.fresh(*FLAGS)
    channel, owner, writer = await ctx.room(server, 1)
    url, creator, _ = await group(ctx, server, 1)
    await owner.send(channel, "plum <b>one</b>")
    await writer.send(channel, "pear")
    await creator.send(url, "plum two")
    await indexed(owner, "plum", 1)
    await indexed(creator, "plum", 2)
    await log_in(page, server, view="messages", keep=True)
    await settled(page)
    assert "Enter words of messages." in await text(page)
    await page.run("document.querySelector('main input[type=search]').focus()")
    await page.call("Input.insertText", text="plu")
    await page.until(is_found("plum two", "plum <b>one</b>"))
    assert "2 found." in await text(page)
    for words in (f"plum channel:{channel}", f"plum user:{writer.user_id}"):
        await fill(page, FORM, q=words)
        await page.until(is_found("plum <b>one</b>"))
        await fill(page, FORM, q="plum")
        await page.until(is_found("plum two", "plum <b>one</b>"))
    await fill(page, FORM, q='"one plum"')
    await page.until("document.querySelector('main').innerText.includes('No message is found.')")
    for words in ("plum user:unknown", "plum channel:unknown"):
        await fill(page, FORM, q=words)
        await page.until("document.querySelector('main').innerText.includes('Failed: ')")
        assert "2 found." not in await text(page), words
        await fill(page, FORM, q="plum")
        await page.until(is_found("plum two", "plum <b>one</b>"))
    await page.call("Page.reload")
    await page.until(is_found("plum two", "plum <b>one</b>"))
    await size(page, 320, True)
    await pictured(page, "dashboard-search-320")
    assert await page.run("document.documentElement.scrollWidth <= innerWidth")
    assert await page.run(CONTRAST) == []
    await size(page, 1280)
    await pictured(page, "dashboard-search-1280")
    await page.run("document.querySelectorAll('tbody td:first-child a')[1].click()")
    await page.until(f"location.hash.startsWith('#/channels/{channel}/messages?before=')")
    await page.until(f"{LINES}.includes('plum <b>one</b>')")
    await page.run("history.back()")
    await page.until(is_found("plum two", "plum <b>one</b>"))
    await page.run("document.querySelector('tbody td:first-child a').click()")
    await page.until(f"location.hash.startsWith('#/groups/{url}/messages?before=') && {LINES}.join() === 'plum two'")


@in_browser
async def test_a_moderator_deletes_what_is_found(ctx, page):
    """A message is deleted from the results; a server without search says so."""
    server = await ctx.fresh(*FLAGS)
    channel, owner, _ = await ctx.room(server, 1)
    sent = (await owner.send(channel, "plum"))["message"]
    await indexed(owner, "plum", 1)
    await log_in(page, server, await issue(server, "moderator"), view="messages")
    await fill(page, FORM, q="plum")
    await pressed(page, f"Actions on {owner.user_id} and the message {sent['message_id']}")
    await page.run("[...document.querySelectorAll('dialog button')].find((one) => one.textContent === 'Delete the message').click()")
    await page.until("!!document.querySelector('dialog button[value=yes]')")
    await page.run("document.querySelector('dialog button[value=yes]').click()")
    await page.until("document.querySelector('main').innerText.includes('No message is found.')")
    server = await ctx.fresh(*FLAGS, "--search-mode", "off")
    await log_in(page, server, view="messages")
    await fill(page, FORM, q="plum")
    await page.until("document.querySelector('main').innerText.includes('Failed: ')")
