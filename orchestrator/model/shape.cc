// SPDX-License-Identifier: Apache-2.0
//
// Words of shapes, modes and points.
#include "orchestrator/model/shape.h"

#include "orchestrator/base/ensure.h"
#include "orchestrator/model/backend_traits.h"
#include "orchestrator/model/point.h"
#include "orchestrator/model/site.h"

namespace kneepoint {

const char* to_string(Mode mode) {
  return mode == Mode::strong ? "strong" : "weak";
}

const char* to_string(WorkerUnit unit) {
  switch (unit) {
    case WorkerUnit::node:
      return "node";
    case WorkerUnit::rank:
      return "rank";
    case WorkerUnit::gpu:
      return "gpu";
  }
  return "?";
}

const char* to_string(Bind bind) {
  switch (bind) {
    case Bind::core:
      return "core";
    case Bind::socket:
      return "socket";
    case Bind::none:
      return "none";
  }
  return "?";
}

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

const char* to_string(PackingMode mode) {
  return mode == PackingMode::packed ? "packed" : "one_per_run";
}

const char* to_string(StarterKind kind) {
  if (kind == StarterKind::srun) return "srun";
  return kind == StarterKind::mpirun ? "mpirun" : "none";
}

std::optional<Mode> parse_mode(std::string_view text) {
  if (text == "strong") return Mode::strong;
  if (text == "weak") return Mode::weak;
  return std::nullopt;
}

std::optional<WorkerUnit> parse_worker_unit(std::string_view text) {
  if (text == "node") return WorkerUnit::node;
  if (text == "rank") return WorkerUnit::rank;
  if (text == "gpu") return WorkerUnit::gpu;
  return std::nullopt;
}

std::optional<Bind> parse_bind(std::string_view text) {
  if (text == "core") return Bind::core;
  if (text == "socket") return Bind::socket;
  if (text == "none") return Bind::none;
  return std::nullopt;
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
