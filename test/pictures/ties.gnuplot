# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# In which order 64 tasks run that are due at the same millisecond: two blocks of `run call`.
set terminal svg size 800,360 font 'sans-serif,14'
load style
set xlabel 'place of the run'
set ylabel 'place of the schedule call'
set xrange [0:65]
set yrange [0:65]
set xtics 8
set ytics 8
plot data index 0 using 1:2 with points pointtype 7 pointsize 0.5 linecolor rgb blue \
        title 'Ties::Jdk, the default', \
    data index 1 using 1:2 with points pointtype 6 pointsize 0.7 linecolor rgb orange \
        title 'Ties::Fifo'
