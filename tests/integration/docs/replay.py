#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Replays the commands of docs/how-to and compares what they print with what the pages show.

A ```console block holds commands after "$ " and, below each, its output. A line "..." stands for
any lines, or none. All commands of a page share one empty database and run from the source root.
A block headed ```console no-replay is left alone. One headed ```console slurm is replayed only with
--slurm, on the cluster of SLURM_CONF; the try-out's folder is another one then, and times of day and
durations may differ.

  replay.py KNEEPOINT ROOT            compare; exit 1 and show a diff where a page is wrong
  replay.py KNEEPOINT ROOT --slurm    the same for the blocks of Slurm
  replay.py KNEEPOINT ROOT --update   rewrite the pages to what is printed now
  replay.py --self-test               does the comparison see what it must see?
"""

import difflib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ANY = "..."
TIME_LIMIT_S = 600
TRY_FOLDER = "/tmp/kneepoint-try"


def commands_of(lines, kind="console"):
    """(first, last, command, expected lines) for each command; lines[first:last] is its output."""
    found = []
    inside = None
    for number, line in enumerate(lines):
        if line.startswith("```"):
            if inside is not None:
                inside = None
            else:
                inside = line[3:].strip()
            continue
        if inside != kind:
            continue
        if line.startswith("$ "):
            found.append([number + 1, number + 1, line[2:]])
        elif not found or found[-1][1] != number:
            raise SystemExit(f"line {number + 1}: output without a command: {line}")
        else:
            found[-1][1] = number + 1
    return [(first, last, command, lines[first:last]) for first, last, command in found]


def timeless(line):
    """The line without what no two runs on a cluster have in common."""
    line = re.sub(r"\d{4}-\d\d-\d\dT[\d:]+", "TIME", line)
    line = re.sub(r"\b\d+(\.\d+)? node-hours\b", "N node-hours", line)
    return re.sub(r"\b(\d+(\.\d+)? (us|ms|s|min|h)\b ?)+(?=\W|$| )", "N", line)


def matches(expected, printed):
    """Do the lines fit, with ANY for any number of them?"""
    if not expected:
        return not printed
    if expected[0] == ANY:
        return any(matches(expected[1:], printed[skip:]) for skip in range(len(printed) + 1))
    return bool(printed) and expected[0] == printed[0] and matches(expected[1:], printed[1:])


def refreshed(expected, printed):
    """As many lines before the first ANY and after the last as the page showed so far; of those in
    between, the ones that are still printed."""
    if ANY not in expected:
        return printed
    head = expected.index(ANY)
    last = max(i for i, line in enumerate(expected) if line == ANY)
    tail = len(expected) - 1 - last
    if head + tail >= len(printed):
        return printed
    kept = [line for line in expected[head:last] if line == ANY or line in printed]
    middle = [line for i, line in enumerate(kept) if line != ANY or kept[i - 1:i] != [ANY]]
    if middle[-1:] != [ANY]:
        middle.append(ANY)
    new = printed[:head] + middle + (printed[len(printed) - tail:] if tail else [])
    return new if matches(new, printed) else printed[:head] + [ANY] + printed[len(printed) - tail:]


def inside(words, place):
    """Folders of the try-out, inside `place`."""
    return [place + word[len(TRY_FOLDER):] if word.startswith(TRY_FOLDER + "/") else word
            for word in words]


def adapted(words, root, place):
    """Sites of the try-out, with their folder inside `place`."""
    for number, word in enumerate(words):
        path = pathlib.Path(root, word)
        if word.startswith("plans/sites/") and path.is_file():
            copy = pathlib.Path(place, path.name)
            copy.write_text(path.read_text(encoding="utf-8").replace(TRY_FOLDER, place),
                            encoding="utf-8")
            words[number] = str(copy)
    return words


