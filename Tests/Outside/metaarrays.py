"""Meta arrays of messages."""

import asyncio

from harness import fence, refused
from sizes import post


def arrays(answer):
    return {item["key"]: item["value"] for item in answer["message"]["sorted_metaarray"]}


async def started(ctx, metaarray=None):
    server = await ctx.server()
    channel, owner, author, voter = await ctx.room(server, 2)
    sent = await author.send(channel, "poll", metaarray=metaarray)
    return owner, author, voter, {
        "channel_url": channel, "message_id": sent["message"]["message_id"]}


async def test_keys_come_and_go(ctx):
    """Author and operators create and delete keys, and the order of creation is kept."""
    owner, author, voter, address = await started(ctx)
    answer = await author.call("message.create_metaarray_keys", **address, keys=["zeta", "alpha"])
    assert arrays(answer) == {"zeta": [], "alpha": []}
    assert [i["key"] for i in answer["message"]["sorted_metaarray"]] == ["zeta", "alpha"]
    answer = await owner.call("message.delete_metaarray_keys", **address, keys=["zeta"])
    assert arrays(answer) == {"alpha": []}
    got = await voter.call("message.get", **address)
    assert arrays(got) == {"alpha": []}


async def test_both_names_are_taken(ctx):
    """Extra data and the name of a send have two names, on the socket and over HTTP; both together are 400920."""
    server = await ctx.server()
    channel, owner = await ctx.room(server, 0)
    given = [{"key": "games", "value": ["chess"]}]
    sent = await owner.send(channel, "x", sorted_metaarray=given, dedup_id="d")
    assert sent["message"]["sorted_metaarray"] == given and sent["message"]["req_id"] == "d", sent
    again = await owner.send(channel, "x", req_id="d")
    assert again["message"]["message_id"] == sent["message"]["message_id"]
    for members in ({"metaarray": given, "sorted_metaarray": given}, {"req_id": "a", "dedup_id": "a"}):
        async with refused(400920):
            await owner.send(channel, "y", **members)
    status, answer = await post(server, f"/open_channels/{channel}/messages", {
        "message_type": "MESG", "user_id": owner.user_id, "message": "z", "metaarray": given, "req_id": "e"})
    assert status == 200 and answer["sorted_metaarray"] == given and answer["dedup_id"] == "e", answer


async def test_values_come_and_go(ctx):
    """Adding to a key that is not there creates it for its author; anyone removes values."""
    _, author, voter, address = await started(ctx, [{"key": "games", "value": ["chess"]}])
    answer = await author.call(
        "message.add_metaarray_values", **address, values={"games": ["soccer"], "food": ["rice"]})
    assert arrays(answer) == {"games": ["chess", "soccer"], "food": ["rice"]}
    answer = await voter.call(
        "message.remove_metaarray_values", **address, values={"games": ["chess"]})
    assert arrays(answer) == {"games": ["soccer"], "food": ["rice"]}


async def test_changes_are_told_as_updates(ctx):
    """A change is told to others as message.updated; updated_at is left alone."""
    owner, author, voter, address = await started(ctx, [{"key": "votes", "value": []}])
    await voter.call("message.add_metaarray_values", **address, values={"votes": ["yes"]})
    for client in (owner, author):
        event = await client.event("message.updated", channel_url=address["channel_url"])
        assert arrays(event) == {"votes": ["yes"]} and event["message"]["updated_at"] == 0
    await fence(address["channel_url"], owner, voter)
    assert not voter.told("message.updated")


async def test_only_participants(ctx):
    """One who is not in the channel may not change meta arrays."""
    owner, _, _, address = await started(ctx)
    outside = await ctx.user(await ctx.server())
    for method, params in (
            ("message.create_metaarray_keys", {"keys": ["a"]}),
            ("message.add_metaarray_values", {"values": {"a": ["b"]}})):
        try:
            await outside.call(method, **address, **params)
        except Exception as refusal:
            assert getattr(refusal, "code", None) in (400108, 900020), refusal
        else:
            raise AssertionError(f"{method} was accepted from outside")
    assert arrays(await owner.call("message.get", **address)) == {}


async def test_values_of_keys(ctx):
    """Missing lists, wrong types and too many keys are refused and change nothing."""
    _, _, voter, address = await started(ctx, [{"key": "a", "value": ["1"]}])
    for method, field in (
            ("message.create_metaarray_keys", "keys"), ("message.delete_metaarray_keys", "keys"),
            ("message.add_metaarray_values", "values"),
            ("message.remove_metaarray_values", "values")):
        async with refused(400105, field=field):
            await voter.call(method, **address)
    async with refused(400102, field="keys"):
        await voter.call("message.create_metaarray_keys", **address, keys="a")
    async with refused(400103, field="values"):
        await voter.call("message.add_metaarray_values", **address, values=["a"])
    try:
        await voter.call("message.create_metaarray_keys", **address,
                         keys=[f"k{n}" for n in range(1000)])
    except Exception as refusal:
        assert getattr(refusal, "code", None) in (400203, 400110), refusal
    else:
        raise AssertionError("a thousand keys were accepted")
    assert arrays(await voter.call("message.get", **address)) == {"a": ["1"]}


async def test_too_many_and_too_long_values(ctx):
    """A thousand values, and a value of ten thousand characters, are refused."""
    _, _, voter, address = await started(ctx)
    for values in ({"a": [str(n) for n in range(1000)]}, {"a": ["x" * 10_000]},
                   {"k" * 1000: ["x"]}):
        try:
            await voter.call("message.add_metaarray_values", **address, values=values)
        except Exception as refusal:
            assert getattr(refusal, "code", None) in (400203, 400110), refusal
        else:
            raise AssertionError("accepted")
    assert arrays(await voter.call("message.get", **address)) == {}


