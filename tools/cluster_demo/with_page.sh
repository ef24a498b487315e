#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# The demo, and meanwhile a page of its cluster, whose address it prints first:
#
#     with_page.sh JTIMER_CLUSTER CLUSTER_DEMO
set -u

said=$(mktemp) || exit 1
page=
trap '[ -z "$page" ] || kill "$page" 2>/dev/null; wait; rm -f "$said"' EXIT
trap 'exit 1' HUP INT TERM

"$1" migrate >/dev/null && "$1" keep-history all >/dev/null || exit 1
# The system chooses a port that is free.
"$1" serve --listen 127.0.0.1:0 >/dev/null 2>"$said" &
page=$!
until grep -q http "$said"; do
    kill -0 "$page" 2>/dev/null || break  # built without HTTP
    sleep 0.05
done
sed -n 's|.*\(http://[^ ]*\).*|In a browser, for 15 seconds: \1?refresh=5|p' "$said"
"$2"
