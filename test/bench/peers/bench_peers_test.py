#!/usr/bin/env python3
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
"""bench_peers.py on tables and timers of the test's own. The last line counts the cases."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True

from bench_peers import gives_memory_back

PEERS = """# a comment
ours	Ours	model	ours calls	{dir}/peer ours
model	Model	model	calls	{java} {dir}/peer model
slow	Slow	model	calls	{dir}/peer slow
absent	Absent	model	calls	{dir}/no-such-program
"""
WORKLOADS = "W1,W2\trandom\t1e3\tcalls\nW3\tnever\t1e3\tmore than anybody can\n"
GOALS = """ours	model	W1	random 1e3 warm	call_ns	0.50
ours	slow	W2	random 1e3	firings_per_s	0.10
"""
PICTURES = """calls	growth	Calls	model	W1	random * warm	call_ns
ratios	ratios	Ratios	ours			
"""

# Counts its calls in a file, and is quicker with each. `slow` fails in its second round.
PROGRAM = """#!/bin/sh
[ "$2" = --version ] && { echo "$1 1.0"; exit; }
echo "$*" >>"$(dirname "$0")/calls"
n=$(grep -c "^$1 " "$(dirname "$0")/calls")
[ "$1 $n" = "slow 2" ] && exit 3
case $1 in ours) ns=$((60 / n)) rate=30 ;; *) ns=$((100 / n)) rate=10 ;; esac
printf 'W1\\trandom %s warm\\tcall_ns\\t%s\\n' "$4" $ns
printf 'W1\\trandom %s warm\\tcall_cpu_ns\\t%s\\n' "$4" 5
printf 'W2\\trandom %s\\tfirings_per_s\\t%s\\n' "$4" $rate
"""


class BenchPeersTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copy(HERE / "bench_peers.py", self.folder)
        for name, text in [("peers", PEERS), ("workloads", WORKLOADS), ("goals", GOALS),
                           ("pictures", PICTURES)]:
            (self.folder / f"{name}.tsv").write_text(text)
        (self.folder / "peer").write_text(PROGRAM)
        (self.folder / "peer").chmod(0o755)
        self.page = self.folder / "report.md"

    def run_it(self, *arguments, status=0):
        command = [sys.executable, self.folder / "bench_peers.py", "--dir", self.folder,
                   "--java", "sh", "--java-options=-e", "--gnuplot", "true", "--touch", "0",
                   *arguments]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout + done.stderr

    def calls(self):
        return (self.folder / "calls").read_text().splitlines()

    def test_the_timers_take_turns_and_one_that_has_failed_is_not_tried_again(self):
        self.run_it("--rounds", "3", "--touch", "1")
        ours, model, slow = (f"{peer} W1 random 1e3" for peer in ["ours", "model", "slow"])
        self.assertEqual(self.calls(), [ours, model, slow, ours, model, slow, ours, model])

    def test_what_is_not_here_is_left_out_by_name(self):
        self.assertIn("left out, not here: Absent", self.run_it("--rounds", "1"))

    def test_a_process_is_ended_at_the_limit(self):
        hangs = '#!/bin/sh\n[ "$2" = --version ] && echo 1 || exec sleep 60\n'
        (self.folder / "peer").write_text(hangs)
        output = self.run_it("--rounds", "1", "--peers", "ours", "--limit", "1")
        self.assertIn("Ours, W1,W2 random 1e3, round 1: over 1 s", output)

    def share_cores(self, *ratios):
        """What core_sharing will print, and then 1.00 for ever."""
        (self.folder / "ratios").write_text("".join(f"{ratio}\n" for ratio in ratios))
        program = self.folder / "core_sharing"
        program.write_text('#!/bin/sh\ncd "${0%/*}"\n'
                           'sed -n 1p ratios | grep . || echo 1.00\nsed -i 1d ratios\n')
        program.chmod(0o755)

    def test_a_process_is_run_again_if_the_cores_were_shared_before_or_after_it(self):
        for ratios, runs, disturbed in [(["1.00", "1.14"], 1, 0),  # not yet shared
                                        (["1.00", "1.16", "1.00"], 2, 0),
                                        (["1.00", "1.16"] * 4, 4, 1),
                                        (["1.00", "1.16", "1.16", "1.00"], 2, 0)]:  # a wait
            (self.folder / "calls").write_text("")
            self.share_cores(*ratios)
            output = self.run_it("--rounds", "1", "--peers", "ours")
            self.assertEqual(len(self.calls()), runs, ratios)
            self.assertIn(f"cores used by others too: during {disturbed} of 1 processes", output)

    def test_a_process_that_fails_is_not_run_again_because_of_the_cores(self):
        self.share_cores("1.00", "1.16", "1.16")
        self.run_it("--rounds", "2", "--peers", "slow")
        self.assertEqual(len(self.calls()), 2)

    def test_without_word_of_the_cores_a_process_is_run_once(self):
        output = self.run_it("--rounds", "1", "--peers", "ours")
        self.assertEqual(len(self.calls()), 1)
        self.assertNotIn("cores", output)

    def test_quick_is_a_hundredth_of_the_work(self):
        self.run_it("--rounds", "1", "--peers", "ours", "--quick")
        self.assertEqual(self.calls(), ["ours W1 random 1e1 --quick"])

    def test_a_workload_is_chosen_by_any_of_its_names(self):
        self.run_it("--rounds", "1", "--peers", "ours", "--workloads", "W2")
        self.assertEqual(self.calls(), ["ours W1 random 1e3"])
        self.run_it("--workloads", "W9", status=2)

    def test_the_report_has_medians_and_ratios_round_by_round_and_goals(self):
        self.run_it("--rounds", "8")
        page = self.page.read_text()
        self.assertIn("| Ours | ours 1.0 |\n", page)
        # 60, 30, 20, 15, 12, 10, 8, 7 by 100, 50, 33, 25, 20, 16, 14, 12.
        self.assertIn("| W1 | random 1e3 warm | call_ns<br>call_cpu_ns | 13.5 (7.00 to 60.0), 0.60<br>"
                      "5.00 (5.00 to 5.00), 1.00 | 22.5 (12.0 to 100)<br>5.00 (5.00 to 5.00) | "
                      "100 (100 to 100), 1.00<br>5.00 (5.00 to 5.00), 1.00 |\n", page)
        self.assertIn("Slow, W1,W2 random 1e3, round 2: failed with 3.\n", page)
        self.assertIn("## Ours, by each of the others\n", page)
        self.assertIn("| call_ns<br>call_cpu_ns | 0.50 of Model, **not met**<br> | 0.60<br>1.00 |", page)
        # Of rates more is better.
        self.assertIn("| firings_per_s | 0.10 of Slow, **not met** | 0.33 | 0.33 |", page)
        self.assertIn(f"![]({self.folder.resolve()}/pictures/calls.svg)", page)
        self.page.unlink()
        self.run_it("--report-only")
        self.assertEqual(self.page.read_text(), page)

    def test_the_report_counts_the_goals_first(self):
        for peers, text in [(["ours", "model", "slow"], "0 of 2 goals are met."),
                            (["ours", "model"], "0 of 1 goals are met; 1 were not measured."),
                            (["ours"], "0 of 0 goals are met; 2 were not measured.")]:
            self.run_it("--rounds", "1", "--peers", *peers)
            self.assertEqual(self.page.read_text().splitlines()[2], text)
        # Of equal ones as many as are asked for.
        (self.folder / "goals.tsv").write_text(GOALS.replace("0.50", "0.60"))
        (self.folder / "calls").write_text("")
        self.run_it("--rounds", "1")
        self.assertEqual(self.page.read_text().splitlines()[2], "1 of 2 goals are met.")

    def test_a_picture_shows_the_timers_that_have_values(self):
        self.run_it("--rounds", "1", "--peers", "ours", "slow")
        self.assertEqual((self.folder / "calls.tsv").read_text(),
                         'line\t"Ours"\t"Slow"\n1e3\t60.0\t100.0\n')
        self.assertEqual((self.folder / "ratios.tsv").read_text(),
                         'line\t"Slow"\n"W1 random 1e3 warm call_ns"\t0.6\n'
                         '"W2 random 1e3 firings_per_s"\t0.3333333333333333\n')

    def test_a_machine_that_gives_memory_back_to_its_host_is_known(self):
        folder = self.folder / "sys"
        balloon = folder / "bus/virtio/devices/virtio0"
        parameters = folder / "module/page_reporting/parameters"
        self.assertFalse(gives_memory_back(folder))
        for each in [balloon, parameters]:
            each.mkdir(parents=True)
        for order, device, features, expected in [("9", "0x0005", "011001", True),
                                                  ("11", "0x0005", "011001", False),
                                                  ("9", "0x0004", "011001", False),
                                                  ("9", "0x0005", "011000", False)]:
            (parameters / "page_reporting_order").write_text(order + "\n")
            (balloon / "device").write_text(device + "\n")
            (balloon / "features").write_text(features + "\n")
            self.assertEqual(gives_memory_back(folder), expected, (order, device, features))

    def test_the_rows_of_the_projects_tables_fit_together(self):
        sys.path.insert(0, str(HERE))
        import bench_peers as project
        for peer in project.PEERS.values():
            self.assertEqual(project.PEERS[peer.reference].reference, peer.reference)
        for step in project.STEPS:
            players = [peer for peer in project.PEERS if project.can(peer, step.needs)]
            self.assertTrue(players, step)
        for goal in project.GOALS.values():
            self.assertTrue(project.can(goal.peer, "ours") and goal.other in project.PEERS, goal)
            steps = [step for step in project.STEPS if goal.workload in step.workloads.split(",")
                     and f"{goal.parameter} ".startswith(f"{step.mode} {step.size} ")]
            self.assertEqual(len(steps), 1, goal)
            for peer in [goal.peer, goal.other]:
                self.assertTrue(project.can(peer, steps[0].needs), goal)
        for picture in project.PICTURES:
            self.assertTrue((HERE / f"{picture.kind}.gnuplot").exists(), picture)


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    failed = len({str(case) for case, _ in result.failures + result.errors})
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(failed > 0)
