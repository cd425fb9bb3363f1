// SPDX-License-Identifier: Apache-2.0
//
// The timers of a program that knows nothing of us: MPI_Wtime around its own calls, from MPI_Init
// to MPI_Finalize. Each rank prints its share when MPI is over, so that printing is not timed.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

class OwnTimers {
 public:
  OwnTimers(int* argc, char*** argv) {
    MPI_Init(argc, argv);
    began_ = MPI_Wtime();
    argc_ = *argc;
    argv_ = *argv;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  int argument(int at, int otherwise) const {
    return at < argc_ ? std::atoi(argv_[at]) : otherwise;
  }

  template <typename Body>
  void time(const Body& body) {
    const double from = MPI_Wtime();
    body();
    inside_ += MPI_Wtime() - from;
  }

  // Prints "share R S elapsed T answer X"; ends MPI.
  int finish(double answer) {
    const double elapsed = MPI_Wtime() - began_;
    MPI_Finalize();
    std::printf("share %d %.6f elapsed %.9f answer %.17g\n", rank_, inside_ / elapsed, elapsed,
                answer);
    return 0;
  }

 private:
  int argc_ = 0;
  char** argv_ = nullptr;
  int rank_ = 0, ranks_ = 1;
  double began_ = 0, inside_ = 0;
};
