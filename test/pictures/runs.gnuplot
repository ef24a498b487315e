# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# Runs as bars on a line of time, from lines `row begin end number`. `rows` is how many rows there are,
# `names` their names from the lowest to the highest. Every second run is orange, so that runs
# without a pause between them can be told apart.
set terminal svg size 800,100+45*rows font 'sans-serif,14'
load style
set xlabel 'ms'
set xrange [-10:935]
set yrange [0.4:rows+0.6]
set xtics 0,100,900
set ytics ()
do for [row=1:rows] { set ytics add (sprintf('%s', word(names, row)) row) }
set grid noytics
set style fill solid 0.9 noborder
plot for [parity=0:1] data using (int($4) % 2 == parity ? $2 : NaN):1:2:3:($1-0.28):($1+0.28) \
    with boxxyerrorbars linecolor rgb (parity == 1 ? blue : orange) notitle
