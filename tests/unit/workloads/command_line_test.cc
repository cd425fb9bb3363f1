// SPDX-License-Identifier: Apache-2.0
//
// The command line of the workloads.
#include "workloads/harness/command_line.h"

#include <gtest/gtest.h>

namespace kneepoint::workloads {
namespace {

const Description kExample = {"example",
                              "an example",
                              "edge, cells",
                              "96",
                              1,
                              1000,
                              {{"sweeps", "20", "sweeps", 1, 100, true, {}},
                               {"s", "0.05", "fraction", 0, 1, false, {}},
                               {"work", "busy", "how", 0, 0, false, {"busy", "sleep"}}}};

Result<Options> parse(const std::vector<std::string>& arguments) {
  return parse_command_line(kExample, arguments);
}

std::string refusal(const std::vector<std::string>& arguments) {
  const auto options = parse(arguments);
  return options ? "accepted" : options.error().message;
}

TEST(CommandLine, EverythingHasADefault) {
  const auto options = parse({});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->size, 96);
  EXPECT_FALSE(options->weak);
  EXPECT_EQ(options->workers, 0);
  EXPECT_EQ(options->warmup, 1);
  EXPECT_EQ(options->iterations, 5);
  EXPECT_EQ(options->min_time, 0);
  EXPECT_EQ(options->seed, 1U);
  EXPECT_FALSE(options->break_answer);
  EXPECT_EQ(options->number("sweeps"), 20);
  EXPECT_EQ(options->word("work"), "busy");
}

TEST(CommandLine, WhatAPlanWritesIsUnderstood) {
  const auto options = parse({"--size", "512", "--mode", "weak", "--workers", "4", "--warmup", "0",
                              "--min-time", "2.5", "--seed", "18446744073709551615", "--sweeps",
                              "3", "--s=0.25", "--work", "sleep"});
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->size, 512);
  EXPECT_TRUE(options->weak);
  EXPECT_EQ(options->workers, 4);
  EXPECT_EQ(options->warmup, 0);
  EXPECT_EQ(options->min_time, 2'500'000'000);
  EXPECT_EQ(options->seed, 18446744073709551615ULL);
  EXPECT_EQ(options->number("sweeps"), 3);
  EXPECT_EQ(options->number("s"), 0.25);
  EXPECT_EQ(options->word("work"), "sleep");
}

TEST(CommandLine, RefusalsNameTheFlagTheValueAndWhatWasExpected) {
  EXPECT_EQ(refusal({"--size", "12.5"}), "--size '12.5': expected a whole number from 1 to 1000");
  EXPECT_EQ(refusal({"--size", "0"}), "--size '0': expected a whole number from 1 to 1000");
  EXPECT_EQ(refusal({"--size", "nan"}), "--size 'nan': expected a whole number from 1 to 1000");
  EXPECT_EQ(refusal({"--size", "9x"}), "--size '9x': expected a whole number from 1 to 1000");
  EXPECT_EQ(refusal({"--mode", "medium"}), "--mode 'medium': expected strong or weak");
  EXPECT_EQ(refusal({"--iterations", "0"}),
            "--iterations '0': expected a whole number from 1 to 1000000000");
  EXPECT_EQ(refusal({"--seed", "-1"}),
            "--seed '-1': expected a whole number from 0 to 18446744073709551615");
  EXPECT_EQ(refusal({"--seed", "18446744073709551616"}),
            "--seed '18446744073709551616': expected a whole number from 0 to "
            "18446744073709551615");
  EXPECT_EQ(refusal({"--s", "1.5"}), "--s '1.5': expected a number from 0 to 1");
  EXPECT_EQ(refusal({"--work", "doze"}), "--work 'doze': expected busy or sleep");
  EXPECT_EQ(refusal({"--size"}), "--size needs a value after it");
}

TEST(CommandLine, UnknownArgumentsGetASuggestion) {
  EXPECT_EQ(refusal({"--sweep", "3"}), "unknown argument '--sweep'; did you mean '--sweeps'?");
  EXPECT_EQ(refusal({"--iteration", "3"}),
            "unknown argument '--iteration'; did you mean '--iterations'?");
  EXPECT_EQ(refusal({"xyzzy"}), "unknown argument 'xyzzy'; kp-example --help lists them");
}

TEST(CommandLine, HelpNamesEveryParameterWithItsDefaultButNotTheTestFlag) {
  const std::string help = help_text(kExample);
  EXPECT_NE(help.find("--sweeps"), std::string::npos);
  EXPECT_NE(help.find("(default 0.05)"), std::string::npos);
  EXPECT_NE(help.find("--min-time"), std::string::npos);
  EXPECT_EQ(help.find("break"), std::string::npos);
  EXPECT_TRUE(parse({"--help"})->help);
}

TEST(CommandLine, AWorkloadWithoutASizeTakesAny) {
  Description sizeless = kExample;
  sizeless.default_size = "";
  EXPECT_TRUE(parse_command_line(sizeless, {"--size", "0.5"}));
}

}  // namespace
}  // namespace kneepoint::workloads
