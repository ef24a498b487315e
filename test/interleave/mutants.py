#!/usr/bin/env python3
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
"""Makes each change listed in mutants.txt to the library, one at a time, in a copy of the sources,
and runs the test of test/interleave named there, which must fail.

    test/interleave/mutants.py [TEST...]      # all, or those of these tests

A line of mutants.txt that begins with ~ is a change after which nothing fails, and says why."""

import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def read_mutants():
    """Yields (file, test, old, new, survives) for each line FILE : TEST : OLD => NEW."""
    with open(os.path.join(HERE, 'mutants.txt')) as lines:
        for number, line in enumerate(lines, 1):
            line = line.rstrip('\n')
            if not line or line.startswith('#'):
                continue
            survives = line.startswith('~')
            line = line.lstrip('~ ').split('   #')[0]
            try:
                path, test, change = line.split(' : ', 2)
                old, new = change.split(' =>', 1)
            except ValueError:
                sys.exit('mutants.txt:%d: not FILE : TEST : OLD => NEW' % number)
            yield path, test, old.replace('\\n', '\n'), new[1:].replace('\\n', '\n'), survives


def mutate(text, old, new):
    """The only place with this text, which may be preceded by where to begin to look: FROM @@ OLD."""
    start = 0
    if ' @@ ' in old:
        mark, old = old.split(' @@ ', 1)
        start = text.find(mark)
        if start < 0:
            return None
    elif text.count(old) != 1:
        return None
    at = text.find(old, start)
    return None if at < 0 else text[:at] + new + text[at + len(old):]


def run(command, tree, seconds):
    environment = dict(os.environ, SIMULATE_SEEDS='20000')
    try:
        return subprocess.run(command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=seconds, env=environment, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, b'', b'')


def copy_build(tree):
    """What is built of it already, which make then finds up to date."""
    for name in ('explored', 'flags', 'obj/explored', 'obj/test/interleave', 'obj/test/support'):
        path = os.path.join(ROOT, 'build', name)
        copy = os.path.join(tree, 'build', name)
        if os.path.isdir(path):
            shutil.copytree(path, copy)
        elif os.path.exists(path):
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copy2(path, copy)


def main():
    wanted = sys.argv[1:]
    tree = tempfile.mkdtemp()
    wrong = 0
    counts = {'killed': 0, 'survives': 0}
    try:
        for name in ('include', 'lib', 'test', 'build-aux'):
            shutil.copytree(os.path.join(ROOT, name), os.path.join(tree, name))
        shutil.copy(os.path.join(ROOT, 'Makefile'), tree)
        copy_build(tree)
        for path, test, old, new, survives in read_mutants():
            if wanted and test.split('/')[0] not in wanted:
                continue
            name, *rooms = test.split('/')
            program = 'build/test/interleave/%s_test' % name
            source = os.path.join(tree, path)
            with open(source) as file:
                text = file.read()
            mutant = mutate(text, old, new)
            if mutant is None:
                print('%-9s %s: %s' % ('NOT FOUND', path, old))
                wrong += 1
                continue
            with open(source, 'w') as file:
                file.write(mutant)
            begin = time.time()
            built = run(['make', '-s', program], tree, 600)
            result = 'NOT BUILT'
            if built.returncode == 0:
                command = [program] + ['--run_test=' + room for room in rooms]
                failed = run(command, tree, 300).returncode != 0
                result = 'killed' if failed else 'survives'
                counts[result] += 1
            with open(source, 'w') as file:
                file.write(text)
            expected = result == ('survives' if survives else 'killed')
            wrong += not expected
            print('%-9s %3.0f s %s: %r => %r%s' % (
                result if expected else result.upper(), time.time() - begin, path, old, new,
                '' if expected else '   <-- not as listed'), flush=True)
    finally:
        shutil.rmtree(tree)
    print('%d killed, %d survive, %d not as listed' % (counts['killed'], counts['survives'], wrong))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
