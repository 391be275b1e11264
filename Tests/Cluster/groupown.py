"""What a user does in its groups, with any of its devices."""

import contextlib

from crowd import AWAY, PASSING
from harness import Refused


@contextlib.contextmanager
def passing(*codes):
    """Refusals after which nothing has changed."""
    try:
        yield
    except Refused as refusal:
        if refusal.code not in (PASSING - {900020}) | set(codes):
            raise


class OwnSteps:
    """The user's own steps. Each takes what was acknowledged into the truth."""

    def device(self, step, group):
        ready = [device for device in self.devices if device.is_settled and not device.is_asleep
                 and group.url in device.views]
        if not ready:
            raise ConnectionError("no device is ready")
        return step.of(ready, step.dice)

    async def own(self, step, group, method, *unsure, **params):
        """Changes the user's own part: the answer; None if it is not known, and then neither is the part named."""
        with passing():
            device = self.device(step, group)
            group.note(device.name, method, params)
            answer = await device.change(method, group.url, **params)
            if answer is None:
                group.unsure(*unsure)
            return answer

    async def mark(self, step, group, method, sent, ordinal, is_back=False):
        answer = await self.own(step, group, method, "position", message_id=sent.identity)
        if answer:
            group.moved(ordinal, is_back)
            if group.position not in (None, answer["my"]["read_ordinal"]):
                self.broken.append(f"{group.url}: {method} of {sent} answers {answer['my']}, not {group.position}")

    async def read(self, step, group):
        async with group.own:
            if group.state == "joined" and group.floor is not None and (known := group.countable()):
                await self.mark(step, group, "group.mark_read", known[-1], known[-1].ordinal)

    async def read_earlier(self, step, group):
        async with group.own:
            if group.state == "joined" and group.floor is not None and (known := group.countable()):
                sent = step.of(known)
                await self.mark(step, group, "group.mark_read", sent, sent.ordinal)

    async def unread(self, step, group):
        async with group.own:
            if group.state == "joined" and group.floor is not None and (known := group.countable()):
                sent = step.of(known[-6:])
                await self.mark(step, group, "group.mark_unread", sent, sent.ordinal - 1, is_back=True)

    async def read_present(self, step, group):
        async with group.own:
            if group.state == "joined":
                last = max((sent.ordinal for sent in group.messages.values()), default=0)
                if answer := await self.own(step, group, "group.mark_read", "position"):
                    position = answer["my"]["read_ordinal"]
                    if position < last:
                        self.broken.append(f"{group.url}: all is read, but {answer['my']} is before {last}")
                    group.moved(position)

    async def read_several(self, step, group):
        groups = [other for other in self.groups if other.state == "joined"][int(step.which * 200):][:3]
        await self.read_all(step, groups, channel_urls=[other.url for other in groups])

    async def read_everything(self, step, group):
        await self.read_all(step, self.groups)

    async def read_all(self, step, groups, **params):
        ready = [device for device in self.devices if device.is_settled and not device.is_asleep]
        if not ready or not groups:
            return
        async with contextlib.AsyncExitStack() as locks:
            # One order for all.
            for group in self.groups:
                if group in groups:
                    await locks.enter_async_context(group.own)
            stills = {group.url: group.still() for group in groups}
            lasts = {group.url: max((sent.ordinal for sent in group.messages.values()), default=0) for group in groups}
            answer = None
            # Some may be marked when others are refused.
            with contextlib.suppress(*AWAY), passing(400201, 900020):
                answer = await step.of(ready).call("group.mark_read", **params)
            for group in groups:
                is_certain = answer is not None and stills[group.url] == group.still() is not None
                if group.state == "joined" and is_certain:
                    group.moved(lasts[group.url])
                else:
                    group.unsure("position")

    async def hide_as(self, step, group, method, state, **params):
        async with group.own:
            if group.state == "joined":
                still = group.still()
                group.hidden = None
                if await self.own(step, group, method, "hidden", **params):
                    is_certain = state != "hidden_allow_auto_unhide" or still == group.still() is not None
                    group.hidden = state if is_certain else None

    async def hide(self, step, group):
        await self.hide_as(step, group, "group.hide", "hidden_allow_auto_unhide")

    async def archive(self, step, group):
        await self.hide_as(step, group, "group.hide", "hidden_prevent_auto_unhide", allow_auto_unhide=False)

    async def unhide(self, step, group):
        hidden = [other for other in self.groups if other.hidden not in (None, "unhidden")]
        await self.hide_as(step, step.of(hidden) if hidden else group, "group.unhide", "unhidden")

    async def prefer(self, step, group):
        async with group.own:
            if group.state == "joined":
                wanted = step.of(["all", "all", "unread_message_count_only", "unread_mention_count_only", "off"])
                if await self.own(step, group, "group.set_preference", "preference", count_preference=wanted):
                    group.preference = wanted

    async def reset(self, step, group):
        async with group.own:
            if group.state == "joined":
                still = group.still()
                last = max((sent.ordinal for sent in group.messages.values()), default=0)
                if await self.own(step, group, "group.reset_history", "floor", "position"):
                    is_certain = still == group.still() is not None and group.floor is not None
                    group.floor = last if is_certain else None

    async def say(self, step, group):
        async with group.own:
            if group.state == "joined":
                text = self.text()

                async def sending():
                    answer = await self.own(
                        step, group, "message.send", "position", message=text, req_id=text)
                    return answer and answer["message"]
                known = set(group.messages)
                await self.posted(group, sending(), by=self.user_id)
                for sent in [group.messages[identity] for identity in set(group.messages) - known]:
                    if sent.sender == self.user_id:
                        group.moved(sent.ordinal)

    async def say_edit(self, step, group):
        async with group.own:
            if group.state == "joined" and (known := group.countable(self.user_id)):
                with passing(400201):
                    await self.own(
                        step, group, "message.update", message_id=step.of(known).identity, message=self.text())

    async def say_delete(self, step, group):
        async with group.own:
            if group.state == "joined" and (known := group.countable(self.user_id)):
                sent = step.of(known)
                sent.is_deleted = None
                with passing(400201):
                    if await self.own(step, group, "message.delete", message_id=sent.identity) is not None:
                        sent.is_deleted = True

    async def choose(self, step, group):
        """Whether the user joins at once where it is invited."""
        ready = [device for device in self.devices if device.is_settled and not device.is_asleep]
        if ready:
            with contextlib.suppress(*AWAY), passing():
                await step.of(ready).call("user.preferences", auto_accept_invitations=step.dice < 0.5)

    async def answer_invitation(self, step, group):
        invited = [other for other in self.groups if other.state == "invited"]
        if not invited:
            return
        group = step.of(invited)
        async with group.own:
            if group.state != "invited":
                return
            still = group.still()
            accepts = step.dice < 0.7
            answer = await self.own(
                step, group, "group.accept" if accepts else "group.decline", "state", "position", "floor", "hidden",
                "preference")
            if answer is not None:
                if accepts:
                    group.joined(answer["channel"]["last_ordinal"], still)
                else:
                    group.left()

    async def leave_group(self, step, group):
        async with group.own:
            if group.state == "joined":
                answer = await self.own(
                    step, group, "group.leave", "state", "position", "floor", "hidden", "preference")
                if answer is not None:
                    group.left()
