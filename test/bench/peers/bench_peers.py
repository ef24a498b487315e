#!/usr/bin/env python3
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
"""Measures jtimer's timers beside others, in alternating rounds, and reports."""

import argparse
import collections
import functools
import math
import mmap
import os
import re
import shlex
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

# One size of the heap for all workloads; the collector is the JVM's own choice, or peers.tsv says.
JAVA_OPTIONS = "-Xms4g -Xmx4g"

MORE_IS_BETTER = {"firings_per_s"}

# Rows of the tables beside this script; and a line of the report, which has several figures.
Peer = collections.namedtuple("Peer", "name title reference abilities command")
Step = collections.namedtuple("Step", "workloads mode size needs")
Goal = collections.namedtuple("Goal", "peer other workload parameter figure ratio")
Picture = collections.namedtuple("Picture", "name kind title peer workload parameter figure")
Line = collections.namedtuple("Line", "workload parameter")

HERE = Path(__file__).resolve().parent


def read_table(name, row):
    lines = (HERE / name).read_text().splitlines()
    return [row(*line.split("\t")) for line in lines if line and not line.startswith("#")]


PEERS = {peer.name: peer for peer in read_table("peers.tsv", Peer)}
STEPS = read_table("workloads.tsv", Step)
WORKLOADS = list(dict.fromkeys(name for step in STEPS for name in step.workloads.split(",")))
GOALS = {(goal.peer, Line(goal.workload, goal.parameter), goal.figure): goal
         for goal in read_table("goals.tsv", Goal)}
PICTURES = read_table("pictures.tsv", Picture)


def can(peer, needs):
    return set(needs.split()) <= set(PEERS[peer].abilities.split())


class Results:
    """What was measured, by rows as in raw.tsv, and its statistics.

    A row is "fact NAME VALUE", "ROUND PEER WORKLOAD PARAMETER FIGURE VALUE", or, why a timer has no
    more figures of a step, "ROUND PEER WORKLOADS PARAMETER trouble TEXT".
    """

    def __init__(self, rows=()):
        self.facts = {}
        self.figures = {}  # (line, figure) -> peer -> round -> value, in the order of measuring
        self.troubles = []
        for row in rows:
            self.add(row)

    def add(self, row):
        if row[0] == "fact":
            self.facts[row[1]] = row[2]
        elif row[4] == "trouble":
            self.troubles.append(row)
        else:
            turn, peer, workload, parameter, figure, value = row
            rounds = self.figures.setdefault((Line(workload, parameter), figure), {})
            rounds.setdefault(peer, {})[turn] = float(value)

    def lines(self):
        """Each line and its figures, in the order of the workloads."""
        lines = {}
        for line, figure in self.figures:
            lines.setdefault(line, []).append(figure)
        return sorted(lines.items(), key=lambda item: WORKLOADS.index(item[0].workload))

    def peers(self, reference):
        """Those that are compared with the reference, and it."""
        seen = {peer for rounds in self.figures.values() for peer in rounds}
        seen.update(row[1] for row in self.troubles)
        return [peer for peer in PEERS if peer in seen and PEERS[peer].reference == reference]

    def values(self, peer, line, figure):
        return list(self.figures.get((line, figure), {}).get(peer, {}).values())

    def ratio(self, peer, other, line, figure):
        """The median of the ratios, taken round by round: the machine's speed falls out.

        Below 1, `peer` is the better one. NaN where one of them is missing, or 0.
        """
        rounds = self.figures.get((line, figure), {})
        above, below = rounds.get(peer, {}), rounds.get(other, {})
        if figure in MORE_IS_BETTER:
            above, below = below, above
        pairs = [(above[turn], below[turn]) for turn in above if turn in below]
        if not pairs or any(value <= 0 for pair in pairs for value in pair):
            return math.nan
        return statistics.median(a / b for a, b in pairs)

    def ratio_text(self, peer, other, line, figure):
        return f"{self.ratio(peer, other, line, figure):.2f}".replace("nan", "-")

    def outcome(self, goal):
        """Whether it is met, None if it was not measured."""
        ratio = self.ratio(goal.peer, goal.other, Line(goal.workload, goal.parameter), goal.figure)
        return None if math.isnan(ratio) else ratio <= float(goal.ratio)

    def goal_text(self, peer, line, figure):
        goal = GOALS.get((peer, line, figure))
        if goal is None:
            return ""
        met = {None: "not measured", False: "**not met**", True: "met"}[self.outcome(goal)]
        return f"{goal.ratio} of {PEERS[goal.other].title}, {met}"

    def goals_text(self):
        met, missed, unknown = map([self.outcome(goal) for goal in GOALS.values()].count,
                                   [True, False, None])
        return (f"{met} of {met + missed} goals are met"
                + f"; {unknown} were not measured" * (unknown > 0) + ".")

    def summary(self, peer, line, figure):
        """Median, least and most, ratio to the reference."""
        values = self.values(peer, line, figure)
        if not values:
            return "-"
        median, *ends = map(number_text, [statistics.median(values), min(values), max(values)])
        reference = PEERS[peer].reference
        ratio = "" if peer == reference else ", " + self.ratio_text(peer, reference, line, figure)
        return f"{median} ({' to '.join(ends)}){ratio}"


