"""Runs cases side by side, each in a process of its own.

Not in a thread: a signal then ends each case in the middle of a wait, and its servers with it.
"""

import multiprocessing
import multiprocessing.connection
import os

LIMIT = min(2, os.cpu_count())


def side_by_side(work, tasks):
    """Yields the place of each task and its result, as they end: None without a result."""
    context = multiprocessing.get_context("fork")
    waiting, running = list(enumerate(tasks)), {}

    def run(task, pipe):
        pipe.send(work(*task))

    def start(place, task):
        results, pipe = context.Pipe(duplex=False)
        process = context.Process(target=run, args=(task, pipe))
        process.start()
        # The process has the other end, whose closing is its end.
        pipe.close()
        running[results] = place, process

    try:
        while waiting or running:
            while waiting and len(running) < LIMIT:
                start(*waiting.pop(0))
            for results in multiprocessing.connection.wait(running):
                try:
                    result = results.recv()
                except EOFError:
                    result = None
                place, process = running.pop(results)
                process.join()
                yield place, result
    finally:
        for _, process in running.values():
            process.terminate()
        for _, process in running.values():
            process.join()
