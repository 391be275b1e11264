"""Refusals that depend on what there is: twice, too many, not together, not by this author."""

import json
import os
from dataclasses import dataclass, field
from urllib.parse import urlencode

from calls import FLAGS, Caller, World, calls
from endpoints import Mistakes, Unchanged, deviations, guarded, parameters, stage
from files import form
from harness import eventually, http
from schemas import operations

# What needs no token, and how it answers GET on a loopback listener. The socket, the files and
# the descriptions have tests of their own.
PLAIN = {
    "viewPage": 200, "viewDescriptions": 200, "viewDashboard": 200, "viewIcon": 204, "viewHealth": 200,
    "viewReadiness": 200, "viewMetrics": 200,
    "downloadFile": 404, "downloadThumbnail": 404,
    "downloadPreviewPicture": 404, "downloadExport": 404, "openSocket": 426, "viewAsyncAPI": 200, "viewOpenAPI": 200,
    "viewModule": 200, "viewModuleTypes": 200, "viewPushWorker": 200, "viewClientFile": 404}
# Uploads are authorised by their address, and have tests of their own.
UPLOADS = {
    "putUpload", "viewUpload", "continueUpload", "deleteUpload", "overrideUploadMethod",
    "describeUploads", "createUpload", "describeUploadCreation"}
# The operations of event streams, which the tests of streams call.
STREAMS = {"openStream", "describeStreamOpening", "readStream", "postToStream", "closeStream", "describeStream"}


@dataclass
class Refusal:
    """A call of an operation, by default with what is in order, and what it is refused with."""

    operation: str
    code: int
    body: object = None
    parts: dict = field(default_factory=dict)
    query: dict | None = None
    name: str | None = None


async def scenery(ctx, world, caller):
    """What refusals are about and a world does not have."""
    names = {kind: ctx.name(kind) for kind in ("idle", "ephemeral", "brimming")}
    await caller.call("POST", "/users", {"user_id": names["idle"]})
    await caller.call("PUT", f"/users/{names['idle']}", {"is_active": False})
    await caller.call("POST", "/open_channels", {
        "channel_url": names["ephemeral"], "is_ephemeral": True})
    await caller.call("POST", "/open_channels", {"channel_url": names["brimming"]})
    items = [f"k{number}" for number in range(25)]
    channel = f"/open_channels/{names['brimming']}"
    await caller.call("POST", f"{channel}/metadata", {"metadata": dict.fromkeys(items, "v")})
    await caller.call("POST", f"{channel}/metacounter", {"metacounter": {
        **dict.fromkeys(items[1:], 0), "k0": 2**63 - 1}})
    await caller.call("POST", "/users", {
        "user_id": names["brimming"], "metadata": dict.fromkeys(items, "v")})
    full = await caller.call("POST", f"{channel}/messages", {
        "message_type": "ADMM", "message": "x", "sorted_metaarray": [
            {"key": key, "value": [str(n) for n in range(100)]} for key in items[:10]]})
    return {**names, "ghost": ctx.name("ghost"), "full": full["message_id"]}


