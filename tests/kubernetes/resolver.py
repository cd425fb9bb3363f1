#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names of the test cluster: HOST.SERVICE.NAMESPACE.svc.cluster.local from EndpointSlices.

resolver.py ADDRESS API_SERVER CA CERTIFICATE KEY

Stands in for CoreDNS, which a kubelet and its pods don't notice: A records of headless services
and their pods, and the API server's own name. Everything else does not exist.
"""
import json
import socket
import ssl
import struct
import sys
import time
import urllib.request

KEPT_SECONDS = 0.3  # how old the list of addresses may be
SUFFIX = ".svc.cluster.local"


class Names:
    def __init__(self, server, context):
        self.server, self.context = server, context
        self.read_at, self.names = 0.0, {}

    def addresses(self, name):
        if time.monotonic() - self.read_at > KEPT_SECONDS:
            self.read()
        return self.names.get(name, [])

    def read(self):
        url = self.server + "/apis/discovery.k8s.io/v1/endpointslices"
        try:
            with urllib.request.urlopen(url, context=self.context, timeout=2) as answer:
                slices = json.load(answer)["items"]
        except (OSError, ValueError) as error:
            print("resolver:", error, file=sys.stderr, flush=True)
            return
        names = {"kubernetes.default" + SUFFIX: ["10.96.0.1"]}
        for part in slices:
            space = part["metadata"]["namespace"]
            service = part["metadata"].get("labels", {}).get("kubernetes.io/service-name")
            if not service or part.get("addressType") != "IPv4" or service == "kubernetes":
                continue
            base = f"{service}.{space}{SUFFIX}"
            for endpoint in part.get("endpoints") or []:
                names.setdefault(base, []).extend(endpoint["addresses"])
                if endpoint.get("hostname"):
                    full = f"{endpoint['hostname']}.{base}"
                    names.setdefault(full, []).extend(endpoint["addresses"])
        self.names, self.read_at = names, time.monotonic()


def question(packet):
    labels, at = [], 12
    while packet[at]:
        labels.append(packet[at + 1 : at + 1 + packet[at]].decode("ascii", "replace"))
        at += packet[at] + 1
    kind = struct.unpack("!H", packet[at + 1 : at + 3])[0]
    return ".".join(labels).lower(), kind, packet[12 : at + 5]


def answer_to(packet, names):
    name, kind, asked = question(packet)
    addresses = names.addresses(name)
    shown = addresses if kind == 1 else []
    code = 0 if addresses else 3  # no error; no such name
    head = packet[:2] + struct.pack("!HHHHH", 0x8580 | code, 1, len(shown), 0, 0)
    body = b"".join(
        b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, 1, 4) + socket.inet_aton(a) for a in shown
    )
    return head + asked + body


def main():
    address, server, authority, certificate, key = sys.argv[1:]
    context = ssl.create_default_context(cafile=authority)
    context.load_cert_chain(certificate, key)
    names = Names(server, context)
    door = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    door.bind((address, 53))
    while True:
        packet, asker = door.recvfrom(4096)
        try:
            door.sendto(answer_to(packet, names), asker)
        except (IndexError, struct.error):
            pass  # not a question


if __name__ == "__main__":
    main()
