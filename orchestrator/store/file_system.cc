// SPDX-License-Identifier: Apache-2.0
//
// The table of file systems on which other machines may write too, or that don't share memory maps.
#include "orchestrator/store/file_system.h"

#include <sys/stat.h>
#include <sys/vfs.h>

#include <array>

namespace kneepoint {
namespace {

struct NetworkRow {
  std::uint32_t magic;
  const char* name;
};

constexpr std::array<NetworkRow, 17> kNetworks = {{
    {0x00006969, "NFS"},
    {0x0BD00BD0, "Lustre"},
    {0x47504653, "GPFS"},
    {0x19830326, "BeeGFS"},
    {0xFF534D42, "CIFS"},
    {0xFE534D42, "SMB2"},
    {0x0000517B, "SMB"},
    {0x00C36400, "Ceph"},
    {0xAAD7AAEA, "PanFS"},
    {0x20030528, "OrangeFS"},
    {0x5346414F, "AFS"},
    {0x6B414653, "kAFS"},
    {0x73757245, "Coda"},
    {0x01161970, "GFS2"},
    {0x7461636F, "OCFS2"},
    {0x01021997, "9P"},
    {0x65735546, "FUSE"},  // sshfs, GlusterFS and others: can't be told apart, so be careful
}};

}  // namespace

const char* network_file_system_name(std::uint32_t magic) {
  for (const auto& row : kNetworks) {
    if (row.magic == magic) return row.name;
  }
  return "";
}

std::string network_file_system_of(const std::string& folder) {
  struct statfs status {};
  if (::statfs(folder.c_str(), &status) != 0) return "";
  return network_file_system_name(static_cast<std::uint32_t>(status.f_type));
}

FileIdentity file_identity(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

}  // namespace kneepoint
