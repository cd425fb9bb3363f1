#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# What reports say of a queue, through the command line: a simulated study whose runs were jobs of
# their own, with placements written into its database as a queue would have given them, one node
# slow; then the same study packed. Every choice is seeded.
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile

kneepoint = sys.argv[1]
TIMEOUT = 300
failures = []

PLAN = """study: {name}
worker: node
scale: [1, 2, 4, 8]
shape: {{ranks_per_node: 1}}
modes: [strong]
workloads:
  - name: synthetic
    use: synthetic
    parameters: {{s: 0.05, c: 0.01, seconds: 1}}
iterations: {{warmup: 0, count: 8}}
repeat: 10
"""
SITE = "backend: simulated\nnodes: 16\nsimulated: {noise: 2%, queue_wait: 5m}\n"
PACKED = SITE + "packing: {mode: packed, allocations: 2}\n"


def expect(holds, text):
    if not holds:
        print(text)
        failures.append(text)


def command(*arguments):
    done = subprocess.run([kneepoint, *arguments], capture_output=True, text=True, timeout=TIMEOUT,
                          check=False)
    expect(done.returncode == 0, f"{' '.join(arguments)}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def write(path, text):
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
    return path


def run(name, site):
    command("run", write(f"{name}.yaml", PLAN.format(name=name)), "--site",
            write(f"site-{name}.yaml", site))


def place(database, study, slow, factor):
    """Each run on nodes of its own, as Slurm lists them; runs that hold `slow` take longer."""
    rng = random.Random(4)
    with sqlite3.connect(database) as db:
        rows = db.execute("SELECT a.id, p.nodes FROM attempts a JOIN runs r ON r.id = a.run"
                          " JOIN points p ON p.id = r.point JOIN studies s ON s.id = r.study"
                          " WHERE s.name = ? ORDER BY r.number, a.number", (study,)).fetchall()
        for attempt, count in rows:
            held = sorted(rng.sample(range(1, 17), count))
            db.execute("UPDATE attempts SET nodes = ?, seconds = seconds * ? WHERE id = ?",
                       (f"n[{','.join(f'{n:02}' for n in held)}]", factor if slow in held else 1,
                        attempt))
    db.close()
    expect(len(rows) == 40, f"{study}: {len(rows)} attempts")


def report(name):
    return json.loads(command("report", name, "--json") or "{}")


def plainly(text):
    return " ".join(text.split())


with tempfile.TemporaryDirectory() as place_of_all:
    database = os.path.join(place_of_all, "kneepoint.db")
    os.environ["KNEEPOINT_DB"] = database
    os.environ["XDG_STATE_HOME"] = place_of_all
    os.chdir(place_of_all)

    # The simulated cluster always gives the first nodes.
    run("jobs", SITE)
    before = report("jobs")["volatile"]
    expect(before["queue"]["way"] == "one_per_run" and before["queue"]["most_runs"] == 1,
           f"jobs: {before['queue']}")
    expect(before["queue"]["allocations"] == 40, f"jobs: {before['queue']}")
    expect([w["k"] for w in before["queue"]["waits"]] == [1, 2, 4, 8],
           f"jobs: waits {before['queue']['waits']}")
    expect(before["queue"]["wait_largest"] >= before["queue"]["wait_median"] > 0,
           f"jobs: waits {before['queue']}")
    expect(not before["bad_nodes"]["tested"] and "the same nodes" in before["bad_nodes"]["why_not"],
           f"jobs: {before['bad_nodes']}")

    # All nodes alike: no name. The same placements with n07 a fifth slower: its name.
    place(database, "jobs", 7, 1)
    alike = report("jobs")
    expect(alike["volatile"]["bad_nodes"]["tested"], f"alike: {alike['volatile']['bad_nodes']}")
    expect(alike["volatile"]["bad_nodes"]["nodes"] == 16, f"alike: {alike['volatile']['bad_nodes']}")
    expect(alike["volatile"]["bad_nodes"]["bad"] == [], f"alike: {alike['volatile']['bad_nodes']}")
    place(database, "jobs", 7, 1.2)
    slow = report("jobs")
    named = slow["volatile"]["bad_nodes"]["bad"]
    expect([n["node"] for n in named] == ["n07"], f"slow: {named}")
    expect(named and 0.15 < named[0]["slowdown"] < 0.25 and named[0]["p"] <= 0.05, f"slow: {named}")
    expect("bad_node" in [w["code"] for w in slow["warnings"]], f"slow: {slow['warnings']}")
    for form in (["--brief"], ["--markdown"], []):
        text = plainly(command("report", "jobs", *form))
        expect("n07 slows the runs that hold it by" in text, f"slow {form}: not said")
        expect("Queue: one job per run (40 jobs); each run got its own nodes" in text,
               f"slow {form}: the queue is not told")

    run("packed", PACKED)
    packed = report("packed")["volatile"]
    expect(packed["queue"]["way"] == "packed", f"packed: {packed['queue']}")
    expect(packed["queue"]["runs"] == 40 and packed["queue"]["most_runs"] > 1,
           f"packed: {packed['queue']}")
    expect(packed["queue"]["nested"] is True, f"packed: {packed['queue']}")
    expect("packed" in packed["bad_nodes"]["why_not"], f"packed: {packed['bad_nodes']}")
    text = plainly(command("report", "packed", "--brief"))
    expect("Queue: packed: 40 runs as steps of" in text, "packed: the queue is not told")
    expect("intervals are within allocations" in text, "packed: intervals are not labelled")

sys.exit(1 if failures else 0)
