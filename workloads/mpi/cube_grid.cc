// SPDX-License-Identifier: Apache-2.0
//
// Cartesian decomposition by MPI_Dims_create and MPI_Cart_create.
#include "workloads/mpi/cube_grid.h"

#include <algorithm>
#include <utility>

namespace kneepoint::workloads {
namespace {

void pack(const double* from, Strides strides, const std::array<std::int64_t, 3>& extent,
          double* packed) {
  for (std::int64_t z = 0; z < extent[2]; ++z) {
    for (std::int64_t y = 0; y < extent[1]; ++y) {
      const double* line = from + z * strides.z + y * strides.y;
      for (std::int64_t x = 0; x < extent[0]; ++x) *packed++ = line[x * strides.x];
    }
  }
}

}  // namespace

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
  for (int face = 0; face < 6; ++face) {
    if (!grid.has_neighbour(face)) continue;
    grid.outgoing_[static_cast<std::size_t>(face)].resize(
        static_cast<std::size_t>(grid.face_cells(face)));
  }
  return grid;
}

CubeGrid::CubeGrid(CubeGrid&& other) noexcept
    : comm_(other.comm_),
      dims_(other.dims_),
      neighbours_(other.neighbours_),
      box_(other.box_),
      outgoing_(std::move(other.outgoing_)) {
  other.comm_ = MPI_COMM_NULL;
}

CubeGrid::~CubeGrid() {
  if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

std::string CubeGrid::dims_text() const {
  return std::to_string(dims_[0]) + "x" + std::to_string(dims_[1]) + "x" + std::to_string(dims_[2]);
}

CubeGrid::Layer CubeGrid::layer(int face, Strides strides, bool ghost) const {
  const auto axis = static_cast<std::size_t>(face / 2);
  const std::int64_t step = axis == 0 ? strides.x : axis == 1 ? strides.y : strides.z;
  const std::int64_t last = extent(face / 2) - 1;
  Layer found{face % 2 == 0 ? 0 : last, {extent(0), extent(1), extent(2)}};
  if (ghost) found.first += face % 2 == 0 ? -1 : 1;
  found.first *= step;
  found.extent[axis] = 1;
  return found;
}

void CubeGrid::exchange(const double* from, Strides strides,
                        const std::array<double*, 6>& receive) {
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
    const Layer inside = layer(face, strides, false);
    pack(from + inside.first, strides, inside.extent, outgoing_[f].data());
    MPI_Isend(outgoing_[f].data(), static_cast<int>(face_cells(face)), MPI_DOUBLE, neighbours_[f],
              face, comm_, &requests[static_cast<std::size_t>(count++)]);
  }
  MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
}

void unpack(const double* packed, double* to, Strides strides,
            const std::array<std::int64_t, 3>& extent) {
  for (std::int64_t z = 0; z < extent[2]; ++z) {
    for (std::int64_t y = 0; y < extent[1]; ++y) {
      double* line = to + z * strides.z + y * strides.y;
      for (std::int64_t x = 0; x < extent[0]; ++x) line[x * strides.x] = *packed++;
    }
  }
}

}  // namespace kneepoint::workloads
