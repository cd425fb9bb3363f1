// SPDX-License-Identifier: Apache-2.0
//
// From the point down to the files: what was asked for, what was tried, how it ended, on what.
#include "orchestrator/cli/explain_text.h"

#include <algorithm>
#include <filesystem>

#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/engine/requests.h"
#include "orchestrator/model/provenance.h"
#include "orchestrator/report/table.h"

namespace kneepoint::cli {
namespace {

constexpr std::size_t kMostRanks = 16;  // that people want to read

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

std::string seconds_text(double seconds) {
  return to_duration_text(from_seconds(seconds));
}

std::string samples_text(const std::vector<Sample>& samples) {
  if (samples.empty()) return "";
  const SampleMeans means = means_of(samples);
  std::string text = "  samples: " + std::to_string(means.timed) + " timed after " +
                     std::to_string(means.warmup) + " for warm-up";
  if (means.timed > 0) {
    text += "; slowest rank on average " + seconds_text(means.max_seconds) + " (" +
            seconds_text(means.low) + " to " + seconds_text(means.high) + "); a rank computes " +
            seconds_text(means.compute) + " and communicates " + seconds_text(means.communication);
  }
  return text + "\n";
}

std::string ranks_text(const std::vector<RankTotal>& ranks) {
  if (ranks.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  const std::size_t shown = std::min(ranks.size(), kMostRanks);
  for (std::size_t i = 0; i < shown; ++i) {
    const RankTotal& rank = ranks[i];
    rows.push_back({std::to_string(rank.rank), rank.host, rank.cpus,
                    to_duration_text(rank.compute_ns), to_duration_text(rank.communication_ns),
                    number_text(rank.work, 6)});
  }
  const std::string rest =
      ranks.size() > shown
          ? "    and " + std::to_string(ranks.size() - shown) + " more; --json has all\n"
          : "";
  return "  ranks:\n" +
         to_table({{"rank", Align::right},
                   {"host"},
                   {"cpus"},
                   {"compute", Align::right},
                   {"communication", Align::right},
                   {"work", Align::right}},
                  rows, 4) +
         rest;
}

// Files of the run's folder that were kept, and those that were not.
std::string kept_text(const AttemptStory& story) {
  std::string text;
  for (const KeptFile& file : kept_files(story.facts)) {
    text += "  kept: " + story.folder + "/kept/" + file.name + " (" + file.size + " bytes)\n";
  }
  constexpr std::string_view kNot = "not_kept.";
  for (const Fact& fact : story.facts) {
    if (!fact.name.starts_with(kNot)) continue;
    text += "  not kept: " + fact.name.substr(kNot.size()) + ": " + fact.value + "\n";
  }
  return text;
}

std::string facts_text(const std::vector<Fact>& facts) {
  if (facts.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const Fact& fact : facts) {
    const bool told = fact.name.starts_with("kept.") || fact.name.starts_with("not_kept.");
    if (!told) rows.push_back({fact.scope, fact.name, fact.value});
  }
  if (rows.empty()) return "";
  return "  provenance:\n" + to_table({{"scope"}, {"fact"}, {"value"}}, rows, 4);
}

bool had_stand_in(const AttemptStory& story) {
  return std::any_of(story.facts.begin(), story.facts.end(), [](const Fact& fact) {
    return fact.name == kFactDevice && is_stand_in(fact.value);
  });
}

std::string attempt_text(const AttemptStory& story, int run) {
  const AttemptRow& row = story.row;
  std::string text =
      "\nattempt " + attempt_name(run, row.number) + ": " + outcome_sentence(row) + "\n";
  if (!row.allocation.empty()) {
    text += "  allocation: " + row.allocation + (row.job_id.empty() ? "" : ", job " + row.job_id) +
            "\n";
  }
  if (!row.nodes.empty()) text += "  nodes: " + row.nodes + "\n";
  if (!row.waiting.empty()) text += "  waiting: " + row.waiting + "\n";
  if (row.started_ns > 0 && row.ended_ns >= row.started_ns) {
    text += "  took " + to_duration_text(row.ended_ns - row.started_ns);
    if (row.submitted_ns > 0 && row.started_ns >= row.submitted_ns) {
      text += " after " + to_duration_text(row.started_ns - row.submitted_ns) + " of waiting";
    }
    text += "\n";
  }
  if (had_stand_in(story)) text += std::string("  caveat: ") + kStandInCaveat + "\n";
  text += samples_text(story.samples);
  if (story.pushed.records > 0) {
    text += "  so far: " + std::to_string(story.pushed.samples) + " samples in " +
            std::to_string(story.pushed.records) + " records, pushed by its agent\n";
  }
  for (const Metric& metric : story.metrics) {
    text +=
        "  metric: " + metric.name + " = " + number_text(metric.value, 6) +
        (metric.unit.empty() ? "" : " " + metric.unit) +
        (metric.better.empty() || metric.name == "time" ? ""
                                                        : " (" + metric.better + " is better)") +
        "\n";
  }
  text += ranks_text(story.ranks) + profile_text(story.profile) + kept_text(story) +
          facts_text(story.facts);
  text += "  files: " + story.folder + (story.folder_exists ? "" : " (not there)") + "\n";
  return text;
}

}  // namespace

Result<RunStory> read_story(StudyStore& store, const FoundRun& found) {
  RunStory story{found, {}, {}};
  TRY_ASSIGN(const std::vector<AttemptRow> attempts, store.attempts(found.run.row));
  for (const AttemptRow& row : attempts) {
    if (found.attempt > 0 && row.number != found.attempt) continue;
    AttemptStory attempt;
    attempt.row = row;
    TRY_ASSIGN(attempt.samples, store.samples(row.row));
    TRY_ASSIGN(attempt.ranks, store.ranks(row.row));
    TRY_ASSIGN(attempt.metrics, store.metrics(row.row));
    TRY_ASSIGN(attempt.facts, store.facts(row.row));
    TRY_ASSIGN(attempt.profile, store.profile(row.row));
    TRY_ASSIGN(attempt.pushed, store.pushed_so_far(row.row));
    attempt.folder = found.study.work_dir + "/" + attempt_name(found.run.number, row.number);
    std::error_code ignored;
    attempt.folder_exists = std::filesystem::is_directory(attempt.folder, ignored);
    story.attempts.push_back(std::move(attempt));
  }
  TRY_ASSIGN(story.events, store.events(found.study.row, found.run.number));
  return story;
}

std::string outcome_sentence(const AttemptRow& attempt) {
  std::string text = to_string(attempt.state);
  if (attempt.reason != Reason::none) {
    text += " (" + std::string(to_string(attempt.reason)) + "): " + sentence(attempt.reason);
  }
  if (attempt.signal > 0) {
    text += "; signal " + std::to_string(attempt.signal);
  } else if (attempt.exit_code != 0) {
    text += "; exit code " + std::to_string(attempt.exit_code);
  }
  if (!attempt.detail.empty() && attempt.detail != sentence(attempt.reason)) {
    text += "; " + attempt.detail;
  }
  return text;
}

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

std::string to_text(const RunStory& story) {
  const Point& point = story.found.point;
  const RunRow& run = story.found.run;
  std::string text = "run r" + std::to_string(run.number) + " of " + story.found.study.id + "\n";
  text += "point: " + point.key() + "\n";
  text += "repeat " + std::to_string(run.repeat + 1) + " of its point, in round " +
          std::to_string(run.round) + "; " +
          (run.finished        ? "finished"
           : run.attempts == 0 ? "not started yet"
                               : "not finished") +
          " after " + counted(run.attempts, "attempt") + "\n";
  if (point.has_size) text += "size: " + number_text(point.size, 12) + "\n";
  if (!point.held_fixed.empty()) text += "held fixed: " + point.held_fixed + "\n";
  if (!point.command.argv.empty()) {  // imported runs have none
    text += "command of one rank: " + command_text(point.command.argv) + "\n";
  }
  for (const EnvironmentVariable& variable : point.command.environment) {
    text += "environment: " + variable.name + "=" + variable.value + "\n";
  }
  for (const AttemptStory& attempt : story.attempts) text += attempt_text(attempt, run.number);
  if (!story.events.empty()) text += "\nevents:\n";
  for (const Event& event : story.events) {
    text += "  " + to_utc_text(event.wall_ns) + "  " +
            (event.attempt_number > 0 ? "a" + std::to_string(event.attempt_number) + " " : "") +
            event.kind + ": " + event.text + "\n";
  }
  return text;
}

}  // namespace kneepoint::cli
