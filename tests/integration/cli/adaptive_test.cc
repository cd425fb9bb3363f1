// SPDX-License-Identifier: Apache-2.0
//
// Adaptive search and budgets through the real program, on the simulated backend: from check to
// report, killed and resumed, stopped at the budget and gone on with.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;

// Where lines are broken depends on how long the test's folder is.
bool has(std::string text, const std::string& part) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.find(part) != std::string::npos;
}

const std::string kNoisySite =
    "backend: simulated\nname: sim\nsimulated: {nodes: 128, noise: 0.03, seed: 11}\n";

std::string search_plan(const std::string& more = "search: {knee: adaptive}\n",
                        const std::string& modes = "[strong, weak]") {
  return R"(study: search
worker: node
scale: [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128]
workloads:
  - name: solver
    use: synthetic
    parameters: {work: sleep, s: 0.03, c: 0.001, seconds: 60}
repeat: 5
modes: )" +
         modes + "\n" + more;
}

// Without what may differ between two runs of the same study.
void drop_volatile(json& value) {
  if (value.is_object()) {
    value.erase("volatile");
    for (auto& [key, inner] : value.items()) drop_volatile(inner);
  } else if (value.is_array()) {
    for (json& inner : value) drop_volatile(inner);
  }
}

json report_of(const Place& place, const std::string& study) {
  const auto ended = place.kneepoint({"report", study, "--json"});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  json report = json::parse(ended.output);
  drop_volatile(report);
  // A controller that is killed between claiming its folder and storing the study leaves that
  // folder alone, and the next one takes the next number.
  report.at("study").erase("id");
  return report;
}

bool tells_of_a_search(const json& report) {
  return has(report.at("notes").dump(), "The search was adaptive");
}

// What the search ended with; a controller that is killed right then says it again.
std::set<std::string> ends_of(const Place& place, const std::string& study) {
  std::set<std::string> ends;
  const json status = json::parse(place.kneepoint({"status", study, "--json"}).output);
  for (const json& event : status.at("events")) {
    const std::string text = event.at("text");
    if (event.at("kind") == "round" && text.starts_with("search over: ")) ends.insert(text);
  }
  return ends;
}

TEST(AdaptiveCommand, TheShippedPlanIsCheckedRunAndReported) {
  const Place place;
  const std::string plan = KP_SOURCE_DIR "/plans/adaptive.yaml",
                    site = KP_SOURCE_DIR "/plans/sites/simulated.yaml";
  const auto check = place.kneepoint({"check", plan, "--site", site});
  ASSERT_EQ(check.exit_code, 0) << check.errors;
  EXPECT_TRUE(has(check.output, "Adaptive search for the knee (E=0.7, to within 10% of its K)"))
      << check.output;
  EXPECT_TRUE(has(check.output, "Round 0: K=1 x 2, K=2 x 2,")) << check.output;
  EXPECT_TRUE(has(check.output, "Never more than the full grid: ")) << check.output;

  const auto run = place.kneepoint({"run", plan, "--site", site});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_TRUE(has(run.errors, "estimate: never more than the full grid, ")) << run.errors;
  EXPECT_TRUE(has(run.errors, "round 1: K=8 x 2: E=0.9")) << run.errors;
  EXPECT_TRUE(has(run.errors, "search over: the knee is at K=")) << run.errors;
  const auto report = place.kneepoint({"report", "adaptive"});
  EXPECT_TRUE(has(report.output, "The search was adaptive")) << report.output;
  EXPECT_TRUE(tells_of_a_search(report_of(place, "adaptive")));

  const auto again = place.kneepoint({"run", plan, "--site", site});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_TRUE(has(again.errors, "The plan asks for nothing more")) << again.errors;
}

TEST(AdaptiveCommand, KilledAndResumedItDecidesTheSame) {
  const auto words = [](const Place& place) -> std::vector<std::string> {
    return {"run", place.write("plan.yaml", search_plan()), "--site",
            place.write("site.yaml", kNoisySite)};
  };
  const Place calm;
  const auto undisturbed = calm.kneepoint(words(calm));
  ASSERT_EQ(undisturbed.exit_code, 0) << undisturbed.errors;

  // Each sitting is a little longer than the one before, so that the study ends on any machine.
  const Place place;
  const std::vector<std::string> run = words(place);
  int kills = 0;
  for (double us = 4'000;; us *= 1.15) {
    const pid_t pid = place.start(run);
    const bool by_itself = place.ended_within(pid, static_cast<long>(us));
    if (!by_itself) ::kill(pid, SIGKILL);
    const auto ended = place.wait(pid);
    if (by_itself) {
      ASSERT_EQ(ended.exit_code, 0) << ended.errors;
      break;
    }
    ++kills;
  }
  EXPECT_GE(kills, 1);
  RecordProperty("kills", kills);
  EXPECT_EQ(report_of(place, "search"), report_of(calm, "search"));
  EXPECT_EQ(ends_of(place, "search").size(), 2U);  // strong and weak
  EXPECT_EQ(ends_of(place, "search"), ends_of(calm, "search"));
}

