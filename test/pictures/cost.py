#!/usr/bin/env python3
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
"""cost.py DIR: what a call of schedule costs by number of pending tasks, in memory used before.

For each timer whose program is in DIR (`make bench-peers-programs`), prints its name, its title, the
number and the CPU time of the calling thread in ns, divided by tabs: the lower of two rounds, as
other processes only add to it.
"""

import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench/peers"))
import bench_peers  # noqa: E402

ROUNDS = 2
SIZES = ["1e4", "1e5", "1e6"]
# In one form each: with the default number of shards, and in an event loop.
LEFT_OUT = {"jtimer-1ms", "jtimer-remove", "jtimer-go-1", "jtimer-go-64", "jtimer-tokio-thread"}
# getrusage(), which go_peer asks for its thread's time, is behind by up to 4 ms.
TOO_SHORT = {("go", "1e4")}


def measure(command, size):
    """Nothing if the timer is not here."""
    done = subprocess.run([*command, "W1", "random", size], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    for line in done.stdout.splitlines():
        _, parameter, figure, value = line.split("\t")
        if parameter.endswith("warm") and figure == "schedule_cpu_ns":
            return float(value)
    return None


def main():
    folder = shlex.quote(sys.argv[1])
    java = f"java {bench_peers.JAVA_OPTIONS}"
    timers = [timer for timer in bench_peers.PEERS.values() if timer.name not in LEFT_OUT]
    lowest = {}
    for _ in range(ROUNDS):
        for size in SIZES:
            for timer in timers:
                if (timer.name, size) in TOO_SHORT:
                    continue
                command = shlex.split(timer.command.format(dir=folder, java=java))
                try:
                    value = measure(command, size)
                except FileNotFoundError:
                    continue
                key = (timer.name, size)
                if value is not None and value < lowest.get(key, value + 1):
                    lowest[key] = value
                    print(timer.name, size, value, file=sys.stderr)
    for timer in timers:
        for size in SIZES:
            if (timer.name, size) in lowest:
                value = lowest[timer.name, size]
                print(timer.name, timer.title, size, f"{value:.1f}", sep="\t")


if __name__ == "__main__":
    main()
