"""Erasures leave no byte, in every fate of messages and over kill -9; archives have all that names a user."""

import asyncio
import json
import os

from calls import RATES, Caller
from exporting import content
from files import upload
from harness import PATIENCE, eventually

FLAGS = ["--unfurl-mode", "off", "--limits-flood-messages", "0", "--limits-throttle-messages", "0", *RATES]
SECRET = "xylophonquartz"


async def finish(caller, request):
    """The request once it has ended."""
    async def ended():
        found = await caller.call("GET", f"/privacy/gdpr/{request}")
        return found if found["status"] in ("done", "failed") else None
    return await eventually(ended, "the end of the request", seconds=60 * PATIENCE)


async def ask(caller, action, users, **params):
    made = await caller.call("POST", "/privacy/gdpr", {"action": action, "user_ids": users, **params})
    assert made["status"] in ("scheduled", "processing") and made["action"] == action, made
    return made["request_id"]


def places(folder, text):
    """The files below a folder that have a text in their content or their name, in any case."""
    found, wanted = [], text.encode().lower()
    for path, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(path, name), "rb") as file:
                if wanted in file.read().lower() or text in name:
                    found.append(os.path.join(path, name))
    return found


async def populate(ctx, server, caller):
    """A user with all that a user can have, and others."""
    for user in ("ada", "bob", "cy"):
        await caller.call("POST", "/users", {
            "user_id": user, "nickname": f"{user} {SECRET if user == 'ada' else ''}",
            "metadata": {"note": SECRET} if user == "ada" else {}})
    await caller.call("POST", "/open_channels", {"channel_url": "lobby", "operator_ids": ["ada", "bob"]})
    await caller.call("POST", "/group_channels", {"channel_url": "team", "user_ids": ["ada", "bob", "cy"]})
    await caller.call("POST", "/group_channels", {"channel_url": "pair", "user_ids": ["ada", "bob"]})
    ids = []
    for kind, channel in (("open_channels", "lobby"), ("group_channels", "team"), ("group_channels", "pair")):
        for number in range(20):
            sent = await caller.call("POST", f"/{kind}/{channel}/messages", {
                "message_type": "MESG", "user_id": "ada" if number % 2 else "bob",
                "message": f"{SECRET} {number}" if number % 2 else f"by bob {number}",
                "mentioned_user_ids": ["bob"] if number % 2 else ["ada"]})
            ids.append(sent["message_id"])
    edited = ids[1]
    await caller.call("PUT", f"/open_channels/lobby/messages/{edited}", {
        "message_type": "MESG", "message": f"{SECRET} edited"})
    status, _ = await upload(server, "lobby", SECRET.encode() * 1000, f"{SECRET}.bin", user_id="ada")
    assert status == 200
    await caller.call("POST", f"/report/open_channels/lobby/messages/{ids[3]}", {
        "report_category": "spam", "reporting_user_id": "bob", "report_description": "rude"})
    await caller.call("POST", "/report/users/bob", {
        "channel_type": "open_channels", "channel_url": "lobby", "report_category": "spam",
        "reporting_user_id": "ada", "report_description": SECRET})
    await caller.call("POST", "/users/ada/push/gcm", {"gcm_reg_token": "a-device"})
    await caller.call("POST", "/users/ada/token", {})
    await caller.call("POST", "/users/ada/block", {"target_id": "cy"})
    await caller.call("POST", "/open_channels/lobby/mute", {"user_id": "ada", "seconds": 600, "description": "loud"})
    return ids


async def texts(caller, channel="lobby", kind="open_channels"):
    page = await caller.call("GET", f"/{kind}/{channel}/messages", message_ts=0, next_limit=100)
    return page["messages"]


