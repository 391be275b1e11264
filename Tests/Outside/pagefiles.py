"""Files in the embedded page, in a real browser where one is installed."""

import asyncio
import base64
import json
import os
from urllib.parse import urlsplit

import browser
from files import call, download
from harness import DEADLINE
from thumbnails import png
from uploads import until

FLAGS = ["--unfurl-mode", "off", "--auth-mode", "open"]
# A red pixel.
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==")


def in_browser(test):
    async def attempt(ctx):
        browser.need()
        async with browser.Page() as page:
            await test(ctx, page)
            assert not page.errors, page.errors
    attempt.__doc__ = test.__doc__
    return attempt


async def enter(page, server, channel, name="ada"):
    await page.open(f"http://127.0.0.1:{server.port}/?name={name}&channel={channel}")
    await page.run("document.querySelector('#join form').requestSubmit()")
    await page.until("document.getElementById('status').className === 'live'")


def file(ctx, name, content):
    path = os.path.join(ctx.directory(), name)
    with open(path, "wb") as made:
        made.write(content)
    return path


def drop(event, name, type, text):
    """A script that hands the page a file, as pasting and dropping do."""
    target, member = ("box", "clipboardData") if event == "paste" else ("room", "dataTransfer")
    return f"""(() => {{
      const held = new DataTransfer();
      held.items.add(new File([{json.dumps(text)}], {json.dumps(name)}, {{ type: {json.dumps(type)} }}));
      const event = new Event({json.dumps(event)}, {{ bubbles: true, cancelable: true }});
      Object.defineProperty(event, {json.dumps(member)}, {{ value: held }});
      document.getElementById({json.dumps(target)}).dispatchEvent(event);
      return event.defaultPrevented;
    }})()"""


LINKS = "[...document.querySelectorAll('#timeline .file a')].map((a) => a.textContent.slice(1, -1))"


# The panel with the traffic, opened.
FRAMES = """(document.getElementById('develop').click(),
  document.querySelectorAll('#frames details').forEach((row) => { row.open = true; }),
  new Promise((done) => setTimeout(() =>
    done(document.getElementById('frames').textContent), 200)))"""


async def with_key(server, url):
    address = urlsplit(url)
    return await asyncio.to_thread(call, server, "GET", f"{address.path}?{address.query}")


@in_browser
async def test_a_picture_is_chosen_and_shown(ctx, page):
    """A chosen picture is uploaded, sent and shown in place; others get it as it was."""
    server = await ctx.fresh(*FLAGS)
    viewer = await ctx.user(server)
    await viewer.call("channel.create", channel_url="lobby")
    await viewer.enter("lobby")
    await enter(page, server, "lobby")
    await page.choose("#files", file(ctx, "dot <b>.png", PNG))
    await page.until("document.querySelector('img.shown')?.naturalWidth === 1")
    assert await page.run(LINKS) == ["dot <b>.png"]
    assert await page.run("document.querySelectorAll('.upload').length") == 0
    message = (await viewer.event("message.received"))["message"]
    assert message["file"]["type"] == "image/png"
    assert (await download(server, message["file"]["url"]))[2] == PNG
    # The address of an upload is a secret: the panel with the traffic does not show it.
    shown = await page.run(FRAMES)
    assert "file.create" in shown and "/v1/uploads/" not in shown


@in_browser
async def test_a_picture_is_shown_by_its_thumbnail(ctx, page):
    """The timeline loads the thumbnail, which is a link to the whole picture; one that is late replaces it."""
    content = png(1000, 800)
    for wait in ("60000", "0"):
        server = await ctx.fresh(*FLAGS, "--limits-send-wait-ms", wait)
        await enter(page, server, "lobby")
        await page.choose("#files", file(ctx, "plan.png", content))
        shown = "document.querySelector('#timeline a.whole img.shown')"
        await page.until(f"{shown}?.naturalWidth === 450")
        address = await page.run(f"{shown}.closest('a').href")
        assert await page.run(f"{shown}.currentSrc") != address
        assert await page.run(f"{shown}.alt") == "plan.png"
        assert (await download(server, address))[2] == content
        if wait != "0":
            loaded = await page.run("performance.getEntriesByType('resource').map(({ name }) => name)")
            assert address not in loaded, loaded
        # So does a page that comes later.
        await enter(page, server, "lobby", "bob")
        await page.until(f"{shown}?.naturalWidth === 450")
        loaded = await page.run("performance.getEntriesByType('resource').map(({ name }) => name)")
        assert address not in loaded, loaded