def table(world, names):
    """Every refusal that no schema can tell of."""
    ghost, idle, banned, author = names["ghost"], names["idle"], world.user_id, world.author_id
    message = {"message_type": "MESG", "message": "x"}
    brimming = {"channel_url": names["brimming"]}
    full = {**brimming, "message_id": names["full"]}
    yield from channel_refusals(world, ghost, author)
    yield from group_refusals(world, ghost, idle)
    yield from [
        Refusal("sendMessage", 400201, {**message, "user_id": ghost}),
        Refusal("sendMessage", 400300, {**message, "user_id": idle}),
        Refusal("sendMessage", 400750, {**message, "user_id": banned}),
        Refusal("sendMessage", 400105, message, name="user_id"),
        Refusal("sendMessage", 400105, {"message_type": "FILE", "user_id": author}, name="url"),
        Refusal("sendMessage", 400111, {
            "message_type": "FILE", "user_id": author, "url": "javascript:alert(1)"}, name="url"),
        Refusal("sendMessage", 400110, {"message_type": "ADMM", "message": "x" * 1001}),
        Refusal("sendMessage", 400111, {**message, "user_id": author, "sorted_metaarray": [
            {"key": "k"}, {"key": "k"}]}, name="sorted_metaarray"),
        Refusal("viewUsage", 400201, query={"user_id": ghost}),
        *(Refusal("migrateMessages", code, {"messages": [
            {"message_type": "ADMM", "message": "x", "timestamp": 1_600_000_000_000, **wrong}]},
            name=f"messages[0].{name}") for code, wrong, name in (
                (400201, {"message_type": "MESG", "user_id": ghost}, "user_id"),
                (400111, {"timestamp": 9_000_000_000_000_000}, "timestamp"))),
        Refusal("migrateMessages", 400920, {
            "messages": [{"message_type": "ADMM", "message": "x", "timestamp": 1_600_000_000_000}],
            "update_read_ts": True, "rewind_read_ts": True}, name="rewind_read_ts"),
        Refusal("listMessages", 400105, query={}, name="message_ts"),
        Refusal("listMessages", 400105, query={"message_id": 0}, name="message_ts"),
        Refusal("updateMessage", 400105, {}, name="message"),
        Refusal("updateMessage", 400105, {"message_type": "MESG", "data": None}, name="message"),
        Refusal("updateMessage", 400110, {"message": "x" * 1001}, full, name="message"),
        Refusal("createMetaArrays", 400203, {"sorted_metaarray": [{"key": "new"}]}, full),
        Refusal("createMetaArrays", 400203, {"sorted_metaarray": [
            {"key": "k0", "value": ["new"]}]}, full),
        Refusal("updateMetaArrays", 400201, {"sorted_metaarray": [{"key": "new"}]}),
        Refusal("updateMetaArrays", 400203, {
            "sorted_metaarray": [{"key": "new"}], "upsert": True}, full),
        Refusal("deleteMetaArrays", 400105, query={"keys": ",,"}, name="keys"),
    ]
    for operation in (
            "listMessages", "viewMessage", "updateMessage", "deleteMessage", "createMetaArrays",
            "updateMetaArrays", "deleteMetaArrays", "translateMessage"):
        yield Refusal(operation, 400201, parts={"channel_url": names["ephemeral"]})
    for operation in ("viewMessage", "updateMessage", "deleteMessage", "createMetaArrays",
                      "updateMetaArrays", "deleteMetaArrays", "translateMessage"):
        yield Refusal(operation, 400201, parts=brimming)  # It is another channel's message.
    yield from item_refusals(world, names, brimming)
    yield from own_refusals(world, ghost)


def channel_refusals(world, ghost, author):
    own = {"channel_url": world.channel_url}
    not_restricted = {"user_id": author}
    yield from [
        Refusal("createChannel", 400202, own),
        Refusal("createChannel", 400113, {"message_survival_seconds": 0}, name="message_survival_seconds"),
        Refusal("createChannel", 400201, {"operator_ids": [author, ghost]}),
        Refusal("updateChannel", 400201, {"name": "x", "operator_ids": [author, ghost]}),
        Refusal("addOperators", 400201, {"operator_ids": [world.user_id, ghost]}),
        Refusal("removeOperators", 400105, query={}, name="operator_ids"),
        Refusal("removeOperators", 400105, query={"delete_all": "false"}, name="operator_ids"),
        Refusal("banUser", 400201, {"user_id": ghost}),
        Refusal("muteUser", 400201, {"user_id": ghost}),
        Refusal("banUser", 400113, {"user_id": author, "seconds": 0}, name="seconds"),
        Refusal("muteUser", 400113, {"user_id": author, "seconds": 0}, name="seconds"),
        Refusal("updateBan", 400113, {"seconds": 0}, name="seconds"),
        Refusal("viewBan", 400201, parts=not_restricted),
        Refusal("updateBan", 400201, parts=not_restricted),
        Refusal("unbanUser", 400201, parts=not_restricted),
        Refusal("unmuteUser", 400201, parts=not_restricted),
        Refusal("viewMute", 400201, parts={"user_id": ghost}),
        Refusal("listChannels", 400109, query={"token": "ab" * 20}),
    ]


