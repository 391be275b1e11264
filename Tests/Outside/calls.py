"""Calls of the Platform API: kept connections, things that calls can name, a call of each kind."""

import asyncio
import json
import re
import time
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

import schemas
from harness import DEADLINE

# Calls are many here, and a slow machine may leave a connection without any for long.
RATES = ["--limits-platform-calls-per-second", "1000000", "--limits-platform-calls-burst",
         "1000000", "--limits-head-timeout-ms", "300000"]
# A service that takes the pushes of devices, and is not there.
PUSHES = ["--push-url", "http://127.0.0.1:9/", "--push-url-types", "gcm,apns,huawei", "--push-secret", "hush-hush-hush-1"]
FLAGS = [*RATES, *PUSHES]


@dataclass
class Answer:
    """What a call came to."""

    status: int
    fields: dict
    content: bytes

    @property
    def value(self):
        return json.loads(self.content)

    @property
    def code(self):
        """The code of a refusal; `None` for any other answer."""
        is_json = self.fields.get("content-type", "").startswith("application/json")
        return self.value.get("code") if self.status >= 400 and is_json else None

    def __str__(self):
        return f"{self.status} {self.content[:300].decode(errors='replace')}"


class Caller:
    """One connection to a gateway, opened anew when the gateway has closed it."""

    def __init__(self, server):
        self.server, self.port, self.token = server, server.port, server.api_token
        self.reader = self.writer = None

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        self.close()

    def close(self):
        if self.writer:
            self.writer.close()
        self.reader = self.writer = None

    async def write(self, data):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write(data)

    async def read(self, method="GET"):
        """The next answer, interim ones too."""
        async with asyncio.timeout(DEADLINE):
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            first, *rest = head.split("\r\n")
            fields = {
                name.lower(): text for name, text in
                (line.split(": ", 1) for line in rest if ": " in line)}
            length = 0 if method == "HEAD" else int(fields.get("content-length", 0))
            content = await self.reader.readexactly(length)
        if fields.get("connection", "").lower() == "close":
            self.close()
        return Answer(int(first.split(" ")[1]), fields, content)

    async def send(self, method, target, body=None, headers=None):
        """A call as it is given; a body that is no bytes and no form goes as JSON."""
        content = body if isinstance(body, bytes) else b""
        given = {"Api-Token": self.token} if headers is None else headers
        if isinstance(body, Form):
            content, given = body.content, {**given, "Content-Type": body.kind}
        elif body is not None and not isinstance(body, bytes):
            content = json.dumps(body).encode()
        fields = {"Host": "127.0.0.1", "Content-Length": len(content)}
        head = "".join(f"{name}: {text}\r\n" for name, text in {**fields, **given}.items())
        await self.write(f"{method} {target} HTTP/1.1\r\n{head}\r\n".encode() + content)
        answer = await self.read(method)
        is_form = given.get("Content-Type", "").startswith("multipart/")
        schemas.http_exchange(method, target, b"" if is_form else content, answer.status,
                              answer.fields, answer.content)
        return answer

    async def call(self, method, path, body=None, **query):
        """A call below `/v3` that is expected to be answered: the JSON."""
        answer = await self.send(method, "/v3" + path + (f"?{urlencode(query)}" if query else ""),
                                 body)
        assert answer.status == 200, f"{method} {path} {query} {body}: {answer}"
        return answer.value


class Form:
    """A body of fields and a file."""

    def __init__(self, file, content=b"some bytes", **fields):
        boundary = "a-boundary"
        parts = [f'name="{name}"\r\n\r\n{text}'.encode() for name, text in fields.items()]
        parts.append(f'name="{file}"; filename="f.png"\r\nContent-Type: image/png\r\n\r\n'.encode()
                     + content)
        self.content = b"".join(
            f"--{boundary}\r\nContent-Disposition: form-data; ".encode() + part + b"\r\n"
            for part in parts) + f"--{boundary}--\r\n".encode()
        self.kind = f"multipart/form-data; boundary={boundary}"


