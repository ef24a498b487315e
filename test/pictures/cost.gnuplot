# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# What a call of schedule costs by number of pending tasks: a curve for each timer that cost.py has
# measured. jtimer's are thick, and their originals dashed in the same colour.
set terminal svg size 800,480 font 'sans-serif,14'
load style
set xlabel 'pending tasks'
set ylabel 'ns for a call of schedule'
set logscale xy
set xrange [9000:1100000]
set yrange [20:10000]
set xtics ('10,000' 1e4, '100,000' 1e5, '1,000,000' 1e6)
set ytics ('20' 20, '50' 50, '100' 100, '200' 200, '500' 500, '1,000' 1e3, '2,000' 2e3, '5,000' 5e3, '10,000' 1e4)
set key outside right center vertical samplen 3
grey = '#888888'
colour(name) = name eq 'jtimer' || name eq 'jdk-timer' ? blue \
    : name eq 'netty-wheel' || name eq 'netty' ? orange \
    : name eq 'jtimer-brpc' ? green \
    : name eq 'jtimer-go' || name eq 'go' ? purple \
    : name eq 'jtimer-tokio' || name eq 'tokio' ? red : grey
ours(name) = name[1:6] eq 'jtimer' || name eq 'netty-wheel'
dash(name) = colour(name) ne grey && !ours(name) ? 2 : 1  # in brackets it would be a pattern
set datafile separator "\t"
names = system("cut -f 1 '" . data . "' | uniq")
title_of(name) = system("awk -F '\t' '$1 == \"" . name . "\" { print $2; exit }' '" . data . "'")
point(name) = name eq 'jdk-executor' ? 4 : name eq 'poco' ? 6 : name eq 'asio' ? 8 \
    : name eq 'boost-executor' ? 10 : name eq 'libuv' ? 12 : 7
pending(name) = strcol(1) eq name ? column(3) : 1 / 0
plot for [name in names] data using (pending(name)):4 with linespoints \
    linewidth (ours(name) ? 3 : 1.5) dashtype dash(name) \
    linecolor rgb colour(name) pointsize 0.6 pointtype point(name) title title_of(name)
