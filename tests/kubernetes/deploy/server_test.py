#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A real API server takes what deploy/kubernetes and deploy/helm render to, and its Role is enough
and not more. Needs a control plane only.

server_test.py FOLDER_OF_THE_CLUSTER
"""
import copy
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import manifests  # noqa: E402
from api import connect, eventually  # noqa: E402

SPACE = "kneepoint"
ACCOUNT = f"system:serviceaccount:{SPACE}:kneepoint"
api = None
folder = ""

# All that the Role is for.
NEEDED = (
    [(verb, "jobs", "batch") for verb in ("create", "get", "list", "watch", "delete")]
    + [(verb, "pods", "") for verb in ("list", "watch")]
    + [("get", "pods/log", "")]
    + [(verb, "services", "") for verb in ("create", "get")]
    + [("list", "events", "")]
)
REFUSED = [
    ("get", "secrets", ""), ("list", "secrets", ""), ("create", "pods", ""), ("create", "pods/exec", ""),
    ("delete", "pods", ""), ("update", "jobs", "batch"), ("patch", "jobs", "batch"), ("deletecollection", "jobs", "batch"),
    ("patch", "services", ""), ("create", "configmaps", ""), ("create", "cronjobs", "batch"),
    ("create", "rolebindings", "rbac.authorization.k8s.io"), ("create", "serviceaccounts/token", ""),
    ("impersonate", "users", ""),
]


def setUpModule():
    for thing in manifests.kustomize("base"):
        answer = api.apply(thing, dry=False)
        assert answer.good, f"{manifests.name_of(thing)}: {answer}"
    api.make_default_account(SPACE)


class Server(unittest.TestCase):
    def renderings(self):
        for folder in manifests.KINDS:
            yield "kustomize " + folder, manifests.kustomize(folder)
            yield "helm " + folder, manifests.helm(manifests.values_like(folder))[0]

    def test_it_takes_every_object_without_a_warning(self):
        seen = 0
        for name, things in self.renderings():
            for thing in things:
                with self.subTest(f"{name}: {manifests.name_of(thing)}"):
                    answer = api.apply(thing)
                    self.assertTrue(answer.good, answer)
                    self.assertEqual(answer.warnings, [])
                    seen += 1
        self.assertGreaterEqual(seen, 50)

    def test_it_would_refuse_a_mistake(self):
        for thing in manifests.kustomize("overlays/nightly"):
            if thing["kind"] == "CronJob":
                wrong = copy.deepcopy(thing)
                wrong["spec"]["shedule"] = "x"
                answer = api.apply(wrong)
                self.assertFalse(answer.good)
                self.assertIn("shedule", answer.body)
                wrong = copy.deepcopy(thing)
                wrong["spec"]["schedule"] = "every night"
                self.assertEqual(api.apply(wrong).status, 422)

    def test_pods_of_the_controller_may_be_made_in_the_namespace(self):
        seen = 0
        for folder in manifests.KINDS:
            for thing in filter(manifests.pod_template, manifests.kustomize(folder)):
                template = copy.deepcopy(manifests.pod_template(thing))
                pod = {"apiVersion": "v1", "kind": "Pod", "spec": template["spec"],
                       "metadata": {**template["metadata"], "name": "trial", "namespace": SPACE}}
                answer = api.create_dry(pod)
                self.assertTrue(answer.good, answer)
                pod["spec"]["securityContext"]["runAsNonRoot"] = False
                pod["spec"]["securityContext"]["runAsUser"] = 0
                answer = api.create_dry(pod)
                self.assertEqual(answer.status, 403, answer)
                self.assertIn("restricted", answer.body)
                seen += 1
        self.assertEqual(seen, 3)

    def test_the_role_is_enough(self):
        for verb, resource, group in NEEDED:
            # The authorizer sees a new binding a little later.
            self.assertTrue(eventually(lambda: api.may(ACCOUNT, SPACE, verb, resource, group), 60),
                            f"{verb} {resource}")

    def test_the_role_is_not_more(self):
        for verb, resource, group in REFUSED:
            self.assertFalse(api.may(ACCOUNT, SPACE, verb, resource, group), f"{verb} {resource}")
        for verb, resource, group in NEEDED:
            self.assertFalse(api.may(ACCOUNT, "default", verb, resource, group), f"{verb} {resource}")
        for resource in ("nodes", "namespaces", "persistentvolumes"):
            self.assertFalse(api.may(ACCOUNT, "", "list", resource))

    def test_the_role_holds_nothing_that_this_test_does_not_know(self):
        role = [one for one in manifests.kustomize("base") if one["kind"] == "Role"][0]
        held = {(verb, resource, group) for rule in role["rules"] for group in rule["apiGroups"]
                for resource in rule["resources"] for verb in rule["verbs"]}
        self.assertEqual(held, set(NEEDED))


class Runs(unittest.TestCase):
    """Pods of runs, as kneepoint itself writes them, in the namespace that deploy/ makes."""

    def pods(self, site_file):
        site = manifests.yaml.safe_load((manifests.KUSTOMIZE / site_file).read_text())
        site["kubernetes"].pop("context", None)
        for job in manifests.emitted(manifests.yaml.safe_dump(site), folder):
            if job["kind"] == "Job":
                template = manifests.pod_template(job)
                yield {"apiVersion": "v1", "kind": "Pod", "spec": template["spec"],
                       "metadata": {**template["metadata"], "name": "trial", "namespace": SPACE}}

    def test_they_meet_the_pod_security_of_the_namespace(self):
        pods = list(self.pods("site-cpu.yaml"))
        self.assertGreaterEqual(len(pods), 6)
        for pod in pods:
            answer = api.create_dry(pod)
            self.assertTrue(answer.good, answer)

    def test_those_with_rdma_need_the_overlay_for_it(self):
        pod = next(self.pods("site-gpu-rdma.yaml"))
        pod["spec"].pop("priorityClassName")  # a class of that cluster's own
        answer = api.create_dry(pod)
        self.assertEqual(answer.status, 403, answer)
        self.assertIn("IPC_LOCK", answer.body)
        spaces = [manifests.kustomize(one)[0] for one in ("overlays/rdma", "base")]
        try:
            self.assertTrue(api.apply(spaces[0], dry=False).good)
            self.assertTrue(eventually(lambda: api.create_dry(pod).good, 60), api.create_dry(pod))
        finally:
            self.assertTrue(api.apply(spaces[1], dry=False).good)

    def test_the_network_policy_is_about_them_and_not_about_the_controller(self):
        things = {manifests.name_of(one): one for one in manifests.kustomize("overlays/controller")}
        runs = things["NetworkPolicy kneepoint-runs"]["spec"]["podSelector"]
        controllers = things["NetworkPolicy kneepoint-controller"]["spec"]["podSelector"]
        controller = manifests.pod_template(things["Deployment kneepoint-controller"])["metadata"]["labels"]
        run = next(self.pods("site-cpu.yaml"))["metadata"]["labels"]
        self.assertTrue(selects(runs, run))
        self.assertFalse(selects(runs, controller))
        self.assertTrue(selects(controllers, controller))
        self.assertFalse(selects(controllers, run))


def selects(selector, labels):
    for one in selector.get("matchExpressions", []):
        assert one["operator"] == "Exists", one
        if one["key"] not in labels:
            return False
    return all(labels.get(key) == value for key, value in selector["matchLabels"].items())


class Rights(unittest.TestCase):
    """What kneepoint itself says to an account that has the shipped Role, or a part of it."""

    def check(self, place):
        site = manifests.KUSTOMIZE / "site-cpu.yaml"
        plan = manifests.KUSTOMIZE / "overlays/controller/plan.yaml"
        environment = {**os.environ, "KUBECONFIG": place + "/kubeconfig", "HOME": place,
                       "KNEEPOINT_DB": place + "/kneepoint.db"}
        return subprocess.run([manifests.kneepoint(), "check", plan, "--site", site], text=True,
                              capture_output=True, env=environment)

    def log_in(self, place):
        path = f"/api/v1/namespaces/{SPACE}/serviceaccounts/kneepoint/token"
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        answer = api.call("POST", path, request)
        self.assertTrue(answer.good, answer)
        config = {
            "apiVersion": "v1", "kind": "Config", "current-context": "lab",
            "clusters": [{"name": "lab", "cluster": {"server": api.server,
                                                     "certificate-authority": api.authority}}],
            "users": [{"name": "account", "user": {"token": answer.json()["status"]["token"]}}],
            "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": "account"}}]}
        with open(place + "/kubeconfig", "w") as file:
            manifests.yaml.safe_dump(config, file)

    def test_check_is_content_with_the_role_and_names_what_is_missing(self):
        role = [one for one in manifests.kustomize("base") if one["kind"] == "Role"][0]
        with tempfile.TemporaryDirectory() as place:
            self.log_in(place)
            self.assertTrue(eventually(lambda: self.check(place).returncode == 0, 60),
                            self.check(place))
            for index, rule in enumerate(role["rules"]):
                less = copy.deepcopy(role)
                verb = less["rules"][index]["verbs"].pop()
                if not less["rules"][index]["verbs"]:
                    del less["rules"][index]
                self.assertTrue(api.apply(less, dry=False).good)
                done = None

                def is_told():  # a little later: until then the rule before this one is missing
                    nonlocal done
                    done = self.check(place)
                    return f"{rule['resources'][0]} ({verb})" in done.stdout + done.stderr

                self.assertTrue(eventually(is_told, 60), f"{verb} of {rule}: {done}")
                self.assertEqual(done.returncode, 2, done)
            self.assertTrue(api.apply(role, dry=False).good)


if __name__ == "__main__":
    folder = sys.argv.pop(1)
    api = connect(folder)
    unittest.main(verbosity=2)
