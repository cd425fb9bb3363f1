#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The controller of deploy/kubernetes at work: in pods of a real cluster, with the shipped account, Role,
pod security and volume. Their image is what `cmake --install` installs, since nothing builds images here.

in_cluster_test.py FOLDER_OF_THE_CLUSTER BUILD_FOLDER
"""
import json
import os
import pathlib
import secrets
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import manifests  # noqa: E402
from api import collection, connect, eventually  # noqa: E402

sys.path.insert(0, str(manifests.HERE.parent))
import worker_image  # noqa: E402

SPACE, VOLUME, IMAGE = "kneepoint", "kneepoint-state", "kneepoint.test/controller:0.1.0"
TOKEN = secrets.token_hex(32)
RUNS = 18  # of plans/kubernetes-try.yaml
SITE = """name: in-cluster
backend: kubernetes
environment: {OMPI_MCA_mpi_yield_when_idle: 1}
kubernetes: {image: "kneepoint.test/worker:1", one_pod_per_node: false}
"""
api, folder, build = None, "", ""


def give_image():
    with tempfile.TemporaryDirectory() as place:
        root, archive = place + "/root", place + "/controller.tar"
        os.mkdir(root)
        worker_image.assemble(build, root, worker_image.mpi_folders())
        bin_folder = root + worker_image.PREFIX + "/bin"
        worker_image.told("cmake", "--install", build, "--component", "controller", "--strip",
                          "--prefix", root + worker_image.PREFIX)
        worker_image.copy(str(manifests.ROOT / "deploy/container/start-study"), root,
                          worker_image.PREFIX + "/bin/start-study")
        asks = [worker_image.copy(worker_image.found(one), root, "/usr/bin/" + one)
                for one in ("curl", "cut", "grep", "sed", "tr")]  # as the Containerfile's Debian has them
        for library in sorted(set(worker_image.libraries_of([bin_folder + "/kneepoint", *asks]))):
            worker_image.copy(library, root)
        worker_image.told(shutil.which("ldconfig") or "/sbin/ldconfig", "-r", root)
        worker_image.told(sys.executable, str(manifests.HERE.parent / "image.py"), "--name", IMAGE,
                          "--env", f"PATH={worker_image.PREFIX}/bin:/usr/bin", root, archive)
        worker_image.told(str(manifests.HERE.parent / "cluster"), "image", folder, archive)


def setUpModule():
    give_image()


class InCluster(unittest.TestCase):
    def setUp(self):
        self.assertTrue(eventually(lambda: api.call("GET", f"/api/v1/namespaces/{SPACE}").status == 404, 60),
                        "another test left its namespace behind")
        self.state = pathlib.Path(tempfile.mkdtemp(prefix="kneepoint-state-"))
        os.chown(self.state, worker_image.USER, worker_image.USER)

    def tearDown(self):
        space = f"/api/v1/namespaces/{SPACE}"
        api.call("DELETE", space)
        self.assertTrue(eventually(lambda: api.call("GET", space).status == 404, 180))
        volume = "/api/v1/persistentvolumes/" + VOLUME
        api.call("DELETE", volume)
        self.assertTrue(eventually(lambda: api.call("GET", volume).status == 404, 60))
        shutil.rmtree(self.state)

    def make(self, overlay, name):
        """Applies an overlay as a user's own overlay would change it: image, plan, site, a volume."""
        volume = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": VOLUME},
                  "spec": {"capacity": {"storage": "5Gi"}, "accessModes": ["ReadWriteOnce"],
                           "claimRef": {"namespace": SPACE, "name": name},
                           "hostPath": {"path": str(self.state)}}}
        with tempfile.TemporaryDirectory() as place:
            here = pathlib.Path(os.path.realpath(place))
            (here / "plan.yaml").write_text((manifests.ROOT / "plans/kubernetes-try.yaml").read_text())
            (here / "site.yaml").write_text(SITE)
            (here / "kustomization.yaml").write_text(manifests.yaml.safe_dump({
                "resources": [os.path.relpath(manifests.KUSTOMIZE / overlay, here)],
                "namespace": SPACE,
                "images": [{"name": "registry.example.org/kneepoint/controller",
                            "newName": IMAGE.partition(":")[0], "newTag": IMAGE.partition(":")[2]}],
                "configMapGenerator": [{"name": name, "behavior": "replace",
                                        "files": ["plan.yaml", "site.yaml"]}]}))
            things = manifests.render("kustomize", here)[0]
        for thing in things:
            if thing["kind"] == "CronJob":  # the test begins its own night, whatever the time of day
                thing["spec"]["suspend"] = True
        secret = {"apiVersion": "v1", "kind": "Secret", "stringData": {"token": TOKEN},
                  "metadata": {"name": "kneepoint-token", "namespace": SPACE}}
        space = [one for one in things if one["kind"] == "Namespace"]
        for thing in [volume, *space, secret, *[one for one in things if one not in space]]:
            answer = api.apply(thing, dry=False)
            self.assertTrue(answer.good, f"{manifests.name_of(thing)}: {answer}")
        return {one["kind"]: one for one in things}

    def pods(self, component):
        path = (f"/api/v1/namespaces/{SPACE}/pods?labelSelector="
                f"app.kubernetes.io/component={component}")
        return [one["metadata"]["name"] for one in api.call("GET", path).json()["items"]]

    def log(self, pod):
        return api.call("GET", f"/api/v1/namespaces/{SPACE}/pods/{pod}/log").body

    def logs(self):
        return "\n".join(self.log(pod) for kind in ("controller", "nightly") for pod in self.pods(kind))

    def succeeded(self):
        """Runs of the only study; 0 before there is one."""
        database = self.state / "kneepoint.db"
        if not database.exists():
            return 0
        said = subprocess.run([manifests.kneepoint(), "--db", str(database), "list", "--json"], text=True,
                              capture_output=True)
        studies = json.loads(said.stdout)["studies"] if said.returncode == 0 else []
        return studies[0]["succeeded"] if studies else 0

    def expect_a_finished_study(self):
        database = str(self.state / "kneepoint.db")
        said = subprocess.run([manifests.kneepoint(), "--db", database, "list", "--json"], text=True,
                              capture_output=True, check=True).stdout
        studies = json.loads(said)["studies"]
        self.assertEqual(len(studies), 1, said)
        self.assertEqual(studies[0]["state"], "finished", said)
        report = subprocess.run([manifests.kneepoint(), "--db", database, "report"], text=True,
                                capture_output=True, check=True).stdout
        self.assertIn(f"{RUNS} runs: {RUNS} valid, 0 failed", report)

    def expect_nothing_left(self):
        for kind in ("/apis/batch/v1/namespaces/%s/jobs", "/api/v1/namespaces/%s/services"):
            path = kind % SPACE + "?labelSelector=app.kubernetes.io/managed-by=kneepoint"
            self.assertTrue(eventually(lambda: not api.call("GET", path).json()["items"], 60),
                            api.call("GET", path))

    def test_a_night_is_a_study_of_the_controller_which_resumes_it_in_its_next_pod(self):
        night = self.make("overlays/nightly", "kneepoint-controller")["CronJob"]
        self.assertTrue(eventually(lambda: self.pods("controller"), 60))
        job = {"apiVersion": "batch/v1", "kind": "Job", "spec": night["spec"]["jobTemplate"]["spec"],
               "metadata": {"name": "now", "namespace": SPACE}}
        controller = f"/apis/apps/v1/namespaces/{SPACE}/deployments/kneepoint-controller"

        def is_ready():
            return api.call("GET", controller).json().get("status", {}).get("readyReplicas") == 1

        self.assertTrue(eventually(is_ready, 120), self.logs())
        self.assertTrue(api.apply(job, dry=False).good)
        self.assertTrue(eventually(lambda: self.succeeded() >= 3, 400), self.logs())
        first = self.pods("controller")
        self.assertEqual(len(first), 1)
        self.assertLess(self.succeeded(), RUNS, "too late to kill anything")
        answer = api.call("DELETE", f"/api/v1/namespaces/{SPACE}/pods/{first[0]}")
        self.assertTrue(answer.good, answer)

        def over():
            status = api.call("GET", collection(job) + "/now").json().get("status", {})
            return [one["type"] for one in status.get("conditions") or []
                    if one["type"] in ("Complete", "Failed") and one["status"] == "True"]

        self.assertTrue(eventually(over, 900), self.logs())
        self.assertEqual(over(), ["Complete"], self.logs())
        said = self.log(self.pods("nightly")[0])
        self.assertIn(f"finished: {RUNS} of {RUNS} runs done, 0 failed", said)
        self.assertIn("NO_BASELINE", said)
        self.assertNotIn(TOKEN, self.logs())
        self.assertNotEqual(self.pods("controller"), first)
        self.expect_a_finished_study()
        self.expect_nothing_left()


if __name__ == "__main__":
    folder, build = sys.argv.pop(1), sys.argv.pop(1)
    api = connect(folder)
    if os.path.exists(folder + "/why"):  # a control plane alone
        print("skipped: " + pathlib.Path(folder, "why").read_text())
        sys.exit(77)
    unittest.main(verbosity=2)
