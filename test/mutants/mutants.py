#!/usr/bin/env python3
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
"""Changes one line of the library at a time, and says which changes no test sees.

    make mutants SEED=20261125 COUNT=20 PARTS='jdk sync' MUTANTS_SECONDS=600

COUNT mutants are drawn from all possible ones of PARTS by SEED. The same seed draws the same mutants,
but for those of lines that have changed since. SCRATCH (build/mutants) has a copy of the sources, built
once. With a mutant, only what depends on its file is compiled again, and of the tests of its part those
run whose program differs, until one fails: first those named after the file, then those that have
killed most. Mutants of a memory order or a lock run in the tests that explore interleavings, and then
under ThreadSanitizer; all others under LeakSanitizer, and then in those that explore interleavings.
Mutants of lib/cluster run in its fast tests, each beside a PostgreSQL server of its own.

Results are appended to SCRATCH/results-SEED.txt, and a run goes on where an earlier one stopped.
survivors.txt lists the mutants that no test can or need see, each with a reason; they are not played.
Any other survivor is printed, and makes the script fail. "same program": the compiler makes the same
of it, so that no test could see it.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import os
import pathlib
import re
import resource
import sys
import threading
import time

import postgres
from tree import ROOT, Tree

HERE = pathlib.Path(__file__).resolve().parent
ROOMS = ["jdk", "netty", "brpc", "go", "tokio"]
SHARED = ["sync", "thread", "clock", "data", "calendar"]
# Those of the cluster that take long, or that test no code of lib/cluster.
UNPLAYED = ["stress_test", "server_test", "structure_test"]

Mutant = collections.namedtuple("Mutant", "file line old new kind")

# A mutation: its kind, what it finds in a line, and what it puts there.
REPLACEMENTS = [
    ("order", r"memory_order_(?:acquire|release|acq_rel|seq_cst)", "memory_order_relaxed"),
    ("lock", r"\benter\(\);", "tryEnter();"),
    ("lock", r"(?:const )?\b((?:Cell)?Lock|Guard) lock\([\w.()>-]+\);", r"Mutex unused; \1 lock(unused);"),
    ("lock", r"(?:const )?(boost::\w+<boost::mutex>) lock\([\w.()>-]+\);", r"Mutex unused; \1 lock(unused);"),
    ("comparison", r" < ", " <= "),
    ("comparison", r" <= ", " < "),
    ("comparison", r" > ", " >= "),
    ("comparison", r" >= ", " > "),
    ("comparison", r" == ", " != "),
    ("comparison", r" != ", " == "),
    ("negation", r"(?<=[( ])!(?=[\w(])", ""),
    ("negation", r"\bif \((?!constexpr)(.*)\)(?= [\w{])", r"if (!(\1))"),
    ("negation", r" && ", " || "),
    ("negation", r" \|\| ", " && "),
    ("negation", r"\btrue\b", "false"),
    ("negation", r"\bfalse\b", "true"),
    ("one", r" [+-] 1\b", ""),
    ("one", r"(?<=[\w)]) \+ (?=[\w(])", " - "),
    ("one", r"(?<=[\w)]) - (?=[\w(])", " + "),
    ("saturation", r"\bsaturatingAdd\(([^(),]+), ([^(),]+)\)", r"(\1 + \2)"),
    ("saturation", r"\bsaturatingSubtract\(([^(),]+), ([^(),]+)\)", r"(\1 - \2)"),
    ("extreme", r"\bstd::min\b", "std::max"),
    ("extreme", r"\bstd::max\b", "std::min"),
]
# A line that is one statement: an assignment, a call, or an increment.
STATEMENT = re.compile(r"^(?!return|throw|using|delete|goto|const|auto|static|template|friend|else|case)"
                       r"(?:\+\+|--|\*)?[\w.:>()\[\]-]+(?: [+|&-]?= .*|\(.*\)|)(?<!\) const);$")
# Lines whose mutants would not compile, or change only what cannot happen.
SKIPPED = re.compile(r"^(?:#|//|///|\*|template|static_assert|using|struct|class|friend|typedef|namespace"
                     r"|case|public|private|protected|\}|assert|JTIMER_ASSERT)|\boperator\b|= (?:delete|default);"
                     r"|\bnoexcept;|\bconst;|&&[ ,)]?\w*[,)]|__builtin")


def mutants_of(file):
    lines = (ROOT / file).read_text().split("\n")
    for number, line in enumerate(lines):
        text = line.strip()
        if not text or SKIPPED.search(text):
            continue
        code = re.sub(r"\s*//.*", "", text)
        whole = lines[number - 1].rstrip().endswith((";", "{", "}", ":")) or "//" in lines[number - 1]
        if whole and STATEMENT.match(code):
            kind = ("notification" if re.search("notify|wake|Wake", code) else
                    "lock" if code == "lock.lock();" else "statement")
            yield Mutant(file, number, text, ";", kind)
        quoted = [range(*match.span()) for match in re.finditer(r'"(?:[^"\\]|\\.)*"', code)]
        for kind, pattern, new in REPLACEMENTS:
            for match in re.finditer(pattern, code):
                if not any(match.start() in each for each in quoted):
                    changed = code[:match.start()] + match.expand(new) + code[match.end():]
                    if part_of(file) == "cluster":
                        changed = changed.replace("Mutex unused", "boost::mutex unused")
                    yield Mutant(file, number, text, changed, kind)


def part_of(file):
    """lib/PART/... and include/jtimer/PART/...; what is directly in include/jtimer is jdk's."""
    parts = pathlib.PurePath(file).parts
    part = parts[1] if parts[0] == "lib" else parts[2]
    return part if part in ROOMS + SHARED + ["cluster"] else "data" if part == "detail" else "jdk"


