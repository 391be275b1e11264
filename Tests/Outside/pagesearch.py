"""Search in the embedded page, in a real browser where one is installed."""

import asyncio
import json

from dashboardaccess import CONTRAST
from groups import group
from harness import eventually
from pagechat import LIVE, ROWS, press
from pagefiles import enter, in_browser
from pagegroups import IN_GROUP, pictured

FLAGS = ["--unfurl-mode", "off", "--auth-mode", "open", "--limits-flood-messages", "0", "--limits-user-flood-messages", "0",
         "--limits-throttle-messages", "0"]
STATE = "document.getElementById('found-state').textContent"
RESULTS = "[...document.querySelectorAll('#found .about')].map((one) => one.textContent)"
FOCUSED = "document.activeElement.id"
MARKED = "document.querySelector('#timeline .found .said')?.textContent"
FAINT = CONTRAST.replace("'body *'", "'#finder *'")
GAPS = "document.querySelectorAll('#timeline .gap').length"


async def indexed(client, query, count):
    """Waits until the index has the messages; a user may search five times a second."""
    async def is_there():
        await asyncio.sleep(0.3)
        return (await client.call("message.search", query=query))["total_count"] == count
    await eventually(is_there)


async def search(page, words, range="here"):
    """Searches with the keys, and waits for the answer."""
    await page.call("Page.bringToFront")
    await page.run(f"""(() => {{
      if (document.getElementById('finder').hidden) document.getElementById('find').click();
      document.getElementById('range').value = {json.dumps(range)};
      document.getElementById('words').focus();
      document.getElementById('words').select();
    }})()""")
    await page.call("Input.insertText", text=words)
    await press(page, "Enter", "\r")
    await page.until(f"{STATE} && {STATE} !== 'Searching…'")


async def filled(ctx, server, url, texts):
    owner = await ctx.user(server, "owner")
    await owner.call("channel.create", channel_url=url)
    await owner.enter(url)
    for text in texts:
        await owner.send(url, text)
    return owner


@in_browser
async def test_results_and_a_jump(ctx, page):
    """The keyboard finds old messages page by page and goes to one, which is shown among those around it."""
    server = await ctx.fresh(*FLAGS)
    texts = [f"filler {n}" if n % 8 else f"needle <b>{n}</b> Crème" for n in range(200)]
    owner = await filled(ctx, server, "lobby", texts)
    await indexed(owner, "needle", 25)
    await enter(page, server, "lobby")
    await page.until(f"{ROWS}.length === 50")
    await page.call("Page.bringToFront")
    await page.run("document.getElementById('find').focus()")
    await press(page, "Enter", "\r")
    assert await page.run(FOCUSED) == "words"
    await search(page, "CREME needl")
    assert await page.run(STATE) == "25 messages found."
    newest_first = [text for text in reversed(texts) if "needle" in text]
    assert await page.run(RESULTS) == newest_first[:20]
    marks = "[...document.querySelector('#found .about').querySelectorAll('mark')].map((one) => one.textContent)"
    assert await page.run(marks) == ["needl", "Crème"]
    assert await page.run("document.querySelectorAll('#found b:not(.head > b)').length") == 0
    # The arrows go along the results; the button has further ones.
    await press(page, "ArrowUp")
    assert await page.run(FOCUSED) == "words"
    for _ in range(21):
        await press(page, "ArrowDown")
    assert await page.run(FOCUSED) == "more-found"
    await press(page, "Enter", "\r")
    await page.until(f"{RESULTS}.length === 25")
    assert await page.run(RESULTS) == newest_first
    assert await page.run("document.getElementById('more-found').hidden")
    focused = "document.activeElement.querySelector('.about')?.textContent"
    assert await page.run(focused) == newest_first[20]
    await press(page, "ArrowDown")
    await press(page, "ArrowDown")
    assert await page.run(focused) == newest_first[22] == "needle <b>16</b> Crème"
    await press(page, "Enter", "\r")
    await page.until(f"{MARKED} === 'needle <b>16</b> Crème'")
    assert await page.run("document.getElementById('finder').hidden")
    assert await page.run("document.activeElement.closest('.row').classList.contains('found')")
    seen = "((one) => one.top >= 0 && one.bottom <= innerHeight)(document.querySelector('.found').getBoundingClientRect())"
    assert await page.run(seen)
    await pictured(page, "search-jump")
    # Those around it, then a row for what is between, then the latest.
    assert await page.run(ROWS) == texts[0:42] + texts[150:]
    assert await page.run(GAPS) == 1 and await page.run("document.getElementById('earlier').hidden")
    await owner.send("lobby", "just now")
    await page.until(f"{ROWS}.at(-1) === 'just now'")
    for count in (143, 193, 201):
        await page.run("document.querySelector('.gap button').click()")
        await page.until(f"{ROWS}.length === {count}")
    assert await page.run(ROWS) == [*texts, "just now"] and await page.run(GAPS) == 0
    # The results are kept, and Escape closes them.
    await page.run("document.getElementById('find').click()")
    assert await page.run(f"{RESULTS}.length") == 25
    await press(page, "Escape")
    assert await page.run(f"{FOCUSED} === 'find' && document.getElementById('finder').hidden")
    await search(page, "nowhere")
    assert await page.run(STATE) == "No message has these words."
    assert await page.run(f"{RESULTS}.length") == 0


