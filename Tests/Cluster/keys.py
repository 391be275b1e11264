"""The master keys of encrypted files, which a deployment has once: packaged servers that become a cluster, servers
without them, and what a check says before the start."""

import asyncio
import os
import shutil
import signal
import stat

import uploads
from cluster import FREE, TOKEN, Cluster, ClusterServer, quiet
from files import call, form as encoded
from harness import Server, eventually
from sealing import key, read
from shared import several
from uploads import refusal_of

FREE = (*FREE, "--limits-uploads-per-second", "0")
ON = ("--files-encryption", "on")
MISSING = "parley_file_master_keys_missing"


def key_file(data):
    return os.path.join(data, "file-keys")


def key_id(data):
    with open(key_file(data), encoding="ascii") as file:
        return file.read().split()[0]


async def standalone(ctx):
    """The data directory of a server that ran alone once, as the package starts it."""
    data = ctx.directory()
    server = await Server.start(ctx.parleyd, data, ["--unfurl-mode", "off", "--thumbnails-mode", "off"])
    ctx.running.append(server)
    await server.end()
    return data


async def packaged(ctx, *flags):
    """Three servers of one cluster, each of which ran alone before."""
    cluster = Cluster(ctx, await ctx.postgresql.database(), ctx.bus)
    for _ in range(3):
        await cluster.add(*FREE, *flags, data=await standalone(ctx))
    await cluster.until_whole()
    assert len({key_id(server.data) for server in cluster.servers}) == 3
    return cluster


async def reloaded(cluster):
    """Has all servers read their keys again, and waits until none misses any."""
    for server in cluster.servers:
        server.signal(signal.SIGHUP)

    async def have_keys():
        return [await server.metric(MISSING) for server in cluster.servers] == [0, 0, 0]
    await eventually(have_keys, "servers with the keys of the deployment")


def copy_keys(cluster):
    """The step of *Scaling out*: the file of the first server comes to the others."""
    first, *others = cluster.servers
    for server in others:
        shutil.copy(key_file(first.data), key_file(server.data))
        assert stat.S_IMODE(os.stat(key_file(server.data)).st_mode) == 0o600


async def send(client, server, channel, content, **params):
    """A file that a message asks for in the background, as a plain user sends it."""
    message = {"channel_url": channel, **params.pop("message", {})}
    _, url = await uploads.create(client, len(content), message=message, **params)
    status, _, answer = await uploads.put(server, url, content)
    assert status == 201, answer
    return answer["message"]["file"]


async def opens(cluster, file, client, content):
    for server in cluster.servers:
        status, _, body = await read(server, file["url"], key(client))
        assert (status, body) == (200, content), (server.name, status, body[:200])


async def test_packaged_servers_become_a_cluster(ctx):
    """Servers that ran alone have a key each. Once the keys of the first are copied, encrypted files open on each
    server, also after a restart; without and with files.encryption."""
    several(ctx)
    for flags, params in (((), {"require_auth": True}), (ON, {})):
        cluster = await packaged(ctx, *flags)
        copy_keys(cluster)
        await reloaded(cluster)
        channel = ctx.name("sealed")
        clients = [await ctx.user(server) for server in cluster.servers]
        await clients[0].call("channel.create", channel_url=channel)
        for client in clients:
            await client.enter(channel)
        for number, server in enumerate(cluster.servers):
            content = os.urandom(100_000 + number)
            file = await send(clients[number], server, channel, content, **params)
            assert file["require_auth"] is True
            for client in clients:
                await opens(cluster, file, client, content)
        last = cluster.servers[-1]
        await last.end()
        again = await cluster.add(*FREE, *flags, data=last.data)
        await cluster.until_whole()
        status, _, body = await read(again, file["url"], key(clients[0]))
        assert (status, body) == (200, content)
        for server in cluster.living:
            await server.end()