def run(command, kneepoint, root, place, slurm=False):
    words = inside(shlex.split(command), place)
    if slurm:
        words = adapted(words, root, place)
    if words[0] != "kneepoint":
        raise SystemExit(f"only kneepoint can be replayed: {command}")
    environment = {
        "PATH": os.environ.get("PATH", ""),
        "HOME": place,
        "KNEEPOINT_DB": os.path.join(place, "kneepoint.db"),
        "NO_COLOR": "1",
        "LC_ALL": "C.UTF-8",
    }
    environment.update({k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")})
    if slurm:
        environment["SLURM_CONF"] = os.environ["SLURM_CONF"]
    ended = subprocess.run([kneepoint] + words[1:], cwd=root, env=environment, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           stdin=subprocess.DEVNULL, timeout=TIME_LIMIT_S, check=False)
    text = ended.stdout.replace(place + "/", TRY_FOLDER + "/")
    return text.rstrip("\n").split("\n") if text else []


def replay(page, kneepoint, root, update, slurm=False):
    """True: the page shows what is printed."""
    lines = page.read_text(encoding="utf-8").split("\n")
    good = True
    edits = []
    with tempfile.TemporaryDirectory() as place:
        kind = "console slurm" if slurm else "console"
        for first, last, command, expected in commands_of(lines, kind):
            printed = [line.rstrip() for line in run(command, kneepoint, root, place, slurm)]
            if matches(expected, printed) or slurm and matches(
                    [timeless(line) for line in expected], [timeless(line) for line in printed]):
                continue
            good = False
            edits.append((first, last, refreshed(expected, printed)))
            print(f"{page}:{first}: $ {command}")
            print("\n".join(difflib.unified_diff(expected, printed, "the page", "printed",
                                                 lineterm="")))
    if update:
        for first, last, new in reversed(edits):
            lines[first:last] = new
        page.write_text("\n".join(lines), encoding="utf-8")
    return good or update


def self_test():
    assert matches(["a", ANY, "c"], ["a", "b", "b", "c"])
    assert matches(["a", ANY], ["a"])
    assert not matches(["a", ANY, "c"], ["a", "b"])
    assert not matches(["a"], ["a", "b"])
    assert not matches(["a", "b"], ["a"])
    assert refreshed(["a", ANY, "z"], ["1", "2", "3"]) == ["1", ANY, "3"]
    assert refreshed(["a"], ["1", "2"]) == ["1", "2"]
    assert refreshed(["a", ANY, "x", "y", ANY], ["1", "2", "y", "3"]) == ["1", ANY, "y", ANY]
    assert refreshed([ANY, "x", ANY], ["1", "2"]) == [ANY]
    assert refreshed([ANY], ["1"]) == [ANY]
    page = ("text\n```console\n$ kneepoint a\nout\n$ kneepoint b\n```\n"
            "```console no-replay\n$ x\n```")
    assert timeless("at 2026-11-16T18:27:41, 59.7 s; 24 runs") == "at TIME, N; 24 runs"
    assert timeless("1 min 05 s, 0.04 node-hours") == timeless("300 ms, 2 node-hours")
    assert not commands_of(page.split("\n"), "console slurm")
    found = commands_of(page.split("\n"))
    assert [(c, e) for _, _, c, e in found] == [("kneepoint a", ["out"]), ("kneepoint b", [])]


def main(arguments):
    if arguments == ["--self-test"]:
        self_test()
        return 0
    update = "--update" in arguments
    slurm = "--slurm" in arguments
    kneepoint, root = [os.path.abspath(a) for a in arguments if not a.startswith("--")]
    pages = sorted(pathlib.Path(root, "docs/how-to").glob("*.md"))
    replayed = 0
    good = True
    for page in pages:
        head = "\n```console slurm\n" if slurm else "\n```console\n"
        if head not in page.read_text(encoding="utf-8"):
            continue
        replayed += 1
        good = replay(page, kneepoint, root, update, slurm) and good
    print(f"{replayed} pages replayed")
    return 0 if good and replayed > 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
