# SPDX-License-Identifier: Apache-2.0
#
# Validates every shipped plan and site against its JSON Schema, and that the schema refuses a slip.
# Exit 77 (skipped, with the reason) where the modules are missing.
import glob
import json
import os
import sys

try:
    import jsonschema
    import yaml
except ImportError as error:
    print(f"skipped: {error}; install python3-jsonschema and python3-yaml")
    sys.exit(77)

root = sys.argv[1]


def load(path):
    with open(os.path.join(root, path), encoding="utf-8") as stream:
        return yaml.safe_load(stream) if path.endswith(".yaml") else json.load(stream)


failures = 0
checked = 0
for schema_name, pattern in (("plan", "plans/*.yaml"), ("site", "plans/sites/*.yaml"),
                            ("mix", "plans/mixes/*.yaml"),
                            ("site", "deploy/slurm/*.yaml"), ("site", "deploy/kubernetes/*.yaml"),
                            ("site", "deploy/kubernetes/overlays/*/site.yaml"),
                            ("plan", "deploy/kubernetes/overlays/*/plan.yaml")):
    schema = load(f"docs/reference/{schema_name}.schema.json")
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    validator = kind(schema)
    for path in sorted(glob.glob(os.path.join(root, pattern))):
        name = os.path.relpath(path, root)
        document = load(name)
        checked += 1
        for error in validator.iter_errors(document):
            print(f"{name}: {'.'.join(map(str, error.absolute_path))}: {error.message}")
            failures += 1
        if validator.is_valid({**document, "no_such_key": 1}):
            print(f"{name}: the schema accepts an unknown key")
            failures += 1
print(f"{checked} files checked")
if checked < 7:
    print("expected at least 7 shipped plans and sites")
    failures += 1
sys.exit(1 if failures else 0)
