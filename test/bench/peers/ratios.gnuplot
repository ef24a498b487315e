# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# Ratios, as bars that begin at 1. bench_peers.py sets `svg`, `data` and `name`; the columns of the
# data are the line of the report and then the ratios to each timer.
set terminal svg size 1000,560 background 'white'
set output svg
set title name
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.8
set xtics rotate by -40 noenhanced
set grid y
set key outside right
set xzeroaxis lt -1
set datafile missing 'nan'
set ytics ()
do for [power=-8:8] {
    set ytics add (sprintf(power < 0 ? '1/%d' : '%d', 2 ** abs(power)) power)
}
plot for [i=2:columns] data using (log(column(i)) / log(2)):xtic(1) title columnheader(i)
