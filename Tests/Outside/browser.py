"""A headless Chromium, driven by its own protocol."""

import asyncio
import base64
import itertools
import json
import os
import shutil

import websockets

PROGRAMS = ["chromium", "chromium-browser", "google-chrome"]


def program():
    """The path of a Chromium; None where there is none."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Page:
    """A page in a browser of its own, which ends with the block."""

    def __init__(self, directory):
        self.directory = directory
        self.numbers = itertools.count(1)
        self.answers = {}
        self.errors = []
        self.tabs = []
        # Bytes of all answers as they came over the network, with their heads.
        self.received = 0

    async def __aenter__(self):
        self.process = await asyncio.create_subprocess_exec(
            program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--no-first-run", "--disable-background-networking", "--disable-component-update",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            f"--user-data-dir={self.directory}", "--remote-debugging-port=0", "about:blank",
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL)
        port = os.path.join(self.directory, "DevToolsActivePort")
        async with asyncio.timeout(60):
            while not (os.path.exists(port) and open(port).read().count("\n")):
                await asyncio.sleep(0.05)
        number, browser = open(port).read().split("\n")[:2]
        self.base = f"ws://127.0.0.1:{number}"
        self.browser = browser
        targets = (await self.ask_browser("Target.getTargets"))["targetInfos"]
        await self.attach(next(found["targetId"] for found in targets if found["type"] == "page"))
        return self

    async def __aexit__(self, *_):
        for page in [*self.tabs, self]:
            page.reading.cancel()
            await page.socket.close()
        self.process.kill()
        await self.process.wait()

    async def ask_browser(self, method, **params):
        async with websockets.connect(self.base + self.browser, max_size=None) as socket:
            await socket.send(json.dumps({"id": 0, "method": method, "params": params}))
            while (answer := json.loads(await socket.recv())).get("id") != 0:
                pass
        return answer["result"]

    async def attach(self, target):
        self.socket = await websockets.connect(f"{self.base}/devtools/page/{target}", max_size=None)
        self.reading = asyncio.create_task(self.read())
        for domain in ("Page", "Runtime", "Network", "DOM"):
            await self.call(f"{domain}.enable")

    async def tab(self):
        """Another page in the same browser, which ends with this one."""
        made = Page(self.directory)
        made.base, made.browser = self.base, self.browser
        target = (await self.ask_browser("Target.createTarget", url="about:blank"))["targetId"]
        await made.attach(target)
        self.tabs.append(made)
        return made

    async def read(self):
        async for text in self.socket:
            message = json.loads(text)
            if waiting := self.answers.pop(message.get("id"), None):
                waiting.set_result(message)
            elif message.get("method") == "Network.loadingFinished":
                self.received += message["params"]["encodedDataLength"]
            elif message.get("method") == "Runtime.exceptionThrown":
                details = message["params"]["exceptionDetails"]
                self.errors.append(details.get("exception", details).get("description", details))

    async def call(self, method, **params):
        number = next(self.numbers)
        self.answers[number] = waiting = asyncio.get_running_loop().create_future()
        await self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        async with asyncio.timeout(60):
            answer = await waiting
        assert "error" not in answer, (method, answer["error"])
        return answer["result"]

    async def open(self, url):
        await self.call("Page.navigate", url=url)
        await self.until("document.readyState === 'complete'")

    async def run(self, script):
        """The value of an expression; a promise is awaited."""
        answer = await self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, (script, answer["exceptionDetails"])
        return answer["result"].get("value")

    async def until(self, script, seconds=60):
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
