// SPDX-License-Identifier: Apache-2.0
//
// Pinning a build: a program by its path and the hash of its bytes, or an image by its name. Before
// a pinned build is used, look whether it is still the same.
#pragma once

#include <string>

#include "orchestrator/base/result.h"
#include "orchestrator/model/baseline.h"

namespace kneepoint::cli {

// "PATH|IMAGE" or "WORKLOAD=PATH|IMAGE". A word with a '/' or a '.' at its beginning is a path, and
// must be a file here; `is_image`: the site runs images. Relative paths are made absolute.
Result<PinnedBuild> pin_build(const std::string& words, bool is_image,
                              const std::string& working_directory);

// An Error says that the file is gone, or that its hash is another now. Images are not looked at.
Result<void> check_pinned(const PinnedBuild& build);

}  // namespace kneepoint::cli
