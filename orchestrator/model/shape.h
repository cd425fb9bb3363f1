// SPDX-License-Identifier: Apache-2.0
//
// Mode, worker unit, binding and shape: what one point asks of the machines.
#pragma once

#include <string>

#include "orchestrator/base/fields.h"

namespace kneepoint {

enum class Mode { strong, weak };
enum class WorkerUnit { node, rank, gpu };
enum class Bind { core, socket, none };

constexpr auto words_of(Mode) {
  return std::array{"strong", "weak"};
}
constexpr auto words_of(WorkerUnit) {
  return std::array{"node", "rank", "gpu"};
}
constexpr auto words_of(Bind) {
  return std::array{"core", "socket", "none"};
}
inline constexpr auto parse_mode = parse_word<Mode>;
inline constexpr auto parse_worker_unit = parse_word<WorkerUnit>;
inline constexpr auto parse_bind = parse_word<Bind>;

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
