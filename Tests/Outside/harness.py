"""A real server process and clients that know nothing of it but its documented protocol."""

import asyncio
import base64
import contextlib
import itertools
import json
import os
import secrets
import shutil
import signal
import socket
import struct
import tempfile
from collections import deque
from urllib.parse import urlencode

import schemas
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

# Slow machines multiply every deadline by this; no test passes sooner or later because of it.
PATIENCE = float(os.environ.get("PARLEY_TEST_PATIENCE", "1"))
DEADLINE = 30 * PATIENCE


def scaled(number):
    """A setting for a time that the server's machine must keep within, in the setting's own unit."""
    return str(round(number * PATIENCE))


class Refused(Exception):
    """An error answered by the server."""

    def __init__(self, error):
        super().__init__(json.dumps(error))
        self.code = error["code"]
        self.message = error["message"]
        self.data = error.get("data")


class Skipped(Exception):
    """The reason why a test cannot run here, as the end of a sentence."""


def known(reason):
    """Marks a test of what the server is known not to do yet, and why."""
    def marked(test):
        test.known = reason
        return test
    return marked


def as_variables(*flags):
    """Flags as variables: a program under faketime does not see its arguments."""
    return {"PARLEY" + name[1:].replace("-", "_").upper(): value
            for name, value in zip(flags[::2], flags[1::2])}


def faketime():
    """The variables by which a program has a wall clock of its own; its steady clock stays right."""
    library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"
    if not os.path.exists(library):
        raise Skipped("faketime is not installed")
    return {"LD_PRELOAD": library, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}


# Sockets that keep ports for programs that cannot choose one themselves.
_reserved = []


def reserved_port(number=0):
    """Keeps a port from other programs as long as this process lives; connections to it are refused.

    A program that is given the port can listen there, also after a restart, if it sets SO_REUSEADDR as servers
    do: the socket that keeps the port does not listen. By default the port is a free one.
    """
    keeper = socket.socket()
    keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    keeper.bind(("127.0.0.1", number))
    _reserved.append(keeper)
    return keeper.getsockname()[1]


# Programs that take long to start, each once for all tests of this process.
_lasting = {}


async def lasting(start):
    """The helper that a coroutine function starts, which lasts for all tests while it is alive."""
    helper = _lasting.get(start)
    if helper is None or not helper.is_alive():
        helper = _lasting[start] = await start()
    return helper


async def end_lasting():
    """Ends the helpers that last."""
    while _lasting:
        await _lasting.popitem()[1].end()


def process_environment(additions):
    # The programs refuse settings that they do not know, and these are the tests' own.
    inherited = {
        name: text for name, text in os.environ.items() if not name.startswith("PARLEY_TEST_")}
    return {**inherited, "SWIFT_BACKTRACE": "enable=no", **(additions or {})}


class Program:
    """A process of ours that listens on a port of its own choosing."""

    announcement = ""

    def __init__(self, process):
        self.process = process
        self.lines = deque(maxlen=200)
        self.port = None
        self.reading = None

    @classmethod
    async def launch(cls, executable, flags, environment=None):
        process = await asyncio.create_subprocess_exec(
            executable, "--listen", "127.0.0.1:0", *flags,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE, env=process_environment(environment))
        program = cls(process)
        try:
            async with asyncio.timeout(DEADLINE):
                while line := (await process.stderr.readline()).decode(errors="replace").rstrip():
                    program.lines.append(line)
                    if cls.announcement in line:
                        tail = line.split(cls.announcement)[1]
                        program.port = int("".join(itertools.takewhile(str.isdigit, tail)))
                        break
        except BaseException:
            process.kill()
            raise
        if program.port is None:
            await process.wait()
            raise AssertionError(
                f"{os.path.basename(executable)} ended with {process.returncode}: "
                f"{list(program.lines)}")
        program.reading = asyncio.create_task(program._read())
        return program

    async def _read(self):
        while line := await self.process.stderr.readline():
            self.lines.append(line.decode(errors="replace").rstrip())

    async def wait(self):
        async with asyncio.timeout(DEADLINE):
            await self.process.wait()
            await self.reading
        schemas.gateways.discard(self.port)
        return self.process.returncode

    async def end(self, how=signal.SIGTERM):
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.send_signal(how)
        return await self.wait()

    async def kill(self, keeps_port=False):
        """Kills it; another one can then listen on its port if that is kept."""
        status = await self.end(signal.SIGKILL)
        if keeps_port:
            reserved_port(self.port)
        return status

    async def get(self, path, **headers):
        """The status, headers and body of a plain HTTP GET."""
        return await http(self.port, "GET", path, headers)


