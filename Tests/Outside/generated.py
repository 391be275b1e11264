"""A client that openapi-python-client generates from the description, against the server."""

import asyncio
import importlib
import io
import os
import re
import sys

from files import FLAGS
from schemas import DESCRIPTIONS

PACKAGE = "generated_client"
# Their bodies or answers are bytes of any type, or TypeScript, for which the generator has no model.
OF_BYTES = {"/files/{file_id}/{file_name}", "/files/{file_id}/t/{bounds}/{file_name}",
            "/previews/{name}", "/exports/{secret}", "/parley.d.ts", "/parley-{part}"}
# The type of pieces of uploads, which the generator does not know.
CONFIGURATION = """
content_type_overrides:
  application/offset+octet-stream: application/octet-stream
"""


async def generate(ctx):
    """Generates the client where modules are imported from: its directory, and the generator's words."""
    package = os.path.join(ctx.directory(), PACKAGE)
    configuration = os.path.join(ctx.directory(), "config.yaml")
    with open(configuration, "w", encoding="utf-8") as file:
        file.write(CONFIGURATION)
    programs = os.path.dirname(sys.executable)
    status, output, errors = await ctx.run(
        os.path.join(programs, "openapi-python-client"), "generate", "--meta", "none",
        "--config", configuration, "--path", os.path.join(DESCRIPTIONS, "openapi.json"), "--output-path", package,
        environment={"PATH": f"{programs}:{os.environ['PATH']}"})
    words = (output + errors).decode()
    assert status == 0, words
    sys.path.insert(0, os.path.dirname(package))
    return package, words


def modules(package):
    for directory, _, names in os.walk(package):
        for name in names:
            if name.endswith(".py") and name != "__init__.py":
                path = os.path.relpath(os.path.join(directory, name), os.path.dirname(package))
                yield path.removesuffix(".py").replace(os.sep, ".")


async def test_a_generated_client_talks(ctx):
    """Every call but those of bytes is generated; calls, refusals, forms and uploads are understood."""
    package, words = await generate(ctx)
    left_out = set(re.findall(r"WARNING parsing \w+ (\S+)", words))
    assert left_out <= OF_BYTES, left_out - OF_BYTES
    names = list(modules(package))
    assert len(names) > 250, names
    for name in names:
        importlib.import_module(name)
    # No model is named after its place only.
    odd = [name for name in names if re.search(r"_type_\d|_body$|_item$", name)
           and not name.endswith((
               "webhook_event_operators_item", "webhook_event_users_item", "_metadata_item"))]
    assert not odd, odd
    server = await ctx.fresh(*FLAGS)
    await asyncio.to_thread(talk, server, ctx.name)


