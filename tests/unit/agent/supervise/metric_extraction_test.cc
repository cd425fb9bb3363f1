// SPDX-License-Identifier: Apache-2.0
//
// Which number a pattern finds, and what is said when it finds none.
#include "agents/agent/supervise/outcome.h"

#include <gtest/gtest.h>

#include "tests/unit/agent/temporary_folder.h"

namespace kneepoint::agent {
namespace {

OutputCapture captured(const std::string& text) {
  OutputCapture capture;
  capture.append(text);
  return capture;
}

Extraction extract_metrics(const std::vector<MetricSpec>& patterns, const OutputCapture& out,
                           const OutputCapture& err) {
  return agent::extract({patterns, {}, out, err, ""});
}

Extraction extract_guarded(const std::vector<MetricSpec>& patterns, const OutputCapture& out,
                           const OutputCapture& err, Nanoseconds limit) {
  return agent::extract_guarded({patterns, {}, out, err, ""}, limit);
}

Extraction extract(const std::string& pattern, const std::string& out,
                   const std::string& unit = "s", const std::string& name = "time") {
  return extract_metrics({{name, pattern, unit, "stdout"}}, captured(out), captured(""));
}

TEST(MetricExtraction, the_last_match_of_the_last_matching_line_wins) {
  const auto found = extract("t=([0-9.]+)", "t=1\nt=2 t=3\nno\n");
  ASSERT_EQ(found.metrics.size(), 1u);
  EXPECT_EQ(found.metrics[0].value, 3);
  EXPECT_EQ(found.metrics[0].unit, "s");
  EXPECT_TRUE(found.problems.empty());
}

TEST(MetricExtraction, takes_the_whole_match_where_there_is_no_group) {
  EXPECT_EQ(extract("[0-9.]+", "took 12.5").metrics.at(0).value, 12.5);
}

TEST(MetricExtraction, reads_numbers_as_programs_print_them) {
  EXPECT_EQ(extract("t= *(\\S+)", "t= 1e-3\r\n").metrics.at(0).value, 1e-3);
  EXPECT_EQ(extract("t=(.*)", "t= +4 \n").metrics.at(0).value, 4);
  EXPECT_EQ(extract("x=(.*)", "x=-4", "", "x").metrics.at(0).value, -4);
}

TEST(MetricExtraction, looks_at_the_stream_that_the_plan_names) {
  const auto found =
      extract_metrics({{"x", "([0-9]+)", "", "stderr"}}, captured("1"), captured("2"));
  EXPECT_EQ(found.metrics.at(0).value, 2);
}

TEST(MetricExtraction, says_why_there_is_no_number) {
  EXPECT_EQ(extract("t=(.*)", "nothing").problems.at(0),
            "metric 'time': no line of stdout matches 't=(.*)'");
  EXPECT_EQ(extract("t=(.*)", "t=1,5").problems.at(0),
            "metric 'time': '1,5' is not a finite number");
  EXPECT_EQ(extract("t=(.*)", "t=inf").problems.at(0),
            "metric 'time': 'inf' is not a finite number");
  EXPECT_EQ(extract("t=(.*)", "t=-1").problems.at(0), "metric 'time': '-1' is not above 0");
  for (const char* number : {"1e+300", "1.1e+09", "1e-300", "9e-13"}) {
    EXPECT_EQ(extract("t=(.*)", std::string("t=") + number).problems.at(0),
              "metric 'time': '" + std::string(number) +
                  " s' is out of range; expected 1e-12 s to 1e9 s");
  }
  EXPECT_TRUE(extract("t=(.*)", "t=1e9").problems.empty());
  EXPECT_EQ(extract("t=(.*)", "t=1", "GB").problems.at(0),
            "metric 'time': unit 'GB' is not a time; use s, ms, us or ns");
  EXPECT_NE(extract("t=(", "t=1").problems.at(0).find("is not a regular expression"),
            std::string::npos);
}

TEST(MetricExtraction, finds_numbers_on_both_sides_of_what_was_dropped) {
  OutputCapture capture(16, 16);
  capture.append("first=1\n" + std::string(1000, '.') + "\nlast=2\n");
  const auto found =
      extract_metrics({{"a", "first=([0-9]+)", "", "stdout"}, {"b", "last=([0-9]+)", "", "stdout"}},
                      capture, captured(""));
  ASSERT_EQ(found.metrics.size(), 2u);
  EXPECT_EQ(found.metrics[0].value, 1);
  EXPECT_EQ(found.metrics[1].value, 2);
}

TEST(MetricExtraction, searches_only_the_beginning_of_a_huge_line) {
  EXPECT_EQ(extract("t=(\\d+)", "t=7 " + std::string(1000000, 'x')).metrics.at(0).value, 7);
  EXPECT_TRUE(extract("t=(\\d+)", std::string(kMaxMatchedLine, 'x') + "t=7").metrics.empty());
}

TEST(MetricExtraction, guarded_gives_the_same_answers) {
  const std::vector<MetricSpec> patterns = {{"time", "t=([0-9.]+)", "s", "stdout"},
                                            {"x", "x=(.*)", "", "stdout"}};
  const auto found = extract_guarded(patterns, captured("t=0.125\n"), captured(""), kMinute);
  ASSERT_EQ(found.metrics.size(), 1u);
  EXPECT_EQ(found.metrics[0].value, 0.125);
  ASSERT_EQ(found.problems.size(), 1u);
  EXPECT_EQ(found.problems[0], "metric 'x': no line of stdout matches 'x=(.*)'");
}

TEST(MetricExtraction, guarded_gives_up_on_a_pattern_that_would_take_for_ever) {
  const auto found =
      extract_guarded({{"time", "(a+)+$", "s", "stdout"}}, captured(std::string(60, 'a') + "b"),
                      captured(""), 50 * kMillisecond);
  EXPECT_TRUE(found.metrics.empty());
  ASSERT_EQ(found.problems.size(), 1u);
  EXPECT_NE(found.problems[0].find("took longer than"), std::string::npos);
}

MetricSpec by_json(const std::string& path, const std::string& file = "") {
  return {"x", "", "GB/s", file.empty() ? "stdout" : "file", file, path, "higher"};
}

TEST(MetricExtraction, finds_a_number_in_json_among_other_lines) {
  const std::vector<MetricSpec> metrics = {by_json("$.timing.total")};
  const auto out = captured("starting\n{\"timing\": {\"total\": 1.5}}\ndone\n");
  const auto found = agent::extract({metrics, {}, out, captured(""), ""});
  ASSERT_EQ(found.metrics.size(), 1u) << found.problems.at(0);
  EXPECT_EQ(found.metrics[0].value, 1.5);
  EXPECT_EQ(found.metrics[0].better, "higher");
}

TEST(MetricExtraction, reads_files_of_the_folder_and_of_nowhere_else) {
  const TemporaryFolder folder;
  folder.append("timing.json", "{\"runs\": [{\"t\": 1}, {\"t\": \"2.5\"}]}");
  const auto find = [&](const MetricSpec& metric) {
    const std::vector<MetricSpec> metrics = {metric};
    return agent::extract({metrics, {}, captured(""), captured(""), folder.path()});
  };
  EXPECT_EQ(find(by_json("runs[-1].t", "timing.json")).metrics.at(0).value, 2.5);
  EXPECT_EQ(find({"x", "\"t\": ([0-9]+)", "", "file", "timing.json"}).metrics.at(0).value, 1);
  EXPECT_EQ(find(by_json("a", "gone.json")).problems.at(0),
            "metric 'x': the program wrote no file 'gone.json'");
  EXPECT_EQ(find(by_json("a", "../timing.json")).problems.at(0),
            "metric 'x': '../timing.json' would leave the run's folder");
  EXPECT_EQ(find(by_json("runs[2].t", "timing.json")).problems.at(0),
            "metric 'x': in 'timing.json': $.runs has 2 entries, so it has no [2]");
}

TEST(MetricExtraction, tells_which_sanity_rules_about_text_are_broken) {
  const auto rule = [](SanityRule::Kind kind, const std::string& pattern, const std::string& from) {
    SanityRule made;
    made.kind = kind;
    made.pattern = pattern;
    made.from = from;
    return made;
  };
  using Kind = SanityRule::Kind;
  const std::vector<MetricSpec> none;
  const std::vector<SanityRule> rules = {rule(Kind::must_match, "converged", "stdout"),
                                         rule(Kind::must_match, "(never) (said)", "stdout"),
                                         rule(Kind::must_not_match, "[Nn]a[Nn]", "stderr"),
                                         rule(Kind::must_not_match, "segfault", "stderr")};
  const auto out = captured("has converged\n");
  const auto err = captured("step 3: residual nan\n");
  for (const auto& found : {agent::extract({none, rules, out, err, ""}),
                            agent::extract_guarded({none, rules, out, err, ""}, kMinute)}) {
    ASSERT_EQ(found.broken.size(), 2u);
    EXPECT_EQ(found.broken[0],
              "sanity rule 2: stdout must match '(never) (said)', but no line does");
    EXPECT_EQ(found.broken[1],
              "sanity rule 3: stderr must not match '[Nn]a[Nn]', but a line does: \"nan\"");
  }
}

}  // namespace
}  // namespace kneepoint::agent
