"""The official generated client of the Sendbird Platform API, with another host and nothing else."""

import asyncio
import os
import re

import sendbird_platform_sdk as sdk
from sendbird_platform_sdk import models
from sendbird_platform_sdk.api import (
    announcement_api, bot_api, group_channel_api, message_api, metadata_api, moderation_api,
    open_channel_api, statistics_api, user_api)

from calls import PUSHES, Caller
from documents import DOCUMENTS
from files import FLAGS

APIS = {
    "announcements": announcement_api.AnnouncementApi, "bots": bot_api.BotApi,
    "group_channels": group_channel_api.GroupChannelApi, "messages": message_api.MessageApi,
    "metadata": metadata_api.MetadataApi, "moderation": moderation_api.ModerationApi,
    "open_channels": open_channel_api.OpenChannelApi, "statistics": statistics_api.StatisticsApi,
    "users": user_api.UserApi}
OPEN, GROUP = "open_channels", "group_channels"
ALL_METADATA = "view_a_channel_metadata_when_retrieving_all_items_of_a_channel_metadata"


def listed():
    """The calls of the page's table, and whether Parley carries them out."""
    with open(os.path.join(DOCUMENTS, "SendbirdClients.md"), encoding="utf-8") as page:
        rows = re.findall(r"^\| `(\w+)`[^|]*\| (yes|no)\b", page.read(), re.M)
    return {name: answer == "yes" for name, answer in rows}


def methods():
    return {name for api in APIS.values() for name in vars(api)
            if not name.startswith("_") and callable(getattr(api, name))}


class Client:
    def __init__(self, server):
        self.token = server.api_token
        client = sdk.ApiClient(sdk.Configuration(host=f"http://127.0.0.1:{server.port}"))
        self.apis = {name: api(client) for name, api in APIS.items()}
        self.called = set()

    def call(self, api, method, /, *path, model=None, **members):
        self.called.add(method)
        if model:
            parameter = re.sub(r"(?<!^)(?=[A-Z])", "_", model).lower()
            members = {parameter: getattr(models, model)(**members)}
        return getattr(self.apis[api], method)(*path, api_token=self.token, **members)


async def test_the_table_of_calls(ctx):
    """The page lists every call of the client, and those that it says work are tried here."""
    table = listed()
    assert set(table) == methods(), set(table) ^ methods()
    server = await ctx.fresh(*FLAGS, *PUSHES)
    client = Client(server)
    await asyncio.to_thread(talk, client, ctx.name("room"), ctx.name("ada"))
    working = {name for name, works in table.items() if works}
    assert client.called == working, client.called ^ working


async def test_refusals(ctx):
    """A refusal is the client's own error with Parley's code; what is missing is 404."""
    client = Client(await ctx.fresh(*FLAGS))

    def refused():
        for status, code, action in (
                (400, "400201", lambda: client.call("users", "view_a_user", "nobody")),
                (404, "400930", lambda: client.call("bots", "list_bots"))):
            try:
                action()
            except sdk.ApiException as error:
                assert error.status == status and code in error.body, error
            else:
                raise AssertionError(f"{code} was expected")
    await asyncio.to_thread(refused)


async def test_filters(ctx):
    """The client gets what it selects. What cannot be selected here is refused and named."""
    client = Client(await ctx.fresh(*FLAGS))
    await asyncio.to_thread(
        select, client.call, ctx.name("room"), ctx.name("ada"), ctx.name("bea"))


