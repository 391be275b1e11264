"""The command line in a terminal: typed lines that nothing tears, questions, and the live screen."""

import asyncio
import contextlib
import fcntl
import os
import pty
import re
import signal
import sqlite3
import struct
import termios

from harness import PATIENCE, process_environment, refused
from remembered import FLAGS, with_pages

QUIET = ("--limits-flood-messages", "0", "--unfurl-mode", "off")


class Terminal:
    """A program with a terminal of 80 columns and 24 rows."""

    @classmethod
    async def start(cls, ctx, server, *arguments, shell=None, **environment):
        self = cls()
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        self.bytes = b""
        self.arrived = asyncio.Event()
        environment = {
            "PARLEY_CLI_SERVER": f"http://127.0.0.1:{server.port}", "TERM": "xterm",
            "PARLEY_CLI_API_TOKEN": server.api_token, "XDG_CONFIG_HOME": "/nonexistent",
            **environment}
        # A shell that stops and continues jobs needs the terminal for its own.
        command = ["setsid", "--ctty", "bash", "-c", shell, "bash"] if shell else []
        self.process = await asyncio.create_subprocess_exec(
            *command, ctx.parley, *arguments, stdin=slave, stdout=slave, stderr=slave,
            env=process_environment(environment))
        asyncio.get_running_loop().add_reader(self.master, self._read)
        return self

    def _read(self):
        self.bytes += os.read(self.master, 65_536)
        self.arrived.set()

    @property
    def text(self):
        return self.bytes.decode(errors="replace")

    def type(self, text):
        os.write(self.master, text.encode())

    async def until(self, part):
        await self._until(lambda: part in self.text, part)

    async def after(self, mark, part):
        """What is shown after a mark, when a part is among it.

        A terminal passes on what is written to it in pieces of any size."""
        await self._until(lambda: part in self.text.partition(mark)[2], part)
        return self.text.partition(mark)[2]

    async def _until(self, is_shown, part):
        try:
            async with asyncio.timeout(60 * PATIENCE):
                while not is_shown():
                    self.arrived.clear()
                    await self.arrived.wait()
        except TimeoutError:
            raise AssertionError(f"never shown: {part!r}; shown was {self.text[-800:]!r}") from None

    async def ended(self):
        async with asyncio.timeout(60 * PATIENCE):
            return await self.process.wait()

    def is_as_before(self):
        return termios.tcgetattr(self.slave) == self.before

    def close(self):
        asyncio.get_running_loop().remove_reader(self.master)
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGKILL)
        os.close(self.master)
        os.close(self.slave)


@contextlib.asynccontextmanager
async def terminal(ctx, server, *arguments, **environment):
    shown = await Terminal.start(ctx, server, *arguments, **environment)
    try:
        yield shown
    finally:
        shown.close()


async def test_typing_while_others_speak(ctx):
    """What is being typed is drawn again below what others say, and sent whole with enter."""
    server = await ctx.server(*QUIET)
    channel, owner = await ctx.room(server, 0)
    async with terminal(ctx, server, "chat", channel, "--user", "typist", NO_COLOR="1") as chat:
        await chat.until("typist> ")
        chat.type("half a sen")
        await chat.until("typist> half a sen")
        await owner.send(channel, "an interruption")
        rest = await chat.after("an interruption", "half a sen")
        line = chat.text.partition("an interruption")[0]
        assert re.search(r"\r\x1b\[K[^\r\n]*$", line), line[-200:]
        assert rest.startswith("\r\ntypist> half a sen"), rest
        chat.type("tence\x1b[D\x1b[D\x7f\r")
        received = await owner.event("message.received", channel_url=channel)
        assert received["message"]["message"] == "half a sentece"
        chat.type("/quit\r")
        assert await chat.ended() == 0
        assert chat.is_as_before()


