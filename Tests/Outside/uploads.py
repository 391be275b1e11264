"""Uploads of users: made on the socket or by tus, filled over HTTP, sent as messages."""

import asyncio
import base64
import hashlib
import http.client
import json
import os
import resource
import shutil
import time
import uuid
from urllib.parse import urlsplit

from files import call, download
from harness import DEADLINE, PATIENCE, Refused, Skipped, scaled

FLAGS = ["--unfurl-mode", "off"]
TUS = {"Tus-Resumable": "1.0.0"}
PIECE = {**TUS, "Content-Type": "application/offset+octet-stream"}


async def create(client, size, **params):
    made = await client.call("file.create", size=size, **params)
    return made["file"], made["upload_url"]


def path(url):
    return urlsplit(url).path


async def request(server, method, url, body=None, **headers):
    fields = {name.replace("_", "-"): text for name, text in headers.items()}
    return await asyncio.to_thread(call, server, method, path(url), body, fields)


async def put(server, url, content, **headers):
    status, fields, body = await request(server, "PUT", url, content, **headers)
    return status, fields, json.loads(body) if body else None


async def patch(server, url, offset, content, **headers):
    fields = {**PIECE, "Upload-Offset": str(offset), **headers}
    return await asyncio.to_thread(call, server, "PATCH", path(url), content, fields)


async def offset(server, url):
    status, fields, _ = await asyncio.to_thread(call, server, "HEAD", path(url), None, TUS)
    return int(fields["Upload-Offset"]) if status == 200 else status


async def refusal_of(waiting):
    try:
        result = await waiting
    except Refused as refusal:
        return refusal
    raise AssertionError(f"not refused: {result}")


