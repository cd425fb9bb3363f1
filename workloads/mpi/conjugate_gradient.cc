// SPDX-License-Identifier: Apache-2.0
//
// conjugate_gradient: a fixed number of CG steps on the 3-D Laplacian, stored as a sparse matrix
// (CSR) and cut in three directions. Each step has one halo exchange and two all-reduces. The
// solution is known, so the error must obey CG's bound for the matrix's exact condition number, and
// the residual that the recurrence carries must be the true one.
#include <cmath>
#include <limits>
#include <numbers>

#include "workloads/harness/harness.h"
#include "workloads/mpi/cube_grid.h"
#include "workloads/numerics/counter_random.h"
#include "workloads/numerics/kernels.h"

namespace kneepoint::workloads {
namespace {

const Description kDescription = {
    "conjugate_gradient",
    "conjugate gradient steps on a sparse 3-D Laplacian, two all-reduces per step",
    "edge of the global cube of unknowns",
    "64",
    1,
    100'000,
    {{"steps", "25", "CG steps in one iteration, each from the same start", 1, 1e6, true, {}}}};

class ConjugateGradient final : public Workload {
 public:
  ConjugateGradient(const Setup& setup, CubeGrid grid)
      : setup_(setup),
        grid_(std::move(grid)),
        steps_(static_cast<int>(setup.whole("steps"))),
        unknowns_(grid_.box().cells()) {
    std::int64_t ghosts = 0;
    for (std::size_t face = 0; face < 6; ++face) {
      ghost_begin_[face] = unknowns_ + ghosts;
      if (!grid_.has_neighbour(static_cast<int>(face))) continue;
      ghosts += grid_.face_cells(static_cast<int>(face));
    }
    const auto n = static_cast<std::size_t>(unknowns_);
    x_.resize(n), r_.resize(n), q_.resize(n), b_.resize(n), solution_.resize(n);
    p_.resize(n + static_cast<std::size_t>(ghosts));
    build_matrix();
    for_cells([this](std::size_t row, std::uint64_t global) {
      solution_[row] = hashed_uniform(setup_.options.seed, 0, global);
    });
    multiply_untimed(solution_, b_);
  }

  void iterate(Timers& timers) override {
    double rr = 0;
    {
      const auto scope = timers.compute();
      std::fill(x_.begin(), x_.end(), 0.0);
      r_ = b_;
      std::copy(b_.begin(), b_.end(), p_.begin());
      rr = kernels().dot(r_.data(), r_.data(), unknowns_);
    }
    rr = sum_over_ranks(timers, rr);
    for (int step = 0; step < steps_; ++step) {
      {
        const auto scope = timers.communication();
        exchange_halo();
      }
      double pq = 0;
      {
        const auto scope = timers.compute();
        kernels().csr_multiply(matrix(), p_.data(), q_.data());
        pq = kernels().dot(p_.data(), q_.data(), unknowns_);
      }
      pq = sum_over_ranks(timers, pq);
      const double alpha = pq > 0 ? rr / pq : 0;  // 0: solved exactly, and the steps stay as many
      double rr_new = 0;
      {
        const auto scope = timers.compute();
        kernels().add_scaled(alpha, p_.data(), x_.data(), unknowns_);
        kernels().add_scaled(-alpha, q_.data(), r_.data(), unknowns_);
        rr_new = kernels().dot(r_.data(), r_.data(), unknowns_);
      }
      rr_new = sum_over_ranks(timers, rr_new);
      const auto scope = timers.compute();
      kernels().scale_and_add(rr > 0 ? rr_new / rr : 0, r_.data(), p_.data(), unknowns_);
      rr = rr_new;
    }
    recursive_residual_ = std::sqrt(rr);
  }

  double work() const override { return static_cast<double>(unknowns_) * steps_; }

  record::Check verify() override {
    // e = solution - x; A e is the true residual, e.A e the squared error in the energy norm.
    std::vector<double> error(solution_), residual(error.size());
    kernels().add_scaled(-1, x_.data(), error.data(), unknowns_);
    multiply_untimed(error, residual);
    const auto dot = [this](const std::vector<double>& a, const std::vector<double>& b) {
      return kernels().dot(a.data(), b.data(), unknowns_);
    };
    double sums[4] = {dot(residual, residual), dot(error, residual), dot(b_, b_),
                      dot(solution_, b_)};
    MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_DOUBLE, MPI_SUM, setup_.comm);
    const double gap = std::abs(std::sqrt(sums[0]) - recursive_residual_) / std::sqrt(sums[2]);
    const double drop = std::sqrt(std::abs(sums[1]) / sums[3]);
    // Eigenvalues 6 - 2 sum cos(k pi / (n+1)): the condition number is cot^2(pi / (2 (n+1))).
    const double root_condition =
        1 / std::tan(std::numbers::pi / (2 * (static_cast<double>(setup_.size()) + 1)));
    const double rate = (root_condition - 1) / (root_condition + 1);
    const double bound = std::min(1.0, 2 * std::pow(rate, steps_)) + 1e-10;
    char detail[200];
    std::snprintf(detail, sizeof detail,
                  "error fell to %.3g of the start, bound %.3g; true and recursive residual differ "
                  "by %.3g of |b|, allowed 1e-10",
                  drop, bound, gap);
    return {drop <= bound && gap <= 1e-10, detail};
  }

