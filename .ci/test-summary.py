#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sums up ctest's JUnit files: what the benchmarks measured, what was skipped and why, and one
closing line of counts. A program of many GoogleTest cases counts as that many.

Exits 1 when a test failed, when nothing at all was tested, or when two tests of a file have the
same name: ctest gives both the labels of the last, so one of them may never be chosen.
"""
import collections
import re
import sys
import xml.etree.ElementTree as ElementTree


def is_skipped(case):
    """Skipped on its own word; a test that could not be started is a failure."""
    skipped = case.find("skipped")
    message = skipped.get("message", "") if skipped is not None else ""
    return case.get("status") == "disabled" or message.startswith("SKIP_")


def reason(case):
    """Why a test was skipped: GoogleTest prints 'file:line: Skipped' and then the sentence;
    other tests print a line 'skipped: ...'."""
    output = case.findtext("system-out") or ""
    found = re.search(r"Skipped\n(.*?)\n+\[  SKIPPED \]", output, re.DOTALL)
    if found and found.group(1).strip():
        return " ".join(found.group(1).split())
    found = re.search(r"^skipped: (.*)$", output, re.MULTILINE)
    if found:
        return found.group(1)
    return "disabled" if case.get("status") == "disabled" else "no reason given"


def reasons_of_cases(output):
    """Why cases of a whole program were skipped, one each."""
    found = re.findall(r": Skipped\n(.*?)\n(?=\S+:\d+: |\[)", output, re.DOTALL)
    return [" ".join(why.split()) for why in found]


def passed_cases(output):
    """How many cases a GoogleTest program says passed; 0: it says nothing."""
    found = re.search(r"^\[  PASSED  \] (\d+) test", output, re.MULTILINE)
    return int(found.group(1)) if found else 0


def failed_cases(output):
    """How many cases failed; a program that crashed names none."""
    return len(set(re.findall(r"^\[  FAILED  \] (\w\S*\.[^\s,]+)", output, re.MULTILINE)))


def main(paths):
    passed = failed = 0
    measured, skipped = [], []
    for path in paths:
        try:
            cases = list(ElementTree.parse(path).getroot().iter("testcase"))
        except (OSError, ElementTree.ParseError) as problem:
            print(f"{path}: cannot be read: {problem}")
            failed += 1
            continue
        names = collections.Counter(case.get("name") for case in cases)
        for name in sorted(name for name, count in names.items() if count > 1):
            print(f"{path}: more than one test is called {name}")
            failed += 1
        for case in cases:
            output = case.findtext("system-out") or ""
            measured += [line[len("bench: "):] for line in output.splitlines()
                         if line.startswith("bench: ")]
            if is_skipped(case):
                skipped.append((case.get("name"), reason(case)))
                continue
            if case.get("status") == "run":
                passed += passed_cases(output) or 1
            else:
                passed += passed_cases(output)
                failed += failed_cases(output) or 1
            skipped += [(case.get("name"), why) for why in reasons_of_cases(output)]
    if measured:
        print("\nMeasured:")
        for line in measured:
            print(f"  {line}")
    if skipped:
        print("\nSkipped, and why:")
        for name, why in skipped:
            print(f"  {name}: {why}")
    print()
    print(f"{passed} passed, {failed} failed, {len(skipped)} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
