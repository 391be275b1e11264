"""What a run shows while it goes: a line a part, and how far the running parts are."""

import sys
import threading
import time

# Where lines stay, as in a log, progress is shown this often, in seconds.
PAUSE = 60


class Console:
    """Lines of all parts. On a terminal the last line is written over as tests end."""

    def __init__(self, stream=None):
        self.stream = stream or sys.stdout
        self.is_terminal = self.stream.isatty()
        self.lock = threading.Lock()
        self.running = {}
        self.shown = time.monotonic()
        self.has_status = False

    def line(self, text=""):
        with self.lock:
            self.clear()
            print(text, file=self.stream, flush=True)
            self.show_status()

    def progress(self, part, done, count, seconds):
        """How far a part is; `None` for `done` when it has ended."""
        with self.lock:
            if done is None:
                self.running.pop(part, None)
            else:
                of_all = f"{done:,} of {count:,}, " if count else ""
                self.running[part] = f"{part} {of_all}{seconds:.0f} s"
            if self.is_terminal:
                self.clear()
                self.show_status()
            elif time.monotonic() - self.shown > PAUSE and self.running:
                print(f"  … {' · '.join(self.running.values())}", file=self.stream, flush=True)
                self.shown = time.monotonic()

    def clear(self):
        if self.has_status:
            self.stream.write("\r\x1b[K")
            self.has_status = False

    def show_status(self):
        self.shown = time.monotonic()
        if self.is_terminal and self.running:
            self.stream.write(f"  … {' · '.join(self.running.values())}"[:100])
            self.stream.flush()
            self.has_status = True
