// SPDX-License-Identifier: Apache-2.0
//
// The story of a run as text, from the point down to the files: what was asked for, what was tried,
// how it ended, on what.
#include "orchestrator/answers/study/explain.h"

#include <fmt/core.h>

#include <algorithm>

#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/model/provenance.h"
#include "orchestrator/report/table.h"
#include "orchestrator/report/terminal/answers.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

constexpr std::size_t kMostRanks = 16, kMostOperationsTold = 20;  // that people want to read

// Means over the samples that count.
struct SampleMeans {
  int timed = 0, warmup = 0;
  double max_seconds = 0, low = 0, high = 0, compute = 0, communication = 0;
};

SampleMeans means_of(const std::vector<Sample>& samples) {
  SampleMeans means;
  for (const Sample& sample : samples) {
    if (sample.warmup) {
      ++means.warmup;
      continue;
    }
    const double seconds = to_seconds(sample.max_ns);
    means.low = means.timed == 0 ? seconds : std::min(means.low, seconds);
    means.high = std::max(means.high, seconds);
    ++means.timed;
    means.max_seconds += seconds;
    means.compute += to_seconds(sample.compute_ns);
    means.communication += to_seconds(sample.communication_ns);
  }
  const double n = std::max(1, means.timed);
  means.max_seconds /= n;
  means.compute /= n;
  means.communication /= n;
  return means;
}

std::string samples_text(const std::vector<Sample>& samples) {
  if (samples.empty()) return "";
  const SampleMeans means = means_of(samples);
  std::string text =
      fmt::format("  samples: {} timed after {} for warm-up", means.timed, means.warmup);
  if (means.timed > 0) {
    text += fmt::format(
        "; slowest rank on average {} ({} to {}); a rank computes {} and communicates {}",
        duration_text(means.max_seconds), duration_text(means.low), duration_text(means.high),
        duration_text(means.compute), duration_text(means.communication));
  }
  return text + "\n";
}

// The first `most` rows, and how many there are besides.
template <typename Row>
std::string first_rows(const std::vector<ColumnOf<Row>>& columns, std::vector<Row> rows,
                       std::size_t most) {
  const std::size_t more = rows.size() - std::min(rows.size(), most);
  rows.resize(rows.size() - more);
  return to_table(columns, rows, 4) +
         (more > 0 ? fmt::format("    and {} more; --json has all\n", more) : "");
}

std::string ranks_text(const std::vector<RankTotal>& ranks) {
  if (ranks.empty()) return "";
  const std::vector<ColumnOf<RankTotal>> columns = {
      {"rank", [](auto& one) { return std::to_string(one.rank); }},
      {"host", [](auto& one) { return one.host; }, Align::left},
      {"cpus", [](auto& one) { return one.cpus; }, Align::left},
      {"compute", [](auto& one) { return to_duration_text(one.compute_ns); }},
      {"communication", [](auto& one) { return to_duration_text(one.communication_ns); }},
      {"work", [](auto& one) { return number_text(one.work, 6); }},
  };
  return "  ranks:\n" + first_rows(columns, ranks, kMostRanks);
}

// Files of the run's folder that were kept, and those that were not.
std::string kept_text(const AttemptStory& story) {
  std::string text;
  for (const KeptFile& file : kept_files(story.facts)) {
    text += fmt::format("  kept: {}/kept/{} ({} bytes)\n", story.folder, file.name, file.size);
  }
  constexpr std::string_view kNot = "not_kept.";
  for (const Fact& fact : story.facts) {
    if (!fact.name.starts_with(kNot)) continue;
    text += fmt::format("  not kept: {}: {}\n", fact.name.substr(kNot.size()), fact.value);
  }
  return text;
}

std::string facts_text(std::vector<Fact> facts) {
  std::erase_if(facts, [](const Fact& fact) {
    return fact.name.starts_with("kept.") || fact.name.starts_with("not_kept.");
  });
  if (facts.empty()) return "";
  const std::vector<ColumnOf<Fact>> columns = {
      {"scope", [](auto& fact) { return fact.scope; }, Align::left},
      {"fact", [](auto& fact) { return fact.name; }, Align::left},
      {"value", [](auto& fact) { return fact.value; }, Align::left},
  };
  return "  provenance:\n" + to_table(columns, facts, 4);
}

bool had_stand_in(const AttemptStory& story) {
  return std::any_of(story.facts.begin(), story.facts.end(), [](const Fact& fact) {
    return fact.name == kFactDevice && is_stand_in(fact.value);
  });
}

// "from MPI_Init to MPI_Finalize 1.2s; in MPI 12% (rank 0) to 45% (rank 3) of it"
std::string ranks_sentence(const std::vector<RankProfile>& ranks) {
  const auto share = [](const RankProfile& rank) {
    return rank.window_ns > 0 ? static_cast<double>(rank.communication_ns() + rank.other_ns) /
                                    static_cast<double>(rank.window_ns)
                              : 0;
  };
  Nanoseconds window = 0;
  std::size_t complete = 0;
  for (const RankProfile& rank : ranks) {
    window = std::max(window, rank.window_ns);
    complete += rank.complete ? 1 : 0;
  }
  const auto by_share = [&](auto& a, auto& b) { return share(a) < share(b); };
  const auto least = std::min_element(ranks.begin(), ranks.end(), by_share);
  const auto most = std::max_element(ranks.begin(), ranks.end(), by_share);
  std::string text = fmt::format("  MPI: {} from MPI_Init to MPI_Finalize; in MPI {}",
                                 to_duration_text(window), number_percent(share(*least)));
  if (ranks.size() > 1) {
    text += fmt::format(" (rank {}) to {} (rank {})", least->rank, number_percent(share(*most)),
                        most->rank);
  }
  text += " of it";
  if (complete < ranks.size()) {
    text += fmt::format("; {} of {} ranks ended before MPI_Finalize", ranks.size() - complete,
                        ranks.size());
  }
  return text + "\n";
}

