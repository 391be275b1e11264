"""Calls made up from the OpenAPI document, right ones and wrong ones, by Schemathesis."""

import os
import sys

# What a call is refused for by the state of things can't be said in a schema, and so neither can
# that a call with right values is accepted; a method that there is not is 404 here, not 405.
CHECKS = ",".join((
    "not_a_server_error", "status_code_conformance", "content_type_conformance",
    "response_headers_conformance", "response_schema_conformance", "ignored_auth"))


async def test_made_up_calls_are_answered_as_described(ctx):
    """No made-up call makes the server fail, and each answer is one that is described for it."""
    server = await ctx.fresh(
        "--unfurl-timeout-ms", "200", "--limits-platform-calls-per-second", "100000",
        "--limits-platform-calls-burst", "100000")
    status, output, errors = await ctx.run(
        os.path.join(os.path.dirname(sys.executable), "schemathesis"), "run",
        f"http://127.0.0.1:{server.port}/v3/openapi.json",
        "--header", f"Api-Token: {server.api_token}", "--checks", CHECKS,
        "--exclude-path", "/v1/ws", "--exclude-path-regex", "/v3/parley/drain",
        "--max-examples", "8", "--max-time", "15", "--seed", "1", "--no-shrink",
        "--generation-database", "none", "--suppress-health-check", "all", "--no-color",
        environment={"HYPOTHESIS_STORAGE_DIRECTORY": ctx.directory()})
    text = output.decode(errors="replace")
    assert status == 0, text[text.find("= FAILURES ="):][:3000] + errors.decode()[-500:]
    assert server.process.returncode is None, server.lines
