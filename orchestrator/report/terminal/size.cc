// SPDX-License-Identifier: Apache-2.0
//
// The words and the tables of `size`.
#include "orchestrator/answers/study/size.h"

#include <fmt/core.h>

#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/model/money.h"
#include "orchestrator/report/cost_section.h"
#include "orchestrator/report/table.h"
#include "orchestrator/report/terminal/answers.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

// "45 s", "39 min", "4.2 h" and "22 min [20, 23]": waits are not known better than that.
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

std::string span_text(double seconds) {
  const SpanUnit unit = span_unit(seconds);
  return in_unit(seconds, unit) + " " + unit.name;
}

std::string span_with_bounds(const Estimate& estimate) {
  const std::string text = span_text(estimate.mean);
  if (!estimate.interval) return text + " [-]";
  const SpanUnit unit = span_unit(estimate.mean);
  return fmt::format("{} [{}, {}]", text, in_unit(estimate.interval->low, unit),
                     in_unit(estimate.interval->high, unit));
}

std::string workers_text(const Mix& mix, int nodes) {
  const long workers = static_cast<long>(nodes) * mix.workers_per_node;
  const std::string unit = mix.worker == WorkerUnit::gpu ? "GPU" : to_string(mix.worker);
  return counted(workers, unit);
}

// "64*": by a model, not measured.
std::string marked_k(const SizedWorkload& one) {
  return std::to_string(one.k) + (one.modelled ? "*" : "");
}

std::string parts_text(const SizedCut& cut) {
  std::vector<std::string> parts;
  for (const SizedPartition& part : cut.partitions) parts.push_back(std::to_string(part.workers));
  return joined(parts, " + ");
}

std::string marked_ks(const SizedCut& cut) {
  std::vector<std::string> ks;
  for (const SizedWorkload& one : cut.workloads) ks.push_back(marked_k(one));
  return joined(ks, ", ");
}

std::string cut_rate_text(const SizedCut& cut) {
  return or_dash(cut.results_per_unit, amount_text);
}

std::string cut_cost_text(const SizedCut& cut) {
  return significant_text(to_units(cut.hour_micros), 4);
}

std::string cost_words(const SizeAnswer& answer, const SizedCut& cut) {
  const std::string& currency = answer.prices.book.currency;
  std::string text =
      fmt::format("{} costs {} an hour", answer.mix.held ? "Held around the clock" : "What runs",
                  rounded_text({cut.hour_micros, currency}));
  if (cut.results_per_unit) {
    text += fmt::format(": {} results per {}", cut_rate_text(cut), currency);
  }
  return text + ".";
}

// What no cut could undercut.
std::string bound_words(const SizeAnswer& answer, const SizedCut& cut) {
  if (!answer.cost_bound || !(*answer.cost_bound > 0)) return "";
  const double least = *answer.cost_bound;
  if (answer.mix.held) {
    // The bound is by time used: no cut of held nodes is measured by it.
    return fmt::format(
        " By time used alone the same results would cost {} an hour at the least; the rest is for "
        "nodes that wait.",
        rounded_text({round_micros(least), answer.prices.book.currency}));
  }
  const double cost = to_units(cut.hour_micros);
  if (cost <= least * (1 + 1e-6)) return " No cut can cost less.";
  return fmt::format(" That is at most {} above what any cut could cost.",
                     percent_text(cost / least - 1));
}

// An honest reader asks why to cut at all.
std::string shared_words(const SizeAnswer& answer, const SizedCut& cut) {
  if (cut.partitions.size() < 2) return "";
  for (const SizedCut& other : answer.others) {
    if (other.partitions.size() != 1 || !other.feasible || other.hour_micros > cut.hour_micros ||
        !cut.wait_seconds || !other.wait_seconds || *other.wait_seconds >= *cut.wait_seconds) {
      continue;
    }
    return fmt::format(
        " One partition for all would cost no more and wait {} instead of {} on average: cut where "
        "workloads must not get in each other's way.",
        span_text(*other.wait_seconds), span_text(*cut.wait_seconds));
  }
  return "";
}

