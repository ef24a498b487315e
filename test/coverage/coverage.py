#!/usr/bin/env python3
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
"""Tells how much of the library the tests have run that were built with `make COVERED=yes`.

    coverage.py OBJECTS [PART...]

Prints the lines and branches of each folder, or of those of the parts (go: lib/go and include/jtimer/go),
without the branches that only an exception takes. Fails if less than 98% of their lines have run, or if a
line or branch that has not run has no entry in uncovered.txt beside this file.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
LEAST = 98  # percent of the lines


def measure(objects):
    """What gcovr says of each file: its lines, with their branches. Where a process forked or ended between two
    counters, gcov may print a count below 0, which gcovr is to pass over."""
    command = [os.environ.get("GCOVR", "gcovr"), "--root", ".", "--filter", "lib/", "--filter", "include/",
               "--gcov-ignore-parse-errors", "--exclude-throw-branches", "--exclude-unreachable-branches",
               "--json", "-", objects]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["files"]


class Entry:
    """A line of uncovered.txt: FILE: `SOURCE`: REASON, or FILE: `FIRST` to `LAST`: REASON; with `branches of`
    before the source if the lines themselves have run. In FILE and the sources, ... stands for any text."""

    def __init__(self, line):
        parts = re.fullmatch(r"([^:`]+): (branches of )?`(.+?)`(?: to `(.+)`)?: (.+)", line)
        if not parts:
            sys.exit(f"uncovered.txt: not FILE: `SOURCE`: REASON: {line}")
        self.line = line
        self.kinds = ("branch",) if parts[2] else ("line", "branch")
        self.file, self.first, self.last = (part and re.compile(".*".join(map(re.escape, part.split("..."))))
                                            for part in parts.group(1, 3, 4))

    def lines_in(self, source):
        """The numbers of the lines that it is about."""
        numbers = set()
        for i, text in enumerate(source):
            if not self.first.fullmatch(text):
                continue
            end = i
            while self.last and end + 1 < len(source) and not self.last.fullmatch(source[end]):
                end += 1
            numbers.update(range(i + 1, end + 2))
        return numbers


def read_excused():
    """What uncovered.txt has a reason for, as (file, number, kind), and its entries that fit no line."""
    lines = (HERE / "uncovered.txt").read_text().splitlines()
    entries = [Entry(line) for line in lines if line and not line.startswith("#")]
    excused = set()
    fitting = set()
    for path in (*pathlib.Path("lib").rglob("*.[ch]pp"), *pathlib.Path("include").rglob("*.[ch]pp")):
        source = [line.strip() for line in path.read_text().splitlines()]
        for entry in entries:
            if entry.file.fullmatch(str(path)):
                numbers = entry.lines_in(source)
                excused.update((str(path), number, kind) for number in numbers for kind in entry.kinds)
                if numbers:
                    fitting.add(entry)
    return excused, [entry for entry in entries if entry not in fitting]


def folder_of(file):
    """lib/go for lib/go/cell.cpp, include/jtimer/go for include/jtimer/go/detail/handle.hpp."""
    return "/".join(pathlib.PurePath(file).parent.parts[:2 if file.startswith("lib/") else 3])


def count(files):
    """Lines and branches of each folder, (run, all) each, and what has not run: (file, number, kind)."""
    counts = collections.defaultdict(lambda: [0, 0, 0, 0])
    missed = []
    for file in files:
        for line in file["lines"]:
            if line.get("gcovr/noncode"):
                continue
            branches = [branch["count"] != 0 for branch in line["branches"]]
            total = counts[folder_of(file["file"])]
            for i, n in enumerate((line["count"] != 0, 1, sum(branches), len(branches))):
                total[i] += n
            if line["count"] == 0:
                missed.append((file["file"], line["line_number"], "line"))
            elif not all(branches):
                missed.append((file["file"], line["line_number"], "branch"))
    return counts, missed


def percent(part, whole):
    return f"{100 * part / whole:6.2f}% of {whole:5}" if whole else f"{'':16}"


def main():
    parts = sys.argv[2:]
    counts, missed = count(file for file in measure(sys.argv[1])
                           if not parts or folder_of(file["file"]).split("/")[-1] in parts)
    total = [sum(column) for column in zip(*counts.values())]
    for folder, (lines, all_lines, branches, all_branches) in [*sorted(counts.items()), ("all", total)]:
        print(f"    {folder:24} lines {percent(lines, all_lines)}   branches {percent(branches, all_branches)}")

    failed = total[0] * 100 < total[1] * LEAST
    if failed:
        print(f"coverage: less than {LEAST}% of the lines have run")
    excused, useless = read_excused()
    for file, number, kind in missed:
        if (file, number, kind) not in excused:
            failed = True
            source = pathlib.Path(file).read_text().splitlines()[number - 1].strip()
            print(f"{file}:{number}: this {kind} has not run: {source}")
    for entry in useless:
        failed = True
        print(f"uncovered.txt: there is no such line: {entry.line}")
    sys.exit(failed)


main()