@in_browser
async def test_pictures_of_encrypted_deployments_are_shown(ctx, page):
    """A picture that needs a key is shown with the page's own; a new key changes the links."""
    server = await ctx.fresh(*FLAGS, "--files-encryption", "on", "--files-key-seconds", "8")
    await enter(page, server, "sealed")
    await page.choose("#files", file(ctx, "red.png", PNG))
    await page.until("document.querySelector('#timeline img.shown')?.naturalWidth === 1")
    address = "document.querySelector('#timeline .file a').href"
    first = await page.run(address)
    assert "?auth=" in first, first
    assert (await with_key(server, first))[::2] == (200, PNG)
    assert (await download(server, first))[0] == 401
    # The key is a secret too.
    assert first.split("auth=")[1] not in await page.run(FRAMES)
    await page.until(f"{address} !== {json.dumps(first)}")
    assert (await with_key(server, await page.run(address)))[::2] == (200, PNG)


@in_browser
async def test_files_are_pasted_and_dropped(ctx, page):
    """Pasted and dropped files are sent in order, beside texts; five a second and no more."""
    server = await ctx.fresh(*FLAGS)
    await enter(page, server, "lobby")
    assert await page.run(drop("paste", "a.txt", "text/plain", "a"))
    for number in range(6):
        assert await page.run(drop("drop", f"{number}.bin", "", f"{number}"))
    names = ["a.txt"] + [f"{number}.bin" for number in range(6)]
    await page.until(f"{LINKS}.length === 7")
    assert await page.run(LINKS) == names


@in_browser
async def test_a_large_file_with_progress_and_cancel(ctx, page):
    """20 MB go up with progress; one that is cancelled is gone, one beyond the limit is refused."""
    server = await ctx.fresh(*FLAGS)
    await enter(page, server, "lobby")
    content = os.urandom(20_000_000)
    path = file(ctx, "film.bin", content)
    await page.slow(8_000_000)
    await page.choose("#files", path)
    first = await page.until("document.querySelector('.upload progress')?.value")
    await page.until(f"document.querySelector('.upload progress')?.value > {first + 1_000_000}")
    await page.run("document.querySelector('.upload button:last-child').click()")
    await page.until("document.querySelectorAll('.upload').length === 0")
    viewer = await ctx.user(server, "ada")

    async def is_cancelled():
        return (await viewer.call("file.list"))["files"] == []
    await until(is_cancelled)
    await page.slow(0)
    await page.choose("#files", path)
    await page.until(f"{LINKS}.length === 1")
    url = await page.run("document.querySelector('#timeline .file a').href")
    assert (await download(server, url))[2] == content
    await page.choose("#files", file(ctx, "huge.bin", bytes(26_214_401)))
    await page.until("document.querySelector('.upload.failed .state')?.textContent.includes('larger')")
    # Nothing is offered that would fail again.
    buttons = "[...document.querySelectorAll('.upload.failed button:not([hidden])')].map((one) => one.textContent)"
    assert await page.run(buttons) == ["Cancel"]
    await page.run("document.querySelector('.upload.failed button:last-child').click()")
    await page.choose("#files", file(ctx, "empty.txt", b""))
    await page.until("document.querySelector('.upload.failed .state')?.textContent === 'empty: there is nothing to send'")
    assert await page.run(buttons) == ["Cancel"]


@in_browser
async def test_an_upload_survives_its_server(ctx, page):
    """An upload goes on where it was after the server was killed; a failed one by its button."""
    data = ctx.directory()
    server = await ctx.fresh(*FLAGS, data=data)
    await enter(page, server, "lobby")
    content = os.urandom(12_000_000)
    await page.slow(3_000_000)
    await page.choose("#files", file(ctx, "film.bin", content))
    await page.until("document.querySelector('.upload progress')?.value > 5_000_000")
    port = server.port
    await server.kill(keeps_port=True)
    server = await ctx.fresh(*FLAGS, "--listen", f"127.0.0.1:{port}", data=data)
    await page.slow(0)
    await page.until(f"{LINKS}.length === 1", seconds=4 * DEADLINE)
    url = await page.run("document.querySelector('#timeline .file a').href")
    assert (await download(server, url))[2] == content