def select(call, room, ada, bea):
    for user in (ada, bea):
        call("users", "create_a_user", model="CreateAUserRequest", user_id=user, nickname=user,
             profile_url="")
    call(OPEN, "create_an_open_channel", model="CreateAnOpenChannelRequest", channel_url=room,
         name="Lobby", operator_ids=[ada])
    call("metadata", "create_a_channel_metadata", OPEN, room, model="CreateAChannelMetadataRequest",
         metadata={"a": "1", "b": "2", "c": "3"})
    sent = {user: int(call("messages", "send_a_message", OPEN, room, model="SendAMessageRequest",
                           message_type="MESG", user_id=user, message="hello").message_id)
            for user in (ada, bea)}
    call("users", "update_a_user", bea, model="UpdateAUserRequest", is_active=False)

    def users(**filters):
        return {user.user_id for user in call("users", "list_users", **filters).users}

    def messages(**filters):
        page = call("messages", "list_messages", OPEN, room, 0, 0, **filters)
        return [message["message_id"] for message in page.messages]

    assert users(active_mode="deactivated") == {bea}
    assert users(active_mode="activated", show_bot=True) == {ada}
    assert users(active_mode="all") == users() == {ada, bea}
    many = [f"{number:036}" for number in range(249)]
    assert users(user_ids=",".join([*many, ada])) == {ada}
    assert messages(sender_id=bea) == [sent[bea]]
    assert messages(sender_ids=f"{ada},{bea}", custom_types="*") == [*sent.values()]
    shown = {"with_sorted_meta_array": True, "include_reactions": True, "include_thread_info": True}
    assert messages(including_removed=True, include_reply_type="NONE", **shown) == [*sent.values()]
    assert call("messages", "get_a_message", OPEN, room, sent[ada], **shown).message == "hello"
    assert call("metadata", ALL_METADATA, OPEN, room, key="a") == {"a": "1"}
    assert call("metadata", ALL_METADATA, OPEN, room, keys="b,c") == {"b": "2", "c": "3"}
    assert call(OPEN, "get_an_open_channel", room, include_operators=True).name == "Lobby"
    assert call(OPEN, "list_open_channels", show_metadata=True).channels[0].channel_url == room
    assert call("users", "view_a_user", ada, include_unread_count=True).user_id == ada

    for code, name, action, filters in (
            (400111, "metadatakey", users, {"metadatakey": "team"}),
            (400111, "metadatavalues_in", users, {"metadatavalues_in": "red,blue"}),
            (400203, "user_ids", users, {"user_ids": ",".join([*many, ada, bea])}),
            (400105, "user_ids", users, {"user_ids": ",,"}),
            (400111, "user_id", messages, {"user_id": ada}),
            (400920, "sender_id", messages, {"sender_id": ada, "sender_ids": bea})):
        try:
            action(**filters)
        except sdk.ApiException as error:
            assert error.status == 400 and str(code) in error.body and f"'{name}'" in error.body, error
        else:
            raise AssertionError(f"{code} was expected for {name}")


async def test_members_without_a_meaning_here(ctx):
    """Documented members are refused by name if they ask for what there is not, and accepted if they do not."""
    server = await ctx.fresh(*FLAGS)
    room, owner = await ctx.room(server, 0)
    path, message = f"/v3/open_channels/{room}/messages", {
        "message_type": "MESG", "user_id": owner.user_id, "message": "x"}
    asking = {
        "is_silent": (True, False), "poll_id": (7, 0), "parent_message_id": (7, None),
        "is_reply_to_channel": (True, False), "files": ([{"url": "https://a.example"}], []),
        "thumbnails": (["https://a.example"], [])}
    idle = {
        "send_push": True, "mark_as_read": False, "sound": "default", "volume": 1.0,
        "apns_bundle_id": "a", "apple_critical_alert_options": {"name": "x"},
        "push_message_template": {"title": "x", "body": "y"}, "include_poll_details": True}
    user = {"discovery_keys": ["a"], "preferred_languages": ["es"], "issue_session_token": True,
            "require_auth_for_profile_image": True}
    async with Caller(server) as caller:
        async def refused(method, path, name, body):
            answer = await caller.send(method, path, body)
            assert answer.code == 400111 and f"'{name}'" in answer.value["message"], (name, answer)

        async def accepted(method, path, body):
            answer = await caller.send(method, path, body)
            assert answer.status == 200, (body, answer)
            return answer.value
        for name, (asks, asks_not) in asking.items():
            await refused("POST", path, name, {**message, name: asks})
            await accepted("POST", path, {**message, name: asks_not})
        for members in (idle, {"send_push": False, "mark_as_read": True}):
            assert (await accepted("POST", path, {**message, **members}))["silent"] is False
        number = (await accepted("POST", path, message))["message_id"]
        await refused("PUT", f"{path}/{number}", "url", {"message": "y", "url": "https://a.example"})
        for name, value in user.items():
            await refused("POST", "/v3/users", name, {"user_id": ctx.name("user"), name: value})
            await refused("PUT", f"/v3/users/{owner.user_id}", name, {"nickname": "N", name: value})
        await accepted("PUT", f"/v3/users/{owner.user_id}", {
            "nickname": "N", "discovery_keys": [], "preferred_languages": None, "last_seen_at": 7})


