"""The largest values that a server accepts, found by trying."""

import asyncio
import json

from harness import Refused
from wire import Sizes, Wire

# JSON makes six bytes of a control character; other characters of UTF-8 have up to four.
CHARACTERS = ("\u0001", "\U0001f600", '"', "x")
TOO_MUCH = {400105, 400110, 400111, 400113, 400151, 400203}


def weight(value):
    """The bytes of a value as the server writes it."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


async def accepted(attempt):
    """Whether an attempt is accepted; refusals that do not speak of size are errors."""
    try:
        await attempt
    except Refused as refusal:
        assert refusal.code in TOO_MUCH, refusal
        return False
    return True


async def longest(attempt, limit):
    """The largest count up to the limit that is accepted, found by halving."""
    if await accepted(attempt(limit)):
        return limit
    low, high = 0, limit
    while high - low > max(1, limit // 32):
        middle = (low + high) // 2
        if await accepted(attempt(middle)):
            low = middle
        else:
            high = middle
    return low


async def heaviest(attempt, limit, make=lambda character, count: character * count):
    """Of values made of one character each, the largest that is accepted; it is the last tried."""
    best = None
    for character in CHARACTERS:
        ceiling = weight(make(character, limit))
        if best is not None and ceiling <= weight(best):
            continue
        count = await longest(lambda n, c=character: attempt(make(c, n)), limit)
        value = make(character, count)
        if count and (best is None or weight(value) > weight(best)):
            best = value
    if best is not None:
        await attempt(best)
    return best


def link(character, count):
    return ("https://a.example/" + character * 2048)[:max(18, count)]


def pairs(character, count):
    """User metadata of `count` pairs."""
    return {f"{n:02}" + character * 126: character * 190 for n in range(count)}


def metaarray(character, count):
    """`count` values of metaarrays, over ten keys."""
    return [
        {"key": f"{n}" + character * 127, "value": [
            (f"{v:02}" + character * 188) for v in range((count + 9 - n) // 10)]}
        for n in range(min(10, max(1, count)))]


async def profile(wire):
    """Fills the profile of a connection's user to its end; gives it."""
    async def update(name, value):
        await wire.call("user.update", **{name: value})

    return {
        "nickname": await heaviest(lambda v: update("nickname", v), 80),
        "profile_url": await heaviest(lambda v: update("profile_url", v), 2048, link),
        "metadata": await heaviest(lambda v: update("metadata", v), 25, pairs),
    }


# A message's members, each with the most that is documented or was, and how a value is made.
MEMBERS = {
    "message": (5000, lambda c, n: c * n),
    "data": (16_384, lambda c, n: c * (n // len(c.encode()))),
    "custom_type": (128, lambda c, n: c * n),
    "metaarray": (1000, metaarray),
}


async def message(wire, channel, *, members, mentioned=(), **fixed):
    """Sends messages with one member after another filled to its end; gives the last one's params.

    The order decides: what comes later gets what the earlier ones have left.
    """
    params = dict(fixed)
    if "message" not in fixed:
        params["message"] = "x"

    async def send(**more):
        return await wire.call("message.send", channel_url=channel, **{**params, **more})

    for name in members:
        if name == "mentioned":
            ids = list(mentioned)
            count = await longest(lambda n: send(mentioned_user_ids=ids[:n]), len(ids))
            if count:
                params["mentioned_user_ids"] = ids[:count]
        else:
            limit, make = MEMBERS[name]
            value = await heaviest(lambda v, name=name: send(**{name: v}), limit, make)
            if value is not None:
                params[name] = value
    sent = await send()
    return sent["message"], params


async def crowd(server, names, profile=None, sizes=None):
    """A connection for each name, opened together."""
    return await asyncio.gather(*(
        Wire.open(server, name, profile=profile and {
            part: profile[part] for part in ("nickname", "profile_url") if profile[part]},
            sizes=sizes or Sizes()) for name in names))
