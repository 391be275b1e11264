"""Exports: everything once, over kill -9 and a full disk, as JSON lines and CSV, and for seven days only."""

import asyncio
import base64
import csv
import gzip
import io
import json
import os
import resource
import sqlite3
from urllib.parse import urlsplit

from calls import RATES, Caller
from depots import Bucket
from files import download
from harness import PATIENCE, eventually

FLAGS = ["--unfurl-mode", "off", "--limits-flood-messages", "0", "--limits-throttle-messages", "0", *RATES]


async def fill(caller, channel, count, stem="text", kind="open_channels"):
    """Sends messages, some at a time: their ids in order."""
    ids = []
    for first in range(0, count, 50):
        part = [f"{stem} {n}" for n in range(first, min(first + 50, count))]
        for text in part:
            sent = await caller.call("POST", f"/{kind}/{channel}/messages", {
                "message_type": "MESG", "user_id": "ann", "message": text})
            ids.append(sent["message_id"])
    return ids


async def prepare(ctx, server, caller, count=300):
    await caller.call("POST", "/users", {"user_id": "ann", "nickname": "=Ann"})
    await caller.call("POST", "/users", {"user_id": "bob", "nickname": "Bob", "metadata": {"k": "v"}})
    for channel in ("lobby", "hall"):
        await caller.call("POST", "/open_channels", {"channel_url": channel})
        await caller.call("POST", f"/open_channels/{channel}/metadata", {"metadata": {"m": channel}})
    await caller.call("POST", "/group_channels", {"channel_url": "team", "user_ids": ["ann", "bob"]})
    return {
        "lobby": await fill(caller, "lobby", count), "hall": await fill(caller, "hall", 10),
        "team": await fill(caller, "team", 10, kind="group_channels")}


async def start(caller, data="messages", **params):
    made = await caller.call("POST", f"/export/{data}", params)
    assert made["status"] == "scheduled" and made["data_type"] == data and "file" not in made, made
    return made["request_id"]


async def finish(caller, request, data="messages"):
    """The export once it has ended."""
    async def ended():
        export = await caller.call("GET", f"/export/{data}/{request}")
        return export if export["status"] in ("done", "failed") else None
    return await eventually(ended, "the end of the export", seconds=60 * PATIENCE)


async def content(server, export):
    status, fields, body = await download(server, export["file"]["url"])
    assert status == 200 and fields["Content-Type"] == "application/gzip", (status, fields)
    assert len(body) == export["file"]["size"]
    assert ".gz" in fields["Content-Disposition"] and fields["Cache-Control"].startswith("private")
    return gzip.decompress(body).decode()


async def rows(server, export):
    return [json.loads(line) for line in (await content(server, export)).splitlines()]


async def refusal(caller, path, body, code, name=None):
    answer = await caller.send("POST", f"/v3{path}", body)
    assert (answer.status, answer.code) == (400, code), answer
    assert name is None or f"'{name}'" in answer.value["message"], answer


async def test_an_export_has_each_message_once(ctx):
    """Messages of all kinds of channels, written while more come, in the shape of the Platform API."""
    server = await ctx.fresh(*FLAGS)
    async with Caller(server) as caller, Caller(server) as writer:
        ids = await prepare(ctx, server, caller)
        durable = set(sum(ids.values(), []))
        more = asyncio.create_task(fill(writer, "lobby", 200, "later"))
        export = await finish(caller, await start(caller))
        assert export["status"] == "done" and export["error"] == "", export
        found = await rows(server, export)
        later = set(await more)
        listed = [row["message_id"] for row in found]
        assert len(listed) == len(set(listed)), "a message came twice"
        assert durable <= set(listed) <= durable | later, durable - set(listed)
        shown = await caller.call("GET", f"/open_channels/lobby/messages/{ids['lobby'][7]}")
        row = next(row for row in found if row["message_id"] == ids["lobby"][7])
        parts = ("message", "channel_url", "channel_type", "type", "created_at", "sorted_metaarray", "data", "file")
        assert {part: row[part] for part in parts} == {part: shown[part] for part in parts}
        assert row["user"]["user_id"] == "ann" and row["user"]["nickname"] == "=Ann", row
        assert {row["channel_type"] for row in found} == {"open_channels", "group_channels"}
        # A request within a minute is refused, and lists know both kinds of answers.
        answer = await caller.send("POST", "/v3/export/users", {})
        assert (answer.status, answer.code) == (429, 500910), answer
        page = await caller.call("GET", "/export/messages", limit=1)
        assert [one["request_id"] for one in page["exported_data"]] == [export["request_id"]] and not page["next"]
        assert (await caller.call("GET", "/export/users"))["exported_data"] == []