async def test_an_erasure_leaves_no_byte(ctx):
    """After an erasure and parley store vacuum no file in data_dir has a text of the user."""
    server = await ctx.fresh(*FLAGS, "--push-url", "http://127.0.0.1:9/", "--push-url-types", "gcm", "--push-secret", "hush-hush-hush-1")
    async with Caller(server) as caller:
        await populate(ctx, server, caller)
        watcher = await ctx.user(server, "cy")
        await watcher.enter("lobby")
        assert places(server.data, SECRET), "nothing was written"
        done = await finish(caller, await ask(caller, "delete", ["ada"]))
        assert done["status"] == "done" and done["params"]["messages"] == "remove", done
        assert "file" not in done
        await watcher.event("message.deleted")
        answer = await caller.send("GET", "/v3/users/ada")
        assert answer.code == 400201, answer
        for kind, channel in (("open_channels", "lobby"), ("group_channels", "team"), ("group_channels", "pair")):
            left = await texts(caller, channel, kind)
            assert len(left) == 10 and all(one["user"]["user_id"] == "bob" for one in left), left
            assert not any(one["mentioned_users"] for one in left), left
        members = await caller.call("GET", "/group_channels/team/members")
        assert {one["user_id"] for one in members["members"]} == {"bob", "cy"}
        report, = [one for one in (await caller.call("GET", "/report"))["report_logs"] if one["report_type"] == "message"]
        assert "reported_message" not in report, report
        found = await caller.send("GET", f"/v3/search/messages?query={SECRET}")
        assert found.value["results"] == [], found

        async def removed():
            return not os.listdir(os.path.join(server.data, "files"))
        await eventually(removed, "the removal of the file")
        data, token = server.data, server.api_token
    await server.end()
    status, output, errors = await ctx.run(ctx.parley, "store", "vacuum", "--data-dir", data)
    assert status == 0, (output, errors)
    left = places(data, SECRET)
    assert left == [], left
    server = await ctx.fresh(*FLAGS, data=data)
    assert server.api_token == token
    async with Caller(server) as caller:
        assert len(await texts(caller)) == 10


async def test_messages_are_anonymized_or_kept(ctx):
    """Anonymized messages stay under an id of nobody, kept ones under the user's; pairs go if that is asked for."""
    server = await ctx.fresh(*FLAGS, "--push-url", "http://127.0.0.1:9/", "--push-url-types", "gcm", "--push-secret", "hush-hush-hush-1")
    async with Caller(server) as caller:
        await populate(ctx, server, caller)
        done = await finish(caller, await ask(
            caller, "delete", ["ada"], messages="anonymize", channel_delete_option="1_on_1"))
        assert done["status"] == "done", done
        shown = await texts(caller)
        authors = {one["user"]["user_id"] for one in shown}
        assert len(shown) == 21 and len(authors) == 2 and "ada" not in authors, authors
        assert all(author == "bob" or author.startswith("erased-") for author in authors), authors
        assert (await caller.send("GET", "/v3/group_channels/pair")).code == 400201
        assert (await caller.send("GET", "/v3/group_channels/team")).status == 200
        await caller.call("POST", "/open_channels/lobby/messages", {
            "message_type": "MESG", "user_id": "cy", "message": "kept"})
        done = await finish(caller, await ask(caller, "delete", ["cy"], messages="keep"))
        assert done["status"] == "done", done
        kept = [one for one in await texts(caller) if one["message"] == "kept"]
        assert [one["user"]["user_id"] for one in kept] == ["cy"]
        # A user that there is not is erased already.
        assert (await finish(caller, await ask(caller, "delete", ["nobody"])))["status"] == "done"
        page = await caller.call("GET", "/privacy/gdpr", limit=2)
        assert [one["params"]["user_ids"] for one in page["requests"]] == [["nobody"], ["cy"]] and page["next"]


