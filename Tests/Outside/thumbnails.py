"""Thumbnails of uploaded pictures and films, made by the decoders of this machine."""

import asyncio
import json
import os
import struct
import subprocess
import tempfile
import zlib

from files import download, upload
from harness import refused
from uploads import create, put, until

FLAGS = ["--unfurl-mode", "off"]
# Nothing comes too late by accident, however slow the machine is.
PATIENT = [*FLAGS, "--limits-send-wait-ms", "60000"]
HURRIED = [*FLAGS, "--limits-send-wait-ms", "0"]


def sizes(*boxes):
    return [{"max_width": width, "max_height": height} for width, height in boxes]


def png(width, height, rows=None):
    """A PNG of one grey; with fewer rows than it claims, a broken one."""
    def chunk(kind, body):
        return (struct.pack(">I", len(body)) + kind + body
                + struct.pack(">I", zlib.crc32(kind + body)))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    packer = zlib.compressobj(9)
    row = b"\0" + b"\x7f" * width
    body = b"".join(packer.compress(row) for _ in range(height if rows is None else rows))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
            + chunk(b"IDAT", body + packer.flush()) + chunk(b"IEND", b""))


def made(*arguments, suffix):
    """What ffmpeg makes."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "made" + suffix)
        subprocess.run(
            ["ffmpeg", "-v", "error", "-nostdin", *arguments, path], check=True,
            stdin=subprocess.DEVNULL)
        with open(path, "rb") as file:
            return file.read()


def jpeg(width, height):
    source = f"testsrc=size={width}x{height}:rate=1:duration=1"
    return made("-f", "lavfi", "-i", source, "-frames:v", "1", suffix=".jpg")


def film():
    return made("-f", "lavfi", "-i", "testsrc=size=320x240:rate=10:duration=2",
                "-pix_fmt", "yuv420p", suffix=".mp4")


def turned(picture, orientation):
    """A JPEG with an EXIF orientation, and with a place and a camera that nobody is to learn of."""
    entries = [(0x010F, 2, 8, 38), (0x0112, 3, 1, orientation)]
    tiff = b"II*\0\x08\0\0\0" + struct.pack("<H", len(entries))
    for tag, kind, count, value in entries:
        tiff += struct.pack("<HHII", tag, kind, count, value)
    tiff += b"\0\0\0\0" + b"SECRETS\0"
    body = b"Exif\0\0" + tiff
    return picture[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + picture[2:]


def size_of(picture):
    """Width and height of a JPEG or PNG."""
    if picture.startswith(b"\x89PNG"):
        return struct.unpack(">II", picture[16:24])
    place = 2
    while place < len(picture):
        mark, length = picture[place + 1], struct.unpack(">H", picture[place + 2:place + 4])[0]
        if 0xC0 <= mark <= 0xC3:
            height, width = struct.unpack(">HH", picture[place + 5:place + 9])
            return width, height
        place += 2 + length
    raise AssertionError("no size")


async def put_up(server, client, content, **params):
    file, url = await create(client, len(content), **params)
    status, _, _ = await put(server, url, content)
    assert status == 201
    return file["file_id"]


async def send(client, channel, file_id, **params):
    return await client.call(
        "message.send", channel_url=channel, message_type="FILE", file_id=file_id, **params)


async def viewed(server, path):
    status, answer = await server.api("GET", path)
    assert status == 200, answer
    return answer


async def status(server):
    return await viewed(server, "/parley/status")


async def metric(server, name):
    text = (await server.get("/metrics"))[2].decode()
    return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
               if line.startswith(name + " ") or line.startswith(name + "{"))


async def test_thumbnails_come_with_the_message(ctx):
    """Three boxes of a JPEG: in the answer, in the event, in lists and over the Platform API."""
    server = await ctx.fresh(*PATIENT)
    channel, owner, viewer = await ctx.room(server, 1)
    assert owner.session["features"]["thumbnails"] == {"sizes": 3, "types": ["image/*", "video/*"]}
    content = turned(jpeg(400, 300), 1)
    file_id = await put_up(server, owner, content, name="plan.of.png", type="image/png")
    boxes = sizes((100, 100), (40, 400), (1000, 1000))
    sent = await send(owner, channel, file_id, thumbnail_sizes=boxes)
    found = sent["message"]["file"]["thumbnails"]
    assert [(t["real_width"], t["real_height"]) for t in found] == [
        (100, 75), (40, 30), (400, 300)], found
    assert [(t["max_width"], t["max_height"]) for t in found] == [
        (100, 100), (40, 400), (1000, 1000)]
    assert found[0]["url"].endswith(f"/files/{file_id}/t/100x100/plan.of.jpg"), found
    event = await viewer.event("message.received")
    assert event["message"]["file"] == sent["message"]["file"]
    for thumbnail in found:
        code, fields, body = await download(server, thumbnail["url"])
        assert code == 200 and fields["Content-Type"] == thumbnail["type"] == "image/jpeg"
        assert len(body) == thumbnail["size"]
        assert size_of(body) == (thumbnail["real_width"], thumbnail["real_height"])
        assert b"SECRETS" not in body and b"Exif" not in body
    shown = await viewed(
        server, f"/open_channels/{channel}/messages/{sent['message']['message_id']}")
    assert shown["file"]["thumbnails"] == found
    listed = await owner.call("message.list", channel_url=channel, message_ts=0, next_limit=1)
    assert listed["messages"][0]["file"]["thumbnails"] == found
    details = await viewed(server, f"/parley/files/{file_id}")
    assert len(details["thumbnails"]) == 3 and details["thumbnail_failure"] == ""
    # The same boxes again: nothing new is made, and the order is the send's.
    count = await metric(server, "parley_thumbnails_total")
    again = await send(owner, channel, file_id, thumbnail_sizes=[boxes[1], boxes[0], boxes[1]])
    assert again["message"]["file"]["thumbnails"] == [found[1], found[0], found[1]]
    assert await metric(server, "parley_thumbnails_total") == count


async def test_every_orientation_is_upright(ctx):
    """The eight orientations of EXIF show a picture upright, and a small picture stays as it is."""
    server = await ctx.fresh(*PATIENT, "--limits-flood-messages", "0",
                             "--limits-uploads-per-second", "0")
    channel, owner = await ctx.room(server, 0)
    picture = jpeg(200, 100)
    for orientation in range(1, 9):
        file_id = await put_up(server, owner, turned(picture, orientation), name="a.jpg")
        sent = await send(owner, channel, file_id, thumbnail_sizes=sizes((50, 50)))
        thumbnail, = sent["message"]["file"]["thumbnails"]
        expected = (50, 25) if orientation < 5 else (25, 50)
        assert (thumbnail["real_width"], thumbnail["real_height"]) == expected, orientation
    file_id = await put_up(server, owner, png(50, 30), name="small")
    sent = await send(owner, channel, file_id, thumbnail_sizes=sizes((100, 100)))
    thumbnail, = sent["message"]["file"]["thumbnails"]
    assert (thumbnail["real_width"], thumbnail["real_height"]) == (50, 30)
    assert thumbnail["type"] == "image/png" and thumbnail["url"].endswith("/t/100x100/small.png")


async def test_a_film_shows_a_frame(ctx):
    """A film that its upload asks thumbnails for has them in a message that asks for none."""
    server = await ctx.fresh(*PATIENT)
    channel, owner = await ctx.room(server, 0)
    content = film()
    file_id = await put_up(
        server, owner, content, name="a.mp4", thumbnail_sizes=sizes((160, 160)))
    sent = await send(owner, channel, file_id)
    thumbnail, = sent["message"]["file"]["thumbnails"]
    assert (thumbnail["real_width"], thumbnail["real_height"]) == (160, 120)
    code, _, body = await download(server, thumbnail["url"])
    assert code == 200 and size_of(body) == (160, 120)
    none = await send(owner, channel, file_id, thumbnail_sizes=[])
    assert none["message"]["file"]["thumbnails"] == []


async def test_late_thumbnails_come_by_one_update(ctx):
    """A message that does not wait is updated once, for the author too, and updated_at stays."""
    server = await ctx.fresh(*HURRIED)
    channel, owner, viewer = await ctx.room(server, 1)
    file_id = await put_up(server, owner, jpeg(640, 480), name="a.jpg")
    sent = await send(owner, channel, file_id, thumbnail_sizes=sizes((100, 100), (50, 50)))
    assert sent["message"]["file"]["thumbnails"] == [] and sent["message"]["updated_at"] == 0
    for client in (owner, viewer):
        event = await client.event("message.updated")
        assert event["message"]["updated_at"] == 0
        widths = [t["real_width"] for t in event["message"]["file"]["thumbnails"]]
        assert widths == [100, 50]
    await asyncio.sleep(0.3)
    assert len([e for e in owner.told("message.updated")]) == 1
    got = await owner.call(
        "message.get", channel_url=channel, message_id=sent["message"]["message_id"])
    assert got["message"]["file"] == event["message"]["file"]
    assert await metric(server, "parley_thumbnails_late_total") == 1


async def test_order_and_overtaking(ctx):
    """What the connection sends to the channel comes after; its other calls and other users pass."""
    server = await ctx.fresh(*PATIENT, "--thumbnails-concurrency", "1")
    channel, owner, viewer = await ctx.room(server, 1)
    other = ctx.name("other")
    await owner.call("channel.create", channel_url=other)
    await owner.enter(other)
    file_id = await put_up(server, owner, png(9_000, 9_000), name="large.png")
    waiting = asyncio.create_task(send(
        owner, channel, file_id, thumbnail_sizes=sizes((10, 10)), req_id="r"))
    await until(lambda: metric(server, "parley_sends_waiting"))
    behind = asyncio.create_task(owner.send(channel, "behind"))
    await owner.call("session.ping")
    await owner.send(other, "elsewhere")
    await viewer.send(channel, "another's")
    repeated = await send(owner, channel, file_id, thumbnail_sizes=sizes((10, 10)), req_id="r")
    first = await waiting
    assert first["message"]["message_id"] == repeated["message"]["message_id"]
    assert first["message"]["file"]["thumbnails"]
    assert (await behind)["seq"] == first["seq"] + 1
    assert await metric(server, "parley_sends_waiting") == 0
    assert await metric(server, "parley_send_wait_seconds_count") >= 2


async def test_the_server_sends_with_thumbnails(ctx):
    """A message that an upload sends, several files in a call, and a form have them as well."""
    server = await ctx.fresh(*PATIENT)
    channel, owner = await ctx.room(server, 0)
    content = jpeg(320, 240)
    file, url = await create(
        owner, len(content), name="a.jpg", thumbnail_sizes=sizes((32, 32)),
        message={"channel_url": channel})
    code, _, answer = await put(server, url, content)
    assert code == 201 and len(answer["message"]["file"]["thumbnails"]) == 1, answer
    result = await owner.call("message.send_files", channel_url=channel, files=[
        {"file_id": file["file_id"], "thumbnail_sizes": sizes((16, 16))},
        {"url": "https://files.example/a.png", "thumbnail_sizes": sizes((16, 16))}])
    counts = [len(r["message"]["file"]["thumbnails"]) for r in result["results"]]
    assert counts == [1, 0]
    code, message = await upload(
        server, channel, content, "form.jpg", "image/jpeg", user_id=owner.user_id,
        thumbnail_sizes=json.dumps(sizes((64, 64), (64, 64))))
    assert code == 200, message
    widths = [t["real_width"] for t in message["file"]["thumbnails"]]
    assert widths == [64, 64], message
    assert len({t["url"] for t in message["file"]["thumbnails"]}) == 1
    code, _, _ = await download(server, message["file"]["url"])
    assert code == 200


async def test_boxes_are_checked(ctx):
    """Boxes out of bounds are refused, even where no thumbnails are made."""
    for flags in (FLAGS, [*FLAGS, "--thumbnails-mode", "off"]):
        server = await ctx.fresh(*flags)
        channel, owner = await ctx.room(server, 0)
        file_id = await put_up(server, owner, b"text")
        for boxes, code in [
                (sizes(*[(1, 1)] * 4), 400203), (sizes((0, 1)), 400113), (sizes((1, 2001)), 400113)]:
            async with refused(code):
                await send(owner, channel, file_id, thumbnail_sizes=boxes)
        sent = await send(owner, channel, file_id,
                          thumbnail_sizes=[{"max_width": 100.0, "max_height": 100}])
        assert sent["message"]["file"]["thumbnails"] == []


async def test_off_is_off(ctx):
    """With thumbnails off the feature is absent, wishes are no error, and the status says so."""
    server = await ctx.fresh(*PATIENT, "--thumbnails-mode", "off")
    channel, owner = await ctx.room(server, 0)
    assert "thumbnails" not in owner.session["features"]
    file_id = await put_up(server, owner, jpeg(100, 100), thumbnail_sizes=sizes((10, 10)))
    sent = await send(owner, channel, file_id, thumbnail_sizes=sizes((10, 10)))
    assert sent["message"]["file"]["thumbnails"] == []
    shown = (await status(server))["thumbnails"]
    assert shown == {"is_on": False, "walls": "", "missing": ["thumbnails.mode is off"]}


async def test_the_tool_asks_for_thumbnails(ctx):
    """parley message send asks for boxes and a key; parley file show has why no thumbnail was made."""
    server = await ctx.fresh(*PATIENT)
    channel, owner = await ctx.room(server, 0)
    good, bad = (os.path.join(ctx.directory(), name) for name in ("good.png", "bad.png"))
    for path, content in ((good, png(60, 40)), (bad, b"no picture" * 50)):
        with open(path, "wb") as file:
            file.write(content)

    async def tool(*arguments):
        status, output, errors = await ctx.run(
            ctx.parley, *arguments, "--server", f"http://127.0.0.1:{server.port}",
            environment={
                "PARLEY_CLI_API_TOKEN": server.api_token, "XDG_CONFIG_HOME": "/nonexistent"})
        assert status == 0, errors
        return output.decode()

    async def send_by_tool(path, *options):
        return json.loads(await tool(
            "message", "send", channel, "--user", owner.user_id, "--file", path, "--json",
            *options))["file"]
    shown = await send_by_tool(good, "--thumbnail", "30x30", "--thumbnail", "10x40", "--require-auth")
    assert shown["require_auth"] is True, shown
    assert [(t["max_width"], t["max_height"]) for t in shown["thumbnails"]] == [(30, 30), (10, 40)]
    assert (await download(server, shown["url"]))[0] == 401
    assert "no thumbnail" not in await tool("file", "show", shown["file_id"])
    shown = await send_by_tool(bad, "--thumbnail", "30x30")
    assert shown["require_auth"] is False and shown["thumbnails"] == [], shown
    details = await viewed(server, f"/parley/files/{shown['file_id']}")
    assert details["thumbnail_failure"], details
    text = await tool("file", "show", shown["file_id"])
    assert f"no thumbnail: {details['thumbnail_failure']}" in text, text


async def test_thumbnails_go_with_their_file(ctx):
    """The end of the last message removes file and thumbnails, and a restart keeps both."""
    server = await ctx.fresh(*PATIENT)
    channel, owner = await ctx.room(server, 0)
    file_id = await put_up(server, owner, jpeg(100, 50), name="a.jpg")
    sent = await send(owner, channel, file_id, thumbnail_sizes=sizes((10, 10)))
    thumbnail, = sent["message"]["file"]["thumbnails"]
    kept = os.path.join(server.data, "files")
    assert len(os.listdir(kept)) == 2
    await server.end()
    server = await ctx.fresh(*PATIENT, data=server.data)
    assert (await download(server, thumbnail["url"]))[0] == 200
    owner = await ctx.user(server, owner.user_id)
    await owner.call(
        "message.delete", channel_url=channel, message_id=sent["message"]["message_id"])

    async def gone():
        return not os.listdir(kept)
    await until(gone)
    assert (await download(server, thumbnail["url"]))[0] == 404


async def test_a_drain_releases_what_waits(ctx):
    """SIGTERM sends what waits, and its sender is answered."""
    server = await ctx.fresh(*PATIENT, "--thumbnails-concurrency", "1")
    channel, owner = await ctx.room(server, 0)
    file_id = await put_up(server, owner, png(9_990, 9_990), name="large.png")
    waiting = asyncio.create_task(send(owner, channel, file_id, thumbnail_sizes=sizes((10, 10))))
    await until(lambda: metric(server, "parley_sends_waiting"))
    ending = asyncio.create_task(server.end())
    assert (await waiting)["message"]["message_id"]
    assert await ending == 0


async def test_bombs_while_others_talk(ctx):
    """Pictures that lie, break off or are none give no thumbnail, and others go on talking."""
    server = await ctx.fresh(*PATIENT, "--limits-uploads-per-second", "0",
                             "--limits-uploads-per-minute", "0", "--limits-flood-messages", "0")
    channel, owner, viewer = await ctx.room(server, 1)
    picture = jpeg(64, 64)
    bombs = {
        "too many pixels": png(30_000, 30_016, rows=10), "too wide": png(40_000, 10),
        "broken": png(500, 500, rows=3)[:-40], "cut": picture[:200],
        "svg": b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>",
        "playlist": b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n",
        "concat": b"ffconcat version 1.0\nfile /etc/passwd\n",
        "nothing": b"\0" * 100, "a film without a frame": film()[:600]}

    async def bomb(content):
        file_id = await put_up(server, owner, content, name="a.png", type="image/png")
        sent = await send(owner, channel, file_id, thumbnail_sizes=sizes((100, 100)))
        return file_id, sent["message"]["file"]["thumbnails"]

    talking = [asyncio.create_task(viewer.send(channel, f"text {n}")) for n in range(20)]
    for name, content in bombs.items():
        file_id, found = await bomb(content)
        if name not in ("broken", "cut"):
            assert found == [], name
            details = await viewed(server, f"/parley/files/{file_id}")
            assert details["thumbnail_failure"], name
    for sent in asyncio.as_completed(talking):
        assert (await sent)["seq"]
    # A later picture is made as if nothing had been.
    file_id, found = await bomb(picture)
    assert len(found) == 1
    shown = (await status(server))["thumbnails"]
    assert shown["is_on"] and "seccomp" in shown["walls"], shown
