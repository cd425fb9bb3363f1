// SPDX-License-Identifier: Apache-2.0
//
// Cartesian decomposition by MPI_Dims_create and MPI_Cart_create.
#include "workloads/mpi/cube_grid.h"

#include <algorithm>

namespace kneepoint::workloads {

Result<CubeGrid> CubeGrid::make(MPI_Comm comm, std::int64_t edge) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  CubeGrid grid;
  MPI_Dims_create(ranks, 3, grid.dims_.data());
  // MPI puts the most parts first; x, the contiguous direction, is better cut least.
  std::reverse(grid.dims_.begin(), grid.dims_.end());
  const int most = *std::max_element(grid.dims_.begin(), grid.dims_.end());
  if (edge < most) {
    return Error{ErrorCode::invalid,
                 "--size " + std::to_string(edge) + ": " + std::to_string(ranks) +
                     " ranks are laid out as " + grid.dims_text() +
                     ", so that the edge must be at least " + std::to_string(most) + " cells",
                 false};
  }
  const int periods[3] = {0, 0, 0};
  MPI_Cart_create(comm, 3, grid.dims_.data(), periods, 0, &grid.comm_);
  int rank = 0;
  MPI_Comm_rank(grid.comm_, &rank);
  std::array<int, 3> coordinates{};
  MPI_Cart_coords(grid.comm_, rank, 3, coordinates.data());
  grid.box_ = split_cube(edge, grid.dims_, coordinates);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    MPI_Cart_shift(grid.comm_, static_cast<int>(axis), 1, &grid.neighbours_[2 * axis],
                   &grid.neighbours_[2 * axis + 1]);
  }
  return grid;
}

CubeGrid::CubeGrid(CubeGrid&& other) noexcept
    : comm_(other.comm_), dims_(other.dims_), neighbours_(other.neighbours_), box_(other.box_) {
  other.comm_ = MPI_COMM_NULL;
}

CubeGrid::~CubeGrid() {
  if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

std::string CubeGrid::dims_text() const {
  return std::to_string(dims_[0]) + "x" + std::to_string(dims_[1]) + "x" + std::to_string(dims_[2]);
}

void CubeGrid::exchange(const std::array<double*, 6>& send,
                        const std::array<double*, 6>& receive) const {
  std::array<MPI_Request, 12> requests;
  int count = 0;
  // A message is tagged by the face it leaves through, so that two ranks that are neighbours on
  // both sides can't confuse their messages.
  for (int face = 0; face < 6; ++face) {
    const auto f = static_cast<std::size_t>(face);
    if (!has_neighbour(face)) continue;
    MPI_Irecv(receive[f], static_cast<int>(face_cells(face)), MPI_DOUBLE, neighbours_[f], face ^ 1,
              comm_, &requests[static_cast<std::size_t>(count++)]);
  }
  for (int face = 0; face < 6; ++face) {
    const auto f = static_cast<std::size_t>(face);
    if (!has_neighbour(face)) continue;
    MPI_Isend(send[f], static_cast<int>(face_cells(face)), MPI_DOUBLE, neighbours_[f], face, comm_,
              &requests[static_cast<std::size_t>(count++)]);
  }
  MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
}

void pack(const double* from, Strides strides, std::int64_t nx, std::int64_t ny, std::int64_t nz,
          double* packed) {
  for (std::int64_t z = 0; z < nz; ++z) {
    for (std::int64_t y = 0; y < ny; ++y) {
      const double* line = from + z * strides.z + y * strides.y;
      for (std::int64_t x = 0; x < nx; ++x) *packed++ = line[x * strides.x];
    }
  }
}

void unpack(const double* packed, double* to, Strides strides, std::int64_t nx, std::int64_t ny,
            std::int64_t nz) {
  for (std::int64_t z = 0; z < nz; ++z) {
    for (std::int64_t y = 0; y < ny; ++y) {
      double* line = to + z * strides.z + y * strides.y;
      for (std::int64_t x = 0; x < nx; ++x) line[x * strides.x] = *packed++;
    }
  }
}

}  // namespace kneepoint::workloads
