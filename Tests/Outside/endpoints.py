"""Every operation of the description: who may call it, what it answers, what it refuses."""

import asyncio
import contextlib
import json
import time
from urllib.parse import urlencode

import wrongs
from calls import FLAGS, Caller, World, calls
from harness import PATIENCE, fence
from schemas import description, operations, problems

# Any name stands for something there: what holds for it is asked and set before there is any.
ANYTHING = {"custom_type", "target_id", "token"}


def guarded():
    """The path, method and description of every operation that wants a token; drain last."""
    found = [listed for listed in operations() if listed[2].get("security") != []]
    return sorted(found, key=lambda listed: listed[2]["operationId"] == "drain")


def parameters(path, operation, place):
    item = description("openapi.json")["paths"][path]
    listed = [*item.get("parameters", []), *operation.get("parameters", [])]
    return [p for p in map(wrongs.resolved, listed) if p["in"] == place]


def forms(operation):
    """The schemas of an operation's JSON, one for each form of it; none without a body."""
    content = operation.get("requestBody", {}).get("content", {})
    if "application/json" not in content:
        return []
    schema = wrongs.resolved(content["application/json"]["schema"])
    return [wrongs.resolved(form) for form in schema.get("oneOf", [schema])]


@contextlib.asynccontextmanager
async def stage(ctx):
    """A server of its own, a connection, and a world with its author inside the channel."""
    server = await ctx.fresh(*FLAGS)
    async with Caller(server) as caller:
        world = await World.make(ctx, caller)
        author = await world.join(ctx, server)
        await caller.call("GET", "/parley/previews/explain", url="http://127.0.0.1:9/")
        yield caller, world, author


async def each_call(ctx, server, caller):
    """Each call that is in order, in a world that no call before it has changed."""
    world = None
    for path, method, operation in guarded():
        name = operation["operationId"]
        for index in range(len(calls(World("", "", ""), ctx.name)[name])):
            if world is None:
                world = await World.make(ctx, caller)
                author = await world.join(ctx, server)
            yield path, method, operation, index, world
            if method != "GET" and name != "drain":
                await world.leave(caller)
                await author.leave()
                world = None


class Unchanged:
    """Holds that calls that are refused change nothing and tell nobody."""

    def __init__(self, caller, world, author):
        self.caller, self.world, self.author = caller, world, author
        self.before = None

    async def __aenter__(self):
        self.before = await self.world.state(self.caller)
        return self

    async def changes(self):
        """Each page that is different now, as it was and as it is."""
        now = await self.world.state(self.caller)
        return [(page, self.before[page], now[page]) for page in now if now[page] != self.before[page]]

    async def check(self, what):
        # The file of a form goes after the refusal of its message.
        ends = time.monotonic() + 5 * PATIENCE
        while (changes := await self.changes()) and time.monotonic() < ends:
            await asyncio.sleep(0.02)
        for page, before, now in changes:
            raise AssertionError(
                f"{what} was refused and changed {page}:"
                f" {json.dumps(before)[:400]} {json.dumps(now)[:400]}")

    async def __aexit__(self, kind, *_):
        if kind is None:
            await self.check("something")
            await fence(self.world.channel_url, self.author, self.author)
            told = [event["method"] for event in self.author.events if event["method"] != "group.ready"]
            assert told == ["channel.changed"] and not self.author.closed, told


class Mistakes:
    """Gathers what was answered wrongly, so that all of it is told at once."""

    def __init__(self):
        self.found = []

    def note(self, what, answer, code, name=None, status=400):
        if (answer.status, answer.code) != (status, code):
            self.found.append(f"{what}: {answer} instead of {code}")
        elif name and f"'{name}'" not in answer.value["message"]:
            self.found.append(f"{what}: '{name}' is not in {answer}")

    def tell(self):
        assert not self.found, f"{len(self.found)} wrong: " + "\n     ".join(self.found[:40])


async def test_each_operation_has_a_call(ctx):
    """For each operation that is described with a token there is a call that is in order."""
    known = set(calls(World("room", "user", "author"), ctx.name))
    described = {operation["operationId"] for _, _, operation in guarded()}
    assert known == described, known ^ described


