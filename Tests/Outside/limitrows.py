"""The numbers of values in Limits.md: at the limit a value is accepted, beyond it refused."""

import asyncio
import os
import re

from harness import DEADLINE, Refused
from heaviest import pairs
from wire import Wire

PAGE = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "Sources", "Gateway", "Gateway.docc",
    "Limits.md")

# Rows that other tests look at, by the beginning of their first column.
ELSEWHERE = {
    "channel's `metadata`": "refusals", "name of an API token": "apitokens",
    "API tokens beside the first": "apitokens",
    "tickets of an API token": "observers", "channels that an observer hears": "observers",
    "observers of a channel": "observers", "bans of a channel": "RightsTests.swift", "messages of the very millisecond": "listing",
    "U+0000 in any text": "edges", "`token` of a page": "refusals",
    "`translation_target_langs`": "refusals", "a page of any list": "budgets",
    "`user_ids` of `GET /users`": "endpoints",
    "words of a [word filter]": "wordfilter",
    "`kid` of a token": "keysets", "a key set": "keyfetches", "tokens of an issuer": "keyfetches",
}


def rows(section):
    """The cells of each row of the first table below a heading of Limits.md."""
    with open(PAGE, encoding="utf-8") as file:
        text = file.read().split(f"\n## {section}\n")[1].split("\n## ")[0]
    found = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
             for line in text.splitlines() if line.startswith("|")]
    return found[2:]


