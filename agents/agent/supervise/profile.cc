// SPDX-License-Identifier: Apache-2.0
//
// A rank's useful time is what its window has left when MPI is taken out; of marked iterations,
// the same inside of them. Without a profile nobody knows how an iteration splits: it is `other`.
#include "agents/agent/supervise/profile.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>

#include "agents/agent/file.h"

namespace kneepoint::agent {
namespace {

constexpr std::string_view kTakeDashX[] = {"mpirun", "orterun", "prterun", "mpirun.openmpi"};

bool time_is_from(const StepSpec& step, const char* source) {
  return std::any_of(step.metrics.begin(), step.metrics.end(), [&](const MetricSpec& metric) {
    return metric.name == "time" && metric.from == source;
  });
}

std::int64_t in_mpi(const record::RankProfile& times) {
  return times.communication_ns() + times.other_ns;
}

std::vector<record::Operation> merge_operations(const Reports& reports) {
  std::map<std::string, record::Operation> by_name;
  for (const auto& [rank, report] : reports.profiles) {
    for (const record::Operation& call : report.calls) {
      record::Operation& sum = by_name[call.name];
      sum.name = call.name;
      sum.kind = call.kind;
      sum.calls += call.calls;
      sum.bytes += call.bytes;
      sum.time_ns += call.time_ns;
      sum.max_ns = std::max(sum.max_ns, call.time_ns);
    }
  }
  std::vector<record::Operation> operations;
  for (auto& [name, sum] : by_name) operations.push_back(std::move(sum));
  std::stable_sort(operations.begin(), operations.end(),
                   [](const auto& a, const auto& b) { return a.time_ns > b.time_ns; });
  return operations;
}

// Iterations that every rank kept; 0 when a rank marked none.
std::size_t common_iterations(const Reports& reports) {
  if (reports.probes.empty()) return 0;
  std::size_t count = reports.probes.begin()->second.kept.size();
  for (const auto& [rank, probe] : reports.probes) count = std::min(count, probe.kept.size());
  return count;
}

record::Sample sample_of(const Reports& reports, std::size_t at) {
  record::Sample sample;
  sample.iteration = static_cast<int>(at) + 1;
  const auto ranks = static_cast<std::int64_t>(reports.probes.size());
  std::int64_t sum = 0, communication = 0;
  bool split = true;
  sample.min_ns = std::numeric_limits<std::int64_t>::max();
  for (const auto& [rank, probe] : reports.probes) {
    const ProbeIteration& one = probe.kept[at];
    sum += one.ns;
    sample.max_ns = std::max(sample.max_ns, one.ns);
    sample.min_ns = std::min(sample.min_ns, one.ns);
    split = split && one.mpi_ns >= 0;
    communication += std::clamp<std::int64_t>(one.mpi_ns, 0, one.ns);
  }
  sample.mean_ns = sum / ranks;
  if (split) {
    sample.communication_ns = std::min(communication / ranks, sample.mean_ns);
    sample.compute_ns = sample.mean_ns - sample.communication_ns;
  } else {
    sample.other_ns = sample.mean_ns;
  }
  return sample;
}

record::RankTotal total_of(const RankProfileReport& report, const ProbeReport* probe,
                           std::size_t iterations) {
  const record::RankProfile& times = report.times;
  record::RankTotal total{times.rank, report.host, report.cpus};
  if (iterations == 0 || probe == nullptr) {
    total.communication_ns = times.communication_ns();
    total.compute_ns = std::max<std::int64_t>(0, times.window_ns - in_mpi(times));
    return total;
  }
  for (std::size_t i = 0; i < iterations; ++i) {
    const ProbeIteration& one = probe->kept[i];
    const std::int64_t inside = std::clamp<std::int64_t>(one.mpi_ns, 0, one.ns);
    total.communication_ns += inside;
    total.compute_ns += one.ns - inside;
  }
  return total;
}

void add_probe_metrics(const Reports& reports, Derived& out) {
  if (reports.probes.empty()) return;
  std::set<std::string> seen;
  for (const auto& [rank, probe] : reports.probes) {
    for (const record::Metric& metric : probe.metrics) {  // of the first rank that has it
      if (seen.insert(metric.name).second) out.metrics.push_back(metric);
    }
  }
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> regions;  // sum, max over ranks
  for (const auto& [rank, probe] : reports.probes) {
    for (const ProbeReport::Region& region : probe.regions) {
      auto& [sum, most] = regions[region.name];
      sum += region.ns;
      most = std::max(most, region.ns);
    }
  }
  const auto ranks = static_cast<double>(reports.probes.size());
  for (const auto& [name, times] : regions) {
    const auto mean = static_cast<double>(times.first) * 1e-9 / ranks;
    out.metrics.push_back({"region." + name, mean, "s"});
    out.metrics.push_back(
        {"region." + name + ".max", static_cast<double>(times.second) * 1e-9, "s"});
  }
}

std::string state_of(const Reports& reports, int ranks) {
  if (reports.profiles.empty()) {
    return "none: no rank reported; is it an MPI program, linked with MPI's shared library?";
  }
  const int reported = static_cast<int>(reports.profiles.size());
  const int all = std::max(ranks, reports.profiles.begin()->second.ranks);
  const bool complete = std::all_of(reports.profiles.begin(), reports.profiles.end(),
                                    [](auto& one) { return one.second.times.complete; });
  std::string text = "mpi";
  if (reported < all) {
    text += ", " + std::to_string(reported) + " of " + std::to_string(all) + " ranks";
  }
  if (!complete) text += ", ended before MPI_Finalize";
  return text;
}

}  // namespace

std::string profile_folder(const StepSpec& step) {
  return step.run_dir + "/profile";
}

std::string probe_folder(const StepSpec& step) {
  return step.run_dir + "/probe";
}

void add_profile_variables(const StepSpec& step, const std::string& library,
                           Environment& additions) {
  additions.emplace_back(kProbeVariable, probe_folder(step));
  if (library.empty()) return;
  additions.emplace_back(kProfileVariable, profile_folder(step));
  std::string preload = library;
  const char* const inherited = std::getenv("LD_PRELOAD");
  std::string others = inherited != nullptr ? inherited : "";
  for (const auto& [name, value] : additions) {
    if (name == "LD_PRELOAD") others = value;
  }
  if (!others.empty()) preload += ":" + others;
  std::erase_if(additions, [](const auto& one) { return one.first == "LD_PRELOAD"; });
  additions.emplace_back("LD_PRELOAD", preload);
}

std::vector<std::string> with_passed_variables(const StepSpec& step, bool preloaded) {
  std::vector<std::string> argv = step.argv;
  const std::string program = argv[0].substr(argv[0].rfind('/') + 1);
  if (std::find(std::begin(kTakeDashX), std::end(kTakeDashX), program) == std::end(kTakeDashX)) {
    return argv;
  }
  // In pods the hosts are named and their number is not told.
  const bool names_hosts = std::find(argv.begin(), argv.end(), "--host") != argv.end();
  if (step.nodes < 2 && !names_hosts) return argv;
  std::vector<std::string> names = {kProbeVariable};
  if (preloaded) names.insert(names.end(), {kProfileVariable, "LD_PRELOAD"});
  std::vector<std::string> options;
  for (const std::string& name : names) options.insert(options.end(), {"-x", name});
  argv.insert(argv.begin() + 1, options.begin(), options.end());
  return argv;
}

std::vector<MetricSpec> output_metrics(const StepSpec& step) {
  std::vector<MetricSpec> patterns = step.metrics;
  std::erase_if(patterns, [](const MetricSpec& metric) {
    return metric.from == "mpi" || metric.from == "probe";
  });
  return patterns;
}

Derived derive(const StepSpec& step, const Reports& reports, const record::Records& known,
               bool library_found) {
  Derived out;
  const std::size_t iterations = known.samples.empty() ? common_iterations(reports) : 0;
  for (std::size_t i = 0; i < iterations; ++i) out.samples.push_back(sample_of(reports, i));
  std::int64_t longest = 0;
  bool complete = !reports.profiles.empty();
  for (const auto& [rank, report] : reports.profiles) {
    out.profile.push_back(report.times);
    longest = std::max(longest, report.times.window_ns);
    complete = complete && report.times.complete;
    if (!known.ranks.empty()) continue;
    const auto probe = reports.probes.find(rank);
    out.ranks.push_back(
        total_of(report, probe != reports.probes.end() ? &probe->second : nullptr, iterations));
  }
  out.operations = merge_operations(reports);
  add_probe_metrics(reports, out);
  if (step.profile == "mpi") {
    out.state = library_found
                    ? state_of(reports, step.ranks)
                    : std::string("none: ") + kProfileLibrary + " is not installed with the agent";
  }
  if (time_is_from(step, "mpi")) {
    if (complete && longest > 0) {
      out.metrics.push_back({"time", static_cast<double>(longest) * 1e-9, "s"});
    } else {
      out.problem =
          "metric 'time': no time from MPI_Init to MPI_Finalize (profile " + out.state + ")";
    }
  } else if (time_is_from(step, "probe") && iterations == 0 && known.samples.empty()) {
    out.problem = "metric 'time': no iteration that every rank marked by the probe";
  }
  return out;
}

}  // namespace kneepoint::agent
