# SPDX-License-Identifier: Apache-2.0
#
# Runs small studies on the simulated and the local backend, validates what `report --json` prints
# against docs/reference/report.schema.json, and that the schema refuses broken reports. Also checks
# that the goldens are valid.
import copy
import json
import os
import sys
import tempfile

from answers import check, command, fail, failures, load, validator_of, write

SYNTHETIC = """study: {name}
worker: rank
scale: {scale}
shape: {{threads_per_rank: {threads}}}
modes: [strong, weak]
workloads:
  - name: synthetic
    use: synthetic
    parameters: {{s: 0.05, c: 0.01, seconds: 1}}
iterations: {{warmup: 0, count: 8}}
repeat: {repeat}
knee: {{rule: {rule}, floor: {floor}}}
"""
# name, K, repeats, rule, floor, threads
SIMULATED = [
    ("usual", "[1, 2, 4, 8, 16, 32]", 5, "efficiency", 0.7, "[1]"),
    ("few", "[1, 2]", 1, "efficiency", 0.8, "[1]"),
    ("alone", "[4]", 2, "efficiency", 0.5, "[1]"),
    ("late", "[2, 3, 4, 6, 8]", 3, "efficiency", 0.9, "[1]"),
    ("power", "[1, 2, 4, 8, 16]", 3, "power", 0.7, "[1]"),
    ("marginal", "[1, 2, 4, 8, 16]", 3, "marginal", 0.7, "[1]"),
    ("fastest", "[1, 2, 4, 8, 16]", 3, "min_time", 0.7, "[1]"),
    ("peak", "[1, 2, 4, 8, 16]", 3, "usl_peak", 0.7, "[1]"),
    ("kneedle", "[1, 2, 4, 8, 16]", 3, "kneedle", 0.7, "[1]"),
    ("shapes", "[1, 2, 4]", 3, "efficiency", 0.7, "[1, 2]"),
]
LOCAL = """study: {name}
worker: rank
scale: [1]
modes: [strong]
workloads:
  - name: "{case}"
    command: [/bin/echo, "{output}"]
    mpi: false
    metrics: {{time: {{pattern: "t=([0-9.]+)", unit: s}}}}
repeat: 2
"""


validator = validator_of(load("docs/reference/report.schema.json"))


def modes_of(report):
    return [mode for case in report["cases"] for mode in case["modes"].values()]


def check_meaning(name, report, rule, floor):
    """What a schema can't say."""
    for mode in modes_of(report):
        ks = [p["k"] for p in mode["points"]]
        if ks != sorted(ks):
            fail(f"{name}: K are not ascending: {ks}")
        if mode["recommended_k"] is not None and mode["recommended_k"] not in ks:
            fail(f"{name}: K={mode['recommended_k']} is recommended and was not measured")
        weights = [m["weight"] for m in mode["models"]]
        if weights != sorted(weights, reverse=True) or (weights and abs(sum(weights) - 1) > 1e-9):
            fail(f"{name}: weights are not best first or do not add up to 1: {weights}")
        if len(ks) < 2:
            continue
        floors = {k["floor"] for k in mode["knees"] if k["rule"] == "efficiency"}
        if not {0.5, 0.8, floor} <= floors:
            fail(f"{name}: knees for the floors {sorted(floors)} only")
        for other in ("power", "marginal", "kneedle"):
            if other not in {k["rule"] for k in mode["knees"]}:
                fail(f"{name}: no knee by {other}")
        if mode["knee_rule"] != rule:
            fail(f"{name}: the plan's rule is {rule}, not {mode['knee_rule']}")
        for p in mode["points"]:
            t, e = p["time"], p["efficiency"]
            if t["low"] is not None and not t["low"] <= t["median"] <= t["high"]:
                fail(f"{name}: K={p['k']}: T outside its interval")
            if e["low"] is not None and not e["low"] <= e["high"]:
                fail(f"{name}: K={p['k']}: E's interval is upside down")


