"""The descriptions for machines: served as they are in the tree, well-formed, and complete."""

import json
import os
import re

import jsonschema_rs
import openapi_spec_validator

from harness import http
from schemas import description, operations, socket_operations, source

HERE = os.path.dirname(os.path.abspath(__file__))
GATEWAY = os.path.join(HERE, "..", "..", "Sources", "Gateway")
SERVED = {
    "/v3/openapi.json": ("openapi.json", "application/vnd.oai.openapi+json;version=3.1"),
    "/v1/asyncapi.json": ("asyncapi.json", "application/vnd.aai.asyncapi+json;version=3.0.0"),
}
DRAFT_07_UNKNOWN = {
    "$defs", "$dynamicRef", "dependentRequired", "dependentSchemas", "minContains", "maxContains",
    "prefixItems", "unevaluatedItems", "unevaluatedProperties"}


def pages(*parts):
    with open(os.path.join(GATEWAY, *parts), encoding="utf-8") as page:
        return page.read()


def inside(value):
    """A value and all that is in it."""
    yield value
    parts = value.values() if isinstance(value, dict) else value
    for part in parts if isinstance(value, (dict, list)) else []:
        yield from inside(part)


def resolved(document, reference):
    assert reference.startswith("#/"), reference
    for part in reference[2:].split("/"):
        document = document[part.replace("~1", "/").replace("~0", "~")]
    return document


async def test_the_descriptions_are_served(ctx):
    """Both descriptions are served as they are in the tree, without a token, with their types."""
    server = await ctx.server()
    for path, (name, media_type) in SERVED.items():
        status, fields, body = await server.get(path)
        assert (status, fields["content-type"]) == (200, media_type), fields
        assert body == source(name), f"{path} is not {name}"
        assert fields["access-control-allow-origin"] == "*", fields
        status, _, body = await http(server.port, "HEAD", path)
        assert (status, body) == (200, b"")
        status, fields, _ = await http(server.port, "POST", path, {"Content-Length": "0"})
        assert (status, fields["allow"]) == (405, "GET, HEAD"), fields


async def test_the_descriptions_are_cacheable(ctx):
    """Whoever has this version of a description is answered 304; another gets it whole."""
    server = await ctx.server()
    tags = set()
    for path in SERVED:
        _, fields, _ = await server.get(path)
        assert "max-age=" in fields["cache-control"], fields
        tags.add(fields["etag"])
        for known in (fields["etag"], f'"other", W/{fields["etag"]}', "*"):
            status, again, body = await server.get(path, **{"If-None-Match": known})
            assert (status, body, again["etag"]) == (304, b"", fields["etag"]), known
        status, _, body = await server.get(path, **{"If-None-Match": '"other"'})
        assert status == 200 and body
    assert len(tags) == len(SERVED)


async def test_openapi_is_valid(ctx):
    """The OpenAPI document is valid by the specification's own schema, version 3.1."""
    openapi_spec_validator.OpenAPIV31SpecValidator(description("openapi.json")).validate()
    names = [operation["operationId"] for _, _, operation in operations()]
    assert len(names) == len(set(names))


async def test_every_reference_leads_somewhere(ctx):
    """Every $ref of both documents leads to a part of them, and no component is idle."""
    for name in ("openapi.json", "asyncapi.json"):
        document = description(name)
        used = {
            part["$ref"] for part in inside(document) if isinstance(part, dict) and "$ref" in part}
        for reference in used:
            resolved(document, reference)
        kinds = set(document["components"]) - {"securitySchemes"}
        idle = {
            f"#/components/{kind}/{part}" for kind in kinds
            for part in document["components"][kind]} - used
        assert idle <= {"#/components/schemas/close_code"}, idle


async def test_answers_to_head_have_no_content(ctx):
    """No answer to HEAD is described with content: a client would look for it in vain."""
    heads = [operation for _, method, operation in operations() if method == "HEAD"]
    assert heads
    for operation in heads:
        for status, response in operation["responses"].items():
            response = resolved(description("openapi.json"), response["$ref"]) if "$ref" in response else response
            assert "content" not in response, (operation["operationId"], status)


async def test_every_schema_is_valid(ctx):
    """Every schema of both documents is JSON Schema 2020-12, and that for the socket draft-07."""
    for name in ("openapi.json", "asyncapi.json"):
        components = description(name)["components"]
        messages = components.get("messages", {})
        for schema in [*components["schemas"].values(), *(m["payload"] for m in messages.values())]:
            jsonschema_rs.Draft202012Validator({**schema, "components": components})
            if messages:
                jsonschema_rs.Draft7Validator({**schema, "components": components})
    for part in inside(description("asyncapi.json")["components"]):
        if isinstance(part, dict):
            assert not DRAFT_07_UNKNOWN & part.keys(), part
            assert "$ref" not in part or len(part) == 1, part


async def test_asyncapi_has_the_shape_of_version_3(ctx):
    """Each message belongs to the channel, each operation to messages of it, each has a reply."""
    document = description("asyncapi.json")
    assert document["asyncapi"] == "3.0.0"
    assert {"title", "version"} <= document["info"].keys()
    for server in document["servers"].values():
        assert {"host", "protocol"} <= server.keys()
    assert list(document["channels"]) == ["socket"]
    messages = document["channels"]["socket"]["messages"]
    assert {n: f"#/components/messages/{n}" for n in document["components"]["messages"]} == {
        name: message["$ref"] for name, message in messages.items()}
    used = set()
    for name, operation in document["operations"].items():
        assert operation["action"] in ("receive", "send"), name
        assert ("reply" in operation) == (operation["action"] == "receive"), name
        parts = [operation, *([operation["reply"]] if "reply" in operation else [])]
        for part in parts:
            assert part["channel"] == {"$ref": "#/channels/socket"}, name
            used |= {message["$ref"].rsplit("/", 1)[1] for message in part["messages"]}
    assert used == set(messages), used ^ set(messages)


