// SPDX-License-Identifier: Apache-2.0
//
// Is a path on a network file system? WAL needs memory shared between all users of the file, which
// those don't give.
#pragma once

#include <cstdint>
#include <string>

namespace kneepoint {

// By the magic number that statfs reports: "NFS", "Lustre", ... or "" for a local one.
const char* network_file_system_name(std::uint32_t magic);

// Of the file system that holds `folder`; "" too when nobody can tell.
std::string network_file_system_of(const std::string& folder);

// Which file a name stands for: device and number; both 0 when there is none.
struct FileIdentity {
  std::uint64_t device = 0, number = 0;
  bool operator==(const FileIdentity&) const = default;
};
FileIdentity file_identity(const std::string& path);

}  // namespace kneepoint
