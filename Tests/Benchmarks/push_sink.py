"""A push service of the operator that accepts everything, or answers nothing: `push_sink.py accept|hang`.

Prints its port, and ends with its input.
"""

import asyncio
import contextlib
import re
import sys

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"


async def accept(reader, writer):
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(re.search(rb"content-length: (\d+)", head.lower())[1]))
            writer.write(ANSWER)
    writer.close()


async def hang(_reader, _writer):
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.Event().wait()


async def main():
    behaviour = {"accept": accept, "hang": hang}[sys.argv[1]]
    server = await asyncio.start_server(behaviour, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    server.close()


asyncio.run(main())