def cut(server, url, content, total, method="PUT", headers=None, offset=None):
    """Sends the beginning of a body that is said to be longer, and closes."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE)
    connection.putrequest(method, path(url))
    connection.putheader("Content-Length", str(total))
    for name, text in (headers or {}).items():
        connection.putheader(name, text)
    if offset is not None:
        connection.putheader("Upload-Offset", str(offset))
    connection.endheaders()
    connection.send(content)
    time.sleep(0.1)
    connection.close()


async def until(condition, seconds=DEADLINE):
    end = time.monotonic() + seconds
    while not (found := await condition()):
        assert time.monotonic() < end, "it never came"
        await asyncio.sleep(0.05)
    return found


async def user(ctx, server):
    return await ctx.user(server)


async def test_a_whole_body_becomes_a_message(ctx):
    """PUT completes an upload; its file is sent by its id, and read by anyone in the channel."""
    server = await ctx.fresh(*FLAGS)
    channel, owner, viewer = await ctx.room(server, 1)
    assert owner.session["features"]["files"]["tus"] == "1.0.0"
    content = os.urandom(1_000_000)
    file, url = await create(owner, len(content), name="../a\u202eb/plän.png", type="image/png")
    assert file["status"] == "waiting" and file["offset"] == 0 and file["name"] == "plän.png"
    status, _, answer = await put(server, url, content)
    assert status == 201 and answer["file"]["status"] == "complete", answer
    status, _, again = await put(server, url, content)
    assert status == 200 and again["file"]["file_id"] == file["file_id"]
    sent = await owner.call(
        "message.send", channel_url=channel, message_type="FILE", file_id=file["file_id"],
        message="the plan")
    shown = sent["message"]["file"]
    assert shown["file_id"] == file["file_id"] and shown["size"] == len(content)
    assert (shown["name"], shown["type"], shown["thumbnails"]) == ("plän.png", "image/png", [])
    event = await viewer.event("message.received")
    assert event["message"]["file"] == shown
    status, _, body = await download(server, shown["url"])
    assert status == 200 and body == content


async def test_tus_resumes(ctx):
    """Pieces continue where the upload stands; wrong offsets, versions and types are refused."""
    server = await ctx.fresh(*FLAGS)
    owner = await user(ctx, server)
    content = os.urandom(300_000)
    file, url = await create(owner, len(content))
    assert await offset(server, url) == 0
    status, fields, _ = await patch(server, url, 0, content[:100_000])
    assert (status, fields["Upload-Offset"]) == (204, "100000")
    assert (await owner.call("file.get", file_id=file["file_id"]))["file"]["status"] == "uploading"
    for wrong in (0, 99_999, 100_001, 2**63 - 1):
        status, fields, _ = await patch(server, url, wrong, b"x")
        assert (status, fields["Upload-Offset"]) == (409, "100000"), wrong
    for malformed in ("-0", "-1", "+1", str(2**63), "1.0", ""):
        status, _, _ = await patch(server, url, 0, b"x", **{"Upload-Offset": malformed})
        assert status == 400, malformed
    status, fields, _ = await patch(server, url, 100_000, b"x", **{"Tus-Resumable": "0.2.2"})
    assert (status, fields["Tus-Version"]) == (412, "1.0.0")
    status, _, _ = await patch(server, url, 100_000, b"x", **{"Content-Type": "text/plain"})
    assert status == 415
    status, _, _ = await patch(server, url, 100_000, b"x" * 200_001)
    assert status == 413
    assert await offset(server, url) == 100_000
    await asyncio.to_thread(
        cut, server, url, content[100_000:150_000], 200_000, "PATCH", PIECE, 100_000)
    async def came():
        return await offset(server, url) == 150_000
    await until(came)
    status, fields, _ = await patch(server, url, 150_000, content[150_000:])
    assert (status, fields["Upload-Offset"]) == (204, "300000")
    assert await offset(server, url) == 300_000
    status, _, _ = await patch(server, url, 300_000, b"")
    assert status == 409
    got = (await owner.call("file.get", file_id=file["file_id"]))["file"]
    status, _, body = await download(server, got["url"])
    assert body == content


async def test_a_checksum_that_lies(ctx):
    """A piece with another checksum is dropped with 460; the true one is taken."""
    server = await ctx.fresh(*FLAGS)
    owner = await user(ctx, server)
    _, url = await create(owner, 10)
    true = base64.b64encode(hashlib.sha1(b"12345").digest()).decode()
    status, _, _ = await patch(server, url, 0, b"1234x", **{"Upload-Checksum": f"sha1 {true}"})
    assert status == 460 and await offset(server, url) == 0
    status, _, _ = await patch(server, url, 0, b"12345", **{"Upload-Checksum": f"sha1 {true}"})
    assert status == 204 and await offset(server, url) == 5
    status, _, _ = await patch(server, url, 5, b"12345", **{"Upload-Checksum": "md5 xx"})
    assert status == 400


async def test_bodies_of_another_length(ctx):
    """Too much, too little and chunks that lie are refused; what came of a cut body is kept."""
    server = await ctx.fresh(*FLAGS)
    owner = await user(ctx, server)
    _, url = await create(owner, 100)
    assert (await put(server, url, b"x" * 101))[0] == 413
    assert (await put(server, url, b"x" * 99))[0] == 400
    assert (await put(server, url, b""))[0] == 400
    assert (await put(server, url, iter([b"x" * 50, b"x" * 51])))[0] == 413
    status, _, answer = await put(server, url, iter([b"x" * 40, b"x" * 20]))
    assert status == 400 and await offset(server, url) == 60
    status, _, answer = await put(server, url, iter([b"y" * 50, b"y" * 50]))
    assert status == 201 and answer["file"]["size"] == 100


async def test_two_writers(ctx):
    """While one request writes, another gets 423, whatever its offset."""
    server = await ctx.fresh(*FLAGS)
    owner = await user(ctx, server)
    _, url = await create(owner, 100)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE)
    connection.putrequest("PUT", path(url))
    connection.putheader("Content-Length", "100")
    connection.endheaders()
    connection.send(b"x" * 10)
    async def is_locked():
        return (await patch(server, url, 7, b"x"))[0] == 423
    await until(is_locked)
    connection.send(b"x" * 90)
    assert connection.getresponse().status == 201


async def test_cancelling(ctx):
    """file.cancel ends an upload in the middle of a request; the second time it answers false."""
    server = await ctx.fresh(*FLAGS)
    owner, other = await user(ctx, server), await user(ctx, server)
    file, url = await create(owner, 100)
    refusal = await refusal_of(other.call("file.cancel", file_id=file["file_id"]))
    assert refusal.code == 400201
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE)
    connection.putrequest("PUT", path(url))
    connection.putheader("Content-Length", "100")
    connection.endheaders()
    connection.send(b"x" * 10)
    async def is_locked():
        return (await patch(server, url, 7, b"x"))[0] == 423
    await until(is_locked)
    assert (await owner.call("file.cancel", file_id=file["file_id"]))["cancelled"] is True
    assert connection.getresponse().status == 410
    assert (await owner.call("file.cancel", file_id=file["file_id"]))["cancelled"] is False
    assert (await owner.call("file.get", file_id=file["file_id"]))["file"]["status"] == "cancelled"
    assert (await owner.call("file.list"))["files"] == []
    assert await offset(server, url) == 410
    assert (await put(server, url, b"x" * 100))[0] == 410
    assert await offset(server, url + "x") == 404
    file, url = await create(owner, 3)
    assert (await request(server, "DELETE", url))[0] == 204
    assert (await request(server, "DELETE", url))[0] == 410


async def test_wrong_parameters(ctx):
    """Each wrong parameter of file.create has its code."""
    server = await ctx.fresh(*FLAGS, "--limits-file-bytes", "1000")
    owner = await user(ctx, server)
    for params, code in [
        ({}, 400105), ({"size": -1}, 400106), ({"size": 0}, 400113), ({"size": "1"}, 400101),
        ({"size": 1001}, 400111), ({"size": 1, "name": "x" * 256}, 400110),
        ({"size": 1, "type": "x" * 129}, 400110),
        ({"size": 1, "thumbnail_sizes": [{"max_width": 1, "max_height": 2001}]}, 400113),
        ({"size": 1, "thumbnail_sizes": [{"max_width": 1, "max_height": 1}] * 4}, 400203),
        ({"size": 1, "message": {"channel_url": "lobby", "url": "http://a.b/c"}}, 400920),
        ({"size": 1, "message": {}}, 400105),
    ]:
        refusal = await refusal_of(owner.call("file.create", **params))
        assert refusal.code == code, (params, refusal)


async def test_files_in_messages(ctx):
    """A message has a url or a file_id, of the sender's own and complete."""
    server = await ctx.fresh(*FLAGS)
    channel, owner, other = await ctx.room(server, 1)
    file, url = await create(owner, 3)

    def send(client, **params):
        return client.call("message.send", channel_url=channel, **params)

    for client, params, code in [
        (owner, {"message_type": "FILE", "file_id": file["file_id"]}, 400920),
        (owner, {"message_type": "FILE", "file_id": "0" * 32}, 400201),
        (owner, {"message_type": "FILE", "file_id": "../x"}, 400201),
        (owner, {"message_type": "FILE", "file_id": file["file_id"], "url": "http://a.b/"}, 400920),
        (owner, {"message_type": "FILE"}, 400105),
        (owner, {"message": "x", "file_id": file["file_id"]}, 400920),
        (other, {"message_type": "FILE", "file_id": file["file_id"]}, 400201),
    ]:
        refusal = await refusal_of(send(client, **params))
        assert refusal.code == code, (params, refusal)
    assert (await put(server, url, b"abc"))[0] == 201
    refusal = await refusal_of(send(other, message_type="FILE", file_id=file["file_id"]))
    assert refusal.code == 400201
    first = await send(owner, message_type="FILE", file_id=file["file_id"])
    second = await send(
        owner, message_type="FILE", file_id=file["file_id"], file_name="other.txt",
        file_type="text/plain")
    assert second["message"]["file"]["name"] == "other.txt"
    address = first["message"]["file"]["url"]
    assert (await request(server, "DELETE", url))[0] == 403
    await owner.call(
        "message.delete", channel_url=channel, message_id=first["message"]["message_id"])
    assert (await download(server, address))[0] == 200
    await owner.call(
        "message.delete", channel_url=channel, message_id=second["message"]["message_id"])
    assert (await download(server, address))[0] == 404
    refusal = await refusal_of(send(owner, message_type="FILE", file_id=file["file_id"]))
    assert refusal.code == 400201


