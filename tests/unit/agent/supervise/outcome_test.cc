// SPDX-License-Identifier: Apache-2.0
//
// Every way a step can end, as a table of what was seen and what it is called.
#include "agents/agent/supervise/outcome.h"

#include <gtest/gtest.h>

#include <csignal>

namespace kneepoint::agent {
namespace {

constexpr int exited(int code) {
  return code << 8;
}

Observed seen(int wait_status = 0) {
  Observed result;
  result.program = "prog";
  result.wait_status = wait_status;
  result.limit_ns = 1000000000;
  return result;
}

record::Records with_time() {
  record::Records records;
  records.metrics.push_back({"time", 1, "s"});
  return records;
}

record::Records of_harness(int samples, int iterations) {
  record::Records records;
  records.samples.push_back({0, true, 3, 2, 1, 1, 1, 0});
  for (int i = 0; i < samples; ++i) records.samples.push_back({i, false, 3, 2, 1, 1, 1, 0});
  records.done = record::Done{iterations};
  return records;
}

std::string word(const Observed& observed, const record::Records& records) {
  const auto end = decide_outcome(observed, records);
  return end.outcome + '/' + end.reason;
}

TEST(Outcome, a_time_and_exit_code_0_is_success) {
  EXPECT_EQ(word(seen(), with_time()), "succeeded/none");
  Observed harness = seen();
  harness.own_harness = true;
  EXPECT_EQ(word(harness, of_harness(5, 5)), "succeeded/none");
}

TEST(Outcome, another_exit_code_is_kept_and_told_with_the_last_line_of_stderr) {
  Observed observed = seen(exited(3));
  observed.last_error_line = "no such grid";
  const auto end = decide_outcome(observed, with_time());
  EXPECT_EQ(end.outcome + '/' + end.reason, "failed/exit_code");
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_EQ(end.signal, 0);
  EXPECT_EQ(end.detail, "'prog' exited with 3; last line of stderr: no such grid");
}

TEST(Outcome, a_signal_is_named) {
  const auto end = decide_outcome(seen(SIGSEGV), with_time());
  EXPECT_EQ(end.outcome + '/' + end.reason, "failed/killed_by_signal");
  EXPECT_EQ(end.signal, SIGSEGV);
  EXPECT_EQ(end.exit_code, 128 + SIGSEGV);
  EXPECT_EQ(end.detail, "'prog' was killed by SIGSEGV");
}

TEST(Outcome, sigkill_is_want_of_memory_only_if_the_kernel_counted_one) {
  Observed observed = seen(SIGKILL);
  EXPECT_EQ(word(observed, {}), "failed/killed_by_signal");
  observed.oom_seen = true;
  EXPECT_EQ(word(observed, {}), "failed/oom");
  observed.wait_status = SIGSEGV;
  EXPECT_EQ(word(observed, {}), "failed/killed_by_signal");
}

TEST(Outcome, a_shell_tells_of_a_child_that_was_killed_for_want_of_memory) {
  Observed observed = seen(exited(137));
  EXPECT_EQ(word(observed, {}), "failed/exit_code");
  observed.oom_seen = true;
  EXPECT_EQ(word(observed, {}), "failed/oom");
}

TEST(Outcome, a_starters_code_above_128_is_a_ranks_signal) {
  Observed observed = seen(exited(139));
  EXPECT_EQ(word(observed, {}), "failed/exit_code");
  observed.program = "/usr/bin/mpirun";
  const auto end = decide_outcome(observed, {});
  EXPECT_EQ(end.outcome + '/' + end.reason, "failed/killed_by_signal");
  EXPECT_EQ(end.exit_code, 139);
  EXPECT_EQ(end.signal, SIGSEGV);
  EXPECT_EQ(end.detail, "a rank was killed by SIGSEGV");
  observed.wait_status = exited(137);
  observed.oom_seen = true;
  EXPECT_EQ(word(observed, {}), "failed/oom");
  observed.wait_status = exited(255);
  EXPECT_EQ(word(observed, {}), "failed/exit_code");
}

TEST(Outcome, a_starter_that_launched_nothing_did_not_start) {
  const std::string refusal = starter_refusal(
      "-----\nmpirun was unable to find the specified executable file, and therefore\n"
      "did not launch the job.\n\nNode:       a\nExecutable: nothere\n-----\n");
  EXPECT_EQ(refusal, "the starter launched nothing: could not find the program 'nothere'");
  EXPECT_EQ(starter_refusal("some other text"), "");
  Observed observed = seen(exited(134));
  observed.program = "mpirun";
  observed.starter_refusal = refusal;
  const auto end = decide_outcome(observed, {});
  EXPECT_EQ(end.outcome + '/' + end.reason, "failed/not_started");
  EXPECT_EQ(end.exit_code, 134);
}

TEST(Outcome, a_program_that_could_not_be_started_is_not_started) {
  Observed observed = seen();
  observed.start_problem = "'prog': No such file or directory";
  const auto end = decide_outcome(observed, {});
  EXPECT_EQ(end.outcome + '/' + end.reason, "failed/not_started");
  EXPECT_EQ(end.detail, "'prog': No such file or directory");
  EXPECT_EQ(end.exit_code, 127);
}

TEST(Outcome, what_the_agent_did_itself_comes_before_how_the_program_ended) {
  Observed limited = seen(SIGTERM);
  limited.limit_passed = true;
  EXPECT_EQ(word(limited, with_time()), "timed_out/time_limit");
  EXPECT_EQ(decide_outcome(limited, {}).detail, "took longer than 1 s");
  Observed cancelled = seen(exited(0));
  cancelled.cancelled = true;
  EXPECT_EQ(word(cancelled, with_time()), "cancelled/user_cancelled");
}

TEST(Outcome, a_lost_pod_is_why_a_step_was_ended_but_not_one_that_had_ended_well) {
  Observed observed = seen(exited(1));
  observed.lost_pod = "pod j-2.j is gone: no sign of life for 8 s";
  const auto end = decide_outcome(observed, with_time());
  EXPECT_EQ(end.outcome + '/' + end.reason, "lost/node_failed");
  EXPECT_EQ(end.detail, observed.lost_pod);
  observed.wait_status = 0;
  EXPECT_EQ(word(observed, with_time()), "succeeded/none");
  observed.cancelled = true;
  EXPECT_EQ(word(observed, with_time()), "lost/node_failed");
  observed.cancelled = false;
  observed.stopped_for_records = true;
  EXPECT_EQ(word(observed, with_time()), "lost/node_failed");
}

TEST(Outcome, a_wrong_answer_comes_before_the_exit_code) {
  record::Records records = with_time();
  records.check = record::Check{false, "residual 2 above 1e-6"};
  EXPECT_EQ(word(seen(), records), "failed/wrong_answer");
  EXPECT_EQ(word(seen(exited(1)), records), "failed/wrong_answer");
  EXPECT_EQ(decide_outcome(seen(), records).detail, "residual 2 above 1e-6");
}

TEST(Outcome, a_failure_that_the_program_names_comes_before_how_it_ended) {
  record::Records records;
  records.failure = record::Failure{"no_device", "no CUDA device on n1"};
  for (const int status : {exited(4), exited(134), static_cast<int>(SIGABRT)}) {
    const auto end = decide_outcome(seen(status), records);
    EXPECT_EQ(end.outcome + '/' + end.reason, "failed/no_device");
    EXPECT_EQ(end.detail, "no CUDA device on n1");
  }
  Observed limit = seen(exited(4));
  limit.limit_passed = true;
  EXPECT_EQ(word(limit, records), "timed_out/time_limit");
}

TEST(Outcome, bad_lines_make_a_run_invalid_and_the_first_is_quoted) {
  Observed observed = seen();
  observed.bad_lines = 3;
  observed.first_bad = "line 2 of workload.ndjson is not a record: \"x\"";
  const auto end = decide_outcome(observed, with_time());
  EXPECT_EQ(end.outcome + '/' + end.reason, "invalid/bad_record");
  EXPECT_EQ(end.detail, "line 2 of workload.ndjson is not a record: \"x\" (and 2 more)");
  observed.wait_status = SIGKILL;
  observed.stopped_for_records = true;
  EXPECT_EQ(word(observed, with_time()), "invalid/bad_record");
}

TEST(Outcome, our_own_harness_must_report_its_end_and_as_many_samples_as_it_says) {
  Observed observed = seen();
  observed.own_harness = true;
  record::Records records = of_harness(5, 5);
  records.done.reset();
  EXPECT_EQ(word(observed, records), "invalid/no_end_record");
  const auto end = decide_outcome(observed, of_harness(4, 5));
  EXPECT_EQ(end.outcome + '/' + end.reason, "invalid/bad_record");
  EXPECT_EQ(end.detail, "the program reports 5 timed iterations, but sent 4 samples");
}

TEST(Outcome, no_sample_and_no_time_is_a_failure_with_its_cause) {
  EXPECT_EQ(word(seen(), {}), "failed/no_time");
  Observed observed = seen();
  observed.metric_problems = {"metric 'time': no line of stdout matches 't=(.*)'"};
  EXPECT_EQ(decide_outcome(observed, {}).detail, observed.metric_problems[0]);
  record::Records only_warmup;
  only_warmup.samples.push_back({0, true, 3, 2, 1, 1, 1, 0});
  EXPECT_EQ(word(seen(), only_warmup), "failed/no_time");
}

TEST(Outcome, what_is_worth_knowing_of_a_success_is_told_too) {
  Observed observed = seen();
  observed.metric_problems = {"metric 'x': no line of stdout matches 'x'"};
  observed.leftovers = 2;
  observed.leftovers_gone = false;
  const auto end = decide_outcome(observed, with_time());
  EXPECT_EQ(end.outcome, "succeeded");
  EXPECT_EQ(end.detail,
            "metric 'x': no line of stdout matches 'x'; 2 processes left behind were killed; "
            "some processes could not be killed");
}

TEST(Outcome, the_plan_says_which_exit_codes_are_good) {
  Observed observed = seen(exited(3));
  observed.exit_codes = {0, 3};
  EXPECT_EQ(word(observed, with_time()), "succeeded/none");
  observed.wait_status = exited(4);
  const auto end = decide_outcome(observed, with_time());
  EXPECT_EQ(end.outcome + '/' + end.reason, "failed/exit_code");
  EXPECT_EQ(end.detail, "'prog' exited with 4; its sanity rule allows 0, 3");
  observed.exit_codes = {3};
  observed.wait_status = exited(0);
  EXPECT_EQ(word(observed, with_time()), "failed/exit_code");
}

TEST(Outcome, a_broken_sanity_rule_is_a_wrong_answer_of_a_run_that_ended_well) {
  Observed observed = seen();
  observed.broken = {"sanity rule 1: a", "sanity rule 3: b"};
  const auto end = decide_outcome(observed, with_time());
  EXPECT_EQ(end.outcome + '/' + end.reason, "failed/wrong_answer");
  EXPECT_EQ(end.detail, "sanity rule 1: a; sanity rule 3: b");
  observed.wait_status = exited(1);  // what a crashed program did not print is no news
  EXPECT_EQ(word(observed, with_time()), "failed/exit_code");
  observed.wait_status = SIGSEGV;
  EXPECT_EQ(word(observed, with_time()), "failed/killed_by_signal");
}

}  // namespace

// Rules about numbers and exit codes as a table: value, rule, sentence.

namespace {

SanityRule on(const std::string& metric) {
  SanityRule rule;
  rule.kind = SanityRule::Kind::metric;
  rule.metric = metric;
  return rule;
}

std::string broken(const SanityRule& rule, double value) {
  const auto sentences = broken_by_values({rule}, {{"x", value, ""}});
  return sentences.empty() ? "" : sentences[0];
}

TEST(Sanity, BoundsIncludeTheirOwnValue) {
  SanityRule rule = on("x");
  rule.at_most = 1e-6;
  EXPECT_EQ(broken(rule, 1e-6), "");
  EXPECT_EQ(broken(rule, 2e-6), "sanity rule 1: x must be at most 1e-06, found 2e-06");
  rule.at_least = 0;
  EXPECT_EQ(broken(rule, 0), "");
  EXPECT_EQ(broken(rule, -1), "sanity rule 1: x must be at least 0 and at most 1e-06, found -1");
}

TEST(Sanity, AToleranceIsAbsoluteOrAShareOfTheValue) {
  SanityRule rule = on("x");
  rule.equals = -200;
  rule.tolerance = 1;
  EXPECT_EQ(broken(rule, -201), "");
  EXPECT_EQ(broken(rule, -198.5), "sanity rule 1: x must be -200 within 1, found -198.5");
  rule.relative = true;
  rule.tolerance = 0.01;
  EXPECT_EQ(broken(rule, -198), "");
  EXPECT_EQ(broken(rule, -197), "sanity rule 1: x must be -200 within 1%, found -197");
}

TEST(Sanity, ANumberThatIsMissingBreaksItsRule) {
  SanityRule rule = on("residual");
  rule.at_most = 1;
  EXPECT_EQ(broken(rule, 0),
            "sanity rule 1: residual must be at most 1, but the program gave none");
}

TEST(Sanity, ExitCodesAreThoseOfTheRuleOrZero) {
  SanityRule rule;
  rule.kind = SanityRule::Kind::exit_codes;
  rule.exit_codes = {0, 3};
  EXPECT_EQ(allowed_exit_codes({}), std::vector<int>({0}));
  EXPECT_EQ(allowed_exit_codes({on("x"), rule}), std::vector<int>({0, 3}));
}

}  // namespace

}  // namespace kneepoint::agent
