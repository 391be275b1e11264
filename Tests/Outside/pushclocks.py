"""Do-not-disturb over the nights in which clocks change: a server under faketime, and the zones as Python knows them."""

import datetime
import time
import zoneinfo

from clocks import Clock
from groupendpoints import Back
from groups import FREE
from pushing import OwnService, away
from webhooks import SECRET

# Of the last, clocks change by half an hour.
ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"]
MINUTE, DAY = 60, 86_400
# Before and within the window of 22:00 to 6:00, around the change, and before and after the end of the window.
AROUND = [-15 * MINUTE, 15 * MINUTE]


def local(moment, zone):
    return datetime.datetime.fromtimestamp(moment, zoneinfo.ZoneInfo(zone))


def changes(zone, since):
    """The seconds at which the clocks of a zone change within a year."""
    found = []
    for hour in range(int(since), int(since) + 366 * DAY, 3_600):
        if local(hour, zone).utcoffset() != local(hour + 3_600, zone).utcoffset():
            found.append(next(
                moment for moment in range(hour + MINUTE, hour + 3_601, MINUTE)
                if local(moment, zone).utcoffset() != local(hour, zone).utcoffset()))
    return found


def moments(zone, since):
    """Moments of the nights in which the clocks of a zone change."""
    found = []
    for change in changes(zone, since):
        morning = local(change, zone).replace(hour=6, minute=0, second=0, microsecond=0)
        evening = (morning - datetime.timedelta(days=1)).replace(hour=22)
        for time_of_day in (evening.timestamp(), change, morning.timestamp()):
            found += [time_of_day + distance for distance in AROUND]
    assert len(found) == 12, (zone, found)
    return found


def is_undisturbed(moment, zone):
    return not 6 <= local(moment, zone).hour < 22


async def test_do_not_disturb_when_clocks_change(ctx):
    """From 22:00 to 6:00 by the clock on the wall nothing is pushed, in three zones, in the nights that are an hour, or
    half an hour, longer or shorter."""
    clock = Clock(ctx)
    async with OwnService() as service:
        server = await clock.server(
            ctx, *FREE, "--push-url", service.url, "--push-url-types", "huawei", "--push-secret", SECRET,
            "--push-per-user-per-minute", "0", "--limits-user-flood-messages", "0")
        url, creator, (witness, _), *others = await away(ctx, server, 1 + len(ZONES), kind="huawei")
        user_of = {zone: user for zone, (user, _) in zip(ZONES, others)}
        async with Back(server) as back:
            for zone, user in user_of.items():
                await back.call("PUT", f"/users/{user}/push_preference", {
                    "do_not_disturb": True, "start_hour": 22, "end_hour": 6, "timezone": zone})
        pushed = 0
        # The first change may be of this night, whose evening is past.
        for moment in sorted(m for zone in ZONES for m in moments(zone, time.time() + 2 * DAY)):
            clock.set(round(moment - time.time()))
            message = (await creator.send(url, local(moment, "UTC").isoformat()))["message"]
            assert abs(message["created_at"] / 1000 - moment) < 10 * MINUTE, (message, moment)
            while not (found := [
                    notice for notice in service.asked() if notice["message"]["message_id"] == message["message_id"]]):
                await service.news.wait()
            told = {recipient["user_id"] for notice in found for recipient in notice["recipients"]}
            expected = {user for zone, user in user_of.items() if not is_undisturbed(moment, zone)}
            assert told == {witness, *expected}, {zone: str(local(moment, zone)) for zone in ZONES}
            pushed += len(expected)
        assert pushed >= 12
