"""Reports: who may report what, what moderators see and decide, what is posted, and what bounds reports have."""

from groupendpoints import Back
from groups import FREE
from harness import refused
from webhooks import Receiver, flags

SPAM = {"category": "spam"}


async def reports(back, **query):
    return (await back.call("GET", "/report", limit=100, **query))["report_logs"]


async def test_a_message_is_reported(ctx):
    """A participant reports a message once; moderators see it as it was, with both users and the channel."""
    server = await ctx.fresh(*FREE)
    channel, owner, writer = await ctx.room(server, 1)
    sent = (await writer.send(channel, "buy now", data="secret"))["message"]
    call = {"channel_url": channel, "message_id": sent["message_id"], "category": "custom",
            "custom_category": "shop", "description": "again and again"}
    for _ in range(3):
        assert await owner.call("message.report", **call) == {}
    await writer.call("message.update", channel_url=channel, message_id=sent["message_id"], message="nothing")
    await owner.call("message.delete", channel_url=channel, message_id=sent["message_id"])
    async with Back(server) as back:
        report, = await reports(back)
        assert report["report_type"] == "message" and report["state"] == "open", report
        assert report["report_category"] == "custom" and report["custom_report_category_name"] == "shop"
        assert report["report_description"] == "again and again"
        assert report["reporting_user"]["user_id"] == owner.user_id
        assert report["offending_user"]["user_id"] == writer.user_id
        message = report["reported_message"]
        assert message["message"] == "buy now" and message["data"] == "secret", message
        assert message["user"]["user_id"] == writer.user_id and message["created_at"] == sent["created_at"]
        assert report["channel"]["channel_url"] == channel and report["channel"]["channel_type"] == "open_channels"
        assert "note" not in report and "closed_at" not in report
        path = f"/report/open_channels/{channel}/messages/{sent['message_id']}"
        assert (await back.call("GET", path))["report_logs"] == [report]
        assert await back.call("GET", f"/parley/reports/{report['id']}") == report
        # The message is gone, and a second one like it was never reported.
        assert await back.code("POST", path, {"report_category": "spam"}) == 400201
        assert (await back.call("GET", f"/report/users/{writer.user_id}"))["report_logs"] == []
        assert (await back.call("GET", f"/report/open_channels/{channel}"))["report_logs"] == []
        assert await back.code("GET", f"/report/group_channels/{channel}") == 400201


async def test_who_may_report(ctx):
    """Only users who are in the channel report; of groups only joined members, and only what they may read."""
    server = await ctx.fresh(*FREE)
    channel, owner, writer = await ctx.room(server, 1)
    ann, ben, cat, eve = await ctx.users(server, 4)
    number = (await writer.send(channel, "x"))["message"]["message_id"]
    for method, more in (("message", {"message_id": number}), ("user", {"user_id": writer.user_id}), ("channel", {})):
        async with refused(900020):
            await eve.call(f"{method}.report", channel_url=channel, **SPAM, **more)
    await eve.enter(channel)
    assert await eve.call("message.report", channel_url=channel, message_id=number, **SPAM) == {}
    url = ctx.name("group")
    await ann.call("group.create", channel_url=url, user_ids=[ben.user_id])
    await ann.call("group.invite", channel_url=url, user_ids=[cat.user_id])
    secret = (await ann.send(url, "y"))["message"]["message_id"]
    async with refused(400201):
        await eve.call("message.report", channel_url=url, message_id=secret, **SPAM)
    async with refused(400201):
        await eve.call("channel.report", channel_url=url, **SPAM)
    # A message of one channel is none of another, which one may read.
    async with refused(400201):
        await eve.call("message.report", channel_url=channel, message_id=secret, **SPAM)
    assert await ben.call("message.report", channel_url=url, message_id=secret, **SPAM) == {}
    await cat.call("group.reset_history", channel_url=url)
    async with refused(400201):
        await cat.call("message.report", channel_url=url, message_id=secret, **SPAM)
    later = (await ann.send(url, "z"))["message"]["message_id"]
    assert await cat.call("message.report", channel_url=url, message_id=later, **SPAM) == {}