class Server(Program):
    """One parleyd."""

    announcement = "listening on ws://127.0.0.1:"

    async def is_ready(self):
        """Whether it is: a request in the moment in which the started server takes over may end without an answer."""
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
            return (await self.get("/readyz"))[0] == 200

    @classmethod
    async def start(cls, parleyd, data, flags, environment=None):
        # A test that sets the window of a channel sends as fast as that one allows.
        if "--limits-flood-messages" in " ".join(flags) and "--limits-user-flood" not in " ".join(flags):
            flags = [*flags, "--limits-user-flood-messages", "0"]
        server = await cls.launch(parleyd, ["--data-dir", data, *flags], environment)
        server.data = data
        schemas.gateways.add(server.port)
        return server

    @property
    def url(self):
        return f"ws://127.0.0.1:{self.port}/v1/ws"

    @property
    def api_token(self):
        with open(os.path.join(self.data, "api-token"), encoding="ascii") as file:
            return file.read().strip()

    async def api(self, method, path, **query):
        """A call of the Platform API with the server's token: the status, and the JSON answered."""
        query = {name: value for name, value in query.items() if value is not None}
        target = f"/v3{path}" + (f"?{urlencode(query)}" if query else "")
        status, _, body = await http(self.port, method, target, {"Api-Token": self.api_token})
        return status, json.loads(body)


class UnfurlService(Program):
    """One parley-unfurl."""

    announcement = "listening on http://127.0.0.1:"

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/unfurl"


async def http(port, method, path, headers=None, body=b""):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        fields = {"Host": "127.0.0.1", "Connection": "close", **(headers or {})}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        writer.write(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body)
        async with asyncio.timeout(DEADLINE):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            first, *rest = head.split("\r\n")
            pairs = (line.split(": ", 1) for line in rest if ": " in line)
            named = {name.lower(): value for name, value in pairs}
            length = 0 if method == "HEAD" else int(named.get("content-length", 0))
            content = await reader.readexactly(length)
    finally:
        writer.close()
    status = int(first.split(" ")[1])
    if port in schemas.gateways:
        schemas.http_exchange(method, path, body, status, named, content)
    return status, named, content


