# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# The same as cost.gnuplot for four of its timers, each with its name at the end of its curve.
set terminal svg size 800,320 font 'sans-serif,14'
load style
set xlabel 'pending tasks'
set ylabel 'ns for a call of schedule'
set logscale xy
set xrange [9000:1100000]
set yrange [20:20000]
set xtics ('10,000' 1e4, '100,000' 1e5, '1,000,000' 1e6)
set ytics ('20' 20, '100' 100, '1,000' 1e3, '10,000' 1e4)
set rmargin 18
unset key
set datafile separator "\t"
array shown[4] = ['jtimer', 'jdk-timer', 'asio', 'poco']
array labels[4] = ['jtimer::Timer', 'JDK Timer', 'Asio', 'Poco']
array colours[4] = [blue, orange, green, purple]
array offset[4] = [-0.5, 0.5, 0, 0]
pending(i) = strcol(1) eq shown[i] ? column(3) : NaN
last(i) = strcol(1) eq shown[i] && column(3) == 1e6 ? column(3) : NaN
plot for [i=1:4] data using (pending(i)):4 with linespoints linewidth (i == 1 ? 3 : 1.5) \
        linecolor rgb colours[i] pointsize 0.6 pointtype 7, \
    for [i=1:4] data using (last(i)):4:(labels[i]) with labels left offset 1,offset[i] \
        textcolor rgb colours[i]
