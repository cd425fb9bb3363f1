// SPDX-License-Identifier: Apache-2.0
//
// Sums over points. "What would fit" a budget tries one change at a time: fewer repeats, fewer K,
// an adaptive search, a larger budget.
#include "orchestrator/answers/estimate.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/engine/requests.h"
#include "orchestrator/engine/rounds.h"

namespace kneepoint {

namespace {

std::int64_t run_micros(const StudyPrice& price, const Point& point, double seconds) {
  return bill_run(price.item, use_of(point), from_seconds(seconds)).total;
}

void add(const Study& study, const Point& point, int repeats,
         const std::optional<StudyPrice>& price, CostEstimate& sum) {
  const bool modelled = point.modelled_seconds > 0;
  const double seconds = modelled ? point.modelled_seconds : to_seconds(study.plan.limits.timeout);
  const double hours = seconds * repeats * point.shape.nodes / 3600;
  (modelled ? sum.modelled_runs : sum.bounded_runs) += repeats;
  (modelled ? sum.modelled_node_hours : sum.bounded_node_hours) += hours;
  if (modelled) sum.seconds_in_turn += seconds * repeats;
  if (!price) return;
  (modelled ? sum.modelled_money : sum.bounded_money)->micros +=
      run_micros(*price, point, seconds) * repeats;
}

CostEstimate nothing_yet(const std::optional<StudyPrice>& price) {
  CostEstimate sum;
  if (price) sum.modelled_money = sum.bounded_money = Money{0, price->currency};
  return sum;
}

void note_largest(const Study& study, Submission& sum) {
  for (const Point& point : study.points) {
    const Shape& shape = point.shape;
    if (shape.nodes > sum.largest.nodes ||
        (shape.nodes == sum.largest.nodes && shape.cpus() > sum.largest.cpus())) {
      sum.largest = shape;
      sum.largest_is_emulated = point.emulated;
    }
  }
}

std::string hours_text(double node_hours, const std::optional<Money>& money) {
  return number_text(node_hours, 3) + " node-hours" +
         (money ? ", " + rounded_text(*money) + "," : "");
}

}  // namespace

CostEstimate estimate_cost(const Study& study, int repeats, const std::optional<StudyPrice>& price,
                           int largest_k) {
  CostEstimate sum = nothing_yet(price);
  for (const Point& point : study.points) {
    if (largest_k == 0 || point.k <= largest_k) add(study, point, repeats, price, sum);
  }
  return sum;
}

CostEstimate estimate_runs(const Study& study, const std::vector<Run>& runs,
                           const std::optional<StudyPrice>& price) {
  CostEstimate sum = nothing_yet(price);
  for (const Run& run : runs) add(study, study.points[run.point], 1, price, sum);
  return sum;
}

std::string to_text(const CostEstimate& estimate, Nanoseconds timeout) {
  const Nanoseconds in_turn = from_seconds(estimate.seconds_in_turn);
  const std::string modelled = hours_text(estimate.modelled_node_hours, estimate.modelled_money) +
                               " by the workloads' models (" +
                               counted(estimate.modelled_runs, "run") + ", one after the other " +
                               to_duration_text(in_turn) + "; start-up not counted)";
  const std::string bounded =
      "at most " + hours_text(estimate.bounded_node_hours, estimate.bounded_money) + " (" +
      counted(estimate.bounded_runs, "run") + " without a model, each taken at its time limit of " +
      to_duration_text(timeout) + ")";
  if (estimate.bounded_runs == 0) return modelled;
  if (estimate.modelled_runs == 0) return bounded;
  return modelled + ", and " + bounded;
}

Submission submission_of(const Study& study, const Packing& packing, int places, int most_nodes) {
  const auto item_of = [&](const Point& point) {
    return PackItem{point.shape.nodes, study.plan.limits.timeout};
  };
  const auto allocations_of = [&](const std::vector<PackItem>& runs) {
    return static_cast<int>(pack(runs, packing, places, most_nodes).size());
  };
  Submission sum;
  note_largest(study, sum);
  if (study.plan.search.adaptive) {
    std::vector<PackItem> first;
    for (const Run& run : first_of(study).runs) first.push_back(item_of(study.points[run.point]));
    sum.runs = static_cast<int>(first.size());
    sum.allocations = sum.allocations_at_most = allocations_of(first);
    return sum;
  }
  const auto allocations_for = [&](int repeats) {
    std::vector<PackItem> runs;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      for (const Point& point : study.points) runs.push_back(item_of(point));
    }
    return allocations_of(runs);
  };
  sum.runs = static_cast<int>(study.points.size()) * study.plan.repeat.min;
  sum.allocations = allocations_for(study.plan.repeat.min);
  sum.allocations_at_most = allocations_for(study.plan.repeat.max);
  return sum;
}

