# SPDX-License-Identifier: Apache-2.0
"""What deploy/kubernetes and deploy/helm render to, as Python values."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
KUSTOMIZE = ROOT / "deploy/kubernetes"
CHART = ROOT / "deploy/helm/kneepoint"
# Kustomizations that the chart can make too, and controller.kind of them.
KINDS = {"base": "none", "overlays/controller": "serve", "overlays/nightly": "nightly",
         "overlays/rdma": "none"}


def renderer():
    """Its path; ends the program with 77, "skipped", where it was never built."""
    found = subprocess.run([HERE / "tools", "render"], capture_output=True, text=True)
    if found.returncode != 0:
        print(("skipped: " if found.returncode == 77 else "") + found.stderr, end="")
        sys.exit(found.returncode)
    return found.stdout.strip()


RENDER = renderer()


def render(*arguments, text=None):
    """(objects, all that was printed); an error is a RuntimeError with what was said."""
    done = subprocess.run([RENDER, *map(str, arguments)], input=text, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return [one for one in yaml.safe_load_all(done.stdout) if one], done.stdout


def kustomize(folder):
    return render("kustomize", KUSTOMIZE / folder)[0]


def helm(values, release="kneepoint", namespace="kneepoint"):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        yaml.safe_dump(values, file)
        file.flush()
        return render("helm", CHART, release, namespace, file.name)


def values_like(folder):
    """The values with which the chart makes what the kustomization of `folder` makes."""
    values = {"controller": {"kind": KINDS[folder]}, "namespace": {"create": True}}
    if KINDS[folder] != "none":
        values["plan"] = (KUSTOMIZE / "overlays/controller/plan.yaml").read_text()
        values["site"] = (KUSTOMIZE / "overlays/controller/site.yaml").read_text()
    if folder == "overlays/rdma":
        values["namespace"]["podSecurity"] = "privileged"
    return values


def name_of(thing):
    return f"{thing['kind']} {thing['metadata']['name']}"


def pod_template(thing):
    """Of an object that makes pods; None of another."""
    spec = thing.get("spec", {})
    if thing["kind"] == "CronJob":
        spec = spec["jobTemplate"]["spec"]
    return spec.get("template") if thing["kind"] in ("CronJob", "Deployment", "Job") else None


def kneepoint():
    """The program, where the caller says it was built."""
    return os.environ["KNEEPOINT"]


def emitted(site_text, cluster):
    """The objects that kneepoint would make on a site, from its own files. `cluster`: folder of one."""
    plan = KUSTOMIZE / "overlays/controller/plan.yaml"
    with tempfile.TemporaryDirectory() as place:
        site, target = pathlib.Path(place, "site.yaml"), pathlib.Path(place, "out")
        site.write_text(site_text)
        environment = {**os.environ, "KUBECONFIG": cluster + "/admin.kubeconfig", "HOME": place,
                       "KNEEPOINT_DB": place + "/kneepoint.db"}
        done = subprocess.run([kneepoint(), "check", plan, "--site", site, "--emit", target],
                              capture_output=True, text=True, env=environment)
        if done.returncode != 0:
            raise RuntimeError(f"exit code {done.returncode}: {done.stdout}{done.stderr}")
        return [json.loads(file.read_text()) for file in sorted(target.iterdir())]
