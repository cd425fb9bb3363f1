// SPDX-License-Identifier: Apache-2.0
//
// The few file operations that commands need, each refusing what a slip could make harmful.
#pragma once

#include <string>

#include "orchestrator/base/result.h"

namespace kneepoint::cli {

// The whole file, unless it is larger than `most` MiB. `what` is for the message: "plan", "site".
Result<std::string> read_file(const std::string& what, const std::string& path, int most = 16);

// Replaces the file by way of a temporary name beside it, so that nobody reads half of it. What a
// link leads to is replaced, not the link; a device or a pipe is written to.
Result<void> write_file(const std::string& name, const std::string& content);

// Makes the folder and those above it. False: it was there already, so it is somebody else's.
Result<bool> claim_folder(const std::string& folder);

// Removes the folder of a study with all in it. Refuses unless it is absolute, is named after the
// study, and is a real folder: neither it nor anything in it is followed when it is a link.
Result<void> remove_study_folder(const std::string& folder, const std::string& study_id);

}  // namespace kneepoint::cli
