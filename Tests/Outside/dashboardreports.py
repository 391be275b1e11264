"""The queue of reports in the dashboard."""

from dashboardpage import FLAGS, log_in, pressed, settled, text
from groupendpoints import Back
from harness import eventually
from pagefiles import in_browser


@in_browser
async def test_reports_are_decided(ctx, page):
    """The queue shows a message as it was and its users; it leads to deleting and muting, and reports are closed."""
    server = await ctx.fresh(*FLAGS)
    channel, owner, writer = await ctx.room(server, 1)
    sent = (await writer.send(channel, "buy <b>now</b>"))["message"]
    await owner.call("message.report", channel_url=channel, message_id=sent["message_id"], category="custom",
                     custom_category="shop", description="again")
    await writer.call("message.update", channel_url=channel, message_id=sent["message_id"], message="nothing")
    await owner.call("channel.report", channel_url=channel, category="spam")
    async with Back(server) as back:
        second, first = (await back.call("GET", "/report"))["report_logs"]
        await log_in(page, server, view="reports")
        await settled(page)
        shown = await text(page)
        for words in ("buy <b>now</b>", "shop", "again", owner.user_id, writer.user_id, "spam"):
            assert words in shown, (words, shown)
        await pressed(page, f"Actions on {writer.user_id} and the message {sent['message_id']}")
        await page.run("[...document.querySelectorAll('dialog button')].find((one) => one.textContent === 'Delete the message').click()")
        await page.until("!!document.querySelector('dialog button[value=yes]')")
        await page.run("document.querySelector('dialog button[value=yes]').click()")
        assert (await owner.event("message.deleted"))["message_id"] == sent["message_id"]
        await page.until("!document.querySelector('dialog')")
        await page.run("document.querySelectorAll('.feed li')[1].querySelector('input').value = 'deleted it'")
        await pressed(page, f"Resolve report {first['id']}")
        await page.until("document.querySelectorAll('.feed > li').length === 1")
        await pressed(page, f"Dismiss report {second['id']}")
        await page.until("document.querySelectorAll('.feed > li').length === 0")
        decided = await back.call("GET", f"/parley/reports/{first['id']}")
        assert (decided["state"], decided["note"]) == ("resolved", "deleted it"), decided
        await page.run("[...document.querySelectorAll('nav a')].find((one) => one.textContent === 'All').click()")
        await page.until("document.querySelectorAll('.feed > li').length === 2")
        await pressed(page, f"Reopen report {second['id']}")

        async def is_open():
            return (await back.call("GET", f"/parley/reports/{second['id']}"))["state"] == "open"
        await eventually(is_open)