class Client:
    """A connection that keeps everything it is told, in order."""

    def __init__(self, socket):
        self.socket = socket
        self.raw, self.inbox, self.events = [], [], []
        self.answers = {}
        self.traffic = schemas.SocketTraffic()
        self.numbers = itertools.count(1)
        self.news = asyncio.Event()
        self.closed = None
        self.session = None
        self.user_id = None
        self.reading = asyncio.create_task(self._read())

    @classmethod
    async def connect(cls, server, **options):
        options.setdefault("compression", None)
        socket = await connect(
            server.url, ping_interval=None, max_size=None, open_timeout=DEADLINE,
            close_timeout=5, proxy=None, **options)
        return cls(socket)

    @classmethod
    async def open(
            cls, server, user_id, token=None, nickname=None, profile_url=None, groups=None, **options):
        """A client with a session; where the server has groups, it is ready for them unless told not to hear any."""
        client = await cls.connect(server, **options)
        client.session = await client.call(
            "session.open", user_id=user_id, access_token=token, nickname=nickname,
            profile_url=profile_url, groups=groups)
        client.user_id = user_id
        if groups is not False and "groups" in client.session["features"]:
            # What comes by itself has come, and stands between no question and its answer.
            await client.event("group.ready")
        return client

    async def _read(self):
        try:
            async for text in self.socket:
                value = json.loads(text)
                self.traffic.came(value)
                self.raw.append(text)
                self.inbox.append(value)
                if isinstance(value, dict) and "method" in value:
                    self.events.append(value)
                elif isinstance(value, dict) and not isinstance(value.get("id"), (list, dict)):
                    waiting = self.answers.pop(value.get("id"), None)
                    if waiting and not waiting.done():
                        waiting.set_result(value)
                self._tell()
        except ConnectionClosed:
            pass
        finally:
            self.closed = self.socket.close_code
            for waiting in self.answers.values():
                if not waiting.done():
                    waiting.set_exception(ConnectionError(f"closed with {self.closed}"))
                    waiting.exception()
            self._tell()

    def _tell(self):
        self.news.set()
        self.news = asyncio.Event()

    async def until(self, condition, what="what was waited for"):
        """The condition's first true value, looked at again whenever something came."""
        try:
            async with asyncio.timeout(DEADLINE):
                while not (found := condition()):
                    if self.closed is not None:
                        raise AssertionError(f"closed with {self.closed} before {what}")
                    await self.news.wait()
        except TimeoutError:
            tail = [text[:200] for text in self.raw[-5:]]
            raise AssertionError(f"{what} never came; last were {tail}") from None
        return found

    async def ended(self):
        """The close code, once the connection has ended."""
        async with asyncio.timeout(DEADLINE):
            await asyncio.wait([self.reading])
        return self.closed

    async def write(self, value):
        data = value if isinstance(value, (str, bytes)) else json.dumps(value)
        if isinstance(data, str):
            self.traffic.sent(data)
        await self.socket.send(data)

    async def ask(self, method, /, **params):
        """Sends a request and gives the future of its answer."""
        number = next(self.numbers)
        waiting = asyncio.get_running_loop().create_future()
        self.answers[number] = waiting
        await self.write(
            {"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return waiting

    async def call(self, method, /, **params):
        waiting = await self.ask(method, **params)
        return await self.result(waiting)

    async def result(self, waiting):
        async with asyncio.timeout(DEADLINE):
            answer = await waiting
        if "error" in answer:
            raise Refused(answer["error"])
        return answer["result"]

    async def raw_answer(self, value):
        """The next incoming value after sending this one that is no event."""
        count = len(self.inbox)
        await self.write(value)

        def answers():
            return [
                incoming for incoming in self.inbox[count:]
                if not (isinstance(incoming, dict) and "method" in incoming)]

        return (await self.until(answers, "an answer"))[0]

    def told(self, method, **match):
        """Every event of the name whose members have these values."""
        return [
            event for event in self.events if event["method"] == method
            and all(event["params"].get(name) == value for name, value in match.items())]

    async def event(self, method, **match):
        found = await self.until(
            lambda: self.told(method, **match), f"{method} {match or ''}")
        return found[0]["params"]

    def messages(self, channel):
        return [e["params"]["message"] for e in self.told("message.received", channel_url=channel)]

    async def send(self, channel, text, **params):
        return await self.call("message.send", channel_url=channel, message=text, **params)

    async def enter(self, channel, **params):
        return await self.call("channel.enter", channel_url=channel, **params)

    async def leave(self):
        await self.socket.close()
        await self.ended()


class Context:
    """What a test is given: servers, names that nobody else uses, clients closed afterwards."""

    def __init__(self, programs, always):
        self.parleyd, self.parley, self.parley_unfurl = programs
        self.always = always
        self.root = tempfile.mkdtemp(prefix="parley-outside-")
        self.shared = {}
        self.running, self.clients = [], []

    def name(self, stem="thing"):
        return f"{stem}-{secrets.token_hex(4)}"

    async def run(self, program, *arguments, stdin=b"", environment=None, directory=None):
        """Runs a program to its end: its exit status, output and errors."""
        process = await asyncio.create_subprocess_exec(
            program, *arguments, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE, env=process_environment(environment), cwd=directory)
        try:
            async with asyncio.timeout(DEADLINE):
                output, errors = await process.communicate(stdin)
        except TimeoutError:
            process.kill()
            raise AssertionError(f"{arguments} did not end, given {stdin[:80]!r}") from None
        return process.returncode, output, errors

    def directory(self):
        return tempfile.mkdtemp(dir=self.root)

    async def server(self, *flags):
        """A server with these flags, shared with other tests that ask for the same."""
        server = self.shared.get(flags)
        if server is None or server.process.returncode is not None:
            server = await Server.start(
                self.parleyd, self.directory(), [*self.always, *flags])
            self.shared[flags] = server
        return server

    async def fresh(self, *flags, data=None, environment=None):
        """A server for one test."""
        server = await Server.start(
            self.parleyd, data or self.directory(), [*self.always, *flags], environment)
        self.running.append(server)
        return server

    async def unfurl_service(self, *flags, environment=None):
        service = await UnfurlService.launch(self.parley_unfurl, flags, environment)
        self.running.append(service)
        return service

    async def connect(self, server, **options):
        client = await Client.connect(server, **options)
        self.clients.append(client)
        return client

    async def user(self, server, user_id=None, **options):
        client = await Client.open(server, user_id or self.name("user"), **options)
        self.clients.append(client)
        return client

    async def users(self, server, count, **options):
        return [await self.user(server, **options) for _ in range(count)]

    async def room(self, server, count, **params):
        """A channel, its operator inside it, and so many others inside it."""
        owner = await self.user(server)
        channel = self.name("room")
        await owner.call("channel.create", channel_url=channel, **params)
        await owner.enter(channel)
        others = await self.users(server, count)
        for other in others:
            await other.enter(channel)
        return channel, owner, *others

    async def raw(self, server):
        raw = await RawSocket.open(server)
        self.clients.append(raw)
        return raw

    async def tidy(self):
        """After each test: its clients and its own servers go."""
        for client in self.clients:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(client.socket.close(), 5)
        for server in self.running:
            if server.process.returncode is None:
                with contextlib.suppress(Exception):
                    await server.kill()
        self.clients, self.running = [], []

    async def close(self):
        for server in self.shared.values():
            if server.process.returncode is None:
                with contextlib.suppress(Exception):
                    await server.kill()
        shutil.rmtree(self.root, ignore_errors=True)


async def fence(channel, owner, *viewers):
    """Everything told about the channel until now has come to the viewers when this returns."""
    mark = secrets.token_hex(6)
    await owner.call("channel.update", channel_url=channel, data=mark)
    for viewer in viewers:
        await viewer.until(
            lambda: any(e["params"]["channel"]["data"] == mark
                        for e in viewer.told("channel.changed", channel_url=channel)),
            "the fence")


async def eventually(condition, what="what was waited for", seconds=DEADLINE):
    """The first true value of a coroutine function, asked again and again."""
    try:
        async with asyncio.timeout(seconds):
            while not (found := await condition()):
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise AssertionError(f"never came: {what}") from None
    return found


@contextlib.asynccontextmanager
async def refused(code, **data):
    """The block ends with this error, whose data has these members."""
    try:
        yield
    except Refused as refusal:
        assert refusal.code == code, f"wanted {code}, got {refusal}"
        assert isinstance(refusal.data, (dict, type(None))), refusal
        for name, value in data.items():
            assert (refusal.data or {}).get(name) == value, f"wanted {name}={value}: {refusal}"
        return
    raise AssertionError(f"wanted error {code}, but it was accepted")


class RawSocket:
    """A WebSocket client without manners: frames are written byte by byte as a test likes."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.socket = self

    @classmethod
    async def open(cls, server, receive_buffer=None):
        plain = socket.socket()
        if receive_buffer:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        plain.setblocking(False)
        await asyncio.get_running_loop().sock_connect(plain, ("127.0.0.1", server.port))
        reader, writer = await asyncio.open_connection(sock=plain, limit=receive_buffer or 65536)
        key = base64.b64encode(os.urandom(16)).decode()
        writer.write(
            f"GET /v1/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode())
        async with asyncio.timeout(DEADLINE):
            head = await reader.readuntil(b"\r\n\r\n")
        assert b" 101 " in head.split(b"\r\n")[0], head
        return cls(reader, writer)

    @staticmethod
    def frame(opcode, payload, fin=True, masked=True, reserved=0, length=None):
        size = len(payload) if length is None else length
        first = (0x80 if fin else 0) | reserved << 4 | opcode
        mark = 0x80 if masked else 0
        if size < 126:
            head = struct.pack("!BB", first, mark | size)
        elif size < 65536:
            head = struct.pack("!BBH", first, mark | 126, size)
        else:
            head = struct.pack("!BBQ", first, mark | 127, size)
        if not masked:
            return head + payload
        key = os.urandom(4)
        return head + key + bytes(b ^ key[i % 4] for i, b in enumerate(payload))

    async def write(self, data):
        self.writer.write(data)
        await self.writer.drain()

    async def text(self, value, **options):
        await self.write(self.frame(1, json.dumps(value).encode(), **options))

    async def read(self):
        """The opcode and payload of the next frame; None at the end of the stream."""
        try:
            async with asyncio.timeout(DEADLINE):
                first, second = await self.reader.readexactly(2)
                size = second & 0x7F
                if size == 126:
                    size, = struct.unpack("!H", await self.reader.readexactly(2))
                elif size == 127:
                    size, = struct.unpack("!Q", await self.reader.readexactly(8))
                return first & 0x0F, await self.reader.readexactly(size)
        except (asyncio.IncompleteReadError, ConnectionError):
            return None

    async def answer(self):
        """The next text message's value, whatever else comes before."""
        while frame := await self.read():
            if frame[0] == 1:
                return json.loads(frame[1])
        raise AssertionError("the connection ended before an answer")

    async def close_code(self):
        """The code of the close frame, once it has come; None when the stream ends without."""
        while frame := await self.read():
            if frame[0] == 8:
                return struct.unpack("!H", frame[1][:2])[0] if frame[1] else 1005
        return None

    async def sign_in(self, user_id):
        # Without the event that a connection is ready for groups, answers are all that comes.
        await self.text({"jsonrpc": "2.0", "id": 1, "method": "session.open",
                         "params": {"user_id": user_id, "groups": False}})
        return await self.answer()

    async def close(self):
        self.writer.close()