@dataclass
class World:
    """A channel and a group with all that paths can name, a user who is banned and muted there, an author, and a
    guest who is invited to the group."""

    channel_url: str
    user_id: str
    author_id: str
    message_id: int = 0
    key: str = "a key/with ö"
    custom_type: str = "a type/with ö"
    api_token_id: str = ""
    session_id: str = ""
    # No server has it: a drain would end the test.
    server_id: str = "0" * 16
    # A file of the author's that no message has.
    file_id: str = ""
    token: str = ""
    group_url: str = ""
    group_message_id: int = 0
    report_id: int = 0
    guest_id: str = ""

    @classmethod
    async def make(cls, ctx, caller):
        world = cls(ctx.name("room"), ctx.name("user"), ctx.name("author"), group_url=ctx.name("group"),
                    guest_id=ctx.name("guest"))
        call = caller.call
        for name in (world.user_id, world.author_id, world.guest_id):
            await call("POST", "/users", {
                "user_id": name, "nickname": name, "profile_url": "http://a.example/p",
                "metadata": {world.key: "v"}})
        await call("POST", "/open_channels", {
            "channel_url": world.channel_url, "name": "Room", "custom_type": world.custom_type,
            "operator_ids": [world.author_id]})
        await call("POST", "/group_channels", {
            "channel_url": world.group_url, "name": "Group", "custom_type": world.custom_type,
            "user_ids": [world.user_id], "inviter_id": world.author_id, "is_public": True})
        await call("PUT", f"/users/{world.guest_id}/channel_invitation_preference", {"auto_accept": False})
        await call("POST", f"/group_channels/{world.group_url}/invite", {
            "user_ids": [world.guest_id], "inviter_id": world.author_id})
        world.message_id = await world.fill(f"/open_channels/{world.channel_url}", call)
        world.group_message_id = await world.fill(f"/group_channels/{world.group_url}", call)
        for scope in ("", f"/channels/{world.channel_url}",
                      f"/custom_types/{quote(world.custom_type, safe='')}"):
            await call("PUT", f"/parley/limits{scope}", {
                "flood": {"messages": 90 + len(scope), "window_ms": 1000}})
        made = await caller.send("POST", "/v1/files", b"abc", {
            "Tus-Resumable": "1.0.0", "Parley-User": world.author_id, "Upload-Length": "3",
            "Content-Type": "application/offset+octet-stream"})
        assert made.status == 201, made
        files = await call("GET", "/parley/files", user_id=world.author_id)
        world.file_id = files["files"][0]["file_id"]
        report = await call("POST", f"/report/open_channels/{world.channel_url}/messages/{world.message_id}", {
            "report_category": "spam", "reporting_user_id": world.user_id})
        world.report_id = report["id"]
        issued = await call("POST", "/parley/api_tokens", {"name": ctx.name("token")})
        world.api_token_id, world.token = issued["id"], issued["token"]
        return world

    async def fill(self, channel, call):
        """Gives a channel of either kind what its paths can name: the id of its first message."""
        message = await call("POST", f"{channel}/messages", {
            "message_type": "MESG", "user_id": self.author_id, "message": "hello",
            "mentioned_user_ids": [self.user_id],
            "sorted_metaarray": [{"key": self.key, "value": ["v"]}]})
        await call("POST", f"{channel}/messages", {
            "message_type": "FILE", "user_id": self.author_id, "url": "http://a.example/f"})
        await call("POST", f"{channel}/messages", {"message_type": "ADMM", "message": "notice"})
        await call("POST", f"{channel}/metadata", {"metadata": {self.key: "v"}})
        await call("POST", f"{channel}/metacounter", {"metacounter": {self.key: 1}})
        for restriction in ("ban", "mute"):
            await call("POST", f"{channel}/{restriction}", {
                "user_id": self.user_id, "seconds": 3600, "description": "why"})
        return message["message_id"]

    async def join(self, ctx, server):
        """Has the author open a session and enter the channel."""
        client = await ctx.user(server, self.author_id)
        await client.enter(self.channel_url)
        self.session_id = client.session["session_id"]
        return client

    async def leave(self, caller):
        """Makes room for others' API tokens."""
        await caller.send("DELETE", f"/v3/parley/api_tokens/{self.api_token_id}")

    def target(self, template, query=None, **parts):
        """A path of the description with its open parts filled in, these rather than its own."""
        if "/group_channels/" in template:
            parts = {"channel_url": self.group_url, "message_id": self.group_message_id, **parts}
        if "_preference/{channel_url}" in template:
            parts = {"channel_url": self.group_url, "user_id": self.author_id, **parts}
        parts.setdefault("target_id", self.guest_id)
        # The Platform API does not register browsers, which removes no token of anybody.
        parts.setdefault("token_type", "gcm")
        parts.setdefault("token", "a-token")
        parts.setdefault("data_type", "messages")
        # One request a minute is allowed, which a call of its own makes.
        parts.setdefault("request_id", "0" * 24)
        for name in ("channel_url", "user_id", "target_id", "message_id", "key", "custom_type",
                     "api_token_id", "session_id", "server_id", "file_id", "report_id", "token_type", "token",
                     "data_type", "request_id"):
            text = str(parts[name] if name in parts else getattr(self, name))
            template = template.replace("{" + name + "}", quote(text, safe=""))
        assert "{" not in template, f"nobody says what {template} may stand for"
        return template + (f"?{urlencode(query)}" if query else "")

    async def state(self, caller):
        """All that calls can tell of a server with this world, but for what passes with time."""
        channel, user = f"/open_channels/{self.channel_url}", f"/users/{self.user_id}"
        group = f"/group_channels/{self.group_url}"
        limits, pages = "/parley/limits", {}
        for path in (
                channel, f"{channel}/metadata", f"{channel}/metacounter",
                f"{channel}/messages/total_count", group, f"{group}/metadata", f"{group}/metacounter",
                f"{group}/messages/total_count", f"{group}/ban/{self.user_id}", user,
                f"/users/{self.author_id}", f"{user}/channel_invitation_preference", f"{user}/block", f"{user}/push_preference",
                f"{user}/push/gcm", limits,
                f"{limits}/channels/{self.channel_url}", f"/parley/channels/{self.channel_url}/retention", "/parley/holds",
                f"{limits}/custom_types/{quote(self.custom_type, safe='')}", "/applications/settings_global",
                f"/applications/settings_by_channel_custom_type/{quote(self.custom_type, safe='')}",
                "/parley/api_tokens", f"{channel}/ban/{self.user_id}"):
            pages[path] = await caller.call("GET", path)
        pages["the author's part"] = await caller.call("GET", group, user_id=self.author_id)
        for path in (f"{channel}/participants", f"{channel}/operators", f"{channel}/ban",
                     f"{channel}/mute", f"{group}/members", f"{group}/operators", f"{group}/ban",
                     f"{group}/mute", "/open_channels", "/users", "/parley/sessions",
                     "/parley/previews", "/parley/files", "/report"):
            pages[path] = await caller.call("GET", path, limit=100)
        # A picture whose form was refused goes with the uploads that nobody uses.
        pages["/parley/files"] = [
            file for file in pages["/parley/files"]["files"] if file["user_id"] or file["messages"]]
        pages["readiness"] = (await caller.call("GET", "/parley/status"))["is_ready"]
        for path in (channel, group):
            pages[f"{path}/messages"] = await caller.call(
                "GET", f"{path}/messages", message_ts=0, next_limit=200)
        return lasting(pages)


