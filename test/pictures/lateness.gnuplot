# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# How late the five timers are on one load: five blocks of `share lateness`, of which the picture shows
# the share of those that are later.
set terminal svg size 800,400 font 'sans-serif,14'
load style
set xlabel 'late by more than'
set ylabel 'share of the tasks'
set logscale xy
set xrange [1:20000]
set yrange [0.01:100]
set ytics ('100%%' 100, '10%%' 10, '1%%' 1, '0.1%%' 0.1, '0.01%%' 0.01)
set xtics ('1 us' 1, '10 us' 10, '100 us' 100, '1 ms' 1000, '10 ms' 10000)
colours = blue . ' ' . orange . ' ' . green . ' ' . purple . ' ' . red
array labels[5] = ['Timer', 'netty, ticks of 1 ms', 'brpc', 'go', 'tokio']
set key inside bottom left
later(share) = share < 100 ? 100 - share : NaN
us(column) = column < 1 ? 1 : column
plot for [i=1:4] data index i-1 using (us($2)):(later($1)) with lines linewidth 2 \
        linecolor rgb word(colours, i) title labels[i], \
    data index 4 using (us($2)):(later($1)) with lines linewidth 2 dashtype 2 \
        linecolor rgb word(colours, 5) title labels[5]