async def test_an_export_is_filtered(ctx):
    """Channels, senders and times choose messages, page by page and in a file."""
    server = await ctx.fresh(*FLAGS)
    async with Caller(server) as caller:
        ids = await prepare(ctx, server, caller, 60)
        await caller.call("POST", "/open_channels/lobby/messages", {
            "message_type": "MESG", "user_id": "bob", "message": "mine"})

        async def read(data="messages", **query):
            lines, after = "", None
            while after != "":
                page = await caller.call(
                    "GET", f"/parley/export/{data}", **query, **({"after": after} if after else {}))
                assert page["rows"] <= query.get("limit", 1000) + 200
                lines, after = lines + page["lines"], page["next"]
            return lines

        async def numbers(**query):
            return [json.loads(line)["message_id"] for line in (await read(**query)).splitlines()]
        assert await numbers(channel_urls="hall,team", limit=3) == ids["hall"] + ids["team"]
        assert await numbers(sender_ids="ann", exclude_channel_urls="lobby") == ids["hall"] + ids["team"]
        assert len(await numbers(exclude_sender_ids="ann")) == 1
        shown = await caller.call("GET", f"/open_channels/lobby/messages/{ids['lobby'][5]}")
        at = shown["created_at"]
        some = await numbers(channel_urls="lobby", start_ts=at, end_ts=at)
        assert ids["lobby"][5] in some and len(some) < 60
        export = await finish(caller, await start(caller, channel_urls=["hall"], sender_ids=["ann"]))
        assert [row["message_id"] for row in await rows(server, export)] == ids["hall"]
        assert export["params"]["channel_urls"] == ["hall"], export
        users = [json.loads(line) for line in (await read("users")).splitlines()]
        assert [user["user_id"] for user in users] == ["ann", "bob"] and users[1]["metadata"] == {"k": "v"}
        channels = [json.loads(line) for line in (await read("channels", show_read_receipt="true")).splitlines()]
        assert [channel["channel_url"] for channel in channels] == ["lobby", "hall", "team"], channels
        assert channels[0]["metadata"] == {"m": "lobby"} and channels[2]["member_count"] == 2
        assert set(channels[2]["read_receipt"]) <= {"ann", "bob"}
        bare = [json.loads(line) for line in (await read("channels", show_channel_metadata="false")).splitlines()]
        assert bare[0]["metadata"] == {}


async def test_csv_is_no_formula(ctx):
    """CSV has a line of names and a line a message, and its cells are no formulas in a spreadsheet."""
    server = await ctx.fresh(*FLAGS)
    async with Caller(server) as caller:
        await prepare(ctx, server, caller, 1)
        texts = ["=1+1", "+1", "-1", "@SUM(A1)", "a;\"b\"\nc", "\t=1", "plain"]
        for text in texts:
            await caller.call("POST", "/open_channels/hall/messages", {
                "message_type": "MESG", "user_id": "ann", "message": text})
        export = await finish(caller, await start(
            caller, format="csv", csv_delimiter=";", timezone="+09:00", channel_urls=["hall"]))
        assert export["file"]["name"].endswith(".csv.gz"), export
        found = list(csv.DictReader(io.StringIO(await content(server, export), newline=""), delimiter=";"))
        assert len(found) == 10 + len(texts)
        for row, text in zip(found[10:], texts):
            guarded = text if text in ("plain", "a;\"b\"\nc") else "'" + text
            assert row["message"] == guarded and row["nickname"] == "'=Ann", row
            assert row["created_at"].endswith("+09:00") and row["channel_type"] == "open_channels", row