async def test_the_methods_described_are_there(ctx):
    """Each method that AsyncAPI lists is known to the server."""
    client = await ctx.user(await ctx.server())
    described = description("asyncapi.json")["operations"]
    methods = {n for n, o in described.items() if o["action"] == "receive" and n != "batch"}
    for number, method in enumerate(sorted(methods - {"session.close"})):
        answer = await client.raw_answer(
            {"jsonrpc": "2.0", "id": number, "method": method, "params": {}})
        assert answer.get("error", {}).get("code") != -32601, method


async def test_the_page_has_what_is_described(ctx):
    """Each method and each event that AsyncAPI lists is in a table of the page about the protocol, with the
    names of its parameters, and each that the page lists is described."""
    page = pages("Gateway.docc", "Protocol.md")
    document = description("asyncapi.json")
    described = {name for name, _ in socket_operations()} - {"batch"}
    rows = re.findall(r"^\| (`[^|]+`) \|", page, re.M)
    named = set(re.findall(r"`([a-z]+\.[a-z_]+)`", " ".join(rows)))
    # Its parameters are above its tables.
    assert named | {"session.open"} == described, named ^ described
    for (name, action), key in socket_operations().items():
        if name == "batch":
            continue
        lines = [line for line in page.splitlines() if re.search(rf"`{re.escape(name)}[` ]", line)]
        shown = set(re.findall(r"[a-z_]+", " ".join(lines)))
        if action == "send":
            # The head of the table names those of every event.
            shown |= {"channel_url", "ts"}
        missing = parameters(document["components"]["messages"][key]) - shown
        assert not missing, (name, missing)


def parameters(message):
    """The names of the parameters that a message may have."""
    found = set()
    for part in message["payload"]["allOf"]:
        params = part.get("properties", {}).get("params", {})
        for form in (params, *params.get("anyOf", [])):
            found |= form.get("properties", {}).keys()
    return found


async def test_the_codes_described_are_those_of_the_page(ctx):
    """The codes of errors and of closing are those that the page about the protocol lists."""
    page = pages("Gateway.docc", "Protocol.md").replace("−", "-").replace("400100–400104", (
        ", ".join(str(code) for code in range(400100, 400105))))
    rows = re.findall(r"^\| ([-0-9, ]*\d) \|", page, re.M)
    listed = {int(code) for row in rows for code in row.split(",")}
    schemas = [description(n)["components"]["schemas"] for n in ("asyncapi.json", "openapi.json")]
    codes = {
        case["const"] for part in (schemas[0]["error_code"], schemas[0]["close_code"])
        for case in part["oneOf"] if "const" in case}
    codes |= {int(code) for code in schemas[1]["error"]["properties"]["code"]["x-error-codes"]}
    assert listed <= codes, listed - codes
    closing = description("asyncapi.json")["channels"]["socket"]["x-close-codes"]
    assert [int(code) for code in closing] == [
        case["const"] for case in schemas[0]["close_code"]["oneOf"]]


async def test_errors_are_read_by_generated_clients(ctx):
    """The code of an error over HTTP is a plain integer: generators make no choice of constants of it."""
    code = description("openapi.json")["components"]["schemas"]["error"]["properties"]["code"]
    assert code["type"] == "integer" and not {"oneOf", "anyOf", "enum", "const"} & code.keys(), code


async def test_the_endpoints_described_are_there(ctx):
    """Each path and method that OpenAPI lists is answered otherwise than with 400930."""
    server = await ctx.fresh()
    for path, method, _ in sorted(operations(), key=lambda listed: "drain" in listed[0]):
        target = path.replace("{message_id}", "1").replace("{report_id}", "1").replace("{channel_url}", "nowhere")
        target = target.replace("{user_id}", ctx.name("nobody"))
        target = target.replace("{part}", "store.js")
        fields = {"Api-Token": server.api_token, "Content-Length": "0"}
        status, named, body = await http(server.port, method, target, fields)
        if path.startswith("/v1/uploads/"):
            # There is no such upload.
            assert status in (204, 404, 405, 412, 415), (method, status, body)
            continue
        if path == "/v1/streams/{stream}":
            # There is no such stream.
            assert status in (204, 404), (method, status, body)
            continue
        if named.get("content-type") == "application/json":
            assert json.loads(body).get("code") != 400930, (method, path)
        if path.startswith(("/files/", "/previews/", "/exports/")):
            # The endpoint is there, and says that such a file is not.
            assert (status, json.loads(body)["code"]) == (404, 400201), (method, status, body)
            continue
        assert status not in (404, 405), (method, path, status)


async def test_every_endpoint_of_the_platform_wants_a_token(ctx):
    """Without a token, every endpoint that is described with one answers 401 and 400401."""
    server = await ctx.server()
    for path, method, operation in operations():
        if operation.get("security") == []:
            continue
        status, _, body = await http(
            server.port, method, re.sub(r"{\w+}", "1234", path), {"Content-Length": "0"})
        assert (status, json.loads(body)["code"]) == (401, 400401), (method, path)