// The MPI calls of an attempt as the preloaded profile saw them.
std::string profile_text(const AttemptProfile& profile) {
  if (profile.ranks.empty()) return "";
  std::string text = ranks_sentence(profile.ranks);
  if (profile.operations.empty()) return text;
  std::vector<OperationTotal> operations = profile.operations;
  std::stable_sort(
      operations.begin(), operations.end(),
      [](const OperationTotal& a, const OperationTotal& b) { return a.time_ns > b.time_ns; });
  const auto ranks = static_cast<Nanoseconds>(profile.ranks.size());
  const std::vector<ColumnOf<OperationTotal>> columns = {
      {"call", [](auto& one) { return one.name; }, Align::left},
      {"kind", [](auto& one) { return one.kind; }, Align::left},
      {"calls", [](auto& one) { return std::to_string(one.calls); }},
      {"bytes sent", [](auto& one) { return bytes_text(static_cast<double>(one.bytes)); }},
      {"a rank, mean", [ranks](auto& one) { return to_duration_text(one.time_ns / ranks); }},
      {"longest rank", [](auto& one) { return to_duration_text(one.max_ns); }},
  };
  return text + "  MPI calls of all ranks:\n" +
         first_rows(columns, operations, kMostOperationsTold);
}

std::string attempt_text(const AttemptStory& story) {
  std::string text = fmt::format("\nattempt {}: {}\n", story.name, story.sentence());
  if (!story.allocation.empty()) {
    text += fmt::format("  allocation: {}{}\n", story.allocation,
                        story.job_id.empty() ? "" : ", job " + story.job_id);
  }
  if (!story.nodes.empty()) text += "  nodes: " + story.nodes + "\n";
  if (!story.waiting.empty()) text += "  waiting: " + story.waiting + "\n";
  if (story.started_ns > 0 && story.ended_ns >= story.started_ns) {
    text += "  took " + to_duration_text(story.ended_ns - story.started_ns);
    if (story.submitted_ns > 0 && story.started_ns >= story.submitted_ns) {
      text += " after " + to_duration_text(story.started_ns - story.submitted_ns) + " of waiting";
    }
    text += "\n";
  }
  if (had_stand_in(story)) text += fmt::format("  caveat: {}\n", kStandInCaveat);
  text += samples_text(story.samples);
  if (story.pushed.records > 0) {
    text += fmt::format("  so far: {} samples in {} records, pushed by its agent\n",
                        story.pushed.samples, story.pushed.records);
  }
  for (const Metric& metric : story.metrics) {
    const bool judged = !metric.better.empty() && metric.name != "time";
    text += fmt::format("  metric: {} = {}{}{}\n", metric.name, number_text(metric.value, 6),
                        metric.unit.empty() ? "" : " " + metric.unit,
                        judged ? " (" + metric.better + " is better)" : "");
  }
  return text + ranks_text(story.ranks) + profile_text(story.profile) + kept_text(story) +
         facts_text(story.facts) +
         fmt::format("  files: {}{}\n", story.folder, story.folder_exists ? "" : " (not there)");
}

// An argument vector as it could be typed; quoted only where needed. For reading, never for a shell
// of ours.
std::string command_text(const std::vector<std::string>& argv) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  std::string text;
  for (const std::string& word : argv) {
    if (!text.empty()) text += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

}  // namespace

std::string to_text(const RunStory& story) {
  const Point& point = story.found.point;
  const RunRow& run = story.found.run;
  std::string text =
      fmt::format("run r{} of {}\npoint: {}\nrepeat {} of its point, in round {}; {} after {}\n",
                  run.number, story.found.study.id, point.key(), run.repeat + 1, run.round,
                  run.finished        ? "finished"
                  : run.attempts == 0 ? "not started yet"
                                      : "not finished",
                  counted(run.attempts, "attempt"));
  if (point.has_size) text += "size: " + number_text(point.size, 12) + "\n";
  if (!point.held_fixed.empty()) text += "held fixed: " + point.held_fixed + "\n";
  if (!point.command.argv.empty()) {  // imported runs have none
    text += "command of one rank: " + command_text(point.command.argv) + "\n";
  }
  for (const EnvironmentVariable& variable : point.command.environment) {
    text += fmt::format("environment: {}={}\n", variable.name, variable.value);
  }
  for (const AttemptStory& attempt : story.attempts) text += attempt_text(attempt);
  if (!story.events.empty()) text += "\nevents:\n";
  for (const Event& event : story.events) {
    text += fmt::format("  {}  {}{}: {}\n", to_utc_text(event.wall_ns),
                        event.attempt_number > 0 ? fmt::format("a{} ", event.attempt_number) : "",
                        event.kind, event.text);
  }
  return plain_lines(text);
}

}  // namespace kneepoint
