#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A key for each of our sources: what clang-tidy says of one can only change when its key does.

tidy-keys.py ROOT BUILD BASE FOLDER... prints "KEY SOURCE" for the sources that BUILD compiles, one by
one, below the FOLDERs; only for those that differ from commit BASE, or read a header that does,
unless BASE is "". The key covers the source, the headers of ours that its last compilation read, how it is
compiled, and the settings; not where the clone lies.
"""
import hashlib
import json
import os
import subprocess
import sys


def read_dependencies(build):
    """Object -> the files that its compilation read, as ninja noted them."""
    text = subprocess.run(["ninja", "-C", build, "-t", "deps"], check=True, capture_output=True,
                          text=True).stdout
    found, current = {}, []
    for line in text.splitlines():
        if line.startswith("    "):
            current.append(os.path.normpath(os.path.join(build, line.strip())))
        elif ": #deps" in line:
            current = found.setdefault(line.split(": #deps")[0], [])
    return found


def changed_since(root, base):
    """Files of ours that differ from the commit, new ones included."""
    commands = (["diff", "--name-only", base], ["ls-files", "--others", "--exclude-standard"])
    text = "".join(subprocess.run(["git", "-C", root, *words], check=True, capture_output=True,
                                  text=True).stdout for words in commands)
    return {os.path.join(root, name) for name in text.splitlines()}


def main():
    root, build = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    base, folders = sys.argv[3], sys.argv[4:]
    changed = changed_since(root, base) if base else None
    read_by = read_dependencies(build)
    contents = {}

    def content(path):
        if path not in contents:
            with open(path, "rb") as file:
                contents[path] = hashlib.sha256(file.read()).digest()
        return contents[path]

    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    keys, compiled, missing = {}, set(), set()
    for entry in commands:
        source = os.path.relpath(entry["file"], root)
        if source in keys or not source.startswith(tuple(f + "/" for f in folders)):
            continue
        words = entry["command"].split()
        objects = [words[i + 1] for i, word in enumerate(words[:-1]) if word == "-o"]
        ours = [p for p in read_by.get(objects[0] if objects else "", []) if p.startswith(root + "/")]
        if entry["file"] not in ours:
            missing.add(source)  # a test may compile it too, with other settings
            continue
        compiled.add(source)
        if changed is not None and changed.isdisjoint([os.path.join(root, ".clang-tidy"), *ours]):
            continue
        key = hashlib.sha256(entry["command"].replace(root, "").encode())
        for path in [os.path.join(root, ".clang-tidy"), *sorted(ours)]:
            key.update(os.path.relpath(path, root).encode() + b"\0" + content(path))
        keys[source] = key.hexdigest()
    if missing - compiled:
        sys.exit(f"not compiled yet: {', '.join(sorted(missing - compiled))}")
    for source in sorted(keys):
        print(keys[source], source)


if __name__ == "__main__":
    main()
