"""A headless Chromium, driven by its own protocol."""

import asyncio
import base64
import itertools
import json
import os
import shutil
import tempfile

import websockets
from harness import DEADLINE, Skipped, lasting

PROGRAMS = ["chromium", "chromium-browser", "google-chrome"]


def program():
    """The path of a Chromium; None where there is none."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


def need():
    """Skips a test where there is no Chromium."""
    if program() is None:
        raise Skipped("Chromium is not installed")


class Chromium:
    """A browser, in which each page with what it stores is by itself."""

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="parley-chromium-")

    @classmethod
    async def start(cls):
        browser = cls()
        browser.process = await asyncio.create_subprocess_exec(
            program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--no-first-run", "--disable-background-networking", "--disable-component-update",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            f"--user-data-dir={browser.directory}", "--remote-debugging-port=0", "about:blank",
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL)
        port = os.path.join(browser.directory, "DevToolsActivePort")
        try:
            async with asyncio.timeout(2 * DEADLINE):
                while not (os.path.exists(port) and open(port).read().count("\n")):
                    assert browser.is_alive(), f"Chromium ended with {browser.process.returncode}"
                    await asyncio.sleep(0.02)
        except BaseException:
            await browser.end()
            raise
        number, browser.path = open(port).read().split("\n")[:2]
        browser.base = f"ws://127.0.0.1:{number}"
        return browser

    def is_alive(self):
        return self.process.returncode is None

    async def end(self):
        if self.is_alive():
            self.process.kill()
        await self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)

    async def ask(self, method, **params):
        async with websockets.connect(self.base + self.path, max_size=None) as socket:
            await socket.send(json.dumps({"id": 0, "method": method, "params": params}))
            while (answer := json.loads(await socket.recv())).get("id") != 0:
                pass
        assert "error" not in answer, (method, answer["error"])
        return answer["result"]


class Page:
    """A page that shares nothing with other pages but its own tabs, and ends with the block."""

    def __init__(self):
        self.numbers = itertools.count(1)
        self.answers = {}
        self.errors = []
        self.tabs = []
        # The latest event of each kind.
        self.events = {}
        # Bytes of all answers as they came over the network, with their heads.
        self.received = 0

    async def __aenter__(self):
        self.browser = await lasting(Chromium.start)
        self.context = (await self.browser.ask("Target.createBrowserContext"))["browserContextId"]
        await self.attach()
        return self

    async def __aexit__(self, *_):
        try:
            for page in [*self.tabs, self]:
                page.reading.cancel()
                await page.socket.close()
            await self.browser.ask("Target.disposeBrowserContext", browserContextId=self.context)
        except Exception:
            # The next page gets another browser.
            await self.browser.end()

    async def attach(self):
        place = {"browserContextId": self.context} if self.context else {}
        self.target = (await self.browser.ask("Target.createTarget", url="about:blank", **place))["targetId"]
        self.socket = await websockets.connect(
            f"{self.browser.base}/devtools/page/{self.target}", max_size=None)
        self.reading = asyncio.create_task(self.read())
        for domain in ("Page", "Runtime", "Network", "DOM"):
            await self.call(f"{domain}.enable")

    async def tab(self):
        """Another page that shares what it stores with this one, and ends with it."""
        made = Page()
        made.browser, made.context = self.browser, self.context
        await made.attach()
        self.tabs.append(made)
        return made

    async def read(self):
        async for text in self.socket:
            message = json.loads(text)
            if waiting := self.answers.pop(message.get("id"), None):
                waiting.set_result(message)
                continue
            self.events[message.get("method")] = message.get("params")
            if message.get("method") == "Network.loadingFinished":
                self.received += message["params"]["encodedDataLength"]
            elif message.get("method") == "Runtime.exceptionThrown":
                details = message["params"]["exceptionDetails"]
                self.errors.append(details.get("exception", details).get("description", details))

    async def call(self, method, **params):
        number = next(self.numbers)
        self.answers[number] = waiting = asyncio.get_running_loop().create_future()
        await self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        async with asyncio.timeout(2 * DEADLINE):
            answer = await waiting
        assert "error" not in answer, (method, answer["error"])
        return answer["result"]

    async def heard(self, event):
        """The latest event of a kind, as soon as there is one."""
        async with asyncio.timeout(2 * DEADLINE):
            while event not in self.events:
                await asyncio.sleep(0.02)
        return self.events[event]

    async def open(self, url):
        await self.call("Page.navigate", url=url)
        await self.until("document.readyState === 'complete'")

    async def run(self, script):
        """The value of an expression; a promise is awaited."""
        answer = await self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, (script, answer["exceptionDetails"])
        return answer["result"].get("value")

    async def until(self, script, seconds=2 * DEADLINE):
        """The first true value of an expression."""
        try:
            async with asyncio.timeout(seconds):
                while not (value := await self.run(script)):
                    await asyncio.sleep(0.02)
        except TimeoutError:
            shown = await self.run("document.body.innerText")
            raise AssertionError(f"never came: {script}; the page shows {shown!r}") from None
        return value

    async def first_paint(self, url):
        """Opens an address for the first time, and gives the bytes received until it had been painted."""
        await self.call("Network.setCacheDisabled", cacheDisabled=True)
        await self.call("Page.bringToFront")
        self.received = 0
        await self.open(url)
        await self.until("performance.getEntriesByName('first-contentful-paint').length === 1")
        return self.received

    async def permit(self, name, setting, origin):
        """Grants or denies a permission."""
        await self.call("Browser.setPermission", permission={"name": name}, setting=setting, origin=origin)

    async def choose(self, selector, *paths):
        """Puts files into a field."""
        root = (await self.call("DOM.getDocument"))["root"]["nodeId"]
        node = (await self.call("DOM.querySelector", nodeId=root, selector=selector))["nodeId"]
        await self.call("DOM.setFileInputFiles", nodeId=node, files=list(paths))

    async def slow(self, bytes_per_second):
        """Bounds what the page sends; 0 ends that."""
        await self.call(
            "Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1,
            uploadThroughput=bytes_per_second or -1)

    async def picture(self, path):
        shot = await self.call("Page.captureScreenshot")
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))


class ProfilePage(Page):
    """A page of the browser's own profile: Chromium grants the right to notify there only."""

    async def __aenter__(self):
        self.browser = await lasting(Chromium.start)
        self.context = None
        await self.attach()
        return self

    async def __aexit__(self, *_):
        for page in [*self.tabs, self]:
            page.reading.cancel()
            await page.socket.close()
            await self.browser.ask("Target.closeTarget", targetId=page.target)
