#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The chart and the kustomizations make the same objects, and these keep what their comments promise."""
import copy
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import manifests  # noqa: E402

OURS = ("helm.sh/", "checksum/", "app.kubernetes.io/version", "app.kubernetes.io/managed-by")


def plain(thing):
    """Without what Helm and kustomize each add in their own way."""
    thing = copy.deepcopy(thing)

    def clean(metadata):
        for field in ("labels", "annotations"):
            kept = {k: v for k, v in metadata.get(field, {}).items() if not k.startswith(OURS)}
            metadata.pop(field, None)
            if kept:
                metadata[field] = kept

    clean(thing["metadata"])
    template = manifests.pod_template(thing)
    if template:
        clean(template["metadata"])
        for volume in template["spec"]["volumes"]:
            if "configMap" in volume:
                volume["configMap"]["name"] = without_hash(volume["configMap"]["name"])
    if thing["kind"] == "ConfigMap":
        thing["metadata"]["name"] = without_hash(thing["metadata"]["name"])
    return thing


def without_hash(name):
    """kustomize appends one to the names of what it generates."""
    return re.sub(r"(-controller|-nightly)-[a-z0-9]{10}$", r"\1", name)


def by_name(things):
    return {manifests.name_of(one): one for one in map(plain, things)}


def all_renderings():
    for folder in manifests.KINDS:
        yield "kustomize " + folder, manifests.kustomize(folder)
        yield "helm " + folder, manifests.helm(manifests.values_like(folder))[0]


