"""Places of files beside data_dir: a directory that servers share, and buckets of S3.

The bucket is moto's, which checks each signature as Amazon does.
"""

import asyncio
import contextlib
import http.client
import http.server
import json
import os
import shutil
import socket
import subprocess
import sys
import threading

import boto3
import uploads
from files import FLAGS, call, download, upload
from harness import DEADLINE, Skipped, eventually, http as plain_http, lasting, reserved_port
from sealing import key, read

POLICY = {"Version": "2012-10-17",
          "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}


class S3Server:
    """A moto_server, which keeps everything in memory."""

    def __init__(self):
        self.port = reserved_port()
        self.process = subprocess.Popen(
            [os.path.join(os.path.dirname(sys.executable), "moto_server"), "-H", "127.0.0.1",
             "-p", str(self.port)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    @classmethod
    async def start(cls):
        server = cls()
        try:
            await eventually(server.answers, "the S3 server")
        except BaseException:
            await server.end()
            raise
        return server

    async def answers(self):
        assert self.is_alive(), f"moto_server ended with {self.process.returncode}"
        with contextlib.suppress(OSError):
            return (await plain_http(self.port, "GET", "/moto-api/data.json"))[0] == 200

    def is_alive(self):
        return self.process.poll() is None

    async def end(self):
        self.process.kill()
        self.process.wait()

    async def reset(self, count):
        """Forgets everything; the next requests, this many, are not authenticated."""
        for path, body in (("reset", b""), ("reset-auth", str(count).encode())):
            status, _, answer = await plain_http(
                self.port, "POST", f"/moto-api/{path}", {"Content-Length": len(body)}, body)
            assert status == 200, answer


class Bucket:
    """An S3 server with one bucket and one key for it."""

    def __init__(self, server):
        self.process = server.process
        self.endpoint = f"http://127.0.0.1:{server.port}"
        self.key = self.secret = "none"

    @classmethod
    @contextlib.asynccontextmanager
    async def running(cls):
        server = await lasting(S3Server.start)
        # Nothing is checked until the user with the key is there.
        await server.reset(3)
        bucket = cls(server)
        await asyncio.to_thread(bucket.prepare)
        yield bucket

    def client(self, service):
        return boto3.client(
            service, endpoint_url=self.endpoint, region_name="eu-north-1",
            aws_access_key_id=self.key, aws_secret_access_key=self.secret)

    def prepare(self):
        users = self.client("iam")
        users.create_user(UserName="parley")
        users.put_user_policy(
            UserName="parley", PolicyName="all", PolicyDocument=json.dumps(POLICY))
        pair = users.create_access_key(UserName="parley")["AccessKey"]
        self.key, self.secret = pair["AccessKeyId"], pair["SecretAccessKey"]
        self.client("s3").create_bucket(
            Bucket="files", CreateBucketConfiguration={"LocationConstraint": "eu-north-1"})

    def flags(self, name="files", secret=None):
        place = f"s3://{name}?endpoint={self.endpoint}&region=eu-north-1&prefix=chat/uploads"
        return [*FLAGS, "--files-store", place, "--files-s3-key", self.key,
                "--files-s3-secret", secret or self.secret]

    async def objects(self):
        found = await asyncio.to_thread(self.client("s3").list_objects_v2, Bucket="files")
        return {item["Key"]: item["Size"] for item in found.get("Contents", [])}

    async def content(self, key):
        found = await asyncio.to_thread(self.client("s3").get_object, Bucket="files", Key=key)
        return await asyncio.to_thread(found["Body"].read)

    async def pieces(self):
        """The keys of what has come of uploads that are not complete."""
        return [key for key in await self.objects() if "partial/" in key]

    async def uploads(self):
        found = await asyncio.to_thread(self.client("s3").list_multipart_uploads, Bucket="files")
        return found.get("Uploads", [])


async def head(server, url):
    path = "/files/" + url.split("/files/")[1]
    return await asyncio.to_thread(call, server, "HEAD", path)


def logged(server, text):
    return any(text in line for line in server.lines)


def peak_kilobytes(server):
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as status:
        return int(next(line for line in status if line.startswith("VmHWM:")).split()[1])


async def test_a_bucket_keeps_files(ctx):
    """Files of all sizes go to a bucket and come back whole and in ranges; nothing is on disk."""
    async with Bucket.running() as bucket:
        server = await ctx.fresh(*bucket.flags())
        channel, owner = await ctx.room(server, 0)
        for size in [0, 1, 5_242_879, 5_242_880, 12_000_000]:
            content = os.urandom(size)
            status, message = await upload(server, channel, content, user_id=owner.user_id)
            assert status == 200, message
            url = message["file"]["url"]
            status, headers, body = await download(server, url)
            assert (status, len(body)) == (200, size) and body == content
            assert int(headers["Content-Length"]) == size
            status, same, body = await head(server, url)
            assert (status, body) == (200, b"") and same["ETag"] == headers["ETag"]
            assert int(same["Content-Length"]) == size
        for name, (first, last) in {
                "bytes=100-199": (100, 199), "bytes=-5": (11_999_995, 11_999_999),
                "bytes=262000-790000": (262_000, 790_000)}.items():
            status, headers, body = await download(server, url, Range=name)
            assert status == 206 and body == content[first:last + 1]
            assert headers["Content-Range"] == f"bytes {first}-{last}/12000000"
        assert (await download(server, url, Range="bytes=12000000-"))[0] == 416
        status, _, body = await download(server, url, **{"If-None-Match": headers["ETag"]})
        assert (status, body) == (304, b"")
        sizes = await bucket.objects()
        assert sorted(sizes.values()) == [0, 1, 5_242_879, 5_242_880, 12_000_000]
        assert all(key.startswith("chat/uploads/") for key in sizes)
        # Uploads of users are gathered on the disk; nothing else is there.
        assert not any(names for _, _, names in os.walk(os.path.join(server.data, "files")))
        assert await bucket.uploads() == []
        assert not logged(server, bucket.secret)


async def test_a_check_of_the_bucket(ctx):
    """--check-config --deep puts, reads and removes an object, and says which setting is wrong."""
    async with Bucket.running() as bucket:
        async def check(flags):
            code, output, errors = await ctx.run(
                ctx.parleyd, "--check-config", "--deep", "--data-dir", ctx.directory(),
                "--listen", "127.0.0.1:0", *flags)
            said = (output + errors).decode()
            assert bucket.secret not in said, said
            return code, next(line for line in said.splitlines() if "files.store" in line)
        code, line = await check(bucket.flags())
        assert code == 0 and line.startswith("ok "), line
        assert await bucket.objects() == {}
        code, line = await check(bucket.flags(secret="not-the-secret"))
        assert code == 78 and "files.s3_secret is not the secret" in line, line
        code, line = await check(bucket.flags(name="another"))
        assert code == 78 and f"no bucket at {bucket.endpoint}/another" in line, line
        bucket.key = "AKIANOTTHEKEY"
        code, line = await check(bucket.flags())
        assert code == 78 and "does not know files.s3_key" in line, line


async def test_a_check_looks_for_files_in_the_bucket(ctx):
    """--check-config --deep counts the files of messages that the bucket lacks."""
    async with Bucket.running() as bucket:
        server = await ctx.fresh(*bucket.flags())
        channel, owner = await ctx.room(server, 0)
        for content in (b"first", b"second"):
            await upload(server, channel, content, user_id=owner.user_id)
        await server.end()

        async def check():
            code, output, errors = await ctx.run(
                ctx.parleyd, "--check-config", "--deep", "--data-dir", server.data,
                "--listen", "127.0.0.1:0", *bucket.flags())
            return code, (output + errors).decode()
        code, said = await check()
        assert code == 0 and "the bucket has the files of messages" in said, said
        lost, _ = await bucket.objects()
        await asyncio.to_thread(bucket.client("s3").delete_object, Bucket="files", Key=lost)
        code, said = await check()
        assert code == 78, said
        assert "problem  files.store: 1 of 2 files that messages have are not in the bucket" in said, said


async def test_curl_reads_the_bucket(ctx):
    """What lies in the bucket is the file as it was sent, as curl with its own signature sees it."""
    curl = shutil.which("curl")
    if curl is None:
        raise Skipped("curl is not installed")
    async with Bucket.running() as bucket:
        server = await ctx.fresh(*bucket.flags())
        channel, owner = await ctx.room(server, 0)
        content = os.urandom(7_000_000)
        _, message = await upload(server, channel, content, user_id=owner.user_id)
        (key,) = await bucket.objects()
        assert key.split("/")[-1] in message["file"]["url"]
        process = await asyncio.create_subprocess_exec(
            curl, "-s", "-S", "-f", "--aws-sigv4", "aws:amz:eu-north-1:s3",
            "-u", f"{bucket.key}:{bucket.secret}", "-H", "x-amz-content-sha256: UNSIGNED-PAYLOAD",
            f"{bucket.endpoint}/files/{key}", stdout=asyncio.subprocess.PIPE)
        fetched, _ = await process.communicate()
        assert process.returncode == 0 and fetched == content


async def test_files_leave_the_bucket(ctx):
    """A file goes with its message; one whose message is refused or repeated goes as well."""
    async with Bucket.running() as bucket:
        server = await ctx.fresh(*bucket.flags())
        channel, owner = await ctx.room(server, 0)
        _, message = await upload(
            server, channel, b"once", user_id=owner.user_id, dedup_id="one")
        _, again = await upload(server, channel, b"once", user_id=owner.user_id, dedup_id="one")
        assert again["message_id"] == message["message_id"]
        status, _ = await upload(server, channel, b"x" * 100, user_id="nobody")
        assert status == 400

        async def one_left():
            return len(await bucket.objects()) == 1
        await eventually(one_left, "the others to go")
        await owner.call("message.delete", channel_url=channel, message_id=message["message_id"])
        assert (await download(server, message["file"]["url"]))[0] == 404

        async def none_left():
            return not await bucket.objects()
        await eventually(none_left, "the file to go")


async def test_memory_stays_small(ctx):
    """A file that is many times larger than a part passes through little memory, both ways."""
    async with Bucket.running() as bucket:
        server = await ctx.fresh(*bucket.flags(), "--limits-file-bytes", "200000000")
        channel, owner = await ctx.room(server, 0)
        await upload(server, channel, b"warm", user_id=owner.user_id)
        before = peak_kilobytes(server)
        content = os.urandom(1_000_000) * 80
        _, message = await upload(server, channel, content, user_id=owner.user_id)
        status, _, body = await download(server, message["file"]["url"])
        assert status == 200 and body == content
        grown = peak_kilobytes(server) - before
        assert grown < 40_000, f"{grown} KB more for a file of 80 MB"


async def test_an_upload_that_breaks_off(ctx):
    """Nothing stays in the bucket of an upload whose client or whose server goes."""
    async with Bucket.running() as bucket:
        server = await ctx.fresh(*bucket.flags())
        channel, owner = await ctx.room(server, 0)

        async def begin():
            _, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(
                f"POST /v3/open_channels/{channel}/messages HTTP/1.1\r\nHost: localhost\r\n"
                f"Api-Token: {server.api_token}\r\nContent-Length: 20000000\r\n"
                "Content-Type: multipart/form-data; boundary=b\r\n\r\n"
                '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'.encode())
            writer.write(b"x" * 8_000_000)
            await writer.drain()
            await eventually(bucket.uploads, "the upload to begin")
            return writer

        async def none():
            return not await bucket.uploads()

        (await begin()).close()
        await eventually(none, "the parts to go")
        writer = await begin()
        await server.kill()
        writer.close()
        assert await bucket.uploads()
        # All uploads are old to moto.
        await ctx.fresh(*bucket.flags(), data=server.data)
        await eventually(none, "the parts that the killed server left")
        assert await bucket.objects() == {}


async def test_an_upload_outlives_the_disk(ctx):
    """A user's upload to a bucket goes on after a crash of the server and the loss of its disk, in the clear and
    encrypted."""
    async with Bucket.running() as bucket:
        for encryption in ("off", "on"):
            flags = [*bucket.flags(), "--files-encryption", encryption]
            server = await ctx.fresh(*flags)
            _, owner = await ctx.room(server, 0)
            content = os.urandom(900_001)
            file, url = await uploads.create(owner, len(content))
            done = 0
            for end in (70_000, 70_001, 500_000):
                status, _, _ = await uploads.patch(server, url, done, content[done:end])
                assert status == 204
                done = end
            pieces = await bucket.pieces()
            assert 0 < len(pieces) <= 3, pieces
            await server.kill()
            shutil.rmtree(os.path.join(server.data, "partial"))
            server = await ctx.fresh(*flags, data=server.data)
            assert await uploads.offset(server, url) == done
            status, _, answer = await uploads.patch(server, url, done, content[done:])
            assert status == 204, answer
            owner = await ctx.user(server, owner.user_id)
            got = (await owner.call("file.get", file_id=file["file_id"]))["file"]
            status, _, body = await read(server, got["url"], key(owner))
            assert status == 200 and body == content

            async def is_alone():
                return not await bucket.pieces()
            await eventually(is_alone, "the end of the pieces")
            await server.end()


async def test_a_bucket_that_refuses(ctx):
    """A wrong secret or a missing bucket: one line in the log, 500901 for files, messages go on."""
    async with Bucket.running() as bucket:
        for flags, reason in [
                (bucket.flags(secret="w" * 40), "SignatureDoesNotMatch"),
                (bucket.flags(name="missing"), "NoSuchBucket")]:
            server = await ctx.fresh(*flags)

            async def reported():
                return logged(server, "files.store fails")
            await eventually(reported, "the line in the log")
            assert logged(server, reason), list(server.lines)
            channel, owner, viewer = await ctx.room(server, 1)
            for content in [b"small", b"x" * 6_000_000]:
                status, answer = await upload(server, channel, content, user_id=owner.user_id)
                assert (status, answer["code"]) == (500, 500901), answer
            await owner.call("message.send", channel_url=channel, message="still here")
            assert (await viewer.event("message.received"))["message"]["message"] == "still here"
            assert sum("files.store fails" in line for line in server.lines) == 1
            assert not logged(server, "w" * 40) and not logged(server, bucket.secret)
            await server.end()


async def test_a_bucket_that_is_away(ctx):
    """While the S3 server is down files fail and messages go on; later both work again."""
    async with Bucket.running() as bucket:
        server = await ctx.fresh(*bucket.flags())
        channel, owner = await ctx.room(server, 0)
        content = os.urandom(3_000_000)
        _, message = await upload(server, channel, content, user_id=owner.user_id)
        bucket.process.send_signal(19)
        reading = asyncio.create_task(download(server, message["file"]["url"]))
        await asyncio.sleep(1)
        await owner.call("message.send", channel_url=channel, message="meanwhile")
        bucket.process.send_signal(18)
        status, _, body = await reading
        assert status == 200 and body == content
        bucket.process.kill()
        bucket.process.wait()
        status, _, body = await asyncio.wait_for(
            download(server, message["file"]["url"]), DEADLINE + 30)
        assert (status, json.loads(body)["code"]) == (500, 500901)
        await owner.call("message.send", channel_url=channel, message="later")
        assert logged(server, "files.store fails")


class Liar(http.server.BaseHTTPRequestHandler):
    """An S3 server that answers as its script says."""

    protocol_version = "HTTP/1.1"
    script = None

    def log_message(self, *_):
        pass

    def handle_one_request(self):
        with contextlib.suppress(OSError):
            super().handle_one_request()

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.rfile.read(length)
        type(self).script(self)

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = answer

    def reply(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in {"Content-Length": len(body), **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(body)

    def end(self):
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True


async def test_a_hostile_bucket(ctx):
    """Whatever an S3 server answers, a file is served as it was sent or not at all."""
    content = os.urandom(600_000)

    def good(handler):
        if handler.command == "PUT":
            return handler.reply(200, ETag='"x"')
        if handler.command == "HEAD":
            return handler.reply(200, b"", Content_Length=len(content))
        if "Range" not in handler.headers:
            return handler.reply(200, b"<ListBucketResult></ListBucketResult>")
        first, last = map(int, handler.headers["Range"][6:].split("-"))
        part = content[first:last + 1]
        return handler.reply(
            206, part, Content_Range=f"bytes {first}-{last}/{len(content)}")

    def cut(handler):
        handler.send_response(206)
        handler.send_header("Content-Length", "262144")
        handler.send_header("Content-Range", f"bytes 0-262143/{len(content)}")
        handler.end_headers()
        handler.wfile.write(content[:1000])
        handler.end()

    def redirect(handler):
        handler.reply(301, Location="http://127.0.0.1:1/files", x_amz_bucket_region="eu-west-9")

    hostile = [
        cut, redirect,
        lambda h: h.reply(200, content),
        lambda h: h.reply(200, b"y" * 5_000_000),
        lambda h: h.reply(206, b"short", Content_Range=f"bytes 0-4/{len(content)}"),
        lambda h: h.reply(206, content[:262_144], Content_Range="bytes 0-262143/262144"),
        lambda h: h.reply(206, content[:262_144]),
        lambda h: h.end(),
        lambda h: h.reply(404), lambda h: h.reply(403), lambda h: h.reply(204),
        lambda h: (h.wfile.write(b"HTTP/1.1 200 " + b"x" * 200_000), h.end()),
    ]
    liar = type("Script", (Liar,), {"script": staticmethod(good)})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), liar) as service:
        service.daemon_threads = True
        threading.Thread(target=service.serve_forever, daemon=True).start()
        try:
            place = f"s3://files?endpoint=http://127.0.0.1:{service.server_port}"
            server = await ctx.fresh(
                *FLAGS, "--files-store", place, "--files-s3-key", "k", "--files-s3-secret", "s")
            channel, owner = await ctx.room(server, 0)
            _, message = await upload(server, channel, content, user_id=owner.user_id)
            url = message["file"]["url"]
            assert (await download(server, url))[2] == content

            async def refuses(script):
                liar.script = staticmethod(script)
                status, _, body = await download(server, url)
                assert status in (404, 500), (status, len(body))

            for script in hostile:
                await refuses(script)

            # A failure in the middle ends the connection: the client sees that bytes are missing.
            def later(handler):
                bytes_from = handler.headers.get("Range", "")
                good(handler) if bytes_from.startswith("bytes=0-") else handler.reply(403)
            liar.script = staticmethod(later)
            try:
                _, _, body = await download(server, url)
                raise AssertionError(f"{len(body)} bytes passed for the whole")
            except (ConnectionError, asyncio.IncompleteReadError, OSError):
                pass
            except http.client.IncompleteRead as cut_off:
                assert content.startswith(cut_off.partial)

            # A 500 that passes is tried again, and nobody notices.
            failures = [500, 503, 500]

            def unsteady(handler):
                handler.reply(failures.pop()) if failures else good(handler)
            liar.script = staticmethod(unsteady)
            assert (await download(server, url))[2] == content
            status, _ = await upload(server, channel, content, user_id=owner.user_id)
            assert status == 200

            # A part without its tag, and a joined file that is none.
            def untagged(handler):
                if handler.command == "POST" and "uploads=" in handler.path:
                    return handler.reply(200, b"<R><UploadId>u&amp;1</UploadId></R>")
                return handler.reply(200)
            liar.script = staticmethod(untagged)
            status, answer = await upload(
                server, channel, b"z" * 6_000_000, user_id=owner.user_id)
            assert (status, answer["code"]) == (500, 500901)

            def unjoined(handler):
                if handler.command == "POST" and "uploads=" in handler.path:
                    return handler.reply(200, b"<R><UploadId>u&amp;1</UploadId></R>")
                if handler.command == "POST":
                    return handler.reply(200, b"<Error><Code>InternalError</Code></Error>")
                return handler.reply(404 if handler.command == "HEAD" else 200, ETag='"t"')
            liar.script = staticmethod(unjoined)
            status, answer = await upload(
                server, channel, b"z" * 6_000_000, user_id=owner.user_id)
            assert (status, answer["code"]) == (500, 500901)
            await owner.call("message.send", channel_url=channel, message="still here")
        finally:
            service.shutdown()


async def test_a_shared_directory(ctx):
    """Two servers use one directory, and none takes the other's files for remains."""
    shared = ctx.directory()
    os.makedirs(shared, exist_ok=True)
    flags = [*FLAGS, "--files-store", f"directory:{shared}"]
    first = await ctx.fresh(*flags)
    channel, owner = await ctx.room(first, 0)
    content = os.urandom(1_000_000)
    _, message = await upload(first, channel, content, user_id=owner.user_id)
    second = await ctx.fresh(*flags)
    other, other_owner = await ctx.room(second, 0)
    await upload(second, other, b"mine", user_id=other_owner.user_id)
    await second.kill()
    await ctx.fresh(*flags, data=second.data)
    assert len(os.listdir(os.path.join(shared, "files"))) == 2
    status, _, body = await download(first, message["file"]["url"])
    assert status == 200 and body == content
    assert not os.path.exists(os.path.join(first.data, "files"))
