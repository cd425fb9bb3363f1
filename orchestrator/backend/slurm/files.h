// SPDX-License-Identifier: Apache-2.0
//
// What a Slurm job's own files tell, whatever Slurm still knows of it: what did the batch script
// say, did the job stand still; and the nodes that failed under a study.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"

namespace kneepoint {

// The last line that the batch script wrote, cut to a sentence; "": none.
std::string last_output_line(const std::string& output_path);

// Why nothing can be written there, as this host sees it: full or read-only; "": nothing is wrong.
std::string folder_trouble(const std::string& directory);

// <directory>/<name>.suspended: when the job was last seen to stand still, for the next controller;
// 0: never.
Result<void> note_suspended(const std::string& directory, const std::string& name,
                            Nanoseconds wall);
Nanoseconds read_suspended(const std::string& directory, const std::string& name);

// Is a process on this host submitting a job of that name? An sbatch outlives the controller that
// started it.
bool is_being_submitted(const std::string& name, const std::string& script_path);

// <directory>/failed-nodes.txt: one node a line.
std::vector<std::string> read_failed_nodes(const std::string& directory);
Result<void> add_failed_nodes(const std::string& directory, const std::vector<std::string>& nodes);
// <directory>/failed-starts.txt: the node of each allocation that ended before a step began. How
// many it has now.
Result<int> add_failed_start(const std::string& directory, const std::string& node);

}  // namespace kneepoint