namespace {

struct Cost {
  double node_hours = 0;
  std::int64_t micros = 0;
};

class BudgetFit {
 public:
  BudgetFit(const Study& study, const SiteLimits& site, const std::optional<StudyPrice>& price,
            Nanoseconds overrun)
      : study_(study), price_(price), overrun_(overrun) {
    const Limits& plan = study.plan.limits;
    node_hours_ = plan.node_hours;
    if (site.node_hours > 0 && (node_hours_ <= 0 || site.node_hours < node_hours_)) {
      node_hours_ = site.node_hours;
      whose_ = "limits.node_hours of the site";
    }
    micros_ = plan.amount_micros;
  }

  BudgetAnswer answer() {
    BudgetAnswer answer;
    if (node_hours_ <= 0 && micros_ <= 0) return answer;
    answer.sentence = budget_text();
    if (micros_ > 0) {
      if (const std::string why = no_price(); !why.empty()) {
        answer.refusals.push_back(why);
        return answer;
      }
    }
    check_single_runs(answer);
    if (!answer.refusals.empty()) return answer;
    const Cost known = study_.plan.search.adaptive
                           ? modelled_of(estimate_runs(study_, first_of(study_).runs, price_))
                           : of_grid(repeats());
    if (!fits(known)) {
      answer.refusals.push_back(too_much(known));
      return answer;
    }
    const CostEstimate all = estimate_cost(study_, study_.plan.repeat.max, price_);
    Cost most = modelled_of(all);
    most.node_hours += all.bounded_node_hours;
    if (price_) most.micros += all.bounded_money->micros;
    if (!fits(most)) {
      answer.warnings.push_back("all that the plan may ask for comes to " + text(most) +
                                ", more than the budget of " + budget_text() +
                                ": the study stops there, and can be resumed with a larger one");
    }
    return answer;
  }

 private:
  int repeats() const { return study_.plan.repeat.min; }

  // In the units that the budget has.
  std::string amounts_text(double node_hours, const std::string& money) const {
    std::string text;
    if (node_hours_ > 0) text = number_text(node_hours, 3) + " node-hours";
    if (micros_ > 0) text += (text.empty() ? "" : " and ") + money;
    return text;
  }
  std::string budget_text() const {
    return amounts_text(node_hours_, to_string(Money{micros_, study_.plan.limits.currency}));
  }
  std::string text(const Cost& cost) const {
    return amounts_text(cost.node_hours,
                        price_ ? rounded_text({cost.micros, price_->currency}) : "");
  }
  // Rounded up, so that it really is enough.
  std::string enough_text(const Cost& cost) const {
    constexpr std::int64_t kCent = 10'000;
    const double unit = std::pow(10, std::floor(std::log10(cost.node_hours)) - 2);
    const std::int64_t cents = (cost.micros + kCent - 1) / kCent;
    return amounts_text(std::ceil(cost.node_hours / unit) * unit,
                        price_ ? to_string(Money{cents * kCent, price_->currency}) : "");
  }

  std::string no_price() const {
    const std::string& currency = study_.plan.limits.currency;
    if (!price_) {
      return "limits.budget has an amount of money, and nothing says what runs cost: give a price "
             "book with --prices FILE --item NAME or in the site, or a budget of node_hours";
    }
    if (price_->currency != currency) {
      return "limits.budget is in " + currency + ", and the prices of " + price_->path +
             " are in " + price_->currency +
             ": give both in one currency, rates are not known here";
    }
    const bool free = std::ranges::all_of(study_.points, [&](const Point& point) {
      return run_micros(*price_, point, to_seconds(study_.plan.limits.timeout)) == 0;
    });
    if (!free) return "";
    return "item '" + price_->item.name + "' of " + price_->path +
           " charges nothing for runs of this plan, so that its budget of money would never be "
           "reached: name an item that prices what the runs hold, or give node_hours";
  }

  Cost of_run(const Point& point, double seconds) const {
    return {seconds * point.shape.nodes / 3600, price_ ? run_micros(*price_, point, seconds) : 0};
  }

