// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/study/size.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "orchestrator/base/files.h"
#include "orchestrator/plan/readers.h"

namespace kneepoint {
namespace {

constexpr std::size_t kLongestName = 50;

// The names of its workloads, joined; `taken` grows by it.
std::string partition_name(const SizingMix& sizing, const Cut::Partition& part,
                           std::set<std::string>& taken) {
  std::string name;
  for (const int w : part.workloads) {
    name += (name.empty() ? "" : "-") + sizing.workloads[w].name;
  }
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    c = std::isalnum(byte) != 0 ? static_cast<char>(std::tolower(byte)) : '-';
  }
  name = name.substr(0, kLongestName);
  while (!name.empty() && name.back() == '-') name.pop_back();
  while (!name.empty() && name.front() == '-') name.erase(name.begin());
  if (name.empty()) name = "partition";
  if (name == "default") name = "default-jobs";  // Slurm takes DEFAULT for no partition
  std::string unique = name;
  for (int n = 2; !taken.insert(unique).second; ++n) unique = name + "-" + std::to_string(n);
  return unique;
}

SizedWorkload sized_workload(const SizingWorkload& one, const SizingOption& option,
                             const WorkloadOutcome& came, bool waits) {
  SizedWorkload out;
  out.name = one.name;
  out.mode = one.mode;
  out.k = option.k;
  out.nodes = option.nodes;
  out.modelled = option.modelled;
  out.seconds = option.seconds;
  out.per_hour = one.per_hour;
  out.partition = came.partition;
  out.deadline_seconds = one.deadline_seconds;
  if (one.deadline_seconds) out.in_time_wanted = one.in_time;
  if (waits) {
    out.wait = came.queue.wait;
    out.wait_p95 = came.queue.wait_p95;
    if (one.deadline_seconds) out.late_share = came.queue.missed;
  }
  out.in_time = came.in_time;
  out.job_micros = option.job_micros;
  out.hour_micros = came.hour_micros;
  return out;
}

// Over all jobs of a cut; left out where a queue only grows.
void add_totals(const CutOutcome& outcome, SizedCut& cut) {
  if (outcome.saturated) return;
  double rate = 0, dated = 0, wait = 0, missed = 0, busy = 0;
  for (std::size_t w = 0; w < cut.workloads.size(); ++w) {
    const SizedWorkload& one = cut.workloads[w];
    const WorkloadOutcome& came = outcome.workloads[w];
    if (came.too_large) return;
    rate += one.per_hour;
    wait += one.per_hour * came.queue.wait.mean;
    if (!one.deadline_seconds) continue;
    dated += one.per_hour;
    missed += one.per_hour * came.queue.missed;
  }
  if (rate > 0) wait /= rate;
  if (dated > 0) missed /= dated;
  for (std::size_t p = 0; p < cut.partitions.size(); ++p) {
    busy += outcome.partitions[p].utilisation.mean * cut.partitions[p].nodes;
  }
  cut.wait_seconds = wait;
  cut.utilisation = busy / cut.nodes;
  cut.late_share = missed;
}

// A path in the mix is seen from the mix's folder.
std::string beside(const std::string& mix_path, const std::string& path) {
  const std::filesystem::path given(path);
  if (given.is_absolute()) return path;
  return (std::filesystem::path(mix_path).parent_path() / given).lexically_normal().string();
}

Result<void> read_mix_prices(SizeAnswer& answer) {
  const Mix& mix = answer.mix;
  answer.prices = node_hour_prices();
  answer.prices.book.currency = "node-hour";
  if (!mix.price_book.empty()) {
    const std::string path = beside(mix.path, mix.price_book);
    TRY_ASSIGN(const std::string text, read_file("price book", path));
    PricesRead read = read_prices(text, path);
    answer.problems = std::move(read.problems);
    if (!answer.problems.empty()) return {};
    answer.prices.book = std::move(read.book);
  }
  TRY_ASSIGN(answer.prices.item,
             choose_item(answer.prices.book, mix.price_item, mix.path + ": prices.item"));
  return {};
}

SizedMix sized_mix(const Mix& mix, const WhatIf& factors, const SizingMix& sizing) {
  const SizingAnswer found = size_partitions(sizing);
  SizedMix out;
  out.factors = factors;
  out.nodes = sizing.nodes;
  out.workers = sizing.nodes * mix.workers_per_node;
  if (found.cut) out.recommended = sized_cut(mix, sizing, "recommended", *found.cut, found.outcome);
  static_cast<SizingFindings&>(out) = found;
  return out;
}

Result<void> cut_mix(const WhatIf& factors, const std::vector<MixCurve>& curves,
                     SizeAnswer& answer) {
  const Mix& mix = answer.mix;
  TRY_ASSIGN(const SizingMix sizing, sizing_mix(mix, curves, answer.prices, factors, answer.notes));
  static_cast<SizedMix&>(answer) = sized_mix(mix, factors, sizing);
  for (const SizingWorkload& one : sizing.workloads) {
    for (const SizingOption& option : one.options) {
      answer.modelled = answer.modelled || option.modelled;
    }
  }
  for (const auto& [name, cut] : {std::pair{"one shared partition", one_shared_partition(sizing)},
                                  {"largest K, shared", largest_k(sizing)},
                                  {"equal parts", even_partitions(sizing)}}) {
    if (cut) answer.others.push_back(sized_cut(mix, sizing, name, *cut, assess(sizing, *cut)));
  }
  for (const WhatIf& one : mix.what_if) {
    const WhatIf both{one.load * factors.load, one.price * factors.price};
    std::vector<std::string> notes;  // the same as above
    TRY_ASSIGN(const SizingMix other, sizing_mix(mix, curves, answer.prices, both, notes));
    answer.what_if.push_back(sized_mix(mix, both, other));
  }
  return {};
}

}  // namespace

