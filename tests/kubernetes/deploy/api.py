# SPDX-License-Identifier: Apache-2.0
"""Calls to the API server of a test cluster, as its admin or as somebody that the admin stands for."""
import json
import pathlib
import ssl
import sys
import time
import urllib.error
import urllib.request

import yaml

PLURALS = {
    "ClusterQueue": "clusterqueues", "ConfigMap": "configmaps", "CronJob": "cronjobs",
    "CustomResourceDefinition": "customresourcedefinitions", "Deployment": "deployments",
    "Job": "jobs", "LocalQueue": "localqueues", "Namespace": "namespaces",
    "MPIJob": "mpijobs", "Secret": "secrets", "NetworkPolicy": "networkpolicies", "PersistentVolumeClaim": "persistentvolumeclaims",
    "PersistentVolume": "persistentvolumes", "Pod": "pods", "ResourceFlavor": "resourceflavors", "Role": "roles",
    "RoleBinding": "rolebindings", "Service": "services", "ServiceAccount": "serviceaccounts",
}
OF_THE_CLUSTER = {"ClusterQueue", "CustomResourceDefinition", "Namespace", "PersistentVolume",
                  "ResourceFlavor"}


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.body = status, body
        self.warnings = headers.get_all("Warning") or []

    @property
    def good(self):
        return 200 <= self.status < 300

    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.warnings} {self.body[:600]}"


class Api:
    def __init__(self, folder):
        with open(folder + "/admin.kubeconfig") as file:
            config = yaml.safe_load(file)
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        self.server, self.authority = cluster["server"], cluster["certificate-authority"]
        self.context = ssl.create_default_context(cafile=self.authority)
        self.context.load_cert_chain(user["client-certificate"], user["client-key"])

    def call(self, method, path, body=None, kind="application/json", user=None):
        headers = {"Content-Type": kind, "Accept": "application/json"}
        if user:
            headers["Impersonate-User"] = user
        data = None if body is None else (body if isinstance(body, bytes) else json.dumps(body).encode())
        request = urllib.request.Request(self.server + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, context=self.context, timeout=60) as answer:
                return Answer(answer.status, answer.headers, answer.read().decode())
        except urllib.error.HTTPError as error:
            return Answer(error.code, error.headers, error.read().decode())

    def apply(self, thing, dry=True):
        """Server-side apply, with unknown fields as errors."""
        query = "?fieldManager=kneepoint-test&force=true&fieldValidation=Strict" + ("&dryRun=All" if dry else "")
        path = f"{collection(thing)}/{thing['metadata']['name']}{query}"
        return self.call("PATCH", path, thing, "application/apply-patch+yaml")

    def create_dry(self, thing):
        return self.call("POST", collection(thing) + "?dryRun=All&fieldValidation=Strict", thing)

    def make_default_account(self, namespace):
        """Which pods need; where the API server is alone, nobody else makes it."""
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts"
        answer = self.call("POST", path, {"metadata": {"name": "default"}})
        assert answer.status in (201, 409), answer

    def may(self, user, namespace, verb, resource, group=""):
        """Is this user allowed to? By the API server's own judgement."""
        name, _, sub = resource.partition("/")
        wanted = {"namespace": namespace, "verb": verb, "resource": name, "group": group}
        if sub:
            wanted["subresource"] = sub
        review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
                  "spec": {"user": user, "resourceAttributes": wanted}}
        answer = self.call("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
        assert answer.good, answer
        return answer.json()["status"]["allowed"]


def connect(folder):
    """Ends the program with 77, "skipped", where the cluster could not be started, and says why."""
    place = pathlib.Path(folder)
    if not (place / "admin.kubeconfig").exists():
        why = place / "why"
        print("skipped: " + why.read_text() if why.exists() else f"there is no cluster in {folder}")
        sys.exit(77 if why.exists() else 1)
    return Api(folder)


def collection(thing):
    version, kind = thing["apiVersion"], thing["kind"]
    base = f"/api/{version}" if "/" not in version else f"/apis/{version}"
    if kind in OF_THE_CLUSTER:
        return f"{base}/{PLURALS[kind]}"
    return f"{base}/namespaces/{thing['metadata'].get('namespace', 'default')}/{PLURALS[kind]}"


def eventually(question, seconds=120):
    """Asks until the answer is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if question():
            return True
        time.sleep(0.2)
    return False
