# SPDX-License-Identifier: Apache-2.0
#
# Runs nights on the simulated and the local backend, validates what `gate --json` prints for every
# verdict against docs/reference/gate.schema.json, that the schema refuses broken answers, and that
# gate.md names its keys.
import copy
import json
import os
import sqlite3
import sys
import tempfile

from answers import check, command, fail, failures, load, read, root, validator_of, write

seen = {}  # verdict: how often
filled = set()  # parts that held something at least once
PARTS = ("needs", "baseline", "against_baseline", "drifts", "knees", "confirmed", "changes",
         "calibration", "failed", "left_out", "imported_nights", "environment_changed", "curves",
         "points")

PLAN = """study: {name}
modes: [strong]
scale: {scale}
repeat: {repeat}
workloads: [{{name: app, use: synthetic, parameters: {{s: {serial}, c: 0.01, seconds: 1}}}}]
iterations: {{warmup: 0, count: 4}}
"""
COMMAND = """study: {name}
modes: [strong]
scale: [1, 2]
repeat: 3
limits: {{oversubscribe: true, retries: 0}}
workloads:
  - name: app
    mpi: false
    command: [{program}]
    metrics: {{time: {{pattern: "t=([0-9.]+)"}}}}
"""
SCRIPT = """#!/bin/sh
n=$(cat $0.n 2>/dev/null || echo 0)
echo $((n + 1)) > $0.n
echo t=$((1000 + {longer} + n * 3 % 7)).$n
"""

schema = load("docs/reference/gate.schema.json")
page = read("docs/reference/gate.md")
validator = validator_of(schema)


def gate(name, expected, *flags, allowed=(0,)):
    answer = json.loads(command("gate", name, "--json", *flags, allowed=allowed) or "{}")
    check(validator, name, answer)
    verdict = answer.get("verdict")
    if verdict != expected:
        fail(f"{name}: {verdict}, not {expected}: {answer.get('why')}")
    seen[verdict] = seen.get(verdict, 0) + 1
    filled.update(part for part in PARTS if answer.get(part))
    if not answer.get("line", "").startswith(f"{verdict}  {answer.get('study')}: "):
        fail(f"{name}: the line is {answer.get('line')}")
    ks = sum(len(curve["k"]) for curve in answer.get("curves", []))
    if verdict != "FAILED" and ks != len(answer.get("points", [])):
        fail(f"{name}: {ks} K on curves, {len(answer.get('points', []))} points")
    return answer


class Series:
    """Nights of one plan on simulated machines, each with its own seed."""

    def __init__(self, name, plan):
        self.name, self.nights = name, 0
        self.plan = write(f"{name}.yaml", plan)

    def night(self, noise="0.5%", more="", allowed=(0,), count=1):
        for _ in range(count):
            self.nights += 1
            site = write("site.yaml", f"backend: simulated\nsimulated: {{noise: {noise}, "
                                      f"seed: {self.nights}{more}}}\n")
            command("run", self.plan, "--site", site, "--new", allowed=allowed)


def timed(name, repeat=3):
    """A plan whose times are the site's default_time."""
    return (f"study: {name}\nmodes: [strong]\nscale: [1, 2, 4]\nrepeat: {repeat}\n"
            "limits: {retries: 0}\n"
            "workloads: [{name: app, command: [app], "
            "metrics: {time: {pattern: \"t=([0-9.]+)\"}}}]\n")


def takes(seconds):
    return f", default_time: {seconds}s"


def simulated_nights():
    one = Series("nightly", timed("nightly"))
    one.night(more=takes(10))
    gate("nightly", "NO_BASELINE")
    command("baseline", "set", "nightly", "--build", write("app-1", "old"), "--note", "1.0")
    one.night(more=takes(10))
    gate("nightly", "NO_BASELINE")
    one.night(more=takes(10), count=8)
    gate("nightly", "PASS")
    one.night(more=takes(12))
    gate("nightly", "SUSPECT")
    one.night(more=takes(12))
    regressed = gate("nightly", "REGRESSED", allowed=(1,))
    one.night(more=takes(12) + ", failure_rate: 99%", allowed=(4,))
    gate("nightly", "FAILED", allowed=(4,))

    better = Series("better", timed("better"))
    better.night(more=takes(10), count=10)
    better.night(more=takes(8), count=2)
    gate("better", "IMPROVED")
    with sqlite3.connect(os.environ["KNEEPOINT_DB"]) as database:
        database.execute(
            "INSERT INTO provenance (attempt, scope, name, value)"
            " SELECT a.id, 'node', 'gpu', 'other' FROM attempts a"
            " JOIN runs r ON a.run = r.id JOIN studies s ON r.study = s.id"
            " WHERE s.name = 'better' AND s.n = 12")
    database.close()
    gate("better", "ENV_CHANGE")
    command("baseline", "ack", "better", "--note", "new nodes")
    gate("better", "NO_BASELINE")

    noisy = Series("noisy", timed("noisy"))
    noisy.night(noise="20%", more=takes(10), count=10)
    gate("noisy", "INCONCLUSIVE")

    curve = Series("curve", PLAN.format(name="curve", scale="[1, 2, 4, 8, 16, 32]", repeat=3,
                                        serial=0.05))
    site = write("site.yaml", "backend: simulated\nsimulated: {noise: 0.5%}\n")
    command("doctor", site, "--noise", curve.plan, "--studies", "3")
    curve.night(count=10)
    gate("curve", "PASS")

    table = write("history.csv", "date,K,T\n" + "".join(
        f"2026-01-{day:02},{k},{10 + 0.02 * ((day * 7 + k) % 5)}\n"
        for day in range(1, 13) for k in (1, 2, 4)))
    old = Series("old", timed("old"))
    old.night(more=takes(10))
    command("baseline", "import", "old", table)
    gate("old", "PASS")
    return regressed


