"""The page that shows the descriptions of the API, in a real browser where one is installed."""

import json
import re

from pagechat import press
from pagefiles import in_browser

FLAGS = ["--unfurl-mode", "off"]
SHOWN = "[...document.querySelectorAll('main article')].filter((one) => !one.hidden).map((one) => one.id)"


async def opened(ctx, page, fragment=""):
    """A server, with its page drawn."""
    server = await ctx.fresh(*FLAGS)
    await page.open(f"http://127.0.0.1:{server.port}/docs{fragment}")
    await page.until("document.querySelector('main article') !== null")
    return server


async def described(server, path):
    _, _, body = await server.get(path)
    return json.loads(body)


async def test_the_policy(ctx):
    """The page may run its own script and ask its own server, and nothing else."""
    server = await ctx.server(*FLAGS)
    status, fields, body = await server.get("/docs")
    assert status == 200 and fields["content-type"] == "text/html; charset=utf-8"
    policy = dict(part.strip().split(" ", 1) for part in fields["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["img-src"] == policy["frame-ancestors"] == "'none'", policy
    assert policy["connect-src"] == "'self'", policy
    for kind in ("style-src", "script-src"):
        assert re.fullmatch(r"'sha256-[A-Za-z0-9+/]+='", policy[kind]), policy
    # No other host is named.
    assert not re.search(rb"(https?:)?//[a-z]+\.", re.sub(rb"https://example\.com/", b"", body))
    _, _, first = await server.get("/")
    assert b'href="/docs"' in first


@in_browser
async def test_everything_is_shown(ctx, page):
    """Each operation, method, event, schema and code of both descriptions has its place."""
    server = await opened(ctx, page)
    http = await described(server, "/v3/openapi.json")
    socket = await described(server, "/v1/asyncapi.json")
    shown = set(await page.run(SHOWN))
    items = [*http["paths"].values(), *http["webhooks"].values()]
    wanted = {f"http-{operation['operationId']}" for item in items
              for operation in item.values() if isinstance(operation, dict) and "operationId" in operation}
    messages = socket["components"]["messages"]
    wanted |= {f"{'method' if operation['action'] == 'receive' else 'event'}-{messages[key]['title']}"
               for key, operation in socket["operations"].items()}
    wanted |= {f"http-schema-{name}" for name in http["components"]["schemas"]}
    wanted |= {f"socket-schema-{name}" for name in socket["components"]["schemas"]}
    assert len(wanted) > 250
    assert wanted <= shown, wanted - shown
    # What members are called, what they take, and what an answer means.
    text = await page.run("document.getElementById('http-listMessages').innerText")
    for words in ("prev_limit", "0 to 200", "default 15", "Messages ordered by time.", "message_page", "401"):
        assert words in text, (words, text)
    text = await page.run("document.getElementById('method-message.send').innerText")
    assert "channel_url" in text and "required" in text, text
    text = await page.run("document.getElementById('errors').innerText")
    assert "900200" in text and "400401" in text, text
    # No link inside the page is dead.
    dead = await page.run(
        "[...document.querySelectorAll('a[href^=\"#\"]')].map((a) => decodeURIComponent(a.hash.slice(1)))"
        ".filter((id) => !document.getElementById(id))")
    assert not dead, dead


@in_browser
async def test_examples_work(ctx, page):
    """The commands that the page shows are accepted by the gateway, in the order that a newcomer takes."""
    server = await opened(ctx, page)
    for operation in ("createUser", "createChannel", "sendMessage", "listChannels", "viewUser", "viewStatus"):
        command = await page.run(
            f"document.getElementById('http-{operation}')?.querySelector('.example pre')?.textContent")
        assert command, operation
        status, output, errors = await ctx.run(
            "bash", "-euc", command.replace("curl", "curl -sS --fail-with-body", 1),
            environment={"API_TOKEN": server.api_token})
        assert status == 0, (command, output, errors)
        json.loads(output)
    requests = await page.run(
        "['session.open', 'channel.list'].map((name) => "
        "document.getElementById(`method-${name}`).querySelector('.example pre').textContent)")
    client = await ctx.connect(server)
    for number, request in enumerate(map(json.loads, requests)):
        answer = await client.raw_answer({**request, "id": number})
        assert "result" in answer, (request, answer)


@in_browser
async def test_search(ctx, page):
    """Typing narrows the page to what has all words; a slash begins, Enter goes there, Escape ends."""
    await opened(ctx, page)
    await page.call("Page.bringToFront")
    every = len(await page.run(SHOWN))
    await press(page, "/", "/")
    assert await page.run("document.activeElement.id") == "words"
    await page.call("Input.insertText", text="message.send files")
    found = await page.run(SHOWN)
    assert "method-message.send_files" in found and len(found) < every / 10, found
    assert await page.run("document.getElementById('count').textContent") == f"{len(found)} found"
    await press(page, "Enter", "\r")
    await page.until(f"location.hash === '#{found[0]}'")
    await press(page, "Escape")
    assert len(await page.run(SHOWN)) == every
    # A link out of what is found to what is hidden shows it.
    await page.run("(words.value = 'zzzz', words.dispatchEvent(new Event('input')), location.hash = 'errors')")
    await page.until("!document.getElementById('errors').hidden")


@in_browser
async def test_a_broken_fragment(ctx, page):
    """A fragment whose percent-encoding is broken names nothing, and the page works."""
    await opened(ctx, page, "#%")
    await page.run("(words.value = 'listMessages', words.dispatchEvent(new Event('input')))")
    await page.until(f"{SHOWN}.length < 20")
    assert "http-listMessages" in await page.run(SHOWN)


@in_browser
async def test_deep_links(ctx, page):
    """A link to a description leads there when the page is opened with it."""
    await opened(ctx, page, "#method-message.send")
    await page.until(
        "Math.abs(document.getElementById('method-message.send').getBoundingClientRect().top) < 200")
    assert "message.send" in await page.run("document.querySelector('#contents [aria-current]').textContent")


@in_browser
async def test_small_and_dark(ctx, page):
    """At 320 pixels nothing is wider than the window, and in the dark the page is dark."""
    await page.call(
        "Emulation.setDeviceMetricsOverride", width=320, height=640, deviceScaleFactor=1, mobile=True)
    await page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    await opened(ctx, page)
    assert await page.run("document.documentElement.scrollWidth") <= 320
    wide = await page.run(
        "[...document.querySelectorAll('main *')].filter((one) => one.getBoundingClientRect().right > 321 "
        "&& !one.closest('pre')).map((one) => one.closest('article')?.id)")
    assert not wide, wide[:5]
    red, green, blue = map(int, re.findall(r"\d+", await page.run(
        "getComputedStyle(document.body).backgroundColor"))[:3])
    assert max(red, green, blue) < 64


@in_browser
async def test_without_descriptions(ctx, page):
    """When the descriptions do not come, the page says so."""
    server = await ctx.fresh(*FLAGS)
    await page.call("Network.setBlockedURLs", urls=["*asyncapi.json"])
    await page.open(f"http://127.0.0.1:{server.port}/docs")
    await page.until("!document.getElementById('trouble').hidden")
    assert "Reload" in await page.run("document.getElementById('trouble').textContent")
