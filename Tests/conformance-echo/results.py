"""Writes the Autobahn suite's specification, and compares its results with the expected ones.

    results.py list EXPECTED CASES EXCLUDED
    results.py groups EXPECTED CASES EXCLUDED
    results.py specify URL CASES EXCLUDED
    results.py compare INDEX EXPECTED CASES [EVENTS]
    results.py record INDEX EXPECTED
    results.py finish EVENTS OUTCOME REASON EXPECTED CASES EXCLUDED

CASES and EXCLUDED are patterns of cases, separated by commas. INDEX is the index.json of the suite's reports.
EXPECTED maps each case to the suite's judgement of the case and of the closing of its connection: OK means
strictly as the RFC demands. EVENTS is a file to which an object in JSON is appended for each case that begins
or ends. `list` and `groups` fail if the patterns match no case of EXPECTED. `finish` reports cases without a
result.
"""

import json
import os
import re
import sys
from collections import Counter

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "Runner"))

from events import Events  # noqa: E402

AGENT = "Parley"


def split(patterns):
    return [pattern for pattern in patterns.split(",") if pattern]


def matches(case, patterns):
    """Returns whether one of the patterns matches the case, by the suite's rules."""
    return any(
        re.fullmatch(pattern.replace(".", r"\.").replace("*", ".*"), case)
        for pattern in split(patterns)
    )


def order(case):
    return [int(number) for number in case.split(".")]


def group_of(case):
    """Returns the pattern of the cases that run together: a chapter, or a section of the long ones."""
    numbers = case.split(".")
    return ".".join(numbers[:2 if numbers[0] in ("9", "12", "13") else 1]) + ".*"


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def selected(expected, cases, excluded=""):
    """Returns the expected results of the cases that the patterns match."""
    return {
        case: word
        for case, word in read_json(expected).items()
        if matches(case, cases) and not matches(case, excluded)
    }


def list_cases(expected, cases, excluded):
    names = selected(expected, cases, excluded)
    for case in sorted(names, key=order):
        print(f"case {case}")
    return 0 if names else 1


def groups(expected, cases, excluded):
    """Prints the cases of each group in a line."""
    found = {}
    for case in sorted(selected(expected, cases, excluded), key=order):
        found.setdefault(group_of(case), []).append(case)
    for members in found.values():
        print(",".join(members))
    return 0 if found else 1


def specify(url, cases, excluded):
    specification = {
        "outdir": "reports",
        "servers": [{"agent": AGENT, "url": url}],
        "cases": split(cases),
        "exclude-cases": split(excluded),
        "exclude-agent-cases": {},
    }
    print(json.dumps(specification, indent=2))
    return 0


def judgement(outcome):
    """Returns one word if a case and its closing are judged alike, otherwise both."""
    words = outcome["behavior"], outcome["behaviorClose"]
    return words[0] if words[0] == words[1] else " / closing ".join(words)


def compare(index, expected, cases, events=None):
    outcomes = read_json(index)[AGENT]
    wanted = selected(expected, cases)
    seen = {case: judgement(outcome) for case, outcome in outcomes.items()}
    summarize(outcomes, seen)
    has_failed = False
    for case in sorted(seen.keys() | wanted.keys(), key=order):
        reason = None
        if seen.get(case) != wanted.get(case):
            reason = f"{seen.get(case, 'not run')}, expected {wanted.get(case, 'no such case')}"
            has_failed = True
            print(f"FAIL case {case}: {reason}")
        seconds = outcomes[case]["duration"] / 1000 if case in outcomes else 0
        report(events, case, "failed" if reason else "passed", seconds, reason)
    return 1 if has_failed else 0


def summarize(outcomes, seen):
    """Prints the judgements of each group of cases, and the sum of their durations."""
    found = {}
    for case in sorted(seen, key=order):
        found.setdefault(group_of(case), []).append(case)
    for group, members in found.items():
        seconds = sum(outcomes[case]["duration"] for case in members) / 1000
        counts = Counter(seen[case] for case in members)
        words = ", ".join(f"{count} {word}" for word, count in counts.most_common())
        print(f"{group}: {words}, {seconds:.1f} s", flush=True)


def record(index, expected):
    """Replaces the expected results of the cases that have run."""
    outcomes = read_json(index)[AGENT]
    try:
        results = read_json(expected)
    except FileNotFoundError:
        results = {}
    results.update({case: judgement(outcome) for case, outcome in outcomes.items()})
    summarize(outcomes, {case: results[case] for case in outcomes})
    with open(expected, "w", encoding="utf-8") as file:
        json.dump({case: results[case] for case in sorted(results, key=order)}, file, indent=0)
        file.write("\n")
    return 0


def finish(events, outcome, reason, expected, cases, excluded):
    for case in sorted(selected(expected, cases, excluded), key=order):
        report(events, case, outcome, 0, reason)
    return 0


def report(events, case, outcome, seconds, reason=None):
    """Appends the beginning and the end of a case, which are both known only after its group has ended."""
    written = Events(events)
    written.began(f"case {case}")
    written.ended(f"case {case}", outcome, seconds, reason)


if __name__ == "__main__":
    commands = {
        "list": list_cases, "groups": groups, "specify": specify, "compare": compare, "record": record,
        "finish": finish,
    }
    sys.exit(commands[sys.argv[1]](*sys.argv[2:]))