def talk(client, room, ada):
    call = client.call
    user = call("users", "create_a_user", model="CreateAUserRequest",
                user_id=ada, nickname="Ada", profile_url="")
    assert (user.user_id, user.nickname) == (ada, "Ada"), user
    assert call("users", "view_a_user", ada).nickname == "Ada"
    assert ada in [one.user_id for one in call("users", "list_users").users]
    assert call("users", "update_a_user", ada, model="UpdateAUserRequest",
                nickname="Ada L").nickname == "Ada L"
    assert call("users", "create_user_token", ada, model="CreateUserTokenRequest").token
    call("users", "create_user_metadata", ada, model="CreateUserMetadataRequest", metadata={"a": "b"})
    call("users", "update_user_metadata", ada, model="UpdateUserMetadataRequest",
         metadata={"c": "d"}, upsert=True)
    call("users", "update_specific_user_metadata", ada, "a",
         model="UpdateSpecificUserMetadataRequest", value="e", upsert=True)
    assert call("users", "view_specific_user_metadata", ada, "a") == {"a": "e"}
    call("users", "delete_specific_user_metadata", ada, "a")
    call("users", "delete_user_all_metadata", ada)

    channel = call(OPEN, "create_an_open_channel", model="CreateAnOpenChannelRequest",
                   channel_url=room, name="Lobby", operator_ids=[ada])
    assert (channel.channel_url, channel.freeze) == (room, False), channel
    assert call(OPEN, "get_an_open_channel", room).name == "Lobby"
    assert room in [one.channel_url for one in call(OPEN, "list_open_channels").channels]
    assert call(OPEN, "update_an_open_channel", room, model="UpdateAnOpenChannelRequest",
                name="Hall").name == "Hall"
    assert [one.user_id for one in call(OPEN, "list_channel_operators", room).operators] == [ada]
    bea = ada + "-2"
    call("users", "create_a_user", model="CreateAUserRequest", user_id=bea, nickname="Bea",
         profile_url="")
    call(OPEN, "register_operators", room, model="RegisterOperatorsToAGroupChannelRequest",
         operator_ids=[bea])
    assert len(call(OPEN, "list_channel_operators", room).operators) == 2
    call(OPEN, "unregister_operators", room, bea)
    for freeze in (True, False):
        assert call("moderation", "freeze_an_open_channel", room,
                    model="FreezeAnOpenChannelRequest", freeze=freeze).freeze == freeze
    for name in ("create_a_channel_metadata", "update_a_channel_metadata"):
        model = "".join(word.capitalize() for word in name.split("_")) + "Request"
        call("metadata", name, OPEN, room, model=model, metadata={name: "x"},
             **({"upsert": True} if name.startswith("update") else {}))
    items = call("metadata", ALL_METADATA, OPEN, room)
    assert set(items) == {"create_a_channel_metadata", "update_a_channel_metadata"}, items
    call("metadata", ALL_METADATA.replace("view", "delete").replace("retrieving", "deleting"), OPEN, room)
    messages(call, OPEN, room, ada)
    groups(call, room + "-group", ada, bea)
    pushes(call, ada, bea)
    call("messages", "migrate_messages", room, model="MigrateMessagesRequest", messages=[
        models.MigrateMessagesTextMessageRequest(ada, "old", 1_546_300_800_000, dedup_id="1")])
    call(OPEN, "delete_an_open_channel", room)
    call("users", "delete_a_user", ada)