async def test_several_files_in_one_call(ctx):
    """Each of twenty is judged by itself; five go out, and the others say when they may."""
    server = await ctx.fresh(*FLAGS, "--limits-uploads-per-second", "0")
    channel, owner, viewer = await ctx.room(server, 1)
    files = []
    for number in range(7):
        file, url = await create(owner, 1, name=f"{number}.bin")
        assert (await put(server, url, b"x"))[0] == 201
        files.append({"file_id": file["file_id"], "req_id": f"r{number}"})
    results = (await owner.call("message.send_files", channel_url=channel, files=files))["results"]
    assert [("message" in result) for result in results] == [True] * 5 + [False] * 2, results
    assert all(result["error"]["code"] == 900200 for result in results[5:])
    assert all(result["error"]["data"]["retry_after_ms"] > 0 for result in results[5:])
    await asyncio.sleep(1.1)
    rest = await owner.call("message.send_files", channel_url=channel, files=files[5:])
    assert all("message" in result for result in rest["results"]), rest
    again = (await owner.call("message.send_files", channel_url=channel, files=files[:2]))["results"]
    assert [r["message"]["message_id"] for r in again] == [
        r["message"]["message_id"] for r in results[:2]]
    for params, code in [
        ({"files": []}, 400111), ({}, 400105), ({"files": files * 3}, 400203),
        ({"files": [1]}, 400103),
    ]:
        refusal = await refusal_of(owner.call("message.send_files", channel_url=channel, **params))
        assert refusal.code == code, (params, refusal)
    outsider = await user(ctx, server)
    refusal = await refusal_of(
        outsider.call("message.send_files", channel_url=channel, files=files[:1]))
    assert refusal.code == 900020


async def test_the_server_sends_the_message(ctx):
    """An upload with a message is sent when it is complete, with the socket closed."""
    server = await ctx.fresh(*FLAGS)
    channel, owner, viewer = await ctx.room(server, 1)
    file, url = await create(
        owner, 5, name="a.txt", type="text/plain",
        message={"channel_url": channel, "message": "later", "data": "d"})
    await owner.leave()
    status, _, answer = await put(server, url, b"hello")
    assert status == 201 and answer["message"]["message"] == "later", answer
    assert answer["message"]["file"]["file_id"] == file["file_id"] and answer["seq"] > 0
    event = await viewer.event("message.received")
    assert event["message"]["message_id"] == answer["message"]["message_id"]
    assert event["message"]["req_id"] == ""
    status, _, again = await put(server, url, b"hello")
    assert status == 200 and again["message"] == answer["message"]
    back = await ctx.user(server, owner.user_id)
    got = (await back.call("file.get", file_id=file["file_id"]))["file"]
    assert got["message_id"] == answer["message"]["message_id"]


async def test_a_message_that_is_refused_keeps_the_file(ctx):
    """A sender who is muted at completion gets the error with the file, which is kept."""
    server = await ctx.fresh(*FLAGS)
    channel, owner, other = await ctx.room(server, 1)
    file, url = await create(other, 5, message={"channel_url": channel})
    await owner.call("channel.mute", channel_url=channel, user_id=other.user_id)
    status, fields, _ = await patch(server, url, 0, b"hello")
    assert (status, fields["Parley-Error"]) == (204, "900041")
    status, _, answer = await put(server, url, b"hello")
    assert status == 200 and answer["error"]["code"] == 900041
    got = (await other.call("file.get", file_id=file["file_id"]))["file"]
    assert got["status"] == "complete" and got["error"]["code"] == 900041


