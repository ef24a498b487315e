#!/usr/bin/env python3
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
"""Plays mutants of lib/jdk in each random player of the timer by itself, and prints which players see them.

    make players SEED=1128 COUNT=24

The mutants are the first of `make mutants PARTS=jdk` with that seed, without those that do not compile,
that change no program, or that survivors.txt explains. A line for each mutant names the players that fail.
The table at the end has how long each player takes without a mutant, how many it sees, and how many of
these no other player does.
"""
import argparse
import concurrent.futures
import threading

from mutants import SETTINGS, drawn, explained, mutants_of, placed, shown, sources
from tree import ROOT, Changed, Tree

PLAYERS = {"reference": "jdk/reference_test", "fuzz corpus": "fuzz/corpus_test",
           "simulation": "interleave/simulation_test", "interleave": "interleave/jdk_test",
           "stress": "jdk/slow/stress_test", "load": "load/load"}
TESTS = {name: f"test/{program}.cpp" for name, program in PLAYERS.items()}
ARGUMENTS = {"simulation_test": ["--run_test=jdk"], "load": ["jdk", "10", "100000"]}


def seen_by(tree, mutant, thread):
    """The players that fail; None if it does not compile or changes no program."""
    changed = Changed(tree, mutant, f"build/mutant-{thread}")
    made = {name: changed.made(tree.program(test)) for name, test in TESTS.items()}
    differing = [name for name, test in TESTS.items() if made[name] != tree.program(test)]
    if None in made.values() or not differing:
        return None
    # None of them judges by time, so a failure needs no second one.
    return [name for name in differing if not tree.passes(made[name], 10 + 5 * tree.took[TESTS[name]])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--threads", type=int, default=2, help="play so many at a time")
    given = parser.parse_args()
    tree = Tree(ROOT / "build" / "mutants" / "players", SETTINGS["explore"], list(TESTS.values()), ARGUMENTS)
    tree.build_tests(TESTS.values())
    if not all([tree.works(test) for test in TESTS.values()]):
        return 1
    known = explained()
    left = (mutant for mutant in drawn([m for file in sources(["jdk"]) for m in mutants_of(file)], given.seed)
            if (mutant.file, shown(mutant)) not in known)
    lock, results = threading.Lock(), []  # which it guards, and left

    def play(thread):
        while True:
            with lock:
                mutant = next(left, None) if len(results) < given.count else None
            if mutant is None:
                return
            seen = seen_by(tree, mutant, thread)
            with lock:
                if seen is not None and len(results) < given.count:
                    results.append(seen)
                    print(f"{placed(mutant)}: {', '.join(seen) or 'none'}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(given.threads) as pool:
        list(pool.map(play, range(given.threads)))
    print(f"\n| player | seconds | sees, of {len(results)} | alone |\n| --- | --- | --- | --- |")
    for name, test in TESTS.items():
        print(f"| {name} | {tree.took[test]:.1f} | {sum(name in seen for seen in results)} | {results.count([name])} |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
