// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/size_text.h"

#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/model/money.h"
#include "orchestrator/report/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

const SizingOption& option_of(const SizingMix& sizing, const Cut& cut, std::size_t workload) {
  return sizing.workloads[workload].options[static_cast<std::size_t>(cut.options[workload])];
}

std::string k_text(const SizingOption& option) {
  return "K=" + std::to_string(option.k) + (option.modelled ? " (modelled)" : "");
}

struct SpanUnit {
  const char* name;
  double seconds;
};

SpanUnit span_unit(double seconds) {
  if (seconds < 120) return {"s", 1};
  if (seconds < 7200) return {"min", 60};
  return {"h", 3600};
}

std::string in_unit(double seconds, const SpanUnit& unit) {
  const double count = seconds / unit.seconds;
  return unit.seconds == 1 || count == 0 ? fixed_text(count, 0) : significant_text(count, 2);
}

// "45 s", "39 min", "4.2 h": waits are not known better than that.
std::string span_text(double seconds) {
  const SpanUnit unit = span_unit(seconds);
  return in_unit(seconds, unit) + " " + unit.name;
}

// "22 min [20, 23]"
std::string span_with_bounds(const Estimate& estimate) {
  const std::string text = span_text(estimate.mean);
  if (!estimate.interval) return text + " [-]";
  const SpanUnit unit = span_unit(estimate.mean);
  return text + " [" + in_unit(estimate.interval->low, unit) + ", " +
         in_unit(estimate.interval->high, unit) + "]";
}

std::string workers_text(const Mix& mix, int nodes) {
  const long workers = static_cast<long>(nodes) * mix.workers_per_node;
  const std::string unit = mix.worker == WorkerUnit::gpu ? "GPU" : to_string(mix.worker);
  return counted(workers, unit);
}

std::string parts_text(const Mix& mix, const Cut& cut) {
  std::string text;
  for (const Cut::Partition& part : cut.partitions) {
    text += (text.empty() ? "" : " + ") + std::to_string(part.nodes * mix.workers_per_node);
  }
  return text;
}

std::string ks_text(const SizingMix& sizing, const Cut& cut) {
  std::string text;
  for (std::size_t w = 0; w < cut.options.size(); ++w) {
    const SizingOption& option = option_of(sizing, cut, w);
    text += (text.empty() ? "" : ", ") + std::to_string(option.k) + (option.modelled ? "*" : "");
  }
  return text;
}

std::string rate_text(const std::optional<double>& per_unit) {
  return per_unit ? significant_text(*per_unit, 3) : "-";
}

std::string cost_words(const SizeAnswer& answer, const CutOutcome& outcome) {
  std::string text =
      std::string(answer.sizing.pay == Pay::held ? "Held around the clock" : "What runs") +
      " costs " + rounded_text({outcome.hour_micros, answer.book.currency}) + " an hour";
  if (outcome.results_per_unit) {
    text += ": " + significant_text(*outcome.results_per_unit, 3) + " results per " +
            answer.book.currency;
  }
  return text + ".";
}

// An honest reader asks why to cut at all.
std::string shared_words(const SizeAnswer& answer) {
  const Cut& cut = *answer.answer.cut;
  if (cut.partitions.size() < 2) return "";
  for (const NamedCut& other : answer.others) {
    if (other.cut.partitions.size() != 1 || !other.outcome.feasible ||
        other.outcome.hour_micros > answer.answer.outcome.hour_micros) {
      continue;
    }
    const auto ours = totals_of(answer.sizing, cut, answer.answer.outcome);
    const auto theirs = totals_of(answer.sizing, other.cut, other.outcome);
    if (!ours || !theirs || theirs->wait_seconds >= ours->wait_seconds) continue;
    return " One partition for all would cost no more and wait " + span_text(theirs->wait_seconds) +
           " instead of " + span_text(ours->wait_seconds) +
           " on average: cut where workloads must not get in each other's way.";
  }
  return "";
}

// What was asked of the deadlines, and is kept; "" when there are none.
std::string deadline_words(const SizingMix& sizing) {
  std::optional<double> share;
  bool alike = true;
  for (const SizingWorkload& one : sizing.workloads) {
    if (!one.deadline_seconds) continue;
    alike = alike && one.in_time == share.value_or(one.in_time);
    share = one.in_time;
  }
  if (!share) return "";
  return " Every deadline is kept by " +
         (alike ? "at least " + number_text(*share * 100) + "% of its jobs"
                : std::string("as large a share of its jobs as is asked for")) +
         ", wait and run together.";
}