def number_text(value):
    """At least three digits, which is more than the spread leaves."""
    size = abs(value)
    return f"{value:,.{0 if size >= 100 or size == 0 else 1 if size >= 10 else 2}f}"


def run_program(command, limit, log):
    """What it has written to its standard output, and why it did not end well, or nothing."""
    try:
        with open(log, "a") as errors:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=errors, timeout=limit, text=True)
    except subprocess.TimeoutExpired:
        return "", f"over {limit} s"
    except OSError as error:
        return "", error.strerror
    if done.returncode < 0:
        return "", signal.strsignal(-done.returncode)
    return done.stdout, f"failed with {done.returncode}" if done.returncode else ""


def leave_alike_memory(mebibytes):
    """Touches memory and frees it. What a process gets first is what was freed last: so that would
    be in the cache after a small process, and not after a JVM."""
    if mebibytes == 0:
        return
    with mmap.mmap(-1, mebibytes * 2**20) as memory:
        memory[::mmap.PAGESIZE] = b"x" * (len(memory) // mmap.PAGESIZE)


def gives_memory_back(sys_folder=Path("/sys")):
    """Whether this is a virtual machine whose kernel reports free memory to its host, which takes
    it back: then whoever gets that memory next waits for the host."""
    largest_order = 10  # of the kernel's free blocks
    balloon, reporting = 5, 5  # virtio's number of a memory balloon, and the bit of that feature
    try:
        order = sys_folder / "module/page_reporting/parameters/page_reporting_order"
        balloons = [device.parent for device in (sys_folder / "bus/virtio/devices").glob("*/device")
                    if int(device.read_text(), 16) == balloon]
        return (int(order.read_text()) <= largest_order
                and any((each / "features").read_text()[reporting] == "1" for each in balloons))
    except OSError:
        return False


def machine():
    system = os.uname()
    cpus = re.findall(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return (f"{(cpus or [system.machine])[0]}, {os.cpu_count()} processors, {memory:.0f} GiB, "
            f"{system.sysname} {system.release}; load {os.getloadavg()[0]:.1f} before it"
            + "; gives free memory back to its host" * gives_memory_back())


class Cores:
    """Whether a stranger uses the processors' cores too, as core_sharing tells.

    It takes up to half of what a timer's process gets, and comes and goes within seconds. So who
    measures waits for a moment without it, and measures again what it has disturbed."""

    ATTEMPTS = 4
    SECONDS_TO_WAIT = 5
    SHARED_FROM = 1.15  # of the lowest ratio that was seen on this machine

    def __init__(self, program, log):
        self.command = [str(program)]
        self.log = log
        self.lowest = math.inf
        self.measured = self.disturbed = 0

    def are_shared(self):
        output, trouble = run_program(self.command, 10, self.log)
        if trouble:
            return False
        ratio = float(output)
        self.lowest = min(self.lowest, ratio)
        return ratio > self.SHARED_FROM * self.lowest

    def become_free(self):
        """False: not in time."""
        deadline = time.monotonic() + self.SECONDS_TO_WAIT
        while self.are_shared():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True

    def run_undisturbed(self, run):
        """What `run`, as run_program, returns when nobody shared the cores before it nor after it;
        or at last; or when there was trouble."""
        self.measured += 1
        for _ in range(self.ATTEMPTS):
            begins_alone = self.become_free()
            output, trouble = run()
            if trouble or begins_alone and not self.are_shared():
                return output, trouble
        self.disturbed += 1
        return output, trouble


class Session:
    """Plays every step in rounds, one process at a time, the timers by turns."""

    def __init__(self, options, raw):
        self.options = options
        self.raw = raw
        self.results = Results()
        self.begin = time.monotonic()
        self.cores = Cores(options.dir / "core_sharing", options.log)
        options.log.write_text("")

    def record(self, *row):
        self.results.add(row)
        print(*row, sep="\t", file=self.raw, flush=True)

    def run(self):
        options = self.options
        self.record("fact", "date", time.strftime("%Y-%m-%d"))
        self.record("fact", "machine", machine())
        peers = self.find_peers()
        only = [*options.workloads, *options.peers, *["quick"] * options.quick]
        self.record("fact", "rounds", ", ".join([str(options.rounds), *only]))
        plays = [(step, turn, peer) for step in STEPS for turn in range(1, options.rounds + 1)
                 for peer in peers if can(peer, step.needs)
                 if set(step.workloads.split(",")) & set(options.workloads or WORKLOADS)]
        given_up = set()
        for number, (step, turn, peer) in enumerate(plays, 1):
            progress = f"{number} of {len(plays)}"
            if (step, peer) not in given_up and not self.play(step, turn, peer, progress):
                given_up.add((step, peer))
        if self.cores.lowest < math.inf:
            self.record("fact", "cores used by others too",
                        f"during {self.cores.disturbed} of {self.cores.measured} processes")
        return self.results

    def call(self, peer, *arguments):
        options = self.options
        java = f"{shlex.quote(options.java)} {options.java_options}"
        command = PEERS[peer].command.format(dir=shlex.quote(str(options.dir)), java=java)
        return run_program(shlex.split(command) + list(arguments), options.limit, options.log)

    def call_in_alike_memory(self, peer, *arguments):
        leave_alike_memory(self.options.touch)
        return self.call(peer, *arguments)

    def find_peers(self):
        answers = {peer: self.call(peer, "--version") for peer in self.options.peers or PEERS}
        found = [peer for peer, (version, trouble) in answers.items() if version and not trouble]
        missing = ", ".join(PEERS[peer].title for peer in answers if peer not in found)
        if not found:
            raise SystemExit(f"bench-peers: no timer is built in {self.options.dir}")
        for peer in found:
            self.record("fact", PEERS[peer].title, answers[peer][0].splitlines()[0])
        if missing:
            self.record("fact", "left out, not here", missing)
            print("bench-peers: left out, not here:", missing, file=sys.stderr)
        return found

    def play(self, step, turn, peer, progress):
        """False: it has failed or taken too long, and is not tried again."""
        digits, zeros = step.size.split("e")
        size = f"{digits}e{max(int(zeros) - 2, 0)}" if self.options.quick else step.size
        print(f"bench-peers: {progress}, {(time.monotonic() - self.begin) / 60:.0f} min: "
              f"{step.workloads} {step.mode} {size}, round {turn}, {peer}", file=sys.stderr)
        arguments = [step.workloads.split(",")[0], step.mode, size]
        if self.options.quick:
            output, trouble = self.call(peer, *arguments, "--quick")
        else:
            output, trouble = self.cores.run_undisturbed(
                lambda: self.call_in_alike_memory(peer, *arguments))
        if trouble:
            self.record(turn, peer, step.workloads, f"{step.mode} {size}", "trouble", trouble)
            return False
        for line in output.splitlines():
            self.record(turn, peer, *line.split("\t"))
        return True


def table(results, peers, columns):
    """A row for each line of the peers; a column for each title and function of line and figure."""
    rows = [["", "parameter", "figures", *columns], ["---"] * (len(columns) + 3)]
    for line, figures in results.lines():
        figures = [f for f in figures if any(results.values(peer, line, f) for peer in peers)]
        cells = [[column(line, figure) for figure in figures] for column in columns.values()]
        if figures:
            rows.append([*line, *map("<br>".join, [figures, *cells])])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def report_on(results, reference, peers):
    columns = {PEERS[peer].title: functools.partial(results.summary, peer) for peer in peers}
    text = f"\n## Beside {PEERS[reference].title}\n\n{table(results, peers, columns)}"
    for turn, peer, workloads, parameter, _, trouble in results.troubles:
        if peer in peers:
            text += f"\n{PEERS[peer].title}, {workloads} {parameter}, round {turn}: {trouble}.\n"
    for our in [peer for peer in peers if can(peer, "ours")]:
        columns = {"goal": functools.partial(results.goal_text, our)}
        for other in [peer for peer in peers if not can(peer, "ours")]:
            columns[PEERS[other].title] = functools.partial(results.ratio_text, our, other)
        text += f"\n## {PEERS[our].title}, by each of the others\n\n"
        text += table(results, [our], columns)
    return text


def report(results, pictures):
    text = (f"# jtimer beside other timers: the last run\n\n{results.goals_text()}\n\n"
            "|  |  |\n| --- | --- |\n")
    text += "".join(f"| {name} | {value} |\n" for name, value in results.facts.items())
    for reference in dict.fromkeys(peer.reference for peer in PEERS.values()):
        if results.peers(reference):
            text += report_on(results, reference, results.peers(reference))
    return text + "".join(f"\n![]({picture})\n" for picture in pictures)


def print_results(results):
    print(*map(": ".join, results.facts.items()), sep="\n")
    for line, figures in results.lines():
        for figure in figures:
            print("\n" + " ".join(line), figure)
            for peer in PEERS:
                if results.values(peer, line, figure):
                    print(f"    {peer:<16} {results.summary(peer, line, figure)}")
    for turn, peer, workloads, parameter, _, trouble in results.troubles:
        print(f"\n{PEERS[peer].title}, {workloads} {parameter}, round {turn}: {trouble}")


def data_of(results, picture):
    """Its first column, the lines' names, and a column for each timer that has any values."""
    figure, peers = picture.figure, results.peers(PEERS[picture.peer].reference)
    if picture.kind == "ratios":
        lines = [key[1:] for key in GOALS if key[0] == picture.peer]
        names = [f'"{" ".join(line)} {what}"' for line, what in lines]
        columns = {peer: [results.ratio(picture.peer, peer, *line) for line in lines]
                   for peer in peers if not can(peer, "ours")}
    else:
        pattern = re.escape(f"{picture.workload} {picture.parameter}").replace(r"\*", "(.*)")
        matches = {line: re.fullmatch(pattern, " ".join(line)) for line, _ in results.lines()}
        names = [match[1] for match in matches.values() if match]
        columns = {peer: [statistics.median(results.values(peer, line, figure) or [math.nan])
                          for line, match in matches.items() if match] for peer in peers}
    return names, {peer: columns[peer] for peer in columns
                   if not all(map(math.isnan, columns[peer]))}


def draw_pictures(results, folder, options):
    """The files that were drawn. Their data stay in the programs' folder."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    for picture, (names, columns) in [(one, data_of(results, one)) for one in PICTURES]:
        if not columns:
            continue
        data = options.dir / f"{picture.name}.tsv"
        titles = [f'"{PEERS[peer].title}"' for peer in columns]
        rows = [["line", *titles], *zip(names, *columns.values())]
        data.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
        settings = (f"svg='{folder / picture.name}.svg'; data='{data}'; columns={1 + len(columns)}; "
                    f"name='{picture.title}'")
        command = [options.gnuplot, "-e", settings, HERE / f"{picture.kind}.gnuplot"]
        _, trouble = run_program(command, 60, options.log)
        if trouble:
            print(f"{options.gnuplot}: {trouble}, see {options.log}", file=sys.stderr)
        else:
            drawn.append((folder / f"{picture.name}.svg").resolve())
    return drawn


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--rounds", type=int, default=8, help="how often each is run (%(default)s)")
    add("--workloads", nargs="+", choices=WORKLOADS, default=[], metavar="W1", help="only these")
    add("--peers", nargs="+", choices=list(PEERS), default=[], metavar="jtimer", help="only these")
    add("--quick", action="store_true", help="a hundredth of the work: the figures say nothing")
    add("--limit", type=int, default=120, help="seconds for one process (%(default)s)")
    add("--touch", type=int, default=256, metavar="MIB",
        help="memory to touch and free before each process: more than a cache (%(default)s)")
    add("--report-only", action="store_true", help="report what DIR/raw.tsv holds")
    add("--dir", type=Path, default="build/bench-peers", help="of the programs, for raw.tsv")
    add("--java", default="java", help="the program")
    add("--java-options", default=JAVA_OPTIONS, help="(%(default)s)")
    add("--gnuplot", default="gnuplot", help="the program")
    options = parser.parse_args()
    options.log = options.dir / "errors.log"
    return options


def main():
    options = parse()
    raw = options.dir / "raw.tsv"
    if options.report_only:
        results = Results(line.split("\t") for line in raw.read_text().splitlines())
    else:
        with open(raw, "w") as file:
            results = Session(options, file).run()
    print_results(results)
    pictures = draw_pictures(results, options.dir / "pictures", options)
    page = options.dir / "report.md"
    page.write_text(report(results, pictures))
    print(f"\nbench-peers: the tables are in {page}")


if __name__ == "__main__":
    main()
