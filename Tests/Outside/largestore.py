"""A data directory with many messages, users and channels, written into the database directly."""

import os
import sqlite3
from contextlib import closing

SERIES = """
    WITH RECURSIVE series(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < {count})
"""


def _copies(database, table, row, replaced, count):
    """Copies a row so many times; columns are replaced by expressions of the copy's number `n`."""
    columns = [part[1] for part in database.execute(f"PRAGMA table_info({table})")]
    chosen = ", ".join(replaced.get(column, f"row.{column}") for column in columns)
    names = ", ".join(columns)
    database.execute(
        SERIES.format(count=count) +
        f"INSERT INTO {table} ({names}) SELECT {chosen} FROM series, {table} AS row WHERE {row}")


def fill(data, *, channels, messages, users=0, others=0):
    """Copies the only message of each of these channels, and the users and channels named "copied".

    A copy of a message is before its original; text, author and type are the same.
    """
    path = os.path.join(data, "parley.sqlite")
    with closing(sqlite3.connect(path)) as database, database:
        for channel in channels:
            number, message = database.execute(
                "SELECT channel_id, message_id FROM messages WHERE channel_id = "
                "(SELECT channel_id FROM channels WHERE url = ?)", (channel,)).fetchone()
            database.execute(
                "UPDATE messages SET seq = ? WHERE message_id = ?", (messages + 1, message))
            _copies(database, "messages", f"row.message_id = {message}", {
                "message_id": f"{number} * 1000000000 + n", "seq": "n", "req_id": "NULL",
                "created_at": f"row.created_at - 10 * ({messages} + 1 - n)"}, messages)
            database.execute("UPDATE channels SET last_seq = ? WHERE channel_id = ?",
                             (messages + 1, number))
        if users:
            _copies(database, "users", "row.user_id = 'copied'", {
                "user_id": "'copy-' || n", "access_token_hash": "NULL"}, users)
        if others:
            _copies(database, "channels", "row.url = 'copied'", {
                "channel_id": "(SELECT max(channel_id) FROM channels) + n",
                "url": "'copy-' || n", "created_at": "row.created_at - n"}, others)

