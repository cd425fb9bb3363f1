// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/model/shape.h"

#include <gtest/gtest.h>

#include "orchestrator/model/point.h"

namespace kneepoint {
namespace {

TEST(Shape, WordsReadBack) {
  for (const Mode m : {Mode::strong, Mode::weak}) EXPECT_EQ(parse_mode(to_string(m)), m);
  for (const Bind b : {Bind::core, Bind::socket, Bind::none})
    EXPECT_EQ(parse_bind(to_string(b)), b);
  for (const WorkerUnit u : {WorkerUnit::node, WorkerUnit::rank, WorkerUnit::gpu}) {
    EXPECT_EQ(parse_worker_unit(to_string(u)), u);
  }
  EXPECT_FALSE(parse_mode("Strong").has_value());
}

TEST(Shape, APointsKeyNamesEverythingThatTellsItApart) {
  Point p;
  p.build = "default";
  p.case_name = "jacobi";
  p.mode = Mode::weak;
  p.k = 4;
  p.shape = {.nodes = 2, .ranks = 4, .ranks_per_node = 2, .threads_per_rank = 3};
  EXPECT_EQ(p.key(), "default/jacobi/weak/K=4/2n x 2r x 3t");
}

}  // namespace
}  // namespace kneepoint