@in_browser
async def test_search_everywhere(ctx, page):
    """A search in all channels leads to others and to groups; messages that are gone are reported."""
    server = await ctx.fresh(*FLAGS)
    owner = await filled(ctx, server, "garden", ["plum in the garden", "pear"])
    url, creator, _ = await group(ctx, server, 1)
    await ctx.user(server, "ada")
    await creator.call("group.invite", channel_url=url, user_ids=["ada"])
    await creator.send(url, "plum in the group")
    await indexed(owner, "plum", 1)
    await indexed(creator, "plum", 2)
    await enter(page, server, "lobby", "ada")
    await search(page, "plum")
    assert await page.run(STATE) == "No message has these words."
    await search(page, "plum", "all")
    assert await page.run(RESULTS) == ["plum in the group", "plum in the garden"]
    heads = await page.run("[...document.querySelectorAll('#found .head')].map((one) => one.textContent)")
    assert "#garden" in heads[1], heads
    await page.run("document.querySelectorAll('#found button')[1].click()")
    await page.until(f"{MARKED} === 'plum in the garden' && {LIVE}")
    await page.run("document.getElementById('find').click()")
    await page.run("document.querySelector('#found button').click()")
    await page.until(f"{MARKED} === 'plum in the group' && {LIVE}")
    assert await page.run(IN_GROUP) == url
    gone = (await owner.call("message.list", channel_url="garden", prev_limit=2))["messages"][0]
    await owner.call("message.delete", channel_url="garden", message_id=gone["message_id"])
    await page.run("document.getElementById('find').click()")
    await page.run("document.querySelectorAll('#found button')[1].click()")
    await page.until("document.getElementById('notice').textContent === 'The message is no longer there.'")


@in_browser
async def test_words_are_marked(ctx, page):
    """The words are marked in an excerpt around them, in scripts without spaces, with other accents and widths, and in names of files."""
    server = await ctx.fresh(*FLAGS)
    owner = await filled(ctx, server, "lobby", ["smart art", "祝你新年快乐", "ＷＩＤＥ Ångström", "x " * 300 + "far away" + " y" * 300, "👍🏽 yes"])
    await owner.call("message.send", channel_url="lobby", message_type="FILE", url="https://files.example/plan.pdf",
                     file_name="Grand plan.pdf", message="look")
    await indexed(owner, "plan", 1)
    await enter(page, server, "lobby")
    marks = "[...document.querySelectorAll('#found mark')].map((one) => one.textContent)"
    for query, marked in (("art", ["art"]), ("新年", ["新年"]), ("wide angst", ["ＷＩＤＥ", "Ångst"]), ("away far", ["far", "away"]),
                          ("👍", ["👍"]), ("plan", ["plan"])):
        await asyncio.sleep(0.25)
        await search(page, query)
        assert await page.run(marks) == marked, query
        shown = (await page.run(RESULTS))[0]
        if query == "away far":
            assert shown.startswith("…x x") and shown.endswith("y…") and len(shown) < 250, shown
    assert shown == "Grand plan.pdf"
    # Punctuation has no words.
    await search(page, "?!")
    assert await page.run(STATE) == "No message has these words."


