"""Files that only participants can open: keys, rights, what lies on the disk, keys of the operator."""

import asyncio
import base64
import hashlib
import hmac
import json
import os
import select
import shutil
import signal
import socket
import sqlite3
from urllib.parse import urlsplit

from files import call, upload
from harness import DEADLINE, Refused, scaled
from uploads import FLAGS as PLAIN, cut, create, offset, patch, put, refusal_of, until

FLAGS = [*PLAIN, "--limits-uploads-per-second", "0"]
ON = [*FLAGS, "--files-encryption", "on"]
CHUNK = 65536


async def read(server, url, key=None, **headers):
    target = urlsplit(url).path + (f"?auth={key}" if key is not None else "")
    fields = {name.replace("_", "-"): text for name, text in headers.items()}
    return await asyncio.to_thread(call, server, "GET", target, None, fields)


def key(client):
    return client.session["file_key"]["key"]


def code(answer):
    status, _, body = answer
    body = json.loads(body)
    return status, body.get("code")


async def sent(client, server, channel, content, **params):
    file, url = await create(client, len(content), **params)
    status, _, answer = await put(server, url, content)
    assert status == 201, answer
    result = await client.call(
        "message.send", channel_url=channel, message_type="FILE", file_id=file["file_id"])
    return result["message"]["file"]


def holds(directory, needle):
    for folder, _, names in os.walk(directory):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                if needle in file.read():
                    return os.path.join(folder, name)
    return None


async def test_participants_alone_read_a_file(ctx):
    """A file is read by its uploader and by those in the channel, and by no one else."""
    server = await ctx.fresh(*ON)
    channel, owner, viewer = await ctx.room(server, 1)
    other = await ctx.user(server)
    content = os.urandom(3 * CHUNK + 77)
    shown = await sent(viewer, server, channel, content, type="image/png")
    assert shown["require_auth"] is True
    for reader in (owner, viewer):
        status, fields, body = await read(server, shown["url"], key(reader))
        assert status == 200 and body == content
        assert fields["Cache-Control"] == "private, no-cache" and fields["ETag"]
    status, _, body = await read(server, shown["url"], Parley_File_Key=key(owner))
    assert status == 200 and body == content
    assert code(await read(server, shown["url"], key(other))) == (403, 900020)
    assert code(await read(server, shown["url"])) == (401, 400302)
    unknown = shown["url"].replace(shown["file_id"], "0" * 32)
    assert code(await read(server, unknown)) == (401, 400302)
    assert code(await read(server, unknown, key(owner))) == (404, 400201)
    await other.enter(channel)
    assert (await read(server, shown["url"], key(other)))[0] == 200
    await other.call("channel.exit", channel_url=channel)
    assert code(await read(server, shown["url"], key(other))) == (403, 900020)


async def test_a_file_in_many_channels(ctx):
    """A file is in a thousand channels at most; a stranger is refused, and operators of one read it."""
    server = await ctx.fresh(
        *ON, "--limits-flood-messages", "0", "--limits-calls-per-second", "0", "--limits-user-channels-per-day", "0")
    room, owner, viewer = await ctx.room(server, 1)
    stranger, operator = await ctx.user(server), await ctx.user(server)
    file, url = await create(owner, 4)
    assert (await put(server, url, b"plan"))[0] == 201
    name = ctx.name("wide")

    async def send(channel):
        return await owner.call(
            "message.send", channel_url=channel, message_type="FILE", file_id=file["file_id"])
    await owner.call("channel.exit", channel_url=room)
    for number in range(1_000):
        channel = f"{name}-{number}"
        operators = [operator.user_id] if number == 999 else []
        await owner.call("channel.create", channel_url=channel, operator_ids=operators)
        await owner.enter(channel)
        shown = (await send(channel))["message"]["file"]
        if number < 999:
            await owner.call("channel.exit", channel_url=channel)
    await owner.enter(room)
    refusal = await refusal_of(send(room))
    assert (refusal.code, refusal.data["scope"], refusal.data["limit"]) == (400203, "file", 1_000)
    assert (await send(channel))["seq"] > 1
    for reader in (owner, operator):
        assert (await read(server, shown["url"], key(reader)))[0] == 200
    for reader in (viewer, stranger):
        assert code(await read(server, shown["url"], key(reader))) == (403, 900020)
    await viewer.enter(channel)
    assert (await read(server, shown["url"], key(viewer)))[0] == 200
    # A place comes free with the last message of a channel.
    await server.api("DELETE", f"/open_channels/{name}-0")

    async def is_free():
        try:
            return await send(room)
        except Refused:
            return None
    await until(is_free)


