"""Translation services: one whose answers a test scripts, and apertium's own."""

import asyncio
import contextlib
import json
import shutil

from harness import DEADLINE, reserved_port
from pages import Request
from services import ScriptedService


class ScriptedTranslator:
    """Speaks like LibreTranslate: each text comes back after its language, `es:The house`.

    `answers` maps a text to what is answered: as for a `ScriptedService`, or a number of seconds to wait.
    """

    def __init__(self, languages):
        self.languages = languages
        self.answers = {}
        self.delay = 0
        self.dead = False
        self.asked, self.requests = [], []
        self.arrived = asyncio.Event()

    @classmethod
    async def start(cls, languages=("en", "es", "de", "fr"), port=0):
        service = cls(list(languages))
        service.server = await asyncio.start_server(
            service._serve, "127.0.0.1", port, limit=1 << 20)
        service.port = service.server.sockets[0].getsockname()[1]
        return service

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def flags(self):
        return ["--unfurl-mode", "off", "--translation-mode", "libretranslate",
                "--translation-url", self.url]

    def count(self, text, language=None):
        return sum(q["q"] == text and language in (None, q["target"]) for q in self.asked)

    async def until_asked(self, text, count=1):
        async with asyncio.timeout(DEADLINE):
            while self.count(text) < count:
                await self.arrived.wait()

    async def stop(self):
        self.server.close()

    async def _serve(self, reader, writer):
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                request = Request(await reader.readuntil(b"\r\n\r\n"))
                request.body = await reader.readexactly(
                    int(request.fields.get("content-length", 0)))
                self.requests.append(request)
                if request.target.startswith("/languages"):
                    writer.write(ScriptedService.written(
                        200, [{"code": code, "name": code, "targets": self.languages}
                              for code in self.languages]))
                    break
                await self._translate(json.loads(request.body), reader, writer)
                break
            await writer.drain()
        writer.close()

    async def _translate(self, question, reader, writer):
        self.asked.append(question)
        self.arrived.set()
        self.arrived = asyncio.Event()
        if self.dead:
            await reader.read()
            return
        if self.delay:
            await asyncio.sleep(self.delay)
        answer = self.answers.get(question["q"])
        if isinstance(answer, (int, float)):
            await asyncio.sleep(answer)
            answer = None
        if isinstance(answer, dict):
            answer = answer.get(question["target"])
        if callable(answer):
            return await answer(reader, writer)
        if answer is None:
            language = "en" if not question["q"].startswith("Das ") else "de"
            answer = (200, {"translatedText": f"{question['target']}:{question['q']}",
                            "detectedLanguage": {"language": language, "confidence": 90}})
        writer.write(ScriptedService.written(*answer))


async def apertium():
    """A running apertium-apy: its process and its URL."""
    program = shutil.which("apertium-apy")
    assert program, "apertium-apy is not installed"
    port = reserved_port()
    process = await asyncio.create_subprocess_exec(
        program, "-p", str(port), "/usr/share/apertium", stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL)
    async with asyncio.timeout(DEADLINE):
        while True:
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.close()
                return process, f"http://127.0.0.1:{port}"
            await asyncio.sleep(0.1)