TEST(AdaptiveCommand, AStudyGoesFromAdaptiveToGridAndNothingIsLeftOut) {
  const Place place;
  const std::string site = place.write("site.yaml", kNoisySite);
  ASSERT_EQ(
      place.kneepoint({"run", place.write("plan.yaml", search_plan()), "--site", site}).exit_code,
      0);
  EXPECT_TRUE(tells_of_a_search(report_of(place, "search")));
  const auto grid =
      place.kneepoint({"run", place.write("plan.yaml", search_plan("")), "--site", site});
  ASSERT_EQ(grid.exit_code, 0) << grid.errors;
  EXPECT_TRUE(has(grid.errors, "extending study search-")) << grid.errors;
  EXPECT_FALSE(tells_of_a_search(report_of(place, "search")));
  const json status = json::parse(place.kneepoint({"status", "search", "--json"}).output);
  EXPECT_EQ(status.at("runs").at("succeeded"), 2 * 14 * 5);
}

// A program without a model: each run is estimated at its limit until one is over.
std::string unmodelled(const std::string& budget) {
  return R"y(study: spender
worker: node
scale: [1, 2]
modes: [strong]
workloads:
  - name: program
    command: [/bin/true]
    mpi: false
    metrics: {time: {pattern: "t=([0-9.]+)", unit: s}}
repeat: 5
limits: {timeout: 2m, concurrent: 4, budget: )y" +
         budget + "}\n";
}
const std::string kMinuteSite =
    "backend: simulated\nname: sim\nsimulated: {nodes: 8, default_time: 60s}\n";

TEST(BudgetCommand, StopsBeforeItIsPassedAndGoesOnWithALargerOne) {
  const Place place;
  const std::string site = place.write("site.yaml", kMinuteSite);
  const std::string prices =
      place.write("prices.yaml", "currency: EUR\nitems: {node: {per_node_hour: 6}}\n");
  const auto run = [&](const std::string& budget, bool priced) {
    std::vector<std::string> words = {"run", place.write("plan.yaml", unmodelled(budget)), "--site",
                                      site};
    if (priced) words.insert(words.end(), {"--prices", prices});
    return place.kneepoint(words);
  };
  // 15 node-minutes in all, 0.10 each: 1.50. The budget is enough for about half.
  const auto first = run("{amount: 0.75, currency: EUR}", true);
  EXPECT_EQ(first.exit_code, 4) << first.errors;
  EXPECT_TRUE(has(first.errors, "stopped before the budget of 0.75 EUR")) << first.errors;
  EXPECT_TRUE(has(first.errors, "Raise it in limits.budget")) << first.errors;
  json status = json::parse(place.kneepoint({"status", "spender", "--json"}).output);
  EXPECT_EQ(status.at("state"), "interrupted");
  const double spent = std::stod(status.at("spent").at("amount").get<std::string>());
  EXPECT_GT(spent, 0.3);
  EXPECT_LE(spent, 0.75);
  EXPECT_EQ(status.at("budget_amount"), "0.75");
  EXPECT_TRUE(has(place.kneepoint({"status", "spender"}).output, " of 0.75 EUR (item node of "));

  // The price is remembered.
  const auto second = run("{amount: 10, currency: EUR}", false);
  EXPECT_EQ(second.exit_code, 0) << second.errors;
  EXPECT_TRUE(has(second.errors, "resuming study spender-")) << second.errors;
  status = json::parse(place.kneepoint({"status", "spender", "--json"}).output);
  EXPECT_EQ(status.at("state"), "finished");
  EXPECT_NEAR(std::stod(status.at("spent").at("amount").get<std::string>()), 1.5, 0.1);
}

TEST(BudgetCommand, NodeHoursStopAStudyToo) {
  const Place place;
  const auto ended =
      place.kneepoint({"run", place.write("plan.yaml", unmodelled("{node_hours: 0.12}")), "--site",
                       place.write("site.yaml", kMinuteSite)});
  EXPECT_EQ(ended.exit_code, 4) << ended.errors;
  EXPECT_TRUE(has(ended.errors, "stopped before the budget of 0.12 node-hours")) << ended.errors;
  const json status = json::parse(place.kneepoint({"status", "spender", "--json"}).output);
  EXPECT_LE(status.at("node_hours").get<double>(), 0.12);
  EXPECT_GT(status.at("node_hours").get<double>(), 0.05);
}

