"""What a suite's program reports to the runner: an object in JSON, in a line, for each test that begins or ends.

{"event": "began", "test": ID} and {"event": "ended", "test": ID, "outcome": "passed" | "failed" | "skipped",
"seconds": 1.5, "reason": TEXT}, where the reason is the first line of a failure, or why a test was skipped.
"""

import json
import os


class Events:
    """Appends reports to a file; does nothing without one.

    Several processes write to the file: a line is one write to a descriptor that appends."""

    def __init__(self, path):
        self.path = path

    def began(self, test):
        self.append({"event": "began", "test": test})

    def ended(self, test, outcome, seconds, reason=None):
        event = {"event": "ended", "test": test, "outcome": outcome, "seconds": round(seconds, 3)}
        if reason:
            event["reason"] = reason.splitlines()[0]
        self.append(event)

    def append(self, event):
        if self.path is None:
            return
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            os.write(descriptor, (json.dumps(event) + "\n").encode())
        finally:
            os.close(descriptor)