def lasting(value):
    """A value without the members that change by themselves."""
    passing = {"remaining_duration", "last_used_at", "last_seen_at"}
    if isinstance(value, dict):
        return {name: lasting(part) for name, part in value.items() if name not in passing}
    return [lasting(part) for part in value] if isinstance(value, list) else value


@dataclass
class Call:
    """A call of an operation that is in order."""

    body: object = None
    query: dict = field(default_factory=dict)
    # What the operation is refused with though the call is in order; `None` when it is answered.
    refusal: int | None = None


def of_group(operation):
    """The operation on groups that does what one on open channels does."""
    if "Channel" in operation:
        return operation.replace("Channel", "Group")
    verb = re.match("[a-z]+", operation)[0]
    return verb + "Group" + operation.removeprefix(verb)


def calls(world, fresh):
    """For each operation that wants a token the calls that are in order, one for each form.

    `fresh` makes names that nobody has.
    """
    shared = channel_calls(world, fresh)
    author, guest = {"user_id": world.author_id}, {"user_id": world.guest_id}
    nothing = [Call()]
    groups = {of_group(name): listed for name, listed in shared.items()}
    return shared | own_calls(world, fresh) | groups | {
        "addGroupOperators": [Call({"operator_ids": [world.guest_id]})],
        "createGroup": [Call({
            "channel_url": fresh("group"), "user_ids": [world.author_id], "message_survival_seconds": 3600})],
        "createGroupByForm": [Call(Form("cover_file", channel_url=fresh("group"), user_ids=world.author_id))],
        "inviteMembers": [Call({"user_ids": [world.guest_id]})],
        "acceptInvitation": [Call(guest)],
        "declineInvitation": [Call(guest)],
        "joinGroup": [Call(guest)],
        "leaveGroup": [Call({"user_ids": [world.author_id]})],
        "listMembers": nothing + [Call(query={"user_id": world.author_id})],
        "viewMember": nothing,
        "listGroups": nothing,
        "hideGroup": [Call(author)],
        "unhideGroup": [Call(query=author)],
        "resetHistory": [Call(author)],
        "markGroupRead": [Call(author)],
        "startTyping": [Call({"user_ids": [world.author_id]})],
        "stopTyping": [Call({"user_ids": [world.author_id]})],
        "countUnreadByMember": [Call(query={"user_ids": world.author_id})],
        "listGroupsOfUser": nothing,
        "listGroupChangesOfUser": [Call(query={"change_ts": int(time.time() * 1000) - 60_000})],
        "markGroupsRead": [Call({})],
        "countUnreadMessages": nothing,
        "countUnreadGroups": nothing,
        "countUnreadItems": [Call(query={"item_keys": "group_channel_invitation_count"})],
        "viewCountPreference": nothing,
        "updateCountPreference": [Call({"count_preference": "false"})],
        "viewInvitationPreference": nothing,
        "updateInvitationPreference": [Call({"auto_accept": True})],
        "blockUsers": [Call({"target_id": world.guest_id, "user_ids": [world.author_id]})],
        "listBlockedUsers": nothing,
        "unblockUser": nothing,
        "addPushToken": [Call({"gcm_reg_token": fresh("token")})],
        "listPushTokens": nothing,
        "removePushToken": nothing,
        "removePushTokens": nothing,
        "listPushTokenOwners": nothing,
        "removePushTokenFromOwners": nothing,
        "viewPushPreferences": nothing,
        "updatePushPreferences": [Call({"push_trigger_option": "mention_only", "timezone": "Europe/Berlin"})],
        "resetPushPreferences": nothing,
        "choosePushTemplate": [Call({"name": "alternative"})],
        "viewChannelPushPreference": nothing,
        "updateChannelPushPreference": [Call({"push_trigger_option": "off"})]}