async def test_ban_and_loss(ctx):
    """A ban ends the right at once, a lost connection after the grace."""
    server = await ctx.fresh(*ON, "--files-grace-seconds", scaled(2))
    channel, owner, viewer, lost = await ctx.room(server, 2)
    shown = await sent(owner, server, channel, b"plan" * 100)
    await owner.call("channel.ban", channel_url=channel, user_id=viewer.user_id, seconds=60)
    assert code(await read(server, shown["url"], key(viewer))) == (403, 400750)
    await lost.socket.close()
    await asyncio.sleep(0.3)
    assert (await read(server, shown["url"], key(lost)))[0] == 200
    async def is_over():
        return (await read(server, shown["url"], key(lost)))[0] == 403
    await until(is_over)


def unsent(server):
    """The bytes that the kernel holds for each client of the server."""
    with open("/proc/net/tcp") as table:
        rows = [line.split() for line in table.readlines()[1:]]
    return [int(row[4].split(":")[0], 16) for row in rows
            if int(row[1].split(":")[1], 16) == server.port]


async def test_downloads_take_turns(ctx):
    """Downloads that a user begins and does not read wait for each other, and nobody else for them."""
    server = await ctx.fresh(*ON)
    channel, owner, viewer = await ctx.room(server, 1)
    content = os.urandom(5_000_000)
    shown = await sent(owner, server, channel, content)
    target = urlsplit(shown["url"]).path + f"?auth={key(viewer)}"
    request = f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
    begun = []
    for _ in range(24):
        connection = socket.create_connection(("127.0.0.1", server.port))
        connection.sendall(request)
        begun.append(connection)

    def answered():
        return select.select(begun, [], [], 0)[0]

    async def have_begun():
        return len(answered()) >= 16
    await until(have_begun)
    status, _, body = await read(server, shown["url"], key(owner))
    assert status == 200 and body == content
    assert len(answered()) == 16
    # Nor does the kernel take much of what it cannot send.
    assert 0 < max(unsent(server)) < 500_000, unsent(server)
    for connection in answered()[:8]:
        begun.remove(connection)
        connection.close()

    async def all_have_begun():
        return len(answered()) == 16
    await until(all_have_begun)
    for connection in begun:
        connection.close()

    async def is_free():
        return (await read(server, shown["url"], key(viewer)))[0] == 200
    await until(is_free)


async def test_ranges(ctx):
    """Ranges over chunk borders are those of the plain file; If-Range and If-None-Match count."""
    server = await ctx.fresh(*ON)
    channel, owner = await ctx.room(server, 0)
    content = os.urandom(2 * CHUNK + 500)
    shown = await sent(owner, server, channel, content)
    for first, last in [(0, 0), (CHUNK - 1, CHUNK), (CHUNK, 2 * CHUNK), (1, len(content) - 1),
                        (2 * CHUNK + 499, 2 * CHUNK + 499)]:
        status, fields, body = await read(
            server, shown["url"], key(owner), Range=f"bytes={first}-{last}")
        assert status == 206 and body == content[first:last + 1], (first, last)
        assert fields["Content-Range"] == f"bytes {first}-{last}/{len(content)}"
    tag = fields["ETag"]
    status, _, body = await read(server, shown["url"], key(owner), If_None_Match=tag)
    assert (status, body) == (304, b"")
    assert code(await read(server, shown["url"], If_None_Match=tag)) == (401, 400302)
    status, _, body = await read(
        server, shown["url"], key(owner), Range="bytes=0-9", If_Range='"other"')
    assert status == 200 and body == content