async def test_hostile_names_and_texts(ctx):
    """No text of another user reaches the terminal with its control characters, be it an old name."""
    server = await ctx.fresh(*QUIET)
    name = ctx.name("user")
    owner = await ctx.user(server, name)
    async with refused(400151, field="nickname"):
        await owner.call("user.update", nickname="\x1b]0;owned\x07")
    await server.end()
    # Earlier versions took such names.
    with contextlib.closing(sqlite3.connect(os.path.join(server.data, "parley.sqlite"))) as old:
        old.execute("UPDATE users SET nickname = ? WHERE user_id = ?", ("\x1b]0;owned\x07", name))
        old.commit()
    server = await ctx.fresh(*QUIET, data=server.data)
    owner = await ctx.user(server, name)
    channel = (await owner.call("channel.create", name="Room"))["channel"]["channel_url"]
    await owner.call("channel.enter", channel_url=channel)
    async with terminal(ctx, server, "chat", channel, "--user", "typist", NO_COLOR="1") as chat:
        await chat.until("typist> ")
        await owner.send(channel, "\x1b[2J\x9b31m\u202eend")
        await chat.until("end")
        for sequence in ("\x1b]0", "\x1b[2J", "\x9b", "\u202e"):
            assert sequence not in chat.text, chat.text
        chat.type("\x03")
        assert await chat.ended() == 0
        assert chat.is_as_before()


@with_pages
async def test_cards(ctx, pages):
    """A chat shows a link's preview as a card below its message when it comes, and once."""
    server = await ctx.server(*FLAGS)
    pages.add_html("/story", '<meta property="og:title" content="A title\x1b[31m">'
                   '<meta property="og:description" content="What it says">')
    channel, owner = await ctx.room(server, 0)
    async with terminal(ctx, server, "chat", channel, "--user", "typist", NO_COLOR="1") as chat:
        await chat.until("typist> ")
        await owner.send(channel, pages.url("/story"))
        await chat.until("│ What it says")
        assert "│ A title" in chat.text and "\x1b[31m" not in chat.text, chat.text
        await owner.send(channel, "behind it")
        await chat.until("behind it")
        assert chat.text.count("│ What it says") == 1
        chat.type("\x04")
        assert await chat.ended() == 0


async def test_questions(ctx):
    """Deleting asks on a terminal, and does nothing unless the answer is yes."""
    server = await ctx.server(*QUIET)
    channel, _ = await ctx.room(server, 0)
    async with terminal(ctx, server, "channel", "delete", channel) as asked:
        await asked.until("[y/N]")
        asked.type("n\n")
        assert await asked.ended() == 1
    async with terminal(ctx, server, "channel", "delete", channel) as asked:
        await asked.until("[y/N]")
        asked.type("y\n")
        assert await asked.ended() == 0
    async with terminal(ctx, server, "channel", "show", channel) as shown:
        assert await shown.ended() == 1


async def test_questions_about_groups(ctx):
    """Deleting a group asks too; a URL of the other kind of channel deletes nothing."""
    server = await ctx.server(*QUIET)
    room, owner = await ctx.room(server, 0)
    group = ctx.name("group")
    await owner.call("group.create", channel_url=group)
    async with terminal(ctx, server, "channel", "delete", group, "--yes") as wrong:
        assert await wrong.ended() == 1
        await wrong.until("is a group, not an open channel")
    async with terminal(ctx, server, "group", "delete", room, "--yes") as wrong:
        assert await wrong.ended() == 1
        await wrong.until("is an open channel, not a group")
    async with terminal(ctx, server, "group", "delete", group) as asked:
        await asked.until("[y/N]")
        asked.type("n\n")
        assert await asked.ended() == 1
    async with terminal(ctx, server, "group", "delete", group) as asked:
        await asked.until("[y/N]")
        asked.type("y\n")
        assert await asked.ended() == 0
    await owner.until(lambda: owner.told("group.lost", channel_url=group), "the end of the group")


