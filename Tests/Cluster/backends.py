"""PostgreSQL and Redis of a test's own, from Debian's packages, each in a folder of its own."""

import asyncio
import contextlib
import glob
import os
import pwd
import shutil
import signal
import tempfile

from harness import DEADLINE, Skipped, eventually, reserved_port


async def finished(*command):
    """Runs a program to its end; its output."""
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT)
    async with asyncio.timeout(DEADLINE):
        output = (await process.communicate())[0].decode(errors="replace")
    assert process.returncode == 0, f"{command} ended with {process.returncode}: {output[-2000:]}"
    return output


class Backend:
    """A process that is started, stopped, halted and started again in its folder and on its port."""

    def __init__(self, prefix):
        self.folder = tempfile.mkdtemp(prefix=prefix)
        self.port = reserved_port()
        self.process = None

    async def spawn(self, *command):
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                *command, stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log)

    def log(self):
        with open(os.path.join(self.folder, "log"), encoding="utf-8", errors="replace") as file:
            return file.read()[-2000:]

    async def signalled(self, how):
        """Sends a signal that ends the process, and waits for its end."""
        if self.process is None:
            return
        if self.process.returncode is None:
            # A process that is halted would not end.
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(how)
        async with asyncio.timeout(DEADLINE):
            await self.process.wait()
        self.process = None

    def halt(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        # It may have ended by itself.
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGCONT)

    async def remove(self):
        await self.signalled(signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)


class PostgreSQL(Backend):
    """One PostgreSQL with its defaults, fsync included, on TCP and a Unix socket."""

    def __init__(self):
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: len(path) * 1000
                       + int(path.split("/")[-2]))
        if not found:
            raise Skipped("postgresql is not installed")
        super().__init__("parley-postgresql-")
        self.programs = found[-1]
        self.data = os.path.join(self.folder, "data")
        self.number = 0

    @classmethod
    async def start(cls):
        server = cls()
        if os.geteuid() == 0:
            account = pwd.getpwnam("postgres")
            os.chown(server.folder, account.pw_uid, account.pw_gid)
        await finished(*server.command(
            "initdb", "-D", server.data, "-U", "parley", "-A", "trust", "-E", "UTF8",
            "--locale=C"))
        await server.up()
        return server

    def command(self, program, *arguments):
        """PostgreSQL refuses to run as root."""
        path = os.path.join(self.programs, program)
        if os.geteuid() != 0:
            return [path, *arguments]
        return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", path,
                *arguments]

    async def up(self):
        """Starts it and waits until it takes connections, after a crash recovery too."""
        # A recovery would synchronise each file of each test's database by itself, for a minute and more.
        await self.spawn(*self.command(
            "postgres", "-D", self.data, "-p", str(self.port), "-c", "listen_addresses=127.0.0.1",
            "-c", f"unix_socket_directories={self.folder}", "-c", "max_connections=200",
            "-c", "recovery_init_sync_method=syncfs"))

        async def accepts():
            assert self.process.returncode is None, self.log()
            process = await asyncio.create_subprocess_exec(
                os.path.join(self.programs, "pg_isready"), "-q", "-h", self.folder, "-p",
                str(self.port))
            return await process.wait() == 0
        await eventually(accepts, "PostgreSQL taking connections")

    async def standby(self):
        """Makes a synchronous standby that streams from this server: from then on a commit is acknowledged
        when the standby has it too."""
        standby = type(self)()
        if os.geteuid() == 0:
            account = pwd.getpwnam("postgres")
            os.chown(standby.folder, account.pw_uid, account.pw_gid)
        await finished(*standby.command(
            "pg_basebackup", "-D", standby.data, "-h", self.folder, "-p", str(self.port), "-U",
            "parley", "-X", "stream", "-c", "fast", "-R"))
        with open(os.path.join(standby.data, "postgresql.auto.conf"), "a", encoding="utf-8") as file:
            file.write(
                f"primary_conninfo = 'host={self.folder} port={self.port} user=parley "
                "application_name=standby'\n")
        await standby.up()
        await self.query("postgres", "ALTER SYSTEM SET synchronous_standby_names = 'standby'")
        await self.query("postgres", "SELECT pg_reload_conf()")

        async def streams():
            rows = await self.query("postgres", "SELECT sync_state FROM pg_stat_replication")
            return rows == [["sync"]]
        await eventually(streams, "a synchronous standby")
        return standby

    async def promote(self):
        """Makes a standby the primary; it has no standby of its own."""
        await self.query("postgres", "ALTER SYSTEM RESET synchronous_standby_names")
        await self.query("postgres", "SELECT pg_promote(true, 60)")

    async def stop(self):
        await self.signalled(signal.SIGINT)

    async def crash(self):
        """Ends it as `pg_ctl -m immediate stop` does: the next start recovers from the log."""
        await self.signalled(signal.SIGQUIT)

    async def remove(self):
        # SIGKILL would leave its children and its shared memory behind.
        await self.crash()
        await super().remove()

    async def database(self, *options):
        """Makes an empty database; its name."""
        self.number += 1
        name = f"parley{self.number}"
        await finished(os.path.join(self.programs, "createdb"), "-h", self.folder, "-p",
                       str(self.port), "-U", "parley", *options, name)
        return name

    async def small_disk(self, mebibytes):
        """Makes a place for databases on a disk of its own, which can be filled."""
        return await SmallDisk.mount(self, mebibytes)

    def url(self, database, *ports):
        """The address of a database on this server, or behind other ports: of several, whichever takes
        writes."""
        hosts = ",".join(f"127.0.0.1:{port}" for port in ports or [self.port])
        query = "?target_session_attrs=read-write" if len(ports) > 1 else ""
        return f"postgresql://parley@{hosts}/{database}{query}"

    async def query(self, database, sql):
        """The rows of a query, each a list of texts."""
        output = await finished(
            os.path.join(self.programs, "psql"), "-h", self.folder, "-p", str(self.port), "-U",
            "parley", "-d", database, "-X", "-A", "-t", "-F", "\x1f", "-c", sql)
        return [line.split("\x1f") for line in output.splitlines() if line]

    async def copy_data(self, name):
        """Keeps the files of the stopped server under a name."""
        assert self.process is None
        await finished("cp", "-a", self.data, os.path.join(self.folder, name))

    async def put_back(self, name):
        """Replaces the files of the stopped server by those kept: what came after is lost."""
        assert self.process is None
        shutil.rmtree(self.data)
        os.rename(os.path.join(self.folder, name), self.data)


