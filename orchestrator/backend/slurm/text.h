// SPDX-License-Identifier: Apache-2.0
//
// The texts that go to Slurm's commands and come back from them. Pure. squeue's -o and sacct's -P
// forms are the same from 21.08 to 25.x, unlike --json (decision 0009);
// what differs between versions is in the words, and those are handled here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/backend/slurm/transport.h"

namespace kneepoint {

// Modules and prologue of the site, then the agent in the shell's place, so that it gets Slurm's
// signals itself.
std::string batch_script(const SlurmSite& site, const std::string& agent_path,
                         const std::string& allocation_path);

// sbatch and its arguments; the script's path comes last.
std::vector<std::string> sbatch_arguments(const SlurmSubmission& job, const SlurmSite& site);
// 61 s -> "2": whole minutes, rounded up.
std::string minutes_text(Nanoseconds limit);

// "123" or "123;cluster" -> 123; "" if it is neither.
std::string parse_job_id(std::string_view parsable);

// One line a job; lines that can't be read are somebody else's and are left out.
extern const char* const kSqueueFormat;  // for -o, with SLURM_TIME_FORMAT=%s
std::vector<SlurmJob> parse_squeue(std::string_view text);
extern const char* const kSacctFields;  // for -o, with -n -P -X and SLURM_TIME_FORMAT=%s
std::vector<SlurmJob> parse_sacct(std::string_view text);

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

// What a command said when it failed -> one sentence with Slurm's own words and what to change.
// `command` is its name.
Error slurm_error(const std::string& command, std::string_view words);

}  // namespace kneepoint
