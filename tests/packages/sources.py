#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where this machine's apt gets Debian 12 from, so that a chroot is filled from the same place.

sources.py mirror      the address of the suite `bookworm`, for debootstrap
sources.py list        lines of a sources.list: bookworm, its updates and its security fixes
"""
import glob
import re
import sys

SUITES = ("bookworm", "bookworm-updates", "bookworm-security")


def lines_of(text):
    """One-line form: deb [options] URI SUITE COMPONENTS."""
    for line in text.splitlines():
        words = re.sub(r"\[[^]]*\]", "", line.partition("#")[0]).split()
        if len(words) > 3 and words[0] == "deb":
            yield words[1], words[2]


def paragraphs_of(text):
    """deb822 form; a comment may stand anywhere in it."""
    for paragraph in re.split(r"\n\s*\n", re.sub(r"(?m)^#.*\n", "", text)):
        fields = dict(re.findall(r"(?m)^(\S+):\s*(.*)$", paragraph))
        if "deb" in fields.get("Types", "").split() and fields.get("Enabled", "yes") != "no":
            for uri in fields.get("URIs", "").split():
                for suite in fields.get("Suites", "").split():
                    yield uri, suite


def places():
    found = {}
    for path in ["/etc/apt/sources.list", *sorted(glob.glob("/etc/apt/sources.list.d/*"))]:
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except OSError:
            continue
        for uri, suite in (paragraphs_of if path.endswith(".sources") else lines_of)(text):
            if suite in SUITES:
                found.setdefault(suite, uri)
    return found


def main():
    found = places()
    if "bookworm" not in found:
        sys.exit("sources.py: apt of this machine knows no source of Debian 12 (bookworm)")
    if sys.argv[1:] == ["mirror"]:
        print(found["bookworm"])
    elif sys.argv[1:] == ["list"]:
        for suite in SUITES:
            if suite in found:
                print(f"deb {found[suite]} {suite} main")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
