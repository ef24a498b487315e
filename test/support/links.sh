# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# For the test scripts that follow links.
#
# shellcheck shell=sh

# A heading's anchor, as GitHub and Doxygen make it.
anchors() {
    sed -n 's/^##* //p' "$1" | tr '[:upper:] ' '[:lower:]-' | tr -cd 'a-z0-9\n_-'
}

# Whether every link of the pages $@ to a file leads to one, and to a heading of it.
every_link_leads_to_a_file_and_a_heading() {
    for page in "$@"; do
        for link in $(grep -o '](\([^) ]*\))' "$page" | sed 's/^](//; s/)$//'); do
            case $link in *://*) continue ;; esac
            file=${link%%#*}
            file=${file:+$(dirname "$page")/$file}
            : "${file:=$page}"
            test -e "$file" || { echo "$page: there is no $link"; return 1; }
            case $link in *'#'*)
                anchors "$file" | grep -qx "${link#*#}" ||
                    { echo "$page: no heading for $link"; return 1; } ;;
            esac
        done
    done
}
