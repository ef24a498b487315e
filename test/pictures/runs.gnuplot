# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# Runs as bars on a line of time, from lines `row begin end due`, with a tick where each was due. `rows`
# is how many rows there are, `names` their names from the lowest to the highest.
set terminal svg size 800,120+45*rows font 'sans-serif,14'
load style
set xlabel 'ms'
set xrange [-10:935]
set yrange [0.4:rows+0.6]
set xtics 0,100,900
set ytics ()
do for [row=1:rows] { set ytics add (sprintf('%s', word(names, row)) row) }
set grid noytics
set style fill solid 0.85 border rgb '#ffffff'
plot data using 2:1:2:3:($1-0.28):($1+0.28) with boxxyerrorbars linecolor rgb blue title 'a run', \
    data using 4:1:4:4:($1-0.42):($1+0.42) with boxxyerrorbars fillstyle empty border rgb orange \
        linewidth 2 linecolor rgb orange title 'it was due'
