#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# One stored study, strong and weak, with work known and prices: every form that states a K, an E, a
# T, a cost or a verdict states the same. The weak curve's work per worker is not constant, so E by
# work and E by time differ. What the report's JSON says is what the others are held against.
import csv
import io
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import urllib.request

kneepoint = sys.argv[1]
TIMEOUT = 300
FLOOR = 0.7
failures = []

PLAN = """study: same
worker: node
scale: [1, 2, 4, 8]
shape: {ranks_per_node: 1}
modes: [strong, weak]
workloads:
  - name: synthetic
    use: synthetic
    parameters: {s: 0.05, c: 0.03, seconds: 1}
iterations: {warmup: 0, count: 8}
repeat: 6
knee: {rule: efficiency, floor: 0.7}
"""
SITE = "backend: simulated\nnodes: 16\nsimulated: {noise: 1%}\nprice: {book: prices.yaml}\n"
PRICES = "currency: EUR\nitems:\n  node: {per_node_hour: 2.50}\n"


def expect(holds, text):
    if not holds:
        print(text)
        failures.append(text)


def near(one, other, share=1e-6):
    return one is not None and other is not None and abs(one - other) <= share * abs(other) + 1e-12


def command(*arguments, allowed=(0,)):
    done = subprocess.run([kneepoint, *arguments], capture_output=True, text=True, timeout=TIMEOUT,
                          check=False)
    expect(done.returncode in allowed,
           f"{' '.join(arguments)}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def write(path, text):
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
    return path


def give_work(database):
    """As ranks would have reported it: the same at every K in strong mode; in weak mode a worker's
    share falls as grids are rounded."""
    with sqlite3.connect(database) as db:
        rows = db.execute("SELECT a.id, p.mode, p.k FROM attempts a JOIN runs r ON r.id = a.run"
                          " JOIN points p ON p.id = r.point").fetchall()
        for attempt, mode, k in rows:
            each = {1: 1000, 2: 940, 4: 1010, 8: 700}[k]
            work = 1000 if mode == "strong" else each * k
            db.execute("UPDATE attempts SET work_total = ?, work_min = ?, work_max = ?"
                       " WHERE id = ?", (work, work / k, work / k, attempt))
    db.close()
    expect(len(rows) == 48, f"{len(rows)} attempts")


def truth_of(report):
    """mode -> {"k": the K to use, "points": {K: T, E, basis, plain, cost}}"""
    truth = {}
    for mode, curve in report["cases"][0]["modes"].items():
        points = {}
        for point in curve["points"]:
            points[point["k"]] = {"t": point["time"]["median"], "e": point["efficiency"]["value"],
                                  "basis": point["efficiency_basis"],
                                  "plain": point["efficiency_plain"]["value"]}
        truth[mode] = {"k": curve["recommended_k"], "points": points}
    for curve in report["cost"]["curves"]:
        for point in curve["points"]:
            truth[curve["mode"]]["points"][point["k"]]["micros"] = point["per_result_micros"]
    return truth


def check_point(form, mode, k, known, said):
    """`said` has what this form states of a point, at full precision."""
    for name, value in said.items():
        same = value == known[name] if name == "basis" else near(value, known[name])
        expect(same, f"{form}, {mode} K={k}: {name} {value} against {known[name]}")


def check_csv(truth, text):
    rows = list(csv.DictReader(io.StringIO(text)))
    expect(len(rows) == 8, f"csv: {len(rows)} rows")
    for row in rows:
        known = truth[row["mode"]]
        expect(row["recommended_k"] == str(known["k"]), f"csv: K {row['recommended_k']}")
        check_point("csv", row["mode"], row["k"], known["points"][int(row["k"])],
                    {"t": float(row["seconds"]), "e": float(row["efficiency_relative_to_k0"]),
                     "basis": row["efficiency_basis"], "plain": float(row["efficiency_plain"]),
                     "micros": float(row["cost_per_result"]) * 1e6})


def seconds_of(text, unit):
    return float(text) * {"s": 1, "ms": 1e-3, "us": 1e-6, "min": 60, "h": 3600}[unit]


def check_rows(form, truth, mode, header, rows):
    """A table of texts: the header's cells, and rows of cells without their intervals."""
    time = next(cell for cell in header if cell.startswith("T, "))
    by_work = "E by work" in header
    expect(by_work == (mode == "weak"), f"{form}, {mode}: header {header}")
    expect(len(rows) == 4, f"{form}, {mode}: {len(rows)} rows")
    for row in rows:
        said = dict(zip(header, row))
        known = truth[mode]["points"][int(said["K"])]
        t = seconds_of(said[time], time[3:])
        expect(near(t, known["t"], 1e-3), f"{form}, {mode} K={said['K']}: T {t} {known['t']}")
        named = {"E by work": "e", "E by time": "plain"} if by_work else {"E": "e"}
        for title, name in named.items():
            expect(said[title] == f"{known[name]:.3f}",
                   f"{form}, {mode} K={said['K']}: {title} {said[title]} against {known[name]}")


def check_headline(form, truth, text):
    text = " ".join(text.split())
    wanted = f"se K={truth['strong']['k']} for synthetic strong, K={truth['weak']['k']} for " \
             "synthetic weak"
    expect(wanted in text, f"{form}: does not say '{wanted}'")


def check_sentences(form, truth, text):
    """"so use K=2 (E 0.9 ...": K and E of one curve, in words."""
    text = " ".join(text.split())
    for mode, known in truth.items():
        found = re.search(rf"synthetic {mode}: the knee [^;]*?, so use K=(\d+) \(E (?:by work )?"
                          r"([\d.]+)", text)
        expect(found is not None, f"{form}, {mode}: no sentence")
        if found is None:
            continue
        expect(int(found[1]) == known["k"], f"{form}, {mode}: use K={found[1]}")
        e = known["points"][known["k"]]["e"]
        expect(found[2] == f"{e:.3f}", f"{form}, {mode}: E {found[2]} against {e}")


def check_costs_in_words(form, truth, text):
    text = " ".join(text.split())
    for mode, known in truth.items():
        found = re.search(rf"synthetic {mode}: one \w+ costs ([\d.]+) EUR \[[^]]*\] at K=(\d+)",
                          text)
        expect(found is not None, f"{form}, {mode}: no cost")
        if found is not None:
            micros = known["points"][int(found[2])]["micros"]
            expect(int(found[2]) == known["k"], f"{form}, {mode}: cost at K={found[2]}")
            expect(near(float(found[1]) * 1e6, micros, 0.006),
                   f"{form}, {mode}: cost {found[1]} against {micros}")


def check_markdown(truth, text):
    check_headline("markdown", truth, text)
    check_sentences("markdown", truth, text)
    check_costs_in_words("markdown", truth, text)
    for mode in truth:
        lines = text[text.index(f"## synthetic, {mode}"):].splitlines()
        table = []
        for line in lines:
            if line.startswith("|"):
                table.append([cell.strip() for cell in line.strip("|").split("|")])
            elif table:
                break
        header = [re.sub(r" \[.*", "", cell) for cell in table[0]]
        rows = [[cell.split(" ")[0] for cell in row] for row in table[2:]]
        check_rows("markdown", truth, mode, header, rows)


def check_terminal(truth, text):
    check_headline("terminal", truth, text)
    check_sentences("terminal", truth, text)
    check_costs_in_words("terminal", truth, text)
    for mode, known in truth.items():
        part = text[text.index(f"\nsynthetic, {mode}"):].splitlines()[1:]
        rows = [line for line in part if re.match(r" +\d+ +[\d.]", line)][:4]
        by_work = mode == "weak"
        for line in rows:
            cells = re.sub(r"\[[^]]*\]|baseline", " ", line).split()
            point = known["points"][int(cells[0])]
            wanted = [f"{point['e']:.3f}"] + ([f"{point['plain']:.3f}"] if by_work else [])
            said = [cell for cell in cells if re.fullmatch(r"\d\.\d{3}", cell)]
            beside = [said[i:i + len(wanted)] for i in range(len(said))]
            expect(wanted in beside, f"terminal, {mode} K={cells[0]}: {said} against {wanted}")
        expect(len(rows) == 4, f"terminal, {mode}: {len(rows)} rows")


def check_page(truth, text):
    check_headline("page", truth, re.sub(r"<[^>]*>", " ", text))
    found = re.search(r'<script type="application/json" id="kneepoint-report">(.*?)</script>', text,
                      re.S)
    page = json.loads(found[1])
    for mode, curve in page["cases"][0]["modes"].items():
        known = truth[mode]
        expect(curve["recommended_k"] == known["k"], f"page, {mode}: K {curve['recommended_k']}")
        for point in curve["points"]:
            said = {"t": point["time"]["median"], "e": point["efficiency"]["value"],
                    "basis": point["efficiency_basis"]}
            if "efficiency_plain" in point:
                said["plain"] = point["efficiency_plain"]["value"]
            check_point("page", mode, point["k"], known["points"][point["k"]], said)
    for mode, known in truth.items():
        words = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text))
        expect(re.search(rf"{mode} +Use K={known['k']} ", words) is not None,
               f"page, {mode}: the first screen does not say to use K={known['k']}")


