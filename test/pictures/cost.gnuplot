# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# What a call of schedule costs by number of pending tasks: a curve for each timer that cost.py has
# measured, with its name at its end. jtimer's are thick, and their originals dashed in the same colour.
set terminal svg size 800,560 font 'sans-serif,14'
load style
set xlabel 'pending tasks'
set ylabel 'ns for a call of schedule'
set logscale xy
set xrange [9000:1000000]
set yrange [20:10000]
set xtics ('10,000' 1e4, '100,000' 1e5, '1,000,000' 1e6)
set ytics ('20' 20, '50' 50, '100' 100, '200' 200, '500' 500, '1,000' 1e3, '2,000' 2e3, '5,000' 5e3, '10,000' 1e4)
set rmargin 23
unset key
grey = '#888888'
colour(name) = name eq 'jtimer' || name eq 'jdk-timer' ? blue \
    : name eq 'netty-wheel' || name eq 'netty' ? orange \
    : name eq 'jtimer-brpc' ? green \
    : name eq 'jtimer-go' || name eq 'go' ? purple \
    : name eq 'jtimer-tokio' || name eq 'tokio' ? red : grey
ours(name) = name[1:6] eq 'jtimer' || name eq 'netty-wheel'
dash(name) = colour(name) ne grey && !ours(name) ? 2 : 1  # in brackets it would be a pattern
set datafile separator "\t"

# From the lowest end to the highest. Names that would overlap are moved apart: `gap` is their least
# distance in decades. Of the two ways to do so, only up and only down, they take the middle.
ends = "awk -F '\t' '$3 == \"1e6\"' '" . data . "' | sort -t '\t' -g -k 4 | cut -f "
names = system(ends . 1)
height = system(ends . 4)
count = words(names)
title_of(name) = name eq 'jtimer' ? 'jtimer::Timer' \
    : system("awk -F '\t' '$1 == \"" . name . "\" { print $2; exit }' '" . data . "'")
end(i) = real(word(height, i))
gap = 0.105
array up[count]
array down[count]
do for [i=1:count] { up[i] = i == 1 || log10(end(i)) > up[i-1] + gap ? log10(end(i)) : up[i-1] + gap }
do for [k=1:count] {
    i = count + 1 - k
    down[i] = k == 1 || log10(end(i)) < down[i+1] - gap ? log10(end(i)) : down[i+1] - gap
}
do for [i=1:count] {
    name = word(names, i)
    y = 10 ** ((up[i] + down[i]) / 2)
    set arrow from first 1e6, first end(i) to graph 1.05, first y nohead linewidth 0.8 linecolor rgb colour(name)
    set label (ours(name) ? '{/:Bold ' . title_of(name) . '}' : title_of(name)) at graph 1.06, first y left \
        textcolor rgb colour(name)
}
point(name) = name eq 'jdk-executor' ? 4 : name eq 'poco' ? 6 : name eq 'asio' ? 8 \
    : name eq 'boost-executor' ? 10 : name eq 'libuv' ? 12 : 7
pending(name) = strcol(1) eq name ? column(3) : 1 / 0
plot for [name in names] data using (pending(name)):4 with linespoints \
    linewidth (ours(name) ? 3 : 1.5) dashtype dash(name) \
    linecolor rgb colour(name) pointsize 0.6 pointtype point(name)