def pushes(call, ada, bea):
    """Devices of users, and their choices about pushes."""
    for kind, member, token in (
            ("gcm", "gcm_reg_token", "a-token"), ("apns", "apns_device_token", "ab" * 32),
            ("huawei", "huawei_device_token", "another-token")):
        added = call("users", "add_a_registration_or_device_token", ada, kind,
                     model="AddARegistrationOrDeviceTokenRequest", **{member: token})
        assert (added.token, added.type) == (token, kind), added
        listed = call("users", "list_registration_or_device_tokens", ada, kind)
        assert listed.token == listed.tokens == [token] and listed.type == kind, listed
        call("users", "view_who_owns_a_registration_or_device_token", kind, token)
    assert call("users", "remove_a_registration_or_device_token", ada, "gcm", "a-token").token == "a-token"
    call("users", "remove_a_registration_or_device_token_from_an_owner", "apns", "ab" * 32)
    assert call("users", "remove_all_registration_or_device_token", ada).token == ["another-token"]
    assert call("users", "list_registration_or_device_tokens", ada, "huawei").tokens == []
    chosen = call("users", "update_push_preferences", ada, model="UpdatePushPreferencesRequest",
                  do_not_disturb=True, start_hour=22, end_hour=6, timezone="Europe/Berlin")
    assert (chosen.do_not_disturb, chosen.start_hour, chosen.timezone) == (True, 22, "Europe/Berlin"), chosen
    assert call("users", "view_push_preferences", ada).end_hour == 6
    assert call("users", "choose_a_push_notification_content_template", ada,
                model="ChooseAPushNotificationContentTemplateRequest", name="alternative").name == "alternative"
    call("users", "reset_push_preferences", ada)
    assert call("users", "view_push_preferences", ada).do_not_disturb is False
    group = call(GROUP, "create_a_group_channel", model="CreateAGroupChannelRequest", inviter_id=ada,
                 users=[models.SendbirdUser(user_id=ada), models.SendbirdUser(user_id=bea)]).channel_url
    for option, shown in (("mention_only", "mention_only"), ("false", "off"), ("all", "all"), ("default", None)):
        call("users", "update_push_preferences_for_a_channel", ada, group,
             model="UpdatePushPreferencesForAChannelRequest", push_trigger_option=option)
        seen = call("users", "view_push_preferences_for_a_channel", ada, group)
        assert seen.enable == (shown != "off"), (option, seen)
        assert (seen.push_trigger_option.value if shown else None) == shown, (option, seen)
    call(GROUP, "delete_a_group_channel", group)


