"""Pictures of channels and users: uploaded files that they keep, over the socket, HTTP and the tool."""

import asyncio
import json
import os

from files import call, download, form
from harness import eventually, refused
from thumbnails import png
from uploads import create, put

FLAGS = ["--unfurl-mode", "off", "--limits-uploads-per-second", "0"]
ON = [*FLAGS, "--files-encryption", "on"]


async def sent(server, method, path, fields, part, content, name="a.png", kind="image/png"):
    """A call with a form whose file is the part."""
    body, content_type = form(fields, content, name, kind)
    if content is not None:
        body = body.replace(b'name="file"', f'name="{part}"'.encode())
    status, _, answer = await asyncio.to_thread(
        call, server, method, f"/v3{path}", body,
        {"Api-Token": server.api_token, "Content-Type": content_type})
    return status, json.loads(answer)


async def put_json(server, path, members):
    status, _, answer = await asyncio.to_thread(
        call, server, "PUT", f"/v3{path}", json.dumps(members), {"Api-Token": server.api_token})
    return status, json.loads(answer)


async def test_addresses_follow_the_setting(ctx):
    """Pictures have the address of files.public_url when they are read, in lists and messages too; others' stay."""
    server = await ctx.fresh(*FLAGS, "--limits-throttle-messages", "0")
    picture = png(20, 20)
    foreign = f"https://other.example/files/{'ab' * 16}/a.png"
    await ctx.user(server, "bob", profile_url=foreign)
    ada = await ctx.user(server, "ada")
    status, made = await sent(server, "PUT", "/users/ada", {}, "profile_file", picture)
    assert status == 200, made
    status, room = await sent(
        server, "POST", "/open_channels", {"channel_url": "lobby", "operator_ids": "ada,bob"}, "cover_file", picture)
    assert status == 200, room
    await ada.enter("lobby")
    await ada.send("lobby", "hello", mentioned_user_ids=["ada", "bob"])
    paths = [url[url.index("/files/"):] for url in (made["profile_url"], room["cover_url"])]

    async def shown(server):
        """All addresses of ada's profile, of the cover, and of bob's profile."""
        user = await ctx.user(server, "viewer")
        entered = await user.enter("lobby")
        channel = (await user.call("channel.get", channel_url="lobby"))["channel"]
        listed = (await user.call("channel.list"))["channels"][0]
        [message] = (await user.call("message.list", channel_url="lobby"))["messages"]
        people = [*channel["operators"], *listed["operators"], message["user"], *message["mentioned_users"],
                  (await user.call("user.get", user_id="ada"))["user"],
                  *(await server.api("GET", "/users"))[1]["users"],
                  (await server.api("GET", "/users/ada"))[1]]
        covers = [entered["channel"]["cover_url"], channel["cover_url"], listed["cover_url"],
                  (await server.api("GET", "/open_channels"))[1]["channels"][0]["cover_url"],
                  (await server.api("GET", "/open_channels/lobby"))[1]["cover_url"]]
        profiles = {name: {p["profile_url"] for p in people if p["user_id"] == name} for name in ("ada", "bob")}
        return profiles["ada"], set(covers), profiles["bob"]

    for base, flags in (
            ("https://cdn.example/x", ["--files-public-url", "https://cdn.example/x/"]),
            ("https://new.example", ["--files-public-url", "https://new.example"]),
            (f"http://127.0.0.1:{server.port}", [])):
        await server.end()
        server = await ctx.fresh(*FLAGS, "--limits-throttle-messages", "0", *flags, data=server.data)
        assert await shown(server) == ({base + paths[0]}, {base + paths[1]}, {foreign})


async def test_forms_in_the_audit_log(ctx):
    """The line of a form has the values before and after, and no address of a picture."""
    path = os.path.join(ctx.directory(), "audit.log")
    server = await ctx.fresh(*FLAGS, "--audit-log", path)
    picture = png(20, 20)
    for method, url, fields, expected in (
            ("POST", "/open_channels", {"channel_url": "lobby", "name": "Lobby"}, 200),
            ("PUT", "/open_channels/lobby", {"name": "Hall"}, 200),
            ("PUT", "/open_channels/nowhere", {"name": "Hall"}, 400)):
        status, answer = await sent(server, method, url, fields, "cover_file", picture)
        assert status == expected, answer

    def lines():
        with open(path, encoding="utf-8") as file:
            return file.readlines()

    async def are_written():
        return len(lines()) == 3

    await eventually(are_written, "three lines")
    assert not any("/files/" in line for line in lines()), lines()
    made, changed, missing = [json.loads(line) for line in lines()]
    assert made["object"] == {"channel_url": "lobby"} and made["after"]["name"] == "Lobby", made
    assert "before" not in made, made
    assert (changed["before"], changed["after"]) == ({"name": "Lobby"}, {"name": "Hall"}), changed
    assert (missing["status"], missing["code"]) == (400, 400201) and "after" not in missing, missing


