"""What several servers share beside channels: changes that concern all of them, previews, webhooks, files,
settings; and what comes over the bus that no server has sent."""

import asyncio
import base64
import contextlib
import http.client
import os
import struct
import time
from collections import Counter

import uploads
from backends import Redis
from cluster import FREE, TOKEN, Cluster, ClusterServer, quiet
from depots import Bucket
from files import download, upload
from harness import DEADLINE, PATIENCE, Skipped, as_variables, eventually, faketime, fence, refused
from pages import Pages
from providers import Key, Provider
from reloading import Settings
from sealing import key, read
from sound import everything, made
from translations import ready, translate
from translators import ScriptedTranslator
from traces import call
from webhooks import SECRET, Receiver

PREVIEWS = ("--unfurl-mode", "embedded", "--unfurl-allow-addresses", "127.0.0.0/8",
            "--unfurl-allow-ports", "1-65535")
# What one server changes holds on all within a second, whatever happens to the bus.
HEALED = 1.0 * PATIENCE


def several(ctx):
    if ctx.is_single:
        raise Skipped("it takes several servers")


def redis_alone(ctx):
    several(ctx)
    if ctx.bus != "redis":
        raise Skipped("the wire to the bus is that to PostgreSQL")


async def within(seconds, condition, what):
    """The condition holds before the time is up."""
    began = time.monotonic()
    # Longer than is allowed, so that the failure says how long it took.
    await eventually(condition, what, seconds + DEADLINE)
    took = time.monotonic() - began
    assert took <= seconds, f"{what} took {took:.2f} s"


async def token_user(ctx, cluster, count):
    """Users with a session on each server, opened by session tokens."""
    users = []
    for _ in range(count):
        name = ctx.name("user")
        status, answer = await cluster.servers[0].api(
            "POST", "/users", {"user_id": name, "nickname": "U"})
        assert status == 200, answer
        status, issued = await cluster.servers[0].api("POST", f"/users/{name}/token", {})
        assert status == 200, issued
        sockets = [await ctx.user(server, name, token=issued["token"])
                   for server in cluster.servers]
        users.append((name, issued["token"], sockets))
    return users


async def floods(server):
    return (await server.api("GET", "/parley/limits"))[1]["flood"]["messages"]


async def limit(server, messages):
    status, answer = await server.api(
        "PUT", "/parley/limits", {"flood": {"messages": messages, "window_ms": 1000}})
    assert status == 200, answer


async def test_key_sets(ctx):
    """Each server fetches the keys of a provider for itself, and has its own tokens wait; the requirements must
    be the same on all, the URLs need not."""
    several(ctx)
    provider, twin = await Provider.start(Key("ES256", "1")), await Provider.start()
    cluster = await ctx.cluster(3, *provider.flags())
    name = ctx.name("user")
    for server in cluster.servers:
        await ctx.user(server, name, token=provider.token(name))
    assert len(provider.fetches) == 3, provider.fetches
    twin.keys = provider.keys
    other = await cluster.add(*provider.flags(url=twin.url))
    await ctx.user(other, name, token=provider.token(name))
    assert len(twin.fetches) == 1
    status, said = await refusal(ctx, cluster, *provider.flags(audience="game"))
    assert status == 78 and "auth.jwks" in said, (status, said)


async def test_changes_reach_all(ctx):
    """Revoked session tokens, deactivations and deletions close the user's sessions on all servers with 4002
    within a second; limits and API tokens hold everywhere as soon; a new session of the user stays."""
    cluster = await ctx.cluster(3, "--auth-mode", "token")
    users = await token_user(ctx, cluster, 3)
    ways = [("DELETE", "/users/{}/token", None), ("PUT", "/users/{}", {"is_active": False}),
            ("DELETE", "/users/{}", None)]
    for (method, path, body), (name, _, sockets) in zip(ways, users):
        began = time.monotonic()
        status, answer = await cluster.servers[1].api(method, path.format(name), body)
        assert status == 200, answer
        assert [await socket.ended() for socket in sockets] == [4002] * 3
        assert time.monotonic() - began < HEALED
    # The user whose tokens were revoked comes back with another at once, everywhere.
    name = users[0][0]
    _, issued = await cluster.servers[0].api("POST", f"/users/{name}/token", {})
    await cluster.servers[0].api("DELETE", f"/users/{name}/token")
    _, issued = await cluster.servers[0].api("POST", f"/users/{name}/token", {})
    back = [await ctx.user(server, name, token=issued["token"]) for server in cluster.servers]
    await limit(cluster.servers[2], 78)

    async def limits_agree():
        return [await floods(server) for server in cluster.servers] == [78] * 3
    await within(HEALED, limits_agree, "the limit on each server")
    await asyncio.sleep(1)
    assert all(socket.closed is None for socket in back)


