// SPDX-License-Identifier: Apache-2.0
//
// Where things lie: the database, the run directories, our own programs. The environment and the
// working directory are parameters; only programs_folder() looks at the disk.
#pragma once

#include <string>

#include "orchestrator/answers/context.h"
#include "orchestrator/base/result.h"
#include "orchestrator/model/site.h"

namespace kneepoint {

// --db, KNEEPOINT_DB, else ${XDG_STATE_HOME:-~/.local/state}/kneepoint/kneepoint.db; absolute.
Result<std::string> database_path(const std::string& flag, const Environment& environment,
                                  const std::string& working_directory);

// The site's work_dir (relative: to the working directory), or `runs` beside the database.
std::string work_root(const Site& site, const std::string& database,
                      const std::string& working_directory);

// The site's `programs`; on Kubernetes the image's folder; else beside the running executable if
// our workloads lie there, as in a build tree; else ../lib/kneepoint, as they are installed.
std::string programs_folder(const Site& site, const std::string& executable,
                            const std::string& working_directory);

// The site's `agent`, or kneepoint-agent beside the running executable.
std::string agent_path(const Site& site, const std::string& executable,
                       const std::string& working_directory);

// `path` made absolute and free of "." and "..", without asking the file system.
std::string absolute_path(const std::string& path, const std::string& working_directory);

}  // namespace kneepoint