async def test_limits_hold_over_many_calls(ctx):
    """The limit on keys cannot be passed little by little."""
    server = await ctx.server("--limits-flood-messages", "0")
    channel, voter = await ctx.room(server, 0)
    number = (await voter.send(channel, "poll"))["message"]["message_id"]
    address = {"channel_url": channel, "message_id": number}
    made = 0
    for n in range(200):
        try:
            await voter.call("message.create_metaarray_keys", **address, keys=[f"k{n}"])
            made += 1
        except Exception as refusal:
            assert getattr(refusal, "code", None) == 400203, refusal
            break
    assert 1 <= made < 200
    assert len(arrays(await voter.call("message.get", **address))) == made


async def test_limits_are_settings(ctx):
    """Raised limits hold on the socket and over HTTP; lowered ones leave stored data readable and removable."""
    server = await ctx.fresh(
        "--limits-metaarray-keys", "12", "--limits-metaarray-values", "101",
        "--limits-metaarray-value-length", "400", "--limits-custom-type-length", "200",
        "--limits-metadata-keys", "30")
    channel, owner = await ctx.room(server, 0)
    given = [{"key": f"k{n}", "value": ["v"]} for n in range(11)]
    given.append({"key": "long", "value": ["x" * 400, *map(str, range(100))]})
    sent = await owner.send(channel, "x", metaarray=given, custom_type="t" * 200)
    address = {"channel_url": channel, "message_id": sent["message"]["message_id"]}
    assert sent["message"]["sorted_metaarray"] == given, sent
    async with refused(400203, field="metaarray", limit=12):
        await owner.call("message.create_metaarray_keys", **address, keys=["more"])
    async with refused(400203, limit=101):
        await owner.call("message.add_metaarray_values", **address, values={"long": ["more"]})
    body = {"message_type": "MESG", "user_id": owner.user_id, "message": "y"}
    path = f"/open_channels/{channel}/messages"
    status, answer = await post(server, path, {**body, "sorted_metaarray": given})
    assert status == 200 and answer["sorted_metaarray"] == given, answer
    status, answer = await post(
        server, path, {**body, "sorted_metaarray": [*given, {"key": "more"}]})
    assert (status, answer["code"]) == (400, 400203), answer
    metadata = {f"k{n}": "v" for n in range(30)}
    await owner.call("user.update", metadata=metadata)
    async with refused(400203, field="metadata", limit=30):
        await owner.call("user.update", metadata={**metadata, "more": "v"})
    await server.end()
    server = await ctx.fresh(data=server.data)
    owner = await ctx.user(server, owner.user_id)
    await owner.call("channel.enter", channel_url=channel)
    assert (await owner.call("message.get", **address))["message"]["sorted_metaarray"] == given
    listed = await owner.call(
        "message.list", channel_url=channel, custom_types=["t" * 200], prev_limit=10)
    assert [m["message_id"] for m in listed["messages"]] == [address["message_id"]]
    async with refused(400203, field="metaarray", limit=10):
        await owner.call("message.create_metaarray_keys", **address, keys=["more"])
    async with refused(400110, field="custom_type", limit=128):
        await owner.send(channel, "z", custom_type="t" * 129)
    await owner.call(
        "message.remove_metaarray_values", **address, values={"long": ["x" * 400]})
    gone = [array["key"] for array in given[:11]]
    answer = await owner.call("message.delete_metaarray_keys", **address, keys=gone)
    assert arrays(answer) == {"long": list(map(str, range(100)))}, answer


async def test_votes_at_once_are_all_counted(ctx):
    """Values that many participants add at the same time are all there afterwards."""
    server = await ctx.server()
    channel, owner, *voters = await ctx.room(server, 12)
    number = (await owner.send(channel, "poll", metaarray=[{"key": "votes", "value": []}]))[
        "message"]["message_id"]
    await asyncio.gather(*(
        voter.call("message.add_metaarray_values", channel_url=channel, message_id=number,
                   values={"votes": [voter.user_id]}) for voter in voters))
    got = await owner.call("message.get", channel_url=channel, message_id=number)
    assert sorted(arrays(got)["votes"]) == sorted(voter.user_id for voter in voters)


async def test_a_message_that_is_gone(ctx):
    """Meta arrays of a deleted message are 400201."""
    _, author, voter, address = await started(ctx)
    await author.call("message.delete", **address)
    async with refused(400201):
        await voter.call("message.create_metaarray_keys", **address, keys=["a"])


async def test_an_edit_keeps_them(ctx):
    """message.update leaves the meta arrays as they are."""
    _, author, voter, address = await started(ctx, [{"key": "a", "value": ["1"]}])
    answer = await author.call("message.update", **address, message="edited")
    assert arrays(answer) == {"a": ["1"]}


async def test_they_survive_a_restart(ctx):
    """Meta arrays are as they were after kill -9 and a restart."""
    server = await ctx.fresh()
    channel, owner = await ctx.room(server, 0)
    number = (await owner.send(channel, "x"))["message"]["message_id"]
    address = {"channel_url": channel, "message_id": number}
    answer = await owner.call("message.add_metaarray_values", **address, values={"b": ["1", "2"]})
    await server.kill()
    server = await ctx.fresh(data=server.data)
    owner = await ctx.user(server, owner.user_id)
    assert await owner.call("message.get", **address) == answer