async def test_creation_by_tus(ctx):
    """POST /v1/files makes an upload, with its first piece or without, for a user with a token."""
    server = await ctx.fresh(*FLAGS, "--auth-mode", "token")
    status, _, made = await asyncio.to_thread(
        call, server, "POST", "/v3/users",
        json.dumps({"user_id": "tus", "nickname": "", "profile_url": "",
                    "issue_access_token": True}),
        {"Api-Token": server.api_token})
    token = json.loads(made)["access_token"]
    name = base64.b64encode("a b.txt".encode()).decode()
    fields = {**TUS, "Authorization": f"Bearer {token}", "Parley-User": "tus",
              "Upload-Length": "5", "Upload-Metadata": f"filename {name}"}

    def post(body=None, **more):
        return asyncio.to_thread(call, server, "POST", "/v1/files", body, {**fields, **more})

    status, answered, _ = await post()
    assert status == 201
    url = answered["Location"]
    assert await offset(server, url) == 0
    status, stated, _ = await asyncio.to_thread(call, server, "HEAD", path(url), None, TUS)
    assert stated["Upload-Metadata"] == f"filename {name}", stated
    assert stated["Upload-Expires"] == answered["Upload-Expires"], stated
    status, fields_of_piece, _ = await patch(server, url, 0, b"he")
    assert fields_of_piece["Upload-Expires"] == answered["Upload-Expires"], fields_of_piece
    status, answered, _ = await post(b"hel", **{"Content-Type": PIECE["Content-Type"]})
    assert (status, answered["Upload-Offset"]) == (201, "3"), (status, answered)
    assert answered["Upload-Expires"], answered
    assert (await patch(server, answered["Location"], 3, b"lo"))[0] == 204
    assert (await post(**{"Authorization": "Bearer wrong"}))[0] == 401
    assert (await post(**{"Upload-Length": str(10**12)}))[0] == 413
    assert (await post(**{"Upload-Length": "0"}))[0] == 400
    assert (await post(**{"Upload-Length": "-1"}))[0] == 400
    assert (await post(**{"Tus-Resumable": "1"}))[0] == 412


async def test_pages_of_other_origins(ctx):
    """OPTIONS says what there is; a page of any origin may upload, without credentials."""
    server = await ctx.fresh(*FLAGS)
    owner = await user(ctx, server)
    _, url = await create(owner, 3)
    status, fields, _ = await request(
        server, "OPTIONS", url, Origin="https://a.example",
        Access_Control_Request_Method="PATCH")
    assert status == 204 and fields["Tus-Version"] == "1.0.0"
    assert fields["Tus-Extension"] == "creation,creation-with-upload,expiration,checksum,termination"
    assert fields["Access-Control-Allow-Origin"] == "*"
    assert "PATCH" in fields["Access-Control-Allow-Methods"]
    assert "Access-Control-Allow-Credentials" not in fields
    status, fields, _ = await request(
        server, "POST", url, b"abc", Origin="https://a.example",
        X_HTTP_Method_Override="PATCH", Upload_Offset="0", Tus_Resumable="1.0.0",
        Content_Type=PIECE["Content-Type"])
    assert status == 204
    for name in ("Upload-Offset", "Upload-Expires", "Upload-Metadata"):
        assert name in fields["Access-Control-Expose-Headers"], (name, fields)
    assert (await request(server, "GET", url))[0] == 405


async def test_bounds_of_a_user(ctx):
    """Unfinished uploads, creations and bytes of a user are bounded; a repetition is none of them."""
    server = await ctx.fresh(
        *FLAGS, "--limits-uploads-per-user", "2", "--limits-uploads-per-second", "0",
        "--limits-user-file-bytes", "100")
    owner = await user(ctx, server)
    file, url = await create(owner, 40, req_id="r1")
    again, same = await create(owner, 40, req_id="r1")
    assert (again["file_id"], same) == (file["file_id"], url)
    refusal = await refusal_of(owner.call("file.create", size=61))
    assert refusal.code == 400203 and refusal.data["scope"] == "user_files"
    await create(owner, 1)
    refusal = await refusal_of(owner.call("file.create", size=1))
    assert refusal.code == 400203
    assert len((await owner.call("file.list"))["files"]) == 2
    fast = await ctx.fresh(*FLAGS, "--limits-uploads-per-second", "2")
    owner = await user(ctx, fast)
    for _ in range(2):
        await create(owner, 1)
    refusal = await refusal_of(owner.call("file.create", size=1))
    assert refusal.code == 500910 and 0 < refusal.data["retry_after_ms"] <= 1000


async def test_refused_creations_count(ctx):
    """A user who goes on creating when there is no room is slowed down; others are not."""
    server = await ctx.fresh(
        *FLAGS, "--limits-uploads-per-user", "1", "--limits-uploads-per-second", "2")
    owner, other = await user(ctx, server), await user(ctx, server)
    await create(owner, 1)
    refusals = await asyncio.gather(
        *(refusal_of(owner.call("file.create", size=1)) for _ in range(60)))
    codes = {refusal.code for refusal in refusals}
    assert codes == {400203, 500910}, codes
    slowed = [refusal for refusal in refusals if refusal.code == 500910]
    assert all(refusal.data["scope"] == "uploads" for refusal in slowed)
    assert len(slowed) > 30, len(slowed)
    await create(other, 1)


async def test_a_repetition_of_what_is_gone(ctx):
    """A creation is not repeated for a file that has gone with its message: 400201."""
    server = await ctx.fresh(*FLAGS)
    channel, owner = await ctx.room(server, 0)
    file, url = await create(owner, 3, req_id="r1")
    assert (await put(server, url, b"abc"))[0] in (200, 201, 204)
    sent = await owner.call(
        "message.send", channel_url=channel, message_type="FILE", file_id=file["file_id"])
    again, same = await create(owner, 3, req_id="r1")
    assert (again["file_id"], again["status"], same) == (file["file_id"], "complete", url)
    await owner.call(
        "message.delete", channel_url=channel, message_id=sent["message"]["message_id"])
    refusal = await refusal_of(owner.call("file.create", size=3, req_id="r1"))
    assert refusal.code == 400201, refusal
    assert (await refusal_of(owner.call("file.get", file_id=file["file_id"]))).code == 400201