async def test_nothing_plain_on_disk(ctx):
    """No known byte lies in data_dir while a file comes, when it is cut, or afterwards."""
    server = await ctx.fresh(*ON)
    channel, owner = await ctx.room(server, 0)
    needle = b"a-secret-that-grep-finds"
    content = needle * 20_000
    file, url = await create(owner, len(content))
    await asyncio.to_thread(
        cut, server, url, content[:200_001], len(content), "PATCH",
        {"Tus-Resumable": "1.0.0", "Content-Type": "application/offset+octet-stream"}, 0)
    async def is_there():
        return await offset(server, url) == 200_001
    await until(is_there)
    assert holds(server.data, needle) is None
    assert (await patch(server, url, 200_001, content[200_001:]))[0] == 204
    status, message = await upload(
        server, channel, content, user_id=owner.user_id, require_auth="true")
    assert status == 200 and message["file"]["require_auth"] is True
    status, _, body = await read(server, message["file"]["url"], key(owner))
    assert status == 200 and body == content
    assert holds(server.data, needle) is None
    found = await owner.call("file.get", file_id=file["file_id"])
    status, _, body = await read(server, found["file"]["url"], key(owner))
    assert status == 200 and body == content


async def test_kill_9_in_an_upload(ctx):
    """What HEAD has told survives kill -9; what is sent after it may differ, under another key."""
    data = ctx.directory()
    server = await ctx.fresh(*ON, data=data)
    owner = await ctx.user(server, "ada")
    content = os.urandom(5 * CHUNK)
    file, url = await create(owner, len(content))
    assert (await patch(server, url, 0, content[:100_000]))[0] == 204
    for end in (150_000, 260_000):
        start = await offset(server, url)
        await asyncio.to_thread(
            cut_and_stay, server, url, os.urandom(end - start), len(content) - start, start)
        await server.kill()
        server = await ctx.fresh(*ON, data=data)
        assert await offset(server, url) >= 100_000
        assert await offset(server, url) == start or await offset(server, url) <= end
        if await offset(server, url) != start:
            return
    start = await offset(server, url)
    assert (await patch(server, url, start, content[start:]))[0] == 204
    owner = await ctx.user(server, "ada")
    found = await owner.call("file.get", file_id=file["file_id"])
    status, _, body = await read(server, found["file"]["url"], key(owner))
    assert status == 200 and body == content


def cut_and_stay(server, url, content, total, start):
    """Sends the beginning of a piece, and leaves the connection open."""
    import http.client
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE)
    connection.putrequest("PATCH", urlsplit(url).path)
    for name, text in {
        "Tus-Resumable": "1.0.0", "Content-Type": "application/offset+octet-stream",
        "Content-Length": str(total), "Upload-Offset": str(start)}.items():
        connection.putheader(name, text)
    connection.endheaders()
    connection.send(content)
    cut_and_stay.kept.append(connection)


cut_and_stay.kept = []


async def test_wrong_keys(ctx):
    """Keys that were cut, changed, doubled or given by another server open nothing, and slow down."""
    server = await ctx.fresh(*ON, "--limits-file-key-failures-per-second", "0")
    other = await ctx.fresh(*ON)
    channel, owner = await ctx.room(server, 0)
    stranger = await ctx.user(other, owner.user_id)
    shown = await sent(owner, server, channel, b"plan")
    good = key(owner)
    for wrong in ["", "x", good[:-1], good + "A", good[::-1], key(stranger), "A" * 5000,
                  good[:20] + ("A" if good[20] != "A" else "B") + good[21:], f"{good}&auth={good}"]:
        assert code(await read(server, shown["url"], wrong)) == (401, 400302), wrong
    slow = await ctx.fresh(*ON)
    channel, owner = await ctx.room(slow, 0)
    shown = await sent(owner, slow, channel, b"plan")
    answers = [code(await read(slow, shown["url"], "wrong")) for _ in range(60)]
    assert (429, 500910) in answers and (401, 400302) in answers
    assert code(await read(slow, shown["url"])) == (401, 400302)
    assert (await read(slow, shown["url"], key(owner)))[0] == 200


async def test_keys_hold_and_die(ctx):
    """A key holds across a restart; deactivation, deletion and revocation end all at once."""
    data = ctx.directory()
    server = await ctx.fresh(*ON, data=data)
    channel, owner = await ctx.room(server, 0)
    shown = await sent(owner, server, channel, b"plan")
    old = key(owner)
    assert (await owner.call("session.refresh", access_token="x"))["file_key"]["key"] != old
    await server.end()
    server = await ctx.fresh(*ON, data=data)
    assert (await read(server, shown["url"], old))[0] == 200
    status, given = await server.api("POST", f"/users/{owner.user_id}/file_key")
    assert status == 200
    assert (await read(server, shown["url"], given["file_key"]["key"]))[0] == 200
    assert (await server.api("DELETE", f"/users/{owner.user_id}/token"))[0] == 200
    for dead in (old, given["file_key"]["key"]):
        assert code(await read(server, shown["url"], dead)) == (401, 400302)


