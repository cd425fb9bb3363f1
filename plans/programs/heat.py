# SPDX-License-Identifier: Apache-2.0
"""Heat on a rod, split between worker processes; writes results/timing.json and a log as many
applications do. For plans/own-timing.yaml: heat.py SETTINGS CELLS WORKERS."""
import json
import multiprocessing
import os
import sys
import time

settings = json.load(open(sys.argv[1]))
cells, workers = int(sys.argv[2]), int(sys.argv[3])


def relax(part):
    """One worker's cells towards their mean; the largest change of the last step."""
    rod = [1.0 if i % 2 else 0.0 for i in range(part)]
    change = 0.0
    for _ in range(settings["steps"]):
        before = rod
        rod = [before[i] + settings["rate"] * (before[i - 1] - 2 * before[i] + before[(i + 1) % part])
               for i in range(part)]
        change = max(abs(rod[0] - before[0]), abs(rod[-1] - before[-1]))
    return change


if __name__ == "__main__":
    begin = time.monotonic()
    os.makedirs("results")
    pool = multiprocessing.get_context("fork").Pool(workers)
    ready = time.monotonic()
    residual = max(pool.map(relax, [cells // workers] * workers))
    end = time.monotonic()
    pool.close()
    with open("results/timing.json", "w") as file:
        json.dump({"phases": [{"name": "setup", "seconds": ready - begin},
                              {"name": "solve", "seconds": end - ready}],
                   "cells_per_second": cells * settings["steps"] / (end - ready)}, file)
    with open("results/heat.log", "w") as file:
        file.write(f"{workers} workers, {cells} cells\n")
    print(f"residual {residual:.6e}")
    print(f"CONVERGED after {settings['steps']} steps" if residual < 1e-3 else "not converged")
