// SPDX-License-Identifier: Apache-2.0
//
// Every backend, by name. why_unavailable() is a better answer than a failed try.
#include <array>

#include "orchestrator/backend/launcher.h"
#include "orchestrator/base/ensure.h"

namespace kneepoint {

using Made = Result<std::unique_ptr<Launcher>>;
Made make_local_launcher(const LauncherContext& context);
Made make_slurm_launcher(const LauncherContext& context);
Made make_kubernetes_launcher(const LauncherContext& context);
Made make_simulated_launcher(const LauncherContext& context);

namespace {

std::string always_available(const Site&) {
  return "";
}

std::string needs_a_server(const Site& site) {
  return site.kubernetes.access.server.empty() ? "no API server is known" : "";
}

}  // namespace

std::span<const BackendRow> backend_table() {
  static const std::array<BackendRow, 4> table = {{
      {BackendKind::local, make_local_launcher, always_available},
      {BackendKind::slurm, make_slurm_launcher, always_available},
      {BackendKind::kubernetes, make_kubernetes_launcher, needs_a_server},
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