async def test_keys_end_and_are_renewed(ctx):
    """A key ends after its time, and a session gets another before."""
    server = await ctx.fresh(*ON, "--files-key-seconds", "3")
    channel, owner = await ctx.room(server, 0)
    shown = await sent(owner, server, channel, b"plan")
    event = await owner.event("session.file_key")
    assert event["file_key"]["key"] != key(owner)
    async def has_ended():
        return (await read(server, shown["url"], key(owner)))[0] == 401
    await until(has_ended)


async def test_damage(ctx):
    """A changed, moved or cut chunk is answered 500, without a byte of it."""
    server = await ctx.fresh(*ON)
    channel, owner = await ctx.room(server, 0)
    content = os.urandom(3 * CHUNK)
    shown = await sent(owner, server, channel, content)
    stored = os.path.join(server.data, "files", shown["file_id"])
    with open(stored, "rb") as file:
        whole = file.read()
    size = CHUNK + 16
    changes = [
        bytes([byte ^ 1]) .join([whole[:place], whole[place + 1:]])
        for place in (0, 4, 5, 11, 12, 100, 12 + CHUNK)
        for byte in [whole[place]]
    ]
    changes += [
        whole[:12] + whole[12 + size:12 + 2 * size] + whole[12:12 + size] + whole[12 + 2 * size:],
        whole[:-1], whole[:-size], whole + b"x", b"",
    ]
    for changed in changes:
        with open(stored, "wb") as file:
            file.write(changed)
        assert code(await read(server, shown["url"], key(owner))) == (500, 500901)
    with open(stored, "wb") as file:
        file.write(whole)
    assert (await read(server, shown["url"], key(owner)))[2] == content


async def test_one_file_alone(ctx):
    """With encryption off, require_auth does so for one file, also at the send."""
    server = await ctx.fresh(*FLAGS)
    channel, owner = await ctx.room(server, 0)
    clear = await sent(owner, server, channel, b"clear" * 50)
    assert clear["require_auth"] is False and (await read(server, clear["url"]))[0] == 200
    shown = await sent(owner, server, channel, b"sealed" * 50, require_auth=True)
    assert shown["require_auth"] is True
    assert code(await read(server, shown["url"])) == (401, 400302)
    assert code(await read(server, shown["url"].replace(shown["file_id"], "0" * 32))) == (404, 400201)
    needle = b"a-needle-in-the-clear" * 5_000
    file, url = await create(owner, len(needle))
    await put(server, url, needle)
    assert holds(server.data, needle[:1000])
    result = await owner.call(
        "message.send", channel_url=channel, message_type="FILE", file_id=file["file_id"],
        require_auth=True)
    shown = result["message"]["file"]
    assert shown["require_auth"] is True and holds(server.data, needle[:1000]) is None
    assert (await read(server, shown["url"], key(owner)))[2] == needle
    refusal = await refusal_of(owner.call(
        "message.send", channel_url=channel, message_type="FILE", file_id=clear["file_id"],
        require_auth=True))
    assert refusal.code == 400920
    refusal = await refusal_of(owner.call("user.update", profile_file_id=shown["file_id"]))
    assert refusal.code == 400920


async def test_no_message_has_a_file_in_the_clear(ctx):
    """With encryption on, no wish of a sender leaves the file of a message in the clear."""
    server = await ctx.fresh(*ON)
    channel, owner = await ctx.room(server, 0)
    content = b"in-the-clear" * 500
    for outer, inner in ((False, None), (None, False), (False, False)):
        message = {"channel_url": channel, "require_auth": inner}
        _, url = await create(owner, len(content), require_auth=outer, message=message)
        status, _, answer = await put(server, url, content)
        assert status == 201 and answer["message"]["file"]["require_auth"] is True, answer
        assert code(await read(server, answer["message"]["file"]["url"])) == (401, 400302)
    status, message = await upload(
        server, channel, content, user_id=owner.user_id, require_auth="false")
    assert status == 200 and message["file"]["require_auth"] is True, message
    assert code(await read(server, message["file"]["url"])) == (401, 400302)
    # A file that was to be a picture is encrypted before it is sent.
    shown = await sent(owner, server, channel, content, require_auth=False)
    assert shown["require_auth"] is True
    assert (await read(server, shown["url"], key(owner)))[2] == content
    assert holds(server.data, content[:1000]) is None


