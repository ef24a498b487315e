#!/usr/bin/env python3
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
"""The picture of run_schedule --watch.

    watch.py record RUN_SCHEDULE SCHEDULE   prints the last table that it has drawn in five seconds
    watch.py draw DATA SVG                  draws that

A line of the record is the colour of a line of the table, a tab, and its text.
"""

import fcntl
import os
import pty
import re
import struct
import sys
import termios
from xml.sax.saxutils import escape

COLUMNS, ROWS = 96, 24
CHARACTER, LINE, MARGIN = 7.8, 19, 14  # in pixels
COLORS = {"1": "bold", "31": "red", "32": "green"}


def screen_of(program, schedule):
    """What the program writes to a terminal."""
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        os.environ["TERM"] = "xterm"
        os.execv(program, [program, "--watch", "--for", "5s", schedule])
    written = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the child has closed it
            part = b""
        if not part:
            break
        written += part
    os.waitpid(child, 0)
    return written.decode()


def record(program, schedule):
    # A table ends with ESC[J, and each of its lines with ESC[K.
    tables = [table for table in screen_of(program, schedule).split("\x1b[J") if "\x1b[K" in table]
    for line in tables[-1].split("\x1b[K")[:-1]:
        color = re.search(r"\x1b\[(\d+)m", line)
        text = re.sub(r"\x1b\[\d*[A-Za-z]|[\r\n]", "", line)
        print(f"{COLORS[color[1]] if color else 'plain'}\t{text.rstrip()}")


def draw(data, svg):
    # The title and the description are those of gnuplot, which draw.sh replaces.
    with open(data, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t", 1) for line in file]
    width = round(COLUMNS * CHARACTER + 2 * MARGIN)
    height = len(lines) * LINE + 2 * MARGIN
    with open(svg, "w", encoding="utf-8") as file:
        print(f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
              ' xmlns="http://www.w3.org/2000/svg">', file=file)
        print("<title>Gnuplot</title>", file=file)
        print("<desc></desc>", file=file)
        print("<style>text { font: 13px ui-monospace, Consolas, 'DejaVu Sans Mono', monospace;"
              " white-space: pre; fill: currentColor } .bold { font-weight: bold }"
              " .green { fill: #2c8a47 } .red { fill: #c9504b }"
              " rect { fill: none; stroke: #888888 }</style>", file=file)
        print(f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="6"/>', file=file)
        for i, (color, text) in enumerate(lines):
            length = f' textLength="{len(text) * CHARACTER:.1f}"' if text else ""
            print(f'<text class="{color}" x="{MARGIN}" y="{MARGIN + (i + 0.75) * LINE:.1f}"{length}'
                  f' xml:space="preserve">{escape(text)}</text>', file=file)
        print("</svg>", file=file)


if __name__ == "__main__":
    {"record": record, "draw": draw}[sys.argv[1]](*sys.argv[2:])
