"""Quotas of users and of the deployment, and what is used of them."""

import os
import signal
import sqlite3

from calls import FLAGS, Caller
from groups import refusal
from harness import eventually

PAST = 1_546_300_800_000


async def send(client, url, text="x", **params):
    return await refusal(client, "message.send", channel_url=url, message=text, **params)


async def recorded(server, user_id):
    """What is recorded in the database of a user's day."""
    path = os.path.join(server.data, "parley.sqlite")
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        row = database.execute("SELECT messages, channels FROM user_days WHERE user_id = ?", [user_id]).fetchone()
    return row


def config(folder, text):
    path = os.path.join(folder, "quotas.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


async def test_messages_per_day(ctx):
    """A user may send so many a day, also after a crash; refusals name the quota and its end, and do not count."""
    quota = ("--limits-user-messages-per-day", "3")
    server = await ctx.fresh(*FLAGS, *quota)
    url, owner, user = await ctx.room(server, 1)
    first = await user.call("message.send", channel_url=url, message="first", req_id="a")
    await owner.call("channel.freeze", channel_url=url)
    assert (await send(user, url)).code == 900050
    await owner.call("channel.unfreeze", channel_url=url)
    for _ in range(2):
        assert await send(user, url) is None
    error = await send(user, url)
    assert error.code == 500910 and "'limits.user_messages_per_day' is 3" in str(error), error
    assert error.data["limit"] == 3 and 0 < error.data["retry_after_ms"] <= 86_400_000, error.data
    again = await user.call("message.send", channel_url=url, message="first", req_id="a")
    assert again["message"]["message_id"] == first["message"]["message_id"]
    assert await send(owner, url) is None
    async with Caller(server) as caller:
        await caller.call("POST", f"/open_channels/{url}/messages", {
            "message_type": "MESG", "user_id": user.user_id, "message": "by the back end"})
        usage = await caller.call("GET", "/parley/usage", user_id=user.user_id)
        sent = {"name": "limits.user_messages_per_day", "used": 3, "limit": 3}
        assert sent in usage["quotas"], usage
        told = await caller.call("GET", "/parley/limits/explain", user_id=user.user_id, channel_url=url)
        assert sent in told["quotas"] and [r["code"] for r in told["refusals"]] == [500910], told
        told = await caller.call("GET", "/parley/limits/explain", user_id=owner.user_id, channel_url=url)
        assert {**sent, "used": 1} in told["quotas"] and told["refusals"] == [], told
    output = (await ctx.run(
        ctx.parley, "limits", "explain", "--user", user.user_id, "--channel", url,
        "--server", f"http://127.0.0.1:{server.port}", "--api-token", server.api_token))[1].decode()
    assert "limits.user_messages_per_day  3 of 3" in output and "limits.user_groups_created" in output, output

    async def is_recorded():
        return await recorded(server, user.user_id) == (3, 0)
    await eventually(is_recorded, "the count in the database")
    await server.kill()
    server = await ctx.fresh(*FLAGS, *quota, data=server.data)
    user = await ctx.user(server, user.user_id)
    await user.enter(url)

    async def is_refused():
        return (await send(user, url)) is not None
    await eventually(is_refused, "the quota after a crash")


async def test_channels_and_groups(ctx):
    """A user may create so many open channels a day, and so many groups that exist."""
    server = await ctx.fresh(*FLAGS, "--limits-user-channels-per-day", "2", "--limits-user-groups-created", "2")
    user, other = await ctx.users(server, 2)
    for _ in range(2):
        assert await refusal(user, "channel.create", channel_url=ctx.name("room")) is None
    error = await refusal(user, "channel.create", channel_url=ctx.name("room"))
    assert error.code == 500910 and "'limits.user_channels_per_day' is 2" in str(error), error
    assert await refusal(other, "channel.create", channel_url=ctx.name("room")) is None
    groups = [ctx.name("group") for _ in range(4)]
    for url in groups[:2]:
        assert await refusal(user, "group.create", channel_url=url, user_ids=[other.user_id]) is None
    error = await refusal(user, "group.create", channel_url=groups[2], user_ids=[other.user_id])
    assert error.code == 400203 and "'limits.user_groups_created' is 2" in str(error), error
    async with Caller(server) as caller:
        await caller.call("DELETE", f"/group_channels/{groups[0]}")
        assert await refusal(user, "group.create", channel_url=groups[2], user_ids=[other.user_id]) is None
        await caller.call("POST", "/group_channels", {"channel_url": groups[3], "user_ids": [user.user_id]})
        usage = await caller.call("GET", "/parley/usage", user_id=user.user_id)
        assert usage["created_groups"] == 2 and usage["joined_groups"] == 3, usage
        told = await caller.call(
            "GET", "/parley/limits/explain", user_id=user.user_id, channel_url=groups[1])
        assert [(quota["name"], quota["used"], quota["limit"]) for quota in told["quotas"]] == [
            ("limits.user_channels_per_day", 2, 2), ("limits.user_groups_created", 2, 2)], told
        assert told["refusals"] == [], told


async def test_a_full_database(ctx):
    """Beyond the quotas of the deployment users cannot send; the administrator and the back end can. Reloads apply."""
    path = config(ctx.directory(), "limits: {database_bytes: 1}")
    server = await ctx.fresh("--config", path, *FLAGS)
    url, owner, user = await ctx.room(server, 1)

    async def is_full():
        error = await send(user, url)
        return error is not None and error.code == 500901 and error.data == {
            "limit": 1, "scope": "deployment", "reason": "storage_full"}
    await eventually(is_full, "the refusal")
    async with Caller(server) as caller:
        await caller.call("POST", f"/open_channels/{url}/messages", {"message_type": "ADMM", "message": "x"})
        await caller.call("POST", f"/migration/{url}", {"messages": [
            {"message_type": "ADMM", "message": "x", "timestamp": PAST}]})
        status = await caller.call("GET", "/parley/status")
        problem = [p for p in status["problems"] if p["kind"] == "quotas"]
        assert problem and "limits.database_bytes is used up" in problem[0]["message"], status
        usage = await caller.call("GET", "/parley/usage")
        assert usage["messages"] == 2 and usage["open_channels"] == 1 and usage["users"] == 2, usage
        assert usage["bytes"]["database"] > 10_000, usage
        assert usage["top_channels"] == [{"channel_url": url, "messages": 2}], usage
        assert [quota["name"] for quota in usage["quotas"]] == ["limits.database_bytes"], usage
        told = await caller.call("GET", "/parley/limits/explain", user_id=user.user_id, channel_url=url)
        quota = told["quotas"][-1]
        assert quota["name"] == "limits.database_bytes" and quota["used"] > 10_000 and quota["limit"] == 1, told
        assert [refusal["code"] for refusal in told["refusals"]] == [500901], told
        output = (await ctx.run(
            ctx.parley, "usage", "--server", f"http://127.0.0.1:{server.port}", "--api-token", server.api_token))[1]
        assert "limits.database_bytes" in output.decode() and f"channel  {url}  2 messages" in output.decode()
    config(os.path.dirname(path), "limits: {messages_stored: 4}")
    server.process.send_signal(signal.SIGHUP)

    async def is_open():
        return await send(user, url) is None
    await eventually(is_open, "a send after the reload")

    async def is_full_again():
        error = await send(user, url)
        return error is not None and error.code == 500901 and "limits.messages_stored" in str(error)
    await eventually(is_full_again, "the refusal by the other quota")