async def test_what_cannot_be_reported(ctx):
    """Messages of the future, of ephemeral channels and deleted ones, unknown users and wrong values are refused."""
    server = await ctx.fresh(*FREE)
    channel, owner, writer = await ctx.room(server, 1)
    number = (await writer.send(channel, "x"))["message"]["message_id"]
    fleeting, host = await ctx.room(server, 0, is_ephemeral=True)
    gone = (await host.send(fleeting, "x"))["message"]["message_id"]
    here, one = {"channel_url": channel}, {"channel_url": channel, "message_id": number}
    for code, method, params in (
            (400201, "message", {**here, "message_id": number + 10**12, **SPAM}),
            (400201, "user", {**here, "user_id": "nobody-at-all", **SPAM}),
            (400201, "channel", {"channel_url": "no-such-channel", **SPAM}),
            (400105, "message", {**here, **SPAM}), (400105, "message", one), (400105, "user", {**here, **SPAM}),
            (400105, "channel", {"category": "spam"}),
            (400111, "message", {**one, "category": "boring"}), (400100, "message", {**one, "category": 7}),
            (400101, "message", {**here, "message_id": "1", **SPAM}),
            (400105, "message", {**one, "category": "custom"}),
            (400105, "message", {**one, "category": "custom", "custom_category": ""}),
            (400920, "message", {**one, **SPAM, "custom_category": "x"}),
            (400110, "message", {**one, "category": "custom", "custom_category": "x" * 51}),
            (400151, "message", {**one, "category": "custom", "custom_category": "a\nb"}),
            (400110, "message", {**one, **SPAM, "description": "ö" * 1001}),
            (400110, "message", {**one, **SPAM, "description": "x" * 10_000}),
            (400151, "message", {**one, **SPAM, "description": "a\0b"}),
            (400100, "message", {**one, **SPAM, "description": ["x"]})):
        async with refused(code):
            await owner.call(f"{method}.report", **params)
    async with refused(400201):
        await host.call("message.report", channel_url=fleeting, message_id=gone, **SPAM)
    assert await host.call("channel.report", channel_url=fleeting, **SPAM) == {}
    await owner.call("message.delete", **one)
    async with refused(400201):
        await owner.call("message.report", **one, **SPAM)


async def test_a_user_cannot_flood(ctx):
    """Ten reports at once, then one a second: beyond that 500910 with the time to wait."""
    server = await ctx.fresh(*FREE)
    channel, owner = await ctx.room(server, 0)
    for _ in range(10):
        assert await owner.call("channel.report", channel_url=channel, **SPAM) == {}
    async with refused(500910, scope="user", limit=1):
        for _ in range(100):
            await owner.call("channel.report", channel_url=channel, **SPAM)
    async with Back(server) as back:
        assert len(await reports(back)) == 1


async def test_moderators_decide(ctx):
    """Reports are resolved, dismissed and reopened with a note; lists have filters, pages and tokens."""
    server = await ctx.fresh(*FREE)
    channel, owner, writer = await ctx.room(server, 1)
    async with Back(server) as back:
        base = f"/report/open_channels/{channel}"
        made = []
        for number in range(5):
            sent = (await writer.send(channel, f"m{number}"))["message"]["message_id"]
            made.append(await back.call("POST", f"{base}/messages/{sent}", {
                "report_category": "harassing", "reporting_user_id": owner.user_id}))
        assert [report["id"] for report in await reports(back)] == [report["id"] for report in reversed(made)]
        first, second, third = made[:3]
        changed = await back.call("PUT", f"/parley/reports/{first['id']}", {"state": "resolved", "note": "muted"})
        assert changed["closed_at"] > 0 and {
            **first, "state": "resolved", "note": "muted", "closed_at": changed["closed_at"]} == changed
        await back.call("PUT", f"/parley/reports/{second['id']}", {"state": "dismissed", "note": "n" * 1000})
        assert await back.code(
            "PUT", f"/parley/reports/{second['id']}", {"state": "dismissed", "note": "n" * 1001}) == 400110
        again = await back.call("PUT", f"/parley/reports/{first['id']}", {"state": "open"})
        assert again == {**first, "note": "muted"}, again
        await back.call("PUT", f"/parley/reports/{first['id']}", {"state": "resolved", "note": ""})
        for state, expected in (("open", made[:1:-1]), ("resolved", [first]), ("dismissed", [second])):
            assert [report["id"] for report in await reports(back, state=state)] == [r["id"] for r in expected], state
        found, token = [], ""
        while True:
            page = await back.call("GET", "/report", limit=1, state="open", token=token)
            found += [report["id"] for report in page["report_logs"]]
            if not (token := page["next"]):
                break
        assert found == [report["id"] for report in made[:1:-1]], found
        times = [report["created_at"] for report in made]
        assert len(await reports(back, start_ts=times[0], end_ts=times[-1])) == 5
        assert await reports(back, start_ts=times[-1] + 1) == [] == await reports(back, end_ts=times[0] - 1)
        assert await back.code("GET", f"/report?token={page['next'] or 'x'}") == 400109
        # A message is reported once by a user, though the report is closed; a channel again after that.
        sent = first["reported_message"]["message_id"]
        repeated = await back.call("POST", f"{base}/messages/{sent}", {
            "report_category": "spam", "reporting_user_id": owner.user_id})
        assert repeated["id"] == first["id"] and repeated["state"] == "resolved", repeated
        body = {"report_category": "spam", "reporting_user_id": owner.user_id}
        one = await back.call("POST", base, body)
        assert (await back.call("POST", base, body))["id"] == one["id"]
        await back.call("PUT", f"/parley/reports/{one['id']}", {"state": "dismissed"})
        two = await back.call("POST", base, body)
        assert two["id"] > one["id"]
        assert await back.code("PUT", f"/parley/reports/{one['id']}", {"state": "open"}) == 400202
        # A back end's own reports are all kept.
        third, fourth = [await back.call("POST", base, {"report_category": "spam"}) for _ in range(2)]
        assert third["id"] < fourth["id"] and "reporting_user" not in fourth, fourth
        lines = (await server.get("/metrics"))[2].decode().splitlines()
        assert 'parley_reports_total{type="message"} 5' in lines and 'parley_reports_total{type="channel"} 4' in lines
        assert "parley_reports_open 6" in lines, [line for line in lines if "reports" in line]


