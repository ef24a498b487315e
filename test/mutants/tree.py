# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
"""The tests, built once without a mutant; and with one, as far as it changes them."""
import filecmp
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Tree:
    """A copy of the sources, built without a mutant, with the settings of make that are given. What
    differs with a mutant is built beside it, in build/mutant-N, by the same commands. Several threads may
    each play a mutant, with different N."""

    def __init__(self, path, settings, tests, arguments=None):
        """\param arguments by the name of a program"""
        self.path, self.settings, self.tests, self.arguments = path, settings, tests, arguments or {}
        self.build = "build/thread" if "SANITIZE=thread" in settings else "build"
        self.lock, self.built = threading.Lock(), set()  # guards what make builds
        self.trying = threading.Lock()  # guards took, alone, and the commands that works() changes
        # How long each test takes without a mutant, in seconds; None if it fails; and its program for
        # that. The times are kept in a file.
        self.took, self.alone, self.tries = {}, {}, path / "tries.json"
        self.tried = json.loads(self.tries.read_text()) if self.tries.exists() else {}
        # Only what differs is written, so that a second run builds little.
        for file in subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).split("\n"):
            if file and (ROOT / file).is_file():
                copy = path / file
                if not copy.exists() or copy.read_bytes() != (ROOT / file).read_bytes():
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(ROOT / file, copy)
        listed = self.make("-n", "-B", "V=1", *map(self.program, self.tests)).replace("\\\n", " ")
        # The command that makes each object, archive and program.
        self.commands = {match[1] or match[2]: match[0] for match in re.finditer(
            r"^.*\s-o (build/\S+)$|^rm .* rcs (\S+) .*$", listed, re.MULTILINE)}
        self.expected = {program.split()[0]: seconds for program, seconds in self.tried.items()}

    def run(self, command):
        return subprocess.run(command, shell=True, cwd=self.path, capture_output=True).returncode == 0

    def program(self, test):
        return f"{self.build}/{test[:-4]}"

    def make(self, *goals):
        # With a sanitizer too, whatever it then warns of.
        done = subprocess.run(["make", "PRECOMPILED=yes", *self.settings, *goals], cwd=self.path,
                              capture_output=True, text=True, env=dict(os.environ, MAKEFLAGS="", MAKELEVEL="0"))
        if done.returncode != 0:
            sys.exit(f"without a mutant, the tests do not build:\n{done.stderr[-2000:]}")
        return done.stdout

    def works(self, test):
        """Whether it passes without a mutant; also measures how long it takes. LeakSanitizer lets a
        forked child hang that starts a thread: a test of that is linked without it."""
        with self.trying:
            if test not in self.took:
                self.alone[test] = program = self.program(test)
                took, command = self.time_of(program), self.commands[program]
                if took is None and "-fsanitize=leak" in command:
                    self.commands[program] = command = command.replace("-fsanitize=leak", "")
                    self.alone[test] = f"{program}-without-leak"
                    self.run(command.replace(f"-o {program}", f"-o {self.alone[test]}"))
                    took = self.time_of(self.alone[test])
                if took is None:
                    print(f"without a mutant: {test} failed, and is not run", flush=True)
                self.took[test] = self.expected[program] = took
            return self.took[test] is not None

    def time_of(self, program):
        key = f"{program} {(self.path / program).stat().st_mtime_ns}"
        if key not in self.tried:
            begin = time.monotonic()
            works = self.passes(program, 600) or self.passes(program, 600)
            with self.lock:
                self.tried[key] = time.monotonic() - begin if works else None
                self.tries.write_text(json.dumps(self.tried))
        return self.tried[key]

    def build_tests(self, tests):
        with self.lock:
            if not self.built.issuperset(tests):
                self.make("-s", *map(self.program, tests))
                self.built.update(tests)

    def passes(self, program, seconds):
        """Whether it does so; None if it takes longer."""
        # ThreadSanitizer of older compilers needs addresses that are not scattered, as in run_tests.sh.
        # A mutant may also allocate without end; LeakSanitizer's own address space is larger.
        prefix = ["setarch", "-R"] if self.build == "build/thread" else ["prlimit", "--data=3000000000"]
        environment = dict(os.environ, TSAN_OPTIONS="halt_on_error=1 hard_rss_limit_mb=3000")
        # It ends the test with its children, also if this script is killed.
        command = ["timeout", "-s", "KILL", str(seconds), *prefix, f"./{program}",
                   *self.arguments.get(pathlib.PurePath(program).name, []), "--log_level=nothing", "--report_level=no"]
        code = subprocess.run(command, cwd=self.path, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
        return None if code == -signal.SIGKILL else code == 0

    def fails(self, test, program):
        """Processors that are busy with something else let a test fail too, or take too long. So it
        must fail twice, and then pass without the mutant; if time ran out, in a quarter of it."""
        seconds = max(min(10 + 10 * self.took[test], 120), 6 * self.took[test])
        ends = [self.passes(program, seconds)]
        if not ends[0]:
            ends.append(self.passes(program, seconds))
        return not any(ends) and bool(self.passes(self.alone[test], seconds / 4 if None in ends else 600))

    def tests_for(self, mutant, folders, kills):
        """First those named after the file; then those that have killed most in the least time."""
        stem = pathlib.PurePath(mutant.file).stem
        return sorted((test for test in self.tests if test.split("/")[1] in folders), key=lambda test: (
            stem not in test, -(kills[test] + 0.5) / (0.2 + (self.expected.get(self.program(test)) or 5))))

    def killer_of(self, mutant, folders, kills, number):
        """The test that fails; or `does not compile`; or `same program`; or None."""
        changed = Changed(self, mutant, f"build/mutant-{number}")
        tests, same = self.tests_for(mutant, folders, kills), True
        for some in [tests[:2], *(tests[first:first + 8] for first in range(2, len(tests), 8))]:
            self.build_tests(some)
            for test in filter(self.works, some):
                program = changed.made(self.program(test))
                if program is None:
                    return "does not compile"
                if program != self.program(test):
                    same = False
                    if self.fails(test, program):
                        return test
        return "same program" if same else None


class Changed:
    """What a mutant changes of a tree's objects, archives and programs."""

    def __init__(self, tree, mutant, folder):
        self.tree, self.mutant, self.folder, self.names = tree, mutant, folder, {}
        shutil.rmtree(tree.path / folder, ignore_errors=True)
        lines = (tree.path / mutant.file).read_text().split("\n")
        lines[mutant.line] = mutant.new
        copy = tree.path / folder / mutant.file
        copy.parent.mkdir(parents=True)
        copy.write_text("\n".join(lines))

    def inputs(self, target):
        return [name for name in re.findall(r"\S+\.[oa]\b", self.tree.commands[target])
                if name in self.tree.commands and name != target]

    def depends(self, target):
        return self.mutant.file in (self.tree.path / target).with_suffix(".d").read_text().split()

    def made(self, target):
        """The name of the changed target; or its own, if it does not change; or None."""
        if target not in self.names:
            self.names[target] = self.make(target)
        return self.names[target]

    def make(self, target):
        command = self.tree.commands[target]
        if target.endswith(".o"):
            if not self.depends(target):
                return target
            for folder in ("lib", "include", "."):
                command = command.replace(f" -I{folder} ", f" -I{self.folder}/{folder} -I{folder} ")
            command = command.replace(f" -c {self.mutant.file} ", f" -c {self.folder}/{self.mutant.file} ")
            command = command.replace(" -MMD -MP", f" -ffile-prefix-map={self.folder}/=")
        else:
            names = {name: self.made(name) for name in self.inputs(target)}
            if None in names.values():
                return None
            if all(name == made for name, made in names.items()):
                return target
            command = re.sub(r"\S+\.[oa]\b", lambda match: names.get(match[0], match[0]), command)
        made = f"{self.folder}/{target}"
        (self.tree.path / made).parent.mkdir(parents=True, exist_ok=True)
        command = re.sub(rf"(?<=\s){re.escape(target)}(?=\s|$)", made, command)
        if not self.tree.run(command):
            return None
        return target if filecmp.cmp(self.tree.path / target, self.tree.path / made, False) else made
