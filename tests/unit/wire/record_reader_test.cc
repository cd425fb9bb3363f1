// SPDX-License-Identifier: Apache-2.0
//
// Whole files: what comes back, and each problem a file can have.
#include <gtest/gtest.h>

#include "agents/wire/record.h"
#include "orchestrator/base/hash.h"
#include "tests/fakes/present.h"

namespace kneepoint::record {
namespace {

std::string with_end(const std::string& before, int lines) {
  End end{"succeeded", "none", 0, 0, 5, 4, false, "", lines, hex64(fnv1a64(before))};
  return before + to_line(lines, end);
}

std::string usual_lines() {
  return to_line(0, Begin{"r1-a1", 1}) + to_line(1, Provenance{"node1", {{"kernel", "6.1"}}}) +
         to_line(2, Sample{0, true, 30, 20, 10, 12, 5, 3}) +
         to_line(3, Sample{1, false, 31, 21, 11, 12, 5, 4}) +
         to_line(4, RankTotal{0, "node1", "0", 7, 8, 0.1}) + to_line(5, Metric{"x", 0.25, "m"}) +
         to_line(6, Check{true, "fine"}) + to_line(7, Done{1});
}

bool has_problem(const Records& records, const std::string& words) {
  for (const auto& problem : records.problems) {
    if (problem.find(words) != std::string::npos) return true;
  }
  return false;
}

TEST(RecordReader, reads_back_everything_that_was_written) {
  const Records r = parse(with_end(usual_lines(), 8));
  EXPECT_TRUE(r.problems.empty()) << r.problems[0];
  EXPECT_TRUE(r.complete);
  EXPECT_EQ(begin_of(r).attempt, "r1-a1");
  ASSERT_EQ(r.provenance.size(), 1u);
  EXPECT_EQ(r.provenance[0].facts[0].second, "6.1");
  ASSERT_EQ(r.samples.size(), 2u);
  EXPECT_TRUE(r.samples[0].warmup);
  EXPECT_EQ(r.samples[1].other_ns, 4);
  ASSERT_EQ(r.ranks.size(), 1u);
  EXPECT_EQ(r.ranks[0].work, 0.1);
  EXPECT_EQ(r.metrics[0].unit, "m");
  EXPECT_TRUE(r.check->passed);
  EXPECT_EQ(r.done->iterations, 1);
  EXPECT_EQ(end_of(r).count, 8);
}

TEST(RecordReader, a_file_that_is_still_being_written_has_no_problem_wherever_it_is_cut) {
  const std::string whole = with_end(usual_lines(), 8);
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    const Records r = parse(std::string_view(whole).substr(0, cut));
    EXPECT_TRUE(r.problems.empty()) << cut << ": " << r.problems[0];
    EXPECT_FALSE(r.complete);
  }
}

TEST(RecordReader, reads_this_version_and_the_one_before_it_and_refuses_others) {
  EXPECT_TRUE(is_readable(4, 4));
  EXPECT_TRUE(is_readable(3, 4));
  EXPECT_FALSE(is_readable(5, 4));
  EXPECT_FALSE(is_readable(2, 4));
  std::string line = to_line(0, Begin{"r1-a1", 1});
  line.replace(line.find("\"v\":1"), 5, "\"v\":2");
  const Records r = parse(line);
  EXPECT_TRUE(has_problem(r, "line 1: version 2 can't be read")) << r.problems.size();
  EXPECT_FALSE(r.begin.has_value());
}

TEST(RecordReader, ignores_types_and_fields_that_a_later_minor_change_added) {
  std::string lines = to_line(0, Begin{"r1-a1", 1});
  lines += "{\"v\":1,\"seq\":1,\"type\":\"power\",\"watts\":300}\n";
  lines += "{\"v\":1,\"seq\":2,\"type\":\"done\",\"iterations\":0,\"mood\":\"good\"}\n";
  const Records r = parse(with_end(lines, 3));
  EXPECT_TRUE(r.problems.empty()) << r.problems[0];
  EXPECT_TRUE(r.complete);
}

TEST(RecordReader, names_a_gap_in_the_sequence_once) {
  const Records r =
      parse(to_line(0, Begin{"r1-a1", 1}) + to_line(2, Done{0}) + to_line(3, Metric{"x", 1, ""}));
  ASSERT_EQ(r.problems.size(), 1u);
  EXPECT_EQ(r.problems[0], "line 2: seq is 2, expected 1");
}

TEST(RecordReader, counts_an_unreadable_line_as_one_problem_and_goes_on) {
  const Records r =
      parse(to_line(0, Begin{"r1-a1", 1}) + "garbage\n" + to_line(2, Metric{"x", 1, ""}));
  ASSERT_EQ(r.problems.size(), 1u);
  EXPECT_EQ(r.problems[0], "line 2: not a JSON object");
  EXPECT_EQ(r.metrics.size(), 1u);
}

TEST(RecordReader, says_which_field_is_missing_or_wrong) {
  EXPECT_TRUE(has_problem(parse("{\"v\":1,\"seq\":0,\"type\":\"begin\",\"attempt\":\"a\"}\n"),
                          "line 1: begin: field 'wall_ns' is missing"));
  EXPECT_TRUE(has_problem(parse("{\"v\":1,\"seq\":0,\"type\":7}\n"), "'type' must be a text"));
  EXPECT_TRUE(has_problem(parse("{\"seq\":0,\"type\":\"begin\"}\n"), "'v' is missing"));
  EXPECT_TRUE(has_problem(parse("{\"v\":1,\"seq\":-4,\"type\":\"x\"}\n"), "'seq' is -4"));
}

TEST(RecordReader, notices_lost_changed_and_added_lines_by_count_and_checksum) {
  const std::string lines = usual_lines();
  const Records changed = parse([&] {
    std::string text = with_end(lines, 8);
    return text.replace(text.find("\"max_ns\":31"), 11, "\"max_ns\":39");
  }());
  EXPECT_TRUE(has_problem(changed, "checksum"));
  EXPECT_FALSE(changed.complete);
  const Records miscounted = parse(with_end(lines, 9));
  EXPECT_TRUE(has_problem(miscounted, "count is 9, but 8 lines came before"));
  EXPECT_FALSE(miscounted.complete);
}

TEST(RecordReader, bytes_after_the_end_record_make_a_file_incomplete) {
  const std::string whole = with_end(usual_lines(), 8);
  for (const std::string& more : {std::string("x"), to_line(9, Done{1})}) {
    const Records r = parse(whole + more);
    EXPECT_TRUE(has_problem(r, "bytes after the end record"));
    EXPECT_FALSE(r.complete);
  }
}

TEST(RecordReader, wants_begin_first_and_single_records_once) {
  EXPECT_TRUE(has_problem(parse(to_line(0, Done{1})), "the first record is 'done'"));
  EXPECT_TRUE(
      has_problem(parse(to_line(0, Begin{"a", 1}) + to_line(1, Done{1}) + to_line(2, Done{1})),
                  "line 3: a second 'done'"));
}

TEST(RecordReader, TheFirstFailureCountsAndOnlyReasonsOfAProgramAreTaken) {
  const Records r =
      parse(to_line(0, Begin{"a", 1}) + to_line(1, Failure{"device_error", "rank 3 lost its GPU"}) +
            to_line(2, Failure{"oom", "an echo"}));
  EXPECT_TRUE(r.problems.empty());
  ASSERT_TRUE(r.failure.has_value());
  EXPECT_EQ(r.failure->reason, "device_error");
  EXPECT_EQ(r.failure->detail, "rank 3 lost its GPU");
  const Records bad = parse(to_line(0, Begin{"a", 1}) + to_line(1, Failure{"user_cancelled", ""}));
  EXPECT_FALSE(bad.failure.has_value());
  ASSERT_EQ(bad.problems.size(), 1U);
  EXPECT_EQ(bad.problems[0],
            "line 2: failure: reason 'user_cancelled' is not one that a program can give");
}

TEST(RecordReader, one_failed_check_is_a_failure_whatever_follows) {
  const Records r = parse(to_line(0, Begin{"a", 1}) + to_line(1, Check{false, "bad"}) +
                          to_line(2, Check{true, "good"}));
  EXPECT_FALSE(r.check->passed);
  EXPECT_EQ(r.check->detail, "bad");
}

TEST(RecordReader, bounds_the_length_of_a_line_and_the_number_of_problems) {
  const Records r = parse(to_line(0, Begin{"a", 1}) + std::string(kMaxLine + 1, ' ') + "\n");
  EXPECT_TRUE(has_problem(r, "line 2: longer than 65536 bytes"));
  std::string garbage;
  for (int i = 0; i < 1000; ++i) garbage += "x\n";
  const Records many = parse(garbage);
  EXPECT_EQ(many.problems.size(), 21u);
  EXPECT_EQ(many.problems.back(), "and 980 problems more");
}

TEST(RecordReader, reads_no_further_than_its_bound) {
  std::string text = to_line(0, Begin{"a", 1});
  text.resize(kMaxBytes + 2, '\n');
  const Records r = parse(text);
  EXPECT_TRUE(r.begin.has_value());
  EXPECT_TRUE(has_problem(r, "bytes of records; the rest is not read"));
  EXPECT_EQ(r.problems.back(), "and 1000 problems more");  // noise isn't read to its end
}

TEST(RecordReader, an_outcome_outside_the_list_is_a_problem) {
  const std::string begin = to_line(0, Begin{"a", 1});
  End end{"splendid", "none", 0, 0, 5, 4, false, "", 1, hex64(fnv1a64(begin))};
  const Records r = parse(begin + to_line(1, end));
  EXPECT_TRUE(has_problem(r, "outcome 'splendid' is not known"));
  EXPECT_FALSE(r.complete);
}

}  // namespace
}  // namespace kneepoint::record
