"""Exports and privacy requests in the dashboard."""

from calls import Caller
from dashboardpage import FLAGS, issue, log_in, pressed, settled, show, text
from exporting import finish, start
from files import download
from harness import eventually
from pagefiles import in_browser
from privacy import ask, finish as carried_out

# The cells of the rows, without those of the times.
ROWS = """[...document.querySelectorAll('tbody tr')].map((row) => ['Request', 'State', 'Size', 'File'].map((title) =>
  row.querySelector(`[data-label=${title}]`).innerText))"""
# A privacy request that waits, which the page lists until it is cancelled. Requests of a server begin too soon for that.
WAITING = """(() => {
  const real = fetch;
  let rows = [{ request_id: "waits", action: "delete", status: "scheduled", created_at: Date.now(), updated_at: Date.now(),
    params: { user_ids: ["cy"] }, error: "" }];
  const answered = (value) => new Response(JSON.stringify(value), { headers: { "Content-Type": "application/json" } });
  globalThis.fetch = async (address, options) => {
    const target = new URL(address, location).pathname;
    if (options.method === "DELETE" && target === "/v3/privacy/gdpr/waits") { rows = []; return answered({}); }
    return target === "/v3/privacy/gdpr" ? answered({ requests: rows, next: "" }) : real(address, options);
  };
})()"""


@in_browser
async def test_exports_and_privacy_requests(ctx, page):
    """Requests are listed newest first with their files; one that has not begun is cancelled."""
    server = await ctx.fresh(*FLAGS)
    async with Caller(server) as caller:
        await caller.call("POST", "/users", {"user_id": "ada", "nickname": "Ada"})
        export = await finish(caller, await start(caller, "users"), "users")
        archive = await carried_out(caller, await ask(caller, "access", ["ada"]))
        erasure = await carried_out(caller, await ask(caller, "delete", ["ada"]))
        assert [one["status"] for one in (export, archive, erasure)] == ["done"] * 3, (export, archive, erasure)
        await log_in(page, server, view="exports")
        await settled(page)
        found = await page.run(ROWS)
        kinds = [row[:2] for row in found]
        assert kinds == [["erasure", "done"], ["access", "done"], ["export of users", "done"]], found
        assert found[0][2:] == ["", ""] and all(row[2].endswith("B") and row[3] == "Download" for row in found[1:]), found
        links = await page.run("[...document.querySelectorAll('tbody a')].map((one) => one.ariaLabel)")
        assert links == [f"Download {one['file']['name']}" for one in (archive, export)], links
        link = await page.run("document.querySelector('tbody a').href")
        status, _, body = await download(server, link)
        assert status == 200 and len(body) == archive["file"]["size"], (status, len(body), archive)
        await page.run("document.querySelector('tbody details').open = true")
        assert "ada" in await text(page, "tbody details"), await text(page, "tbody details")
        assert await page.run("document.querySelectorAll('tbody button').length") == 0
        await page.run(WAITING)
        await show(page, "overview")
        await show(page, "exports")
        assert (await page.run(ROWS))[0][:2] == ["erasure", "scheduled"], await page.run(ROWS)
        await pressed(page, "Cancel waits")

        async def is_gone():
            return [row[0] for row in await page.run(ROWS)] == ["export of users"]
        await eventually(is_gone, "the list without the request")


@in_browser
async def test_admins_alone_have_the_list(ctx, page):
    """A viewer has no link to the list."""
    server = await ctx.fresh(*FLAGS)
    await log_in(page, server, await issue(server, "viewer"))
    hidden = await page.run("['exports', 'audit'].map((view) => document.querySelector(`[data-view=${view}]`).hidden)")
    assert hidden == [True, True], hidden