async def test_changes_reach_a_server_without_a_bus(ctx):
    """A server that is cut off from the bus when others change something follows within a second."""
    redis_alone(ctx)
    cluster = await ctx.cluster(
        3, "--auth-mode", "token", "--cluster-isolation-ms", "60000")
    (name, _, sockets), (other, _, twins) = await token_user(ctx, cluster, 2)
    cluster.servers[2].bus_wire.cut()
    await limit(cluster.servers[0], 79)
    await cluster.servers[0].api("DELETE", f"/users/{name}/token")
    await cluster.servers[0].api("PUT", f"/users/{other}", {"is_active": False})

    async def holds():
        return (await floods(cluster.servers[2]) == 79
                and all(socket.closed == 4002 for socket in sockets + twins))
    await within(HEALED, holds, "what the others have changed")
    cluster.servers[2].bus_wire.restore()


async def test_changes_reach_a_halted_server(ctx):
    """A server that is halted while others change something follows within a second after it goes on; one
    that starts later begins with what holds."""
    several(ctx)
    flags = ("--auth-mode", "token", "--cluster-server-timeout-ms", "20000")
    cluster = await ctx.cluster(2, *flags)
    ((name, token, sockets),) = await token_user(ctx, cluster, 1)
    _, issued = await cluster.servers[1].api("POST", "/parley/api_tokens", {"name": "shop"})
    cluster.servers[1].halt()
    await limit(cluster.servers[0], 80)
    await cluster.servers[0].api("DELETE", f"/users/{name}/token")
    status, answer = await cluster.servers[0].api("DELETE", f"/parley/api_tokens/{issued['id']}")
    assert status == 200, answer
    await asyncio.sleep(1)
    cluster.servers[1].go_on()

    async def holds():
        return await floods(cluster.servers[1]) == 80 and sockets[1].closed == 4002
    await within(HEALED, holds, "what the other has changed")
    late = await cluster.add(*flags)
    await cluster.until_whole()
    assert await floods(late) == 80
    async with refused(400302):
        await ctx.user(late, name, token=token)