SizedCut sized_cut(const Mix& mix, const SizingMix& sizing, const std::string& name, const Cut& cut,
                   const CutOutcome& outcome) {
  SizedCut out{{outcome}, name, cut.nodes(), cut.nodes() * mix.workers_per_node};
  std::set<std::string> taken;
  for (std::size_t p = 0; p < cut.partitions.size(); ++p) {
    const Cut::Partition& part = cut.partitions[p];
    SizedPartition& one = out.partitions.emplace_back();
    one.name = partition_name(sizing, part, taken);
    one.nodes = part.nodes;
    one.workers = part.nodes * mix.workers_per_node;
    for (const int w : part.workloads) {
      one.max_nodes_per_job = std::max(one.max_nodes_per_job, option_of(sizing, cut, w).nodes);
    }
    const QueueResult& came = outcome.partitions[p];
    if (!came.saturated) one.utilisation = came.utilisation;
  }
  for (std::size_t w = 0; w < sizing.workloads.size(); ++w) {
    const WorkloadOutcome& came = outcome.workloads[w];
    const bool waits = !came.too_large && !outcome.partitions[came.partition].saturated;
    out.workloads.push_back(
        sized_workload(sizing.workloads[w], option_of(sizing, cut, w), came, waits));
  }
  add_totals(outcome, out);
  return out;
}

Result<SizeAnswer> size_mix(const Context& context, const SizeRequest& request) {
  SizeAnswer answer;
  TRY_ASSIGN(const std::string text, read_file("mix", request.mix));
  MixRead read = read_mix(text, request.mix);
  answer.problems = std::move(read.problems);
  if (!answer.problems.empty()) return answer;
  answer.mix = std::move(read.mix);
  answer.mix.modelled = answer.mix.modelled || request.modelled;
  answer.mix.backfill = answer.mix.backfill || request.backfill;
  TRY(read_mix_prices(answer));
  if (!answer.problems.empty()) return answer;
  TRY_ASSIGN(const std::vector<MixCurve> curves, mix_curves(context, answer.mix));
  for (const MixCurve& curve : curves) answer.studies.push_back(curve.study);
  TRY(cut_mix(request.factors, curves, answer));
  return answer;
}

}  // namespace kneepoint