def group_refusals(world, ghost, idle):
    """Of groups and their members."""
    banned, author = world.user_id, world.author_id
    own, room = {"channel_url": world.group_url}, {"channel_url": world.channel_url}
    yield from [
        Refusal("createGroup", 400202, {**own, "user_ids": [author]}),
        Refusal("createGroup", 400105, {}, name="user_ids"),
        Refusal("createGroup", 400113, {"user_ids": [author], "message_survival_seconds": 0},
                name="message_survival_seconds"),
        Refusal("createGroup", 400201, {"user_ids": [ghost]}),
        Refusal("createGroup", 400201, {"user_ids": [author, ghost], "strict": True}),
        Refusal("createGroup", 400201, {"user_ids": [author], "inviter_id": ghost}),
        Refusal("createGroup", 400300, {"user_ids": [author, idle]}),
        Refusal("createGroup", 400111, {"user_ids": [author], "operator_ids": [banned]}, name="operator_ids"),
        Refusal("createGroup", 400920, {"user_ids": [author], "is_distinct": True, "is_public": True}),
        Refusal("updateGroup", 400111, {"name": "x", "operator_ids": [banned]}, name="operator_ids"),
        Refusal("addGroupOperators", 400111, {"operator_ids": [banned]}, name="operator_ids"),
        Refusal("viewGroup", 400201, query={"user_id": ghost}),
        Refusal("inviteMembers", 400201, {"user_ids": [ghost]}),
        Refusal("inviteMembers", 400201, {"user_ids": [world.guest_id], "inviter_id": ghost}),
        Refusal("inviteMembers", 400300, {"user_ids": [idle]}),
        Refusal("inviteMembers", 400750, {"user_ids": [banned]}),
        Refusal("acceptInvitation", 400920, {"user_id": banned}),
        Refusal("acceptInvitation", 400201, {"user_id": ghost}),
        Refusal("declineInvitation", 400920, {"user_id": author}),
        Refusal("joinGroup", 400750, {"user_id": banned}),
        Refusal("joinGroup", 400300, {"user_id": idle}),
        Refusal("leaveGroup", 400105, {"user_ids": []}, name="user_ids"),
        Refusal("listMembers", 400109, query={"token": "ab" * 20}),
        Refusal("sendGroupMessage", 900020, {
            "message_type": "MESG", "user_id": world.guest_id, "message": "x"}),
        Refusal("sendGroupMessage", 400750, {"message_type": "MESG", "user_id": banned, "message": "x"}),
        Refusal("updateInvitationPreference", 400105, {}, name="auto_accept"),
        Refusal("blockUsers", 400105, {}, name="target_id"),
        Refusal("blockUsers", 400111, {"target_id": world.user_id}, name="target_id"),
        Refusal("blockUsers", 400111, {"user_ids": [world.guest_id, world.user_id]}, name="user_ids"),
        Refusal("blockUsers", 400201, {"user_ids": [world.guest_id, ghost]}),
        Refusal("listGroupChangesOfUser", 400105, query={}, name="token"),
        Refusal("listGroupChangesOfUser", 400109, query={"token": "ab" * 20}),
        Refusal("listGroupChangesOfUser", 400111, query={"change_ts": 1}, name="change_ts"),
        Refusal("listBlockedUsers", 400109, query={"token": "ab" * 20}),
    ]
    for operation in ("viewGroup", "updateGroup", "deleteGroup", "listMembers", "listGroupMessages",
                      "viewGroupMetadataItem", "listGroupMetacounters"):
        yield Refusal(operation, 400201, parts=room)
    for operation in ("viewChannel", "updateChannel", "listParticipants", "listMessages", "listChannelMetadata",
                      "deleteMetacounters"):
        yield Refusal(operation, 400201, parts=own)