async def test_live_load(ctx):
    """top draws a screen of its own, leaves it with q, and puts the terminal back."""
    server = await ctx.server(*QUIET)
    async with terminal(ctx, server, "top", "--interval", "1") as top:
        await top.until("accepted/s")
        assert "\x1b[?1049h" in top.text
        top.type("q")
        assert await top.ended() == 0
        await top.until("\x1b[?1049l")
        assert top.is_as_before()


async def test_signals_that_end(ctx):
    """A chat or top that a signal ends gives the terminal back first, and dies of that signal."""
    server = await ctx.server(*QUIET)
    channel, _ = await ctx.room(server, 0)
    commands = {("chat", channel, "--user", "typist"): ("typist> ", "\r\x1b[K"),
                ("top", "--interval", "1"): ("accepted/s", "\x1b[?1049l")}
    for command, (shown, left) in commands.items():
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
            async with terminal(ctx, server, *command, NO_COLOR="1") as held:
                await held.until(shown)
                assert not held.is_as_before()
                held.process.send_signal(number)
                assert await held.ended() == -number
                assert held.is_as_before(), (command, number)
                await held.until(left)


JOB = 'set -m; "$@"; stty -a | grep -c -- " icanon"; echo STOPPED; fg; echo ENDED'


async def test_stopping_and_going_on(ctx):
    """Ctrl-Z gives the terminal back and stops; in the foreground again all is drawn again."""
    server = await ctx.server(*QUIET)
    channel, owner = await ctx.room(server, 0)
    for command, shown, keys in ((("chat", channel, "--user", "typist"), "typist> ", "\x03"),
                                 (("top", "--interval", "1"), "accepted/s", "q")):
        held = await Terminal.start(ctx, server, *command, shell=JOB, NO_COLOR="1")
        try:
            await held.until(shown)
            held.type("\x1a")
            await held.after("STOPPED", shown)
            if command[0] == "chat":
                await owner.send(channel, "after the stop")
                await held.until("after the stop")
            held.type(keys)
            await held.until("ENDED")
            before = held.text.partition("STOPPED")[0]
            assert re.search(r"1\r\n$", before), before[-200:]
        finally:
            held.close()


async def test_pipes_that_end(ctx):
    """A reader that has had enough ends a list quietly; colours are for terminals alone."""
    server = await ctx.server(*QUIET)
    for number in range(3):
        await ctx.room(server, 0)
    environment = process_environment({
        "PARLEY_CLI_SERVER": f"http://127.0.0.1:{server.port}", "TERM": "xterm",
        "PARLEY_CLI_API_TOKEN": server.api_token, "XDG_CONFIG_HOME": "/nonexistent"})
    reader, writer = os.pipe()
    os.close(reader)
    process = await asyncio.create_subprocess_exec(
        ctx.parley, "channel", "list", "--all", stdout=writer,
        stderr=asyncio.subprocess.PIPE, env=environment)
    os.close(writer)
    _, errors = await process.communicate()
    assert process.returncode == -signal.SIGPIPE and not errors, (process.returncode, errors)
    with open("/dev/full", "w") as full:
        process = await asyncio.create_subprocess_exec(
            ctx.parley, "channel", "list", stdout=full, stderr=asyncio.subprocess.PIPE,
            env=environment)
        _, errors = await process.communicate()
    assert process.returncode == 74 and b"cannot be written" in errors, errors
    process = await asyncio.create_subprocess_exec(
        ctx.parley, "channel", "list", stdout=asyncio.subprocess.PIPE, env=environment)
    output, _ = await process.communicate()
    assert b"\x1b" not in output and b"CHANNEL" in output, output
    async with terminal(ctx, server, "channel", "list") as coloured:
        assert await coloured.ended() == 0
        await coloured.until("\x1b[1m")
    async with terminal(ctx, server, "channel", "list", NO_COLOR="1") as plain:
        assert await plain.ended() == 0
        await plain.until("CHANNEL")
        assert "\x1b" not in plain.text
