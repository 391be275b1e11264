"""Servers with groups, and what their processes and databases show."""

import contextlib
import os
import re
import shutil
import sqlite3
import subprocess
import time

from platform_api import PlatformAPI

TOKEN = "benchmark"
SETTINGS = [
    "--reactors", "1", "--unfurl-mode", "off", "--thumbnails-mode", "off", "--limits-flood-messages", "0",
    "--limits-user-flood-messages", "0", "--limits-throttle-messages", "0", "--limits-calls-per-second", "0",
    "--limits-platform-calls-per-second", "0", "--limits-unopened-connections-per-address", "0",
    "--groups-max-members", "1000"]


class Servers:
    """Starts servers, one core each, with a new data directory."""

    def __init__(self, parleyd, work, core):
        self.parleyd, self.work, self.core = parleyd, work, core

    @contextlib.contextmanager
    def fresh(self, *flags):
        data = os.path.join(self.work, f"data-{time.monotonic_ns()}")
        server = Server(self, data, flags)
        try:
            server.start()
            yield server
        finally:
            server.stop()
            shutil.rmtree(data, ignore_errors=True)


class Server:
    """A parleyd as a child process."""

    def __init__(self, servers, data, flags):
        self.data = data
        self.log = os.path.join(servers.work, "server.log")
        place = ["taskset", "-c", servers.core] if servers.core else []
        self.command = [*place, servers.parleyd, "--listen", "127.0.0.1:0", "--data-dir", data, *SETTINGS, *flags]
        self.process = None

    def start(self):
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, "PARLEY_AUTH_API_TOKEN": TOKEN})
        self.pid = self.process.pid
        for _ in range(400):
            with open(self.log, encoding="utf-8") as log:
                found = re.search(r"listening.*127\.0\.0\.1:(\d+)", log.read(), re.IGNORECASE)
            if found:
                self.port = int(found[1])
                self.back = PlatformAPI(self.port, TOKEN)
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise SystemExit(f"groups: parleyd did not start\n{self.log_end()}")

    def stop(self):
        """Ends the server at once: what was to be measured has been."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def restart(self):
        self.end()
        self.start()

    def end(self):
        self.process.terminate()
        self.process.wait()

    def fill(self, sizes):
        """Gives groups more members, by URL, straight in the database: that is a hundred times faster than calls.

        The new members and users are as the second member of each group."""
        self.end()
        with contextlib.closing(sqlite3.connect(self.database)) as connection:
            users = max(sizes.values())
            multiply(connection, "users", "user_id = 'bench-1'", users)
            for url, size in sizes.items():
                (number,) = connection.execute("SELECT channel_id FROM channels WHERE url = ?", [url]).fetchone()
                multiply(connection, "members", f"user_id = 'bench-1' AND channel_id = {number}", size)
                connection.execute(
                    "UPDATE groups SET member_count = member_count + ?1, joined_count = joined_count + ?1"
                    " WHERE channel_id = ?2", [size, number])
            connection.commit()
        self.start()

    def log_end(self):
        with open(self.log, encoding="utf-8") as log:
            return "".join(log.readlines()[-5:])

    @property
    def database(self):
        return os.path.join(self.data, "parley.sqlite")


def multiply(connection, table, condition, count):
    """Copies a row, each time with another user."""
    found = connection.execute(f"SELECT * FROM {table} WHERE {condition}")
    columns, row = [column[0] for column in found.description], found.fetchone()
    copies = ([f"many-{number}" if column == "user_id" else value for column, value in zip(columns, row)]
              for number in range(count))
    connection.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(columns))})", copies)


def private_bytes(pid):
    """The memory of a process that it shares with no other and has written to."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Private_Dirty")) * 1024


def settled_memory(pid):
    """That memory once three readings in a row agree to half a per cent."""
    last, agreed = private_bytes(pid), 0
    for _ in range(20):
        time.sleep(0.5)
        now = private_bytes(pid)
        agreed = agreed + 1 if abs(now - last) <= last / 200 else 0
        last = now
        if agreed == 2:
            break
    return last


def written_rows(database, change):
    """The numbers of rows that a change has inserted, updated or deleted, by table."""
    before = snapshot(database)
    change()
    after = snapshot(database)
    counts = {}
    for table, rows in after.items():
        new, gone = len(rows - before.get(table, set())), len(before.get(table, set()) - rows)
        if new or gone:
            counts[table] = max(new, gone)
    return counts


def snapshot(database):
    """The rows of all tables."""
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        # The rows of virtual tables are in ordinary ones.
        names = [name for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")]
        return {name: set(connection.execute(f'SELECT * FROM "{name}"')) for name in names}
