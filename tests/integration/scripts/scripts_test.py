#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What ./check and ./quickstart share: the status they end with, and the counts they print."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()


class Beside(unittest.TestCase):
    """Work that goes on beside the tests."""

    def script(self, text, folder):
        lines = ["set -euo pipefail", f"source '{ROOT}/.ci/lib.sh'", f"results='{folder}'", text]
        return subprocess.run(["bash", "-c", "\n".join(lines)], capture_output=True, text=True,
                              check=False)

    def test_that_all_went_well_is_the_status(self):
        with tempfile.TemporaryDirectory() as folder:
            ended = self.script("""
beside() { beside_step one echo done; }
beside_start
run_phase first beside_result one
wait
phases_ok""", folder)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("done", ended.stdout)

    def test_a_failed_step_fails_its_phase_and_not_the_next_step(self):
        with tempfile.TemporaryDirectory() as folder:
            ended = self.script("""
beside() { beside_step one false; beside_step two echo went on; }
beside_start
run_phase first beside_result one || true
run_phase second beside_result two
phases_ok || exit 7""", folder)
        self.assertEqual(ended.returncode, 7, ended.stderr)
        self.assertIn("went on", ended.stdout)

    def test_a_script_that_ends_early_leaves_nothing_running(self):
        with tempfile.TemporaryDirectory() as folder:
            fifo = os.path.join(folder, "fifo")
            os.mkfifo(fifo)
            # sleep holds the pipe's writing end until it is killed: then reading it ends.
            ended = self.script(f"""
beside() {{ beside_step one bash -c 'exec sleep 1000 >"{fifo}"'; }}
beside_start
exec 9<"{fifo}"
exit 3""", folder)
            self.assertEqual(ended.returncode, 3, ended.stderr)
            with open(fifo, "rb", buffering=0, opener=lambda path, flags: os.open(
                    path, flags | os.O_NONBLOCK)) as end:
                os.set_blocking(end.fileno(), True)
                self.assertEqual(end.read(1), b"")


JUNIT = """<testsuite>
<testcase name="whole" status="run"><system-out>a.cc:3: Skipped
no GPU
here
b.cc:4: Skipped
no REST
[==========] 5 tests ran.
[  PASSED  ] 3 tests.
[  SKIPPED ] 2 tests.
</system-out></testcase>
<testcase name="one" status="run"><system-out>[  PASSED  ] 1 test.
</system-out></testcase>
<testcase name="other" status="run"><system-out>bench: 3 ms</system-out></testcase>
%s</testsuite>"""
FAILED = """<testcase name="bad" status="fail"><system-out>[  FAILED  ] A.Bad (0 ms)
[  FAILED  ] A/B.Worse/1, where GetParam() = 1 (0 ms)
[  PASSED  ] 4 tests.
[  FAILED  ] A.Bad
</system-out></testcase><testcase name="crash" status="fail"><system-out/></testcase>
"""


class Summary(unittest.TestCase):
    """.ci/test-summary.py"""

    def summary(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write(text)
            file.flush()
            return subprocess.run([sys.executable, ROOT / ".ci/test-summary.py", file.name],
                                  capture_output=True, text=True, check=False)

    def test_cases_of_a_whole_program_are_counted(self):
        ended = self.summary(JUNIT % "")
        self.assertEqual(ended.returncode, 0, ended.stdout)
        self.assertIn("5 passed, 0 failed, 2 skipped", ended.stdout)
        self.assertIn("whole: no GPU here", ended.stdout)
        self.assertIn("whole: no REST", ended.stdout)
        self.assertIn("3 ms", ended.stdout)

    def test_failed_cases_and_a_crash_are_counted(self):
        ended = self.summary(JUNIT % FAILED)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("9 passed, 3 failed, 2 skipped", ended.stdout)

    def test_nothing_tested_is_a_failure(self):
        self.assertEqual(self.summary("<testsuite/>").returncode, 1)


if __name__ == "__main__":
    unittest.main()