def item_refusals(world, names, brimming):
    """Of metadata and counters, which are alike for channels and users."""
    long = {"key": "é" * 129}
    for owner, parts in (("Channel", brimming), ("User", {"user_id": names["brimming"]})):
        new = {"metadata": {"k0": "w", "another": "v"}}
        yield from [
            Refusal(f"create{owner}Metadata", 400202, new, parts),
            Refusal(f"create{owner}Metadata", 400203, {"metadata": {"another": "v"}}, parts),
            Refusal(f"update{owner}Metadata", 400203, {**new, "upsert": True}, parts),
            Refusal(f"update{owner}MetadataItem", 400201, parts={"key": "another"}),
            Refusal(f"update{owner}MetadataItem", 400203, {"value": "v", "upsert": True},
                    {**parts, "key": "another"}),
            Refusal(f"update{owner}MetadataItem", 400110, {"value": "v", "upsert": True}, long,
                    name="key"),
            Refusal(f"update{owner}MetadataItem", 400151, {"value": "v", "upsert": True},
                    {"key": "a\0b"}),
        ]
    new = {"metacounter": {"k1": 1, "another": 1}}
    yield from [
        Refusal("createMetacounters", 400202, new, brimming),
        Refusal("createMetacounters", 400203, {"metacounter": {"another": 1}}, brimming),
        Refusal("updateMetacounters", 400203, {**new, "upsert": True}, brimming),
        Refusal("updateMetacounters", 400113, {
            "metacounter": {"k0": 1, "k1": 1}, "mode": "increase"}, brimming),
        Refusal("updateMetacounters", 400113, {
            "metacounter": {"k1": -2**63}, "mode": "decrease"}, brimming),
        Refusal("updateMetacounter", 400113, {"value": 1, "mode": "increase"},
                {**brimming, "key": "k0"}),
        Refusal("updateMetacounter", 400201, parts={"key": "another"}),
        Refusal("updateMetacounter", 400203, {"value": 1, "upsert": True},
                {**brimming, "key": "another"}),
        Refusal("updateMetacounter", 400110, {"value": 1, "upsert": True}, long, name="key"),
        Refusal("updateMetacounter", 400151, {"value": 1, "upsert": True}, {"key": "a\0b"}),
    ]