class Rendered(unittest.TestCase):
    maxDiff = None

    def test_chart_and_kustomization_make_the_same(self):
        for folder in manifests.KINDS:
            with self.subTest(folder):
                expected = by_name(manifests.kustomize(folder))
                self.assertGreaterEqual(len(expected), 6)
                self.assertEqual(by_name(manifests.helm(manifests.values_like(folder))[0]), expected)

    def test_every_field_is_one_that_kubernetes_knows(self):
        for name, things in all_renderings():
            with self.subTest(name):
                text = manifests.yaml.safe_dump_all(things)
                said = manifests.render("strict", text=text)[1]
                self.assertEqual(said, f"{len(things)} objects\n")

    def test_a_field_that_kubernetes_does_not_know_is_seen(self):
        text = manifests.yaml.safe_dump_all(manifests.kustomize("base"))
        with self.assertRaisesRegex(RuntimeError, "policyTipes"):
            manifests.render("strict", text=text.replace("policyTypes", "policyTipes"))

    def test_pods_have_no_more_than_they_need(self):
        seen = 0
        for name, things in all_renderings():
            for thing in filter(manifests.pod_template, things):
                pod = manifests.pod_template(thing)["spec"]
                container = pod["containers"][0]
                with self.subTest(f"{name}: {manifests.name_of(thing)}"):
                    seen += 1
                    self.assertTrue(pod["securityContext"]["runAsNonRoot"])
                    self.assertGreater(pod["securityContext"]["runAsUser"], 0)
                    self.assertTrue(container["securityContext"]["readOnlyRootFilesystem"])
                    self.assertEqual(container["securityContext"]["capabilities"], {"drop": ["ALL"]})
                    self.assertRegex(container["image"], r":\d+\.\d+\.\d+$")
                    self.assertFalse({"hostNetwork", "hostPID", "hostIPC"} & set(pod))
        self.assertEqual(seen, 6)

    def test_only_the_controllers_one_pod_has_the_database(self):
        deployment = by_name(manifests.kustomize("overlays/controller"))["Deployment kneepoint-controller"]
        self.assertEqual(deployment["spec"]["strategy"], {"type": "Recreate"})
        self.assertEqual(deployment["spec"]["replicas"], 1)
        things = by_name(manifests.kustomize("overlays/nightly"))
        night = things["CronJob kneepoint-nightly"]
        self.assertEqual(night["spec"]["concurrencyPolicy"], "Forbid")
        owners = [name for name, one in things.items() if manifests.pod_template(one)
                  and any("persistentVolumeClaim" in volume for volume in manifests.pod_template(one)["spec"]["volumes"])]
        self.assertEqual(owners, ["Deployment kneepoint-controller"])
        self.assertIs(manifests.pod_template(night)["spec"]["automountServiceAccountToken"], False)
        pod = manifests.pod_template(deployment)["spec"]
        variables = {one["name"]: one["value"] for one in pod["containers"][0]["env"]}
        mounts = {one["name"]: one["mountPath"] for one in pod["containers"][0]["volumeMounts"]}
        self.assertTrue(variables["KNEEPOINT_DB"].startswith(mounts["state"] + "/"))

    def test_the_token_comes_from_a_secret_that_nobody_else_reads(self):
        for folder in ("overlays/controller", "overlays/nightly"):
            for thing in filter(manifests.pod_template, manifests.kustomize(folder)):
                pod = manifests.pod_template(thing)["spec"]
                volumes = [one["secret"] for one in pod["volumes"] if one["name"] == "token"]
                self.assertEqual(volumes, [{"secretName": "kneepoint-token", "defaultMode": 0o440}])
                command = pod["containers"][0]["command"]
                mount = [one["mountPath"] for one in pod["containers"][0]["volumeMounts"] if one["name"] == "token"]
                self.assertEqual(command[command.index("--token-file") + 1], mount[0] + "/token")
            self.assertFalse([one for one in manifests.kustomize(folder) if one["kind"] == "Secret"])

    def test_the_night_reaches_the_controller_and_nothing_else(self):
        things = by_name(manifests.kustomize("overlays/nightly"))
        pod = manifests.pod_template(things["CronJob kneepoint-nightly"])
        command = pod["spec"]["containers"][0]["command"]
        service = things["Service kneepoint-controller"]
        port = [one["port"] for one in service["spec"]["ports"] if one["name"] == "dashboard"][0]
        self.assertEqual(command[command.index("--server") + 1],
                         f"http://{service['metadata']['name']}:{port}")
        serving = manifests.pod_template(things["Deployment kneepoint-controller"])["spec"]["containers"][0]
        hosts = serving["command"][serving["command"].index("--allow-host") + 1]
        self.assertIn(service["metadata"]["name"], hosts.split(","))
        self.assertEqual({one["name"]: one["containerPort"] for one in serving["ports"]}["dashboard"], port)
        for kind in ("readinessProbe", "livenessProbe"):
            self.assertEqual(serving[kind]["httpGet"], {"path": "/healthz", "port": "dashboard"})
        labels = pod["metadata"]["labels"]
        own = things["NetworkPolicy kneepoint-nightly"]["spec"]
        self.assertLessEqual(own["podSelector"]["matchLabels"].items(), labels.items())
        self.assertNotIn("ingress", own)
        entry = [rule for rule in things["NetworkPolicy kneepoint-controller"]["spec"]["ingress"]
                 if rule["ports"][0]["port"] == port]
        self.assertEqual(len(entry), 1)
        self.assertLessEqual(entry[0]["from"][0]["podSelector"]["matchLabels"].items(), labels.items())

    def test_the_commands_of_the_pods_exist(self):
        seen = []
        for thing in filter(manifests.pod_template, manifests.kustomize("overlays/nightly")):
            command = manifests.pod_template(thing)["spec"]["containers"][0]["command"]
            asked = [manifests.kneepoint(), command[1]]
            if command[0] == "/opt/kneepoint/bin/start-study":
                asked = [manifests.ROOT / "deploy/container/start-study"]
            else:
                self.assertEqual(command[0], "/opt/kneepoint/bin/kneepoint")
            seen.append(asked[-1] if len(asked) == 2 else "start-study")
            text = subprocess.run([*asked, "--help"], capture_output=True, text=True, check=True).stdout
            for flag in [word for word in command if word.startswith("--")]:
                self.assertIn(flag + " ", text)
        self.assertEqual(sorted(seen), ["serve", "start-study"])

    def test_another_plan_replaces_the_controllers_pod(self):
        def of(values):
            deployment = by_name_raw(manifests.helm(values)[0])["Deployment kneepoint-controller"]
            return manifests.pod_template(deployment)["metadata"]["annotations"]["checksum/config"]

        values = manifests.values_like("overlays/controller")
        before = of(values)
        values["plan"] += "# changed\n"
        self.assertNotEqual(of(values), before)
        config = [one for one in manifests.kustomize("overlays/controller") if one["kind"] == "ConfigMap"]
        self.assertRegex(config[0]["metadata"]["name"], r"^kneepoint-controller-[a-z0-9]{10}$")

    def test_rdma_differs_from_base_in_pod_security_alone(self):
        base = by_name(manifests.kustomize("base"))
        rdma = by_name(manifests.kustomize("overlays/rdma"))
        self.assertEqual(set(rdma), set(base))
        self.assertEqual([name for name in base if base[name] != rdma[name]], ["Namespace kneepoint"])

    def test_an_overlay_can_rename_the_namespace(self):
        for folder in manifests.KINDS:
            with self.subTest(folder), tempfile.TemporaryDirectory() as place:
                base = os.path.relpath(manifests.KUSTOMIZE / folder, os.path.realpath(place))
                text = manifests.yaml.safe_dump({"namespace": "perf", "resources": [base]})
                pathlib.Path(place, "kustomization.yaml").write_text(text)
                things = manifests.render("kustomize", place)[0]
                spaces = {one["metadata"].get("namespace", one["metadata"]["name"]) for one in things}
                self.assertEqual(spaces, {"perf"})
                binding = [one for one in things if one["kind"] == "RoleBinding"][0]
                self.assertEqual(binding["subjects"][0]["namespace"], "perf")

    def test_values_that_make_no_sense_are_refused(self):
        for values, said in [
            ({"controler": {"kind": "serve"}}, "controler"),
            ({"controller": {"kind": "daemon"}}, "kind"),
            ({"controller": {"image": {"tag": "latest"}}}, "tag"),
            ({"storage": {"accessMode": "ReadWriteMany"}}, "accessMode"),
            ({"controller": {"kind": "serve"}}, "--set-file plan=plan.yaml"),
        ]:
            with self.subTest(values), self.assertRaisesRegex(RuntimeError, said):
                manifests.helm(values)

    def test_every_value_changes_something(self):
        start = manifests.values_like("overlays/nightly")
        before = manifests.helm(start)[1]
        for more in [
            {"controller": {"image": {"repository": "a/b"}}},
            {"controller": {"image": {"tag": "9.9.9"}}},
            {"controller": {"image": {"pullPolicy": "Always"}}},
            {"controller": {"image": {"pullSecrets": ["s"]}}},
            {"controller": {"resources": {"limits": {"memory": "1Gi"}}}},
            {"controller": {"nodeSelector": {"a": "b"}}},
            {"controller": {"tolerations": [{"key": "a", "operator": "Exists"}]}},
            {"controller": {"affinity": {"nodeAffinity": {}}}},
            {"nightly": {"schedule": "0 3 * * *"}},
            {"nightly": {"timeZone": "Europe/Berlin"}},
            {"nightly": {"activeDeadlineSeconds": 3600}},
            {"nightly": {"gate": False}},
            {"dashboard": {"tokenSecret": "other"}},
            {"dashboard": {"hosts": ["perf.example.org"]}},
            {"networkPolicy": {"dashboardFrom": [{"podSelector": {"matchLabels": {"a": "b"}}}]}},
            {"storage": {"size": "1Gi"}},
            {"storage": {"storageClass": "fast"}},
            {"storage": {"accessMode": "ReadWriteOncePod"}},
            {"namespace": {"podSecurity": "baseline"}},
            {"namespace": {"create": False}},
            {"serviceAccount": {"annotations": {"a": "b"}}},
            {"rbac": {"subjects": [{"kind": "User", "name": "me"}]}},
            {"networkPolicy": {"enabled": False}},
            {"networkPolicy": {"apiServerPorts": [8443]}},
            {"networkPolicy": {"runsEgress": [{"to": []}]}},
        ]:
            with self.subTest(more):
                self.assertNotEqual(manifests.helm(merged(start, more))[1], before)

    def test_the_notes_name_what_was_made(self):
        for folder, words in [("base", "outside the cluster"), ("overlays/nightly", "cronjob/perf-nightly"),
                              ("overlays/controller", "deploy/perf-controller")]:
            said = manifests.helm(manifests.values_like(folder), release="perf", namespace="lab")[1]
            notes = [line for line in said.splitlines() if line.startswith("# ")]
            self.assertIn(words, "\n".join(notes))
            self.assertIn("lab", "\n".join(notes))

    def test_a_release_of_another_name_shares_nothing_with_the_first(self):
        values = manifests.values_like("overlays/controller")
        first, second = (by_name_raw(manifests.helm(values, release=one)[0]) for one in ("one", "two"))
        self.assertEqual(set(first) & set(second), {"Namespace kneepoint"})


def by_name_raw(things):
    return {manifests.name_of(one): one for one in things}


def merged(a, b):
    if not isinstance(a, dict) or not isinstance(b, dict):
        return b
    return {key: merged(a[key], b[key]) if key in a and key in b else b.get(key, a.get(key))
            for key in {*a, *b}}


if __name__ == "__main__":
    unittest.main(verbosity=2)