class SmallDisk:
    """A file system in memory with a tablespace of PostgreSQL on it."""

    def __init__(self, server, folder):
        self.server, self.folder = server, folder
        self.databases = []

    @classmethod
    async def mount(cls, server, mebibytes):
        disk = cls(server, os.path.join(server.folder, "small"))
        os.mkdir(disk.folder)
        try:
            await finished(
                "mount", "-t", "tmpfs", "-o", f"size={mebibytes}m", "tmpfs", disk.folder)
        except (AssertionError, OSError) as refusal:
            os.rmdir(disk.folder)
            raise Skipped("a file system cannot be mounted here") from refusal
        data = os.path.join(disk.folder, "data")
        os.mkdir(data)
        if os.geteuid() == 0:
            account = pwd.getpwnam("postgres")
            os.chown(data, account.pw_uid, account.pw_gid)
        await server.query("postgres", f"CREATE TABLESPACE small LOCATION '{data}'")
        return disk

    async def database(self):
        """Makes an empty database on this disk; its name."""
        self.databases.append(await self.server.database("-D", "small"))
        return self.databases[-1]

    def fill(self):
        """Takes all room."""
        with open(os.path.join(self.folder, "ballast"), "wb") as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(65_536))
                file.flush()

    def relieve(self):
        """Gives the room back."""
        os.unlink(os.path.join(self.folder, "ballast"))

    async def remove(self):
        for name in self.databases:
            await self.server.query("postgres", f"DROP DATABASE {name} WITH (FORCE)")
        await self.server.query("postgres", "DROP TABLESPACE small")
        await finished("umount", self.folder)
        os.rmdir(self.folder)


class Redis(Backend):
    """One Redis that keeps nothing on disk."""

    @classmethod
    async def start(cls):
        if not shutil.which("redis-server"):
            raise Skipped("redis-server is not installed")
        server = cls("parley-redis-")
        await server.up()
        return server

    async def up(self):
        await self.spawn(
            "redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
            "--appendonly", "no", "--dir", self.folder)

        async def answers():
            assert self.process.returncode is None, self.log()
            with contextlib.suppress(OSError):
                return await self.call("PING") == "PONG"
        await eventually(answers, "Redis answering")

    async def stop(self):
        await self.signalled(signal.SIGTERM)

    async def crash(self):
        await self.signalled(signal.SIGKILL)

    def url(self, port=None):
        return f"redis://127.0.0.1:{port or self.port}"

    async def call(self, *words):
        """The answer to one command: a text, a number, or a list of these."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            parts = [f"*{len(words)}\r\n".encode()]
            for word in map(str, words):
                parts.append(f"${len(word.encode())}\r\n{word}\r\n".encode())
            writer.write(b"".join(parts))
            async with asyncio.timeout(DEADLINE):
                return await self.answer(reader)
        finally:
            writer.close()

    async def answer(self, reader):
        line = (await reader.readuntil(b"\r\n"))[:-2].decode()
        kind, text = line[0], line[1:]
        if kind == "-":
            raise AssertionError(f"Redis answers {text}")
        if kind == ":":
            return int(text)
        if kind == "$":
            return None if text == "-1" else (
                await reader.readexactly(int(text) + 2))[:-2].decode(errors="replace")
        if kind == "*":
            return [await self.answer(reader) for _ in range(int(text))]
        return text

    async def cut_subscribers(self):
        """Closes the connections that listen, as Redis does with one that reads too slowly."""
        return await self.call("CLIENT", "KILL", "TYPE", "pubsub")