std::string cut_words(const SizeAnswer& answer) {
  const SizingMix& sizing = answer.sizing;
  const Cut& cut = *answer.answer.cut;
  std::string text = "Cut " + workers_text(answer.mix, sizing.nodes) + " into " +
                     counted(static_cast<long>(cut.partitions.size()), "partition") + ": run ";
  for (std::size_t p = 0; p < cut.partitions.size(); ++p) {
    const Cut::Partition& part = cut.partitions[p];
    if (p > 0) text += p + 1 == cut.partitions.size() ? ", and " : ", ";
    for (std::size_t i = 0; i < part.workloads.size(); ++i) {
      const auto w = static_cast<std::size_t>(part.workloads[i]);
      if (i > 0) text += " and ";
      text += plain(sizing.workloads[w].name) + " at " + k_text(option_of(sizing, cut, w));
    }
    text += " in " + workers_text(answer.mix, part.nodes);
  }
  text += ".";
  if (cut.nodes() < sizing.nodes) {
    text += " " + workers_text(answer.mix, sizing.nodes - cut.nodes()) + " are left over.";
  }
  text += deadline_words(sizing) + " " + cost_words(answer, answer.answer.outcome);
  const double cost = static_cast<double>(answer.answer.outcome.hour_micros) / 1e6;
  const bool bounded = answer.answer.cost_bound && *answer.answer.cost_bound > 0;
  if (bounded && sizing.pay == Pay::held) {
    // The bound is by time used: no cut of held nodes is measured by it.
    const Money least{round_micros(*answer.answer.cost_bound), answer.book.currency};
    text += " By time used alone the same results would cost " + rounded_text(least) +
            " an hour at the least; the rest is for nodes that wait.";
  } else if (bounded && cost <= *answer.answer.cost_bound * (1 + 1e-6)) {
    text += " No cut can cost less.";
  } else if (bounded) {
    text += " That is at most " + percent_text(cost / *answer.answer.cost_bound - 1) +
            " above what any cut could cost.";
  }
  if (answer.answer.search_ended_early) text += " Not every way to share partitions was tried.";
  return text + shared_words(answer);
}

std::string refusal_words(const SizeAnswer& answer) {
  std::string text = "No cut does it: " + plain(answer.answer.why) + ".";
  if (answer.answer.nodes_needed) {
    text += " " + workers_text(answer.mix, *answer.answer.nodes_needed) +
            " would do, with a partition for each workload.";
  }
  if (answer.answer.search_ended_early) {
    text += " Not every way to share partitions was tried.";
  }
  return text;
}

std::string workload_table(const SizeAnswer& answer) {
  const SizingMix& sizing = answer.sizing;
  const Cut& cut = *answer.answer.cut;
  const CutOutcome& outcome = answer.answer.outcome;
  std::vector<std::vector<std::string>> rows;
  for (std::size_t w = 0; w < sizing.workloads.size(); ++w) {
    const SizingWorkload& one = sizing.workloads[w];
    const SizingOption& option = option_of(sizing, cut, w);
    const WorkloadOutcome& came = outcome.workloads[w];
    const auto p = static_cast<std::size_t>(came.partition);
    rows.push_back({plain(one.name), to_string(one.mode),
                    std::to_string(cut.partitions[p].nodes * answer.mix.workers_per_node),
                    percent_text(outcome.partitions[p].utilisation.mean),
                    std::to_string(option.k) + (option.modelled ? "*" : ""),
                    span_text(option.seconds), span_with_bounds(came.queue.wait),
                    span_text(came.queue.wait_p95.mean),
                    one.deadline_seconds ? span_text(*one.deadline_seconds) : "-",
                    one.deadline_seconds ? percent_text(came.queue.missed) : "-",
                    significant_text(static_cast<double>(option.job_micros) / 1e6, 3)});
  }
  return to_table(
      {{"WORKLOAD"},
       {"MODE"},
       {"PARTITION", Align::right},
       {"BUSY", Align::right},
       {"K", Align::right},
       {"RUN", Align::right},
       {"WAIT [95%]", Align::right},
       {"P95 WAIT", Align::right},
       {"DEADLINE", Align::right},
       {"LATE", Align::right},
       {answer.book.currency + (answer.mix.held ? " used/result" : "/result"), Align::right}},
      rows, 2);
}

std::vector<std::string> cut_row(const SizeAnswer& answer, const std::string& name, const Cut& cut,
                                 const CutOutcome& outcome) {
  const auto totals = totals_of(answer.sizing, cut, outcome);
  const std::string none = outcome.saturated ? "grows" : "-";
  return {name,
          parts_text(answer.mix, cut),
          ks_text(answer.sizing, cut),
          rate_text(outcome.results_per_unit),
          significant_text(static_cast<double>(outcome.hour_micros) / 1e6, 4),
          totals ? span_text(totals->wait_seconds) : none,
          totals ? percent_text(totals->utilisation) : none,
          totals ? percent_text(totals->missed) : none,
          outcome.feasible ? "yes" : "no"};
}

