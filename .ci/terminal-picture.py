#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws captured terminal output as an SVG picture.

usage: terminal-picture.py [--title TEXT] <captured.txt >picture.svg

Understands what our programs print: SGR colours (bold, dim, the 16 basic ones), carriage return,
cursor up and erase, and draws what a terminal would have on its screen at the end.
"""
import argparse
import re
import sys
from xml.sax.saxutils import escape

COLORS = ["#484f58", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#76e3ea", "#c9d1d9",
          "#6e7681", "#ffa198", "#aff5b4", "#f2cc60", "#a5d6ff", "#e2c5ff", "#b3f0ff", "#ffffff"]
INK, PAPER, BAR = "#c9d1d9", "#0d1117", "#161b22"
CELL, LINE, MARGIN, TOP = 8.4, 19, 16, 44
FONT = "ui-monospace, 'DejaVu Sans Mono', 'Liberation Mono', Menlo, Consolas, monospace"


def next_style(style, codes):
    """style is (colour or None, bold, dim)."""
    color, bold, dim = style
    for code in [int(c or 0) for c in codes.split(";")]:
        if code == 0:
            color, bold, dim = None, False, False
        elif code == 1:
            bold = True
        elif code == 2:
            dim = True
        elif code == 22:
            bold, dim = False, False
        elif code == 39:
            color = None
        elif 30 <= code <= 37:
            color = COLORS[code - 30]
        elif 90 <= code <= 97:
            color = COLORS[code - 82]
    return color, bold, dim


def screen(text):
    """Lines of (character, style) cells, as they stand when all is printed."""
    plain = (None, False, False)
    style, lines, row, column = plain, [[]], 0, 0
    for token in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|[^\x1b]", text):
        line = lines[row]
        if token == "\n":
            row, column = row + 1, 0
            if row == len(lines):
                lines.append([])
        elif token == "\r":
            column = 0
        elif token.startswith("\x1b"):
            if token[-1] == "m":
                style = next_style(style, token[2:-1])
            elif token[-1] == "A":
                row = max(0, row - int(token[2:-1] or 1))
            elif token[-1] in "JK":
                del line[column:]
                if token[-1] == "J":
                    del lines[row + 1:]
        else:
            line.extend([(" ", plain)] * (column - len(line)))
            line[column:column + 1] = [(token, style)]
            column += 1
    while lines and not lines[-1]:
        lines.pop()
    return lines


def spans(line):
    """Runs of equal style: (column, text, style)."""
    start = 0
    for i in range(1, len(line) + 1):
        if i == len(line) or line[i][1] != line[start][1]:
            yield start, "".join(c for c, _ in line[start:i]), line[start][1]
            start = i


def draw(lines, title):
    columns = max([60] + [len(line) for line in lines])
    width, height = columns * CELL + 2 * MARGIN, TOP + len(lines) * LINE + MARGIN
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
           f'width="{width:.0f}" height="{height:.0f}" role="img">',
           f"<title>{escape(title)}</title>",
           f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>',
           f'<path d="M0 30V8a8 8 0 0 1 8-8h{width - 16:.0f}a8 8 0 0 1 8 8v22z" fill="{BAR}"/>']
    out += [f'<circle cx="{18 + 18 * i}" cy="15" r="5" fill="{color}"/>'
            for i, color in enumerate(["#ff5f56", "#ffbd2e", "#27c93f"])]
    out.append(f'<g font-family="{FONT}" font-size="14" fill="{INK}">')
    out.append(f'<text x="{width / 2:.0f}" y="20" text-anchor="middle" font-size="12" '
               f'fill="#8b949e">{escape(title)}</text>')
    for row, line in enumerate(lines):
        for column, text, (color, bold, dim) in spans(line):
            column += len(text) - len(text.lstrip())
            text = text.strip().replace(" ", "\u00a0")
            if not text:
                continue
            look = f' fill="{color}"' if color else ""
            look += ' font-weight="bold"' if bold else ""
            look += ' opacity="0.6"' if dim else ""
            out.append(f'<text x="{MARGIN + column * CELL:.1f}" y="{TOP + (row + 0.7) * LINE:.1f}" '
                       f'textLength="{len(text) * CELL:.1f}"{look}>{escape(text)}</text>')
    return "\n".join(out + ["</g>", "</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--title", default="./quickstart")
    arguments = parser.parse_args()
    sys.stdout.write(draw(screen(sys.stdin.read()), arguments.title))


if __name__ == "__main__":
    main()
