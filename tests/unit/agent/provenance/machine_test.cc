// SPDX-License-Identifier: Apache-2.0
//
// The machine is measured at most once, and only what the probe measured becomes a fact.
#include "agents/agent/provenance/provenance.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/file.h>

#include "agents/wire/record.h"
#include "tests/unit/agent/temporary_folder.h"

namespace kneepoint::agent {
namespace {

std::string answer(const Facts& facts) {
  return record::to_line(0, record::Provenance{"machine", facts});
}

TEST(MachineFacts, are_positive_numbers_of_the_machine) {
  const Facts facts = parse_machine_facts(answer({{"machine.flops_per_core", "1.2e+11"},
                                                  {"machine.bandwidth_per_core", "0"},
                                                  {"machine.bandwidth_of_node", "inf"},
                                                  {"machine.cpus", "4 of them"},
                                                  {"cpu.model", "7"}}));
  EXPECT_EQ(facts, (Facts{{"machine.flops_per_core", "1.2e+11"}}));
  EXPECT_TRUE(parse_machine_facts("").empty());
  EXPECT_TRUE(parse_machine_facts("Segmentation fault\n").empty());
}

class CachedMachineFacts : public testing::Test {
 protected:
  Facts get() {
    return cached_machine_facts(folder_.path(), "machine-b", now_, [this] {
      ++asked_;
      return text_;
    });
  }
  TemporaryFolder folder_;
  std::string text_ = answer({{"machine.flops_per_core", "1e+11"}});
  Nanoseconds now_ = system_clock().wall();
  int asked_ = 0;
};

TEST_F(CachedMachineFacts, are_measured_once) {
  EXPECT_EQ(fact(get(), "machine.flops_per_core"), "1e+11");
  const Facts again = get();
  EXPECT_EQ(fact(again, "machine.flops_per_core"), "1e+11");
  EXPECT_EQ(fact(again, "machine.probe"), "done");
  EXPECT_EQ(asked_, 1);
}

TEST_F(CachedMachineFacts, are_absent_when_the_probe_failed_and_it_is_not_tried_again_soon) {
  text_ = "";
  EXPECT_EQ(fact(get(), "machine.probe"), "failed");
  EXPECT_EQ(fact(get(), "machine.flops_per_core"), "");
  EXPECT_EQ(asked_, 1);
}

TEST_F(CachedMachineFacts, are_measured_again_after_a_while_where_others_were_in_the_way) {
  const std::string rates = text_;
  text_ = answer({{"machine.others", "1.3"}});
  EXPECT_EQ(fact(get(), "machine.probe"), "disturbed");
  EXPECT_EQ(fact(get(), "machine.others"), "1.3");
  EXPECT_EQ(asked_, 1);
  now_ += kNextTry + kMinute;
  text_ = rates;
  EXPECT_EQ(fact(get(), "machine.probe"), "done");
  EXPECT_EQ(fact(get(), "machine.others"), "");
  EXPECT_EQ(fact(get(), "machine.flops_per_core"), "1e+11");
  EXPECT_EQ(asked_, 2);
  now_ += 100 * kNextTry;  // rates hold
  EXPECT_EQ(fact(get(), "machine.probe"), "done");
  EXPECT_EQ(asked_, 2);
}

TEST_F(CachedMachineFacts, wait_for_another_time_while_another_agent_measures) {
  const Fd other(open((folder_ / "machine.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(flock(other.get(), LOCK_EX), 0);
  EXPECT_TRUE(get().empty());
  EXPECT_EQ(asked_, 0);
  flock(other.get(), LOCK_UN);
  EXPECT_EQ(fact(get(), "machine.probe"), "done");
}

TEST_F(CachedMachineFacts, are_not_measured_where_they_can_not_be_kept) {
  EXPECT_TRUE(cached_machine_facts("", "machine-b", now_, [this] {
                ++asked_;
                return text_;
              }).empty());
  EXPECT_EQ(asked_, 0);
}

TEST(MachineFacts, are_only_for_a_step_that_wants_them_and_can_be_switched_off) {
  StepSpec step;
  step.argv = {"prog"};
  step.env = {{kMachineProbeVariable, "/bin/false"}};
  EXPECT_TRUE(machine_facts(step).empty());
  step.measure_machine = true;
  step.env = {{kMachineProbeVariable, "off"}};
  EXPECT_TRUE(machine_facts(step).empty());
}

}  // namespace
}  // namespace kneepoint::agent