def sources(parts):
    for folder in ("lib", "include"):
        for path in sorted((ROOT / folder).rglob("*.?pp")):
            file = str(path.relative_to(ROOT))
            if part_of(file) in parts:
                yield file


def drawn(mutants, seed):
    """In an order in which each has its place from what it changes, whatever other mutants there are."""
    same, places = collections.Counter(), {}
    for mutant in mutants:
        change = mutant._replace(line=0)
        places[mutant] = hashlib.sha256(repr((seed, *change, same[change])).encode()).digest()
        same[change] += 1
    return sorted(places, key=places.get)


def explained():
    """Of survivors.txt, whose lines are `FILE: OLD -> NEW: REASON`, the part before the reason."""
    known = {}
    for line in (HERE / "survivors.txt").read_text().split("\n"):
        match = re.match(r"(\S+): (`.*` -> `.*`): (\S.*)", line)
        if match:
            known[match[1], match[2]] = match[3]
        elif line and not line.startswith("#"):
            sys.exit(f"survivors.txt: not FILE: `OLD` -> `NEW`: REASON: {line}")
    return known


def shown(mutant):
    return f"`{mutant.old}` -> `{mutant.new}`"


def placed(mutant):
    return f"{mutant.kind}: {mutant.file}:{mutant.line + 1}: {shown(mutant)}"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--parts", nargs="*", default=ROOMS + SHARED)
    parser.add_argument("--kinds", nargs="*", help="only these, such as order and lock")
    parser.add_argument("--seconds", type=float, default=1e9, help="starts no mutant after that time")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="play so many at a time")
    parser.add_argument("--again", action="store_true", help="plays what has survived again")
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / "build" / "mutants")
    parser.add_argument("--list", action="store_true", help="prints the mutants and ends")
    return parser.parse_args()


OUTCOMES = ["killed", "survived", "explained", "same program", "not compiled"]
# The standard library's assertions see what is read past an end. With them, std::string is compiled
# into each program, also for Boost.Test, which ThreadSanitizer then takes to task for its own races.
QUICK, ASSERTIONS = "CXXFLAGS=-O1 -g0", " -D_GLIBCXX_ASSERTIONS"
SETTINGS = {"leak": [QUICK + ASSERTIONS, "TEST_CXXFLAGS=-O0 -g0", "LDFLAGS=-fsanitize=leak"],
            "thread": [QUICK, "TEST_CXXFLAGS=-O0 -g0", "SANITIZE=thread"],
            "explore": [QUICK + ASSERTIONS, "TEST_CXXFLAGS=-O0 -g0"]}
SETTINGS["cluster-leak"] = [*SETTINGS["leak"], "CLUSTER_UNIT=no"]
SETTINGS["cluster-thread"] = [*SETTINGS["thread"], "CLUSTER_UNIT=no"]


