// SPDX-License-Identifier: Apache-2.0
//
// A step's own folder, `work` in its run directory: empty but for its inputs, left to the program
// while it runs. Afterwards what the plan keeps goes to `kept` beside it, and a run that succeeded
// leaves nothing else. No path leads out of the folder, and no link is followed out of it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/agent/supervise/child.h"
#include "agents/wire/allocation.h"
#include "orchestrator/base/result.h"

namespace kneepoint::agent {

// Set for a step with a folder of its own in a pod: the file folder.sh, whose text makes the same
// folder in another pod and goes there.
constexpr char kFolderVariable[] = "KNEEPOINT_FOLDER";

// Relative, without "..", "." and empty parts.
bool stays_inside(std::string_view path);

// Makes run_dir/work with the inputs in it and returns its path; `in_pod`: also folder.sh beside
// it.
Result<std::string> make_folder(const StepSpec& step, bool in_pod);
// The text of folder.sh; "" if the inputs are links, which other nodes see as well.
std::string folder_text(const StepSpec& step, const std::string& folder);
// The same, read where another pod is to start something; "" if the step has no folder of its own.
std::string prepare_folder_text();

// The program as it must be named from inside the folder: "./app" is looked for there first, then
// where the agent was started.
void locate_program(StepSpec& step, const std::string& folder);

struct KeptFile {
  std::string name;
  std::int64_t size = 0;
  std::string problem;  // why it was not kept; "": it was
};
// Moves what the patterns match to run_dir/kept, in the order of names, up to keep_bytes in all. A
// pattern that matches nothing is listed as a problem.
std::vector<KeptFile> keep_files(const StepSpec& step, const std::string& folder);

// With all that is in it; links themselves go, not what they point to.
void remove_folder(const std::string& folder);

// Open MPI's sessions share a folder of their host and user, which the last one that ends removes
// while another may be starting: that one then fails. A step on one node has a folder of its own
// instead, on the node's disk, unless the plan or the site names one. Daemons on other nodes or in
// other pods would share it or leave it behind.
class SessionFolder {
 public:
  explicit SessionFolder(const StepSpec& step);
  ~SessionFolder();
  SessionFolder(const SessionFolder&) = delete;
  SessionFolder& operator=(const SessionFolder&) = delete;
  const std::string& path() const { return path_; }  // "": none
  void tell(Environment& additions) const;

 private:
  std::string path_;
};

// Up to `most` bytes of a plain file in the folder; the problem says why it can't be read.
struct FileText {
  std::string head;
  std::string tail;  // when something between was left out
  std::string problem;
};
FileText read_inside(const std::string& folder, const std::string& name, std::size_t most);

}  // namespace kneepoint::agent