std::string cuts_table(const SizeAnswer& answer) {
  std::vector<std::vector<std::string>> rows;
  if (answer.answer.cut) {
    rows.push_back(cut_row(answer, "recommended", *answer.answer.cut, answer.answer.outcome));
  }
  for (const NamedCut& other : answer.others) {
    rows.push_back(cut_row(answer, other.name, other.cut, other.outcome));
  }
  return to_table({{"CUT"},
                   {"PARTITIONS"},
                   {"K"},
                   {"RESULTS/" + answer.book.currency, Align::right},
                   {answer.book.currency + "/h", Align::right},
                   {"WAIT", Align::right},
                   {"BUSY", Align::right},
                   {"LATE", Align::right},
                   {"IN TIME"}},
                  rows, 2);
}

std::string what_if_table(const SizeAnswer& answer) {
  std::vector<std::vector<std::string>> rows;
  for (const WhatIfAnswer& one : answer.what_if) {
    std::vector<std::string> row = {number_text(one.factors.load), number_text(one.factors.price),
                                    std::to_string(one.sizing.nodes * answer.mix.workers_per_node)};
    if (one.answer.cut) {
      row.push_back(parts_text(answer.mix, *one.answer.cut));
      row.push_back(ks_text(one.sizing, *one.answer.cut));
      row.push_back(rate_text(one.answer.outcome.results_per_unit));
      row.push_back(significant_text(static_cast<double>(one.answer.outcome.hour_micros) / 1e6, 4));
    } else {
      row.insert(row.end(), {"none", "-", "-", "-"});
      row.push_back(one.answer.nodes_needed
                        ? workers_text(answer.mix, *one.answer.nodes_needed) + " would do"
                        : "how many would do is not known");
    }
    rows.push_back(std::move(row));
  }
  return to_table({{"LOAD x", Align::right},
                   {"PRICE x", Align::right},
                   {"WORKERS", Align::right},
                   {"PARTITIONS"},
                   {"K"},
                   {"RESULTS/" + answer.book.currency, Align::right},
                   {answer.book.currency + "/h", Align::right},
                   {""}},
                  rows, 2);
}

std::string assumptions(const SizeAnswer& answer) {
  bool modelled = false;
  for (const SizingWorkload& one : answer.sizing.workloads) {
    for (const SizingOption& option : one.options) modelled = modelled || option.modelled;
  }
  return std::string(
             "Assumed: jobs come independently (Poisson unless periodic), hold whole "
             "nodes, never fail, and each partition is first come first served ") +
         (answer.sizing.backfill ? "with" : "without") +
         " backfill. Waits are means of 10 simulated stretches, seed " +
         std::to_string(answer.sizing.seed) +
         "; LATE is the share of jobs that miss their deadline." +
         (modelled ? " K marked * are by a model, not measured." : "");
}

}  // namespace

std::optional<CutTotals> totals_of(const SizingMix& sizing, const Cut& cut,
                                   const CutOutcome& outcome) {
  if (outcome.saturated) return std::nullopt;
  CutTotals totals;
  double rate = 0, dated = 0;
  for (std::size_t w = 0; w < sizing.workloads.size(); ++w) {
    const SizingWorkload& one = sizing.workloads[w];
    const WorkloadOutcome& came = outcome.workloads[w];
    if (came.too_large) return std::nullopt;
    rate += one.per_hour;
    totals.wait_seconds += one.per_hour * came.queue.wait.mean;
    if (!one.deadline_seconds) continue;
    dated += one.per_hour;
    totals.missed += one.per_hour * came.queue.missed;
  }
  if (rate > 0) totals.wait_seconds /= rate;
  if (dated > 0) totals.missed /= dated;
  for (std::size_t p = 0; p < cut.partitions.size(); ++p) {
    totals.utilisation += outcome.partitions[p].utilisation.mean * cut.partitions[p].nodes;
  }
  totals.utilisation /= cut.nodes();
  return totals;
}

std::string size_text(const SizeAnswer& answer, int width) {
  std::string text = "Mix " + plain(answer.mix.name) + ", prices: " + plain(answer.item.name);
  if (!answer.book.path.empty()) text += " of " + plain(answer.book.path);
  if (answer.factors.load != 1) text += ", load x " + number_text(answer.factors.load);
  if (answer.factors.price != 1) text += ", price x " + number_text(answer.factors.price);
  text += "\n";
  if (answer.book.example) {
    text += wrap("These prices are EXAMPLES, not what anybody charges today.", width, 0);
  }
  text += "\n";
  if (answer.answer.cut) {
    text += wrap(cut_words(answer), width, 0) + "\n" + workload_table(answer);
  } else {
    text += wrap(refusal_words(answer), width, 0);
  }
  if (!answer.others.empty()) text += "\nSide by side:\n" + cuts_table(answer);
  if (!answer.what_if.empty()) text += "\nWhat if:\n" + what_if_table(answer);
  text += "\n" + wrap(assumptions(answer), width, 0);
  for (const std::string& note : answer.notes) text += wrap("Note: " + plain(note) + ".", width, 0);
  return text;
}

}  // namespace kneepoint::cli
