// SPDX-License-Identifier: Apache-2.0
//
// From an allocation request to what the launcher writes and submits, and the texts that go to
// Slurm's commands and come back from them. Pure. squeue's -o and sacct's -P
// forms are the same from 21.08 to 25.x, unlike --json (decision 0009);
// what differs between versions is in the words, and those are handled here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/backend/launcher.h"
#include "orchestrator/backend/slurm/transport.h"

namespace kneepoint {

// How the ranks of a step are started inside the job: srun, mpirun, or the command as it is.
std::vector<std::string> slurm_step_argv(const Step& step, const Site& site);

// Text of <directory>/<name>.json, which the agent reads.
std::string slurm_allocation_text(const AllocationRequest& request, const Site& site, bool is_root);

// Everything but `exclude`, which is the launcher's to know.
SlurmSubmission slurm_submission(const AllocationRequest& request, const Site& site,
                                 const std::string& agent_path);

// Where the output of an allocation's script lies.
std::string slurm_output_path(const std::string& directory, const std::string& name);

// The grammar that the outputs of Slurm's commands share. What can't be read is empty or 0.
namespace slurm_fields {
std::vector<std::string_view> lines_of(std::string_view text);
// Between bars, at most `most`: the last one keeps whatever bars it holds.
std::vector<std::string_view> fields_of(std::string_view line, std::size_t most);
std::string_view trimmed(std::string_view text);
// Empty for "None", "(null)", "Unknown"...
std::string present(std::string_view text);
int leading_number(std::string_view text);
// "10:00", "1-00:00:00", "infinite", "UNLIMITED" as sinfo and scontrol write limits.
Nanoseconds limit_of(std::string_view text);
}  // namespace slurm_fields

// Modules and prologue of the site, then the agent in the shell's place, so that it gets Slurm's
// signals itself.
std::string batch_script(const SlurmSite& site, const std::string& agent_path,
                         const std::string& allocation_path);

// sbatch and its arguments; the script's path comes last.
std::vector<std::string> sbatch_arguments(const SlurmSubmission& job, const SlurmSite& site);
// As sbatch and srun take it; `count` with the type before it, if there is one.
std::string gpu_argument(const SlurmSite& site, const std::string& count);
// 61 s -> "2": whole minutes, rounded up.
std::string minutes_text(Nanoseconds limit);

// "123" or "123;cluster" -> 123; "" if it is neither.
std::string parse_job_id(std::string_view parsable);

// One line a job; lines that can't be read are somebody else's and are left out.
extern const char* const kSqueueFormat;  // for -o, with SLURM_TIME_FORMAT=%s
std::vector<SlurmJob> parse_squeue(std::string_view text);
extern const char* const kSacctFields;  // for -o, with -n -P -X and SLURM_TIME_FORMAT=%s
std::vector<SlurmJob> parse_sacct(std::string_view text);

// "gpu:a100:4(S:0-1),nvme:1" -> 4
int gpus_of(std::string_view gres);

// From `scontrol show config` and from `sinfo` with this format; `wanted` is the site's partition.
extern const char* const kSinfoFormat;
SlurmCluster parse_cluster(std::string_view config, std::string_view sinfo,
                           const std::string& wanted);
// What `scontrol ping` says of a controller that is down; "" if one is up, or nothing is said.
std::string parse_ping(std::string_view text);
// Nodes of `sinfo -h -N -o "%N|%T"` that can't run anything.
std::vector<std::string> parse_down_nodes(std::string_view text);

// "sbatch: Job 1 to start at T using 2 processors on nodes n[1-2] in partition batch" without what
// is noise: the command's name and the job id that will not be.
std::string parse_rehearsal(std::string_view text);

// Did a cancel fail only because the job is over, or nobody knows it?
bool is_over_already(std::string_view words);
std::string name_of_user();  // that this process runs as; "": it has none

// What a command said when it failed -> one sentence with Slurm's own words and what to change.
// `command` is its name.
Error slurm_error(const std::string& command, std::string_view words);

// What accounting allows this user's jobs to have. sbatch --test-only knows only the limits of a
// partition: a job over those of its account or QOS is taken and waits for ever.
struct SlurmAllowance {  // of one job; 0: no limit
  int nodes = 0;
  Nanoseconds time = 0;
};

struct SlurmAssociation {
  std::string account;
  std::string partition;  // "": all
  std::string default_qos;
  bool is_default = false;  // the account that a job gets which names none
  SlurmAllowance allows;
};

struct SlurmQos {
  std::string name;
  SlurmAllowance allows;
};

struct SlurmAccounting {
  std::vector<SlurmAssociation> associations;  // of this user
  std::vector<SlurmQos> qos;
};

// Fields for `sacctmgr -n -P show user NAME withassoc format=...` and `show qos format=...`, and
// what it says.
extern const char* const kAssociationFields;
extern const char* const kQosFields;
SlurmAccounting parse_accounting(std::string_view associations, std::string_view qos);

// Does `scontrol show config` say that limits of accounting hold?
bool enforces_limits(std::string_view config);

// Why a job would be refused or wait for ever, with what to change; "": it would not. Without any
// association of this user nothing is said: there may be none on purpose.
std::string why_not_allowed(const SlurmAccounting& accounting, const SlurmSite& site,
                            const SlurmSubmission& job);

}  // namespace kneepoint
