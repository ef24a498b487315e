#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# The pages of `jtimer-cluster serve` in a browser, beside a server: see page_test.mjs. With an argument it
# takes a picture of the overview instead, into that file.
set -u

: "${BUILD:=build}" "${NODE:=node}" "${CHROMIUM:=chromium}" "${PAGE_TOOLS:=build/page}"
for tool in "$NODE" "$CHROMIUM" psql; do
    command -v "$tool" >/dev/null || { echo "not run: there is no $tool, see \`make deps-page\`"; exit 1; }
done
if ! test -e "$PAGE_TOOLS/node_modules/axe-core"; then
    echo "not run: there is no axe-core in $PAGE_TOOLS: \`make deps-page\` installs it"
    exit 1
fi
export NODE CHROMIUM
PAGE_TOOLS=$(cd "$PAGE_TOOLS" && pwd) TOOL=$(cd "$BUILD" && pwd)/tools/jtimer-cluster
export PAGE_TOOLS TOOL
exec "$BUILD/test/cluster/with_server" sh -c '
    "$TOOL" migrate >/dev/null && psql -qAt -v ON_ERROR_STOP=1 -f test/cluster/page/fixture.sql >/dev/null &&
    exec "$NODE" test/cluster/page/page_test.mjs "$@"' page_test "$@"
