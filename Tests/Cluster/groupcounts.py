"""What a client knows of one group: its numbers, by the documented rules of counting, and what it has shown."""

from datetime import UTC, datetime


def clock():
    """The time of day, as servers log it."""
    return datetime.now(UTC).strftime("%M:%S.%f")[:-3]


class Counts:
    """Unread messages and mentions of one user in one group."""

    def __init__(self, user_id, my):
        self.user_id = user_id
        self.last = self.read = 0
        # Messages of others after the last answer: whether each mentions the user.
        self.later = {}
        self.counted = 0
        self.unread = self.mentions = 0
        self.set(my)

    def set(self, my):
        """Takes `my` of an answer or an event, unless it is older than what was received; whether it was taken."""
        if my["last_ordinal"] < self.last:
            return False
        self.last = self.counted = my["last_ordinal"]
        self.read = my["read_ordinal"]
        self.unread, self.mentions = my["unread_message_count"], my["unread_mention_count"]
        self.later = {}
        return True

    def received(self, message):
        ordinal = message["ordinal"]
        if ordinal <= self.last:
            return
        self.last = ordinal
        if self.is_own(message):
            self._read_up_to(ordinal)
        else:
            self.later[ordinal] = self.is_mentioned(message)
            self.unread += 1
            self.mentions += self.later[ordinal]

    def answered(self, message):
        """Takes the answer to a message of the user, which may come after later messages."""
        ordinal = message["ordinal"]
        if ordinal > self.counted:
            self.last = max(self.last, ordinal)
            self._read_up_to(ordinal)

    def deleted(self, params):
        ordinal = params["ordinal"]
        if ordinal > self.read and params.get("sender_id") != self.user_id:
            self.later.pop(ordinal, None)
            self.unread -= 1
            self.mentions -= self.is_mentioned(params)

    def updated(self, message, former):
        ordinal = message["ordinal"]
        if former is None or not self.read < ordinal <= self.last or self.is_own(message):
            return
        self.mentions += self.is_mentioned(message) - self.is_mentioned(former)
        if ordinal in self.later:
            self.later[ordinal] = self.is_mentioned(message)

    def _read_up_to(self, ordinal):
        self.later = {later: mentions for later, mentions in self.later.items() if later > ordinal}
        self.read = self.counted = ordinal
        self.unread, self.mentions = len(self.later), sum(self.later.values())

    def is_own(self, message):
        return (message.get("user") or {}).get("user_id") == self.user_id

    def is_mentioned(self, params):
        ids = params.get("mentioned_user_ids") or [u["user_id"] for u in params.get("mentioned_users") or []]
        return params.get("mention_type") == "channel" or self.user_id in ids


class View:
    """One group as one device holds it."""

    def __init__(self, user_id, channel=None):
        self.user_id = user_id
        # Events that wait for an answer: (method, params).
        self.kept = []
        self.is_held = True
        self.is_known = False
        # The position of what was shown, and that of the answer that the numbers come from.
        self.epoch, self.seq, self.counted_seq, self.is_fresh = None, 0, 0, False
        self.my = None
        self.counts, self.first = None, 0
        self.shown, self.listed, self.twice = {}, set(), []
        # Why `group.get` has to be called, if it has.
        self.doubt = ""
        self.trace = []
        if channel:
            self.begin(channel)

    def begin(self, channel):
        """Starts from an answer: what was sent before it is read when it is looked at."""
        self.is_known = True
        self.epoch, self.is_fresh = channel["epoch"], True
        self.seq = self.counted_seq = channel["seq"]
        self.my, self.first = channel["my"], channel["last_ordinal"]
        self.counts = Counts(self.user_id, self.my)
        self.shown, self.listed, self.twice = {}, set(), []
        self.note("begin", channel)

    @property
    def is_joined(self):
        return self.is_known and self.my["state"] == "joined"

    def take(self, channel):
        """Takes an answer about a group that is known; whether it was not older than what was received."""
        if not self.counts.set(channel["my"]):
            self.note("older", channel)
            return False
        self.my = channel["my"]
        self.counted_seq = max(self.counted_seq, channel["seq"])
        self.note("take", channel)
        return True

    def take_own(self, my, what):
        if self.counts.set(my):
            self.my = my
            self.note(what, {"my": my})
        else:
            self.note(f"older {what}", {"my": my})

    def show(self, message):
        identity = message["message_id"]
        if identity in self.shown and identity not in self.listed:
            self.twice.append(message)
        self.listed.discard(identity)
        self.shown[identity] = message["ordinal"]

    def list(self, message):
        """Shows a message that was listed, whose event may follow."""
        if message["message_id"] not in self.shown:
            self.shown[message["message_id"]] = message["ordinal"]
            self.listed.add(message["message_id"])

    def numbers(self):
        """The unread messages and mentions that the device displays."""
        if not self.is_joined:
            return 0, 0
        wanted = self.my["count_preference"]
        return (self.counts.unread if wanted in ("all", "unread_message_count_only") else 0,
                self.counts.mentions if wanted in ("all", "unread_mention_count_only") else 0)

    def note(self, what, params):
        """Keeps the last steps, for the report of a failure."""
        my, message = params.get("my") or {}, params.get("message") or {}
        self.trace.append(" ".join(str(part) for part in (
            clock(), what, params.get("seq", ""), message.get("message_id", params.get("message_id", "")),
            f"#{message.get('ordinal', params.get('ordinal', ''))}",
            "/".join(str(my.get(name)) for name in (
                "last_ordinal", "read_ordinal", "unread_message_count", "unread_mention_count", "hidden_state",
                "state")) if my else "",
            f"-> {self.counts.last}/{self.counts.read}/{self.counts.unread}/{self.counts.mentions}"
            if self.counts else "")))
        del self.trace[:-40]
