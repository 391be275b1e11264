"""The rules of a channel, held against all that its clients asked for and were shown. Reads no clock and no socket."""

from collections import deque
from dataclasses import dataclass, field

FLOOD, THROTTLE, WINDOW = 5, 5, 1000
# A stretch longer than this is not recovered.
RECOVERED = 300
# Texts that begin with these are of the Platform API and of an operator.
EXEMPT = ("api ", "owner ")


@dataclass
class Sent:
    """A message that was acknowledged."""

    message_id: int
    seq: int
    text: str
    user: str


@dataclass
class Shown:
    """An event as the first client saw it."""

    method: str
    # What it is about: the id of a message, or a user.
    about: object
    text: str | None = None
    user: str | None = None
    created_at: int = 0

    @classmethod
    def of(cls, event):
        params = event["params"]
        message = params.get("message")
        if message:
            user = message.get("user") or {}
            return cls(event["method"], message["message_id"], message["message"],
                       user.get("user_id"), message["created_at"])
        about = params.get("message_id") or (params.get("user") or {}).get("user_id")
        return cls(event["method"], about)


@dataclass
class Stay:
    """One connection in the channel, from an answer to channel.enter on."""

    user: str
    # Everything above this is to be shown; up to `recovered_to` by the answer to channel.enter.
    start: int
    position: int
    recovered_to: int
    is_operator: bool = False
    is_out: bool = False
    seen: dict = field(default_factory=dict)
    # When events came, by their number.
    heard: dict = field(default_factory=dict)
    answered: set = field(default_factory=set)
    # Texts sent and messages changed over this connection, of which it gets no event.
    asked: set = field(default_factory=set)
    edited: set = field(default_factory=set)
    # The last text of each message that was shown.
    views: dict = field(default_factory=dict)
    notices: list = field(default_factory=list)
    # For whoever reads what was kept of a failure: the server, and what came last.
    server: str = ""
    trace: deque = field(default_factory=lambda: deque(maxlen=60))
    # The last created_at that this connection can have been notified of; None while it lasts.
    ended_at: int | None = None