async def is_gone(server, url):
    async def gone():
        # Where files are encrypted, nobody learns without a key that there is none.
        return (await download(server, url))[0] in (401, 404)
    await eventually(gone, f"{url} gone")


async def test_channels_take_covers_by_form(ctx):
    """A form makes and changes a channel with a picture; the one before it goes, the last with it."""
    server = await ctx.fresh(*ON)
    first, second = png(20, 20), png(30, 30)
    name = ctx.name("room")
    status, made = await sent(
        server, "POST", "/open_channels",
        {"channel_url": name, "name": "Lobby", "operator_ids": "ada,bob", "is_ephemeral": "false",
         "data": "", "unknown": "x"}, "cover_file", first, "plan <b>.png")
    # Operators must exist.
    assert status == 400 and made["code"] == 400201, made
    for user in ("ada", "bob"):
        await ctx.user(server, user)
    status, made = await sent(
        server, "POST", "/open_channels",
        {"channel_url": name, "name": "Lobby", "operator_ids": "ada,bob", "is_ephemeral": "false",
         "message_survival_seconds": "3600"},
        "cover_file", first)
    assert status == 200 and made["name"] == "Lobby" and made["message_survival_seconds"] == 3600, made
    assert [user["user_id"] for user in made["operators"]] == ["ada", "bob"]
    # Public, in the clear, with every file encrypted otherwise.
    assert (await download(server, made["cover_url"]))[2] == first
    status, changed = await sent(
        server, "PUT", f"/open_channels/{name}", {"data": "new", "message_survival_seconds": "-1"}, "cover_file",
        second)
    assert status == 200 and changed["data"] == "new" and changed["name"] == "Lobby", changed
    assert changed["message_survival_seconds"] == -1, changed
    assert changed["cover_url"] != made["cover_url"]
    assert (await download(server, changed["cover_url"]))[2] == second
    await is_gone(server, made["cover_url"])
    status, plain = await put_json(
        server, f"/open_channels/{name}", {"name": "Hall"})
    assert status == 200 and plain["cover_url"] == changed["cover_url"], plain
    status, _ = await server.api("DELETE", f"/open_channels/{name}")
    assert status == 200
    await is_gone(server, changed["cover_url"])


async def test_users_take_pictures_by_form(ctx):
    """A form makes and changes a user with a picture, which goes with the user."""
    server = await ctx.fresh(*FLAGS)
    name = ctx.name("user")
    status, made = await sent(
        server, "POST", "/users",
        {"user_id": name, "nickname": "Ada", "metadata": '{"team": "red"}',
         "issue_access_token": "true"}, "profile_file", png(9, 9))
    assert status == 200 and made["metadata"] == {"team": "red"} and made["access_token"], made
    assert (await download(server, made["profile_url"]))[2] == png(9, 9)
    status, changed = await sent(
        server, "PUT", f"/users/{name}", {"nickname": "Bea"}, "profile_file", png(8, 8))
    assert status == 200 and changed["nickname"] == "Bea", changed
    await is_gone(server, made["profile_url"])
    await server.api("DELETE", f"/users/{name}")
    await is_gone(server, changed["profile_url"])


async def test_forms_that_are_refused(ctx):
    """Both a file and an address, an empty file, no such channel: refused, and nothing is changed."""
    server = await ctx.fresh(*FLAGS, "--limits-file-bytes", "100000")
    channel, _ = await ctx.room(server, 0)
    path = f"/open_channels/{channel}"
    picture = png(9, 9)
    for fields, content, code in (
            ({"cover_url": "https://a.example/x.png"}, picture, 400920),
            ({}, b"", 400111), ({"name": "x" * 192}, picture, 400110),
            ({"operator_ids": "nobody-here"}, picture, 400201)):
        status, answer = await sent(server, "PUT", path, fields, "cover_file", content)
        assert status == 400 and answer["code"] == code, (fields, answer)
    status, answer = await sent(server, "PUT", path, {}, "cover_file", os.urandom(100_001))
    assert status == 413 and answer["code"] == 400111, answer
    status, answer = await sent(
        server, "PUT", "/open_channels/no-such-room", {}, "cover_file", picture)
    assert answer["code"] == 400201, answer
    status, answer = await sent(server, "POST", "/users", {}, "profile_file", picture)
    assert answer["code"] == 400105, answer
    status, answer = await server.api("GET", path)
    assert answer["cover_url"] == "", answer