async def test_a_thousand_changes(ctx):
    """A thousand changes at once, on all servers, end alike everywhere, and every session that they concern
    is closed."""
    several(ctx)
    cluster = await ctx.cluster(
        3, "--auth-mode", "token", "--limits-platform-calls-per-second", "1000000")
    users = await token_user(ctx, cluster, 10)

    async def changes(server, first):
        for number in range(first, 1000, 3):
            if number % 30 == first:
                name = users[number // 100][0]
                await server.api("DELETE", f"/users/{name}/token")
            else:
                await limit(server, 1000 + number)
    await asyncio.gather(*(changes(s, n) for n, s in enumerate(cluster.servers)))
    await limit(cluster.servers[1], 5)

    async def settled():
        return [await floods(server) for server in cluster.servers] == [5] * 3
    await within(HEALED, settled, "the last limit on each server")
    for _, _, sockets in users:
        assert [await socket.ended() for socket in sockets] == [4002] * 3


async def test_a_link_is_fetched_once(ctx):
    """A new link in ten channels over three servers at once is asked for once; then it has its preview in
    every channel, and at once wherever it is sent again; a purge holds everywhere."""
    cluster = await ctx.cluster(3, *FREE, *PREVIEWS)
    pages = await Pages.start()
    pages.add("/new", "The page")
    link = pages.url("/new")
    owners = await ctx.spread(cluster, 10)
    channels = []
    for owner in owners:
        channels.append(ctx.name("room"))
        await owner.call("channel.create", channel_url=channels[-1])
        await owner.enter(channels[-1])
    await asyncio.gather(*(
        owner.send(channel, f"look: {link}") for owner, channel in zip(owners, channels)))

    for owner, channel in zip(owners, channels):
        await owner.until(lambda: titled(owner, channel, "The page"), "the preview")  # noqa: B023
    assert pages.asked.count("/new") == 1, pages.asked
    for owner, channel in zip(owners, channels):
        sent = await owner.send(channel, f"again: {link}")
        assert sent["message"]["og_tag"]["og:title"] == "The page", sent
    status, answer = await cluster.servers[1].api("DELETE", "/parley/previews", url=link)
    assert status == 200, answer
    await asyncio.sleep(HEALED)
    pages.add("/new", "Another")
    sent = await owners[2].send(channels[2], f"anew: {link}")
    assert sent["message"]["og_tag"] is None
    assert pages.asked.count("/new") <= 2


async def test_a_late_preview_follows_the_home(ctx):
    """A preview that comes when another server has become the home of the channel is added there: each message
    has it, in channels that have moved and in those that have not."""
    several(ctx)
    cluster = await ctx.cluster(2, *FREE, *PREVIEWS, "--unfurl-timeout-ms", "30000")
    pages = await Pages.start()
    pages.add("/late", "The page")
    gate = pages.hold("/late")
    owner = await ctx.user(cluster.servers[0])
    channels = [ctx.name("room") for _ in range(10)]
    for channel in channels:
        await owner.call("channel.create", channel_url=channel)
        await owner.enter(channel)
        await owner.send(channel, f"look: {pages.url('/late')}")
    await pages.asked_for("/late")
    homes = {channel: await cluster.home(channel) for channel in channels}
    for _ in range(3):
        await cluster.add(*FREE, *PREVIEWS)
    await cluster.until_whole()
    moved = [channel for channel in channels if await cluster.home(channel) is not homes[channel]]
    assert moved
    gate.set()
    for channel in channels:
        await owner.until(lambda: titled(owner, channel, "The page"), "the preview")  # noqa: B023


def titled(client, channel, title):
    """The updates of a channel that have brought a preview of this title."""
    return [e for e in client.told("message.updated", channel_url=channel)
            if (e["params"]["message"]["og_tag"] or {}).get("og:title") == title]


async def test_webhooks_outlive_two_servers(ctx):
    """Events are posted in the order of each channel while two of three servers are killed: none is missing,
    and what a killed server had under way comes at most once more for each of them."""
    several(ctx)
    async with Receiver() as receiver:
        hooks = (f"--webhooks-urls={receiver.url}", f"--webhooks-secret={SECRET}",
                 "--webhooks-events=message.received")
        cluster = await ctx.cluster(3, *FREE, *hooks)
        owner = await ctx.user(cluster.servers[0])
        channels = [ctx.name("room") for _ in range(6)]
        for channel in channels:
            await owner.call("channel.create", channel_url=channel)
            await owner.enter(channel)
        acknowledged = {channel: [] for channel in channels}

        async def sends(channel):
            for number in range(150):
                while True:
                    try:
                        await owner.send(channel, str(number), req_id=f"r{number}")
                        break
                    except Exception as refusal:
                        assert getattr(refusal, "code", 0) == 500901, refusal
                        await asyncio.sleep(0.05)
                acknowledged[channel].append(str(number))
                await asyncio.sleep(0.02)
        sending = [asyncio.ensure_future(sends(channel)) for channel in channels]
        for victim in (1, 2):
            await asyncio.sleep(1.5)
            await cluster.servers[victim].kill()
        await asyncio.gather(*sending)
        for channel in channels:
            await receiver.until(
                lambda: set(receiver.texts(channel)) >= set(acknowledged[channel]))  # noqa: B023
            seqs = [event["seq"] for event in receiver.of(channel)]
            firsts = list(dict.fromkeys(seqs))
            assert firsts == sorted(firsts), f"{channel}: {seqs}"
            assert max(Counter(seqs).values()) <= 3, f"{channel}: {seqs}"
            # What is repeated is one stretch after each kill, from the last answer that was noted.
            steps_back = sum(after <= before for before, after in zip(seqs, seqs[1:]))
            assert steps_back <= 2, f"{channel}: {seqs}"


async def test_traces_reach_webhooks_from_every_server(ctx):
    """An event names the trace of its call, whichever server was called and whichever has the channel."""
    several(ctx)
    async with Receiver() as receiver:
        cluster = await ctx.cluster(
            3, *FREE, f"--webhooks-urls={receiver.url}", f"--webhooks-secret={SECRET}",
            "--webhooks-events=channel.created,message.received,channel.frozen")
        wanted = {}
        for channel in (ctx.name("room") for _ in range(4)):
            for server in cluster.servers:
                steps = [("POST", f"/open_channels/{channel}/messages", {"message_type": "ADMM", "message": "x"}),
                         ("PUT", f"/open_channels/{channel}/freeze", {"freeze": True}),
                         ("PUT", f"/open_channels/{channel}/freeze", {"freeze": False})]
                if server is cluster.servers[0]:
                    steps.insert(0, ("POST", "/open_channels", {"channel_url": channel}))
                for number, (method, path, body) in enumerate(steps):
                    names = {"X-Request-Id": f"{server.port}-{number}"}
                    assert (await call(server, method, path, body, **names))[0] == 200
                    if body != {"freeze": False}:
                        wanted.setdefault(channel, []).append(names["X-Request-Id"])
        for channel, ids in wanted.items():
            events = await receiver.until(
                lambda: len(receiver.of(channel)) == len(ids) and receiver.of(channel))  # noqa: B023
            assert [event.get("request_id") for event in events] == ids, events


async def test_webhooks_are_retried_on_all(ctx):
    """parley webhooks retry, asked of one server, has all of them post what their receiver put off for an hour."""
    several(ctx)
    async with Receiver() as receiver:
        channels = [ctx.name("room") for _ in range(8)]
        receiver.statuses = [503] * 1_000
        receiver.fields = "Retry-After: 3600\r\n"
        cluster = await ctx.cluster(
            3, *FREE, f"--webhooks-urls={receiver.url}", f"--webhooks-secret={SECRET}",
            "--webhooks-events=message.received")
        owner = await ctx.user(cluster.servers[0])
        for channel in channels:
            await owner.call("channel.create", channel_url=channel)
            await owner.enter(channel)
            await owner.send(channel, "late")

        async def put_off():
            # A pause holds for the channels of the server that was asked for it.
            waiting = 0
            for server in cluster.servers:
                _, answer = await server.api("GET", "/parley/webhooks")
                webhook, = answer["webhooks"]
                if webhook["next_attempt_at"] > webhook["last_failure_at"] + 3_000_000:
                    waiting += 1
            return waiting >= 2
        await eventually(put_off, "two servers that wait for an hour")
        receiver.statuses = []
        server = cluster.servers[0]
        code, _, errors = await ctx.run(
            ctx.parley, "webhooks", "retry", "--server", f"http://127.0.0.1:{server.port}",
            "--api-token", TOKEN)
        assert code == 0, errors
        for channel in channels:
            await receiver.until(lambda: receiver.texts(channel) == ["late"])  # noqa: B023


async def files_go_around(ctx, cluster):
    channel, owner = await made(ctx, cluster)
    content = os.urandom(2_000_000)
    status, message = await upload(cluster.servers[0], channel, content, user_id=owner.user_id)
    assert status == 200, message
    for server in cluster.servers[1:]:
        status, headers, body = await download(
            server, message["file"]["url"], Range="bytes=1000000-1000999")
        assert (status, body) == (206, content[1_000_000:1_001_000]), (status, headers)
    await owner.call(
        "message.delete", channel_url=channel, message_id=message["message_id"])

    async def is_gone():
        answers = [await download(s, message["file"]["url"]) for s in cluster.servers]
        return all(status == 404 for status, _, _ in answers)
    await eventually(is_gone, "the file gone everywhere")


async def test_files_go_around(ctx):
    """A file that one server has taken is read in parts from the others, out of a shared directory, and is
    gone everywhere with its message."""
    await files_go_around(ctx, await ctx.cluster(3))


def encrypting(ctx):
    """The options of servers that encrypt files with a key of their own."""
    keys = os.path.join(ctx.directory(), "keys")
    with open(keys, "w", encoding="ascii") as file:
        file.write(f"first {base64.b64encode(os.urandom(32)).decode()}\n")
    os.chmod(keys, 0o600)
    return ("--files-encryption", "on", "--files-master-keys", keys)


async def test_keys_open_files_everywhere(ctx):
    """A key that one server has given opens an encrypted file on another, and an exit ends it on all; each
    server continues an encrypted upload that another began."""
    several(ctx)
    cluster = await ctx.cluster(3, *FREE, *encrypting(ctx))
    channel = ctx.name("sealed")
    owner = await ctx.user(cluster.servers[0])
    await owner.call("channel.create", channel_url=channel)
    await owner.enter(channel)
    reader = await ctx.user(cluster.servers[1])
    await reader.enter(channel)
    content = os.urandom(300_000)
    file, url = await uploads.create(owner, len(content))
    for server, start, end in zip(
            cluster.servers, (0, 100_001, 170_000), (100_001, 170_000, len(content))):
        status, fields, _ = await uploads.patch(server, url, start, content[start:end])
        assert (status, fields["Upload-Offset"]) == (204, str(end)), (status, fields)
    sent = await owner.call(
        "message.send", channel_url=channel, message_type="FILE", file_id=file["file_id"])
    address = sent["message"]["file"]["url"]
    for server in cluster.servers:
        for client in (owner, reader):
            answer = await read(server, address, key(client))
            assert answer[0] == 200 and answer[2] == content, (answer[0], server)
        assert (await read(server, address))[0] == 401
        part = await read(server, address, key(reader), Range="bytes=65530-131080")
        assert part[0] == 206 and part[2] == content[65530:131081]
    await reader.call("channel.exit", channel_url=channel)
    for server in cluster.servers:
        assert (await read(server, address, key(reader)))[0] == 403
        assert (await read(server, address, key(owner)))[0] == 200


def arguments(bucket):
    """The options of a server whose files lie in a bucket."""
    place = f"s3://files?endpoint={bucket.endpoint}&region=eu-north-1"
    return ("--files-store", place, "--files-s3-key", bucket.key, "--files-s3-secret", bucket.secret)


async def test_files_go_around_a_bucket(ctx):
    """The same out of a bucket of S3."""
    several(ctx)
    async with Bucket.running() as bucket:
        cluster = await ctx.cluster(3, *arguments(bucket))
        await files_go_around(ctx, cluster)
        assert not await bucket.objects()


async def test_an_upload_goes_on_at_another_server(ctx):
    """An upload that is created on one server goes on at each other one, also after the server that was
    writing has died: what HEAD said stays, one writes at a time, and the file is the one that was sent."""
    several(ctx)
    await an_upload_goes_on(ctx, await ctx.cluster(3))


async def test_an_upload_to_a_bucket_goes_on_at_another_server(ctx):
    """The same with a bucket, in the clear and encrypted; nothing of the pieces stays there."""
    several(ctx)
    async with Bucket.running() as bucket:
        clusters = [await ctx.cluster(3, *arguments(bucket), *flags)
                    for flags in ((), encrypting(ctx))]
        await asyncio.gather(*(an_upload_goes_on(ctx, cluster) for cluster in clusters))

        async def is_alone():
            return not await bucket.pieces()
        await eventually(is_alone, "the end of the pieces")
        assert len(await bucket.objects()) == 2


async def an_upload_goes_on(ctx, cluster):
    first, second, third = cluster.servers
    channel, owner = await made(ctx, cluster)
    content = os.urandom(3_000_000)
    file, url = await uploads.create(owner, len(content))
    done = 0
    for server in (second, third, first):
        assert await uploads.offset(server, url) == done
        status, _, _ = await uploads.patch(server, url, done, content[done:done + 500_000])
        assert status == 204
        done += 500_000
    # The second writes, and no other may meanwhile.
    await asyncio.to_thread(
        uploads.cut, second, url, content[done:done + 100_000], len(content) - done, "PATCH",
        uploads.PIECE, done)

    async def came():
        return await uploads.offset(third, url) == done + 100_000
    await eventually(came, "the cut piece on another server")
    done += 100_000
    connection = http.client.HTTPConnection("127.0.0.1", second.port, timeout=DEADLINE)
    connection.putrequest("PATCH", uploads.path(url))
    for name, text in {
            **uploads.PIECE, "Upload-Offset": done, "Content-Length": len(content) - done}.items():
        connection.putheader(name, str(text))
    connection.endheaders()
    connection.send(content[done:done + 50_000])

    async def is_locked():
        return (await uploads.patch(third, url, 7, b"x"))[0] == 423
    await eventually(is_locked, "the other writer's claim")
    await second.kill()
    connection.close()

    async def is_free():
        return (await uploads.patch(third, url, 7, b"x"))[0] == 409
    await within(35 * PATIENCE, is_free, "the end of a dead server's claim")
    said = await uploads.offset(third, url)
    assert done <= said <= done + 50_000, (done, said)
    status, _, _ = await uploads.patch(third, url, said, content[said:])
    assert status == 204
    sent = await owner.call(
        "message.send", channel_url=channel, message_type="FILE", file_id=file["file_id"])
    for server in (first, third):
        status, _, body = await read(server, sent["message"]["file"]["url"], key(owner))
        assert status == 200 and body == content


async def refusal(ctx, cluster, *flags, environment=None):
    """What a server says that does not start in a cluster."""
    values = {
        "PARLEY_STORE_URL": ctx.postgresql.url(cluster.database),
        "PARLEY_AUTH_API_TOKEN": TOKEN, "PARLEY_CLUSTER_NAME": cluster.database,
        "PARLEY_CLUSTER_BUS": ctx.redis.url() if ctx.bus == "redis" else "postgresql",
        "PARLEY_FILES_PUBLIC_URL": "http://127.0.0.1:9",
        "PARLEY_FILES_STORE": f"directory:{cluster.files}", **(environment or {})}
    status, _, errors = await ctx.run(
        ctx.parleyd, "--listen", "127.0.0.1:0", "--data-dir", ctx.directory(), *flags,
        environment={name: text for name, text in values.items() if text is not None})
    return status, errors.decode()


async def test_settings_differ(ctx):
    """A server whose shared settings differ from those of a running one ends with 78, and names each setting
    and the other server, with the values of limits and never another; files in data_dir are refused in a cluster."""
    several(ctx)
    cluster = await ctx.cluster(
        1, "--cluster-secret", "a secret of sixteen bytes", "--auth-jwt-secret", "x" * 32)
    name = os.uname().nodename
    own = {"PARLEY_CLUSTER_SECRET": "a secret of sixteen bytes",
           "PARLEY_AUTH_JWT_SECRET": "x" * 32}
    others = {
        "cluster.secret": {"PARLEY_CLUSTER_SECRET": "hush-hush hush-hush"},
        "auth.jwt_secret": {"PARLEY_AUTH_JWT_SECRET": "hush" * 8},
        "auth.api_token": {"PARLEY_AUTH_API_TOKEN": "hush-hush"},
        "files.public_url": {"PARLEY_FILES_PUBLIC_URL": "http://hush.example"},
        "limits.throttle.messages": {"PARLEY_LIMITS_THROTTLE_MESSAGES": "77"},
        "limits.channels_per_user": {"PARLEY_LIMITS_CHANNELS_PER_USER": "77"},
        "limits.metaarray.keys": {"PARLEY_LIMITS_METAARRAY_KEYS": "77"},
        "webhooks.urls": {"PARLEY_WEBHOOKS_URLS": "https://hush.example/",
                          "PARLEY_WEBHOOKS_SECRET": "hush-hush hush-hush"},
    }
    shown = {"limits.throttle.messages": 5, "limits.channels_per_user": 10, "limits.metaarray.keys": 10}

    def named(setting):
        values = f"77 here, {shown[setting]} on " if setting in shown else ""
        return f"{setting} ({values}{name})"
    for setting, values in others.items():
        status, said = await refusal(ctx, cluster, environment={**own, **values})
        assert status == 78, (setting, status, said)
        assert named(setting) in said and "hush" not in said, said
    everything_else = {k: v for values in others.values() for k, v in values.items()}
    status, said = await refusal(ctx, cluster, environment=everything_else)
    assert status == 78 and all(named(setting) in said for setting in others), said
    status, said = await refusal(ctx, cluster, environment={**own, "PARLEY_FILES_STORE": None})
    assert status == 78 and "files.store: expected" in said, said
    assert [s["state"] for s in (await cluster.servers[0].cluster_status())["servers"]] == ["live"]


async def test_settings_are_reloaded_in_turn(ctx):
    """A shared setting that changes on reload is changed on one server after the other: a reloaded server names those
    that still run with another value, and servers that join are compared with the new values."""
    several(ctx)
    cluster = Cluster(ctx, await ctx.postgresql.database(), ctx.bus)
    files = [Settings(ctx, limits__channels_per_user=5) for _ in range(2)]
    for file in files:
        await cluster.add(*FREE, "--config", file.path)
    await cluster.until_whole()
    first, second = cluster.servers
    files[0].write(limits__channels_per_user=6)
    line = await files[0].reload(first, "another server runs with another value")
    assert "limits.channels_per_user" in line, line

    async def check():
        """What a check of the settings of the first server says."""
        flags = [*first.flags, "--listen", "127.0.0.1:0", "--data-dir", ctx.directory(), "--check-config", "--deep"]
        return (await ctx.run(ctx.parleyd, *flags, environment=first.environment))[1].decode()
    said = await check()
    assert "limits.channels_per_user: the server " in said and "reload them" in said, said
    files[1].write(limits__channels_per_user=6)
    await files[1].reload(second, "reloaded the settings")

    async def agree():
        return "no server that runs has other settings" in await check()
    await eventually(agree, "servers with the same settings")
    await cluster.add(*FREE, "--config", files[0].path)
    await cluster.until_whole()


async def test_servers_start_at_once(ctx):
    """Servers that start at the same moment make one schema, have a number each, and never that of one that
    has just ended."""
    several(ctx)
    cluster = Cluster(ctx, await ctx.postgresql.database(), ctx.bus)
    await asyncio.gather(*(cluster.add() for _ in range(4)))
    await cluster.until_whole()
    status = await cluster.servers[0].cluster_status()
    slots = {s["slot"] for s in status["servers"]}
    assert len(slots) == 4, status
    await cluster.servers[1].kill()
    await cluster.servers[2].end()
    await asyncio.gather(cluster.add(), cluster.add())
    await cluster.until_whole()
    status = await cluster.servers[0].cluster_status()
    live = [s["slot"] for s in status["servers"] if s["state"] == "live"]
    assert len(set(live)) == 4 and len(set(live) - slots) == 2, status


async def program_by_itself(ctx):
    """A parleyd that is no other program too: the packaged one takes its name from its arguments."""
    debug = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".build", "tested", "debug", "parleyd")
    for program in filter(os.path.exists, (ctx.parleyd, debug)):
        process = await asyncio.create_subprocess_exec(
            "parley", "--help", executable=program, stdout=asyncio.subprocess.PIPE)
        output, _ = await process.communicate()
        if b"Real-time gateway" in output:
            return program
    raise Skipped("no parleyd is a program by itself: run Scripts/test build")


