# SPDX-License-Identifier: Apache-2.0
#
# What the tests of answers for programs share: running kneepoint, noting what is wrong, and a
# schema to hold answers against. Exit 77 (skipped, with the reason) where the module is missing.
import json
import os
import subprocess
import sys

try:
    import jsonschema
except ImportError as error:
    print(f"skipped: {error}; install python3-jsonschema")
    sys.exit(77)

root, kneepoint = sys.argv[1], sys.argv[2]
TIMEOUT = 300
failures = []


def fail(text):
    print(text)
    failures.append(text)


def command(*arguments, allowed=(0,)):
    done = subprocess.run([kneepoint, *arguments], capture_output=True, text=True, timeout=TIMEOUT,
                          check=False)
    if done.returncode not in allowed:
        fail(f"{' '.join(arguments)}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def write(path, text):
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
    return path


def read(path):
    with open(os.path.join(root, path), encoding="utf-8") as stream:
        return stream.read()


def load(path):
    return json.loads(read(path))


def validator_of(schema):
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema)


def check(validator, name, answer):
    for error in list(validator.iter_errors(answer))[:10]:
        fail(f"{name}: {'.'.join(map(str, error.absolute_path))}: {error.message[:300]}")
