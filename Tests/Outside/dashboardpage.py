"""The dashboard in a browser: logging in, going to views, filling in forms."""

import json
from urllib.parse import quote

from calls import Caller

FLAGS = ["--unfurl-mode", "off", "--limits-flood-messages", "0"]
VIEWS = ["overview", "channels", "groups", "messages", "users", "reports", "restrictions", "previews", "files", "translation", "webhooks", "push", "tokens", "exports",
         "audit", "settings"]
HOSTILE = "<img src=x onerror=\"window.__ran = 1\"><script>window.__ran = 1</script>'\"\u202e&amp;"
TABS = ["messages", "people", "settings", "data"]
LIVE = "document.querySelector('#log').parentElement.querySelector('[role=status]').textContent === 'Live'"


async def log_in(page, server, token=None, view="overview", keep=False):
    await page.open(f"http://127.0.0.1:{server.port}/dashboard#/{view}")
    if keep:
        await page.run("document.querySelector('#keep').click()")
    await page.run(f"document.querySelector('#token').value = {json.dumps(token or server.api_token)}")
    await page.run("document.querySelector('#login form').requestSubmit()")
    await page.until("!document.querySelector('#app').hidden")


async def show(page, *parts):
    """Goes to a view, and waits until nothing is loading."""
    path = "/".join(quote(part, safe="") for part in parts)
    await page.run(f"location.hash = {json.dumps('#/' + path)}")
    await settled(page)


async def settled(page):
    """Waits until the view of the address is shown, and nothing is loading.

    An address changes at once, and its view is shown a turn of the page's loop later.
    """
    await page.until("""(() => {
      const main = document.querySelector('main'), place = (location.hash || '#/overview').split('?')[0];
      return decodeURIComponent(main.dataset.shown ?? '') === decodeURIComponent(place) && !main.innerText.includes('Loading…');
    })()""")


async def issue(server, role):
    async with Caller(server) as caller:
        return (await caller.call("POST", "/parley/api_tokens", {"name": role, "role": role}))["token"]


async def fill(page, form, **values):
    """Fills a form, found by its name, in and submits it."""
    await page.run(f"""(() => {{
      const form = document.querySelector('form[aria-label="{form}"]');
      for (const [name, value] of Object.entries({json.dumps(values)})) {{
        form.elements[name].value = value;
        form.elements[name].dispatchEvent(new Event('input', {{ bubbles: true }}));
      }}
      form.requestSubmit();
    }})()""")


async def text(page, selector="main"):
    return await page.run(f"document.querySelector({json.dumps(selector)}).innerText")


async def pressed(page, label, *, confirm=False):
    """Presses the button of this name, and the last one of the question it may ask."""
    button = f"document.querySelector('main button[aria-label=\"{label}\"]')"
    await page.until(f"!!{button}")
    await page.run(f"{button}.click()")
    if confirm:
        await page.until("!!document.querySelector('dialog')")
        await page.run("document.querySelector('dialog button[value=yes]').click()")


async def sockets(caller):
    numbers = await caller.call("GET", "/parley/metrics")
    return next(s["value"] for s in numbers["samples"] if s["name"] == "parley_websockets")
