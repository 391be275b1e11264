"""The beginning and the end of each case, for the program that runs all tests."""

import json
import os


class Events:
    """Appends one line of JSON for each event to a file; does nothing without one.

    Several processes write to the file: a line is one write to a descriptor that appends."""

    def __init__(self, path):
        self.path = path

    def began(self, test):
        self.append({"event": "began", "test": test})

    def ended(self, test, outcome, seconds, reason=None):
        event = {"event": "ended", "test": test, "outcome": outcome, "seconds": round(seconds, 1)}
        if reason:
            event["reason"] = reason.splitlines()[0]
        self.append(event)

    def append(self, event):
        if self.path is None:
            return
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(descriptor, (json.dumps(event) + "\n").encode())
        finally:
            os.close(descriptor)