async def test_wrong_exports_are_refused(ctx):
    """Wrong times, kinds and lists are refused, and schedule nothing."""
    server = await ctx.fresh(*FLAGS)
    async with Caller(server) as caller:
        await refusal(caller, "/export/messages", {"start_ts": 2, "end_ts": 1}, 400111, "end_ts")
        await refusal(caller, "/export/messages", {"format": "xml"}, 400111, "format")
        await refusal(caller, "/export/nothing", {}, 400111, "data_type")
        many = [f"room-{n}" for n in range(1_000_000)]
        answer = await caller.send("POST", "/v3/export/messages", {"channel_urls": many})
        assert answer.status in (400, 413), answer
        await refusal(caller, "/export/messages", {"channel_urls": many[:1001]}, 400203, "channel_urls")
        answer = await caller.send("GET", "/v3/export/messages/none")
        assert (answer.status, answer.code) == (400, 400201), answer
        assert (await caller.call("GET", "/export/messages"))["exported_data"] == []
        status, _, _ = await download(server, f"http://a/exports/{'A' * 32}")
        assert status == 404


async def test_an_export_survives_kill_9(ctx):
    """An export that is killed several times in the middle ends with each message once."""
    server = await ctx.fresh(*FLAGS)
    async with Caller(server) as caller:
        ids = await prepare(ctx, server, caller, 600)
        request = await start(caller)
    for wait in (0.0, 0.3, 0.6):
        await asyncio.sleep(wait)
        await server.kill()
        server = await ctx.fresh(*FLAGS, data=server.data)
    async with Caller(server) as caller:
        export = await finish(caller, request)
        assert export["status"] == "done", export
        listed = [row["message_id"] for row in await rows(server, export)]
        assert listed == sorted(sum(ids.values(), [])), len(listed)


async def test_a_bucket_keeps_exports(ctx):
    """An export to a bucket of S3, encrypted and killed in the middle, ends with each message once."""
    async with Bucket.running() as bucket:
        flags = [*FLAGS, *bucket.flags()[2:], "--files-encryption", "on"]
        server = await ctx.fresh(*flags)
        async with Caller(server) as caller:
            ids = await prepare(ctx, server, caller, 400)
            request = await start(caller)
        await server.kill()
        server = await ctx.fresh(*flags, data=server.data)
        async with Caller(server) as caller:
            export = await finish(caller, request)
            assert export["status"] == "done", export
            listed = [row["message_id"] for row in await rows(server, export)]
            assert listed == sorted(sum(ids.values(), [])), len(listed)
        names = await bucket.objects()
        assert len(names) == 1 and not os.listdir(os.path.join(server.data, "files")), names
        assert b"text 1" not in gzipped(await bucket.content(next(iter(names))))
        await server.end()


def gzipped(content):
    """What is in a gzip file, or the bytes of a file that is none."""
    return gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content


async def test_an_export_without_room_fails(ctx):
    """Without room an export fails with a reason, and leaves nothing that could be served."""
    server = await ctx.fresh(*FLAGS, "--limits-disk-reserve-bytes", str(2**50))
    async with Caller(server) as caller:
        await prepare(ctx, server, caller, 20)
        export = await finish(caller, await start(caller))
        assert export["status"] == "failed" and "room" in export["error"] and "file" not in export, export

        async def gone():
            return not any(os.listdir(os.path.join(server.data, place)) for place in ("files", "partial", "uploads"))
        await eventually(gone, "the removal of the part")


async def widen(caller, channel, count):
    """Imports messages of users whose profiles differ, so that an export is much larger than the database."""
    users = [f"wide-{n}" for n in range(60)]
    for user in users:
        await caller.call("POST", "/users", {
            "user_id": user, "nickname": user,
            "profile_url": "https://a.example/" + base64.urlsafe_b64encode(os.urandom(1_500)).decode()})
    for first in range(0, count, 100):
        await caller.call("POST", f"/migration/{channel}", {"messages": [
            {"message_type": "MESG", "user_id": users[n % len(users)], "message": f"wide {n}", "timestamp": 10**12 + n}
            for n in range(first, first + 100)]})