def check_recommend(truth):
    answer = json.loads(command("recommend", "same", "--floor", str(FLOOR), "--json"))
    for curve in answer["curves"]:
        known = truth[curve["mode"]]
        expect(curve["k"] == known["k"], f"recommend, {curve['mode']}: K {curve['k']}")
        for point in curve["points"]:
            check_point("recommend", curve["mode"], point["k"], known["points"][point["k"]],
                        {"t": point["seconds"], "e": point["efficiency"],
                         "micros": float(point["per_result_micros"])})


def check_api(truth, url, study):
    def get(path):
        with urllib.request.urlopen(url + path, timeout=TIMEOUT) as answer:
            return answer.read().decode("utf-8")

    detail = json.loads(get(f"/api/v1/studies/{study}"))
    check_headline("api", truth, detail["study"]["headline"])
    for curve in detail["curves"]:
        known = truth[curve["mode"]]
        expect(curve["recommended_k"] == known["k"], f"api, {curve['mode']}: K")
        for point in curve["points"]:
            check_point("api", curve["mode"], point["k"], known["points"][point["k"]],
                        {"t": point["seconds"], "e": point["efficiency"],
                         "basis": point["efficiency_basis"], "plain": point["efficiency_plain"]})
    expect(truth_of(json.loads(get(f"/api/v1/studies/{study}/report.json"))) == truth,
           "api: its report says other numbers")

    metrics = {}
    for line in get("/metrics").splitlines():
        found = re.match(r'(kneepoint_(?:point|curve)_\w+)\{(.*)\} (\S+)$', line)
        if not found:
            continue
        labels = dict(re.findall(r'(\w+)="([^"]*)"', found[2]))
        metrics[found[1], labels["mode"], labels.get("k")] = float(found[3])
    for mode, known in truth.items():
        expect(metrics.get(("kneepoint_curve_recommended_k", mode, None)) == known["k"],
               f"metrics, {mode}: K")
        for k, point in known["points"].items():
            check_point("metrics", mode, k, point,
                        {"t": metrics.get(("kneepoint_point_seconds", mode, str(k))),
                         "e": metrics.get(("kneepoint_point_efficiency", mode, str(k))),
                         "plain": metrics.get(("kneepoint_point_efficiency_plain", mode, str(k)))})
    return json.loads(get("/api/v1/series"))["series"][0]["verdict"]