def own_refusals(world, ghost):
    """Of users, tokens, limits and what else is the gateway's own."""
    author = world.author_id
    flood = {"messages": 1, "window_ms": 1000}
    here, spam = {"channel_url": world.channel_url}, {"report_category": "spam"}
    yield from [
        Refusal("createUser", 400202, {"user_id": author, "nickname": "Mallory"}),
        Refusal("createUser", 400151, {"user_id": "e\u0301" + ghost}, name="user_id"),
        Refusal("createUser", 400151, {"user_id": ghost + "\u0085"}, name="user_id"),
        Refusal("issueSessionToken", 400113, {"expires_at": 1}, name="expires_at"),
        Refusal("issueSessionToken", 400201, parts={"user_id": ghost}),
        Refusal("explainLimits", 400201, query={**here, "user_id": ghost}),
        Refusal("explainLimits", 400201, query={"channel_url": ghost, "user_id": author}),
        Refusal("issueAPIToken", 400105, {"name": ""}, name="name"),
        Refusal("issueAPIToken", 400113, {"name": "past", "expires_at": 1}, name="expires_at"),
        Refusal("revokeAPIToken", 400108, parts={"api_token_id": "first"}),
        Refusal("reportUser", 400105, {"report_category": "spam"}, name="channel_type"),
        Refusal("reportUser", 400201, {**spam, **here, "channel_type": "group_channels"}),
        Refusal("reportUser", 400201, {**spam, **here, "channel_type": "open_channels"}, {"user_id": ghost}),
        Refusal("reportChannel", 400201, {**spam, "reporting_user_id": ghost}),
        Refusal("reportChannel", 400105, {"report_category": "custom"}, name="custom_report_category_name"),
        Refusal("reportChannel", 400920, {**spam, "custom_report_category_name": "x"}),
        Refusal("reportChannel", 400111, {"report_category": "boring"}, name="report_category"),
        Refusal("reportMessage", 400110, {**spam, "report_description": "x" * 1001}),
        Refusal("updateReport", 400111, {"state": "done"}, name="state"),
        Refusal("updateReport", 400151, {"state": "resolved", "note": "a\0b"}, name="note"),
        Refusal("setWordFilter", 400105, {}, name="profanity_filter"),
        Refusal("setWordFilter", 400105, words(regex_filters=[]), name="profanity_filter.keywords"),
        Refusal("setWordFilter", 400111, words(keywords=["a*b"]), name="keywords"),
        Refusal("setWordFilter", 400111, words(keywords=["**"]), name="keywords"),
        Refusal("setWordFilter", 400111, words(keywords=[""]), name="keywords"),
        Refusal("setWordFilter", 400151, words(keywords=["a\0b"]), name="keywords"),
        Refusal("setWordFilter", 400110, words(keywords=["x" * 10_000]), name="keywords"),
        Refusal("setWordFilter", 400203, words(keywords=[f"w{n}" for n in range(501)]), name="keywords"),
        Refusal("setWordFilter", 400113, words(type=3), name="type"),
        Refusal("setCustomTypeWordFilter", 400110, words(type=0), {"custom_type": "é" * 513}),
        Refusal("setRetention", 400105, {}, name="message_survival_seconds"),
        Refusal("setRetention", 400113, {"message_survival_seconds": 0}, name="message_survival_seconds"),
        Refusal("setRetention", 400201, {"message_survival_seconds": 60}, {"channel_url": ghost}),
        Refusal("setHold", 400105, {}, name="on"),
        Refusal("setHold", 400201, {"on": True}, {"channel_url": ghost}),
        Refusal("viewRetention", 400201, parts={"channel_url": ghost}),
        Refusal("listHolds", 400109, query={"token": "none"}),
        Refusal("testHooks", 400920),
        Refusal("testWebhooks", 400920),
        Refusal("testPush", 400201, {"user_id": ghost}),
        Refusal("explainPush", 400201, query={"user_id": author, "message_id": 1}),
        Refusal("retryWebhooks", 400920),
        Refusal("searchMessages", 400105, query={}, name="query"),
        Refusal("searchMessages", 400110, query={"query": "x" * 129}, name="query"),
        Refusal("searchMessages", 400201, query={"query": "x", "user_id": ghost}),
        Refusal("searchMessages", 400201, query={"query": "x", "channel_url": ghost}),
        Refusal("searchMessages", 400109, query={"query": "x", "after": "none"}),
        Refusal("startExport", 400111, {"start_ts": 2, "end_ts": 1}, name="end_ts"),
        Refusal("startExport", 400111, {"format": "xml"}, name="format"),
        Refusal("startExport", 400111, {"csv_delimiter": "x"}, name="csv_delimiter"),
        Refusal("startExport", 400111, {"timezone": "+25:00"}, name="timezone"),
        Refusal("startExport", 400111, {"user_ids": [author]}, name="user_ids"),
        Refusal("startExport", 400111, {"channel_urls": ["room"]}, {"data_type": "users"}, name="channel_urls"),
        Refusal("startExport", 400203, {"channel_urls": [f"room{n}" for n in range(1001)]}, name="channel_urls"),
        Refusal("startExport", 400111, {}, {"data_type": "files"}, name="data_type"),
        Refusal("listExports", 400109, query={"token": "none"}),
        Refusal("startPrivacyRequest", 400105, {"user_ids": [author]}, name="action"),
        Refusal("startPrivacyRequest", 400105, {"action": "delete"}, name="user_ids"),
        Refusal("startPrivacyRequest", 400111, {"action": "delete", "user_ids": [author], "messages": "burn"}, name="messages"),
        Refusal("startPrivacyRequest", 400203, {"action": "access", "user_ids": [f"u{n}" for n in range(101)]}),
        Refusal("cancelPrivacyRequest", 400201),
        Refusal("viewExport", 400201, parts={"data_type": "users"}, name=None),
        Refusal("readExport", 400109, query={"after": "none"}),
        Refusal("purgePreviews", 400105, query={}),
        Refusal("purgePreviews", 400105, query={"all": "false"}),
        Refusal("purgePreviews", 400920, query={"all": "true", "domain": "a.example"}),
        Refusal("fetchPreview", 400111, {"url": "no link"}, name="url"),
        Refusal("testTranslation", 400105, {"message": "", "target_langs": ["es"]}, name="message"),
        Refusal("testTranslation", 400111, {"message": "x", "target_langs": ["e_s"]},
                name="target_langs"),
        Refusal("explainPreview", 400111, query={"url": "no link"}, name="url"),
        Refusal("explainPreview", 400111, query={"url": "http://a.example/" + "x" * 2048}),
    ]
    for operation in ("setLimits", "setChannelLimits", "setCustomTypeLimits"):
        yield Refusal(operation, 400105, {}, name="flood")
        yield Refusal(operation, 400105, {"flood": None, "unknown": 1}, name="flood")
        for rate in ({}, {"messages": None, "window_ms": None}):
            yield Refusal(
                operation, 400105, {"flood": flood, "throttle": rate}, name="throttle.messages")
        yield Refusal(operation, 400106, {"flood": flood, "throttle": {**flood, "messages": -1}})
    for verb in ("set", "remove", "view"):
        yield Refusal(f"{verb}CustomTypeLimits", 400110, parts={"custom_type": "é" * 513})
    yield Refusal("setCustomTypeLimits", 400151, parts={"custom_type": "a\0b"})
    for operation in ("listPreviews", "purgePreviews"):
        yield Refusal(operation, 400920, query={"url": "http://a.example/", "domain": "a.example"})
        for url in ("ftp://a.example/", "http:///", "\0"):
            yield Refusal(operation, 400111, query={"url": url}, name="url")
        for domain in ("a b", "a.example/x", "a@b.example", "a.example:80", "..", "\0"):
            yield Refusal(operation, 400111, query={"domain": domain}, name="domain")


