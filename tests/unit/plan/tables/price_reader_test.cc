// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/plan/readers.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace kneepoint {
namespace {

std::string price_problems_of(const std::string& text) {
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
  EXPECT_EQ(price_problems_of("currency: usd\n"
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

TEST(PriceReader, NoFeeMayBeNegativeWhereverItStands) {
  const std::pair<const char*, const char*> rows[] = {
      {"per_node_hour: -1", "per_node_hour"},
      {"per_gpu_hour: -1", "per_gpu_hour"},
      {"per_core_hour: -1", "per_core_hour"},
      {"per_hour: -1", "per_hour"},
      {"per_job: -1", "per_job"},
      {"licences: [{name: l, per_token_hour: -1}]", "licences[0].per_token_hour"},
      {"storage: {gb: 1, per_gb_hour: -1}", "storage.per_gb_hour"},
      {"egress: {gb: 1, per_gb: -1}", "egress.per_gb"},
      {"energy: {per_kwh: -1}", "energy.per_kwh"},
      {"tier: owned, owned: {price_per_node: -1, years: 4}", "owned.price_per_node"},
      {"tier: owned, owned: {price_per_node: 1, years: 4, per_kwh: -1}", "owned.per_kwh"},
      {"tier: owned, owned: {price_per_node: 1, years: 4, nodes: 2, staff_per_year: -1}",
       "owned.staff_per_year"},
  };
  for (const auto& [text, key] : rows) {
    const std::string said =
        price_problems_of(std::string("currency: EUR\nitems:\n  a: {") + text + "}\n");
    EXPECT_NE(
        said.find(std::string("items.a.") + key + ": expected an amount of 0 or more, found '-1'"),
        std::string::npos)
        << text << "\n"
        << said;
  }
  for (const char* text : {"per_node_hour: 2, charge_factor: -1", "per_node_hour: 2, minimum: -1s",
                           "per_node_hour: 2, setup: -1s", "energy: {pue: 0.5, per_kwh: 1}"}) {
    EXPECT_NE(price_problems_of(std::string("currency: EUR\nitems:\n  a: {") + text + "}\n"), "")
        << text;
  }
}

TEST(PriceReader, WhatChargesNothingIsNoPrice) {
  for (const char* text :
       {"per_job: 0", "licences: [{name: l, per_token_hour: 0}]",
        "storage: {gb: 9, per_gb_hour: 0}", "tier: owned, owned: {price_per_node: 0, years: 4}",
        "energy: {idle_watts_per_node: 500}"}) {
    const std::string said =
        price_problems_of(std::string("currency: EUR\nitems:\n  a: {") + text + "}\n");
    EXPECT_NE(said.find("p.yaml:3:3: items.a: has no price above 0"), std::string::npos)
        << text << "\n"
        << said;
  }
}

TEST(PriceReader, SpotSaysHowOftenItIsInterrupted) {
  EXPECT_EQ(price_problems_of("currency: EUR\nitems:\n  a: {tier: spot, per_node_hour: 1}\n"),
            "p.yaml:3:13: items.a.tier: spot needs `spot: {interruptions_per_node_hour: ...}` "
            "beside it; 0 for nodes that are never taken back\n");
  EXPECT_EQ(price_problems_of("currency: EUR\nitems:\n  a: {tier: spot, per_node_hour: 1, "
                              "spot: {interruptions_per_node_hour: 0}}\n"),
            "");
}

TEST(PriceReader, EveryKeyArrivesInItsField) {
  const PricesRead read = read_prices(
      "currency: SU\nvalid_from: 2026-01-31\nsource: contract\nitems:\n"
      "  a:\n    tier: allocation\n    per_node_hour: 1.5\n    per_gpu_hour: 2.25\n"
      "    per_core_hour: 0.000001\n    charge_factor: 1.2\n    per_hour: 3\n    per_job: 0.05\n"
      "    minimum: 1m\n    granularity: 2s\n    setup: 3s\n    teardown: 4s\n"
      "    licences: [{name: l, per_token_hour: 0.4, tokens: 3, per: core}]\n"
      "    storage: {gb: 5, per_gb_hour: 0.0001}\n    egress: {gb: 6, per_gb: 0.09}\n"
      "    energy: {idle_watts_per_node: 7, busy_watts_per_worker: 8, pue: 1.1, per_kwh: 0.2}\n"
      "  b:\n    tier: reserved\n    per_node_hour: 1\n",
      "p.yaml");
  ASSERT_EQ(to_string(read.problems), "");
  EXPECT_EQ(read.book.currency, "SU");
  EXPECT_EQ(read.book.valid_from, "2026-01-31");
  EXPECT_EQ(read.book.source, "contract");
  EXPECT_FALSE(read.book.example);
  const PriceItem& a = *read.book.find("a");
  EXPECT_EQ(a.tier, Tier::allocation);
  EXPECT_EQ(a.per_node_hour, 1'500'000);
  EXPECT_EQ(a.per_gpu_hour, 2'250'000);
  EXPECT_EQ(a.per_core_hour, 1);
  EXPECT_EQ(a.charge_factor, 1.2);
  EXPECT_EQ(a.per_hour, 3'000'000);
  EXPECT_EQ(a.per_job, 50'000);
  EXPECT_EQ(a.minimum, kMinute);
  EXPECT_EQ(a.granularity, 2 * kSecond);
  EXPECT_EQ(a.setup, 3 * kSecond);
  EXPECT_EQ(a.teardown, 4 * kSecond);
  ASSERT_EQ(a.licences.size(), 1u);
  EXPECT_EQ(a.licences[0].per_token_hour, 400'000);
  EXPECT_EQ(a.licences[0].tokens, 3);
  EXPECT_EQ(a.licences[0].per, LicencePrice::Per::core);
  EXPECT_EQ(a.storage_gb, 5);
  EXPECT_EQ(a.per_gb_hour, 100);
  EXPECT_EQ(a.egress_gb, 6);
  EXPECT_EQ(a.per_gb_egress, 90'000);
  EXPECT_EQ(a.energy.idle_watts_per_node, 7);
  EXPECT_EQ(a.energy.busy_watts_per_worker, 8);
  EXPECT_EQ(a.energy.pue, 1.1);
  EXPECT_EQ(a.energy.per_kwh, 200'000);
  EXPECT_EQ(read.book.find("b")->tier, Tier::reserved);
}

TEST(PriceReader, ABookNeedsACurrencyAndItems) {
  const std::string text = price_problems_of("source: nobody\n");
  EXPECT_NE(text.find("currency: missing"), std::string::npos) << text;
  EXPECT_NE(text.find("items: missing"), std::string::npos) << text;
}

}  // namespace
}  // namespace kneepoint