  static Cost modelled_of(const CostEstimate& sum) {
    return {sum.modelled_node_hours, sum.modelled_money ? sum.modelled_money->micros : 0};
  }
  // By the models.
  Cost of_grid(int repeats, int largest_k = 0) const {
    return modelled_of(estimate_cost(study_, repeats, price_, largest_k));
  }

  bool fits(const Cost& cost) const {
    return (node_hours_ <= 0 || cost.node_hours <= node_hours_) &&
           (micros_ <= 0 || cost.micros <= micros_);
  }

  // One run alone is estimated to take more than there is: the engine would never start it. Without
  // a model nothing is known of it but its time limit.
  void check_single_runs(BudgetAnswer& answer) const {
    const Nanoseconds timeout = study_.plan.limits.timeout;
    for (const Point& point : study_.points) {
      const bool modelled = point.modelled_seconds > 0;
      const double seconds =
          modelled ? std::min(point.modelled_seconds, to_seconds(timeout)) : to_seconds(timeout);
      const Cost one = of_run(point, seconds + to_seconds(overrun_));
      if (fits(one) || (modelled && !fits(of_run(point, seconds)))) continue;  // too_much() tells
      answer.refusals.push_back(
          point.case_name + " " + to_string(point.mode) + " K=" + std::to_string(point.k) +
          (modelled ? " takes " + to_duration_text(from_seconds(seconds)) + " by its model"
                    : " has no model and may take its time limit of " + to_duration_text(timeout)) +
          (overrun_ > 0
               ? ", and " + to_duration_text(overrun_) + " more until its allocation surely ends"
               : "") +
          ": estimated " + text(one) + " per run, and the budget is " + budget_text() +
          ". What would fit: " + (modelled ? "" : "a shorter limits.timeout, ") +
          "no K as large, or a larger budget");
      return;
    }
  }

  std::string too_much(const Cost& cost) const {
    const bool adaptive = study_.plan.search.adaptive;
    std::string out = std::string(adaptive ? "the first round of the search" : "the plan") +
                      " comes to " + text(cost) + " by the workloads' models, and the budget (" +
                      whose_ + ") is " + budget_text() + ". What would fit: ";
    std::vector<std::string> ways;
    if (!adaptive) {
      for (int r = repeats() - 1; r >= 1; --r) {
        if (!fits(of_grid(r))) continue;
        ways.push_back("repeat: " + std::to_string(r) + " (" + text(of_grid(r)) + ")");
        break;
      }
      std::set<int> ks;
      for (const Point& point : study_.points) ks.insert(point.k);
      for (auto k = ks.rbegin(); k != ks.rend(); ++k) {
        if (k == ks.rbegin() || *k == *ks.begin() || !fits(of_grid(repeats(), *k))) continue;
        ways.push_back("K up to " + std::to_string(*k) + " (" + text(of_grid(repeats(), *k)) + ")");
        break;
      }
      add_adaptive(ways);
    }
    ways.push_back("a budget of " + enough_text(cost));
    for (std::size_t i = 0; i < ways.size(); ++i) out += (i == 0 ? "" : "; or ") + ways[i];
    return out;
  }

  void add_adaptive(std::vector<std::string>& ways) const {
    if (study_.plan.repeat.max < study_.plan.search.first || study_.points.size() < 4) return;
    Study searching = study_;
    searching.plan.search.adaptive = true;
    const auto played = forecast(searching);
    if (!played) return;
    const double share = played->node_seconds / played->grid_node_seconds;
    Cost cost = of_grid(repeats());  // money goes with node-hours, nearly
    cost.node_hours = played->node_seconds / 3600;
    cost.micros = static_cast<std::int64_t>(std::ceil(static_cast<double>(cost.micros) * share));
    if (fits(cost)) ways.push_back("search: {knee: adaptive} (about " + text(cost) + ")");
  }

  const Study& study_;
  const std::optional<StudyPrice>& price_;
  const Nanoseconds overrun_;
  double node_hours_ = 0;
  std::int64_t micros_ = 0;
  std::string whose_ = "limits.budget";
};

}  // namespace

BudgetAnswer fit_budget(const Study& study, const SiteLimits& site,
                        const std::optional<StudyPrice>& price, Nanoseconds overrun) {
  return BudgetFit(study, site, price, overrun).answer();
}

}  // namespace kneepoint