def words(**members):
    return {"profanity_filter": members}


async def test_every_operation_is_tested(ctx):
    """Every operation that is described is among those that are called with and without errors."""
    described = {operation["operationId"] for _, _, operation in operations()}
    known = set(calls(World("", "", ""), ctx.name)) | PLAIN.keys() | UPLOADS | STREAMS
    assert described == known, described ^ known
    names = dict.fromkeys(("ghost", "idle", "brimming", "ephemeral", "full"), "x")
    listed = {refusal.operation for refusal in table(World("", "", ""), names)}
    assert listed <= described, listed - described


async def test_refusals_by_what_there_is(ctx):
    """What there is already or is not, too much or out of place, is refused and changes nothing."""
    mistakes = Mistakes()
    paths = {o["operationId"]: (path, method) for path, method, o in guarded()}
    async with stage(ctx) as (caller, world, author):
        names = await scenery(ctx, world, caller)
        right = calls(world, ctx.name)
        async with Unchanged(caller, world, author) as unchanged:
            last = None
            for refusal in table(world, names):
                if last not in (None, refusal.operation):
                    await unchanged.check(last)
                path, method = paths[last := refusal.operation]
                call = right[last][0]
                query = call.query if refusal.query is None else refusal.query
                body = call.body if refusal.body is None else refusal.body
                answer = await caller.send(
                    method, world.target(path, query, **refusal.parts), body)
                what = f"{last} {refusal.parts} {refusal.query} {json.dumps(body)[:200]}"
                mistakes.note(what, answer, refusal.code, refusal.name)
            items = await caller.call("GET", f"/users/{names['brimming']}/metadata")
            assert items == {f"k{n}": "v" for n in range(25)}, items
            numbers = await caller.call("GET", f"/open_channels/{names['brimming']}/metacounter")
            assert numbers == {f"k{n}": 0 if n else 2**63 - 1 for n in range(25)}, numbers
    mistakes.tell()


async def test_a_deactivated_user_gets_no_token(ctx):
    """No session token is issued to a user who is deactivated: 400300."""
    async with Caller(await ctx.server(*FLAGS)) as caller:
        user = (await caller.call("POST", "/users", {"user_id": ctx.name()}))["user_id"]
        await caller.call("PUT", f"/users/{user}", {"is_active": False})
        answer = await caller.send("POST", f"/v3/users/{user}/token", {})
        assert answer.code == 400300, answer
        await caller.call("PUT", f"/users/{user}", {"is_active": True})
        await caller.call("POST", f"/users/{user}/token", {})


