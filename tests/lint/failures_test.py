# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests tools/failures: what it says of logs of ctest, of the VM and of other steps, and what it lets run once more."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()

EXPECTATION = """\
[ RUN      ] Sampling.ends_with_a_killed_daemon
/src/tests/system/sampling_test.cpp:115: Failure
Expected: (perf_events()) > (before), actual: 8 vs 8
[  FAILED  ] Sampling.ends_with_a_killed_daemon (90 ms)
"""
SANITIZER = "==77==ERROR: AddressSanitizer: heap-use-after-free on address 0x60 at pc 0x55\n"
GOLDEN = "/src/tests/unit/client/golden.cpp:45: Failure\nExpected equality of these values:\n  text\n"


def ctest(*tests, ended=True):
    """A log of tests, each a name, what ctest says of its end (empty: none yet) and its output."""
    log = ""
    for number, (name, end, output) in enumerate(tests, 1):
        log += f"        Start {number:2}: {name}\n"
        if end:
            log += f" {number}/{len(tests)} Test #{number}: {name} ......{end}    0.12 sec\n{output}"
    return log + ("\n50% tests passed, 1 tests failed out of 2\n" if ended else "")


class Failures(unittest.TestCase):
    def told(self, again=False, **steps):
        """Exit code and lines of a run whose steps left (state, log)."""
        with tempfile.TemporaryDirectory() as logs:
            for name, (state, log) in steps.items():
                name = name.replace("__", ".").replace("_", "-")
                with open(f"{logs}/steps", "a", encoding="utf-8") as file:
                    file.write(f"{name}\tbegan\n" + (f"{name}\t{state}\n" if state != "began" else ""))
                pathlib.Path(f"{logs}/{name}.log").write_text(log, encoding="utf-8")
            words = [sys.executable, PROGRAM, *(["--again"] if again else []), logs]
            run = subprocess.run(words, capture_output=True, text=True, check=False)
            self.assertEqual(run.stderr, "")
            return run.returncode, run.stdout.splitlines()

    def test_nothing_is_told_of_a_run_that_passed(self):
        self.assertEqual(self.told(format=("ok", ""), asan_tests=("ok", ctest(("a", "   Passed", "")))), (0, []))

    def test_a_test_is_named_with_its_place_and_message_and_the_command_that_repeats_it(self):
        code, lines = self.told(asan_tests=("failed", ctest(("system_sampling", "***Failed", EXPECTATION), ("base", "   Passed", ""))))
        self.assertEqual(code, 1)
        self.assertRegex(lines[0], r"^FAILED asan-tests: system_sampling: Sampling\.ends_with_a_killed_daemon: \S*tests/system/sampling_test\.cpp:115: "
                                   r"Expected: \(perf_events\(\)\) > \(before\), actual: 8 vs 8$")
        self.assertEqual(lines[1], "    again: ctest --preset asan -R '^system_sampling$'")
        self.assertEqual(len(lines), 2)

    def test_failures_of_several_steps_are_all_told(self):
        code, lines = self.told(lint=("failed", "In tools/x line 3:\ntools/x:3:1: error: no such thing [SC1]\n"),
                                product=("failed", "[1/2] c++\n/src/a.cpp:7:3: error: 'x' was not declared\nninja: build stopped\n"),
                                product_tests=("left-out", ""),
                                vm=("failed", "boot --systemd: systemd\nok      kill                   12 s,   9 s in the VM\n"
                                              "    line 12: the job\n      expected  finished\n      seen      failed\n"
                                              "FAILED  stop                 the journal of netperfd:\n    Jan 01 netperfd: x\n1 failed\n"))
        self.assertEqual(code, 1)
        self.assertEqual(lines, ["left out: product-tests",
                                 "FAILED lint: tools/x:3:1: error: no such thing [SC1]", "    again: tools/test --only lint",
                                 "FAILED product: /src/a.cpp:7:3: error: 'x' was not declared", "    again: tools/test --only product",
                                 "FAILED vm: stop: line 12: the job expected finished seen failed", "    again: tests/vm/test stop"])

    def test_the_lines_are_at_most_60_and_name_each_test(self):
        tests = [(f"test{number}", "***Failed", EXPECTATION) for number in range(80)]
        code, lines = self.told(asan_tests=("failed", ctest(*tests)))
        self.assertEqual(code, 1)
        self.assertLessEqual(len(lines), 60)
        self.assertIn(" test79"[:5], lines[-1])

    def test_what_may_be_luck_runs_once_more(self):
        code, lines = self.told(True, asan_tests=("failed", ctest(("system_noise", "***Failed", EXPECTATION), ("base", "***Failed", ""))),
                                vm=("failed", "    line 1: x\nFAILED  stop   the journal of netperfd:\n1 failed\n"), chaos=("failed", "WRONG: y\n"))
        self.assertEqual((code, lines), (0, ["asan-tests system_noise base", "vm stop", "chaos"]))

    def test_what_is_never_luck_does_not(self):
        steady = [("base", "***Timeout", ""), ("base", "***Exception: SegFault", ""), ("base", "Subprocess aborted***Exception:", ""),
                  ("base", "***Failed", SANITIZER), ("client", "***Failed", GOLDEN), ("lint_api", "***Failed", ""),
                  ("system_crash", "***Failed", EXPECTATION), ("system_fulldiskreserve", "***Failed", EXPECTATION)]
        for test in steady:
            self.assertEqual(self.told(True, asan_tests=("failed", ctest(test))), (0, []), test)
        for step in ("deps", "format", "lint", "product", "asan"):
            self.assertEqual(self.told(True, **{step: ("failed", "x\n")}), (0, []), step)
        self.assertEqual(self.told(True, vm=("failed", "tests/vm/run: no end after 1800 s; the kernel's last lines:\n    x\n")), (0, []))
        self.assertEqual(self.told(True, chaos=("failed", SANITIZER)), (0, []))

    def test_what_passes_then_is_unsteady(self):
        failed = ctest(("system_noise", "***Failed", EXPECTATION))
        code, lines = self.told(asan_tests=("failed", failed), asan_tests__again=("ok", ctest(("system_noise", "   Passed", ""))))
        self.assertEqual(code, 0)
        self.assertRegex(lines[0], r"^UNSTEADY: asan-tests: system_noise: Sampling\.ends")
        code, lines = self.told(asan_tests=("failed", failed), asan_tests__again=("failed", failed))
        self.assertEqual(code, 1)
        self.assertRegex(lines[0], r"^FAILED asan-tests: system_noise: ")

    def test_a_step_that_ended_otherwise_the_second_time_excuses_nothing(self):
        failed = ctest(("system_noise", "***Failed", EXPECTATION))
        self.assertEqual(self.told(asan_tests=("failed", failed), asan_tests__again=("failed", "No tests were found!!!\n"))[0], 1)

    def test_three_that_are_unsteady_are_too_many(self):
        tests = [(f"test{number}", "***Failed", EXPECTATION) for number in range(3)]
        self.assertEqual(self.told(asan_tests=("failed", ctest(*tests[:2])), asan_tests__again=("ok", ""))[0], 0)
        self.assertEqual(self.told(asan_tests=("failed", ctest(*tests)), asan_tests__again=("ok", ""))[0], 1)

    def test_what_still_runs_is_named(self):
        code, lines = self.told(asan=("ok", ""), asan_tests=("began", ctest(("base", "   Passed", ""), ("store", "", ""), ended=False)))
        self.assertEqual(code, 1)
        self.assertEqual(lines[0], "STILL RUNS asan-tests: store")
        self.assertEqual(self.told(asan=("began", "[1/2] c++\n"))[1][0], "STILL RUNS asan")


if __name__ == "__main__":
    unittest.main()
