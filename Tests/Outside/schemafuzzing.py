"""Calls made up from the OpenAPI document, right ones and wrong ones, by Schemathesis."""

import os
import sys

# What a call is refused for by the state of things can't be said in a schema, and so neither can
# that a call with right values is accepted; a method that there is not is 404 here, not 405.
CHECKS = ",".join((
    "not_a_server_error", "status_code_conformance", "content_type_conformance",
    "response_headers_conformance", "response_schema_conformance", "ignored_auth"))

# The paths' open parts name what is there; what deletes them is made up freely.
SETTINGS = """
[parameters]
"path.channel_url" = "{channel}"
"path.message_id" = {message}
"path.user_id" = "{user}"

[[operations]]
include-operation-id = ["deleteChannel", "deleteMessage", "deleteUser"]
parameters = {{ "path.channel_url" = "none", "path.message_id" = 1, "path.user_id" = "none" }}
"""


async def settings_file(ctx, server):
    """Has a channel with a user and a message in it, and names them to Schemathesis."""
    client = await ctx.user(server)
    channel = ctx.name("room")
    await client.call("channel.create", channel_url=channel)
    await client.enter(channel)
    message = (await client.send(channel, "hello"))["message"]
    path = os.path.join(ctx.directory(), "schemathesis.toml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(SETTINGS.format(
            channel=channel, message=message["message_id"], user=client.user_id))
    return path


async def test_made_up_calls_are_answered_as_described(ctx):
    """No made-up call makes the server fail, and each answer is one that is described for it."""
    server = await ctx.fresh(
        "--unfurl-timeout-ms", "200", "--limits-platform-calls-per-second", "100000",
        "--limits-platform-calls-burst", "100000")
    status, output, errors = await ctx.run(
        os.path.join(os.path.dirname(sys.executable), "schemathesis"),
        "--config-file", await settings_file(ctx, server), "run",
        f"http://127.0.0.1:{server.port}/v3/openapi.json",
        "--header", f"Api-Token: {server.api_token}", "--checks", CHECKS,
        "--exclude-path", "/v1/ws", "--exclude-path-regex", "/drain$",
        # Its pieces are of a type that Schemathesis makes no bodies of.
        "--exclude-path", "/v1/uploads/{secret}", "--max-examples", "8",
        "--max-time", "15", "--seed", "1", "--no-shrink", "--generation-database", "none",
        "--suppress-health-check", "all", "--warnings", "off", "--no-color",
        directory=ctx.directory())
    text = output.decode(errors="replace")
    start = max(text.find("= FAILURES ="), text.find("= ERRORS ="))
    assert status == 0, text[start:][:3000] + errors.decode()[-500:]
    assert " passed" in text and server.process.returncode is None, list(server.lines)
