# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# Costs by size, a curve for each timer. bench_peers.py sets `svg`, `data`, `columns` and `name`; the
# columns are the size and then the timers, jtimer's first.
set terminal svg size 1000,560 background 'white'
set output svg
set title name
set logscale xy
set xlabel 'pending tasks'
set ylabel 'ns'
set format x '10^{%T}'
set key outside right
set grid
set datafile missing 'nan'
plot for [i=2:columns] data using 1:i with linespoints lw (i == 2 ? 3 : 1) \
    title columnheader(i)