async def test_the_message_of_an_upload_asks_for_a_key(ctx):
    """require_auth in the message of file.create counts as that of the upload does."""
    server = await ctx.fresh(*FLAGS)
    channel, owner = await ctx.room(server, 0)
    content = b"background" * 500
    _, url = await create(
        owner, len(content), message={"channel_url": channel, "require_auth": True})
    status, _, answer = await put(server, url, content)
    assert status == 201 and answer["message"]["file"]["require_auth"] is True, answer
    assert code(await read(server, answer["message"]["file"]["url"])) == (401, 400302)
    assert holds(server.data, content[:1000]) is None
    refusal = await refusal_of(owner.call(
        "file.create", size=1, message={"channel_url": channel, "require_auth": "yes"}))
    assert refusal.code == 400104, refusal


async def test_an_upload_from_before_encryption(ctx):
    """The file of a background message is encrypted before it is sent, also when the upload is older."""
    data = ctx.directory()
    server = await ctx.fresh(*FLAGS, data=data)
    channel, owner = await ctx.room(server, 0)
    content = b"before" * 1000
    _, url = await create(owner, len(content), message={"channel_url": channel})
    await server.end()
    server = await ctx.fresh(*ON, data=data)
    owner = await ctx.user(server, owner.user_id)
    status, _, answer = await put(server, url, content)
    assert status == 201 and answer["message"]["file"]["require_auth"] is True, answer
    shown = answer["message"]["file"]
    assert code(await read(server, shown["url"])) == (401, 400302)
    assert (await read(server, shown["url"], key(owner)))[2] == content
    assert holds(server.data, content[:1000]) is None


async def test_pictures_and_messages(ctx):
    """A refused picture is none: its file is encrypted when it is sent. A picture is in no message."""
    server = await ctx.fresh(*ON)
    channel, owner, viewer = await ctx.room(server, 1)
    content = b"picture" * 100

    async def in_the_clear():
        file, url = await create(viewer, len(content), require_auth=False)
        assert (await put(server, url, content))[0] == 201
        return file["file_id"]

    def send(file_id):
        return viewer.call(
            "message.send", channel_url=channel, message_type="FILE", file_id=file_id)
    first, second, third = [await in_the_clear() for _ in range(3)]
    refusal = await refusal_of(viewer.call(
        "channel.update", channel_url=channel, cover_file_id=first))
    assert refusal.code == 400108, refusal
    refusal = await refusal_of(viewer.call(
        "channel.create", channel_url=channel, cover_file_id=second))
    assert refusal.code == 400202, refusal
    for file_id in (first, second):
        shown = (await send(file_id))["message"]["file"]
        assert shown["require_auth"] is True, shown
        assert code(await read(server, shown["url"])) == (401, 400302)
        assert (await read(server, shown["url"], key(owner)))[2] == content
    shown = (await viewer.call("user.update", profile_file_id=third))["user"]
    refusal = await refusal_of(send(third))
    assert refusal.code == 400920, refusal
    assert (await read(server, shown["profile_url"]))[2] == content


