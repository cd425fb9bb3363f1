// SPDX-License-Identifier: Apache-2.0
//
// The few file operations that we need, each refusing what a slip could make harmful.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "orchestrator/base/clock.h"

#include "orchestrator/base/result.h"

namespace kneepoint {

// The whole file, unless it is larger than `most` MiB. `what` is for the message: "plan", "site".
Result<std::string> read_file(const std::string& what, const std::string& path, int most = 16);

// Replaces the file by way of a temporary name beside it, so that nobody reads half of it. What a
// link leads to is replaced, not the link; a device or a pipe is written to.
Result<void> write_file(const std::string& name, const std::string& content);

// For files of our own folders, at once and for all: a temporary name first.
constexpr mode_t kForAll = 0644;
constexpr mode_t kOwnerOnly = 0600;  // of what may hold a token
Result<void> write_whole_file(const std::string& path, std::string_view content,
                              mode_t mode = kForAll);
// Up to `most` bytes; nullopt when there is no such file.
Result<std::optional<std::string>> read_file_if_there(const std::string& path, std::size_t most);
bool path_exists(const std::string& path);
// Last change on the wall clock; 0 when there is no such file.
Nanoseconds changed_at(const std::string& path);

// Makes the folder and those above it. False: it was there already, so it is somebody else's.
Result<bool> claim_folder(const std::string& folder);

// Removes the folder of a study with all in it. Refuses unless it is absolute, is named after the
// study, and is a real folder: neither it nor anything in it is followed when it is a link.
Result<void> remove_study_folder(const std::string& folder, const std::string& study_id);

// SHA-256 of a file's bytes, whatever its size.
Result<std::string> hash_of_file(const std::string& path);

}  // namespace kneepoint
