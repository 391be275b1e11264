"""Push tokens of users on the command line."""

import json

from calls import Caller

# A service that is not there: nothing is pushed in these tests.
FLAGS = ["--unfurl-mode", "off", "--push-url", "http://127.0.0.1:9/", "--push-url-types", "apns,gcm",
         "--push-secret", "sixteen bytes and more"]


async def test_tokens_on_the_command_line(ctx):
    """Tokens are listed by their ends, and removed by them, one or all."""
    server = await ctx.server(*FLAGS)
    gateway = ["--server", f"http://127.0.0.1:{server.port}", "--api-token", server.api_token]

    async def parley(*arguments):
        status, output, errors = await ctx.run(ctx.parley, "push", *arguments, *gateway)
        return status, output.decode(), errors.decode()

    async with Caller(server) as caller:
        await caller.call("POST", "/users", {"user_id": "ada", "nickname": "", "profile_url": ""})
        assert await parley("list", "ada") == (0, "no tokens\n", "")
        for token in ("one-secret-11111111", "two-secret-11111111", "-three-22222222"):
            await caller.call("POST", "/users/ada/push/gcm", {"gcm_reg_token": token})
        await caller.call("POST", "/users/ada/push/apns", {"apns_device_token": "ABCDEF0123456789"})
        status, output, errors = await parley("list", "ada")
        assert status == 0 and output.count("11111111") == 2 and "23456789" in output, (output, errors)
        assert "secret" not in output and "abcdef" not in output, output
        status, output, _ = await parley("list", "ada", "--json")
        answers = {answer["type"]: answer["token"] for answer in json.loads(output)}
        assert answers["apns"] == ["abcdef0123456789"] and len(answers["gcm"]) == 3, answers
        assert answers["web"] == answers["huawei"] == []
        for end, words in (("11111111", "2 tokens end so"), ("1111111", "8 characters"), ("99999999", "no token")):
            status, output, errors = await parley("remove", "ada", "--type", "gcm", "--token", end)
            assert status == 1 and words in errors and not output, errors
        status, output, errors = await parley("remove", "ada", "--type", "gcm", "--token", "-three-22222222")
        assert (status, output) == (0, "1 token removed\n"), errors
        status, output, errors = await parley("remove", "ada", "--type", "gcm", "--token", "two-secret-11111111")
        assert (status, output) == (0, "1 token removed\n"), errors
        assert (await caller.call("GET", "/users/ada/push/gcm"))["token"] == ["one-secret-11111111"]
        status, output, errors = await parley("remove", "ada", "--all", "--yes")
        assert (status, output) == (0, "2 tokens removed\n"), errors
        assert await parley("list", "ada") == (0, "no tokens\n", "")
    status, _, errors = await parley("list", "ghost")
    assert status == 1 and "ghost" in errors, errors
    for arguments in (["remove", "ada"], ["remove", "ada", "--type", "gcm"], ["remove", "ada", "--all", "--token", "x"],
                      ["remove", "ada", "--type", "fax", "--token", "x"], ["explain", "ada"], ["list"]):
        status, _, errors = await parley(*arguments)
        assert status == 64 and errors, arguments
