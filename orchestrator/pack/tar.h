// SPDX-License-Identifier: Apache-2.0
//
// A POSIX tar (ustar) of plain files in one form only: no times, owners, links or folders. The
// reader takes exactly what the writer makes, so that every byte that differs is an error. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/base/result.h"

namespace kneepoint {

struct TarMember {
  std::string name;  // a-z, A-Z, 0-9 and ._-/ ; relative, at most 99 characters, no ".."
  std::string bytes;
};

constexpr std::size_t kMostTarMembers = 64;

bool is_member_name(std::string_view name);

// Every name is a member name and stands there once: else it is a bug.
std::string write_tar(const std::vector<TarMember>& members);

// The error says at which byte it went wrong.
Result<std::vector<TarMember>> read_tar(std::string_view bytes);

// Does it look like a tar at all? For telling a pack from a table.
bool looks_like_tar(std::string_view bytes);

}  // namespace kneepoint
