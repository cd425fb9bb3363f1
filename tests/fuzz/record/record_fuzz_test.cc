// SPDX-License-Identifier: Apache-2.0
//
// Seeded mutations of a good file, and bytes of pure chance: the reader answers every one of them,
// and calls nothing complete that isn't byte for byte what was written.
#include <gtest/gtest.h>

#include "agents/wire/record.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/base/random.h"
#include "tests/fakes/present.h"

namespace kneepoint::record {
namespace {

std::string good_file() {
  std::string text = to_line(0, Begin{"r1-a1", 1}) +
                     to_line(1, Provenance{"node1", {{"cpu.model", "X \"y\" \xC3\xA4"}}});
  int seq = 2;
  for (int i = 0; i < 8; ++i) {
    text += to_line(seq++, Sample{i, i < 2, 30 + i, 20 + i, 10 + i, 12, 5, 3});
  }
  text += to_line(seq++, RankTotal{0, "node1", "0-3", 7, 8, 1e6});
  text += to_line(seq++, Metric{"time", 0.25, "s"});
  text += to_line(seq++, Check{true, "ok"});
  text += to_line(seq++, Done{6});
  End end{"succeeded", "none", 0, 0, 5, 4, false, "", seq, hex64(fnv1a64(text))};
  return text + to_line(seq, end);
}

const std::vector<std::string>& tokens() {
  static const std::vector<std::string> list = {"{",
                                                "}",
                                                "[[[[",
                                                "\"",
                                                "\\",
                                                "\n",
                                                ",",
                                                ":",
                                                "null",
                                                "true",
                                                "-1",
                                                "1e999",
                                                "-0",
                                                "9223372036854775808",
                                                "18446744073709551616",
                                                "0.5",
                                                std::string(1, '\0'),
                                                "\xff\xfe",
                                                "\\ud800",
                                                "\"type\":\"end\"",
                                                "\"seq\":0",
                                                "\"v\":2"};
  return list;
}

std::string mutate(std::string text, Random& random) {
  const std::uint64_t changes = 1 + random.below(4);
  for (std::uint64_t i = 0; i < changes && !text.empty(); ++i) {
    const std::size_t at = random.below(text.size());
    const std::size_t length = random.below(40);
    switch (random.below(6)) {
      case 0:
        text[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, tokens()[random.below(tokens().size())]);
        break;
      case 3:
        text.insert(random.below(text.size()), text.substr(at, 8 * length));
        break;
      case 4:
        text.resize(at);
        break;
      default:
        text.replace(at, std::min(length, text.size() - at),
                     tokens()[random.below(tokens().size())]);
    }
  }
  return text;
}

// A few lines may change and yet mean the same; what is complete must at least add up again.
void expect_sound(const std::string& text) {
  const Records r = parse(text);
  ASSERT_LE(r.problems.size(), 21u);
  if (!r.complete) return;
  ASSERT_TRUE(r.end.has_value());
  const std::size_t end = text.rfind('\n', text.size() - 2) + 1;
  EXPECT_EQ(end_of(r).checksum, hex64(fnv1a64(std::string_view(text).substr(0, end))));
}

TEST(RecordFuzz, mutations_of_a_good_file_are_all_answered) {
  const std::string good = good_file();
  ASSERT_TRUE(parse(good).complete);
  Random random(20261116, "record fuzz");
  for (int i = 0; i < 4000; ++i) expect_sound(mutate(good, random));
}

TEST(RecordFuzz, any_change_before_the_end_record_is_noticed) {
  const std::string good = good_file();
  const std::size_t end = good.rfind('\n', good.size() - 2) + 1;
  Random random(7, "record flips");
  for (int i = 0; i < 1500; ++i) {
    std::string text = good;
    const std::size_t at = random.below(end);
    text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
    EXPECT_FALSE(parse(text).complete) << "byte " << at;
  }
}

TEST(RecordFuzz, bytes_of_chance_are_all_answered) {
  Random random(3, "record noise");
  for (int i = 0; i < 1000; ++i) {
    std::string text(random.below(600), '\0');
    for (char& c : text) c = static_cast<char>(random.below(256));
    expect_sound(text);
    const auto stamped = stamp_line(0, text);
    EXPECT_FALSE(stamped.has_value());
  }
}

TEST(RecordFuzz, deep_nesting_is_refused_without_running_out_of_stack) {
  for (const char* bracket : {"[", "{\"a\":"}) {
    std::string line;
    while (line.size() < kMaxLine - 8) line += bracket;
    EXPECT_FALSE(parse(line + "\n").complete);
    EXPECT_FALSE(stamp_line(0, line).has_value());
  }
  std::string closed = "{\"v\":1,\"seq\":0,\"type\":\"begin\",\"x\":";
  closed += std::string(30000, '[') + std::string(30000, ']') + "}\n";
  EXPECT_FALSE(parse(closed).begin.has_value());
}

TEST(RecordFuzz, mutated_workload_lines_stay_one_line_with_the_agents_number) {
  Random random(11, "stamp fuzz");
  const std::string good = to_line(-1, Sample{3, false, 30, 20, 10, 12, 5, 3});
  int accepted = 0;
  for (int i = 0; i < 10000; ++i) {
    const auto line = stamp_line(42, mutate(good, random));
    if (!line) continue;
    ++accepted;
    EXPECT_EQ(line->find('\n'), line->size() - 1);
    EXPECT_EQ(line->rfind("{\"v\":1,\"seq\":42,\"type\":\"", 0), 0u) << *line;
  }
  EXPECT_GT(accepted, 0);
}

}  // namespace
}  // namespace kneepoint::record
