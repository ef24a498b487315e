#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# draw.sh RECORDER [NAME...]: draws these pictures of doc/pictures, by default all of them, from what
# RECORDER prints, for `cost` the programs in the folder PEERS, and for `watch` RUN_SCHEDULE; that is
# kept in test/pictures/data. With RECORD=no, from what is there. GNUPLOT and PYTHON are the programs.
set -eu

recorder=$1
shift
[ $# -gt 0 ] || set -- rates missed-runs ties wheel lateness cost schedule watch
scripts=$(dirname "$0")
data=$scripts/data
svg=$(mktemp)
trap 'rm -f "$svg"' EXIT

# Texts and axes are black for gnuplot. They take the reader's colour, as a browser knows it.
style='<style>svg { color: #1f2328 } @media (prefers-color-scheme: dark) { svg { color: #e6edf3 } }</style>'
# The title, which browsers show beside the pointer, is what the page says of the picture.
title() { # NAME
    sed -n "s|.*!\[\(.*\)\](.*pictures/$1\.svg).*|\1|p" README.md doc/*.md | head -n 1
}
follow_the_reader() { # NAME
    sed -e "s|<title>Gnuplot</title>|<title>$(title "$1")</title>|" -e "s|<desc>.*|$style|" -e "s/ color=\"black\"//g" \
        -e "s/\"black\"/\"currentColor\"/g" -e "s/'black'/'currentColor'/g"
}

record() {
    case $1 in
    cost) "$PYTHON" "$scripts/cost.py" "$PEERS" ;;
    watch) "$PYTHON" "$scripts/watch.py" record "$RUN_SCHEDULE" tools/run_schedule/demo.schedule ;;
    *) "$recorder" "$1" ;;
    esac
}

for name; do
    # A record that was interrupted replaces none.
    [ "${RECORD:-yes}" = no ] || [ "$name" = schedule ] || { record "$name" >"$svg" && cp "$svg" "$data/$name.tsv"; }
    script=$name
    settings="style='$scripts/style.gnuplot'; data='$data/$name.tsv'; svg='$svg'"
    case $name in
    rates) script=runs settings="$settings; rows=2; names='\"fixed rate\" \"fixed delay\"'" ;;
    schedule) settings="style='$scripts/style.gnuplot'; data='$data/cost.tsv'; svg='$svg'" ;;
    missed-runs) script=runs settings="$settings; rows=3; names='Once Skip Burst'" ;;
    esac
    case $name in
    watch) "$PYTHON" "$scripts/watch.py" draw "$data/$name.tsv" "$svg" ;;
    *) $GNUPLOT -e "$settings" "$scripts/$script.gnuplot" ;;
    esac
    follow_the_reader "$name" <"$svg" >"doc/pictures/$name.svg"
    echo "doc/pictures/$name.svg"
done
