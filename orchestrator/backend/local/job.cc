// SPDX-License-Identifier: Apache-2.0
//
// Only questions to the file system and /proc; nothing here starts or ends anything.
#include "orchestrator/backend/local/job.h"

#include <algorithm>

namespace kneepoint {
namespace {

constexpr std::size_t kMostRecordBytes = 64 << 20;

std::string records_of(const KnownStep& step) {
  return step.run_dir + "/records.ndjson";
}

}  // namespace

bool has_begun(const LocalJob& job) {
  return std::any_of(job.steps.begin(), job.steps.end(),
                     [](const KnownStep& step) { return path_exists(step.run_dir); });
}

bool find_life(LocalJob& job) {
  if (is_alive(job.agent)) return true;
  // An agent of an earlier controller may be so young that it hasn't locked the file yet.
  const bool may_be_starting = job.adopted && !has_begun(job);
  if (!is_locked(job.path) && !may_be_starting) return false;
  const auto others = find_agents(job.path);
  if (others.empty()) return is_locked(job.path);
  job.agent = others.front();
  job.ref.id = to_string(job.agent);
  return true;
}

Nanoseconds time_of(const LocalJob& job, const Clock& clock) {
  if (job.adopted || job.started == 0) return clock.wall();
  return job.ref.submitted_ns + (clock.steady() - job.started);
}

Observation never_heard_of(const JobRef& ref, const std::string& path, const Clock& clock) {
  Observation seen;
  seen.job = ref;
  seen.detail = "there is no '" + path + "'";
  seen.observed_ns = clock.wall();
  return seen;
}

Error trouble_here(Error error) {
  error.code = ErrorCode::unavailable;
  return error;
}

Nanoseconds last_record(const LocalJob& job, Nanoseconds otherwise) {
  Nanoseconds last = 0;
  for (const KnownStep& step : job.steps) last = std::max(last, changed_at(records_of(step)));
  return last > 0 ? last : otherwise;
}

Result<Artifacts> artifacts_of(const LocalJob& job) {
  Artifacts artifacts;
  for (const KnownStep& step : job.steps) {
    auto records = read_file_if_there(records_of(step), kMostRecordBytes);
    StepArtifacts& artifact = artifacts.steps.emplace_back();
    artifact.attempt = step.attempt;
    if (!records) {
      // What the workload put in their place stays there: asking again would never end.
      const ErrorCode code = records.error().code;
      if (code != ErrorCode::invalid && code != ErrorCode::permission) return records.error();
      artifact.begun = true;
      artifact.problem = records.error().message;
      continue;
    }
    artifact.begun = records->has_value() || path_exists(step.run_dir);
    if (*records) artifact.records = std::move(**records);
  }
  return artifacts;
}

}  // namespace kneepoint
