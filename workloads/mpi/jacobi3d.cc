// SPDX-License-Identifier: Apache-2.0
//
// jacobi3d: 7-point Jacobi sweeps on a cube with zero walls, cut in three directions, one halo
// exchange per sweep. The answer is known: an eigenmode of the sweep decays by the same factor in
// every cell, whatever the number of ranks.
#include <cmath>
#include <numbers>

#include "workloads/harness/harness.h"
#include "workloads/mpi/cube_grid.h"
#include "workloads/numerics/kernels.h"

namespace kneepoint::workloads {
namespace {

const Description kDescription = {
    "jacobi3d",
    "7-point Jacobi sweeps on a cube of cells, halo exchange in three dimensions",
    "edge of the global cube, cells",
    "96",
    1,
    100'000,
    {{"sweeps", "20", "sweeps in one iteration", 1, 1e6, true, {}}}};

class Jacobi3d final : public Workload {
 public:
  Jacobi3d(const Setup& setup, CubeGrid grid)
      : setup_(setup),
        grid_(std::move(grid)),
        sweeps_(static_cast<int>(setup.whole("sweeps"))),
        n_{grid_.extent(0), grid_.extent(1), grid_.extent(2)},
        strides_{1, n_[0] + 2, (n_[0] + 2) * (n_[1] + 2)} {
    const auto cells = static_cast<std::size_t>(strides_.z * (n_[2] + 2));
    field_.assign(cells, 0);
    next_.assign(cells, 0);
    for (int face = 0; face < 6; ++face) {
      const auto f = static_cast<std::size_t>(face);
      if (!grid_.has_neighbour(face)) continue;
      incoming_[f].resize(static_cast<std::size_t>(grid_.face_cells(face)));
      receive_[f] = incoming_[f].data();
    }
    // Different modes in the three directions, so that mixing up directions shows.
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double edge = static_cast<double>(setup.size());
      const double mode = std::min(static_cast<double>(axis + 1), edge);
      decay_ += std::cos(mode * std::numbers::pi / (edge + 1)) / 3;
      const Range side = grid_.box().side[axis];
      for (std::int64_t i = side.begin; i < side.end; ++i) {
        wave_[axis].push_back(
            std::sin(mode * std::numbers::pi * static_cast<double>(i + 1) / (edge + 1)));
      }
    }
  }

  void prepare(int, bool) override {
    for_cells([this](std::size_t at, double mode) { field_[at] = mode; });
  }

  void iterate(Timers& timers) override {
    for (int sweep = 0; sweep < sweeps_; ++sweep) {
      {
        const auto scope = timers.communication();
        exchange_halo();
      }
      const auto scope = timers.compute();
      kernels().jacobi_sweep(field_.data(), next_.data(), n_[0], n_[1], n_[2]);
      field_.swap(next_);
    }
  }

  double work() const override { return static_cast<double>(grid_.box().cells()) * sweeps_; }

  record::Check verify() override {
    const double factor = std::pow(decay_, sweeps_);
    double worst = 0;
    for_cells([&](std::size_t at, double mode) {
      const double error = std::abs(field_[at] - factor * mode);
      if (!(error <= worst)) worst = error;  // a NaN counts as worst
    });
    double all = 0;
    const double mine = std::isnan(worst) ? INFINITY : worst;
    MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, 0, setup_.comm);
    const double allowed = 1e-15 * (8 + 4.0 * sweeps_);
    char detail[160];
    std::snprintf(detail, sizeof detail,
                  "largest deviation from the decayed eigenmode %.3g, allowed %.3g", all, allowed);
    return {all <= allowed, detail};
  }

  void spoil() override { field_[static_cast<std::size_t>(cell(0, 0, 0))] += 1e-6; }

  std::vector<std::pair<std::string, std::string>> facts() const override {
    return {{"decomposition", grid_.dims_text()}};
  }

 private:
  std::int64_t cell(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return (x + 1) + (y + 1) * strides_.y + (z + 1) * strides_.z;
  }

  template <typename Function>
  void for_cells(Function function) {
    for (std::int64_t z = 0; z < n_[2]; ++z) {
      for (std::int64_t y = 0; y < n_[1]; ++y) {
        const double yz =
            wave_[1][static_cast<std::size_t>(y)] * wave_[2][static_cast<std::size_t>(z)];
        for (std::int64_t x = 0; x < n_[0]; ++x) {
          function(static_cast<std::size_t>(cell(x, y, z)),
                   wave_[0][static_cast<std::size_t>(x)] * yz);
        }
      }
    }
  }

  void exchange_halo() {
    double* const first = field_.data() + cell(0, 0, 0);
    grid_.exchange(first, strides_, receive_);
    for (int face = 0; face < 6; ++face) {
      if (!grid_.has_neighbour(face)) continue;
      const auto ghosts = grid_.layer(face, strides_, true);
      unpack(receive_[static_cast<std::size_t>(face)], first + ghosts.first, strides_,
             ghosts.extent);
    }
  }

  const Setup& setup_;
  CubeGrid grid_;
  int sweeps_;
  std::array<std::int64_t, 3> n_;
  Strides strides_;
  std::vector<double> field_, next_;
  std::array<std::vector<double>, 6> incoming_;
  std::array<double*, 6> receive_{};
  std::array<std::vector<double>, 3> wave_;
  double decay_ = 0;  // of one sweep
};

Result<std::unique_ptr<Workload>> make(const Setup& setup) {
  TRY_ASSIGN(auto grid, CubeGrid::make(setup.comm, setup.size()));
  return std::unique_ptr<Workload>(new Jacobi3d(setup, std::move(grid)));
}

}  // namespace
}  // namespace kneepoint::workloads

int main(int argc, char** argv) {
  using namespace kneepoint::workloads;
  return run_workload(argc, argv, kDescription, make);
}
