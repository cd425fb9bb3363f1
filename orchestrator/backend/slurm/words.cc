// SPDX-License-Identifier: Apache-2.0
//
// Slurm's words and what each means: the states of jobs, and refusals with what to do about them.
// Those of slurm_errno have hardly changed from 21.08 to 25.x; words that no row knows are passed
// on as they are. They refuse a submission for good; a question that was not answered can be asked
// again.
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "orchestrator/backend/slurm/text.h"
#include "orchestrator/backend/slurm/watch.h"

namespace kneepoint {
namespace {

using namespace slurm_fields;

struct StateRow {
  std::string_view word;
  SlurmState::Kind kind;
  AllocationState state;
  Reason reason = Reason::none;
  bool preempted = false;
};

using enum SlurmState::Kind;
constexpr auto kQueued = AllocationState::queued;
constexpr auto kRunning = AllocationState::running;
constexpr auto kEnded = AllocationState::ended;

// FAILED has no reason of its own: the agent's records know better, and where there are none the
// agent did not live to write them.
constexpr std::array<StateRow, 31> kStates = {{
    {"PENDING", pending, kQueued},
    {"CONFIGURING", configuring, kQueued},
    {"POWER_UP_NODE", other, kQueued},
    {"REQUEUED", other, kQueued},
    {"REQUEUE", other, kQueued},
    {"REQUEUE_FED", other, kQueued},
    {"REQUEUE_HOLD", other, kQueued},
    {"SPECIAL_EXIT", other, kQueued},
    {"RESV_DEL_HOLD", other, kQueued},
    {"STAGE_OUT", other, kRunning},
    {"RUNNING", running, kRunning},
    {"RESIZING", other, kRunning},
    {"SIGNALING", other, kRunning},
    {"SUSPENDED", suspended, kRunning},
    {"STOPPED", stopped, kRunning},
    {"COMPLETING", other, kRunning},
    {"UPDATE_DB", other, kRunning},
    {"EXPEDITING", other, kRunning},
    {"COMPLETED", completed, kEnded},
    {"FAILED", failed, kEnded},
    {"CANCELLED", cancelled, kEnded, Reason::user_cancelled},
    {"TIMEOUT", timeout, kEnded, Reason::time_limit},
    {"OUT_OF_MEMORY", out_of_memory, kEnded, Reason::oom},
    {"NODE_FAIL", other, kEnded, Reason::node_failed},
    {"BOOT_FAIL", other, kEnded, Reason::node_failed},
    {"LAUNCH_FAILED", other, kEnded, Reason::node_failed},
    {"RECONFIG_FAIL", other, kEnded, Reason::node_failed},
    {"PREEMPTED", other, kEnded, Reason::none, true},
    {"DEADLINE", deadline, kEnded, Reason::time_limit},
    {"REVOKED", other, kEnded, Reason::unknown_to_backend},
    {"FAIL", other, kEnded},
}};

const StateRow* row_of(std::string_view word) {
  const auto row = std::find_if(kStates.begin(), kStates.end(),
                                [&](const StateRow& one) { return one.word == word; });
  return row == kStates.end() ? nullptr : &*row;
}

// The day too, unless it comes within half a day.
std::string clock_text(Nanoseconds then, Nanoseconds wall) {
  const std::time_t seconds = then / kSecond;
  std::tm local{};
  localtime_r(&seconds, &local);
  char text[32];
  std::strftime(text, sizeof text, then - wall < 12 * kHour ? "%H:%M" : "%b %d %H:%M", &local);
  return text;
}

std::string waiting_text(const SlurmJob& job, Nanoseconds wall) {
  std::string text = job.state == pending ? "" : job.state.word;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
  if (!job.reason.empty()) add(job.reason);
  if (job.started > wall) add("est. start " + clock_text(job.started, wall));
  return text.empty() ? "to be scheduled" : text;
}

std::string end_text(const SlurmJob& job) {
  std::string text = "Slurm ended job " + job.id + " as " + job.state.word;
  if (!job.ended_by.empty()) text += " by user " + job.ended_by;
  if (!job.reason.empty() && job.reason != job.state.word) text += " (" + job.reason + ")";
  if (job.exit_code != 0) text += ", exit code " + std::to_string(job.exit_code);
  if (job.signal != 0) text += ", signal " + std::to_string(job.signal);
  if (!job.failed_node.empty()) {
    text += ", failed node " + job.failed_node;
  } else if (!job.nodes.empty()) {
    text += " on " + job.nodes;
  }
  return text;
}

struct Refusal {
  std::string_view words;
  ErrorCode code;
  bool retryable;
  const char* advice;
};

constexpr ErrorCode kMayHaveArrived = ErrorCode::timeout;
constexpr ErrorCode kInvalid = ErrorCode::invalid;
constexpr ErrorCode kGone = ErrorCode::unavailable;

constexpr char kWentAway[] = "the controller went away";
constexpr char kCheckController[] = "check that slurmctld runs and that SLURM_CONF is right";
constexpr char kCheckMunge[] = "check that munged runs on this host with the cluster's key";
constexpr char kSetConf[] = "set SLURM_CONF, or run this on a login node";
constexpr char kClosed[] =
    "the partition is closed for now (scontrol show partition), or name another slurm.partition in "
    "the site";
constexpr char kFull[] = "the queue takes no more of your jobs for now";
constexpr char kSetPartition[] = "set slurm.partition in the site";
constexpr char kLowerScale[] =
    "lower `scale` of the plan, or name a larger slurm.partition in the site";

// The first row that fits counts.
constexpr std::array<Refusal, 42> kRefusals = {{
    {"Socket timed out", kMayHaveArrived, true, "the controller is slow"},
    {"Zero Bytes were transmitted", kMayHaveArrived, true, kWentAway},
    {"receive failure", kMayHaveArrived, true, kWentAway},
    {"Message send failure", kMayHaveArrived, true, kWentAway},
    {"(send failure)", kMayHaveArrived, true, kWentAway},
    {"(shutdown failure)", kMayHaveArrived, true, kWentAway},
    {"Unable to contact", kGone, true, kCheckController},
    {"unge", kGone, true, kCheckMunge},
    {"is DOWN", kGone, true, kCheckController},
    {"authentication", kGone, true, kCheckMunge},
    {"Could not establish a configuration source", kGone, false, kSetConf},
    {"Unable to process configuration file", kGone, false, kSetConf},
    {"temporarily unable to accept job", kGone, true, "the queue is full for now"},
    // What an administrator closes is opened again.
    {"Required partition not available", kGone, true, kClosed},
    {"Partition in DOWN state", kGone, true, kClosed},
    {"System submissions disabled", kGone, true, "Slurm takes no jobs for now"},
    {"backup controller in standby", kGone, true, "the controllers are changing over"},
    {"Unable to create job record", kGone, true, "the controller is out of room for now"},
    {"error writing script/environment", kGone, true,
     "slurmctld can't write its own files: is the disk of StateSaveLocation full?"},
    {"Problem talking to the database", kGone, true, "check that slurmdbd runs"},
    {"Unable to connect to database", kGone, true, "check that slurmdbd runs"},
    {"Connection refused", kGone, true, "check that slurmctld and slurmdbd run"},
    // A limit on jobs in the queue passes by itself.
    {"SubmitJobLimit", kGone, true, kFull},
    {"SubmitJobPerUser", kGone, true, kFull},
    // One on the size of a job does not.
    {"MaxNodePerJobLimit", kInvalid, false,
     "lower `scale` of the plan, or name another slurm.qos or slurm.account in the site"},
    {"MaxWallDurationPerJobLimit", kInvalid, false,
     "lower limits.timeout of the plan (or packing.limit of the site), or name another slurm.qos "
     "in the site"},
    {"PerJobLimit", kInvalid, false,
     "lower `scale` or `shape` of the plan, or name another slurm.qos in the site"},
    {"job submit limit", kGone, true,
     "the queue takes no more of your jobs for now; limits.concurrent of the site keeps below it, "
     "and a job larger or longer than the QOS allows never gets in"},
    {"nvalid partition", kInvalid, false, kSetPartition},
    {"partition specified", kInvalid, false, kSetPartition},
    {"not permitted to use this partition", kInvalid, false,
     "name a slurm.partition in the site that is open to your groups"},
    {"nvalid account", kInvalid, false,
     "set slurm.account in the site (sacctmgr show assoc user=$USER lists yours)"},
    {"nvalid qos", kInvalid, false, "set slurm.qos in the site"},
    {"reservation", kInvalid, false, "check slurm.reservation in the site (scontrol show res)"},
    {"nvalid feature", kInvalid, false, "check slurm.constraint in the site (sinfo -o %f)"},
    {"time limit", kInvalid, false,
     "lower limits.timeout of the plan, or name a partition that allows more"},
    {"More processors requested", kInvalid, false,
     "lower `scale` or `shape` of the plan, or name a larger slurm.partition in the site"},
    {"ode count specification invalid", kInvalid, false, kLowerScale},
    {"node configuration is not available", kInvalid, false,
     "lower `scale` or `shape` of the plan, or name a slurm.partition with such nodes in the site"},
    {"node count", kInvalid, false, kLowerScale},
    {"nvalid generic resource", kInvalid, false,
     "check gpus_per_node of the plan, and slurm.gpu_option and slurm.gpu_type of the site"},
    {"unrecognized option", kInvalid, false, "check slurm.options in the site"},
}};

// The line that tells most, without what the command puts before it.
std::string essence(std::string_view words) {
  std::string best;
  std::string limit;  // "QOSMaxNodePerJobLimit": which one of all those that the last line lists
  for (std::string_view line : lines_of(words)) {
    for (const std::string_view noise :
         {"sbatch: ", "squeue: ", "sacct: ", "scancel: ", "scontrol: ", "sinfo: ", "error: ",
          "fatal: ", "Batch job submission failed: ", "allocation failure: "}) {
      if (line.starts_with(noise)) line.remove_prefix(noise.size());
    }
    while (line.ends_with(' ') || line.ends_with('\r')) line.remove_suffix(1);
    const bool is_advice = line.starts_with("Try ") || line.starts_with("See ");
    if (line.starts_with("Munge encode failed")) return std::string(line);
    if (line.ends_with("Limit") && line.find(' ') == std::string_view::npos) limit = line;
    if (!line.empty() && !is_advice) best = line;
  }
  return limit.empty() || limit == best ? best : limit + ": " + best;
}

}  // namespace

SlurmState::SlurmState(std::string_view its_word) : word(its_word) {
  if (const StateRow* row = row_of(word)) kind = row->kind;
}

SlurmMeaning meaning_of(const SlurmJob& job, Nanoseconds wall) {
  SlurmMeaning meaning;
  meaning.state = AllocationState::running;
  if (const StateRow* row = row_of(job.state.word)) {
    meaning.state = row->state;
    meaning.reason = row->reason;
    meaning.preempted = row->preempted;
  }
  switch (meaning.state) {
    case AllocationState::queued:
      meaning.detail = waiting_text(job, wall);
      break;
    case AllocationState::running:
      if (job.state != running) meaning.detail = job.state.word + " on " + job.nodes;
      break;
    case AllocationState::ended:
      if (job.state == deadline && (job.started == 0 || job.nodes.empty())) {
        meaning.reason = Reason::pending_too_long;
      }
      if (job.state != completed) meaning.detail = end_text(job);
      break;
    case AllocationState::unknown:
      break;
  }
  return meaning;
}

bool is_over_already(std::string_view words) {
  return words.find("Invalid job id") != std::string_view::npos ||
         words.find("already completing or completed") != std::string_view::npos;
}

std::string name_of_user() {
  const passwd* const entry = ::getpwuid(::geteuid());
  return entry == nullptr ? "" : entry->pw_name;
}

Error slurm_error(const std::string& command, std::string_view words) {
  std::string said = essence(words);
  if (said.empty()) said = "failed without a word";
  // Every line counts for the cause: munge's complaint stands above the general one.
  for (const Refusal& row : kRefusals) {
    if (words.find(row.words) == std::string_view::npos) continue;
    return Error{row.code, command + ": " + said + "; " + row.advice, row.retryable};
  }
  if (command != "sbatch" && command != "slurmrestd") {
    return Error{ErrorCode::unavailable, command + ": " + said, true};
  }
  return Error{ErrorCode::invalid, command + ": " + said, false};
}

}  // namespace kneepoint
