"""Who may change what: every method of the description, for every kind of caller.

A method of the description that is neither in CHANGES nor in OTHERS fails the test, and so does one
without an expectation for a kind of caller.
"""

import json

from harness import Refused
from schemas import source

# Methods that change nothing of an open channel that is there; groups.py looks at those of groups.
OTHERS = {
    "session.open", "session.refresh", "session.ping", "session.background", "session.close", "user.get",
    "user.update", "push.register", "push.unregister", "push.tokens", "push.preferences", "user.preferences", "user.block", "user.unblock", "user.blocked",
    "channel.create", "channel.get", "channel.list", "channel.enter", "channel.exit",
    "channel.participants", "message.get", "message.report", "channel.report", "user.report", "message.list", "message.translate", "batch",
    "file.create", "file.get", "file.list", "file.cancel", "preview.fetch", "preview.cancel",
    "group.create", "group.get", "group.update", "group.delete", "group.invite", "group.accept",
    "group.decline", "group.join", "group.leave", "group.remove", "group.members", "group.list",
    "group.unread", "group.changes", "group.recover", "group.watch_totals", "message.changes", "message.search", "group.mark_read", "group.mark_unread", "group.hide", "group.unhide",
    "group.reset_history", "group.set_preference", "group.typing", "group.receipts", "group.mark_delivered",
}

# The kinds of callers. "author" ones wrote the message that they change, the others did not; every
# one but the outsiders is in the channel, and only the operator operates it.
CALLERS = (
    "operator", "author", "participant", "muted author", "muted participant", "banned author",
    "banned stranger", "outside author", "outsider", "author in frozen",
    "participant in frozen", "operator in frozen", "muted operator",
)


def expectation(default, **others):
    """The error of each kind of caller; None is for success."""
    named = {name.replace("_", " "): code for name, code in others.items()}
    assert set(named) <= set(CALLERS), set(named) - set(CALLERS)
    return {caller: named.get(caller, default) for caller in CALLERS}


OPERATORS_ONLY = expectation(
    400108, operator=None, operator_in_frozen=None, muted_operator=None)

AUTHORS = expectation(
    400108, operator=None, operator_in_frozen=None, author=None, outside_author=None,
    muted_operator=900041, muted_author=900041, muted_participant=900041,
    banned_author=400750, banned_stranger=400750,
    author_in_frozen=900050, participant_in_frozen=900050)

SENDERS = expectation(
    None, muted_operator=900041, muted_author=900041, muted_participant=900041,
    banned_author=400750, banned_stranger=400750, outside_author=900020, outsider=900020,
    author_in_frozen=900050, participant_in_frozen=900050)

CHANGES = {
    "channel.update": OPERATORS_ONLY,
    "channel.delete": OPERATORS_ONLY,
    "channel.freeze": OPERATORS_ONLY,
    "channel.unfreeze": OPERATORS_ONLY,
    "channel.mute": OPERATORS_ONLY,
    "channel.unmute": OPERATORS_ONLY,
    "channel.ban": OPERATORS_ONLY,
    "channel.unban": OPERATORS_ONLY,
    "channel.add_operators": OPERATORS_ONLY,
    "channel.remove_operators": OPERATORS_ONLY,
    "message.send": SENDERS,
    "message.send_files": SENDERS,
    "message.update": AUTHORS,
    # Whoever may not write may still take back.
    "message.delete": expectation(
        400108, operator=None, operator_in_frozen=None, muted_operator=None, author=None,
        outside_author=None, muted_author=None, banned_author=None, author_in_frozen=None),
    "message.create_metaarray_keys": AUTHORS,
    "message.delete_metaarray_keys": AUTHORS,
    "message.add_metaarray_values": SENDERS,
    "message.remove_metaarray_values": SENDERS,
}


def described():
    """The methods that the description says a client may call."""
    operations = json.loads(source("asyncapi.json"))["operations"]
    return {name for name, operation in operations.items() if operation["action"] == "receive"}


def arguments(method, message, other):
    """Params beside the channel with which the method would change something."""
    reference = {"message_id": message}
    return {
        "channel.update": {"name": "changed"},
        "channel.mute": {"user_id": other}, "channel.unmute": {"user_id": other},
        "channel.ban": {"user_id": other}, "channel.unban": {"user_id": other},
        "channel.add_operators": {"user_ids": [other]},
        "channel.remove_operators": {"user_ids": [other]},
        "message.send": {"message": "said"},
        "message.send_files": {"files": [{"url": "https://files.example/plan.pdf"}]},
        "message.update": {**reference, "message": "changed"},
        "message.delete": reference,
        "message.create_metaarray_keys": {**reference, "keys": ["new"]},
        "message.delete_metaarray_keys": {**reference, "keys": ["poll"]},
        "message.add_metaarray_values": {**reference, "values": {"poll": ["yes"]}},
        "message.remove_metaarray_values": {**reference, "values": {"poll": ["no"]}},
    }.get(method, {})