def groups(call, group, ada, bea):
    """Group channels, whose answers the client checks against its models."""
    path = "channel_invitation_preference"
    assert call("users", f"get_{path}", bea).auto_accept is True
    assert call("users", f"update_{path}", bea, model="UpdateChannelInvitationPreferenceRequest",
                auto_accept=False).auto_accept is False
    made = call(GROUP, "create_a_group_channel", model="CreateAGroupChannelRequest",
                users=[models.SendbirdUser(user_id=ada), models.SendbirdUser(user_id=bea)], inviter_id=ada,
                channel_url=group, name="Trip", is_public=True, access_code="sesame", strict=True)
    assert (made.channel_url, made.member_count, made.joined_member_count) == (group, 2, 1), made
    assert {(one.user_id, one.state) for one in made.members} == {(ada, "joined"), (bea, "invited")}, made
    assert made.created_by.user_id == ada and made.is_access_code_required and not made.is_super
    # The client has objects of this answer twice, as a model and as they came, and returns neither as an attribute.
    seen = call(GROUP, "get_a_group_channel", group, show_member=True, show_read_receipt=True, show_delivery_receipt=True,
                user_id=bea).to_dict()
    assert (seen["member_state"], seen["inviter"]["user_id"], len(seen["members"])) == ("invited", ada, 2), seen
    assert seen["read_receipt"] == {ada: 0}, seen
    assert call(GROUP, "accept_an_invitation", group, model="AcceptAnInvitationRequest",
                user_id=bea).joined_member_count == 2
    assert call(GROUP, "check_if_member", group, bea).state == "joined"
    call(GROUP, "leave_a_channel", group, model="LeaveAChannelRequest", user_ids=[bea], should_leave_all=False)
    assert call(GROUP, "check_if_member", group, bea).is_member is False
    assert call(GROUP, "join_a_channel", group, model="JoinAChannelRequest",
                user_id=bea, access_code="sesame").joined_member_count == 2
    cat = ada + "-3"
    call("users", "create_a_user", model="CreateAUserRequest", user_id=cat, nickname="Cat", profile_url="")
    invited = call(GROUP, "invite_as_members", group, model="InviteAsMembersRequest", user_ids=[cat], inviter_id=ada)
    assert invited.member_count == 3, invited
    members = call(GROUP, "list_members", group, limit=2, member_state_filter="joined_only", operator_filter="nonoperator",
                   show_member_is_muted=True, show_read_receipt=True, show_delivery_receipt=True)
    assert [one.user_id for one in members.members] == [bea, cat] and members.next == "", members
    for mode, count in (("activated", 3), ("deactivated", 0)):
        assert len(call(GROUP, "list_members", group, member_active_mode_filter=mode).members) == count
        shown = call(GROUP, "get_a_group_channel", group, show_member=True, member_active_mode=mode).to_dict()
        assert len(shown["members"]) == count, shown
    for name in ("start_typing_indicators", "stop_typing_indicators"):
        call(GROUP, name, group, model="StartTypingIndicatorsRequest", user_ids=[ada, bea])
    assert [one.user_id for one in call("moderation", "block_a_user", ada, model="BlockAUserRequest", target_id=bea).users] == [bea]
    assert [one.user_id for one in call("moderation", "block_a_user", ada, model="BlockAUserRequest", user_ids=[cat]).users] == [cat]
    for given, expected in (({}, [bea, cat]), ({"user_ids": bea}, [bea]), ({"list": "blocking_me"}, [])):
        assert [one.user_id for one in call("moderation", "list_blocked_users", ada, limit=10, **given).users] == expected
    seen = {one.user_id: one for one in call(GROUP, "list_members", group, include_push_preference=True).members}
    assert [one.push_enabled for one in seen.values()] == [True] * 3, seen
    seen = {one.user_id: one for one in call(GROUP, "list_members", group, user_id=bea).members}
    assert [seen[name].to_dict().get("is_blocking_me") for name in (ada, bea, cat)] == [True, False, False], seen
    for blocked in (bea, cat):
        call("moderation", "unblock_a_user", ada, blocked)
    assert call("moderation", "list_blocked_users", ada).users == []
    assert call(GROUP, "update_a_group_channel", group, model="UpdateAGroupChannelRequest",
                name="Tour", is_public=False).name == "Tour"
    call(GROUP, "register_operators_to_a_group_channel", group, model="RegisterOperatorsToAGroupChannelRequest",
         operator_ids=[bea])
    assert [one.user_id for one in call(GROUP, "list_operators", group).operators] == [ada, bea]
    call(GROUP, "cancel_the_registration_of_operators", group, bea)
    for freeze in (True, False):
        assert call("moderation", "freeze_a_group_channel", group, model="FreezeAGroupChannelRequest",
                    freeze=freeze).freeze == freeze
    messages(call, GROUP, group, ada)
    assert call(GROUP, "get_a_group_channel", group).to_dict()["last_message"]["type"] == "FILE"
    unread(call, group, ada, bea)
    call("metadata", "create_a_channel_metadata", GROUP, group, model="CreateAChannelMetadataRequest",
         metadata={"a": "1"})
    assert call("metadata", ALL_METADATA, GROUP, group) == {"a": "1"}
    call(GROUP, "delete_a_group_channel", group)