async def test_conversion_and_rotation(ctx):
    """encrypt-all converts what is in the clear; rotate-key wraps all keys anew."""
    server = await ctx.fresh(*FLAGS)
    channel, owner = await ctx.room(server, 0)
    contents = [os.urandom(100_000 + n) for n in range(5)]
    files = [await sent(owner, server, channel, content) for content in contents]
    status, state = await server.api("GET", "/parley/files/encryption")
    assert (state["clear"], state["encrypted"]) == (5, 0)
    await server.api("POST", "/parley/files/encrypt_all")
    async def is_done():
        return (await server.api("GET", "/parley/files/encryption"))[1]["clear"] == 0
    await until(is_done)
    for file, content in zip(files, contents):
        assert code(await read(server, file["url"])) == (401, 400302)
        assert (await read(server, file["url"], key(owner)))[2] == content
    listed = await owner.call("message.list", channel_url=channel)
    assert all(message["file"]["require_auth"] for message in listed["messages"])
    old = state["key_id"]
    status, state = await server.api("POST", "/parley/files/rotate_key")
    assert status == 200 and state["key_id"] != old
    async def is_wrapped():
        return (await server.api("GET", "/parley/files/encryption"))[1]["to_rewrap"] == 0
    await until(is_wrapped)
    assert (await read(server, files[0]["url"], key(owner)))[2] == contents[0]
    keys = os.path.join(server.data, "file-keys")
    assert os.stat(keys).st_mode & 0o777 == 0o600
    lines = open(keys, encoding="ascii").read().splitlines()
    assert len(lines) == 2 and lines[0].startswith(state["key_id"])
    with open(keys, "w", encoding="ascii") as file:
        file.write(lines[0] + "\n")
    data = server.data
    await server.end()
    server = await ctx.fresh(*FLAGS, data=data)
    owner = await ctx.user(server, owner.user_id)
    assert (await read(server, files[1]["url"], key(owner)))[2] == contents[1]


async def test_kill_9_in_a_conversion(ctx):
    """A conversion that is killed again and again loses no byte, and the next run completes it."""
    data = ctx.directory()
    flags = [*FLAGS, "--limits-flood-messages", "0"]
    server = await ctx.fresh(*flags, data=data)
    channel, owner = await ctx.room(server, 0)
    contents = [os.urandom(400_000 + n) for n in range(24)]
    files = [await sent(owner, server, channel, content) for content in contents]
    done = 0
    for attempt in range(20):
        status, _ = await server.api("POST", "/parley/files/encrypt_all")
        assert status == 200
        # At any point of the work: before the first file, inside one, between two.
        await asyncio.sleep(0.004 * attempt)
        await server.kill()
        server = await ctx.fresh(*flags, data=data)
        owner = await ctx.user(server, owner.user_id)
        state = (await server.api("GET", "/parley/files/encryption"))[1]
        assert state["encrypted"] >= done, (done, state)
        done = state["encrypted"]
        for file, content in zip(files, contents):
            status, _, body = await read(server, file["url"], key(owner))
            assert status == 200 and body == content, (attempt, status, len(body))

    async def is_done():
        await server.api("POST", "/parley/files/encrypt_all")
        return (await server.api("GET", "/parley/files/encryption"))[1]["clear"] == 0
    await until(is_done)
    for file, content in zip(files, contents):
        assert code(await read(server, file["url"])) == (401, 400302)
        assert (await read(server, file["url"], key(owner)))[2] == content
    # Of what was converted nothing plain is left.
    await server.end()
    for folder, _, names in os.walk(data):
        for name in names:
            with open(os.path.join(folder, name), "rb") as stored:
                found = stored.read()
            assert not any(content[5_000:5_064] in found for content in contents), name


async def test_every_byte_of_a_small_file(ctx):
    """Whichever byte of a stored file is changed, it is answered 500, and never with wrong bytes."""
    server = await ctx.fresh(*ON)
    channel, owner = await ctx.room(server, 0)
    content = os.urandom(40)
    file = await sent(owner, server, channel, content)
    path = os.path.join(server.data, "files", file["file_id"])
    with open(path, "rb") as stored:
        whole = stored.read()
    for place in range(len(whole)):
        with open(path, "r+b") as stored:
            stored.seek(place)
            stored.write(bytes([whole[place] ^ 0x55]))
        status, _, body = await read(server, file["url"], key(owner))
        assert status == 500 and content not in body, (place, status)
        with open(path, "r+b") as stored:
            stored.seek(place)
            stored.write(whole[place:place + 1])
    assert (await read(server, file["url"], key(owner)))[2] == content


