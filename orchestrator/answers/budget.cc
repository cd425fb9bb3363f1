// SPDX-License-Identifier: Apache-2.0
//
// "What would fit" tries one change at a time: fewer repeats, fewer K, an adaptive search, a larger
// budget.
#include "orchestrator/answers/budget.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "orchestrator/base/numbers.h"
#include "orchestrator/engine/rounds.h"

namespace kneepoint {
namespace {

struct Cost {
  double node_hours = 0;
  std::int64_t micros = 0;

  void add(const Cost& other, int times = 1) {
    node_hours += other.node_hours * times;
    micros += other.micros * times;
  }
};

class Fit {
 public:
  Fit(const Study& study, const SiteLimits& site, const std::optional<StudyPrice>& price,
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
    const Cost known = study_.plan.search.adaptive ? of_first_round() : of_grid(repeats(), 0);
    if (!fits(known)) {
      answer.refusals.push_back(too_much(known));
      return answer;
    }
    Cost most = of_grid(study_.plan.repeat.max, 0);
    most.add(unmodelled(study_.plan.repeat.max));
    if (!fits(most)) {
      answer.warnings.push_back("all that the plan may ask for comes to " + text(most) +
                                ", more than the budget of " + budget_text() +
                                ": the study stops there, and can be resumed with a larger one");
    }
    return answer;
  }

 private:
  int repeats() const { return study_.plan.repeat.min; }

  std::string budget_text() const {
    std::string text;
    if (node_hours_ > 0) text = number_text(node_hours_, 3) + " node-hours";
    if (micros_ > 0) {
      text +=
          (text.empty() ? "" : " and ") + to_string(Money{micros_, study_.plan.limits.currency});
    }
    return text;
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
    const bool free =
        std::all_of(study_.points.begin(), study_.points.end(), [&](const Point& point) {
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

  // By the models. `largest`: of K; 0: all.
  Cost of_grid(int repeats, int largest) const {
    Cost sum;
    for (const Point& point : study_.points) {
      if (largest > 0 && point.k > largest) continue;
      if (point.modelled_seconds > 0) sum.add(of_run(point, point.modelled_seconds), repeats);
    }
    return sum;
  }

  Cost unmodelled(int repeats) const {
    Cost sum;
    for (const Point& point : study_.points) {
      if (point.modelled_seconds > 0) continue;
      sum.add(of_run(point, to_seconds(study_.plan.limits.timeout)), repeats);
    }
    return sum;
  }

  Cost of_first_round() const {
    Cost sum;
    for (const Run& run : first_of(study_).runs) {
      const Point& point = study_.points[run.point];
      sum.add(of_run(point, point.modelled_seconds));
    }
    return sum;
  }

  bool fits(const Cost& cost) const {
    return (node_hours_ <= 0 || cost.node_hours <= node_hours_) &&
           (micros_ <= 0 || cost.micros <= micros_);
  }

  // In the units that the budget has.
  std::string text(const Cost& cost) const {
    std::string text;
    if (node_hours_ > 0) text = number_text(cost.node_hours, 3) + " node-hours";
    if (micros_ > 0) {
      text += (text.empty() ? "" : " and ") + rounded_text({cost.micros, price_->currency});
    }
    return text;
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
        if (!fits(of_grid(r, 0))) continue;
        ways.push_back("repeat: " + std::to_string(r) + " (" + text(of_grid(r, 0)) + ")");
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
    Cost cost = of_grid(repeats(), 0);  // money goes with node-hours, nearly
    cost.node_hours = played->node_seconds / 3600;
    cost.micros = static_cast<std::int64_t>(std::ceil(static_cast<double>(cost.micros) * share));
    if (fits(cost)) ways.push_back("search: {knee: adaptive} (about " + text(cost) + ")");
  }

  // Rounded up, so that it really is enough.
  std::string enough_text(const Cost& cost) const {
    std::string text;
    if (node_hours_ > 0) {
      const double unit = std::pow(10, std::floor(std::log10(cost.node_hours)) - 2);
      text = number_text(std::ceil(cost.node_hours / unit) * unit, 3) + " node-hours";
    }
    if (micros_ > 0) {
      constexpr std::int64_t kCent = 10'000;
      const std::int64_t cents = (cost.micros + kCent - 1) / kCent;
      text += (text.empty() ? "" : " and ") + to_string(Money{cents * kCent, price_->currency});
    }
    return text;
  }

  const Study& study_;
  const std::optional<StudyPrice>& price_;
  const Nanoseconds overrun_;
  double node_hours_ = 0;
  std::int64_t micros_ = 0;
  std::string whose_ = "limits.budget";
};

}  // namespace

std::int64_t run_micros(const StudyPrice& price, const Point& point, double seconds) {
  return bill_run(price.item, use_of(point), from_seconds(seconds)).total;
}

BudgetAnswer fit_budget(const Study& study, const SiteLimits& site,
                        const std::optional<StudyPrice>& price, Nanoseconds overrun) {
  return Fit(study, site, price, overrun).answer();
}

}  // namespace kneepoint
