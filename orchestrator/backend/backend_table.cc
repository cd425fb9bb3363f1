// SPDX-License-Identifier: Apache-2.0
//
// Every backend, by name. A backend that this version lacks has a row too: its why_unavailable()
// is a better answer than "unknown backend".
#include <array>

#include "orchestrator/backend/backends.h"
#include "orchestrator/base/ensure.h"

namespace kneepoint {
namespace {

std::string always_available(const Site&) {
  return "";
}

std::string comes_later(const Site& site) {
  return std::string("this version runs on the local, slurm and simulated backends; ") +
         to_string(site.backend) + " comes with a later one";
}

Result<std::unique_ptr<Launcher>> make_none(const LauncherContext& context) {
  return Error{ErrorCode::unsupported, comes_later(context.site), false};
}

}  // namespace

std::span<const BackendRow> backend_table() {
  static const std::array<BackendRow, 4> table = {{
      {BackendKind::local, make_local_launcher, always_available},
      {BackendKind::slurm, make_slurm_launcher, always_available},
      {BackendKind::kubernetes, make_none, comes_later},
      {BackendKind::simulated, make_simulated_launcher, always_available},
  }};
  return table;
}

Result<std::unique_ptr<Launcher>> make_launcher(const LauncherContext& context) {
  for (const BackendRow& row : backend_table()) {
    if (row.kind != context.site.backend) continue;
    const std::string why = row.why_unavailable(context.site);
    if (!why.empty()) {
      return Error{ErrorCode::unsupported, "site '" + context.site.name + "': " + why, false};
    }
    return row.make(context);
  }
  ENSURE(false, "a backend without a row in the table");
}

}  // namespace kneepoint
