// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/plan/price_reader.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace kneepoint {
namespace {

std::string problems_of(const std::string& text) {
  return to_string(read_prices(text, "p.yaml").problems);
}

TEST(PriceReader, TheShippedExampleIsReadAndMarkedAsOne) {
  std::ifstream file(KP_SOURCE_DIR "/plans/prices/example.yaml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const PricesRead read = read_prices(text, "example.yaml");
  EXPECT_EQ(to_string(read.problems), "");
  EXPECT_TRUE(read.book.example);
  EXPECT_EQ(read.book.currency, "USD");
  ASSERT_NE(read.book.find("c-large"), nullptr);
  EXPECT_EQ(read.book.find("c-large")->per_node_hour, 2'500'000);
  EXPECT_EQ(read.book.find("c-large")->granularity, 60 * kSecond);
  EXPECT_EQ(read.book.find("c-large-spot")->spot.restart, 6 * kMinute);
  EXPECT_NEAR(read.book.find("our-own")->owned->utilisation, 0.8, 1e-12);
  EXPECT_EQ(read.book.find("licensed")->licences.at(0).per, LicencePrice::Per::worker);
  EXPECT_EQ(read.book.find("nowhere"), nullptr);
}

TEST(PriceReader, EveryProblemIsSaidAtOnceWithItsPlace) {
  EXPECT_EQ(problems_of("currency: usd\n"
                        "valid_from: 2026-13-01\n"
                        "items:\n"
                        "  a: {per_node_hour: -1}\n"
                        "  b: {per_node_hour: 0}\n"
                        "  c: {per_nod_hour: 2}\n"
                        "  d: {per_node_hour: 2, tier: spott}\n"
                        "  e: {per_node_hour: 2, spot: {restart: 1m}}\n"
                        "  f: {tier: owned}\n"),
            "p.yaml:1:11: currency: expected a code of capitals such as USD or SU, found 'usd'\n"
            "p.yaml:2:13: valid_from: expected a day such as 2026-01-31, found '2026-13-01'\n"
            "p.yaml:4:22: items.a.per_node_hour: expected an amount of 0 or more, found '-1'\n"
            "p.yaml:5:3: items.b: has no price above 0; expected one of per_node_hour, "
            "per_gpu_hour, per_core_hour, per_hour, per_job, owned, licences, storage, egress, "
            "energy\n"
            "p.yaml:6:7: items.c.per_nod_hour: unknown key; did you mean 'per_node_hour'?\n"
            "p.yaml:7:31: items.d.tier: expected on_demand, reserved, spot, owned or allocation, "
            "found 'spott'; did you mean 'spot'?\n"
            "p.yaml:8:25: items.e.spot: is for tier: spot\n"
            "p.yaml:9:13: items.f.tier: owned needs `owned: {price_per_node: ..., years: ...}` "
            "beside it\n");
}

TEST(PriceReader, ABookNeedsACurrencyAndItems) {
  const std::string text = problems_of("source: nobody\n");
  EXPECT_NE(text.find("currency: missing"), std::string::npos) << text;
  EXPECT_NE(text.find("items: missing"), std::string::npos) << text;
}

}  // namespace
}  // namespace kneepoint