// Times that vary by half: runs take much longer than estimated.
TEST(BudgetCommand, IsNeverPassedThoughRunsTakeLongerThanReckoned) {
  for (const bool packed : {false, true}) {
    for (int seed = 1; seed <= 6; ++seed) {
      const Place place;
      const std::string site = place.write(
          "site.yaml", "backend: simulated\nname: sim\nsimulated: {nodes: 64, noise: 0.5, seed: " +
                           std::to_string(seed) + "}\n" +
                           (packed ? "packing: {mode: packed, allocations: 2, limit: 12h}\n" : ""));
      const std::string prices = place.write(
          "prices.yaml", "currency: EUR\nitems: {node: {per_node_hour: 6, granularity: 60s}}\n");
      const std::string plan = place.write(
          "plan.yaml",
          "study: noisy\nworker: node\nscale: [1, 2, 4, 8]\nmodes: [strong]\n"
          "workloads:\n  - name: solver\n    use: synthetic\n"
          "    parameters: {work: sleep, s: 0.05, c: 0.001, seconds: 60}\nrepeat: 5\n"
          "limits: {timeout: 20m, concurrent: 4, budget: {node_hours: 1.95, amount: 13.60, "
          "currency: EUR}}\n");
      const auto ended =
          place.kneepoint({"run", plan, "--site", site, "--prices", prices, "--item", "node"});
      const json status = json::parse(place.kneepoint({"status", "noisy", "--json"}).output);
      EXPECT_LE(status.at("node_hours").get<double>(), 1.95) << packed << " " << seed;
      EXPECT_LE(std::stod(status.at("spent").at("amount").get<std::string>()), 13.6) << seed;
      EXPECT_TRUE(ended.exit_code == 4 || ended.exit_code == 0) << ended.errors;
    }
  }
}

TEST(BudgetCommand, AnotherPriceIsForWhatComesAndAnotherCurrencyIsRefused) {
  const Place place;
  const std::string site = place.write("site.yaml", kMinuteSite);
  const auto book = [&](const std::string& name, const std::string& currency, const char* price) {
    return place.write(
        name, "currency: " + currency + "\nitems: {node: {per_node_hour: " + price + "}}\n");
  };
  const std::string cheap = book("cheap.yaml", "EUR", "6"), dear = book("dear.yaml", "EUR", "60"),
                    other = book("other.yaml", "USD", "6");
  const auto run = [&](const std::string& budget, const std::string& prices) {
    return place.kneepoint(
        {"run", place.write("plan.yaml", unmodelled(budget)), "--site", site, "--prices", prices});
  };
  const auto spent = [&] {
    const json status = json::parse(place.kneepoint({"status", "spender", "--json"}).output);
    return std::stod(status.at("spent").at("amount").get<std::string>());
  };
  ASSERT_EQ(run("{amount: 0.75, currency: EUR}", cheap).exit_code, 4);
  const double before = spent();
  const auto refused = run("{amount: 99, currency: USD}", other);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(has(refused.errors, "was billed in EUR so far, and ")) << refused.errors;
  const auto second = run("{amount: 99, currency: EUR}", dear);
  EXPECT_EQ(second.exit_code, 0) << second.errors;
  EXPECT_TRUE(has(second.errors, "what was spent so far stays billed by item node of "))
      << second.errors;
  // 15 node-minutes in all: those of before at 0.10, the others at 1.00.
  EXPECT_NEAR(spent(), before + (1.5 - before) * 10, 0.01);
}

TEST(BudgetCommand, CheckAndRunRefuseWhatCanNotFitAndSayWhatWould) {
  const Place place;
  const std::string site = place.write("site.yaml", kNoisySite);
  const std::string prices =
      place.write("prices.yaml", "currency: EUR\nitems: {node: {per_node_hour: 2.50}}\n");
  const auto refused = [&](const std::string& budget, bool priced, const std::string& why) {
    const std::string plan =
        place.write("plan.yaml", search_plan("limits: {budget: " + budget + "}\n", "strong"));
    for (const char* command : {"check", "run"}) {
      std::vector<std::string> words = {command, plan, "--site", site};
      if (priced) words.insert(words.end(), {"--prices", prices, "--item", "node"});
      const auto ended = place.kneepoint(words);
      EXPECT_EQ(ended.exit_code, 2) << command;
      std::string text = ended.output + ended.errors;
      for (std::size_t at = 0; (at = text.find("\n  ", at)) != std::string::npos;) {
        text.replace(at, 3, " ");
      }
      EXPECT_TRUE(has(text, why)) << text;
    }
  };
  refused("{node_hours: 4}", false, "What would fit: repeat: 1");
  refused("{node_hours: 4}", false, "search: {knee: adaptive} (about ");
  refused("{amount: 10, currency: EUR}", true, "or a budget of ");
  refused("{amount: 10, currency: USD}", true, "limits.budget is in USD, and the prices of ");
  refused("{amount: 10, currency: EUR}", false, "nothing says what runs cost");
  EXPECT_FALSE(has(place.kneepoint({"list"}).output, "search-"));  // nothing was started
}

}  // namespace
}  // namespace kneepoint
