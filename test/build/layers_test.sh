#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# The picture in doc/internals/design.md: each folder of lib includes only those below it, and no room
# another room. A folder that is not named here fails, too.
set -u

# folder: what it may include besides itself
layers='
sync:
calendar:
clock: sync calendar
thread: sync clock
data: sync clock thread
jdk: sync clock thread data
netty: sync clock thread data
brpc: sync clock thread data
go: sync clock thread data
tokio: sync clock thread data
cluster: sync
'

passed=0
failed=0
for folder in lib/*/; do
    folder=$(basename "$folder")
    allowed=$(echo "$layers" | sed -n "s/^$folder://p")
    if ! echo "$layers" | grep -q "^$folder:"; then
        echo "FAILED: lib/$folder has no place in the picture of doc/internals/design.md"
        failed=$((failed + 1))
        continue
    fi
    wrong=$(grep -n '^#include "' lib/"$folder"/* | while IFS= read -r line; do
        included=${line##*#include \"}
        case " $folder $allowed " in *" ${included%%/*} "*) ;; *) echo "$line" ;; esac
    done)
    if [ -z "$wrong" ]; then
        passed=$((passed + 1))
    else
        echo "FAILED: lib/$folder may include $folder $allowed only:"
        echo "$wrong"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
