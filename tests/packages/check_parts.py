#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Did the agent find its parts in a run with `profile: mpi` on a site with `push`?  check_parts.py RUNS_FOLDER

The preloaded library and the machine probe leave facts in the records; a pusher that is missing leaves a line.
"""
import json
import pathlib
import sys


def main():
    runs = pathlib.Path(sys.argv[1])
    facts, kinds = {}, set()
    for file in runs.glob("parts-*/r1-a1/records.ndjson"):
        for line in file.read_text().splitlines():
            record = json.loads(line)
            kinds.add(record["type"])
            facts.update(record.get("facts", {}))
    problems = []
    if facts.get("profile") != "mpi" or "profile" not in kinds:
        problems.append(f"profile: {facts.get('profile')}, records {sorted(kinds)}")
    if facts.get("machine.probe") not in ("done", "disturbed"):
        problems.append(f"machine.probe: {facts.get('machine.probe')}")
    for file in runs.glob("**/*"):
        if file.is_file() and b"records are not pushed" in file.read_bytes():
            problems.append(f"{file.name}: {file.read_text(errors='replace')}")
    if problems:
        sys.exit("\n".join(problems))
    print(f"profile {facts['profile']}, machine probe {facts['machine.probe']}, pushed without a word")


if __name__ == "__main__":
    main()
