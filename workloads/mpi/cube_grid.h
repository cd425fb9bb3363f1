// SPDX-License-Identifier: Apache-2.0
//
// A cube of cells cut into boxes, one per rank, and the exchange of their six faces. Faces are
// numbered 2*axis for the lower and 2*axis+1 for the upper side; the cube's own sides have no
// neighbour and exchange nothing.
#pragma once

#include <mpi.h>

#include <array>
#include <string>
#include <vector>

#include "orchestrator/base/result.h"
#include "workloads/numerics/split.h"

namespace kneepoint::workloads {

// In elements, of a box with x fastest.
struct Strides {
  std::int64_t x = 1, y = 0, z = 0;
};

class CubeGrid {
 public:
  // Refuses a cube that would leave a rank without cells; same verdict on every rank.
  static Result<CubeGrid> make(MPI_Comm comm, std::int64_t edge);
  CubeGrid(CubeGrid&& other) noexcept;
  CubeGrid& operator=(CubeGrid&&) = delete;
  ~CubeGrid();

  const Box& box() const { return box_; }
  std::int64_t extent(int axis) const { return box_.side[static_cast<std::size_t>(axis)].size(); }
  std::int64_t face_cells(int face) const { return box_.cells() / extent(face / 2); }
  bool has_neighbour(int face) const {
    return neighbours_[static_cast<std::size_t>(face)] != MPI_PROC_NULL;
  }
  std::string dims_text() const;  // "2x2x1"

  // The layer of cells next to a face: inside the box, or beyond it where `ghost`. `first` is from
  // the box's first cell.
  struct Layer {
    std::int64_t first;
    std::array<std::int64_t, 3> extent;
  };
  Layer layer(int face, Strides strides, bool ghost) const;

  // Sends the layers inside a box whose first cell is at `from` and receives the neighbours' into
  // receive[f], x fastest: face_cells(f) doubles, not used of a face without a neighbour.
  void exchange(const double* from, Strides strides, const std::array<double*, 6>& receive);

 private:
  CubeGrid() = default;

  MPI_Comm comm_ = MPI_COMM_NULL;
  std::array<int, 3> dims_{};
  std::array<int, 6> neighbours_{};
  Box box_;
  std::array<std::vector<double>, 6> outgoing_;
};

void unpack(const double* packed, double* to, Strides strides,
            const std::array<std::int64_t, 3>& extent);

}  // namespace kneepoint::workloads
