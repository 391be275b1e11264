"""A broadcast server on Python's `websockets`.

    websockets_server.py [CERTIFICATE KEY]

What comes in on /publish goes to everyone who is connected on another path, with the library's
`broadcast()`. Everything is the library's default, except that permessage-deflate is off: the
client of the benchmark offers none, and without it no connection keeps a compressor.
"""

import asyncio
import ssl
import sys

from websockets.asyncio.server import broadcast, serve
from websockets.exceptions import ConnectionClosed

subscribers = set()


async def publish(connection):
    try:
        async for message in connection:
            broadcast(subscribers, message)
    except ConnectionClosed:
        pass


async def subscribe(connection):
    subscribers.add(connection)
    try:
        await connection.wait_closed()
    finally:
        subscribers.remove(connection)


async def handle(connection):
    if connection.request.path == "/publish":
        await publish(connection)
    else:
        await subscribe(connection)


def tls(files):
    if not files:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*files)
    return context


async def main():
    context = tls(sys.argv[1:])
    async with serve(handle, "127.0.0.1", 0, ssl=context, compression=None, backlog=4096) as server:
        port = server.sockets[0].getsockname()[1]
        print(f"listening on 127.0.0.1:{port}", flush=True)
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