async def test_deleted_users(ctx):
    """A deleted reporter is no longer named and its words are gone; a deleted offender shows its id only."""
    server = await ctx.fresh(*FREE)
    channel, owner, writer = await ctx.room(server, 1)
    async with Back(server) as back:
        await back.call("PUT", f"/users/{writer.user_id}", {"nickname": "Mallory"})
        sent = (await writer.send(channel, "x"))["message"]["message_id"]
        reporter = await back.user(ctx)
        body = {"report_category": "spam", "report_description": "my words", "reporting_user_id": reporter}
        made = await back.call("POST", f"/report/open_channels/{channel}/messages/{sent}", body)
        assert made["offending_user"]["nickname"] == "Mallory"
        for name in (reporter, writer.user_id):
            await back.call("DELETE", f"/users/{name}")
        report = await back.call("GET", f"/parley/reports/{made['id']}")
        assert "reporting_user" not in report and "report_description" not in report, report
        for user in (report["offending_user"], report["reported_message"]["user"]):
            assert user["user_id"] == writer.user_id and user["nickname"] == "" == user["profile_url"], user
        await back.call("DELETE", f"/open_channels/{channel}")
        assert await back.call("GET", f"/parley/reports/{made['id']}") == report
        # Lists show what is reported as long as there are reports.
        assert (await back.call("GET", f"/report/open_channels/{channel}/messages/{sent}"))["report_logs"] == [report]


async def test_webhooks(ctx):
    """Each kind of report is posted once, with the members of the report."""
    async with Receiver() as receiver:
        server = await ctx.fresh(*flags(receiver))
        channel, owner, writer = await ctx.room(server, 1)
        sent = (await writer.send(channel, "x"))["message"]
        here = {"channel_url": channel, **SPAM, "description": "look"}
        for _ in range(2):
            await owner.call("message.report", **here, message_id=sent["message_id"])
            await owner.call("user.report", **here, user_id=writer.user_id)
            await owner.call("channel.report", **here)
        await owner.call("channel.delete", channel_url=channel)
        await receiver.until(lambda: [e for e in receiver.of(channel) if e["event"] == "channel.deleted"])
        posted = [event for event in receiver.of(channel) if event["event"].endswith(":report")]
        assert [event["event"] for event in posted] == ["message:report", "user:report", "channel:report"], posted
        async with Back(server) as back:
            listed = list(reversed(await reports(back)))
        for event, report in zip(posted, listed, strict=True):
            assert event["ts"] == report["created_at"] and "seq" not in event
            for name in ("id", "report_type", "report_category", "report_description", "reporting_user", "channel",
                         "created_at", "state"):
                assert event[name] == report[name], (name, event)
            assert event.get("offending_user") == report.get("offending_user")
        assert posted[0]["reported_message"]["message"] == "x"


async def test_commands(ctx):
    """`parley report` lists, shows and decides reports."""
    server = await ctx.fresh(*FREE)
    channel, owner, writer = await ctx.room(server, 1)
    sent = (await writer.send(channel, "buy now"))["message"]["message_id"]
    await owner.call("message.report", channel_url=channel, message_id=sent, **SPAM)
    access = ("--server", f"http://127.0.0.1:{server.port}", "--api-token", server.api_token)

    async def run(*arguments):
        _, output, errors = await ctx.run(ctx.parley, "report", *arguments, *access)
        return (output + errors).decode()

    async with Back(server) as back:
        report, = await reports(back)
        number = str(report["id"])
        assert "buy now" in await run("list") and number in await run("list")
        shown = await run("show", number)
        assert "buy now" in shown and owner.user_id in shown and writer.user_id in shown, shown
        await run("resolve", number, "--note", "muted")
        assert "no reports" in await run("list")
        assert "resolved" in await run("list", "--state", "all")
        await run("reopen", number)
        await run("dismiss", number)
        decided = await back.call("GET", f"/parley/reports/{number}")
        assert decided["state"] == "dismissed" and decided["note"] == "muted", decided
        assert "there is no such report" in await run("show", "999999")


async def test_persistence(ctx):
    """Reports survive a killed server, and numbers continue."""
    server = await ctx.fresh(*FREE)
    channel, owner = await ctx.room(server, 0)
    await owner.call("channel.report", channel_url=channel, **SPAM)
    await server.kill()
    server = await ctx.fresh(*FREE, data=server.data)
    async with Back(server) as back:
        first, = await reports(back)
        second = await back.call("POST", f"/report/open_channels/{channel}", {"report_category": "spam"})
        assert first["reporting_user"]["user_id"] == owner.user_id and second["id"] > first["id"], (first, second)
