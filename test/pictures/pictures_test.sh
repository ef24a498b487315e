#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# The pictures in doc/pictures are drawn from test/pictures/data. What the timers do on a ManualClock
# is still the same; `make pictures` draws it anew when it has changed.
set -u

. test/support/cases.sh

pictures_show_what_the_timers_do() {
    for name in rates missed-runs ties wheel; do
        "$BUILD/test/pictures/record" $name | cmp - "test/pictures/data/$name.tsv" || return 1
    done
}

each_picture_is_on_a_page_and_has_data_unless_drawn_by_hand() {
    for picture in doc/pictures/*.svg; do
        name=$(basename "$picture" .svg)
        case $name in schedule) data=cost ;; *) data=$name ;; esac
        test -s "test/pictures/data/$data.tsv" || grep -q 'Drawn by hand' "$picture" || { echo "$picture has no data" && return 1; }
        grep -rqF "pictures/$name.svg)" README.md doc || { echo "$picture is on no page" && return 1; }
    done
}

the_title_of_a_picture_is_what_its_page_says() {
    for picture in doc/pictures/*.svg; do
        title=$(sed -n 's|.*<title>\(.*\)</title>.*|\1|p' "$picture")
        test "${#title}" -ge 20 && grep -rqF "![$title](" README.md doc ||
            { echo "$picture: $title" && return 1; }
    done
}

a_picture_follows_the_readers_colours() {
    for picture in doc/pictures/*.svg; do
        grep -q 'prefers-color-scheme: dark' "$picture" || return 1
        ! grep -q "[\"']black[\"']" "$picture" || { echo "$picture has black text" && return 1; }
    done
}

check pictures_show_what_the_timers_do
check each_picture_is_on_a_page_and_has_data_unless_drawn_by_hand
check the_title_of_a_picture_is_what_its_page_says
check a_picture_follows_the_readers_colours
sum_up