async def test_clocks_ten_minutes_apart(ctx):
    """Servers whose clocks are ten minutes apart number and date messages as one: created_at never goes
    back, and no second has more than five messages of a user."""
    several(ctx)
    clock = faketime()
    program = await program_by_itself(ctx)
    cluster = await ctx.cluster(1, "--limits-throttle-messages", "0")
    for offset in ("+10m", "-10m"):
        await cluster.add(
            program=program, environment={
                **clock, "FAKETIME": offset,
                **as_variables(
                    "--listen", "127.0.0.1:0", "--data-dir", ctx.directory(), "--files-public-url",
                    "http://127.0.0.1:9", "--reactors", "1",
                    *quiet(("--limits-throttle-messages", "0")))})
    await cluster.until_whole()
    owner = await ctx.user(cluster.servers[0])
    name = ctx.name("user")
    sockets = [await ctx.user(server, name) for server in cluster.servers]
    before = time.time() * 1000
    for home in cluster.servers:
        channel = await cluster.channel_at(home, owner)
        for socket in sockets:
            await socket.enter(channel)

        async def sends(socket):
            for number in range(30):
                with contextlib.suppress(Exception):
                    await socket.send(channel, str(number))  # noqa: B023
                await asyncio.sleep(0.03)
        await asyncio.gather(*(sends(socket) for socket in sockets))
        times = [m["created_at"] for m in await everything(cluster.servers[0], channel)]
        assert times == sorted(times) and len(times) >= 5
        assert all(abs(t - before) < 60_000 * PATIENCE for t in times), "the database's clock"
        for first, sixth in zip(times, times[5:]):
            assert sixth - first >= 1000, f"six messages within {sixth - first} ms"
        for socket in sockets:
            await socket.call("channel.exit", channel_url=channel)
    # A home that moves from a clock ahead to one behind goes on after the last message.
    channel = await cluster.channel_at(cluster.servers[1], owner)
    await owner.enter(channel)
    # No more than five: the other server may take over within the second.
    for number in range(2):
        await owner.send(channel, f"before {number}")
    await cluster.servers[1].kill()
    for number in range(2):
        await owner.send(channel, f"after {number}", req_id=str(number))
    listed = await everything(cluster.servers[2], channel)
    assert [m["message"] for m in listed] == [
        f"{when} {n}" for when in ("before", "after") for n in range(2)]
    times = [m["created_at"] for m in listed]
    assert times == sorted(times)