with tempfile.TemporaryDirectory() as place:
    database = os.path.join(place, "kneepoint.db")
    os.environ["KNEEPOINT_DB"] = database
    os.environ["XDG_STATE_HOME"] = place
    os.chdir(place)
    write("prices.yaml", PRICES)
    command("run", write("plan.yaml", PLAN), "--site", write("site.yaml", SITE))
    give_work(database)

    report = json.loads(command("report", "same", "--json"))
    truth = truth_of(report)
    study = report["study"]["id"]
    weak = truth["weak"]["points"]
    expect(weak[8]["basis"] == "work" and abs(weak[8]["e"] / weak[8]["plain"] - 0.7) < 1e-9,
           f"E by work and by time are to differ: {weak[8]}")
    expect(truth["weak"]["k"] == 4 and weak[8]["plain"] > FLOOR,
           f"by work K=8 is below the floor, by time it is not: {truth['weak']}")
    expect(truth["strong"]["points"][8]["basis"] == "time", "strong is by time")
    check_headline("json", truth, report["headline"])

    check_csv(truth, command("report", "same", "--csv"))
    check_markdown(truth, command("report", "same", "--markdown"))
    check_terminal(truth, command("report", "same"))
    write_to = os.path.join(place, "page.html")
    command("report", "same", "--html", "--output", write_to)
    with open(write_to, encoding="utf-8") as stream:
        check_page(truth, stream.read())
    check_recommend(truth)
    verdict = json.loads(command("gate", "same", "--json"))["verdict"]

    with subprocess.Popen([kneepoint, "serve", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as server:
        try:
            url = server.stdout.readline().strip().rstrip("/")
            in_series = check_api(truth, url, study)
            expect(in_series == verdict, f"api: verdict {in_series}, gate: {verdict}")
        finally:
            server.send_signal(signal.SIGTERM)

sys.exit(1 if failures else 0)
