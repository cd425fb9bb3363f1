#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An image of one layer from a folder, as a docker-archive, without a container engine.

image.py --name NAME:TAG [--entrypoint PROGRAM] [--env NAME=VALUE]... FOLDER ARCHIVE
"""
import argparse
import hashlib
import io
import json
import os
import tarfile


def add_bytes(archive, name, content):
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    entry.mode = 0o644
    archive.addfile(entry, io.BytesIO(content))


def owned_by_root(entry):
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mtime = 0
    return entry


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--name", required=True)
    parser.add_argument("--entrypoint")
    parser.add_argument("--env", action="append", default=[])
    parser.add_argument("folder")
    parser.add_argument("archive")
    given = parser.parse_args()

    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as tar:
        for name in sorted(os.listdir(given.folder)):
            tar.add(os.path.join(given.folder, name), arcname=name, filter=owned_by_root)
    content = layer.getvalue()
    digest = hashlib.sha256(content).hexdigest()
    config = {
        "architecture": "amd64",
        "os": "linux",
        "config": {"Env": given.env or ["PATH=/usr/local/bin:/usr/bin:/bin"]},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + digest]},
        "history": [{"created_by": "image.py"}],
    }
    if given.entrypoint:
        config["config"]["Entrypoint"] = [given.entrypoint]
    config_text = json.dumps(config, sort_keys=True).encode()
    config_name = hashlib.sha256(config_text).hexdigest() + ".json"
    manifest = [{"Config": config_name, "RepoTags": [given.name], "Layers": [digest + "/layer.tar"]}]
    with tarfile.open(given.archive + ".new", mode="w") as archive:
        add_bytes(archive, config_name, config_text)
        add_bytes(archive, digest + "/layer.tar", content)
        add_bytes(archive, "manifest.json", json.dumps(manifest).encode())
    os.replace(given.archive + ".new", given.archive)


if __name__ == "__main__":
    main()
