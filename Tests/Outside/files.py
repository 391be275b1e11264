"""Files: uploaded in a form, told to everyone, downloaded by anyone who knows the address."""

import asyncio
import http.client
import json
import os
import shutil
import uuid
from urllib.parse import urlsplit

from harness import DEADLINE, Skipped

FLAGS = ["--unfurl-mode", "off"]


def form(fields, content, name, kind):
    boundary = uuid.uuid4().hex
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{text}\r\n'.encode()
        for field, text in fields.items()]
    head = (f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
            f"Content-Type: {kind}\r\n\r\n").encode()
    body = b"".join(parts) + head + content + f"\r\n--{boundary}--\r\n".encode()
    return body, f"multipart/form-data; boundary={boundary}"


def call(server, method, path, body=None, headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE)
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


async def upload(server, channel, content, name="a.bin", kind="application/octet-stream", **fields):
    body, content_type = form({"message_type": "FILE", **fields}, content, name, kind)
    status, _, answer = await asyncio.to_thread(
        call, server, "POST", f"/v3/open_channels/{channel}/messages", body,
        {"Content-Type": content_type, "Api-Token": server.api_token})
    return status, json.loads(answer)


async def download(server, url, **headers):
    path = urlsplit(url).path
    return await asyncio.to_thread(call, server, "GET", path, None, headers)


async def test_a_form_without_room(ctx):
    """Without room a form with a file gets 507 with a reason, and one without a file is taken."""
    for flag, value in [("--limits-disk-reserve-bytes", 2**50), ("--limits-files-disk-bytes", 1000)]:
        server = await ctx.fresh(*FLAGS, flag, str(value))
        channel, owner = await ctx.room(server, 0)
        status, answer = await upload(server, channel, b"x" * 2000, user_id=owner.user_id)
        assert (status, answer["code"], answer["reason"]) == (507, 500901, "storage_full"), answer
        text = "".join(
            f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in [
                ("message_type", "MESG"), ("user_id", owner.user_id), ("message", "m")])
        text += "--b--\r\n"
        status, _, answer = await asyncio.to_thread(
            call, server, "POST", f"/v3/open_channels/{channel}/messages", text.encode(),
            {"Content-Type": "multipart/form-data; boundary=b", "Api-Token": server.api_token})
        assert status == 200, answer
        assert not any(names for _, _, names in os.walk(os.path.join(server.data, "uploads")))
        await server.end()


async def test_a_file_is_sent_and_comes_back(ctx):
    """An upload reaches the participants as a file message, and the same bytes are downloaded."""
    server = await ctx.fresh(*FLAGS)
    channel, owner, viewer = await ctx.room(server, 1)
    content = os.urandom(3_000_000)
    status, message = await upload(
        server, channel, content, "naïve photo.jpg", "image/jpeg", user_id=owner.user_id,
        message="look at this", data="{}", sorted_metaarray='[{"key": "k", "value": ["v"]}]')
    assert status == 200, message
    assert message["type"] == "FILE" and message["message"] == "look at this"
    assert message["sorted_metaarray"] == [{"key": "k", "value": ["v"]}]
    file = message["file"]
    assert (file["name"], file["type"], file["size"]) == (
        "naïve photo.jpg", "image/jpeg", len(content))
    event = await viewer.event("message.received")
    assert event["message"]["file"] == file
    status, headers, body = await download(server, file["url"])
    assert status == 200 and body == content
    assert headers["Content-Type"] == "image/jpeg"
    assert headers["X-Content-Type-Options"] == "nosniff"
    status, headers, body = await download(server, file["url"], Range="bytes=100-199")
    assert status == 206 and body == content[100:200]
    status, _, body = await download(
        server, file["url"], **{"If-None-Match": headers["ETag"]})
    assert status == 304 and body == b""


async def test_curl_uploads(ctx):
    """What curl sends with -F is a file message, and what it fetches is the file."""
    curl = shutil.which("curl")
    if curl is None:
        raise Skipped("curl is not installed")
    server = await ctx.fresh(*FLAGS)
    channel, owner = await ctx.room(server, 0)
    path = os.path.join(server.data, "..", f"upload-{uuid.uuid4().hex}.txt")
    content = os.urandom(2_000_000)
    with open(path, "wb") as file:
        file.write(content)
    try:
        process = await asyncio.create_subprocess_exec(
            curl, "-s", "-S", "-H", f"Api-Token: {server.api_token}", "-F", "message_type=FILE",
            "-F", f"user_id={owner.user_id}", "-F", f"file=@{path}",
            f"http://127.0.0.1:{server.port}/v3/open_channels/{channel}/messages",
            stdout=asyncio.subprocess.PIPE)
        answer, _ = await process.communicate()
    finally:
        os.remove(path)
    message = json.loads(answer)
    assert message["file"]["size"] == len(content), message
    process = await asyncio.create_subprocess_exec(
        curl, "-s", "-S", message["file"]["url"], stdout=asyncio.subprocess.PIPE)
    fetched, _ = await process.communicate()
    assert fetched == content


async def test_too_large_a_file_is_refused(ctx):
    """A file beyond limits.file_bytes gets 413 and 400111; one of exactly so many is taken."""
    server = await ctx.fresh(*FLAGS, "--limits-file-bytes", "1000")
    channel, owner = await ctx.room(server, 0)
    status, answer = await upload(server, channel, b"x" * 1001, user_id=owner.user_id)
    assert (status, answer["code"]) == (413, 400111), answer
    status, answer = await upload(server, channel, b"x" * 1000, user_id=owner.user_id)
    assert status == 200, answer


async def test_a_file_goes_with_its_message(ctx):
    """A deleted message's file is gone at once, from the interface and then from the disk."""
    server = await ctx.fresh(*FLAGS)
    channel, owner = await ctx.room(server, 0)
    _, message = await upload(server, channel, b"gone soon", user_id=owner.user_id)
    await owner.call("message.delete", channel_url=channel, message_id=message["message_id"])
    status, _, _ = await download(server, message["file"]["url"])
    assert status == 404
    async with asyncio.timeout(DEADLINE):
        while os.listdir(os.path.join(server.data, "files")):
            await asyncio.sleep(0.02)