async def test_nobody_without_a_token_calls(ctx):
    """Without a token, with an empty, wrong or revoked one, 401 and 400401 come before all else."""
    mistakes = Mistakes()
    async with stage(ctx) as (caller, world, author):
        async with Unchanged(caller, world, author):
            other = await caller.call("POST", "/parley/api_tokens", {"name": ctx.name()})
            await caller.call("DELETE", f"/parley/api_tokens/{other['id']}")
            right = caller.token
            tokens = {
                "none": None, "empty": "", "wrong": "x" * 40, "revoked": other["token"],
                "cut": right[:-1], "longer": right + "x", "with a scheme": "Bearer " + right,
                "an id": world.api_token_id, "endless": "x" * 5000}
            for path, method, operation in guarded():
                for kind, token in tokens.items():
                    for body in (None, b"{"):
                        fields = {} if token is None else {"Api-Token": token}
                        answer = await caller.send(method, world.target(path), body, fields)
                        mistakes.note(f"{operation['operationId']}, token {kind}", answer, 400401,
                                      status=401)
            for path in ("/v3/nothing", "/v3", "/v3/users/a/b/c/d"):
                mistakes.note(path, await caller.send("GET", path, headers={}), 400401, status=401)
    mistakes.tell()


async def test_each_answer_is_as_described(ctx):
    """Each answer has what is described and nothing else, and no member that is null."""
    server = await ctx.fresh(*FLAGS)
    found = []
    async with Caller(server) as caller:
        await caller.call("GET", "/parley/previews/explain", url="http://127.0.0.1:9/")
        async for path, method, operation, index, world in each_call(ctx, server, caller):
            name = operation["operationId"]
            call = calls(world, ctx.name)[name][index]
            answer = await caller.send(method, world.target(path, call.query), call.body)
            if call.refusal:
                assert answer.code == call.refusal, f"{name}: {answer}"
                continue
            assert answer.status == 200, f"{name}: {answer}"
            schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
            found += [f"{name}: {problem}" for problem in deviations(schema, answer.value)]
    assert not found, "\n     ".join(found[:20])


def deviations(schema, value):
    """How an answer differs from its description."""
    return [*problems("openapi.json", schema, value), *strange(schema, value)]


def strange(schema, value, place=""):
    """Nulls and members that are not described."""
    schema = wrongs.resolved(schema)
    if "anyOf" in schema:
        yield from min((list(strange(one, value, place)) for one in schema["anyOf"]), key=len)
        return
    # Of a series of numbers one may be missing.
    if value is None and not (place.endswith("[]") and "null" in schema.get("type", "")):
        yield f"{place} is null"
    if isinstance(value, list):
        for part in value:
            yield from strange(schema.get("items", {}), part, place + "[]")
    if isinstance(value, dict):
        members = {}
        for part in [schema, *map(wrongs.resolved, schema.get("allOf", []))]:
            members |= part.get("properties", {})
        for name, part in value.items():
            known = members.get(name, schema.get("additionalProperties"))
            if known is None:
                yield f"{place}.{name} is not described"
            else:
                yield from strange(known, part, f"{place}.{name}")


async def test_what_is_unknown_or_null_is_ignored(ctx):
    """Unknown members are ignored, null and empty parameters count as absent."""
    server = await ctx.fresh(*FLAGS)
    mistakes = Mistakes()
    async with Caller(server) as caller:
        async for path, method, operation, index, world in each_call(ctx, server, caller):
            name = operation["operationId"]
            call = calls(world, ctx.name)[name][index]
            body = call.body
            if schemas := forms(operation):
                absent = dict.fromkeys(schemas[index].get("properties", {}))
                body = {**absent, "unknown": {"a": [1]}, "": None, **body}
            empty = dict.fromkeys((p["name"] for p in parameters(path, operation, "query")), "")
            query = {**empty, "unknown": "", **call.query}
            answer = await caller.send(method, world.target(path, query), body)
            if answer.code != call.refusal:
                mistakes.found.append(f"{name} {query} {body}: {answer}")
    mistakes.tell()