def channel_calls(world, fresh):
    """The calls about a channel that both kinds have."""
    metadata = {"metadata": {fresh("k"): "v"}}
    counters = {"metacounter": {fresh("k"): 1}}
    metaarray = {"sorted_metaarray": [{"key": fresh("k"), "value": ["v"]}]}
    report = {"report_category": "custom", "custom_report_category_name": "too loud"}
    author = {"user_id": world.author_id}
    nothing = [Call()]
    return {
        "viewChannel": nothing,
        "updateChannel": [Call({"name": "Another"})],
        "deleteChannel": nothing,
        "freezeChannel": [Call({})],
        "addOperators": [Call({"operator_ids": [world.user_id]})],
        "listOperators": nothing,
        "removeOperators": [Call(query={"operator_ids": world.author_id})],
        "banUser": [Call({**author, "seconds": 60})],
        "listBans": nothing,
        "viewBan": nothing,
        "updateBan": [Call({"description": "another"})],
        "unbanUser": nothing,
        "muteUser": [Call({**author, "seconds": 60})],
        "listMutes": nothing,
        "viewMute": nothing,
        "unmuteUser": nothing,
        "sendMessage": [
            Call({**author, "message_type": "MESG", "message": "x"}),
            Call({**author, "message_type": "FILE", "url": "https://a.example/f"}),
            Call({"message_type": "ADMM", "message": "x"})],
        "sendMessageByForm": [Call(Form("file", **author, message_type="FILE"))],
        "updateChannelByForm": [Call(Form("cover_file", name="Another"))],
        "listMessages": [Call(query={"message_ts": 0, "next_limit": 10})],
        "countMessages": nothing,
        "viewMessage": nothing,
        "updateMessage": [Call({"message": "another"})],
        "deleteMessage": nothing,
        "createMetaArrays": [Call(metaarray)],
        "updateMetaArrays": [Call({**metaarray, "upsert": True})],
        "deleteMetaArrays": [Call(query={"keys": world.key})],
        "translateMessage": [Call({"target_langs": ["ko"]}, refusal=400111)],
        "reportChannel": [Call(report)],
        "listReportsOfChannel": nothing,
        "reportMessage": [Call(report)],
        "listReportsOfMessage": nothing,
        "createChannelMetadata": [Call(metadata)],
        "listChannelMetadata": nothing,
        "updateChannelMetadata": [Call({**metadata, "upsert": True})],
        "deleteChannelMetadata": nothing,
        "viewChannelMetadataItem": nothing,
        "updateChannelMetadataItem": [Call({"value": "w"})],
        "deleteChannelMetadataItem": nothing,
        "createMetacounters": [Call(counters)],
        "listMetacounters": nothing,
        "updateMetacounters": [Call({**counters, "upsert": True})],
        "deleteMetacounters": nothing,
        "viewMetacounter": nothing,
        "updateMetacounter": [Call({"value": 5, "mode": "increase"})],
        "deleteMetacounter": nothing,
    }


