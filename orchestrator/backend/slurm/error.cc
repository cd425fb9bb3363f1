// SPDX-License-Identifier: Apache-2.0
//
// Slurm's refusals and what to do about each. The words are those of slurm_errno, which have hardly
// changed from 21.08 to 25.x; words that no row knows are passed on as they are. They refuse a
// submission for good; a question that was not answered can be asked again.
#include <array>

#include "orchestrator/backend/slurm/text.h"

namespace kneepoint {
namespace {

struct Refusal {
  std::string_view words;
  ErrorCode code;
  bool retryable;
  const char* advice;
};

constexpr ErrorCode kInvalid = ErrorCode::invalid;
constexpr ErrorCode kGone = ErrorCode::unavailable;

// The first row that fits counts.
constexpr std::array<Refusal, 45> kRefusals = {{
    // It may have arrived all the same.
    {"Socket timed out", ErrorCode::timeout, true, "the controller is slow"},
    {"Zero Bytes were transmitted", ErrorCode::timeout, true, "the controller went away"},
    {"receive failure", ErrorCode::timeout, true, "the controller went away"},
    {"Message send failure", ErrorCode::timeout, true, "the controller went away"},
    {"(send failure)", ErrorCode::timeout, true, "the controller went away"},
    {"(shutdown failure)", ErrorCode::timeout, true, "the controller went away"},
    {"Unable to contact slurm controller", kGone, true,
     "check that slurmctld runs and that SLURM_CONF is right"},
    {"Unable to contact", kGone, true, "check that slurmctld runs and that SLURM_CONF is right"},
    {"unge", kGone, true, "check that munged runs on this host with the cluster's key"},
    {"is DOWN", kGone, true, "check that slurmctld runs and that SLURM_CONF is right"},
    {"Protocol authentication error", kGone, true,
     "check that munged runs on this host with the cluster's key"},
    {"authentication", kGone, true, "check that munged runs on this host with the cluster's key"},
    {"Could not establish a configuration source", kGone, false,
     "set SLURM_CONF, or run this on a login node"},
    {"Unable to process configuration file", kGone, false,
     "set SLURM_CONF, or run this on a login node"},
    {"temporarily unable to accept job", kGone, true, "the queue is full for now"},
    // What an administrator closes is opened again.
    {"Required partition not available", kGone, true,
     "the partition is closed for now (scontrol show partition), or name another slurm.partition "
     "in "
     "the site"},
    {"Partition in DOWN state", kGone, true,
     "the partition is closed for now (scontrol show partition), or name another slurm.partition "
     "in "
     "the site"},
    {"System submissions disabled", kGone, true, "Slurm takes no jobs for now"},
    {"backup controller in standby", kGone, true, "the controllers are changing over"},
    {"Unable to create job record", kGone, true, "the controller is out of room for now"},
    {"error writing script/environment", kGone, true,
     "slurmctld can't write its own files: is the disk of StateSaveLocation full?"},
    {"Problem talking to the database", kGone, true, "check that slurmdbd runs"},
    {"Unable to connect to database", kGone, true, "check that slurmdbd runs"},
    {"Connection refused", kGone, true, "check that slurmctld and slurmdbd run"},
    // A limit on jobs in the queue passes by itself.
    {"SubmitJobLimit", kGone, true, "the queue takes no more of your jobs for now"},
    {"SubmitJobPerUser", kGone, true, "the queue takes no more of your jobs for now"},
    // One on the size of a job does not.
    {"MaxNodePerJobLimit", kInvalid, false,
     "lower `scale` of the plan, or name another slurm.qos or slurm.account in the site"},
    {"MaxWallDurationPerJobLimit", kInvalid, false,
     "lower limits.timeout of the plan (or packing.limit of the site), or name another slurm.qos "
     "in "
     "the site"},
    {"PerJobLimit", kInvalid, false,
     "lower `scale` or `shape` of the plan, or name another slurm.qos in the site"},
    {"job submit limit", kGone, true,
     "the queue takes no more of your jobs for now; limits.concurrent of the site keeps below it, "
     "and a job larger or longer than the QOS allows never gets in"},
    {"nvalid partition", kInvalid, false, "set slurm.partition in the site"},
    {"partition specified", kInvalid, false, "set slurm.partition in the site"},
    {"No partition specified", kInvalid, false, "set slurm.partition in the site"},
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
    {"ode count specification invalid", kInvalid, false,
     "lower `scale` of the plan, or name a larger slurm.partition in the site"},
    {"node configuration is not available", kInvalid, false,
     "lower `scale` or `shape` of the plan, or name a slurm.partition with such nodes in the site"},
    {"node count", kInvalid, false,
     "lower `scale` of the plan, or name a larger slurm.partition in the site"},
    {"nvalid generic resource", kInvalid, false,
     "check gpus_per_node of the plan, and slurm.gpu_option and slurm.gpu_type of the site"},
    {"unrecognized option", kInvalid, false, "check slurm.options in the site"},
}};

// The line that tells most, without what the command puts before it.
std::string essence(std::string_view words) {
  std::string best;
  std::string limit;  // "QOSMaxNodePerJobLimit": which one of all those that the last line lists
  while (!words.empty()) {
    const std::size_t end = words.find('\n');
    std::string_view line = words.substr(0, end);
    words.remove_prefix(end == std::string_view::npos ? words.size() : end + 1);
    for (const std::string_view noise :
         {"sbatch: ", "squeue: ", "sacct: ", "scancel: ", "scontrol: ", "sinfo: ", "error: ",
          "fatal: ", "Batch job submission failed: ", "allocation failure: "}) {
      if (line.starts_with(noise)) line.remove_prefix(noise.size());
    }
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
    const bool is_advice = line.starts_with("Try ") || line.starts_with("See ");
    if (line.starts_with("Munge encode failed")) return std::string(line);
    if (line.ends_with("Limit") && line.find(' ') == std::string_view::npos) limit = line;
    if (!line.empty() && !is_advice) best = line;
  }
  return limit.empty() || limit == best ? best : limit + ": " + best;
}

}  // namespace

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