async def test_translations_on_demand(ctx):
    """A call on a server that is not the channel's home is answered, everybody else is told once, and a service
    that takes longer than a call between servers is an error with its reason."""
    several(ctx)
    service = await ScriptedTranslator.start()
    try:
        cluster = await ctx.cluster(
            2, *FREE, *service.flags, "--limits-translations-per-second", "0",
            "--cluster-call-timeout-ms", "6000", "--translation-timeout-ms", "60000")
        for server in cluster.servers:
            await ready(server)
        home, other = cluster.servers
        owner, near = await ctx.user(home), await ctx.user(home)
        far, asker = await ctx.user(other), await ctx.user(other)
        channel = await cluster.channel_at(home, owner)
        for client in (owner, near, far, asker):
            await client.enter(channel)
        number = (await owner.send(channel, "hello"))["message"]["message_id"]
        message = await translate(asker, channel, number, "es")
        assert message["translations"] == {"es": "es:hello"}, message
        for client in (near, far):
            assert (await client.event("message.updated"))["message"] == message
        assert (await translate(far, channel, number, "ES"))["translations"] == {"es": "es:hello"}
        await fence(channel, owner, near, far, asker)
        assert not asker.told("message.updated") and service.count("hello") == 1
        assert all(len(client.told("message.updated")) == 1 for client in (near, far))
        service.answers["slow"] = 120
        number = (await owner.send(channel, "slow"))["message"]["message_id"]
        began = time.monotonic()
        async with refused(500901, reason="timed_out"):
            await translate(asker, channel, number, "es")
        assert time.monotonic() - began < 6 * PATIENCE
    finally:
        await service.stop()