async def test_a_server_without_the_keys(ctx):
    """A server whose keys are others than the deployment's serves all but encrypted files, names the missing key in
    its answers and its log, is ready, and does so after a restart as well."""
    several(ctx)
    cluster = await packaged(ctx)
    first, second, third = cluster.servers
    name = key_id(first.data)
    assert await first.metric(MISSING) == 0
    channel = ctx.name("sealed")
    owner, other = await ctx.user(first), await ctx.user(second)
    await owner.call("channel.create", channel_url=channel)
    for client in (owner, other):
        await client.enter(channel)
    sealed = await send(owner, first, channel, b"plan" * 100, require_auth=True)
    for server in (second, third):
        assert await server.metric(MISSING) == 1 and await server.is_ready()
        said = [line for line in server.lines if "lacks the master keys" in line]
        assert said and name in said[0] and key_file(server.data) in said[0], list(server.lines)
        for sent in (None, key(owner), "x"):
            status, _, body = await read(server, sealed["url"], sent)
            assert status == 503 and name in body.decode(), (status, body)
    assert "file_key" not in other.session
    # What needs no key works there; what needs one is refused, and nothing of it is stored in the clear.
    clear = await send(other, second, channel, b"clear")
    for server in cluster.servers:
        assert (await read(server, clear["url"]))[2] == b"clear"
    refusal = await refusal_of(other.call("file.create", size=5, require_auth=True))
    assert refusal.code == 500901 and name in str(refusal), refusal
    refusal = await refusal_of(other.call(
        "file.create", size=5, message={"channel_url": channel, "require_auth": True}))
    assert refusal.code == 500901 and name in str(refusal), refusal
    status, answer = await form(second, channel, user_id=other.user_id, require_auth="true")
    assert status == 500 and name in answer, answer
    await second.end()
    second = await cluster.add(*FREE, data=second.data)
    cluster.servers = [first, second, third]
    await cluster.until_whole()
    assert await second.metric(MISSING) == 1
    copy_keys(cluster)
    await reloaded(cluster)
    await opens(cluster, sealed, owner, b"plan" * 100)


async def form(server, channel, **fields):
    """A form of the Platform API with a file: the status and the answer."""
    body, kind = encoded({"message_type": "FILE", **fields}, b"plan", "a.bin", "text/plain")
    status, _, answer = await asyncio.to_thread(
        call, server, "POST", f"/v3/open_channels/{channel}/messages", body,
        {"Content-Type": kind, "Api-Token": TOKEN})
    return status, answer.decode()


async def test_one_key_of_fresh_servers(ctx):
    """Servers that start at once without keys make one: in a file that all mount each has it; with a file each, the
    others are without and say so."""
    several(ctx)
    shared = os.path.join(ctx.directory(), "keys")
    for flags in (("--files-master-keys", shared), ()):
        cluster = Cluster(ctx, await ctx.postgresql.database(), ctx.bus)
        await asyncio.gather(*(cluster.add(*FREE, *ON, *flags) for _ in range(3)))
        await cluster.until_whole()

        async def count():
            return sum([await server.metric(MISSING) for server in cluster.servers])
        if flags:
            async def all_have_it():
                return await count() == 0
            await eventually(all_have_it, "servers with the key of the shared file")
            assert os.listdir(os.path.dirname(shared)) == ["keys"]
        else:
            assert await count() == 2
            assert sum(os.path.exists(key_file(server.data)) for server in cluster.servers) == 1
        for server in cluster.servers:
            await server.end()