// What was asked of the deadlines, and is kept; "" when there are none.
std::string deadline_words(const SizedCut& cut) {
  std::optional<double> share;
  bool alike = true;
  for (const SizedWorkload& one : cut.workloads) {
    if (!one.in_time_wanted) continue;
    alike = alike && *one.in_time_wanted == share.value_or(*one.in_time_wanted);
    share = one.in_time_wanted;
  }
  if (!share) return "";
  return fmt::format(" Every deadline is kept by {}, wait and run together.",
                     alike ? fmt::format("at least {}% of its jobs", number_text(*share * 100))
                           : "as large a share of its jobs as is asked for");
}

// "retraining at K=64 and other at K=8 (modelled)"
std::string workloads_words(const SizedCut& cut, std::size_t partition) {
  std::vector<std::string> parts;
  for (const SizedWorkload& one : cut.workloads) {
    if (static_cast<std::size_t>(one.partition) != partition) continue;
    parts.push_back(
        fmt::format("{} at K={}{}", plain(one.name), one.k, one.modelled ? " (modelled)" : ""));
  }
  return joined(parts, " and ");
}

std::string cut_words(const SizeAnswer& answer, const SizedCut& cut) {
  const std::size_t parts = cut.partitions.size();
  std::string text = fmt::format("Cut {} into {}: run ", workers_text(answer.mix, answer.nodes),
                                 counted(static_cast<long>(parts), "partition"));
  for (std::size_t p = 0; p < parts; ++p) {
    if (p > 0) text += p + 1 == parts ? ", and " : ", ";
    text += fmt::format("{} in {}", workloads_words(cut, p),
                        workers_text(answer.mix, cut.partitions[p].nodes));
  }
  text += ".";
  if (cut.nodes < answer.nodes) {
    text += " " + workers_text(answer.mix, answer.nodes - cut.nodes) + " are left over.";
  }
  text += deadline_words(cut) + " " + cost_words(answer, cut) + bound_words(answer, cut);
  if (answer.search_ended_early) text += " Not every way to share partitions was tried.";
  return text + shared_words(answer, cut);
}

std::string refusal_words(const SizeAnswer& answer) {
  std::string text = "No cut does it: " + plain(answer.why) + ".";
  if (answer.nodes_needed) {
    text += " " + workers_text(answer.mix, *answer.nodes_needed) +
            " would do, with a partition for each workload.";
  }
  if (answer.search_ended_early) text += " Not every way to share partitions was tried.";
  return text;
}

std::string workload_table(const SizeAnswer& answer, const SizedCut& cut) {
  const auto partition = [&cut](const SizedWorkload& one) -> const SizedPartition& {
    return cut.partitions[static_cast<std::size_t>(one.partition)];
  };
  // Queues of a recommended cut never only grow.
  const std::vector<ColumnOf<SizedWorkload>> columns = {
      {"WORKLOAD", [](auto& one) { return one.name; }, Align::left},
      {"MODE", [](auto& one) { return to_string(one.mode); }, Align::left},
      {"PARTITION", [&](auto& one) { return std::to_string(partition(one).workers); }},
      {"BUSY", [&](auto& one) { return percent_text(partition(one).utilisation->mean); }},
      {"K", marked_k},
      {"RUN", [](auto& one) { return span_text(one.seconds); }},
      {"WAIT [95%]", [](auto& one) { return span_with_bounds(*one.wait); }},
      {"P95 WAIT", [](auto& one) { return span_text(one.wait_p95->mean); }},
      {"DEADLINE", [](auto& one) { return or_dash(one.deadline_seconds, span_text); }},
      {"LATE", [](auto& one) { return or_dash(one.late_share, percent_text); }},
      {answer.prices.book.currency + (answer.mix.held ? " used/result" : "/result"),
       [](auto& one) { return amount_text(to_units(one.job_micros)); }},
  };
  return to_table(columns, cut.workloads, 2);
}