async def test_rotation_under_load(ctx):
    """While keys are rotated, files come, are read in parts and whole, and every byte is right."""
    server = await ctx.fresh(
        *ON, "--limits-uploads-per-minute", "0", "--limits-flood-messages", "0")
    channel, owner = await ctx.room(server, 0)
    contents = {}
    for number in range(6):
        content = os.urandom(200_000 + number)
        contents[(await sent(owner, server, channel, content))["url"]] = content
    is_over = asyncio.Event()
    reads = []

    async def reading(worker):
        while not is_over.is_set():
            for url, content in list(contents.items()):
                start = (len(reads) * 7_919 + worker) % (len(content) - 70_000)
                status, _, body = await read(
                    server, url, key(owner), Range=f"bytes={start}-{start + 69_999}")
                assert (status, body) == (206, content[start:start + 70_000]), (status, len(body))
                reads.append(1)

    async def coming():
        while not is_over.is_set():
            content = os.urandom(150_000)
            contents[(await sent(owner, server, channel, content))["url"]] = content
    work = [asyncio.create_task(reading(n)) for n in range(3)] + [asyncio.create_task(coming())]
    ids = set()
    for _ in range(5):
        status, state = await server.api("POST", "/parley/files/rotate_key")
        assert status == 200, state
        ids.add(state["key_id"])
        before = len(reads)

        async def was_read():
            return len(reads) > before + 6 or any(task.done() for task in work)
        await until(was_read)
    is_over.set()
    await asyncio.gather(*work)
    assert len(ids) == 5

    async def is_wrapped():
        return (await server.api("GET", "/parley/files/encryption"))[1]["to_rewrap"] == 0
    await until(is_wrapped)
    # With the last key alone everything opens.
    keys = os.path.join(server.data, "file-keys")
    first = open(keys, encoding="ascii").read().splitlines()[0]
    with open(keys, "w", encoding="ascii") as file:
        file.write(first + "\n")
    await server.end()
    again = await ctx.fresh(*ON, data=server.data)
    owner = await ctx.user(again, owner.user_id)
    for url, content in contents.items():
        assert (await read(again, url, key(owner)))[2] == content


async def test_a_start_without_the_keys(ctx):
    """With the key file missing, of another deployment, or broken the server serves all but encrypted files, says
    which key is missing, and takes the right file when it comes; a check reports each as a problem."""
    server = await ctx.fresh(*ON)
    channel, owner = await ctx.room(server, 0)
    shown = await sent(owner, server, channel, b"plan")
    data = server.data
    await server.end()
    keys = os.path.join(data, "file-keys")
    line = open(keys, encoding="ascii").read()
    name = line.split()[0]
    other = base64.b64encode(os.urandom(32)).decode()
    for text, word in [(None, "missing"), (f"other {other}\n", name), (f"{name} {other}\n", name),
                       ("nonsense\n", "line 1")]:
        os.unlink(keys) if os.path.exists(keys) else None
        if text:
            with open(keys, "w", encoding="ascii") as file:
                file.write(text)
        status, output, _ = await ctx.run(
            ctx.parleyd, "--listen", "127.0.0.1:0", "--data-dir", data, *ctx.always, *ON,
            "--check-config", "--deep")
        assert status == 78 and "problem  files.master_keys: " in output.decode(), output
        assert word in output.decode(), output
        server = await ctx.fresh(*ON, data=data)
        assert (await server.get("/readyz"))[0] == 200
        said = [line for line in server.lines if "lacks the master keys" in line]
        assert said and word in said[0], list(server.lines)
        again = await ctx.user(server, owner.user_id)
        assert "file_key" not in again.session
        await again.enter(channel)
        assert (await again.send(channel, "served"))["message"]["message"] == "served"
        status, _, body = await read(server, shown["url"], key(owner))
        assert status == 503 and name in body.decode(), (status, body)
        refusal = await refusal_of(again.call("file.create", size=5))
        assert refusal.code == 500901 and (name in str(refusal) or word == "line 1"), refusal
        with open(keys, "w", encoding="ascii") as file:
            file.write(line)
        server.process.send_signal(signal.SIGHUP)

        async def opens():
            return (await read(server, shown["url"], key(owner)))[::2] == (200, b"plan")
        await until(opens)
        assert await again.call("session.refresh", access_token="x")
        await server.end()
    os.rename(keys, keys + ".elsewhere")
    await ctx.fresh(
        *ON, "--files-master-key-command", f"cat {keys}.elsewhere", data=shutil.copytree(
            data, ctx.directory() + "/copy"))