async def test_a_server_moves_into_a_cluster(ctx):
    """One command copies the data, files and keys of a server that was alone. Its files open on each server then, and
    its clients recover."""
    several(ctx)
    shared = {"PARLEY_AUTH_API_TOKEN": TOKEN, "PARLEY_FILES_PUBLIC_URL": "http://127.0.0.1:9"}
    data = ctx.directory()
    alone = await ClusterServer.start(ctx.parleyd, data, [*quiet(FREE), "--reactors", "1"], shared)
    ctx.running.append(alone)
    channel = ctx.name("moved")
    owner = await ctx.user(alone)
    await owner.call("channel.create", channel_url=channel)
    await owner.enter(channel)
    sealed = await send(owner, alone, channel, b"sealed" * 100, require_auth=True)
    position = await owner.enter(channel)
    clear = await send(owner, alone, channel, b"clear" * 100)
    await alone.end()
    cluster = Cluster(ctx, await ctx.postgresql.database(), ctx.bus)
    environment = {
        **shared, "PARLEY_DATA_DIR": data, "PARLEY_STORE_URL": ctx.postgresql.url(cluster.database),
        "PARLEY_CLUSTER_BUS": "postgresql", "PARLEY_FILES_STORE": f"directory:{cluster.files}"}
    check = [ctx.parleyd, "--listen", "127.0.0.1:0", "--check-config", "--deep"]
    status, output, errors = await ctx.run(
        ctx.parley, "store", "copy", "--from", data, environment=environment)
    assert status == 0, errors
    heading, *rows = output.decode().splitlines()
    assert heading.split() == ["TABLE", "ROWS"] and all(len(row.split()) == 2 for row in rows), output
    assert f"files: 2 of {data}/files are in {cluster.files}/files" in errors.decode(), errors
    assert f"master keys: in {data}/file-keys; copy the file to all servers" in errors.decode(), errors
    status, output, _ = await ctx.run(*check, environment=environment)
    assert status == 0 and b"has the files of messages" in output, output
    assert b"holds the keys of the deployment" in output, output
    os.rename(f"{cluster.files}/files", f"{cluster.files}/elsewhere")
    status, output, _ = await ctx.run(*check, environment=environment)
    assert status == 78 and b"2 of 2 files that messages have are not in " in output, output
    os.rename(f"{cluster.files}/elsewhere", f"{cluster.files}/files")
    for place in (data, ctx.directory(), ctx.directory()):
        if place != data:
            shutil.copy(key_file(data), key_file(place))
        await cluster.add(*FREE, data=place)
    await cluster.until_whole()
    owner = await ctx.user(cluster.servers[2], owner.user_id)
    again = await owner.enter(channel, recover={"epoch": position["epoch"], "seq": position["seq"]})
    assert again["recovered"] is True and len(again["events"]) == 1, again
    for file, content in ((sealed, b"sealed" * 100), (clear, b"clear" * 100)):
        await opens(cluster, file, owner, content)


async def test_a_deep_check_compares(ctx):
    """--check-config --deep names keys that are missing or differ, settings that differ from those of servers that
    run, and a bus that refuses the password."""
    several(ctx)
    cluster = await packaged(ctx, "--auth-jwt-secret", "x" * 32)
    first = cluster.servers[0]
    name = key_id(first.data)

    async def check(data, **changes):
        flags = [*first.flags, "--listen", "127.0.0.1:0", "--data-dir", data, "--check-config", "--deep"]
        status, output, _ = await ctx.run(
            ctx.parleyd, *flags, environment={**first.environment, **changes})
        return status, output.decode()
    empty = ctx.directory()
    for data in (empty, cluster.servers[1].data):
        status, said = await check(data)
        assert status == 78 and "problem  files.master_keys: " in said and name in said, said
    shutil.copy(key_file(first.data), key_file(empty))
    status, said = await check(empty)
    assert status == 0 and "holds the keys of the deployment" in said, said
    assert "no server that runs has other settings" in said, said
    with open(key_file(empty), "w", encoding="ascii") as file:
        file.write(f"{name} {'A' * 43}=\n")
    status, said = await check(empty)
    assert status == 78 and f"the master key {name} of " in said, said
    shutil.copy(key_file(first.data), key_file(empty))
    status, said = await check(empty, PARLEY_CLUSTER_SECRET="a secret of sixteen bytes")
    assert "cluster.secret: the server " in said and "sixteen bytes" not in said, said
    if ctx.bus == "redis":
        assert " came back" in (await check(empty))[1]
        wrong = first.environment["PARLEY_CLUSTER_BUS"].replace("redis://", "redis://:hush@")
        status, said = await check(empty, PARLEY_CLUSTER_BUS=wrong)
        assert status == 78 and "problem  cluster.bus: " in said and "hush" not in said, said