async def test_unknown_parameters_of_a_query_are_refused(ctx):
    """A parameter that a call does not have is refused with 400111, is named, and changes nothing."""
    mistakes = Mistakes()
    async with stage(ctx) as (caller, world, author):
        async with Unchanged(caller, world, author) as unchanged:
            for path, method, operation in guarded():
                name = operation["operationId"]
                for call in calls(world, ctx.name)[name]:
                    for unknown in ("unknown", "metadatakey", "Limit", "user_ids[]"):
                        target = world.target(path, {**call.query, unknown: "x"})
                        answer = await caller.send(method, target, call.body)
                        mistakes.note(f"{name} {unknown}", answer, 400111, unknown)
                await unchanged.check(name)
    mistakes.tell()


async def test_bodies_of_calls_that_take_none(ctx):
    """A body where a call takes none is refused with 400111, names what it asks for, and changes nothing."""
    mistakes = Mistakes()
    async with stage(ctx) as (caller, world, author):
        async with Unchanged(caller, world, author) as unchanged:
            for path, method, operation in guarded():
                if "requestBody" in operation:
                    continue
                name = operation["operationId"]
                for call in calls(world, ctx.name)[name]:
                    target = world.target(path, call.query)
                    for body in (b"{", b"null", b"[]", b"keys=a", b" {}"):
                        mistakes.note(f"{name} {body}", await caller.send(method, target, body), 400111)
                    answer = await caller.send(method, target, {"keys": ["a"], "key": "b"})
                    mistakes.note(name, answer, 400111, "keys")
                await unchanged.check(name)
        assert (await caller.send("GET", "/v3/users", {})).status == 200
    mistakes.tell()


async def test_bodies_that_are_no_objects(ctx):
    """A body that is not JSON, not UTF-8, no object, too deep or ambiguous is refused: 400403."""
    mistakes = Mistakes()
    async with stage(ctx) as (caller, world, author):
        async with Unchanged(caller, world, author) as unchanged:
            for path, method, operation in guarded():
                if not forms(operation):
                    continue
                for body in wrongs.NO_OBJECTS:
                    answer = await caller.send(method, world.target(path), body)
                    mistakes.note(f"{operation['operationId']} {body[:30]}", answer, 400403)
                await unchanged.check(operation["operationId"])
    mistakes.tell()


async def test_each_member_is_checked(ctx):
    """Each member of each body is refused, and named, when its type, length or value is wrong, and the schema
    says so, but for U+0000 and lengths in bytes."""
    mistakes, count = Mistakes(), 0
    async with stage(ctx) as (caller, world, author):
        async with Unchanged(caller, world, author) as unchanged:
            for path, method, operation in guarded():
                name = operation["operationId"]
                for schema, call in zip(forms(operation), calls(world, ctx.name)[name]):
                    for wrong in wrongs.wrong_bodies(schema, call.body):
                        answer = await caller.send(method, world.target(path), wrong.value)
                        mistakes.note(f"{name} {wrong}", answer, wrong.code, wrong.name)
                        count += 1
                        unsaid = wrong.code == wrongs.CHARACTER or wrong.name == "data"
                        if not unsaid and not problems("openapi.json", schema, wrong.value):
                            mistakes.found.append(f"{name} {wrong} is valid by its schema")
                await unchanged.check(name)
    mistakes.tell()
    assert count > 700, count


async def test_each_parameter_of_a_query_is_checked(ctx):
    """Each parameter of each query is refused, and named, when it is wrong."""
    mistakes, count = Mistakes(), 0
    async with stage(ctx) as (caller, world, author):
        async with Unchanged(caller, world, author) as unchanged:
            for path, method, operation in guarded():
                name = operation["operationId"]
                call = calls(world, ctx.name)[name][0]
                for parameter in parameters(path, operation, "query"):
                    rest = {k: v for k, v in call.query.items() if k != parameter["name"]}
                    for wrong in wrongs.wrong_queries(parameter):
                        target = world.target(path) + f"?{wrong.name}={wrong.value}&"
                        answer = await caller.send(method, target + urlencode(rest), call.body)
                        mistakes.note(f"{name} {wrong}", answer, wrong.code, wrong.name)
                        count += 1
                await unchanged.check(name)
    mistakes.tell()
    assert count > 150, count


