"""Clients with a slow line, in a process of their own so that a busy test does not slow them down.

Run as slowreaders.py PORT BYTES_PER_SECOND with a JSON list of [user, [channel, ...]] on its input.
It writes a line of JSON ten times a second with the state of each: how it was closed, bytes, events.
"""

import asyncio
import json
import sys
from types import SimpleNamespace

from wire import Wire

RECEIVE_BUFFER = 65_536


async def main():
    server = SimpleNamespace(port=int(sys.argv[1]))
    rate = float(sys.argv[2])
    readers = []
    for name, channels in json.loads(sys.stdin.readline()):
        wire = await Wire.open(server, name, receive_buffer=RECEIVE_BUFFER)
        for channel in channels:
            await wire.call("channel.enter", channel_url=channel)
        wire.rate = rate
        readers.append(wire)
    while True:
        print(json.dumps([
            {"name": wire.user_id, "open": wire.is_open, "code": wire.close_code,
             "bytes": wire.bytes_read, "events": dict(wire.events)} for wire in readers]),
            flush=True)
        await asyncio.sleep(0.1)


if __name__ == "__main__":
    asyncio.run(main())