async def test_page_tokens_of_nowhere(ctx):
    """A page token that none has given, or another list has, is refused with 400109."""
    mistakes = Mistakes()
    async with stage(ctx) as (caller, world, author):
        await World.make(ctx, caller)
        given = {
            "/v3/open_channels": (await caller.call("GET", "/open_channels", limit=1))["next"],
            "/v3/users": (await caller.call("GET", "/users", limit=1))["next"]}
        assert all(given.values()), given
        for path, _, operation in guarded():
            # Sessions and previews are listed by name: the token is the last one's.
            if operation["operationId"] in ("listSessions", "listPreviews") or not any(
                    p["name"] == "token" for p in parameters(path, operation, "query")):
                continue
            for token in ("no such token", "-1", "0", "%", "é", given["/v3/users"][:-2]):
                if token == "0" and path.endswith(("participants", "operators")):
                    continue  # There a token is a place, and this the first.
                needed = {p["name"]: "x" for p in parameters(path, operation, "query") if p.get("required")}
                answer = await caller.send("GET", world.target(path, {**needed, "token": token}))
                mistakes.note(f"{path} {token}", answer, 400109, None)
        for path, token in given.items():
            answer = await caller.send("GET", f"{path}?{urlencode({'token': token})}")
            assert answer.status == 200, answer
        for query in ({"name_contains": "x"}, {"show_frozen": "false"}, {"custom_types": "x"}):
            query["token"] = given["/v3/open_channels"]
            answer = await caller.send("GET", f"/v3/open_channels?{urlencode(query)}")
            mistakes.note(f"{query}", answer, 400109)
    mistakes.tell()


async def test_no_more_than_a_hundred_api_tokens(ctx):
    """A second token of a name is 400202, the 101st is 400203, and after a revocation one fits."""
    async with Caller(await ctx.fresh(*FLAGS)) as caller:
        issued = [await caller.call("POST", "/parley/api_tokens", {"name": f"token {n}"})
                  for n in range(100)]
        before = await caller.call("GET", "/parley/api_tokens")
        answer = await caller.send("POST", "/v3/parley/api_tokens", {"name": "one more"})
        assert answer.code == 400203, answer
        assert await caller.call("GET", "/parley/api_tokens") == before
        await caller.call("DELETE", f"/parley/api_tokens/{issued[7]['id']}")
        answer = await caller.send("POST", "/v3/parley/api_tokens", {"name": "token 8"})
        assert answer.code == 400202 and "token 8" in answer.value["message"], answer
        await caller.call("POST", "/parley/api_tokens", {"name": "one more"})


async def test_forms_are_checked_as_json_is(ctx):
    """A form that sends a message is refused for what JSON would be, and leaves no file."""
    mistakes = Mistakes()
    async with stage(ctx) as (caller, world, author):
        names = await scenery(ctx, world, caller)
        right = {"message_type": "FILE", "user_id": world.author_id}
        path = f"/v3/open_channels/{world.channel_url}/messages"
        rows = [
            (400105, {"user_id": world.author_id}, "message_type"),
            (400111, {**right, "message_type": "MESG", "message": "x"}, "message_type"),
            (400111, {"message_type": "ADMM", "message": "x"}, "message_type"),
            (400105, {"message_type": "FILE"}, "user_id"),
            (400201, {**right, "user_id": names["ghost"]}, None),
            (400300, {**right, "user_id": names["idle"]}, None),
            (400750, {**right, "user_id": world.user_id}, None),
            (400305, {**right, "user_id": "u" * 81}, "user_id"),
            (400110, {**right, "message": "x" * 5001}, "message"),
            (400110, {**right, "dedup_id": "x" * 65}, "dedup_id"),
            (400110, {**right, "custom_type": "x" * 129}, "custom_type"),
            (400110, {**right, "data": "é" * 8193}, "data"),
            (400111, {**right, "mention_type": "all"}, "mention_type"),
            (400305, {**right, "mentioned_user_ids": "u" * 81}, "mentioned_user_ids"),
            (400102, {**right, "sorted_metaarray": '"k"'}, "sorted_metaarray"),
            (400105, {**right, "sorted_metaarray": '{"value": ["v"]}'}, "key"),
            (400403, {**right, "sorted_metaarray": "[{"}, "sorted_metaarray"),
            (400103, {**right, "sorted_metaarray": "[1]"}, "sorted_metaarray"),
        ]
        async with Unchanged(caller, world, author):
            for code, fields, name in rows:
                body, kind = form(fields, b"content", "a.bin", "text/plain")
                answer = await caller.send("POST", path, body, {
                    "Api-Token": caller.token, "Content-Type": kind})
                mistakes.note(f"{fields}"[:200], answer, code, name)
            body, kind = form(right, b"content", "a.bin", "text/plain")
            for content, content_type, target, code in (
                    (body, "multipart/form-data", path, 400111),
                    (body, kind + "x", path, 400111), (body[:-10], kind, path, 400111),
                    (b"", kind, path, 400105),
                    (body, kind, path.replace(world.channel_url, names["ghost"]), 400201)):
                answer = await caller.send("POST", target, content, {
                    "Api-Token": caller.token, "Content-Type": content_type})
                mistakes.note(f"{content_type} {content[-12:]}", answer, code)
            files = os.path.join(caller.server.data, "files")

            async def nothing_left():
                return set(os.listdir(files)) <= {world.file_id}
            await eventually(nothing_left, "the end of the files")
        answer = await caller.send("POST", path, body, {
            "Api-Token": caller.token, "Content-Type": kind})
        assert answer.status == 200, answer
        found = deviations({"$ref": "#/components/schemas/message"}, answer.value)
        assert not found, found
    mistakes.tell()


