"""What needs attention: the problems of a server, and the newest calls of its audit log."""

import os
import subprocess
import time

from apitokens import call
from dashboardpage import FLAGS, fill, log_in, settled, text
from harness import eventually
from pagefiles import in_browser


def certificate(folder, days):
    """The flags of a server whose certificate is valid for this many days."""
    key, path = os.path.join(folder, "key.pem"), os.path.join(folder, "certificate.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
         "-subj", "/CN=localhost", "-days", str(days), "-keyout", key, "-out", path],
        check=True, capture_output=True)
    return ["--tls-listen", "127.0.0.1:0", "--tls-certificate", path, "--tls-private-key", key]


async def kinds(server):
    status, _, answer = await call(server, "GET", "/parley/status")
    assert status == 200, answer
    return [one["kind"] for one in answer["problems"]]


async def test_a_server_lists_its_problems(ctx):
    """Status and metrics list what expires soon, until it is renewed; the command prints it."""
    folder = ctx.directory()
    server = await ctx.fresh(*FLAGS, *certificate(folder, 10))
    soon = int(time.time() * 1000) + 5 * 86_400_000
    _, _, token = await call(server, "POST", "/parley/api_tokens", {"name": "shop", "role": "viewer", "expires_at": soon})
    _, _, late = await call(
        server, "POST", "/parley/api_tokens", {"name": "board", "role": "viewer", "expires_at": soon + 15 * 86_400_000})
    assert await kinds(server) == ["certificate", "api_token"]
    _, _, metrics = await call(server, "GET", "/parley/metrics")
    messages = [one["message"] for one in metrics["problems"]]
    assert messages == ["the TLS certificate expires in 9 days", "the API token shop expires in 4 days"], messages
    expiry, = [one["value"] for one in metrics["samples"] if one["name"] == "parley_certificate_expiry_seconds"]
    assert 9.9 * 86_400 < expiry <= 10 * 86_400, expiry
    output = subprocess.run(
        [ctx.parley, "status", "--server", f"http://127.0.0.1:{server.port}", "--api-token", server.api_token],
        check=True, capture_output=True, text=True).stdout
    assert "the TLS certificate expires in 9 days: renew" in output, output
    await call(server, "DELETE", f"/parley/api_tokens/{token['id']}")
    assert await kinds(server) == ["certificate"]
    certificate(folder, 90)
    server.process.send_signal(1)

    async def renewed():
        return await kinds(server) == []
    await eventually(renewed, "the new certificate")


@in_browser
async def test_problems_and_calls_on_the_dashboard(ctx, page):
    """The overview lists problems with what to do; the view Audit lists calls, also refused ones, and finds them."""
    log = os.path.join(ctx.directory(), "audit.log")
    server = await ctx.fresh(*FLAGS, *certificate(ctx.directory(), 3), "--audit-log", log)
    await call(server, "POST", "/users", {"user_id": "ada", "nickname": "Ada", "profile_url": ""})
    await call(server, "PUT", "/users/ada", {"nickname": "Ada L"})
    await call(server, "DELETE", "/users/nobody")
    await log_in(page, server)
    await page.until("document.querySelector('.problems')?.innerText.includes('The TLS certificate expires in 2 days.')")
    assert "reload with SIGHUP" in await text(page)
    assert await page.run("document.querySelector('#state a').textContent") == "1 problem"
    await page.run("location.hash = '#/audit'")
    await settled(page)
    rows = "[...document.querySelectorAll('table[aria-label=\"Audit log\"] tbody tr')].map((row) => `${row.cells[2].innerText} ${row.cells[3].innerText}`)"
    await page.until(f"{rows}.length === 3")
    assert await page.run(rows) == [
        "DELETE /users/nobody refused: 400201", "PUT /users/ada done", "POST /users done"], await page.run(rows)
    await fill(page, "Search calls", q="users/ada token:first")
    await page.until(f"{rows}.length === 1")
    await page.run("document.querySelector('tbody summary').click()")
    assert "Ada L" in await text(page)
    with open(log, encoding="utf-8") as file:
        assert len(file.readlines()) == 3


async def test_the_newest_calls_are_listed(ctx):
    """Records are listed newest first in pages, by token and path; without audit.log there are none."""
    server = await ctx.server()
    status, _, answer = await call(server, "GET", "/parley/audit")
    assert status == 200 and (answer["is_on"], answer["records"], answer["next"]) == (False, [], ""), answer
    server = await ctx.fresh(*FLAGS, "--audit-log", os.path.join(ctx.directory(), "audit.log"))
    for number in range(5):
        await call(server, "POST", "/users", {"user_id": f"user{number}", "nickname": "", "profile_url": ""})

    async def all_records():
        _, _, answer = await call(server, "GET", "/parley/audit")
        return answer if len(answer["records"]) == 5 else None
    answer = await eventually(all_records, "the records")
    assert answer["is_on"] and answer["server"], answer
    names = [one["object"]["user_id"] for one in answer["records"]]
    assert names == [f"user{number}" for number in reversed(range(5))], names
    found, token = [], ""
    while True:
        _, _, page = await call(server, "GET", f"/parley/audit?limit=2&token={token}")
        found += page["records"]
        token = page["next"]
        if not token:
            break
    assert found == answer["records"]
    _, _, none = await call(server, "GET", "/parley/audit?token_id=unknown")
    assert none["records"] == [], none
    status, _, refusal = await call(server, "GET", "/parley/audit?token=nonsense")
    assert (status, refusal["code"]) == (400, 400111) or status == 400, refusal