async def test_a_redis_that_asks_for_a_password(ctx):
    """A server with a wrong password for the bus, or none, is not ready, and the log and /readyz say why,
    without the password."""
    redis_alone(ctx)
    guarded = Redis("parley-redis-")
    try:
        await guarded.spawn(
            "redis-server", "--port", str(guarded.port), "--bind", "127.0.0.1", "--save", "",
            "--requirepass", "open sesame", "--dir", guarded.folder)
        for url, reason in ((f"redis://127.0.0.1:{guarded.port}", "demands a password"),
                            (f"redis://:hush-hush@127.0.0.1:{guarded.port}", "refuses the user")):
            database = await ctx.postgresql.database()
            server = await ClusterServer.start(
                ctx.parleyd, ctx.directory(), ["--reactors", "1", *quiet(())], {
                    "PARLEY_STORE_URL": ctx.postgresql.url(database),
                    "PARLEY_AUTH_API_TOKEN": TOKEN, "PARLEY_CLUSTER_BUS": url,
                    "PARLEY_FILES_PUBLIC_URL": "http://127.0.0.1:9",
                    "PARLEY_FILES_STORE": f"directory:{ctx.directory()}"})
            ctx.running.append(server)

            async def is_logged():
                return any("waiting for the bus" in line and reason in line  # noqa: B023
                           for line in server.lines)  # noqa: B023
            await eventually(is_logged, reason)
            assert not any("hush" in line or "sesame" in line for line in server.lines)
            status, _, body = await server.get("/readyz")
            assert status == 503 or b"bus" in body, body
            await server.end()
    finally:
        await guarded.remove()