  void spoil() override { x_[0] += 1e-3; }

  std::vector<record::Metric> metrics() override { return {{"residual", recursive_residual_, ""}}; }
  std::vector<std::pair<std::string, std::string>> facts() const override {
    return {{"decomposition", grid_.dims_text()}};
  }

 private:
  CsrView matrix() const { return {unknowns_, row_begin_.data(), columns_.data(), values_.data()}; }

  template <typename Function>
  void for_cells(Function function) {
    const auto& side = grid_.box().side;
    const std::int64_t edge = setup_.size();
    std::size_t row = 0;
    for (std::int64_t z = side[2].begin; z < side[2].end; ++z) {
      for (std::int64_t y = side[1].begin; y < side[1].end; ++y) {
        for (std::int64_t x = side[0].begin; x < side[0].end; ++x) {
          function(row++, static_cast<std::uint64_t>((z * edge + y) * edge + x));
        }
      }
    }
  }

  // Columns are own unknowns first, then the ghosts of each face in the order they arrive.
  void build_matrix() {
    const std::array<std::int64_t, 3> n = {grid_.extent(0), grid_.extent(1), grid_.extent(2)};
    const std::array<std::int64_t, 3> stride = {1, n[0], n[0] * n[1]};
    const auto ghost = [&](int face, const std::array<std::int64_t, 3>& at) {
      const std::size_t low = face / 2 == 0 ? 1 : 0;
      const std::size_t high = face / 2 == 2 ? 1 : 2;
      return ghost_begin_[static_cast<std::size_t>(face)] + at[low] + at[high] * n[low];
    };
    row_begin_.reserve(static_cast<std::size_t>(unknowns_) + 1);
    columns_.reserve(static_cast<std::size_t>(unknowns_) * 7);
    values_.reserve(static_cast<std::size_t>(unknowns_) * 7);
    row_begin_.push_back(0);
    const auto add = [this](std::int64_t column, double value) {
      columns_.push_back(static_cast<std::int32_t>(column));
      values_.push_back(value);
    };
    std::array<std::int64_t, 3> at{};
    std::int64_t row = 0;
    for (at[2] = 0; at[2] < n[2]; ++at[2]) {
      for (at[1] = 0; at[1] < n[1]; ++at[1]) {
        for (at[0] = 0; at[0] < n[0]; ++at[0], ++row) {
          for (int axis = 2; axis >= 0; --axis) {
            const auto a = static_cast<std::size_t>(axis);
            if (at[a] > 0)
              add(row - stride[a], -1);
            else if (grid_.has_neighbour(2 * axis))
              add(ghost(2 * axis, at), -1);
          }
          add(row, 6);
          for (int axis = 0; axis < 3; ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            if (at[a] + 1 < n[a])
              add(row + stride[a], -1);
            else if (grid_.has_neighbour(2 * axis + 1))
              add(ghost(2 * axis + 1, at), -1);
          }
          row_begin_.push_back(static_cast<std::int32_t>(columns_.size()));
        }
      }
    }
  }

  // Ghosts of p_ from the neighbours; they are received where the matrix expects them.
  void exchange_halo() {
    std::array<double*, 6> receive{};
    for (std::size_t face = 0; face < 6; ++face) receive[face] = p_.data() + ghost_begin_[face];
    grid_.exchange(p_.data(), {1, grid_.extent(0), grid_.extent(0) * grid_.extent(1)}, receive);
  }

  void multiply_untimed(const std::vector<double>& in, std::vector<double>& out) {
    std::copy(in.begin(), in.end(), p_.begin());
    exchange_halo();
    kernels().csr_multiply(matrix(), p_.data(), out.data());
  }

  double sum_over_ranks(Timers& timers, double mine) {
    const auto scope = timers.communication();
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_SUM, setup_.comm);
    return mine;
  }

  const Setup& setup_;
  CubeGrid grid_;
  int steps_;
  std::int64_t unknowns_;
  std::array<std::int64_t, 6> ghost_begin_{};
  std::vector<std::int32_t> row_begin_, columns_;
  std::vector<double> values_;
  std::vector<double> x_, r_, q_, b_, solution_;
  std::vector<double> p_;  // with ghosts
  double recursive_residual_ = 0;
};

Result<std::unique_ptr<Workload>> make(const Setup& setup) {
  TRY_ASSIGN(auto grid, CubeGrid::make(setup.comm, setup.size()));
  // Same verdict on every rank: the first box is never smaller than the others.
  const double edge = static_cast<double>(setup.size());
  if (edge * edge * edge / setup.ranks * 1.5 > std::numeric_limits<std::int32_t>::max() / 7.0) {
    return Error{ErrorCode::invalid,
                 "--size " + std::to_string(setup.size()) +
                     ": more non-zeros per rank than 32-bit indices can name; use more ranks",
                 false};
  }
  return std::unique_ptr<Workload>(new ConjugateGradient(setup, std::move(grid)));
}

}  // namespace
}  // namespace kneepoint::workloads

int main(int argc, char** argv) {
  using namespace kneepoint::workloads;
  return run_workload(argc, argv, kDescription, make);
}