def confirmed_night():
    app, pinned = os.path.abspath("app"), os.path.abspath("app-of-the-release")
    for program in (app, pinned):
        write(program, SCRIPT.format(longer=0))
        os.chmod(program, 0o700)
    plan = write("turns.yaml", COMMAND.format(name="turns", program=app))
    for _ in range(9):
        command("run", plan, "--new")
    command("baseline", "set", "turns", "--build", pinned)
    write(app, SCRIPT.format(longer=80))
    command("run", plan, "--new")
    return gate("turns", "REGRESSED", "--confirm", allowed=(1,))


def broken_variants(answer):
    """Each must be refused: (what is wrong, answer)."""
    def variant(change):
        other = copy.deepcopy(answer)
        change(other)
        return other

    yield "another schema", variant(lambda a: a.update(schema="kneepoint.gate/2"))
    yield "an unknown key", variant(lambda a: a.update(no_such_key=1))
    yield "an unknown verdict", variant(lambda a: a.update(verdict="WORSE"))
    for key in schema["required"]:
        yield f"no {key}", variant(lambda a, key=key: a.pop(key))
    for key in schema["$defs"]["finding"]["required"]:
        yield f"a curve without {key}", variant(lambda a, key=key: a["curves"][0].pop(key))
    for key in schema["$defs"]["test"]["required"]:
        yield f"a test without {key}", variant(
            lambda a, key=key: a["points"][0]["tests"][0].pop(key))
    for part in ("curves", "points", "confirmed", "drifts"):
        yield f"an unknown key of {part}", variant(
            lambda a, part=part: a[part][0].update(no_such_key=1))
    yield "an unknown key of baseline", variant(lambda a: a["baseline"].update(no_such_key=1))
    yield "a baseline without builds", variant(lambda a: a["baseline"].pop("builds"))
    yield "a build of no kind", variant(lambda a: a["baseline"]["builds"][0].update(kind="tape"))
    yield "a baseline made some day", variant(lambda a: a["baseline"].update(made="some day"))
    yield "a part of a night", variant(lambda a: a.update(nights=1.5))
    yield "a ratio of 0", variant(lambda a: a["confirmed"][0].update(ratio=0))
    yield "a p above 1", variant(lambda a: a["curves"][0]["tests"][0].update(p_slower=1.5))
    yield "a delta below -1", variant(lambda a: a["confirmed"][0].update(cliffs_delta=-2))
    yield "K of 0", variant(lambda a: a["curves"][0].update(k=[0]))
    yield "no K", variant(lambda a: a["curves"][0].update(k=[]))
    yield "an unknown term", variant(lambda a: a["curves"][0].update(moved="the moon"))
    yield "needs without repeats", variant(lambda a: a.update(needs={"nights": 1}))
    yield "a change without its night", variant(
        lambda a: a.update(changes=[{"curve": "x", "ratio": 1.1, "last_before": None}]))
    yield "half a calibration", variant(
        lambda a: a.update(calibration={"made": "2026-01-01T00:00:00Z"}))


refused = 0
with tempfile.TemporaryDirectory() as place:
    os.environ["KNEEPOINT_DB"] = os.path.join(place, "kneepoint.db")
    os.environ["XDG_STATE_HOME"] = place
    os.chdir(place)
    regressed = simulated_nights()
    confirmed = confirmed_night()
    for what, other in broken_variants(confirmed) if confirmed.get("confirmed") else ():
        refused += 1
        if validator.is_valid(other):
            fail(f"the schema accepts {what}")
    if not regressed.get("changes") or not regressed["curves"][0]["since"]:
        fail("a step of a fifth is not dated")
    os.chdir(root)

for part in (schema, schema["$defs"]["finding"], schema["$defs"]["test"]):
    for key in part["properties"]:
        if f"`{key}`" not in page:
            fail(f"gate.md does not say what {key} is")
missing = set(schema["properties"]["verdict"]["enum"]) - set(seen)
if missing:
    fail(f"no answer was {sorted(missing)}")
if set(PARTS) - filled:
    fail(f"always empty: {sorted(set(PARTS) - filled)}")
print(f"{sum(seen.values())} answers checked, {refused} broken variants refused")
if refused < 60:
    fail("expected at least 60 broken variants")
sys.exit(1 if failures else 0)