async def test_a_full_disk(ctx):
    """Without room an upload gets 507 with a reason, and can go on later; the server stays ready."""
    server = await ctx.fresh(*FLAGS, "--limits-disk-reserve-bytes", str(2**50))
    owner = await user(ctx, server)
    _, url = await create(owner, 3)
    status, _, answer = await put(server, url, b"abc")
    assert (status, answer["code"], answer["reason"]) == (507, 500901, "storage_full")
    assert (await server.get("/readyz"))[0] == 200
    assert await offset(server, url) == 0


async def test_the_room_of_all_files(ctx):
    """limits.files_disk_bytes holds for PUT and tus, from the start on; small pieces do not use it up."""
    data, flags = ctx.directory(), [*FLAGS, "--limits-files-disk-bytes", "10000"]
    server = await ctx.fresh(*flags, data=data)
    owner, other = await user(ctx, server), await user(ctx, server)
    _, large = await create(owner, 9_000)
    for number in range(20):
        assert (await patch(server, large, number, b"x"))[0] == 204, number
    _, url = await create(other, 9_000)
    status, _, answer = await put(server, url, b"y" * 9_000)
    assert status == 201, answer

    async def is_refused(server):
        status, _, answer = await put(server, large, b"x" * 9_000)
        assert (status, answer["code"], answer["reason"]) == (507, 500901, "storage_full"), answer
        status, _, body = await patch(server, large, 20, b"x")
        assert (status, json.loads(body)["reason"]) == (507, "storage_full"), body
        assert await offset(server, large) == 20
    await is_refused(server)
    _, small = await create(other, 900)
    assert (await put(server, small, b"z" * 900))[0] == 201
    await server.kill()
    server = await ctx.fresh(*flags, data=data)
    await is_refused(server)


async def test_room_is_shared(ctx):
    """A user who begins many uploads and sends little leaves the room to others."""
    server = await ctx.fresh(
        *FLAGS, "--limits-files-disk-bytes", "40000000", "--limits-uploads-per-second", "0",
        "--limits-file-bytes", "20000000")
    hog, other = await user(ctx, server), await user(ctx, server)
    connections = []
    for _ in range(20):
        _, url = await create(hog, 20_000_000)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE)
        connection.putrequest("PUT", path(url))
        connection.putheader("Content-Length", "20000000")
        connection.endheaders(b"x")
        connections.append((connection, url))

    async def has_begun():
        # Whoever else wants to write is refused: the request has its claim.
        return any([(await patch(server, url, 0, b"x"))[0] in (409, 423)
                    for _, url in connections])
    await until(has_begun)
    content = os.urandom(15_000_000)
    _, url = await create(other, len(content))
    status, _, answer = await put(server, url, content)
    assert status == 201, answer
    _, url = await create(other, 20_000_000)
    assert (await put(server, url, b"y" * 20_000_000))[0] == 201
    # What cannot fit is refused before it comes.
    _, url = await create(other, 6_000_000)
    assert (await put(server, url, b"y" * 6_000_000))[0] == 507
    for connection, _ in connections:
        connection.close()


def send_bytes(server, urls):
    """Sends a piece of one byte to each upload before any answer is read; the answers."""
    connections = []
    for url in urls:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE)
        connection.request("PATCH", path(url), b"x", {**PIECE, "Upload-Offset": "0"})
        connections.append(connection)
    answers = []
    for connection in connections:
        answer = connection.getresponse()
        answers.append((answer.status, dict(answer.getheaders()), answer.read()))
        connection.close()
    return answers


async def test_small_pieces(ctx):
    """Small pieces of a user are slowed down, and refused when many come at once; others go on."""
    server = await ctx.fresh(
        *FLAGS, "--limits-calls-per-second", "0", "--limits-uploads-per-second", "0",
        "--limits-uploads-per-user", "0", "--limits-uploads-per-minute", "0")
    owner, other = await user(ctx, server), await user(ctx, server)
    _, url = await create(owner, 1_000)
    begin = time.monotonic()
    for number in range(200):
        assert (await patch(server, url, number, b"x"))[0] == 204, number
    elapsed = time.monotonic() - begin
    assert elapsed > 1.5, elapsed
    # Without bytes nothing is written, which is not limited.
    for _ in range(50):
        status, fields, _ = await patch(server, url, 200, b"")
        assert (status, fields["Upload-Offset"]) == (204, "200")
        assert fields["Upload-Expires"], fields
    assert (await patch(server, url, 199, b""))[0] == 409
    urls = [(await create(owner, 10))[1] for _ in range(400)]
    _, free = await create(other, 10)
    waiting = asyncio.create_task(asyncio.to_thread(send_bytes, server, urls))
    begin = time.monotonic()
    assert (await patch(server, free, 0, b"x"))[0] == 204
    assert time.monotonic() - begin < 2 * PATIENCE
    answers = await waiting
    statuses = {status for status, _, _ in answers}
    assert statuses == {204, 429}, statuses
    _, fields, body = next(answer for answer in answers if answer[0] == 429)
    error = json.loads(body)
    assert (error["code"], error["scope"]) == (500910, "upload_requests"), error
    assert int(fields["Retry-After"]) >= 1, fields
    refused = next(url for url, answer in zip(urls, answers) if answer[0] == 429)
    assert await offset(server, refused) == 0
    await asyncio.sleep(int(fields["Retry-After"]))
    assert (await patch(server, refused, 0, b"x"))[0] == 204


