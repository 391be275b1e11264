"""Words that tests of previews share: what a gateway remembers, and fences behind fetches."""

from harness import eventually, fence
from previews import FLAGS, preview_of, updates_of, with_pages

__all__ = ["FLAGS", "entry_of", "explain", "look_up", "preview_of", "remembered", "settled",
           "updates_of", "with_pages"]


async def entry_of(server, url):
    """What the server remembers of the link, or None."""
    status, answer = await server.api("GET", "/parley/previews", url=url)
    assert status == 200, answer
    return answer["previews"][0] if answer["previews"] else None


async def remembered(server, url, condition=lambda entry: True):
    """The entry of a link, once there is one that meets the condition."""
    async def meets():
        entry = await entry_of(server, url)
        return entry if entry and condition(entry) else None
    return await eventually(meets, f"a remembered preview of {url}")


async def settled(server, url, channel, owner, *viewers):
    """The link was looked up, and what was told of it has come to the viewers.

    The preview is remembered just before its messages are updated: wait for an expected update.
    """
    entry = await remembered(server, url)
    await fence(channel, owner, *viewers)
    return entry


async def look_up(server, channel, owner, sender, url):
    """Sends a message with the link, and gives it as it is once the link was looked up."""
    sent = (await sender.send(channel, url))["message"]
    if sent["og_tag"]:
        return sent
    entry = await settled(server, url, channel, owner, sender)
    if "og_tag" in entry:
        await preview_of(sender, sent)
    got = await sender.call("message.get", channel_url=channel, message_id=sent["message_id"])
    return got["message"]


async def explain(server, url):
    status, answer = await server.api("GET", "/parley/previews/explain", url=url)
    assert status == 200, answer
    return answer
