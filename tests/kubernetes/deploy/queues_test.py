#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `kneepoint check --emit` writes for a queue of Kueue, and for kubeflow's MPI operator, is taken by a
real API server that has their published resource definitions. Their controllers don't run: nothing is
admitted.

queues_test.py FOLDER_OF_THE_CLUSTER
"""
import copy
import pathlib
import subprocess
import sys
import unittest

import yaml

sys.dont_write_bytecode = True
import manifests  # noqa: E402
from api import connect, eventually  # noqa: E402

SPACE = "kneepoint"
api = None
folder = ""


def definitions():
    found = subprocess.run([manifests.HERE / "tools", "schemas"], capture_output=True, text=True)
    if found.returncode != 0:
        print(found.stderr, end="")
        sys.exit(found.returncode)
    return [yaml.safe_load(pathlib.Path(file).read_text()) for file in found.stdout.split()]


def established(definition):
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + definition["metadata"]["name"]
    conditions = api.call("GET", path).json().get("status", {}).get("conditions") or []
    return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)


def setUpModule():
    for thing in manifests.kustomize("base"):
        answer = api.apply(thing, dry=False)
        assert answer.good, f"{manifests.name_of(thing)}: {answer}"
    api.make_default_account(SPACE)
    for definition in definitions():
        answer = api.apply(definition, dry=False)
        assert answer.good, f"{definition['metadata']['name']}: {answer}"
        assert eventually(lambda: established(definition)), definition["metadata"]["name"]


def in_namespace(thing):
    thing = copy.deepcopy(thing)
    thing["metadata"]["namespace"] = SPACE
    return thing


class Kueue(unittest.TestCase):
    def queues(self):
        cpu = {"name": "cpu", "nominalQuota": 64}
        memory = {"name": "memory", "nominalQuota": "256Gi"}
        return [
            {"kind": "ResourceFlavor", "metadata": {"name": "any"}, "spec": {}},
            {"kind": "ClusterQueue", "metadata": {"name": "cluster"}, "spec": {
                "namespaceSelector": {}, "resourceGroups": [{
                    "coveredResources": ["cpu", "memory"],
                    "flavors": [{"name": "any", "resources": [cpu, memory]}]}]}},
            {"kind": "LocalQueue", "metadata": {"name": "performance", "namespace": SPACE},
             "spec": {"clusterQueue": "cluster"}},
        ]

    def test_its_definitions_are_in_force(self):
        for queue in self.queues():
            queue["apiVersion"] = "kueue.x-k8s.io/v1beta1"
            answer = api.apply(queue)
            self.assertTrue(answer.good, answer)
        wrong = {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "LocalQueue",
                 "metadata": {"name": "performance", "namespace": SPACE}, "spec": {"clusterQueue": 7}}
        self.assertFalse(api.apply(wrong).good)

    def test_jobs_start_suspended_in_the_sites_queue(self):
        text = (manifests.KUSTOMIZE / "site-kueue.yaml").read_text()
        jobs = [one for one in manifests.emitted(text, folder) if one["kind"] == "Job"]
        self.assertGreaterEqual(len(jobs), 6)
        for job in jobs:
            self.assertEqual(job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"], "performance")
            self.assertIs(job["spec"]["suspend"], True)
            answer = api.create_dry(in_namespace(job))
            self.assertTrue(answer.good, answer)
            self.assertEqual(answer.warnings, [])

    def test_jobs_of_a_site_without_a_queue_are_not_suspended(self):
        text = (manifests.KUSTOMIZE / "site-cpu.yaml").read_text()
        for job in [one for one in manifests.emitted(text, folder) if one["kind"] == "Job"]:
            self.assertNotIn("kueue.x-k8s.io/queue-name", job["metadata"]["labels"])
            self.assertFalse(job["spec"].get("suspend", False))


class MpiJobs(unittest.TestCase):
    """Of a site that says `mpi_job: true`."""
    def emitted(self, site):
        text = (manifests.KUSTOMIZE / site).read_text()
        self.assertIn("\nkubernetes:\n", text)
        return manifests.emitted(text.replace("\nkubernetes:\n", "\nkubernetes:\n  mpi_job: true\n"), folder)

    def test_they_are_taken_as_they_are(self):
        jobs = self.emitted("site-cpu.yaml")
        self.assertGreaterEqual(len(jobs), 6)
        sizes = set()
        for job in jobs:
            self.assertEqual(job["kind"], "MPIJob")
            self.assertNotIn("suspend", job["spec"]["runPolicy"])
            answer = api.create_dry(in_namespace(job))
            self.assertTrue(answer.good, answer)
            self.assertEqual(answer.warnings, [])
            kept = answer.json()["spec"]
            self.assertEqual(kept["runPolicy"]["backoffLimit"], 0)
            self.assertIs(kept["runLauncherAsWorker"], True)
            roles = kept["mpiReplicaSpecs"]
            self.assertEqual(roles["Launcher"]["replicas"], 1)
            workers = roles.get("Worker", {"replicas": 0})["replicas"]
            sizes.add(1 + workers)
            for role in roles.values():  # nothing of a pod is lost on the way
                self.assertEqual(role["template"]["spec"]["containers"][0]["command"][1], "pod")
        self.assertGreater(len(sizes), 1)
        self.assertIn(1, sizes)

    def test_their_pods_are_pods(self):
        """The operator makes pods of the templates, to which its schema is kind."""
        for job in self.emitted("site-cpu.yaml"):
            for role, replica in job["spec"]["mpiReplicaSpecs"].items():
                pod = {"apiVersion": "v1", "kind": "Pod", **copy.deepcopy(replica["template"])}
                pod["spec"]["restartPolicy"] = replica["restartPolicy"]
                pod["metadata"]["name"] = job["metadata"]["name"] + "-" + role.lower()
                answer = api.create_dry(in_namespace(pod))
                self.assertTrue(answer.good, answer)
                self.assertEqual(answer.warnings, [])

    def test_they_start_suspended_in_the_sites_queue(self):
        for job in self.emitted("site-kueue.yaml"):
            self.assertEqual(job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"], "performance")
            answer = api.create_dry(in_namespace(job))
            self.assertTrue(answer.good, answer)
            self.assertIs(answer.json()["spec"]["runPolicy"]["suspend"], True)

    def test_the_definition_is_in_force(self):
        job = in_namespace(self.emitted("site-cpu.yaml")[0])
        for wrong in ({"mpiImplementation": "ssh"}, {"completions": 2}):
            answer = api.create_dry({**job, "spec": {**job["spec"], **wrong}})
            self.assertFalse(answer.good, wrong)


if __name__ == "__main__":
    folder = sys.argv.pop(1)
    api = connect(folder)
    unittest.main(verbosity=2)