def cases(w):
    """For each row its cases: the number, a call that has so much of it, the code beyond."""
    def send(**params):
        return "message.send", {"channel_url": w.channel, "message": "x", **params}

    def update(**params):
        return "channel.update", {"channel_url": w.channel, **params}

    def mute(**params):
        return "channel.mute", {"channel_url": w.channel, "user_id": w.names[0], **params}

    def ban(**params):
        return "channel.ban", {"channel_url": w.channel, "user_id": w.names[1], **params}

    def listing(**params):
        return "message.list", {"channel_url": w.channel, **params}

    def report(**params):
        return "channel.report", {"channel_url": w.channel, "category": "custom", "custom_category": "x", **params}

    url = "https://a.example/"
    return {
        "`user_id`": [(80, lambda n: ("channel.mute", {
            "channel_url": w.channel, "user_id": "u" * n}), {400305}, {400201})],
        "`channel_url`": [(100, lambda n: ("channel.create", {
            "channel_url": w.fresh(n)}), {400110})],
        "`nickname`": [(80, lambda n: ("user.update", {"nickname": "n" * n}), {400110})],
        "`profile_url`, `cover_url`": [
            (2048, lambda n: ("user.update", {"profile_url": url + "p" * (n - 18)}), {400110}),
            (2048, lambda n: update(cover_url=url + "c" * (n - 18)), {400110})],
        "user's `metadata`": [
            (25, lambda n: ("user.update", {
                "metadata": {f"{k}": "v" for k in range(n)}}), {400203}),
            (128, lambda n: ("user.update", {"metadata": {"k" * n: "v"}}), {400110}),
            (190, lambda n: ("user.update", {"metadata": {"k": "v" * n}}), {400110})],
        "`access_token`": [(8192, lambda n: ("session.refresh", {
            "access_token": "t" * n}), {400110}, {400302, 400111, 400920, -32600})],
        "channel's `name`": [(191, lambda n: update(name="n" * n), {400110})],
        "`custom_type`": [(128, lambda n: update(custom_type="t" * n), {400110}),
                          (128, lambda n: send(custom_type="t" * n), {400110})],
        "`data`": [(16_384, lambda n: update(data="d" * n), {400110}),
                   (16_384, lambda n: send(data="d" * n), {400110}),
                   (16_384, lambda n: send(data="é" * (n // 2) + "d" * (n % 2)), {400110})],
        "`operator_ids`, `user_ids`": [
            (100, lambda n: update(operator_ids=[w.owner.user_id, *w.names][:n]), {400203}),
            (100, lambda n: ("channel.remove_operators", {
                "channel_url": w.channel, "user_ids": w.names[:n]}), {400203})],
        "`message`": [(5000, lambda n: send(message="m" * n), {400110}),
                      (5000, lambda n: send(message="\u20ac" * n), {400110})],
        "a file's `url`": [
            (2048, lambda n: send(message_type="FILE", url=url + "f" * (n - 18)),
             {400110, 400111}),
            (255, lambda n: send(message_type="FILE", url=url, file_name="f" * n), {400110}),
            (128, lambda n: send(message_type="FILE", url=url, file_type="t/" + "t" * (n - 2)),
             {400110, 400111})],
        "`req_id`": [(64, lambda n: send(req_id="r" * n), {400110})],
        "`mentioned_user_ids`": [
            (w.number("`mentioned_user_ids`"), lambda n: send(mentioned_user_ids=w.names[:n]),
             {400203})],
        "metaarray": [
            (10, lambda n: send(metaarray=[{"key": f"{k}"} for k in range(n)]), {400203}),
            (128, lambda n: send(metaarray=[{"key": "k" * n}]), {400110}),
            (100, lambda n: send(metaarray=[
                {"key": "k", "value": [f"{v}" for v in range(n)]}]), {400203}),
            (190, lambda n: send(metaarray=[{"key": "k", "value": ["v" * n]}]), {400110})],
        "`seconds` of a mute or ban": [
            (2_147_483_647, lambda n: mute(seconds=n), {400113}),
            (2_147_483_647, lambda n: ban(seconds=n), {400113})],
        "`description`": [(2048, lambda n: mute(description="d" * n), {400110}),
                          (250, lambda n: ban(description="d" * n), {400110}),
                          (1000, lambda n: report(description="d" * n), {400110})],
        # The note is in `reports`.
        "`custom_category`, `note` of a report": [(50, lambda n: report(custom_category="c" * n), {400110})],
        "`limit` of a page": [
            (100, lambda n: ("channel.list", {"limit": n}), {400113}),
            (100, lambda n: ("channel.participants", {
                "channel_url": w.channel, "limit": n}), {400113})],
        "`prev_limit`, `next_limit`": [(200, lambda n: listing(prev_limit=n), {400113}),
                                       (200, lambda n: listing(next_limit=n), {400113})],
        "`custom_types`, `sender_ids`": [
            (100, lambda n: listing(custom_types=[f"{t}" for t in range(n)]), {400203}),
            (100, lambda n: listing(sender_ids=[f"{t}" for t in range(n)]), {400203}),
            (100, lambda n: ("channel.list", {
                "custom_types": [f"{t}" for t in range(n)]}), {400203})],
    }


class World:
    @classmethod
    async def make(cls, ctx):
        w = cls()
        w.ctx = ctx
        server = await ctx.server(
            "--limits-flood-messages", "0", "--limits-calls-per-second", "0")
        w.owner = await Wire.open(server, ctx.name("owner"))
        ctx.clients.append(w.owner)
        w.names = [ctx.name("named") for _ in range(102)]
        for name in w.names:
            await (await Wire.open(server, name)).close()
        w.channel = ctx.name("room")
        await w.owner.call("channel.create", channel_url=w.channel)
        await w.owner.call("channel.enter", channel_url=w.channel)
        return w

    def fresh(self, length):
        return (self.ctx.name("room") + "c" * length)[:length]

    @staticmethod
    def number(name):
        """The first number of a row."""
        cell, = (row[1] for row in rows("Values") if row[0].startswith(name))
        return int(re.search(r"\d[\d,]*", cell)[0].replace(",", ""))


async def test_values(ctx):
    """Each number of a value holds to the one: at it accepted, beyond it the documented refusal."""
    w = await World.make(ctx)
    table, problems = cases(w), []
    for what, numbers, beyond in rows("Values"):
        if any(what.startswith(name) for name in ELSEWHERE):
            continue
        found = [name for name in table if what.startswith(name)]
        # The longest, as `custom_type` begins `custom_types` too.
        chosen = max(found, key=len, default=None)
        if chosen is None:
            problems.append(f"{what}: no case")
            continue
        for limit, make, codes, *others in table[chosen]:
            if f"{limit:,}" not in numbers:
                problems.append(f"{what}: {limit:,} is not in {numbers!r}")
            documented = {int(code) for code in re.findall(r"\b4\d{5}\b", beyond)}
            if not codes & documented:
                problems.append(f"{what}: {codes} is not in {beyond!r}")
            for count, wanted in ((limit, {None, *(others[0] if others else ())}),
                                  (limit + 1, codes)):
                method, params = make(count)
                code = await answer(w.owner, method, params)
                if code not in wanted:
                    problems.append(
                        f"{what}: {count} in {method} {list(params)[1:]} came to {code}")
    assert not problems, problems


async def answer(wire, method, params):
    """The code of a call's refusal, `None` when it is accepted."""
    try:
        async with asyncio.timeout(DEADLINE):
            await wire.call(method, **params)
    except Refused as refusal:
        return refusal.code
    return None


async def test_values_together(ctx):
    """A user's metadata and a message's metaarrays have a total in bytes, too."""
    w = await World.make(ctx)
    table = {row[0]: row[1] for row in rows("Values")}
    for name, method, make in (
            ("user's `metadata`", "user.update", lambda n: {"metadata": pairs("k", n)}),
            ("metaarray", "message.send", lambda n: {
                "channel_url": w.channel, "message": "x", "metaarray": [
                    {"key": "k", "value": [f"{v:03}" + "v" * 187 for v in range(n)]}]})):
        cell, = (text for what, text in table.items() if what.startswith(name))
        assert (total := re.search(r"([\d,]+) bytes", cell)), f"{name} has no total: {cell}"
        most = int(total[1].replace(",", ""))
        count = 0
        while await answer(w.owner, method, make(count + 1)) is None and count < 100:
            count += 1
        size = len(str(make(count)))
        assert most * 0.8 <= size <= most * 1.2, f"{name}: {count} accepted, {size} of {most} bytes"