async def test_methods_by_another_name(ctx):
    """X-HTTP-Method-Override counts for each method, also before the body is looked at."""
    server = await ctx.fresh(*FLAGS)
    owner = await user(ctx, server)
    _, url = await create(owner, 6)

    def post(method, body=None, **fields):
        return asyncio.to_thread(
            call, server, "POST", path(url), body, {"X-HTTP-Method-Override": method, **fields})

    status, fields, _ = await post("HEAD", **TUS)
    assert (status, fields["Upload-Offset"], fields["Upload-Length"]) == (200, "0", "6")
    status, fields, _ = await post("PATCH", b"abc", **PIECE, **{"Upload-Offset": "0"})
    assert (status, fields["Upload-Offset"]) == (204, "3")
    status, _, _ = await post("PATCH", b"abc", **PIECE, **{"Upload-Offset": "0"})
    assert status == 409
    status, fields, _ = await post("OPTIONS")
    assert (status, fields["Tus-Version"]) == (204, "1.0.0")
    for name in ("GET", "patch", "BREW", ""):
        assert (await post(name, b"abc", **PIECE, **{"Upload-Offset": "3"}))[0] == 405, name
    assert (await post("PUT", b"uvwxyz"))[0] == 201
    assert (await request(server, "PATCH", url, b"", X_HTTP_Method_Override="DELETE"))[0] == 204
    assert await offset(server, url) == 410


async def test_the_answer_of_a_put_is_the_state(ctx):
    """The answer of a PUT shows the file as file.get does, with the time at which it now expires."""
    server = await ctx.fresh(*FLAGS, "--limits-upload-retention-seconds", "60")
    owner = await user(ctx, server)
    file, url = await create(owner, 5)
    await asyncio.sleep(0.05)
    status, _, answer = await put(server, url, b"hello")
    assert status == 201 and answer["file"]["expires_at"] > file["expires_at"], (file, answer)
    got = (await owner.call("file.get", file_id=file["file_id"]))["file"]
    assert answer["file"] == got


async def test_expiry(ctx):
    """What is unfinished, or in no message, goes when its time is over."""
    server = await ctx.fresh(*FLAGS, "--limits-upload-retention-seconds", scaled(2))
    channel, owner = await ctx.room(server, 0)
    _, unfinished = await create(owner, 3)
    stray, url = await create(owner, 3)
    assert (await put(server, url, b"abc"))[0] == 201
    kept, url2 = await create(owner, 3)
    assert (await put(server, url2, b"abc"))[0] == 201
    address = (await owner.call("file.get", file_id=stray["file_id"]))["file"]["url"]
    sent = await owner.call(
        "message.send", channel_url=channel, message_type="FILE", file_id=kept["file_id"])
    async def is_gone():
        return await offset(server, unfinished) == 410 and (await download(server, address))[0] == 404
    await until(is_gone)
    refusal = await refusal_of(owner.call("file.get", file_id=stray["file_id"]))
    assert refusal.code == 400201
    assert (await download(server, sent["message"]["file"]["url"]))[0] == 200
    async def is_empty():
        return not os.listdir(os.path.join(server.data, "partial"))
    await until(is_empty)


async def test_a_killed_server_keeps_what_it_said(ctx):
    """What HEAD has said is there after kill -9, at any byte; the file is the one that was sent."""
    data = ctx.directory()
    server = await ctx.fresh(*FLAGS, data=data)
    owner = await user(ctx, server)
    content = os.urandom(2_000_000)
    file, url = await create(owner, len(content))
    done = 0
    for step in (1, 65_537, 300_000, 800_001):
        await asyncio.to_thread(
            cut, server, url, content[done:done + step], len(content) - done, "PATCH", PIECE, done)
        async def moved():
            return await offset(server, url) > done
        await until(moved)
        said = await offset(server, url)
        # Another piece is under way when the server dies.
        rest = len(content) - said
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE)
        connection.putrequest("PATCH", path(url))
        for name, text in {**PIECE, "Upload-Offset": said, "Content-Length": rest}.items():
            connection.putheader(name, str(text))
        connection.endheaders()
        connection.send(content[said:said + 50_000])
        await server.kill()
        server = await ctx.fresh(*FLAGS, data=data)
        done = await offset(server, url)
        assert done >= said, (done, said)
    status, _, _ = await patch(server, url, done, content[done:])
    assert status == 204
    owner = await ctx.user(server, owner.user_id)
    got = (await owner.call("file.get", file_id=file["file_id"]))["file"]
    status, _, body = await download(server, got["url"])
    assert body == content


async def test_curl_uploads(ctx):
    """curl -T uploads a file whole."""
    curl = shutil.which("curl")
    if curl is None:
        raise Skipped("curl is not installed")
    server = await ctx.fresh(*FLAGS)
    owner = await user(ctx, server)
    content = os.urandom(5_000_000)
    name = os.path.join(ctx.root, uuid.uuid4().hex)
    with open(name, "wb") as file:
        file.write(content)
    _, url = await create(owner, len(content))
    process = await asyncio.create_subprocess_exec(
        curl, "-s", "-S", "-T", name, url, stdout=asyncio.subprocess.PIPE)
    answer, _ = await process.communicate()
    assert json.loads(answer)["file"]["status"] == "complete", answer


