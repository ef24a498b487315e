#!/usr/bin/env python3
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
"""Changes one line of the library at a time, and says which changes no test sees.

    make mutants SEED=20261125 COUNT=20 PARTS='jdk sync' MUTANTS_SECONDS=600

COUNT mutants are drawn from all possible ones of PARTS by SEED: the same seed draws the same mutants
from the same sources. Each is made in a copy of the tree, in SCRATCH (build/mutants), and the tests of
its part are built and run until one fails. Mutants of a memory order or a lock run under
ThreadSanitizer, and then in the tests that explore interleavings; all others under LeakSanitizer.

survivors.txt lists the mutants that no test can or need see, each with a reason; they are not played.
Any other survivor is printed, and makes the script fail.
"""
import argparse
import collections
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ROOMS = ["jdk", "netty", "brpc", "go", "tokio"]
SHARED = ["sync", "thread", "clock", "data"]

Mutant = collections.namedtuple("Mutant", "file line old new kind")

# A mutation: its kind, what it finds in a line, and what it puts there.
REPLACEMENTS = [
    ("order", r"memory_order_(?:acquire|release|acq_rel|seq_cst)", "memory_order_relaxed"),
    ("lock", r"\benter\(\);", "tryEnter();"),
    ("lock", r"\b((?:Cell)?Lock|Guard) lock\([\w.()>-]+\);", r"Mutex unused; \1 lock(unused);"),
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
                     r"|case|public|private|protected|\}|assert)|\boperator\b|= (?:delete|default);"
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
            kind = "notification" if re.search("notify|wake|Wake", code) else "statement"
            yield Mutant(file, number, text, ";", kind)
        quoted = [range(*match.span()) for match in re.finditer(r'"(?:[^"\\]|\\.)*"', code)]
        for kind, pattern, new in REPLACEMENTS:
            for match in re.finditer(pattern, code):
                if not any(match.start() in each for each in quoted):
                    changed = code[:match.start()] + match.expand(new) + code[match.end():]
                    yield Mutant(file, number, text, changed, kind)


def part_of(file):
    """lib/PART/... and include/jtimer/PART/...; what is directly in include/jtimer is jdk's."""
    parts = pathlib.PurePath(file).parts
    part = parts[1] if parts[0] == "lib" else parts[2]
    return part if part in ROOMS + SHARED else "data" if part == "detail" else "jdk"


def sources(parts):
    for folder in ("lib", "include"):
        for path in sorted((ROOT / folder).rglob("*.?pp")):
            file = str(path.relative_to(ROOT))
            if "lib/cluster/" not in file and part_of(file) in parts:
                yield file


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


class Tree:
    """A copy of the sources, built with the settings of make that are given."""

    def __init__(self, path, settings, seconds):
        self.path, self.settings, self.seconds = path, settings, seconds
        self.build = "build/thread" if "SANITIZE=thread" in settings else "build"
        self.explores = path.name == "explore"
        self.took, self.why = {}, ""
        # Only what differs is written, so that a second run builds little.
        for file in subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).split("\n"):
            if file and (ROOT / file).is_file():
                copy = path / file
                if not copy.exists() or copy.read_bytes() != (ROOT / file).read_bytes():
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(ROOT / file, copy)

    def make(self, tests):
        goals = [f"{self.build}/{test[:-4]}" for test in tests]
        done = subprocess.run(["make", "-s", *self.settings, *goals], cwd=self.path, capture_output=True)
        self.why = done.stderr.decode(errors="replace")[-2000:]
        return done.returncode == 0

    def passes(self, test):
        # ThreadSanitizer of older compilers needs addresses that are not scattered, as in run_tests.sh.
        program = ["setarch", "-R"] if self.build == "build/thread" else []
        program += [f"./{self.build}/{test[:-4]}", "--log_level=nothing", "--report_level=no"]
        environment = dict(os.environ, TSAN_OPTIONS="halt_on_error=1 hard_rss_limit_mb=3000")
        begin = time.monotonic()
        with subprocess.Popen(program, cwd=self.path, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              start_new_session=True, preexec_fn=limit) as run:
            try:
                status = run.wait(self.seconds)
            except subprocess.TimeoutExpired:
                status = "time"
                os.killpg(run.pid, 9)  # the group that this test began, with its children
        self.took[test] = time.monotonic() - begin
        return status == 0

    def tests_for(self, mutant):
        """The likeliest first: those named after the file, then the quickest."""
        if self.explores:
            return sorted(str(path.relative_to(ROOT)) for path in (ROOT / "test/interleave").glob("*_test.cpp"))
        part = part_of(mutant.file)
        folders = [part] if part in ROOMS else [part] + ROOMS
        stem = pathlib.PurePath(mutant.file).stem
        tests = []
        for folder in folders:
            found = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "test" / folder).glob("*_test.cpp"))
            tests += sorted(found, key=lambda test: (stem not in test, self.took.get(test, 0)))
        return tests

    def killer_of(self, mutant):
        """The test that fails; `does not compile`; or None."""
        path = self.path / mutant.file
        original = path.read_text()
        lines = original.split("\n")
        indent = lines[mutant.line][: len(lines[mutant.line]) - len(lines[mutant.line].lstrip())]
        lines[mutant.line] = indent + mutant.new
        path.write_text("\n".join(lines))
        try:
            tests = self.tests_for(mutant)
            for first in range(0, len(tests), 4):
                some = tests[first:first + 4]
                if not self.make(some):
                    return "does not compile"
                for test in some:
                    if not self.passes(test):
                        return test
            return None
        finally:
            path.write_text(original)


