# Fixed rate beside fixed delay after a stall: a bar for each run.
set terminal svg size 800,230 font 'sans-serif,14' name 'rates'
load style
set title 'A period of 100 ms, runs of 20 ms, and a stall of 350 ms'
set xlabel 'ms'
set xrange [-10:930]
set yrange [0.4:2.6]
set xtics 0,100,900
set ytics ('fixed rate' 1, 'fixed delay' 2)
set style fill solid 0.85 noborder
plot data using 2:1:2:3:($1-0.3):($1+0.3):($3-$2 > 100 ? 1 : 0) with boxxyerrorbars \
    linecolor rgb blue notitle