async def test_tuspy_uploads(ctx):
    """The Python client of tus makes an upload and sends it in pieces, and resumes it after a kill."""
    from tusclient.client import TusClient
    data = ctx.directory()
    server = await ctx.fresh(*FLAGS, data=data)
    content = os.urandom(1_000_000)
    name = os.path.join(ctx.root, uuid.uuid4().hex)
    with open(name, "wb") as file:
        file.write(content)
    tus = TusClient(f"http://127.0.0.1:{server.port}/v1/files", headers={"Parley-User": "tuspy"})
    uploader = tus.uploader(name, chunk_size=100_000, metadata={"filename": "a.bin"})
    await asyncio.to_thread(uploader.upload, stop_at=300_000)
    url = uploader.url
    await server.kill()
    server = await ctx.fresh(*FLAGS, data=data)
    moved = f"http://127.0.0.1:{server.port}{path(url)}"
    rest = tus.uploader(name, chunk_size=100_000, url=moved)
    assert await asyncio.to_thread(rest.get_offset) == 300_000
    await asyncio.to_thread(rest.upload)
    owner = await ctx.user(server, "tuspy")
    listed = (await owner.call("file.list"))["files"]
    assert [(f["name"], f["status"]) for f in listed] == [("a.bin", "complete")]
    status, _, body = await download(server, listed[0]["url"])
    assert body == content


async def test_a_disk_that_fills_up_in_the_middle(ctx):
    """The write that finds no room ends with 507; what was recorded stays, and goes on with room."""
    server = await ctx.fresh(*FLAGS)
    owner = await user(ctx, server)
    content = os.urandom(20_000_000)
    file, url = await create(owner, len(content))
    limits = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (12_000_000, limits[1]))
    try:
        status, _, answer = await put(server, url, content)
        assert (status, answer["code"], answer["reason"]) == (507, 500901, "storage_full")
        assert (await server.get("/readyz"))[0] == 200
        # Messages and small files go on meanwhile.
        _, small = await create(owner, 3)
        assert (await put(server, small, b"abc"))[0] == 201
    finally:
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, limits)
    done = await offset(server, url)
    assert 0 <= done <= 12_000_000
    status, _, _ = await patch(server, url, done, content[done:])
    assert status == 204
    got = (await owner.call("file.get", file_id=file["file_id"]))["file"]
    assert (await download(server, got["url"]))[2] == content


async def test_a_slow_loris(ctx):
    """A body that pauses gets 408, and what came of it is kept; others are served meanwhile."""
    server = await ctx.fresh(*FLAGS, "--limits-head-timeout-ms", "1000")
    owner = await user(ctx, server)
    made = [(await create(owner, 1_000))[1] for _ in range(3)]
    connections = []
    for url in made:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE)
        connection.putrequest("PATCH", path(url))
        for name, text in {**PIECE, "Upload-Offset": 0, "Content-Length": 1_000}.items():
            connection.putheader(name, str(text))
        connection.endheaders()
        connection.send(b"x" * 7)
        connections.append(connection)
    _, url = await create(owner, 3)
    assert (await put(server, url, b"abc"))[0] == 201
    for connection, url in zip(connections, made):
        assert (await asyncio.to_thread(connection.getresponse)).status == 408
        # It is recorded before the answer.
        assert await offset(server, url) == 7
        status, fields, _ = await patch(server, url, 7, b"x" * 993)
        assert (status, fields["Upload-Offset"]) == (204, "1000")


async def test_an_upload_that_is_terminated_while_it_is_written(ctx):
    """DELETE during a PATCH ends both: 204 for the one, 410 for the other."""
    server = await ctx.fresh(*FLAGS)
    owner = await user(ctx, server)
    _, url = await create(owner, 100)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE)
    connection.putrequest("PATCH", path(url))
    for name, text in {**PIECE, "Upload-Offset": 0, "Content-Length": 100}.items():
        connection.putheader(name, str(text))
    connection.endheaders()
    connection.send(b"x" * 10)

    async def is_locked():
        return (await patch(server, url, 7, b"x"))[0] == 423
    await until(is_locked)
    assert (await request(server, "DELETE", url))[0] == 204
    assert (await asyncio.to_thread(connection.getresponse)).status == 410
    assert await offset(server, url) == 410

    async def is_empty():
        return not os.listdir(os.path.join(server.data, "partial"))
    await until(is_empty)


async def test_ten_thousand_creations(ctx):
    """A user who creates without end gets 20 uploads; the others are refused, and nobody waits."""
    server = await ctx.fresh(
        *FLAGS, "--limits-calls-per-second", "0", "--limits-uploads-per-second", "0",
        "--limits-uploads-per-minute", "0")
    owner, other = await user(ctx, server), await user(ctx, server)

    async def attempt():
        try:
            await create(owner, 1)
            return None
        except Refused as refusal:
            return refusal.code

    slowest, outcomes = 0, []
    for _ in range(100):
        batch = asyncio.gather(*(attempt() for _ in range(100)))
        begin = time.monotonic()
        await other.call("session.ping")
        slowest = max(slowest, time.monotonic() - begin)
        outcomes += await batch
    assert outcomes.count(None) == 20 and outcomes.count(400203) == 9_980, set(outcomes)
    assert slowest < 2 * PATIENCE, slowest
    assert len((await owner.call("file.list", limit=100))["files"]) == 20