def limit():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(5)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--parts", nargs="*", default=ROOMS + SHARED)
    parser.add_argument("--kinds", nargs="*", help="only these, such as order and lock")
    parser.add_argument("--seconds", type=float, default=1e9, help="starts no mutant after that time")
    parser.add_argument("--test-seconds", type=float, default=60, help="a test that runs longer has failed")
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / "build" / "mutants")
    parser.add_argument("--list", action="store_true", help="prints the mutants and ends")
    return parser.parse_args()


SETTINGS = {"leak": ["LDFLAGS=-fsanitize=leak"], "thread": ["SANITIZE=thread"], "explore": []}


def trees(given):
    """What the mutants run under: each tree is made, and tried without a mutant, when first needed."""
    made = {}

    def tree(name, mutant):
        if name not in made:
            made[name] = Tree(given.scratch / name, ["CXXFLAGS=-O1 -g1", *SETTINGS[name]], given.test_seconds)
        here = made[name]
        tests = [test for test in here.tests_for(mutant) if test not in here.took]
        if not here.make(tests):
            sys.exit(f"the tests do not build:\n{here.why}")
        broken = [test for test in tests if not here.passes(test)]
        if broken:
            sys.exit(f"without a mutant: {' '.join(broken)} failed")
        return here

    def killer_of(mutant):
        """The test that fails; `does not compile`; or None."""
        for name in ("thread", "explore") if mutant.kind in ("order", "lock") else ("leak",):
            by = tree(name, mutant).killer_of(mutant)
            if by is not None:
                return by
        return None

    return killer_of


def main():
    given = arguments()
    candidates = [mutant for file in sources(given.parts) for mutant in mutants_of(file)
                  if not given.kinds or mutant.kind in given.kinds]
    random.Random(given.seed).shuffle(candidates)
    known, killer_of = explained(), trees(given)
    end = time.monotonic() + given.seconds
    results = collections.Counter()
    print(f"seed {given.seed}: {given.count} of {len(candidates)} mutants of {' '.join(given.parts)}", flush=True)
    for mutant in candidates:
        if results["killed"] + results["survived"] + results["explained"] == given.count:
            break
        if given.list or time.monotonic() > end:
            if not given.list:
                break
            results["killed"] += 1
            print(f"{mutant.kind}: {mutant.file}:{mutant.line + 1}: {shown(mutant)}")
            continue
        if (mutant.file, shown(mutant)) in known:
            outcome, by = "explained", known[mutant.file, shown(mutant)]
        else:
            by = killer_of(mutant)
            outcome = "survived" if by is None else "not compiled" if by == "does not compile" else "killed"
        results[outcome] += 1
        print(f"{outcome}: {mutant.kind}: {mutant.file}:{mutant.line + 1}: {shown(mutant)}: {by or ''}", flush=True)
    if not given.list:
        print(", ".join(f"{results[each]} {each}" for each in ("killed", "survived", "explained", "not compiled")))
    return 1 if results["survived"] else 0


if __name__ == "__main__":
    sys.exit(main())
