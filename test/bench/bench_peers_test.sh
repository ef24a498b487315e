#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# The runner of bench-peers, by its own test: test/bench/peers/bench_peers_test.py.
cd "$(dirname "$0")/peers" || exit 1
exec "${PYTHON:-python3}" bench_peers_test.py