std::string cuts_table(const SizeAnswer& answer) {
  std::vector<SizedCut> cuts = answer.others;
  if (answer.recommended) cuts.insert(cuts.begin(), *answer.recommended);
  // Over all jobs; a queue that only grows has no such number.
  const auto total = [](std::optional<double> SizedCut::*number, auto text) {
    return [number, text](const SizedCut& cut) -> std::string {
      if (cut.*number) return text(*(cut.*number));
      return cut.saturated ? "grows" : "-";
    };
  };
  const std::string& currency = answer.prices.book.currency;
  const std::vector<ColumnOf<SizedCut>> columns = {
      {"CUT", [](auto& cut) { return cut.name; }, Align::left},
      {"PARTITIONS", parts_text, Align::left},
      {"K", marked_ks, Align::left},
      {"RESULTS/" + currency, cut_rate_text},
      {currency + "/h", cut_cost_text},
      {"WAIT", total(&SizedCut::wait_seconds, span_text)},
      {"BUSY", total(&SizedCut::utilisation, percent_text)},
      {"LATE", total(&SizedCut::late_share, percent_text)},
      {"IN TIME", [](auto& cut) { return cut.feasible ? "yes" : "no"; }, Align::left},
  };
  return to_table(columns, cuts, 2);
}

std::string what_if_table(const SizeAnswer& answer) {
  // Of the recommended cut, where there is one.
  const auto of_cut = [](auto text, const char* none) {
    return [text, none](const SizedMix& one) {
      return one.recommended ? text(*one.recommended) : std::string(none);
    };
  };
  const std::string& currency = answer.prices.book.currency;
  const std::vector<ColumnOf<SizedMix>> columns = {
      {"LOAD x", [](auto& one) { return number_text(one.factors.load); }},
      {"PRICE x", [](auto& one) { return number_text(one.factors.price); }},
      {"WORKERS", [](auto& one) { return std::to_string(one.workers); }},
      {"PARTITIONS", of_cut(parts_text, "none"), Align::left},
      {"K", of_cut(marked_ks, "-"), Align::left},
      {"RESULTS/" + currency, of_cut(cut_rate_text, "-")},
      {currency + "/h", of_cut(cut_cost_text, "-")},
      {"",
       [&answer](auto& one) -> std::string {
         if (one.recommended) return "";
         return one.nodes_needed ? workers_text(answer.mix, *one.nodes_needed) + " would do"
                                 : "how many would do is not known";
       },
       Align::left},
  };
  return to_table(columns, answer.what_if, 2);
}

std::string assumptions(const SizeAnswer& answer) {
  return fmt::format(
      "Assumed: jobs come independently (Poisson unless periodic), hold whole nodes, never fail, "
      "and "
      "each partition is first come first served {} backfill. Waits are means of 10 simulated "
      "stretches, seed {}; LATE is the share of jobs that miss their deadline.{}",
      answer.mix.backfill ? "with" : "without", answer.mix.seed,
      answer.modelled ? " K marked * are by a model, not measured." : "");
}

}  // namespace

std::string to_text(const SizeAnswer& answer, int width) {
  std::string text = fmt::format("Mix {}, {}", plain(answer.mix.name), priced_words(answer.prices));
  if (answer.factors.load != 1) text += ", load x " + number_text(answer.factors.load);
  if (answer.factors.price != 1) text += ", price x " + number_text(answer.factors.price);
  text += "\n";
  if (answer.prices.book.example) text += wrap(kExamplePrices, width, 0);
  text += "\n";
  if (answer.recommended) {
    text += wrap(cut_words(answer, *answer.recommended), width, 0) + "\n" +
            workload_table(answer, *answer.recommended);
  } else {
    text += wrap(refusal_words(answer), width, 0);
  }
  if (!answer.others.empty()) text += "\nSide by side:\n" + cuts_table(answer);
  if (!answer.what_if.empty()) text += "\nWhat if:\n" + what_if_table(answer);
  text += "\n" + wrap(assumptions(answer), width, 0);
  for (const std::string& note : answer.notes) text += wrap("Note: " + plain(note) + ".", width, 0);
  return text;
}

}  // namespace kneepoint