def talk(server, fresh):
    models = importlib.import_module(f"{PACKAGE}.models")
    types = importlib.import_module(f"{PACKAGE}.types")
    client = importlib.import_module(f"{PACKAGE}.client").AuthenticatedClient(
        f"http://127.0.0.1:{server.port}", server.api_token, prefix="",
        auth_header_name="Api-Token", raise_on_unexpected_status=True)
    stranger = importlib.import_module(f"{PACKAGE}.client").Client(
        f"http://127.0.0.1:{server.port}", headers={"Api-Token": "wrong"})

    def call(place, *path, by=client, **arguments):
        return importlib.import_module(f"{PACKAGE}.api.{place}").sync(
            *path, client=by, **arguments)

    def refused(answer, code):
        assert isinstance(answer, models.Error) and answer.code == code and answer.message, answer

    room, ann = fresh("room"), fresh("ann")
    refused(call("users.list_users", by=stranger), 400401)
    user = call("users.create_user", body=models.UserDraft(user_id=ann, nickname="Ann"))
    assert user.nickname == "Ann", user
    refused(call("users.create_user", body=models.UserDraft(user_id=ann)), 400202)
    channel = call("channels.create_channel", body=models.ChannelDraft(
        channel_url=room, name="Room", operator_ids=[ann]))
    assert channel.channel_url == room and not channel.freeze, channel
    refused(call("channels.create_channel", body=models.ChannelDraft(channel_url=room)), 400202)
    refused(call("channels.view_channel", fresh("nowhere")), 400201)

    group = call("groups.create_group", body=models.GroupDraft(users=[models.NewMember(user_id=ann)], name="Group"))
    assert [(member.user_id, member.state) for member in group.members] == [(ann, models.MemberState.JOINED)], group
    found = call("groups.view_group", group.channel_url, user_id=ann)
    assert found.joined_ts and not isinstance(found.joined_member_count, types.Unset), found
    notice = call("messages.send_group_message", group.channel_url, body=models.AdminMessageDraft(
        message_type="ADMM", message="notice"))
    assert notice.channel_type == "group_channels", notice
    refused(call("channels.view_channel", group.channel_url), 400201)

    sent = call("messages.send_message", room, body=models.UserMessageDraft(
        message_type="MESG", user_id=ann, message="hello",
        mention_type=models.MentionType.USERS, data="x"))
    assert sent.message == "hello" and sent.user.user_id == ann, sent
    for draft, code in (
            (models.UserMessageDraft(message_type="MESG", user_id=fresh("nobody"), message="x"),
             400201),
            (models.UserMessageDraft(message_type="MESG", user_id=ann, message=""), 400105),
            (models.UserMessageDraft(message_type="MESG", user_id=ann, message="x" * 5001), 400110)):
        refused(call("messages.send_message", room, body=draft), code)
    page = call("messages.list_messages", room, message_ts=0, next_limit=10)
    assert [message.message for message in page.messages] == ["hello"] and not page.has_next, page
    changed = call("messages.update_message", room, sent.message_id,
                   body=models.MessageChanges(message="bye"))
    assert changed.message == "bye" and changed.updated_at >= sent.created_at, changed

    form = models.MessageForm(
        message_type=models.MessageFormMessageType.FILE, user_id=ann,
        file=types.File(payload=io.BytesIO(b"some bytes"), file_name="a.txt",
                        mime_type="text/plain"))
    form.sorted_metaarray = [models.GivenMetaarray(key="a", value=["1"]),
                             models.GivenMetaarray(key="b", value=["2", "3"])]
    file = call("messages.send_message_by_form", room, body=form)
    assert (file.file.name, file.file.size) == ("a.txt", 10), file
    assert [(one.key, one.value) for one in file.sorted_metaarray] == [
        ("a", ["1"]), ("b", ["2", "3"])], file
    changed = call("channels.update_channel_by_form", room, body=models.ChannelChangesForm(
        cover_file=types.File(payload=io.BytesIO(b"a picture"), file_name="c.png",
                              mime_type="image/png"), operator_ids=[ann]))
    assert changed.cover_url.endswith("/c.png") and len(changed.operators) == 1, changed
    assert call("channels.update_channel_by_form", room).cover_url == changed.cover_url

    ban = call("channels.ban_user", room, body=models.BanDraft(user_id=ann, seconds=60))
    changed = call("channels.update_ban", room, ann, body=models.BanChanges(description="why"))
    assert (changed.end_at, changed.description) == (ban.end_at, "why"), (ban, changed)
    banned = call("channels.list_bans", room)
    assert [ban.user.user_id for ban in banned.banned_list] == [ann], banned
    refused(call("messages.send_message", room, body=models.UserMessageDraft(
        message_type="MESG", user_id=ann, message="x")), 400750)
    limits = call("gateway.set_channel_limits", room, body=models.LimitChanges(
        flood=models.RateChanges(messages=3, window_ms=1000)))
    assert limits.flood.messages == 3, limits
    status = call("gateway.view_status")
    assert status.is_ready and status.version, status
    call("channels.delete_channel", room)
    refused(call("channels.view_channel", room), 400201)
    uploads(models, types, client, ann)


def uploads(models, types, client, user):
    """Uploads of a user: in pieces, whole, and one that there is not."""

    def call(name, *path, **arguments):
        return importlib.import_module(f"{PACKAGE}.api.messages.{name}").sync_detailed(
            *path, client=client, **arguments)

    def created():
        answer = call("create_upload", tus_resumable=models.CreateUploadTusResumable("1.0.0"),
                      parley_user=user, upload_length="6")
        assert answer.status_code == 201, answer
        return answer.headers["Location"].rsplit("/", 1)[1]

    def file(content):
        return types.File(payload=io.BytesIO(content))

    secret = created()
    for offset, piece in ((0, b"some"), (4, b"ed")):
        assert call("view_upload", secret).headers["Upload-Offset"] == str(offset)
        answer = call("continue_upload", secret, body=file(piece), upload_offset=str(offset),
                      tus_resumable=models.ContinueUploadTusResumable("1.0.0"))
        assert answer.status_code == 204, answer
    whole = call("put_upload", created(), body=file(b"a file"))
    assert whole.status_code == 201 and whole.parsed.file.size == 6, whole
    missing = call("view_upload", "nothing")
    assert (missing.status_code, missing.parsed) == (404, None), missing