def own_calls(world, fresh):
    """The calls about open channels alone, users, and the gateway."""
    metadata = {"metadata": {fresh("k"): "v"}}
    limits = {"flood": {"messages": 7, "window_ms": 2000}}
    word_filter = {"profanity_filter": {"keywords": ["bad*"], "type": 0}}
    author = {"user_id": world.author_id}
    nothing = [Call()]
    return {
        "createChannel": [Call({
            "channel_url": fresh("room"), "name": "Room", "message_survival_seconds": 3600})],
        "listChannels": nothing,
        "listParticipants": nothing,
        "createChannelByForm": [Call(Form("cover_file", channel_url=fresh("room"), name="Room"))],
        "createUserByForm": [Call(Form("profile_file", user_id=fresh("user"), nickname="N"))],
        "updateUserByForm": [Call(Form("profile_file", nickname="N"))],
        "createUser": [Call({"user_id": fresh("user"), "nickname": "N"})],
        "listUsers": nothing,
        "viewUser": nothing,
        "updateUser": [Call({"nickname": "N"})],
        "deleteUser": nothing,
        "issueSessionToken": [Call({})],
        "revokeSessionTokens": nothing,
        "createUserMetadata": [Call(metadata)],
        "listUserMetadata": nothing,
        "updateUserMetadata": [Call({**metadata, "upsert": True})],
        "deleteUserMetadata": nothing,
        "viewUserMetadataItem": nothing,
        "updateUserMetadataItem": [Call({"value": "w"})],
        "deleteUserMetadataItem": nothing,
        "viewLimits": nothing,
        "setLimits": [Call(limits)],
        "removeLimits": nothing,
        "viewCustomTypeLimits": nothing,
        "setCustomTypeLimits": [Call(limits)],
        "removeCustomTypeLimits": nothing,
        "viewChannelLimits": nothing,
        "setChannelLimits": [Call(limits)],
        "removeChannelLimits": nothing,
        "viewRetention": nothing,
        "setRetention": [Call({"message_survival_seconds": 3600})],
        # Under a hold other calls would be refused.
        "setHold": [Call({"on": False})],
        "listHolds": nothing,
        "explainLimits": [Call(query={**author, "channel_url": world.channel_url})],
        "issueAPIToken": [Call({"name": fresh("token")})],
        "listAPITokens": nothing,
        "viewOwnAPIToken": nothing,
        "revokeAPIToken": nothing,
        "listSessions": nothing,
        "closeSession": nothing,
        "countConnections": nothing,
        "viewStatus": nothing,
        "viewNumbers": nothing,
        "viewNumbersOfDay": [Call(), Call(query={"names": "parley_sessions", "since": "1"})],
        "listSettings": nothing,
        "listBusiestChannels": [Call(), Call(query={"limit": "5"})],
        "issueTicket": nothing,
        "drain": nothing,
        "viewCluster": [Call(), Call(query={"channel_url": world.channel_url})],
        "drainServer": [Call(refusal=400201)],
        "viewPushState": nothing,
        "testPush": [Call({"user_id": world.user_id})],
        "explainPush": [Call(query={"user_id": world.user_id, "message_id": world.message_id})],
        "viewWordFilter": nothing,
        "setWordFilter": [Call(word_filter)],
        "viewCustomTypeWordFilter": nothing,
        "setCustomTypeWordFilter": [Call(word_filter)],
        "removeCustomTypeWordFilter": nothing,
        "reportUser": [Call({
            "channel_type": "open_channels", "channel_url": world.channel_url, "report_category": "custom",
            "custom_report_category_name": "too loud"})],
        "listReportsOfUser": nothing,
        "listReports": [Call(), Call(query={"state": "open", "start_ts": 1})],
        "viewReport": nothing,
        "updateReport": [Call({"state": "resolved", "note": "muted"})],
        "migrateMessages": [Call({"messages": [
            {**author, "message_type": "MESG", "message": "x", "timestamp": 1_600_000_000_000},
            {**author, "message_type": "FILE", "url": "https://a.example/f", "timestamp": 1_600_000_000_000},
            {"message_type": "ADMM", "message": "x", "timestamp": 1_600_000_000_000}]})],
        "viewUsage": [Call(), Call(query={"user_id": world.author_id})],
        "searchMessages": [
            Call(query={"query": "word"}),
            Call(query={"query": "\"a phrase", "channel_url": world.channel_url, "user_id": world.user_id, "sort_field": "score"})],
        "viewSearchState": nothing,
        "checkSearch": nothing,
        "rebuildSearch": nothing,
        "startExport": [Call({"format": "csv"})],
        "listExports": nothing,
        "viewExport": [Call(refusal=400201)],
        "readExport": [Call(), Call(query={"channel_urls": world.channel_url, "format": "csv", "limit": 2})],
        "startPrivacyRequest": [Call({"action": "access", "user_ids": [fresh("ghost")]})],
        "listPrivacyRequests": [Call(), Call(query={"action": "delete"})],
        "viewPrivacyRequest": [Call(refusal=400201)],
        "cancelPrivacyRequest": [Call(refusal=400201)],
        "listHooks": nothing,
        "testHooks": [Call(refusal=400920)],  # There are none.
        "listWebhooks": nothing,
        "testWebhooks": [Call(refusal=400920)],  # There are none.
        "retryWebhooks": [Call(refusal=400920)],
        "listFiles": [Call(), Call(query=author)],
        "listAuditRecords": [Call(), Call(query={"token_id": world.api_token_id, "path": "/users", "limit": "3"})],
        "listRestrictions": [Call(), Call(query={**author, "kind": "ban", "channel_url": world.channel_url})],
        "countFiles": nothing,
        "viewFile": nothing,
        "deleteFile": nothing,
        "viewFileEncryption": nothing,
        "rotateFileKey": nothing,
        "encryptFiles": nothing,
        "giveFileKey": nothing,
        "listPreviews": nothing,
        "purgePreviews": [Call(query={"all": "true"})],
        "listLanguages": nothing,
        "testTranslation": [
            Call({"message": "x", "target_langs": ["ko"]}, refusal=400920)],
        "fetchPreview": [Call({"url": "http://127.0.0.1:9/"})],
        "explainPreview": [Call(query={"url": "http://127.0.0.1:9/"})],
    }
