// SPDX-License-Identifier: Apache-2.0
//
// Mode, worker unit, binding and shape: what one point asks of the machines.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "orchestrator/base/fields.h"

namespace kneepoint {

enum class Mode { strong, weak };
enum class WorkerUnit { node, rank, gpu };
enum class Bind { core, socket, none };

const char* to_string(Mode mode);
const char* to_string(WorkerUnit unit);
const char* to_string(Bind bind);
std::optional<Mode> parse_mode(std::string_view text);
std::optional<WorkerUnit> parse_worker_unit(std::string_view text);
std::optional<Bind> parse_bind(std::string_view text);

// nodes × ranks per node × threads per rank (× GPUs per node), resolved for one K.
struct Shape {
  int nodes = 1;
  int ranks = 1;  // in all; at most nodes * ranks_per_node
  int ranks_per_node = 1;
  int threads_per_rank = 1;
  int gpus_per_node = 0;
  Bind bind = Bind::core;

  int cpus() const { return ranks * threads_per_rank; }  // cores the ranks compute on, in all
  bool operator==(const Shape&) const = default;
  static constexpr auto fields() {
    using T = Shape;
    return described(one_line,
                     KP_NAMED(nodes, ranks, ranks_per_node, threads_per_rank, gpus_per_node, bind));
  }
};

// "2n x 16r x 2t": for tables and point keys.
std::string to_string(const Shape& shape);

}  // namespace kneepoint
