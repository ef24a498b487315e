# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
"""PostgreSQL's server programs for tests that start many servers."""
import atexit
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile

from tree import ROOT

# test/cluster/server.cpp calls it as `initdb -D DATA OPTION...`, always with the same options.
INITDB = """#!/bin/sh
data=$2
shift 2
if [ ! -d {folder}/data ]; then
    {real}/initdb -D {folder}/data.$$ "$@" || exit
    mv -T {folder}/data.$$ {folder}/data || [ -d {folder}/data ] || exit
fi
cp -R {folder}/data "$data"
"""


def user_of_servers():
    """As which test/cluster/server.cpp runs them, if it is root."""
    known = {user.pw_name for user in pwd.getpwall()}
    return next(name for name in ("postgres", "nobody") if name in known)


def provide():
    """Has the tests copy the files of the first server for each other one, which takes half of the time
    that a server needs to start. The folder for that is removed at the end."""
    real = subprocess.check_output(["build-aux/find-postgres"], cwd=ROOT, text=True).strip()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="jtimer-postgres."))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    initdb = folder / "initdb"
    initdb.write_text(INITDB.format(folder=folder, real=real))
    for program in ("pg_ctl", "postgres"):
        (folder / program).symlink_to(f"{real}/{program}")
    for path in (folder, initdb):
        path.chmod(0o755)
    if os.getuid() == 0:
        shutil.chown(folder, user_of_servers())
    os.environ["PG_BINDIR"] = str(folder)