def frames(deployment, sender, receiver):
    """Messages that no server of this version and secret would send, with the deployment of one that a
    server has sent."""
    head = deployment + struct.pack("<QQ", sender, receiver)
    return {
        "of a version nobody knows": bytes([99, 2]) + head + bytes(64),
        "of a kind nobody knows": bytes([1, 77]) + head,
        "cut": bytes([1, 2]) + head + b"\x00\x00",
        "nothing": b"",
        "noise": os.urandom(500),
        # Beats are for all servers, which has the number 0.
        "a beat in another's name": bytes([0, 0]) + deployment + struct.pack(
            "<QQQ???", sender, 0, 2 ** 60, True, False, False),
        "a greeting that makes no sense": bytes([0, 1]) + head + bytes(18),
    }


async def publish(redis, subject, payload):
    """Publishes bytes as redis-cli would."""
    reader, writer = await asyncio.open_connection("127.0.0.1", redis.port)
    parts = [b"PUBLISH", subject.encode(), payload]
    writer.write(b"*3\r\n" + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts))
    answer = await reader.readline()
    writer.close()
    assert answer.startswith(b":"), answer
    return int(answer[1:])


async def overheard(redis, subjects, count):
    """Messages of the servers, as anyone who may listen gets them."""
    reader, writer = await asyncio.open_connection("127.0.0.1", redis.port)
    words = [b"SUBSCRIBE", *(s.encode() for s in subjects)]
    writer.write(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))
    found = []
    while len(found) < count:
        assert (await reader.readline()) == b"*3\r\n"
        parts = []
        for _ in range(3):
            line = await reader.readline()
            if line[:1] == b"$":
                parts.append((await reader.readexactly(int(line[1:]) + 2))[:-2])
            else:
                parts.append(line)
        if parts[0] == b"message":
            found.append((parts[1].decode(), parts[2]))
    writer.close()
    return found