@in_browser
async def test_partial_and_refused_searches(ctx, page):
    """A partial search is reported with a way to go on; a refusal and a lost connection are put in words."""
    server = await ctx.fresh(*FLAGS)
    owner = await filled(ctx, server, "lobby", ["needle"])
    await indexed(owner, "needle", 1)
    await enter(page, server, "lobby")
    # The answer of a server that has not finished: the page's own socket is what it listens to.
    await page.run("""(() => {
      const real = WebSocket.prototype.send;
      const pages = [{ messages: [], next: "t", total_count: 0, total_more: true, partial: true },
        { messages: [], next: "", total_count: 1000, total_more: true }];
      WebSocket.prototype.send = function (data) {
        const request = JSON.parse(data);
        if (request.method !== "message.search") return real.call(this, data);
        globalThis.asked = request.params;
        const answer = pages.length > 0 ? { result: pages.shift() }
          : { error: { code: 500910, message: "too many", data: { retry_after_ms: 700 } } };
        const event = new MessageEvent("message", { data: JSON.stringify({ jsonrpc: "2.0", id: request.id, ...answer }) });
        setTimeout(() => this.dispatchEvent(event));
      };
    })()""")
    await search(page, "needle")
    assert await page.run(STATE) == "Nothing found so far. Not all messages have been searched yet."
    await page.run("document.getElementById('more-found').click()")
    await page.until(f"{STATE} === 'At least 1,000 messages found.'")
    assert await page.run("globalThis.asked") == {"query": "needle", "limit": 20, "channel_url": "lobby", "token": "t"}
    assert await page.run("document.getElementById('more-found').hidden")
    await search(page, "needle")
    assert await page.run(STATE) == "Too many requests. Wait 700 ms."
    assert await page.run("document.getElementById('found-state').className") == "quiet failed"


@in_browser
async def test_servers_without_search(ctx, page):
    """The button is not there if the server does not search."""
    server = await ctx.fresh(*FLAGS, "--search-mode", "off")
    await enter(page, server, "lobby")
    assert await page.run("document.getElementById('find').hidden && document.getElementById('finder').hidden")


@in_browser
async def test_the_search_on_small_screens(ctx, page):
    """From 320 pixels on the search fits, with long words and names; texts stand out, light and dark."""
    server = await ctx.fresh(*FLAGS)
    owner = await ctx.user(server, "u" * 80, nickname="N" * 80)
    await owner.call("channel.create", channel_url="lobby", name="W" * 191)
    await owner.enter("lobby")
    for n in range(30):
        await owner.send("lobby", f"{'m' * 3000} needle {n}")
    await indexed(owner, "needle", 30)
    for width, scheme in ((320, "light"), (390, "dark"), (1280, "light"), (1280, "dark")):
        await page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        await page.call("Emulation.setDeviceMetricsOverride", width=width, height=720, deviceScaleFactor=1, mobile=width < 768)
        await enter(page, server, "lobby", "ada")
        await search(page, "needle")
        await pictured(page, f"search-{width}-{scheme}")
        assert await page.run("document.documentElement.scrollWidth <= innerWidth"), width
        inside = """((finder, middle) => finder.left >= 0 && finder.right <= innerWidth && finder.bottom <= middle.bottom)
          (document.getElementById('finder').getBoundingClientRect(), document.getElementById('middle').getBoundingClientRect())"""
        assert await page.run(inside), width
        assert await page.run("document.getElementById('found').scrollWidth <= document.getElementById('found').clientWidth"), width
        assert await page.run("document.getElementById('where').getBoundingClientRect().width") > 60, width
        assert await page.run("document.querySelector('#found mark').textContent") == "needle"
        assert (faint := await page.run(FAINT)) == [], (width, scheme, faint)
