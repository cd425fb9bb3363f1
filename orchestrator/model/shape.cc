// SPDX-License-Identifier: Apache-2.0
//
// Words of shapes and points; the table of backends.
#include "orchestrator/model/shape.h"

#include "orchestrator/base/ensure.h"
#include "orchestrator/model/point.h"
#include "orchestrator/model/site.h"

namespace kneepoint {

std::span<const BackendTraits> backend_traits() {
  constexpr auto kMpirun = StarterKind::mpirun;
  static constexpr BackendTraits kTable[] = {
      {BackendKind::local, "local", kMpirun, true, false, true},
      {BackendKind::simulated, "simulated", kMpirun, false, false, false},
      {BackendKind::slurm, "slurm", StarterKind::srun, false, false, true},
      {BackendKind::kubernetes, "kubernetes", kMpirun, false, true, true},
      {BackendKind::imported, "import", kMpirun, false, false, false},
  };
  return kTable;
}

const BackendTraits& traits_of(BackendKind kind) {
  for (const BackendTraits& row : backend_traits()) {
    if (row.kind == kind) return row;
  }
  ENSURE(false, "a backend without a row in the table");
}

std::optional<BackendKind> parse_backend(std::string_view word) {
  for (const BackendTraits& row : backend_traits()) {
    if (row.word == word) return row.kind;
  }
  return std::nullopt;
}

const char* to_string(BackendKind kind) {
  return traits_of(kind).word;
}

std::string to_string(const Shape& shape) {
  std::string text = std::to_string(shape.nodes) + "n x " + std::to_string(shape.ranks_per_node) +
                     "r x " + std::to_string(shape.threads_per_rank) + "t";
  if (shape.gpus_per_node > 0) text += " x " + std::to_string(shape.gpus_per_node) + "g";
  return text;
}

std::string Point::key() const {
  return build + "/" + key_without_build();
}

std::string Point::key_without_build() const {
  return case_name + "/" + to_string(mode) + "/K=" + std::to_string(k) + "/" + to_string(shape);
}

}  // namespace kneepoint