async def test_senders_without_a_right_at_completion(ctx):
    """Ban, freeze and deactivation count when the upload is complete; a deactivated user's is gone."""
    server = await ctx.fresh(*FLAGS)
    channel, owner, banned, frozen, gone = await ctx.room(server, 3)
    made = {}
    for sender in (banned, frozen, gone):
        made[sender] = await create(sender, 5, message={"channel_url": channel})
    await owner.call("channel.ban", channel_url=channel, user_id=banned.user_id)
    status, _, answer = await put(server, made[banned][1], b"hello")
    assert (status, answer["error"]["code"]) == (201, 400750)
    await owner.call("channel.freeze", channel_url=channel)
    status, _, answer = await put(server, made[frozen][1], b"hello")
    assert (status, answer["error"]["code"]) == (201, 900050)
    await owner.call("channel.unfreeze", channel_url=channel)
    status, _, again = await put(server, made[frozen][1], b"hello")
    assert (status, again["error"]["code"]) == (200, 900050)
    for is_active in (False, True):
        body = json.dumps({"is_active": is_active})
        status, _, _ = await asyncio.to_thread(
            call, server, "PUT", f"/v3/users/{gone.user_id}", body,
            {"Api-Token": server.api_token})
        assert status == 200
        # The address stays dead when the user is active again.
        assert (await put(server, made[gone][1], b"hello"))[0] in (404, 410), is_active
        assert await offset(server, made[gone][1]) in (404, 410), is_active
    listed = await owner.call("message.list", channel_url=channel, prev_limit=10)
    assert listed["messages"] == []


async def test_a_user_who_is_deleted_in_the_middle(ctx):
    """A PUT that is under way when its user is deleted or deactivated leaves no file, and 410."""
    server = await ctx.fresh(*FLAGS)
    for method, body in [("DELETE", None), ("PUT", json.dumps({"is_active": False}))]:
        owner = await user(ctx, server)
        file, url = await create(owner, 100)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE)
        connection.putrequest("PUT", path(url))
        connection.putheader("Content-Length", "100")
        connection.endheaders()
        connection.send(b"x" * 10)

        async def is_locked():
            return (await patch(server, url, 7, b"x"))[0] == 423
        await until(is_locked)
        status, _, _ = await asyncio.to_thread(
            call, server, method, f"/v3/users/{owner.user_id}", body,
            {"Api-Token": server.api_token})
        assert status == 200, status
        connection.send(b"x" * 90)
        answer = await asyncio.to_thread(connection.getresponse)
        assert answer.status == 410, answer.status
        assert await offset(server, url) in (404, 410)
        status, _, _ = await asyncio.to_thread(
            call, server, "GET", f"/v3/parley/files/{file['file_id']}", None,
            {"Api-Token": server.api_token})
        assert status in (400, 404), status


async def test_a_chat_sends_files(ctx):
    """parley chat sends the files that its input names, in order, and says which it can't read."""
    server = await ctx.fresh(*FLAGS)
    channel, owner = await ctx.room(server, 0)
    folder, content = ctx.directory(), os.urandom(700_000)
    for name in ("a plan.png", "b.bin"):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
    lines = f"/file {folder}/a plan.png\nbetween\n/file {folder}/none\n/file {folder}/b.bin\n"
    status, output, errors = await ctx.run(
        ctx.parley, "chat", channel, "--user", ctx.name("user"), "--server",
        f"http://127.0.0.1:{server.port}", stdin=lines.encode())
    assert status == 0, errors
    assert b"none not sent" in output and b"No such file" in output, output
    listed = (await owner.call("message.list", channel_url=channel, prev_limit=10))["messages"]
    assert [m["file"]["name"] if m["file"] else m["message"] for m in listed] == [
        "a plan.png", "between", "b.bin"]
    assert listed[0]["file"]["type"] == "image/png"
    for message in (listed[0], listed[2]):
        assert (await download(server, message["file"]["url"]))[2] == content


async def test_the_id_of_a_deleted_user(ctx):
    """A user under the id of a deleted one has its messages and files, but not its profile, bans and roles."""
    server = await ctx.fresh(*FLAGS)
    channel, owner = await ctx.room(server, 0)
    ada = await ctx.user(server, nickname="Ada")
    await ada.enter(channel)
    own = (await ada.send(channel, "mine"))["message"]
    await owner.call("channel.update", channel_url=channel, operator_ids=[owner.user_id, ada.user_id])
    _, url = await create(
        ada, 3, name="a.txt", type="text/plain", message={"channel_url": channel})
    status, _, whole = await put(server, url, b"abc")
    assert status == 201, status
    await create(ada, 3, name="unsent.txt")
    assert (await server.api("DELETE", f"/users/{ada.user_id}"))[0] == 200
    assert await ada.ended() == 4002
    again = await ctx.user(server, ada.user_id)
    assert again.session["user"]["nickname"] == "", again.session
    assert (await download(server, whole["file"]["url"]))[0] == 200
    assert (await again.call("file.list"))["files"] == []
    changed = await again.call(
        "message.update", channel_url=channel, message_id=own["message_id"],
        message="still mine")
    assert changed["message"]["message"] == "still mine", changed
    theirs = await owner.send(channel, "theirs")
    assert (await refusal_of(again.call(
        "message.update", channel_url=channel, message_id=theirs["message"]["message_id"],
        message="taken"))).code == 400108
