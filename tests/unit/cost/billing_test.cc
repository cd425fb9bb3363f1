// SPDX-License-Identifier: Apache-2.0
//
// Bills against the reference values, and that their parts add up to the millionth.
#include "orchestrator/cost/billing.h"

#include <gtest/gtest.h>

#include <cmath>

#include "orchestrator/model/money.h"
#include "tests/unit/analysis/reference.h"

namespace kneepoint {
namespace {

Nanoseconds ns(double seconds) {
  return static_cast<Nanoseconds>(std::llround(seconds * 1e9));
}

PriceItem node_price(double per_node_hour) {
  PriceItem item;
  item.name = "node";
  item.per_node_hour = round_micros(per_node_hour);
  return item;
}

Use nodes(int n) {
  return {n, 0, n, n};
}

TEST(Billing, PlainAndBilledCostAreTheReferences) {
  PriceItem plain = node_price(2.5), billed = node_price(2.5);
  billed.granularity = 60 * kSecond;
  billed.setup = 90 * kSecond;
  int compared = 0;
  for (const auto& row : reference_rows("cost.json", "cost_examples")) {
    const int k = row["K"];
    const Nanoseconds time = ns(row["T_s"]);
    EXPECT_NEAR(to_units(bill_run(plain, nodes(k), time).total), row["cost_plain"].get<double>(),
                5.1e-7);
    const Bill bill = bill_run(billed, nodes(k), time);
    EXPECT_EQ(bill.billed, ns(row["billed_s_60s_granularity_with_90s_startup"]));
    EXPECT_NEAR(to_units(bill.total), row["cost_billed"].get<double>(), 5.1e-7);
    ++compared;
  }
  EXPECT_GE(compared, 8);
}

TEST(Billing, SixtyFourNodesByTheMinuteCostTwentyFour) {
  PriceItem item = node_price(2.5);
  item.granularity = 60 * kSecond;
  item.setup = 90 * kSecond;
  EXPECT_EQ(bill_run(item, nodes(64), ns(449.4375)).total, 24'000'000);
}

TEST(Billing, PlainNodeHoursGiveTheInverseOfEfficiency) {
  const PriceItem item = node_price(3.6);  // 1000 millionths a node-second: exact
  for (const int k : {2, 4, 8, 64}) {
    const double t1 = 3600, tk = 3600 * (0.05 + 0.95 / k);
    const double efficiency = t1 / (k * tk);
    const double ratio = static_cast<double>(bill_run(item, nodes(k), ns(tk)).total) /
                         static_cast<double>(bill_run(item, nodes(1), ns(t1)).total);
    EXPECT_NEAR(ratio, 1 / efficiency, 1e-6) << k;
  }
}

TEST(Billing, ExpectedTimeOfInterruptedRunsIsTheReferences) {
  int compared = 0;
  for (const auto& row : reference_rows("cost.json", "spot_expected_time")) {
    SpotTerms spot;
    spot.interruptions_per_node_hour = row["lam_per_node_h"];
    spot.restart = ns(row["R_h"].get<double>() * 3600);
    const auto time = expected_time(spot, row["n"], ns(row["T_h"].get<double>() * 3600));
    ASSERT_TRUE(time);
    EXPECT_NEAR(to_seconds(*time) / 3600, row["E_h"].get<double>(), 1e-9);
    ++compared;
  }
  EXPECT_EQ(compared, 6);
}

TEST(Billing, InterruptionsThatNeverLetARunEndGiveNoTime) {
  SpotTerms spot;
  spot.interruptions_per_node_hour = 1;
  EXPECT_FALSE(expected_time(spot, 1000, kHour));
  EXPECT_FALSE(break_even_share(spot, 1000, kHour));
  spot.checkpoint = 30 * kSecond;  // with checkpoints it ends
  EXPECT_TRUE(expected_time(spot, 1000, kHour));
  EXPECT_EQ(expected_time({}, 1000, kHour), kHour);
}

TEST(Billing, SpotMustBeCheaperByTheTimeItLoses) {
  SpotTerms spot;
  spot.interruptions_per_node_hour = 0.02;
  spot.restart = 6 * kMinute;
  const double one = break_even_share(spot, 1, kHour).value();
  EXPECT_NEAR(one, 1 / 1.0120871353404644, 1e-9);
  EXPECT_LT(break_even_share(spot, 32, kHour).value(), one);
}

TEST(Billing, PartsAddUpToTheTotal) {
  PriceItem item = node_price(1.234567);
  item.per_gpu_hour = 333'333;
  item.per_core_hour = 7;
  item.per_hour = 1'000'001;
  item.per_job = 50'000;
  item.charge_factor = 1.5;
  item.licences = {{"solver", 400'000, 2, LicencePrice::Per::worker},
                   {"mesh", 100'000, 1, LicencePrice::Per::job}};
  item.storage_gb = 123.4;
  item.per_gb_hour = 11;
  item.egress_gb = 3;
  item.per_gb_egress = 90'000;
  item.energy = {300, 100, 1.3, 250'000};
  const Bill bill = bill_run(item, {3, 24, 96, 24}, ns(1234.5678));
  std::int64_t sum = 0;
  for (const BillPart& part : bill.parts) sum += part.micros;
  EXPECT_EQ(sum, bill.total);
  EXPECT_EQ(bill.parts.size(), 10U);
  EXPECT_NEAR(bill.kwh, 1.3 * (3 * 300 + 24 * 100) * 1234.5678 / 3.6e6, 1e-9);
}

// Half an hour on 2 nodes with 16 GPUs, 128 cores and 16 workers, one field at a time.
TEST(Billing, EveryFieldComesToWhatAHandReckons) {
  struct Row {
    const char* part;
    PriceItem item;
    std::int64_t micros;
  };
  const auto item = [](auto set) {
    PriceItem one;
    set(one);
    return one;
  };
  using Per = LicencePrice::Per;
  const auto licence = [&](Per per) {
    return item([&](PriceItem& i) { i.licences = {{"x", 400'000, 3, per}}; });
  };
  const Row rows[] = {
      {"nodes", item([](PriceItem& i) { i.per_node_hour = 2'500'000; }), 2'500'000},
      {"gpus", item([](PriceItem& i) { i.per_gpu_hour = 1'750'000; }), 14'000'000},
      {"cores", item([](PriceItem& i) { i.per_core_hour = 30'000; }), 1'920'000},
      {"hourly fee", item([](PriceItem& i) { i.per_hour = 10'000'000; }), 5'000'000},
      {"job fee", item([](PriceItem& i) { i.per_job = 50'000; }), 50'000},
      {"licence x", licence(Per::job), 600'000},       // 3 x 0.40 x 0.5
      {"licence x", licence(Per::node), 1'200'000},    // 6
      {"licence x", licence(Per::core), 76'800'000},   // 384
      {"licence x", licence(Per::worker), 9'600'000},  // 48
      {"storage", item([](PriceItem& i) {
         i.storage_gb = 500;
         i.per_gb_hour = 100;
       }),
       25'000},
      {"egress", item([](PriceItem& i) {
         i.egress_gb = 20;
         i.per_gb_egress = 90'000;
       }),
       1'800'000},
      // 1.2 x (2 x 800 + 16 x 600) W x 0.5 h = 6.72 kWh at 0.15
      {"energy", item([](PriceItem& i) {
         i.energy = {800, 600, 1.2, 150'000};
       }),
       1'008'000},
      {"nodes", item([](PriceItem& i) {
         i.per_node_hour = 2'500'000;
         i.minimum = kHour;
       }),
       5'000'000},
      {"nodes", item([](PriceItem& i) {
         i.per_node_hour = 2'500'000;
         i.granularity = 20 * kMinute;  // 40 minutes
       }),
       3'333'333},
      {"nodes", item([](PriceItem& i) {
         i.per_node_hour = 2'500'000;
         i.setup = 4 * kMinute;
         i.teardown = 2 * kMinute;  // 36 minutes
       }),
       3'000'000},
  };
  for (const Row& row : rows) {
    const Bill bill = bill_run(row.item, {2, 16, 128, 16}, kHour / 2);
    ASSERT_EQ(bill.parts.size(), 1u) << row.part;
    EXPECT_EQ(bill.parts[0].name, row.part);
    EXPECT_EQ(bill.parts[0].micros, row.micros) << row.part;
    EXPECT_EQ(bill.total, row.micros) << row.part;
  }
}

TEST(Billing, TheChargeFactorIsForNodesGpusAndCoresAlone) {
  PriceItem item = node_price(2.5);
  item.per_gpu_hour = 1'750'000;
  item.per_core_hour = 30'000;
  item.per_hour = 10'000'000;
  item.per_job = 50'000;
  item.charge_factor = 1.5;
  // 1.5 x (2.50 + 14.00 + 1.92) + 5.00 + 0.05
  EXPECT_EQ(bill_run(item, {2, 16, 128, 16}, kHour / 2).total, 32'680'000);
}

TEST(Billing, CheckpointsCostTheirOwnTime) {
  SpotTerms spot;
  spot.interruptions_per_node_hour = 0.02;
  spot.restart = 6 * kMinute;
  spot.checkpoint = 30 * kSecond;
  // 32 nodes: 0.64 an hour; 1 + sqrt(2 x 0.64 / 120) + 0.64 x 0.1 = 1.1672796
  EXPECT_NEAR(to_seconds(expected_time(spot, 32, kHour).value()), 3600 * 1.1672796, 0.001);
}

TEST(Billing, ShortRunsPayTheMinimum) {
  PriceItem item = node_price(3600);  // one unit a second
  item.minimum = 60 * kSecond;
  EXPECT_EQ(bill_run(item, nodes(1), kSecond).total, 60'000'000);
  EXPECT_EQ(bill_run(item, nodes(1), 61 * kSecond).total, 61'000'000);
}

TEST(Billing, AYearOfWhatWasBoughtIsPaidByTheHoursUsed) {
  PriceItem item;
  item.tier = Tier::owned;
  item.owned = OwnedPrice{35'064'000'000, 4, 0.5, 10, 1000, 1.5, 200'000, 87'660'000'000};
  // 35064/4/(8766 x 0.5) + 1.5 kW x 0.20 / 0.5 + 87660/10/(8766 x 0.5) = 2 + 0.6 + 2
  EXPECT_EQ(node_hour(item), 4'600'000);
}

}  // namespace
}  // namespace kneepoint