async def test_sealed_files_are_no_pictures(ctx):
    """A file that needs a key is refused over the socket; one in the clear is kept while it is used."""
    server = await ctx.fresh(*ON)
    channel, owner = await ctx.room(server, 0)
    sealed, url = await create(owner, 9)
    await put(server, url, b"123456789")
    for method, params in (
            ("channel.update", {"channel_url": channel, "cover_file_id": sealed["file_id"]}),
            ("user.update", {"profile_file_id": sealed["file_id"]})):
        async with refused(400920):
            await owner.call(method, **params)
    clear, url = await create(owner, 9, require_auth=False)
    await put(server, url, b"123456789")
    shown = (await owner.call(
        "channel.update", channel_url=channel, cover_file_id=clear["file_id"]))["channel"]
    assert (await download(server, shown["cover_url"]))[2] == b"123456789"
    # It is public: a key that ended, or never was one, takes nothing away.
    for stale in ("x", sealed["file_id"]):
        status, _, body = await download(server, shown["cover_url"], **{"Parley-File-Key": stale})
        assert (status, body) == (200, b"123456789"), status
        path = shown["cover_url"].split("/files/")[1]
        status, _, body = await asyncio.to_thread(
            call, server, "GET", f"/files/{path}?auth={stale}")
        assert (status, body) == (200, b"123456789"), status
    await owner.call("channel.update", channel_url=channel, cover_url="")
    await is_gone(server, shown["cover_url"])


async def test_the_tool_uploads_pictures(ctx):
    """parley channel and parley user take the path of a picture."""
    server = await ctx.fresh(*FLAGS)
    channel, owner = await ctx.room(server, 0)
    path = os.path.join(ctx.directory(), "a picture.png")
    with open(path, "wb") as file:
        file.write(png(12, 12))

    async def tool(*arguments):
        status, output, errors = await ctx.run(
            ctx.parley, *arguments, "--server", f"http://127.0.0.1:{server.port}", "--json",
            environment={
                "PARLEY_CLI_API_TOKEN": server.api_token, "XDG_CONFIG_HOME": "/nonexistent"})
        assert status == 0, errors
        return json.loads(output)
    shown = await tool("channel", "update", channel, "--cover-file", path)
    assert (await download(server, shown["cover_url"]))[2] == png(12, 12), shown
    shown = await tool("user", "update", owner.user_id, "--profile-picture", path)
    assert (await download(server, shown["profile_url"]))[2] == png(12, 12), shown
    shown = await tool("channel", "create", ctx.name("room"), "--name", "N", "--operator",
                       owner.user_id, "--cover-file", path)
    assert shown["name"] == "N" and shown["operators"][0]["user_id"] == owner.user_id, shown
    assert (await download(server, shown["cover_url"]))[2] == png(12, 12)


async def test_uploads_are_explained(ctx):
    """limits/explain shows what stands against the next upload of a user."""
    server = await ctx.fresh(
        "--unfurl-mode", "off", "--limits-uploads-per-user", "2", "--limits-user-file-bytes", "50",
        "--limits-uploads-per-second", "3")
    channel, owner = await ctx.room(server, 0)

    async def uploads():
        status, answer = await server.api(
            "GET", f"/parley/limits/explain?user_id={owner.user_id}&channel_url={channel}")
        assert status == 200, answer
        return answer["uploads"]
    free = await uploads()
    assert (free["unfinished"], free["max_unfinished"], free["refusals"]) == (0, 2, []), free
    await create(owner, 30)
    await create(owner, 20)
    full = await uploads()
    assert (full["unfinished"], full["file_bytes"], full["max_file_bytes"]) == (2, 50, 50), full
    assert [refusal["code"] for refusal in full["refusals"]] == [400203, 400203], full
    async with refused(400203):
        await owner.call("file.create", size=1)