def broken_variants(report):
    """Each must be refused: (what is wrong, report)."""
    def variant(change):
        other = copy.deepcopy(report)
        change(other, modes_of(other)[0])
        return other

    def drop(key):
        return lambda r, m: m.pop(key)

    yield "another schema", variant(lambda r, m: r.update(schema="kneepoint.report/2"))
    yield "an unknown key", variant(lambda r, m: r.update(no_such_key=1))
    yield "an unknown key of a mode", variant(lambda r, m: m.update(no_such_key=1))
    for key in ("points", "models", "knees", "predictions", "warnings"):
        yield f"no {key}", variant(drop(key))
    for key in ("k", "time", "speedup", "efficiency"):
        yield f"a point without {key}", variant(lambda r, m, key=key: m["points"][0].pop(key))
    yield "a time as text", variant(lambda r, m: m["points"][0]["time"].update(median="1 s"))
    yield "a time of 0", variant(lambda r, m: m["points"][0]["time"].update(median=0))
    yield "K of 0", variant(lambda r, m: m["points"][0].update(k=0))
    yield "a weight above 1", variant(lambda r, m: m["models"][0].update(weight=1.5))
    yield "a coefficient below 0", variant(
        lambda r, m: m["models"][0]["coefficients"].update(one=-1))
    yield "a model without ceiling", variant(lambda r, m: m["models"][0].pop("ceiling"))
    yield "an unknown rule", variant(lambda r, m: m["knees"][0].update(rule="elbow"))
    yield "an unknown status", variant(lambda r, m: m["knees"][0].update(status="somewhere"))
    yield "a measured K between", variant(lambda r, m: m["knees"][0].update(k_sure=2.5))
    yield "a prediction without low", variant(lambda r, m: m["predictions"][0].pop("low"))
    yield "a warning without code", variant(lambda r, m: m.update(warnings=[{"message": "x"}]))
    yield "a third mode", variant(
        lambda r, m: r["cases"][0]["modes"].update(other=copy.deepcopy(m)))
    yield "a case without modes", variant(lambda r, m: r["cases"][0].update(modes={}))


for golden in ("sample", "full"):
    check(validator, golden, load(f"tests/golden/report/{golden}.json"))

refused = 0
with tempfile.TemporaryDirectory() as place:
    os.environ["KNEEPOINT_DB"] = os.path.join(place, "kneepoint.db")
    os.environ["XDG_STATE_HOME"] = place
    os.chdir(place)
    site = write("site.yaml", "backend: simulated\nnodes: 64\n")
    for name, scale, repeat, rule, floor, threads in SIMULATED:
        plan = write(f"{name}.yaml", SYNTHETIC.format(name=name, scale=scale, repeat=repeat,
                                                      rule=rule, floor=floor, threads=threads))
        command("run", plan, "--site", site)
        text = command("report", name, "--json")
        report = json.loads(text or "{}")
        check(validator, name, report)
        check_meaning(name, report, rule, floor)
        if command("report", name, "--json") != text:
            fail(f"{name}: a second report differs")
        if name == "usual":
            for what, other in broken_variants(report):
                refused += 1
                if validator.is_valid(other):
                    fail(f"the schema accepts {what}")
    for name, case, output, code in (("local", "echo", "t=0.5", 0), ("bad", "wordless", "no time", 4)):
        plan = write(f"{name}.yaml", LOCAL.format(name=name, case=case, output=output))
        command("run", plan, allowed=(code,))
        report = json.loads(command("report", name, "--json") or "{}")
        check(validator, name, report)
        if report.get("red") != (code == 4):
            fail(f"{name}: red is {report.get('red')}")

print(f"{len(SIMULATED) + 2} reports and 2 goldens checked, {refused} broken variants refused")
if refused < 20:
    fail("expected at least 20 broken variants")
sys.exit(1 if failures else 0)
