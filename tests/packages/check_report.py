#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does a report of plans/quickstart.yaml hold an answer?  check_report.py REPORT.json

A machine that does something else at the same time may move a number. So: every run was valid, every curve has
its points and a sentence, and the curve whose ranks only sleep bends where its formula says, near K=6.
"""
import json
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    problems = []
    curves = {(case["case"].split()[0], mode): curve
              for case in report["cases"] for mode, curve in case["modes"].items()}
    for name in ("jacobi", "synthetic"):
        for mode in ("strong", "weak"):
            curve = curves.get((name, mode), {})
            points = curve.get("points", [])
            if len(points) < (5 if name == "synthetic" else 1):
                problems.append(f"{name} {mode}: {len(points)} points")
            for point in points:
                if point["runs_valid"] < 5 or point["runs_failed"] or not point["time"]["median"]:
                    problems.append(f"{name} {mode} K={point['k']}: {point['runs_valid']} valid runs, "
                                    f"{point['runs_failed']} failed")
            if not curve.get("sentence"):
                problems.append(f"{name} {mode}: no sentence")
    knees = [knee["k"] for knee in curves.get(("synthetic", "strong"), {}).get("knees", [])
             if knee["rule"] == "efficiency" and knee["floor"] == 0.7]
    if len(knees) != 1 or not knees[0] or not 4 <= knees[0] <= 8:
        problems.append(f"synthetic strong: knee at {knees}, expected about 6.1")
    if not report["headline"]:
        problems.append("no headline")
    print(f"{report['study']['id']} on {report['study']['backend']}: {report['headline']}")
    if report["study"]["state"] != "finished" or report["red"]:
        problems.append(f"state {report['study']['state']}, {report.get('red_reason')}")
    sys.exit("\n".join(problems) or None)


if __name__ == "__main__":
    main()