async def test_a_disk_that_fills_up_in_the_middle_of_an_export(ctx):
    """The write that finds no room ends the export as failed; nothing of it is served or stays, and all else goes on.
    With room, another export is whole."""
    server = await ctx.fresh(*FLAGS)
    async with Caller(server) as caller:
        await caller.call("POST", "/users", {"user_id": "ann", "nickname": "Ann"})
        await caller.call("POST", "/open_channels", {"channel_url": "lobby"})
        await widen(caller, "lobby", 12_000)
        limits = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (12_000_000, limits[1]))
        try:
            failed = await finish(caller, await start(caller))
            assert failed["status"] == "failed" and "no room" in failed["error"] and "file" not in failed, failed
            assert (await server.get("/readyz"))[0] == 200
            await fill(caller, "lobby", 1)

            async def gone():
                return not any(os.listdir(os.path.join(server.data, place)) for place in ("files", "partial", "uploads"))
            await eventually(gone, "the removal of the part")
            assert (await caller.call("GET", "/parley/files"))["files"] == []
        finally:
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, limits)
    await server.end()
    # One export a minute is accepted.
    with sqlite3.connect(os.path.join(server.data, "parley.sqlite")) as database:
        database.execute("UPDATE long_requests SET created_at = created_at - 60000")
    database.close()
    server = await ctx.fresh(*FLAGS, data=server.data)
    async with Caller(server) as caller:
        export = await finish(caller, await start(caller))
        assert export["status"] == "done" and export["file"]["size"] > 12_000_000, export
        texts = [row["message"] for row in await rows(server, export)]
        assert texts == [f"wide {n}" for n in range(12_000)] + ["text 0"], len(texts)
        listed = (await caller.call("GET", "/export/messages"))["exported_data"]
        assert [one["status"] for one in listed] == ["done", "failed"], listed


async def test_addresses_end_and_are_secret(ctx):
    """The file of an export goes with its removal, is not read by its id, and its address is in no log."""
    server = await ctx.fresh(*FLAGS, "--log-level", "debug")
    async with Caller(server) as caller:
        await prepare(ctx, server, caller, 5)
        export = await finish(caller, await start(caller))
        url = export["file"]["url"]
        secret = urlsplit(url).path.removeprefix("/exports/")
        assert len(secret) == 32, url
        await content(server, export)
        listed = await caller.call("GET", "/parley/files")
        file_id = listed["files"][0]["file_id"]
        status, _, _ = await download(server, f"http://a/files/{file_id}/x.gz")
        assert status in (401, 404), status
        for method in ("DELETE", "PUT"):
            answer = await caller.send(method, f"/v1/uploads/{secret}", b"x")
            assert answer.status in (404, 410), answer
        await content(server, export)
        assert len(server.lines) > 5 and not any(secret in line for line in server.lines)
        await caller.call("DELETE", f"/parley/files/{file_id}")
        assert (await download(server, url))[0] == 404
        assert "file" not in await caller.call("GET", f"/export/messages/{export['request_id']}")


async def test_the_command_line_exports(ctx):
    """Rows are printed without a job, and jobs are started, listed and shown."""
    server = await ctx.fresh(*FLAGS)
    async with Caller(server) as caller:
        ids = await prepare(ctx, server, caller, 30)
    environment = {"PARLEY_CLI_SERVER": f"http://127.0.0.1:{server.port}", "PARLEY_CLI_API_TOKEN": server.api_token}

    async def run(*arguments, code=0):
        status, output, errors = await ctx.run(ctx.parley, *arguments, environment=environment)
        assert status == code, (status, output, errors)
        return output.decode()
    lines = (await run("export", "messages", "--channel", "hall", "--since", "1d")).splitlines()
    assert [json.loads(line)["message_id"] for line in lines] == ids["hall"]
    assert await run("export", "messages", "--until", "2020-01-01") == ""
    table = list(csv.DictReader(io.StringIO(await run("export", "users", "--format", "csv"))))
    assert [row["user_id"] for row in table] == ["ann", "bob"]
    assert len((await run("export", "channels")).splitlines()) == 3
    started = json.loads(await run("export", "start", "messages", "--channel", "team", "--json"))
    async with Caller(server) as caller:
        await finish(caller, started["request_id"])
    assert started["request_id"] in await run("export", "list", "messages")
    assert "/exports/" in await run("export", "show", "messages", started["request_id"])
    await run("export", "messages", "--since", "1d", "--until", "2d", code=64)
