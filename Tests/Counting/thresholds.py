"""What may be counted at most, and the judgement.

The file has a line for each: the case, the unit that is counted, the most that is allowed. What
follows a `#` is for the reader.
"""

# Less than this part of what is allowed, and the threshold guards little any more; but what is next
# to nothing has no steady ratio to it.
SLACK = 0.4
NEXT_TO_NOTHING = 0.05


class ThresholdsError(Exception):
    pass


def read(text):
    """The thresholds by case and unit."""
    thresholds = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            case, unit, allowed = words
            allowed = float(allowed)
        except ValueError:
            raise ThresholdsError(f"line {number} is not a case, a unit and a number") from None
        if (case, unit) in thresholds:
            raise ThresholdsError(f"line {number}: {case} has {unit} already")
        thresholds[case, unit] = allowed
    return thresholds


def failures(measured, thresholds, unmeasured_units=()):
    """A sentence for each that is more than allowed, or that only one side knows of."""
    found = []
    for (case, unit), amount in measured.items():
        allowed = thresholds.get((case, unit))
        if allowed is None:
            found.append(f"{case}: {amount:,.3f} {unit}, and no threshold says how many are allowed")
        elif not amount <= allowed:
            found.append(f"{case}: {amount:,.3f} {unit}, where at most {allowed:,g} are allowed")
    for case, unit in thresholds:
        if (case, unit) not in measured and unit not in unmeasured_units:
            found.append(f"{case}: its {unit} have a threshold, and were not counted")
    return found


def loose(measured, thresholds):
    """A sentence for each threshold that could be lower."""
    return [
        f"{case}: {measured[case, unit]:,.3f} {unit}; the threshold of {allowed:,g} can be lowered"
        for (case, unit), allowed in thresholds.items()
        if allowed > NEXT_TO_NOTHING and measured.get((case, unit), allowed) < SLACK * allowed]
