# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# What all pictures share. The variables `data` and `svg` are the files. The background is
# transparent, and `make pictures` gives texts and axes the reader's colour, light or dark.
set output svg
set border 3 linewidth 0.8
set tics nomirror out
set grid linetype 1 linewidth 0.4 linecolor rgb '#888888'
set key tmargin right samplen 2
set title offset 0,0.3
blue = '#3b82c4'
orange = '#d9822b'
green = '#3f9b57'
purple = '#9566c4'
red = '#c9504b'
