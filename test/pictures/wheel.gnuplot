# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# When time-outs of a wheel run, by their delay: `delay time`. The line below each is its lateness.
set terminal svg size 800,360 font 'sans-serif,14'
load style
set xlabel 'delay in ms'
set ylabel 'ms after the call'
set xrange [-5:505]
set yrange [0:620]
set xtics 100
set ytics 100
plot data using 1:1:(0):($2-$1) with vectors nohead linewidth 1 linecolor rgb blue notitle, \
    data using 1:2 with points pointtype 7 pointsize 0.5 linecolor rgb blue title 'it runs', \
    data using 1:1 with lines linecolor rgb orange title 'it is due'
