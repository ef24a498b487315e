#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# draw.sh RECORDER [NAME...]: draws these pictures of doc/pictures, by default all of them, from what
# RECORDER prints, or for `cost` the programs in the folder PEERS; that is kept in test/pictures/data.
# With RECORD=no, from what is there. GNUPLOT and PYTHON are the programs.
set -eu

recorder=$1
shift
[ $# -gt 0 ] || set -- rates missed-runs ties wheel lateness cost
scripts=$(dirname "$0")
data=$scripts/data
svg=$(mktemp)
trap 'rm -f "$svg"' EXIT

# Texts and axes are black for gnuplot. They take the reader's colour, as a browser knows it.
style='<style>svg { color: #1f2328 } @media (prefers-color-scheme: dark) { svg { color: #e6edf3 } }</style>'
follow_the_reader() {
    sed -e "s|<desc>.*|$style|" -e "s/ color=\"black\"//g" \
        -e "s/\"black\"/\"currentColor\"/g" -e "s/'black'/'currentColor'/g"
}

record() {
    case $1 in
    cost) "$PYTHON" "$scripts/cost.py" "$PEERS" ;;
    *) "$recorder" "$1" ;;
    esac
}

for name; do
    # A record that was interrupted replaces none.
    [ "${RECORD:-yes}" = no ] || { record "$name" >"$svg" && cp "$svg" "$data/$name.tsv"; }
    script=$name
    settings="style='$scripts/style.gnuplot'; data='$data/$name.tsv'; svg='$svg'"
    case $name in
    rates) script=runs settings="$settings; rows=2; names='\"fixed rate\" \"fixed delay\"'" ;;
    missed-runs) script=runs settings="$settings; rows=3; names='Once Skip Burst'" ;;
    esac
    $GNUPLOT -e "$settings" "$scripts/$script.gnuplot"
    follow_the_reader <"$svg" >"doc/pictures/$name.svg"
    echo "doc/pictures/$name.svg"
done
