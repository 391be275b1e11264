"""The control of a count: removes what the server does as time passes and what it does now and then.

A phase takes several times longer on a busy machine, and some work depends on time and not on messages. An
event loop visits all ticks of its timers since its last turn. Servers of a cluster exchange heartbeats and
confirmations. So one repetition of a phase begins with a pause: its additional cost, divided by its
additional time, is the cost of a second, and is subtracted from each repetition for the time it took. Ticks
are visited in the first turn after a pause, so a phase without any message would be no control.

Other work runs once in 30 seconds (sweeps of uploads and of channels) and costs as much as many messages. It
falls into one repetition at most, so the median of the repetitions is free of it.
"""

import statistics

from machine import ALLOCATIONS, INSTRUCTIONS, SYSTEM_CALLS

UNITS = (INSTRUCTIONS, SYSTEM_CALLS, ALLOCATIONS)


def rate(paused, repetitions, unit):
    """The cost of a second, from a phase with pauses and the same phase without."""
    seconds = paused["seconds"] - statistics.median(phase["seconds"] for phase in repetitions)
    amount = paused[unit] - statistics.median(phase[unit] for phase in repetitions)
    return max(amount, 0) / seconds if seconds > 0 else 0


def without_time(phase, rates):
    """A phase whose counts are only of messages, by the cost of a second in each unit."""
    return {**phase, **{
        unit: max(phase[unit] - rates[unit] * phase["seconds"], 0) for unit in rates}}


def typical(phases, unit):
    """The repetition of a phase whose cost is the median."""
    ordered = sorted(phases, key=lambda phase: phase[unit])
    return ordered[(len(ordered) - 1) // 2]