async def test_the_base_of_all_addresses(ctx):
    """features names files.public_url; without it, and with encryption, the start warns."""
    for flags, public, base in (
            (ON, None, None), (FLAGS, None, None),
            (ON, "https://cdn.example/chat/", "https://cdn.example/chat")):
        server = await ctx.fresh(*flags, *(("--files-public-url", public) if public else ()))
        channel, owner = await ctx.room(server, 0)
        assert owner.session["features"]["files"].get("base") == base
        shown = await sent(owner, server, channel, b"plan")
        assert shown["url"].startswith(f"{base or f'http://127.0.0.1:{server.port}'}/files/")
        warns = any("without files.public_url" in line for line in server.lines)
        assert warns == (flags is ON and base is None), list(server.lines)


async def test_master_keys_of_a_command(ctx):
    """A command gives the keys at the start and at SIGHUP; one that does not end holds neither."""
    directory = ctx.directory()
    keys, script = (os.path.join(directory, name) for name in ("keys", "give"))

    def write(path, text):
        with open(path, "w", encoding="ascii") as file:
            file.write(text)

    def line(name):
        return f"{name} {base64.b64encode(os.urandom(32)).decode()}\n"
    first, second = line("one"), line("two")
    write(keys, first)
    write(script, f"cat {keys}\n")
    flags = [*ON, "--files-master-key-command", f"sh {script}"]
    server = await ctx.fresh(*flags)
    assert not os.path.exists(os.path.join(server.data, "file-keys"))
    channel, owner = await ctx.room(server, 0)
    shown = await sent(owner, server, channel, b"plan")

    async def current():
        return (await server.api("GET", "/parley/files/encryption"))[1]["key_id"]
    assert await current() == "one"
    write(keys, second + first)
    server.process.send_signal(signal.SIGHUP)

    async def is_reloaded():
        return await current() == "two"
    await until(is_reloaded)
    assert (await read(server, shown["url"], key(owner)))[2] == b"plan"
    # It prints the keys, closes its output and goes on.
    write(keys, line("three") + second + first)
    write(script, f"cat {keys}\nexec >&-\nsleep 600\n")
    server.process.send_signal(signal.SIGHUP)

    async def is_given_up():
        return any("has not ended" in line for line in server.lines)
    await until(is_given_up)
    assert await current() == "two"
    assert (await read(server, shown["url"], key(owner)))[2] == b"plan"
    await server.end()
    server = await ctx.fresh(*flags, data=server.data)
    assert any("lacks the master keys" in line and "has not ended" in line for line in server.lines)
    assert (await read(server, shown["url"], key(owner)))[0] == 503
    write(script, f"cat {keys}\n")

    async def is_found():
        return (await read(server, shown["url"], key(owner)))[::2] == (200, b"plan")
    # Without a signal too.
    await until(is_found)


async def test_the_format_is_the_documented_one(ctx):
    """With the key file, Python opens a stored file by what the documentation says of its form."""
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError:
        return
    server = await ctx.fresh(*ON)
    channel, owner = await ctx.room(server, 0)
    content = os.urandom(CHUNK * 2 + 5)
    shown = await sent(owner, server, channel, content)
    name, text = open(os.path.join(server.data, "file-keys"), encoding="ascii").read().split()
    master = hmac.new(base64.b64decode(text), b"parley file key", hashlib.sha256).digest()
    await server.end()
    database = next(
        os.path.join(server.data, entry) for entry in os.listdir(server.data)
        if entry.endswith((".db", ".sqlite", ".sqlite3")))
    row = sqlite3.connect(database).execute(
        "SELECT key_id, file_keys FROM files WHERE file_id = ?", [shown["file_id"]]).fetchone()
    assert row[0] == name and row[1][:4] == bytes(4)
    wrapped = row[1][4:64]
    file_key = AESGCM(master).decrypt(
        wrapped[:12], wrapped[12:], b"file\0" + shown["file_id"].encode())
    with open(os.path.join(server.data, "files", shown["file_id"]), "rb") as file:
        stored = file.read()
    assert stored[:5] == b"PRLY\1"
    plain, place, index = b"", 12, 0
    while place < len(stored):
        chunk = stored[place:place + CHUNK + 16]
        place += len(chunk)
        nonce = stored[5:12] + index.to_bytes(4, "big") + bytes([place == len(stored)])
        plain += AESGCM(file_key).decrypt(nonce, chunk, None)
        index += 1
    assert plain == content