async def test_plain_paths(ctx):
    """What needs no token answers GET as described, and HEAD alike without a body."""
    server = await ctx.server(*FLAGS)
    for path, _, operation in operations():
        if operation.get("security") != []:
            continue
        name = operation["operationId"]
        if name in UPLOADS | STREAMS:
            continue
        target = path.replace("{file_id}", "0" * 32).replace(
            "{file_name}", "a").replace("{bounds}", "100x100")
        for method in ("GET",) if name == "openSocket" else ("GET", "HEAD"):
            status, _, body = await http(server.port, method, target)
            assert status == PLAIN[name], (method, path, status)
            assert not body if method == "HEAD" else body or status in (204, 426), (method, path)


async def test_limited_calls(ctx):
    """Whatever is called beyond the limit is 429 and 500910 with Retry-After, and not done."""
    server = await ctx.fresh("--limits-platform-calls-per-second", "1",
                             "--limits-platform-calls-burst", "1")
    world = World("nowhere", "nobody", "nobody", 1, "k", "t", "none", "none")
    async with Caller(server) as caller:
        for path, method, operation in guarded():
            async def limited():
                answer = await caller.send(method, world.target(path), b"{")
                return answer if answer.status == 429 else None
            answer = await eventually(limited, f"429 of {operation['operationId']}")
            value = answer.value
            assert value["code"] == 500910 and value["error"] is True, answer
            assert (value["limit"], value["window_ms"], value["scope"]) == (1, 1000, "api_token")
            assert 1 <= value["retry_after_ms"] <= 1000, answer
            assert answer.fields["retry-after"] == "1", answer.fields
            assert answer.fields.get("connection", "").lower() != "close", answer.fields


async def test_no_call_while_draining(ctx):
    """While draining all calls but those of status, servers and drain are 503 with Retry-After, and not done."""
    # One event loop: another without sessions would end its connections.
    server = await ctx.fresh(*FLAGS, "--drain-timeout-ms", "600000", "--reactors", "1")
    async with Caller(server) as caller:
        world = await World.make(ctx, caller)
        raw = await ctx.raw(server)
        await raw.sign_in(ctx.name())
        await caller.call("POST", "/parley/drain")

        async def draining():
            return not (await caller.call("GET", "/parley/status"))["is_ready"]
        await eventually(draining, "the drain")
        for path, method, operation in guarded():
            name = operation["operationId"]
            for call in calls(world, ctx.name)[name]:
                answer = await caller.send(method, world.target(path, call.query), call.body)
                if name in ("viewStatus", "viewCluster", "viewNumbers", "viewNumbersOfDay",
                            "listBusiestChannels", "listSettings", "drain", "drainServer"):
                    assert answer.code == call.refusal, f"{name}: {answer}"
                    continue
                assert (answer.status, answer.code) == (503, 400501), f"{name}: {answer}"
                assert answer.fields["retry-after"] == "1", answer.fields
                assert answer.value["retry_after_ms"] == 1000, answer
        assert (await server.get("/healthz"))[0] == 200
        assert (await server.get("/readyz"))[0] == 503
        wrong = await caller.send("GET", "/v3/users", headers={"Api-Token": "x"})
        assert wrong.code == 400401, wrong
        await raw.close()
    assert await server.wait() == 0