async def test_broken_encodings_are_refused(ctx):
    """A path or query whose percent-encoding is broken or not UTF-8 is refused with 400151."""
    mistakes = Mistakes()
    async with stage(ctx) as (caller, world, author):
        async with Unchanged(caller, world, author):
            for path, method, operation in guarded():
                for broken in ("%", "%4", "%zz", "%ff", "%C3", "%ED%A0%80"):
                    target = f"{world.target(path)}?unknown={broken}"
                    mistakes.note(target, await caller.send(method, target), 400151)
                    if parameters(path, operation, "path"):
                        end = path.rindex("{")
                        target = world.target(path[:end]) + broken + path[path.index("}", end) + 1:]
                        mistakes.note(target, await caller.send(method, target), 400151)
    mistakes.tell()


async def test_what_there_is_not(ctx):
    """Whatever a path names and there is not is 400201, and a word for a number leads nowhere."""
    mistakes = Mistakes()
    async with stage(ctx) as (caller, world, author):
        missing = {
            "channel_url": [ctx.name("room"), "abc", "a b c d", "ö" * 5, "x" * 101, "\0abc"],
            "user_id": [ctx.name("user"), "u" * 81, "\0", "a\nb"],
            "message_id": [world.message_id + 10**12, 1, 0, -1, 2**53, 2**63 - 1],
            "key": [ctx.name("key"), "k" * 64, "\n"],
            "api_token_id": [ctx.name("token"), world.token, "0" * 64],
            "session_id": [ctx.name("session"), world.user_id],
            "server_id": ["0" * 16, "0" * 15, "g" * 16, "F" * 16, ctx.name("server")],
            "report_id": [world.report_id + 10**12, 0, -1, 2**53, 2**63 - 1, 2**80],
            "file_id": ["0" * 32, "F" * 32, "0" * 31, ctx.name("file")], "token_type": [], "data_type": [],
            "request_id": ["0" * 24, ctx.name("request")]}
        async with Unchanged(caller, world, author) as unchanged:
            for path, method, operation in guarded():
                call = calls(world, ctx.name)[operation["operationId"]][0]
                for part in (p["name"] for p in parameters(path, operation, "path")):
                    for text in missing[part] if part not in ANYTHING else []:
                        target = world.target(path, call.query, **{part: text})
                        answer = await caller.send(method, target, call.body)
                        mistakes.note(f"{method} {target}", answer, 400201)
                    for text in ("one", "1.0", "0x1", "1 ") if part == "message_id" else []:
                        target = world.target(path, call.query, **{part: text})
                        answer = await caller.send(method, target, call.body)
                        mistakes.note(f"{method} {target}", answer, 400930, status=404)
                await unchanged.check(operation["operationId"])
    mistakes.tell()


async def test_texts_of_the_greatest_length_are_taken(ctx):
    """Texts as long as the settings can allow are taken, counted in characters and not in bytes."""
    server = await ctx.server(
        *FLAGS, "--limits-custom-type-length", "512", "--limits-data-bytes", "24576",
        "--limits-metadata-value-length", "1024")
    mistakes = Mistakes()
    async with Caller(server) as caller:
        for path, method, operation in guarded():
            name = operation["operationId"]
            world = await World.make(ctx, caller) if forms(operation) else None
            for index, schema in enumerate(forms(operation)):
                for member, part in schema.get("properties", {}).items():
                    part = wrongs.resolved(part)
                    if "maxLength" not in part or member == "channel_url":
                        continue
                    if member in ("user_id", "inviter_id", "reporting_user_id") and name != "createUser":
                        continue  # It has to be somebody's.
                    if name == "fetchPreview":
                        continue  # It has to be a link, and bytes are counted.
                    if member == "timezone":
                        continue  # It has to be one.
                    call = calls(world, ctx.name)[name][index]
                    text = wrongs.longest(part, member)
                    answer = await caller.send(
                        method, world.target(path), {**call.body, member: text})
                    if answer.code != call.refusal:
                        mistakes.found.append(f"{name} {member}: {answer}")
            if world:
                await world.leave(caller)
    mistakes.tell()
