"""A TCP proxy whose connections a test cuts, delays and lets fall silent."""

import asyncio
import contextlib
import socket
import struct


class Wire:
    """Carries connections from a port of its own to a target, well or badly."""

    def __init__(self, target):
        self.target = target
        self.port = None
        self.delay = 0.0
        self.is_cut = False
        self.carried = 0
        self.listener = None
        self.flowing = {"there": asyncio.Event(), "back": asyncio.Event()}
        self.connections = set()
        self.tasks = set()
        self.restore()

    @classmethod
    async def lay(cls, port, host="127.0.0.1"):
        wire = cls((host, port))
        wire.listener = await asyncio.start_server(wire._accept, "127.0.0.1", 0)
        wire.port = wire.listener.sockets[0].getsockname()[1]
        return wire

    # Faults. Each holds until `restore`, for connections that there are and for new ones.

    def restore(self):
        """Carries everything at once again; what was held back goes on its way."""
        self.delay, self.is_cut = 0.0, False
        for event in self.flowing.values():
            event.set()

    def cut(self):
        """Resets every connection, and each new one at once."""
        self.is_cut = True
        self.reset()

    def reset(self):
        """Resets every connection; new ones are carried."""
        for writer in list(self.connections):
            with contextlib.suppress(OSError, AttributeError):
                writer.get_extra_info("socket").setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()

    def silence(self, *directions):
        """Carries nothing `there` (to the target), `back`, or either way; connections stay open."""
        for direction in directions or self.flowing:
            self.flowing[direction].clear()

    def slow(self, seconds):
        """Delivers everything this much later, in order."""
        self.delay = seconds

    async def close(self):
        self.cut()
        self.listener.close()
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    # Carrying

    async def _accept(self, reader, writer):
        task = asyncio.current_task()
        self.tasks.add(task)
        self.connections.add(writer)
        # The server of this port would report that it was cancelled.
        with contextlib.suppress(asyncio.CancelledError):
            await self._connect(reader, writer)
        self.tasks.discard(task)

    async def _connect(self, reader, writer):
        if self.is_cut:
            self.reset()
            self.connections.discard(writer)
            return
        try:
            # As on a network that is silent, a connection is not made either.
            await self.flowing["there"].wait()
            far_reader, far_writer = await asyncio.open_connection(*self.target)
        except OSError:
            writer.transport.abort()
            self.connections.discard(writer)
            return
        self.connections.add(far_writer)
        pumps = [
            asyncio.ensure_future(self._carry(reader, far_writer, "there")),
            asyncio.ensure_future(self._carry(far_reader, writer, "back"))]
        self.tasks.update(pumps)
        await asyncio.gather(*pumps, return_exceptions=True)
        self.tasks.difference_update(pumps)
        for end in (writer, far_writer):
            end.transport.abort()
            self.connections.discard(end)

    async def _carry(self, reader, writer, direction):
        """Reads ahead while chunks wait for their time, so that a delay does not thin the stream."""
        loop = asyncio.get_running_loop()
        chunks = asyncio.Queue(maxsize=1024)

        async def deliver():
            while (entry := await chunks.get()) is not None:
                due, chunk = entry
                await self.flowing[direction].wait()
                if (left := due - loop.time()) > 0:
                    await asyncio.sleep(left)
                await self.flowing[direction].wait()
                writer.write(chunk)
                self.carried += len(chunk)
                await writer.drain()
            await self.flowing[direction].wait()
            with contextlib.suppress(OSError):
                writer.write_eof()

        delivering = asyncio.ensure_future(deliver())
        try:
            while chunk := await reader.read(65536):
                await chunks.put((loop.time() + self.delay, chunk))
            await chunks.put(None)
            await delivering
        except (OSError, asyncio.IncompleteReadError):
            # The other end learns of it as well.
            writer.transport.abort()
        finally:
            delivering.cancel()