async def test_every_method_has_an_expectation(ctx):
    """Every method of the description is expected to change something, or known not to."""
    assert not set(CHANGES) & OTHERS
    assert described() == set(CHANGES) | OTHERS, described() ^ (set(CHANGES) | OTHERS)
    for method, expected in CHANGES.items():
        assert set(expected) == set(CALLERS), method


async def stage(ctx, server, caller, people):
    """A channel with a message in it, and the caller in the state of its name."""
    owner, author, reader, other, boss = people
    channel = ctx.name("stage")
    await owner.call("channel.create", channel_url=channel, operator_ids=[boss.user_id])
    client = boss if "operator" in caller else author if "author" in caller else reader
    if caller != "outsider":
        await client.enter(channel)
    if client is not author:
        await author.enter(channel)
    sent = await author.send(channel, "text", metaarray=[{"key": "poll", "value": ["no"]}])
    if caller == "outside author":
        await client.call("channel.exit", channel_url=channel)
    if caller.startswith("muted"):
        await owner.call("channel.mute", channel_url=channel, user_id=client.user_id)
    if caller.startswith("banned"):
        await owner.call("channel.ban", channel_url=channel, user_id=client.user_id)
    if caller.endswith("in frozen"):
        await owner.call("channel.freeze", channel_url=channel)
    return channel, client, sent["message"]["message_id"]


async def state(owner, channel):
    """Everything that a change would show in."""
    place = (await owner.call("channel.get", channel_url=channel))["channel"]
    listed = await owner.call("message.list", channel_url=channel, prev_limit=200)
    return place, listed["messages"]


async def test_the_matrix(ctx):
    """Each changing method is allowed or refused as expected, and a refusal changes nothing."""
    server = await ctx.server("--limits-calls-per-second", "0", "--limits-user-flood-messages", "0",
                              "--limits-user-channels-per-day", "0")
    people = await ctx.users(server, 5)
    owner, other = people[0], people[3]
    wrong = []
    for method, expected in CHANGES.items():
        for caller in CALLERS:
            channel, client, message = await stage(ctx, server, caller, people)
            before = await state(owner, channel)
            try:
                await client.call(
                    method, channel_url=channel, **arguments(method, message, other.user_id))
                code = None
            except Refused as refusal:
                code = refusal.code
            if code != expected[caller]:
                wrong.append((method, caller, code, expected[caller]))
            elif code is not None and await state(owner, channel) != before:
                wrong.append((method, caller, "changed something"))
            # Channels at once are few.
            for person in people:
                try:
                    await person.call("channel.exit", channel_url=channel)
                except Refused:
                    pass
    assert not wrong, wrong


async def test_adding_values_creates_keys_for_those_who_may(ctx):
    """Adding to a key that is not there creates it for author and operators, else it is 400201."""
    server = await ctx.server()
    channel, owner, author, reader = await ctx.room(server, 2)
    sent = await author.send(channel, "x", metaarray=[{"key": "poll", "value": []}])
    address = {"channel_url": channel, "message_id": sent["message"]["message_id"]}
    for values in ({"new": ["a"]}, {"poll": ["a"], "new": ["a"]}, {"new": []}):
        try:
            await reader.call("message.add_metaarray_values", **address, values=values)
        except Refused as refusal:
            assert refusal.code == 400201 and refusal.data["field"] == "values", refusal
        else:
            raise AssertionError(f"{values} was accepted")
    got = (await reader.call("message.get", **address))["message"]["sorted_metaarray"]
    assert got == [{"key": "poll", "value": []}], got
    for client, key in ((author, "mine"), (owner, "ours")):
        answer = await client.call(
            "message.add_metaarray_values", **address, values={key: ["a"]})
        assert key in [a["key"] for a in answer["message"]["sorted_metaarray"]]
    answer = await reader.call("message.add_metaarray_values", **address, values={"ours": ["b"]})
    assert answer["message"]["sorted_metaarray"][2] == {"key": "ours", "value": ["a", "b"]}
