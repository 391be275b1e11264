"""Writes the Autobahn suite's specification, and compares its outcome with what is expected.

    results.py known EXPECTED CASES EXCLUDED
    results.py specify URL CASES EXCLUDED
    results.py compare INDEX EXPECTED CASES EXCLUDED
    results.py record INDEX EXPECTED CASES EXCLUDED

CASES and EXCLUDED are patterns with commas between them; INDEX is the index.json among the suite's
reports. EXPECTED maps each case to the suite's judgement: OK is strictly as the RFC wants it. The
same word is expected of how the connection was closed. `known` fails when the patterns mean no case
of EXPECTED.
"""

import json
import re
import sys
from collections import Counter

AGENT = "Parley"


def split(patterns):
    return [pattern for pattern in patterns.split(",") if pattern]


def matches(case, patterns):
    """Whether one of the patterns means the case, read as the suite reads them."""
    return any(
        re.fullmatch(pattern.replace(".", r"\.").replace("*", ".*"), case)
        for pattern in split(patterns)
    )


def order(case):
    return [int(number) for number in case.split(".")]


def known(expected, cases, excluded):
    return 0 if selected(expected, cases, excluded) else 1


def selected(expected, cases, excluded):
    """What is expected of the cases that the patterns mean."""
    with open(expected, encoding="utf-8") as file:
        results = json.load(file)
    return {
        case: word
        for case, word in results.items()
        if matches(case, cases) and not matches(case, excluded)
    }


def specify(url, cases, excluded):
    specification = {
        "outdir": "reports",
        "servers": [{"agent": AGENT, "url": url}],
        "cases": split(cases),
        "exclude-cases": split(excluded),
        "exclude-agent-cases": {},
    }
    print(json.dumps(specification, indent=2))


def read(index):
    with open(index, encoding="utf-8") as file:
        return json.load(file)[AGENT]


def judgement(outcome):
    """One word when a case and its closing are judged alike, otherwise both."""
    words = outcome["behavior"], outcome["behaviorClose"]
    return words[0] if words[0] == words[1] else " / closing ".join(words)


def compare(index, expected, cases, excluded):
    outcomes = read(index)
    wanted = selected(expected, cases, excluded)
    seen = {case: judgement(outcome) for case, outcome in outcomes.items()}
    summarise(outcomes, seen)
    differing = [
        case for case in sorted(seen.keys() | wanted.keys(), key=order)
        if seen.get(case) != wanted.get(case)
    ]
    for case in differing:
        print(f"{case}: {seen.get(case, 'not run')}, expected {wanted.get(case, 'nothing')}")
    return 1 if differing else 0


def summarise(outcomes, seen):
    """Prints, for each group of cases, the judgements and how long the cases took together."""
    for group in sorted({order(case)[0] for case in seen}):
        members = [case for case in seen if order(case)[0] == group]
        counts = Counter(seen[case] for case in members)
        seconds = sum(outcomes[case]["duration"] for case in members) / 1000
        words = ", ".join(f"{count} {word}" for word, count in counts.most_common())
        print(f"{group}.*: {words}, {seconds:.1f} s")


def record(index, expected, cases, excluded):
    """Replaces what was expected of the cases that were run."""
    outcomes = read(index)
    try:
        with open(expected, encoding="utf-8") as file:
            results = json.load(file)
    except FileNotFoundError:
        results = {}
    results.update({case: judgement(outcome) for case, outcome in outcomes.items()})
    summarise(outcomes, {case: results[case] for case in outcomes})
    with open(expected, "w", encoding="utf-8") as file:
        json.dump({case: results[case] for case in sorted(results, key=order)}, file, indent=0)
        file.write("\n")
    return 0


if __name__ == "__main__":
    commands = {"known": known, "specify": specify, "compare": compare, "record": record}
    sys.exit(commands[sys.argv[1]](*sys.argv[2:]))