def stages_of(mutant):
    """The trees where it is played, one after the other: the name of each, the folders of its tests, and
    those of them that run."""
    part, tied = part_of(mutant.file), mutant.kind in ("order", "lock")
    if part == "cluster":
        return [("cluster-thread" if tied else "cluster-leak", ["cluster"], ["cluster"])]
    explore = ("explore", ["interleave"], ["interleave"])
    tests = ("thread" if tied else "leak", SHARED + ROOMS, [part] if part in ROOMS else SHARED + ROOMS)
    return [explore, tests] if tied else [tests, explore]


def tests_in(folders):
    return [str(test.relative_to(ROOT)) for folder in folders
            for test in sorted((ROOT / "test" / folder).glob("*_test.cpp")) if test.stem not in UNPLAYED]


def results_in(files):
    """What was found before: the outcome, the mutant, and the test that killed it."""
    for line in "".join(file.read_text() for file in files if file.exists()).splitlines():
        outcome, rest = line.split(": ", 1)
        yield outcome, *rest.rsplit(": ", 1)


class Game:
    """Draws mutants and plays them, in several threads."""

    def __init__(self, given, candidates):
        self.given, self.candidates = given, iter(candidates)
        self.results = given.scratch / f"results-{given.seed}.txt"
        before = list(results_in(given.scratch.glob("results-*.txt")))
        self.kills = collections.Counter(by for outcome, _, by in before if outcome == "killed")
        self.done = {mutant: (outcome, by) for outcome, mutant, by in results_in([self.results])
                     if outcome != "survived" or not given.again}
        self.known, self.trees = explained(), {}
        self.end = time.monotonic() + given.seconds
        self.lock = threading.Lock()  # guards what is above, and what follows
        self.left, self.counts = given.count, collections.Counter()

    def tree(self, name, folders):
        with self.lock:
            if name not in self.trees:
                self.trees[name] = Tree(self.given.scratch / name, SETTINGS[name], tests_in(folders))
            return self.trees[name]

    def outcome_of(self, mutant, thread):
        """The outcome, and the test that fails."""
        same = True
        for name, folders, played in stages_of(mutant):
            by = self.tree(name, folders).killer_of(mutant, played, self.kills, thread)
            if by == "does not compile":
                return "not compiled", ""
            if by not in (None, "same program"):
                return "killed", by
            same = same and by == "same program"
        return ("same program" if same else "survived"), ""

    def next(self):
        """The next mutant; or None, at the end."""
        with self.lock:
            mutant = next(self.candidates, None) if self.left and time.monotonic() < self.end else None
            self.left -= 1 if mutant else 0
            return mutant

    def play(self, thread):
        while mutant := self.next():
            new = False
            if (mutant.file, shown(mutant)) in self.known:
                outcome, by = "explained", self.known[mutant.file, shown(mutant)]
            elif placed(mutant) in self.done:
                outcome, by = self.done[placed(mutant)]
            else:
                outcome, by = self.outcome_of(mutant, thread)
                new = True
            with self.lock:
                self.counts[outcome] += 1
                self.left += outcome == "not compiled"
                self.kills[by] += new
                line = f"{outcome}: {placed(mutant)}: {by}"
                print(line, flush=True)
                if new:
                    with open(self.results, "a") as file:
                        file.write(line + "\n")


def main():
    given = arguments()
    candidates = drawn([mutant for file in sources(given.parts) for mutant in mutants_of(file)
                        if not given.kinds or mutant.kind in given.kinds], given.seed)
    print(f"seed {given.seed}: {given.count} of {len(candidates)} mutants of {' '.join(given.parts)}", flush=True)
    if given.list:
        print("\n".join(map(placed, candidates[:given.count])))
        return 0
    given.scratch.mkdir(parents=True, exist_ok=True)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if "cluster" in given.parts:
        postgres.provide()
    game = Game(given, candidates)
    with concurrent.futures.ThreadPoolExecutor(given.threads) as pool:
        list(pool.map(game.play, range(given.threads)))
    print(", ".join(f"{game.counts[each]} {each}" for each in OUTCOMES))
    return 1 if game.counts["survived"] else 0


if __name__ == "__main__":
    sys.exit(main())