async def strange_messages(ctx, *flags):
    cluster = await ctx.cluster(3, *FREE, *flags)
    channel, owner = await made(ctx, cluster)
    clients = await ctx.spread(cluster, 6, channel)
    ids = [int((await s.cluster_status())["server_id"], 16) for s in cluster.servers]
    subjects = [f"{cluster.database}.{number:016x}" for number in ids]
    assert await publish(ctx.redis, subjects[0], b"x") == 1, "the server listens there"
    everyone = f"{cluster.database}.all"
    (_, beat), = await overheard(ctx.redis, [everyone], 1)
    assert beat[:2] == bytes([0, 0]) and struct.unpack("<QQ", beat[10:26])[0] in ids, beat
    code = 32 if "--cluster-secret" in flags else 0
    example = frames(beat[2:10], ids[0], ids[1])["a beat in another's name"]
    assert len(beat) == len(example) + code, "beats have another form"

    async def disturbs():
        replayed = await overheard(ctx.redis, subjects, 60)
        for number in range(20):
            for index, subject in enumerate(subjects):
                for payload in frames(beat[2:10], ids[(index + 1) % 3], ids[index]).values():
                    await publish(ctx.redis, subject, payload)
            await publish(ctx.redis, everyone, os.urandom(number))
        for subject, payload in replayed:
            await publish(ctx.redis, subject, payload)
            await publish(ctx.redis, subject, payload[:len(payload) // 2])
            await publish(ctx.redis, subjects[(subjects.index(subject) + 1) % 3], payload)

    async def sends(client):
        for number in range(120):
            await client.send(channel, f"{client.user_id} {number}")
            await asyncio.sleep(0.01)
    await asyncio.gather(disturbs(), *(sends(client) for client in clients))
    listed = await everything(cluster.servers[1], channel)
    assert len(listed) == 120 * len(clients)
    await owner.until(
        lambda: len(owner.messages(channel)) == len(listed), "every message at the owner")
    assert [m["message_id"] for m in owner.messages(channel)] == [m["message_id"] for m in listed]
    for server in cluster.servers:
        assert server.process.returncode is None and await server.is_ready()
        dropped = await server.metric("parley_cluster_frames_dropped_total")
        assert dropped >= 60, dropped

        async def is_logged():
            return [line for line in server.lines if "on the bus were dropped" in line]  # noqa: B023
        lines = await eventually(is_logged, "a line about dropped messages")
        assert len(lines) <= 2, lines
    assert not [c for c in [owner, *clients] if c.closed is not None]
    return cluster


async def test_strange_messages(ctx):
    """Cut, foreign and repeated messages that are published into the servers' subjects are dropped, counted
    and named in the log once a minute; nothing is lost or doubled."""
    redis_alone(ctx)
    await strange_messages(ctx)


async def test_forged_messages(ctx):
    """With cluster.secret nobody else can write to the servers: all that is not theirs is dropped."""
    redis_alone(ctx)
    cluster = await strange_messages(ctx, "--cluster-secret", "a secret of sixteen bytes")
    for server in cluster.servers:
        assert await server.metric('parley_cluster_frames_dropped_total{reason="forged"}') >= 60