class Ledger:
    """What happened in one channel, and what of it breaks a rule."""

    def __init__(self, channel, has_limits=False):
        self.channel, self.has_limits = channel, has_limits
        self.broken = []
        self.events = {}
        self.epoch = None
        self.acknowledged = {}
        self.texts = {}
        # Texts that were refused for certain, and how.
        self.refused = {}
        self.edits, self.edit_calls = {}, 0
        # Messages whose deletion was asked for, and insisted on.
        self.deleted = set()
        self.stays = []
        self.announced_gaps = 0
        self.first = self.last = None
        # Up to here all is settled.
        self.checked = 0
        # Since when and until when a user was certainly barred (None: everyone but operators).
        self.bars = []
        # Of the list: (message_id, created_at) of the last message checked, and the times of each user.
        self.listed = {}
        self.latest = (0, 0)
        self.recent = {}

    def breaks(self, sentence):
        """Keeps a broken rule."""
        self.broken.append(f"{self.channel}: {sentence}")

    # What clients report as it comes

    def entered(self, user, answer, position, is_operator, before=None):
        """Takes an answer to channel.enter, given with the position to recover from and the stay before; the stay."""
        epoch, seq = answer["epoch"], answer["seq"]
        self.epoch = self.epoch or epoch
        if epoch != self.epoch:
            self.breaks(f"{user} finds the epoch {epoch}, which was {self.epoch}")
        begins = seq
        if position and answer["recovered"]:
            begins = position["seq"]
            if begins > seq:
                self.breaks(f"{user} recovered from {begins}, and the channel is at {seq}")
        elif position:
            self.announced_gaps += 1
            if position["epoch"] == epoch and 0 <= seq - position["seq"] <= RECOVERED:
                self.breaks(f"{user} at {position['seq']} was not recovered to {seq}")
        stay = Stay(user, begins, begins, seq, is_operator)
        if before and answer["recovered"]:
            stay.views, stay.edited = before.views, before.edited
        self.first = min(self.first or seq, seq)
        for event in answer["events"]:
            self.shown(stay, event)
            stay.is_out = False
        stay.position = max(stay.position, seq)
        self.stays.append(stay)
        return stay

    def shown(self, stay, event, heard_ms=None):
        """Takes an event of the channel that a connection was sent, and when it came."""
        params = event["params"]
        if event["method"] == "channel.throttled":
            stay.notices.append(params)
        if "seq" not in params:
            return
        seq, event = params["seq"], Shown.of(event)
        # Several updates of a message in quick succession are held back and sent as one.
        is_late = seq <= stay.position and event.method != "message.updated"
        if is_late or seq in stay.seen or stay.is_out:
            self.breaks(f"{stay.user} at {stay.position} was shown {event.method} {seq} after it")
        stay.position = max(stay.position, seq)
        stay.seen[seq] = event
        if heard_ms is not None:
            stay.heard[seq] = heard_ms
        # A banned user is put out, and shown nothing of what follows.
        stay.is_out = event.method == "channel.user_banned" and event.about == stay.user
        if event.text is not None:
            stay.views[event.about] = event.text
        self.happened(seq, event)

    def happened(self, seq, event):
        self.last = max(self.last or 0, seq)
        known = self.events.setdefault(seq, event)
        if (known.method, known.about) != (event.method, event.about):
            self.breaks(f"{seq} is {known.method} {known.about} for one and {event.method} "
                        f"{event.about} for another")

    def answered(self, stay, answer, heard_ms=None):
        """Takes the answer to a message; the stay is that of its connection, if it has one."""
        message, seq = answer["message"], answer["seq"]
        sent = Sent(message["message_id"], seq, message["message"], message["user"]["user_id"])
        event = Shown("message.received", sent.message_id, sent.text, sent.user,
                      message["created_at"])
        self.happened(seq, event)
        earlier = self.acknowledged.setdefault(sent.message_id, sent)
        if earlier.seq not in (seq, None):
            self.breaks(f"{sent.message_id} was acknowledged as {earlier.seq} and as {seq}")
        if stay:
            stay.answered.add(seq)
            if heard_ms is not None:
                stay.heard[seq] = heard_ms
            if not stay.is_out:
                stay.position = max(stay.position, seq)

    def barred(self, user, since):
        """Takes an acknowledged ban or mute, or a freeze; the bar, whose end is set before it is lifted."""
        bar = {"user": user, "since": since, "until": None}
        self.bars.append(bar)
        return bar

    def accepted(self, user, text, asked, answered):
        """Takes the times at which a message was asked for and acknowledged."""
        for bar in self.bars:
            if bar["user"] in (user, None) and asked > bar["since"] and (
                    bar["until"] is None or answered < bar["until"]):
                self.breaks(f"{text!r} was accepted between {asked} and {answered}, with {bar}")

    def posted(self, message):
        """Takes a message of the Platform API, whose answer has no seq."""
        self.acknowledged.setdefault(message["message_id"], Sent(
            message["message_id"], None, message["message"], message["user"]["user_id"]))

    def left(self, stay, notified_until):
        """Takes the end of a connection, and the last created_at of which it can have been notified."""
        stay.ended_at = notified_until

    def changing(self, stay, message_id, text):
        """Takes a change of a message's text before it is asked for, again too."""
        self.edit_calls += 1
        self.edits[message_id] = text
        stay.edited.add(message_id)

    # What holds once all is quiet

    def news(self, listed):
        """Takes the messages listed since the last check, oldest first: what they break for good."""
        for message in listed:
            found, text, created = (
                message["message_id"], message["message"], message["created_at"])
            if found in self.listed:
                self.breaks(f"{found} is listed twice")
            if found <= self.latest[0] or created < self.latest[1]:
                self.breaks(f"{found} of {created} is listed after {self.latest}")
            self.latest = (found, created)
            self.listed[found] = message
            original = text.split(" edit ")[0]
            if original in self.texts:
                self.breaks(f"{original!r} is stored as {self.texts[original]} and as {found}")
            self.texts[original] = found
            if original in self.refused:
                self.breaks(f"{original!r} was refused ({self.refused[original]}) and is stored")
            if self.has_limits and not original.startswith(EXEMPT):
                self.check_flood(message)

    def check_flood(self, message):
        user, created = message["user"]["user_id"], message["created_at"]
        times = self.recent.setdefault(user, [])
        times.append(created)
        del times[:-FLOOD - 1]
        if len(times) > FLOOD and created - times[0] < WINDOW:
            self.breaks(f"{user} has {FLOOD + 1} messages in {created - times[0]} ms: {times}")

    def problems(self):
        """Rules that do not hold now, and may in a moment when a client is still behind."""
        return [*self.lost(), *self.unseen(), *self.stale(),
                *(problem for stay in self.stays for problem in self.missed(stay))][:20]

    def lost(self):
        for message_id, sent in self.acknowledged.items():
            if message_id in self.deleted and message_id in self.listed:
                yield f"{self.channel}: {sent} was deleted and is listed"
            if message_id not in self.deleted and message_id not in self.listed:
                yield f"{self.channel}: {sent} was acknowledged and is not listed"

    def unseen(self):
        """Durable events have numbers without a gap. Of several changes of a message that all clients read from
        the log, none may have seen but the last."""
        if self.announced_gaps or self.last is None:
            return
        unseen = [seq for seq in range(max(self.first, self.checked) + 1, self.last + 1)
                  if seq not in self.events]
        if len(unseen) > self.edit_calls:
            yield f"{self.channel}: nobody was shown {unseen[:9]}, and the channel is at {self.last}"

    def stale(self):
        """Edits that were acknowledged are listed, and clients have them."""
        for message_id, text in self.edits.items():
            message = self.listed.get(message_id)
            if not message or message_id in self.deleted:
                continue
            if message["message"] != text:
                yield (f"{self.channel}: {message_id} was changed to {text!r} and is "
                       f"{message['message']!r}")
            for stay in self.stays:
                if stay.ended_at is None and stay.views.get(message_id, text) != text \
                        and message_id not in stay.edited:
                    yield (f"{self.channel}: {stay.user} has {stay.views[message_id]!r} of "
                           f"{message_id}, which is {text!r}")

    def missed(self, stay):
        """Numbers that a connection was not shown without a reason."""
        withheld = []
        for seq in range(stay.start + 1, stay.position + 1):
            if seq in stay.seen or seq in stay.answered:
                continue
            event = self.events.get(seq)
            if event is None or self.explains(stay, seq, event):
                continue
            if self.has_limits and not stay.is_operator and event.method == "message.received":
                withheld.append((seq, event))
                continue
            yield (f"{self.channel}: {stay.user} at {stay.position} (from {stay.start}, "
                   f"recovered to {stay.recovered_to}) was not shown {seq}, {event}")
        if self.has_limits:
            yield from self.unannounced(stay, withheld)
            yield from self.crowded(stay)

    def explains(self, stay, seq, event):
        """Whether a connection is rightly not sent an event."""
        if event.method == "message.received":
            own = event.user == stay.user and event.text in stay.asked
            # Read from the log: a message that was deleted meanwhile is left out.
            return own or event.about in self.deleted
        if event.method == "message.updated":
            # Read from the log: several updates are one, and show in the message's arrival.
            # One that was held back when the connection ended is recovered by the next, which goes on with the
            # same views.
            return (event.about in stay.edited or event.about in self.deleted
                    or stay.ended_at is not None
                    or stay.views.get(event.about) in (self.edits.get(event.about), event.text))
        return False

    def unannounced(self, stay, withheld):
        """Messages neither shown nor in a channel.throttled."""
        for seq, event in withheld:
            announced = any(
                notice["first_message_id"] <= event.about <= notice["last_message_id"]
                for notice in stay.notices)
            # A stage that was cut off withholds messages when it has them.
            passed = min((later for later in stay.heard if later > seq), default=None)
            withheld_at = max(event.created_at, stay.heard.get(passed, 0))
            if not announced and (stay.ended_at is None or withheld_at < stay.ended_at):
                yield (f"{self.channel}: {stay.user} was neither shown {seq} nor notified of it "
                       f"(from {stay.start}, at {stay.position})")

    def crowded(self, stay):
        """Others' messages shown although the window was full."""
        if stay.is_operator:
            return
        # The window of a user on a server is that of the connection that entered first. It does not count what
        # another recovers from before that.
        is_first = not any(
            other.user == stay.user and other is not stay
            and other.start <= stay.recovered_to <= other.position for other in self.stays)
        times = []
        for seq in sorted({*stay.seen, *stay.answered}):
            event = self.events.get(seq)
            if event is None or event.method != "message.received":
                continue
            recent = sum(event.created_at - WINDOW < time <= event.created_at for time in times)
            if event.user not in (stay.user, None) and recent >= THROTTLE:
                yield (f"{self.channel}: {stay.user} was shown {seq} after {recent} others in a "
                       f"second")
            if is_first or seq > stay.recovered_to:
                times.append(event.created_at)
            del times[:-50]

    def settle(self):
        """After a check that found nothing: keeps what later checks stand on alone."""
        self.bars = []
        self.checked, self.edit_calls = self.last or 0, 0
        self.stays = [stay for stay in self.stays if stay.ended_at is None]
        for stay in self.stays:
            stay.start = stay.position
            for part in (stay.seen, stay.heard, stay.answered, stay.asked, stay.views, stay.notices):
                part.clear()
        self.acknowledged = {}