async def test_an_erasure_survives_kill_9(ctx):
    """An erasure that is killed in the middle goes on, and nothing of the user is left."""
    server = await ctx.fresh(*FLAGS)
    async with Caller(server) as caller:
        for user in ("ada", "bob"):
            await caller.call("POST", "/users", {"user_id": user, "nickname": user})
        await caller.call("POST", "/open_channels", {"channel_url": "lobby"})
        for number in range(600):
            await caller.call("POST", "/open_channels/lobby/messages", {
                "message_type": "MESG", "user_id": "bob" if number % 10 == 0 else "ada", "message": f"text {number}"})
        request = await ask(caller, "delete", ["ada"])
    for wait in (0.1, 0.4):
        await asyncio.sleep(wait)
        await server.kill()
        server = await ctx.fresh(*FLAGS, data=server.data)
    async with Caller(server) as caller:
        assert (await finish(caller, request))["status"] == "done"
        assert (await caller.send("GET", "/v3/users/ada")).code == 400201
        assert {one["user"]["user_id"] for one in await texts(caller)} == {"bob"}
        assert (await caller.call("GET", "/open_channels/lobby/messages/total_count"))["total"] == 60


async def test_an_archive_has_all_that_names_a_user(ctx):
    """An archive has the user, its channels, messages, mentions, files, devices, restrictions, reports and audit lines."""
    audit = os.path.join(ctx.directory(), "audit.log")
    server = await ctx.fresh(
        *FLAGS, "--audit-log", audit, "--push-url", "http://127.0.0.1:9/", "--push-url-types", "gcm",
        "--push-secret", "hush-hush-hush-1")
    async with Caller(server) as caller:
        ids = await populate(ctx, server, caller)
        done = await finish(caller, await ask(caller, "access", ["ada", "nobody"]))
        assert done["status"] == "done" and done["file"]["name"].endswith(".ndjson.gz"), done
        lines = [json.loads(line) for line in (await content(server, done)).splitlines()]
        kinds = {}
        for line in lines:
            kinds.setdefault(line["type"], []).append(line["data"])
        assert set(kinds) == {
            "user", "membership", "operator_role", "mute", "block", "file", "push_token", "session_token", "report",
            "message", "audit"}, set(kinds)
        assert kinds["user"][0]["metadata"] == {"note": SECRET}
        assert {one["channel_url"] for one in kinds["membership"]} == {"team", "pair"}
        assert set(ids) <= {one["message_id"] for one in kinds["message"]}
        assert kinds["file"][0]["name"] == f"{SECRET}.bin" and len(kinds["report"]) == 2
        assert kinds["push_token"][0]["token"] == "a-device"
        # Each phase of an erasure is a line of the audit log.
        erased = await finish(caller, await ask(caller, "delete", ["cy"]))
        audited = await caller.send("GET", f"/v3/parley/audit?path={erased['request_id']}")
        records = audited.value["records"]
        steps = [one["path"].rsplit("/", 1)[1] for one in records][::-1]
        assert steps == ["messages", "channels", "account", "groups", "mentions", "events", "remains"], records


async def test_requests_are_cancelled_before_they_begin(ctx):
    """A request that waits for another one is cancelled, and one that has ended is not."""
    server = await ctx.fresh(*FLAGS)
    environment = {"PARLEY_CLI_SERVER": f"http://127.0.0.1:{server.port}", "PARLEY_CLI_API_TOKEN": server.api_token}

    async def run(*arguments):
        status, output, errors = await ctx.run(ctx.parley, *arguments, environment=environment)
        assert status == 0, (status, output, errors)
        return output.decode()
    async with Caller(server) as caller:
        await caller.call("POST", "/users", {"user_id": "ada", "nickname": "Ada"})
        # One at a time: some of these wait.
        requests = [await ask(caller, "access", ["ada"]) for _ in range(8)]
        answer = await caller.send("DELETE", f"/v3/privacy/gdpr/{requests[-1]}")
        assert answer.status == 200 and answer.value == {}, answer
        assert (await caller.send("GET", f"/v3/privacy/gdpr/{requests[-1]}")).code == 400201
        await finish(caller, requests[0])
        answer = await caller.send("DELETE", f"/v3/privacy/gdpr/{requests[0]}")
        assert answer.code == 400920, answer
        started = json.loads(await run("privacy", "erase", "ada", "--yes", "--json"))
        assert started["request_id"] in await run("privacy", "list")
        await finish(caller, started["request_id"])
        assert "done" in await run("privacy", "show", started["request_id"])
        assert "request" in await run("privacy", "access", "bob")