def unread(call, group, ada, bea):
    """What bea has not read, her list of groups, and a group that she hides."""
    def numbers():
        return [call("users", f"view_number_of_{name}", bea).unread_count
                for name in ("unread_messages", "channels_with_unread_messages")]

    def own(**filters):
        page = call("users", "list_my_group_channels", bea, show_member=True, show_read_receipt=True, **filters)
        return [(one["channel_url"], one["unread_message_count"]) for one in page.to_dict()["channels"]]

    def mark(user, **members):
        call("messages", "mark_channel_messages_as_read", group, model="MarkChannelMessagesAsReadRequest",
             user_id=user, **members)
    count, groups = numbers()
    assert count > 0 and groups == 1, (count, groups)
    assert own() == own(order="latest_last_message", unread_filter="unread_message") == [(group, count)]
    assert own(members_include_in=ada, query_type="OR", hidden_mode="all") == [(group, count)]
    assert own(member_state_filter="invited_only") == []
    found = call(GROUP, "list_channels", order="chronological", show_empty=True, show_member=True, channel_urls=group)
    assert [one["channel_url"] for one in found.to_dict()["channels"]] == [group] and found.next == "", found
    mark(bea, timestamp=0)
    assert numbers() == [count, 1]
    mark(bea)
    assert numbers() == [0, 0] and own(unread_filter="unread_message") == []
    call("messages", "send_a_message", GROUP, group, model="SendAMessageRequest", message_type="MESG", user_id=ada,
         message="x")
    for value, expected in (("false", [0, 0]), ("all", [1, 1])):
        assert call("users", "update_count_preference_of_a_channel", bea, group,
                    model="UpdateCountPreferenceOfAChannelRequest", count_preference=value).count_preference == value
        assert call("users", "view_count_preference_of_a_channel", bea, group).count_preference == value
        assert numbers() == expected
    call("users", "mark_all_messages_as_read", bea, model="MarkAllMessagesAsReadRequest", channel_urls=[group])
    assert numbers() == [0, 0]
    call(GROUP, "hide_a_channel", group, model="HideAChannelRequest", user_id=bea, allow_auto_unhide=False,
         hide_previous_messages=False, should_hide_all=False)
    assert own() == [] and own(hidden_mode="hidden_prevent_auto_unhide") == [(group, 0)]
    call(GROUP, "unhide_a_channel", group, bea, should_unhide_all=False)
    assert own() == [(group, 0)]
    offset = call(GROUP, "reset_chat_history", group, model="ResetChatHistoryRequest", user_id=bea,
                  reset_all=False).ts_message_offset
    assert offset > 0


def messages(call, kind, room, ada):
    # A message of the past, with the members that have no effect here.
    sent = call("messages", "send_a_message", kind, room, model="SendAMessageRequest",
                message_type="MESG", user_id=ada, message="hello", created_at=1_546_300_800_000,
                dedup_id="old", send_push=False, mark_as_read=True, is_silent=False)
    assert sent.created_at == 1_546_300_800_000, sent
    number = int(sent.message_id)
    file = call("messages", "send_a_message", kind, room, model="SendAMessageRequest",
                message_type="FILE", user_id=ada, url="https://a.example/f.png")
    assert file.file["url"] == "https://a.example/f.png", file
    assert call("messages", "get_a_message", kind, room, number).message == "hello"
    # The client wants both places to begin at; the message is taken.
    page = call("messages", "list_messages", kind, room, 0, number, next_limit=10)
    assert [one["message_id"] for one in page.messages] == [number, file.message_id], page
    assert call("messages", "get_total_number_of_messages_in_a_channel", kind, room).total == 2
    assert call("messages", "update_a_message", kind, room, number, model="UpdateAMessageRequest",
                channel_type=kind, channel_url=room, message_id=number, message_type="MESG",
                message="bye").message == "bye"

    def pairs(*values):
        return models.SendbirdSortedMetaarray(
            [models.SendbirdSortedMetaarrayInner(key="k", value=list(values))])
    call("messages", "add_extra_data_to_a_message", kind, room, number,
         model="AddExtraDataToAMessageRequest", sorted_metaarray=pairs("v"))
    changed = call("messages", "update_extra_data_in_a_message", kind, room, number,
                   model="UpdateExtraDataInAMessageRequest", sorted_metaarray=pairs("w"),
                   mode="add", upsert=True)
    pair, = changed.sorted_metaarray.value
    assert (pair.key, list(pair.value)) == ("k", ["v", "w"]), changed
    call("messages", "remove_extra_data_from_a_message", kind, room, number, keys="k")
    call("messages", "delete_a_message", kind, room, number)
