"""What groups must look like to a user, by what was acknowledged alone."""

import asyncio
from dataclasses import dataclass, field

from groupcounts import clock


@dataclass
class Sent:
    """A message that was acknowledged or listed; `None` where it is not known."""

    identity: int
    ordinal: int
    sender: str | None
    text: str
    mentions: bool | None
    is_deleted: bool | None = False
    edits: int = 0

    @property
    def is_known(self):
        return self.is_deleted is False


@dataclass
class Truth:
    """One group of the user, by all answers."""

    url: str
    operator: str
    friends: list
    user_id: str
    messages: dict = field(default_factory=dict)
    # The user's part; `None`: it has to be read back, since a call was not answered or others ran at the same time.
    state: str | None = "joined"
    position: int | None = 0
    floor: int | None = 0
    hidden: str | None = "unhidden"
    preference: str | None = "all"
    # Messages that have been begun, and those that are answered: what overlaps has no known order.
    begun: int = 0
    done: int = 0
    # Whether a message was not answered: it may be there.
    has_unknown: bool = False
    # The user's own calls and changes of members, one after the other.
    own: asyncio.Lock = field(default_factory=asyncio.Lock)
    trace: list = field(default_factory=list)

    def still(self):
        """A number that stays the same while no message is on its way; `None` while one is, or may be."""
        return self.begun if self.begun == self.done and not self.has_unknown else None

    def add(self, message):
        """Takes the answer to a message."""
        sender = (message.get("user") or {}).get("user_id")
        known = self.messages.get(message["message_id"])
        self.note("sent", message["message_id"], message["ordinal"], sender)
        if known is None:
            self.messages[message["message_id"]] = Sent(
                message["message_id"], message["ordinal"], sender, message["message"],
                mentions(message, self.user_id))

    def countable(self, sender=None):
        """Messages that are there for certain and visible to the user, oldest first."""
        return sorted((
            sent for sent in self.messages.values()
            if sent.is_known and sent.ordinal > (self.floor or 0) and sender in (None, sent.sender)),
            key=lambda sent: sent.ordinal)

    def note(self, *what):
        """Keeps the last steps, for the report of a failure."""
        self.trace.append(" ".join(map(str, (clock(), *what))))
        del self.trace[:-40]

    def moved(self, ordinal, is_back=False):
        """The position after an acknowledged move."""
        self.note("moved", ordinal, is_back, self.position)
        if self.position is not None:
            self.position = ordinal if is_back else max(self.position, ordinal)

    def unsure(self, *names):
        self.note("unsure", *names)
        for name in names:
            setattr(self, name, None)

    def left(self):
        self.note("left")
        self.state = "none"
        self.position, self.floor, self.hidden, self.preference = 0, 0, None, None

    def joined(self, last_ordinal, still):
        self.note("joined", last_ordinal, still, self.still())
        self.state, self.position = "joined", 0
        self.floor = last_ordinal if still == self.still() is not None else None
        self.hidden = self.preference = None

    # At the end.

    def problems(self, listed, seen, my):
        """What is wrong: with all messages, those that the user is shown, and its own part."""
        found = [f"{self.url}: {text}" for text in self.log_problems(listed)]
        if self.state is not None and my_state(my) != self.state:
            found.append(f"{self.url}: the user is {my_state(my)}, not {self.state}")
        if my_state(my) == "joined":
            found += [f"{self.url}: {text}" for text in self.own_problems(listed, seen, my)]
        if found:
            found.append("\n  ".join([f"{self.url}:", *self.trace]))
        return found

    def log_problems(self, listed):
        """Acknowledged messages that are lost, come back, or come twice."""
        identities = [message["message_id"] for message in listed]
        texts = [message["message"] for message in listed]
        if len(set(identities)) < len(identities) or len(set(texts)) < len(texts):
            yield f"a message is stored twice: {sorted(texts)}"
        for sent in self.messages.values():
            if sent.is_deleted is False and sent.identity not in identities:
                yield f"an acknowledged message is lost: {sent}"
            if sent.is_deleted and sent.identity in identities:
                yield f"a deleted message is there: {sent}"
        ordinals = {message["ordinal"] for message in listed if message["ordinal"]}
        gone = {sent.ordinal for sent in self.messages.values() if sent.is_deleted is not False}
        missing = set(range(1, max(ordinals, default=0) + 1)) - ordinals - gone
        if missing:
            yield f"ordinals without a message: {sorted(missing)}"
        for message in listed:
            known = self.messages.get(message["message_id"])
            if known and known.mentions not in (None, mentions(message, self.user_id)):
                yield f"mentions of {message['message_id']} are not as acknowledged: {known}"

    def own_problems(self, listed, seen, my):
        shown = {message["message_id"] for message in seen}
        if self.floor is not None:
            wanted = {message["message_id"] for message in listed if message["ordinal"] > self.floor}
            silent = {message["message_id"] for message in seen if not message["ordinal"]}
            if wanted != shown - silent:
                yield f"the visible messages differ from those after {self.floor}: {sorted(wanted ^ shown)}"
        position = my["read_ordinal"]
        others = [message for message in seen if (message.get("user") or {}).get("user_id") != self.user_id]
        # Deleted messages and own ones leave it open.
        between = range(*sorted((position + 1, (self.position or 0) + 1)))
        if self.position is not None and any(message["ordinal"] in between for message in others):
            yield f"the position is {position}, not {self.position}"
        unread = [message for message in others if message["ordinal"] > position]
        wanted = my["count_preference"]
        numbers = (
            len(unread) if wanted in ("all", "unread_message_count_only") else 0,
            sum(mentions(message, self.user_id) for message in unread)
            if wanted in ("all", "unread_mention_count_only") else 0)
        if numbers != (my["unread_message_count"], my["unread_mention_count"]):
            yield (f"the numbers are {my['unread_message_count']}, {my['unread_mention_count']}, not {numbers}: "
                   f"position {position}, ordinals {[message['ordinal'] for message in unread]}")
        for name, value in (("count_preference", self.preference), ("hidden_state", self.hidden)):
            if value not in (None, my[name]):
                yield f"{name} is {my[name]}, not {value}"


def my_state(my):
    return my["state"] if my else "none"


def mentions(message, user_id):
    """Whether a message mentions a user."""
    return message.get("mention_type") == "channel" or user_id in [
        user["user_id"] for user in message.get("mentioned_users") or []]
