// SPDX-License-Identifier: Apache-2.0
//
// The timers of a program that knows nothing of us: a clock around its own calls, from MPI_Init
// to MPI_Finalize. Each rank prints its times when MPI is over, so that printing is not timed. A
// rank may lose its CPU between its own clock and the one inside the call, where only one of them
// counts it: it prints how long it waited for a CPU, too.
#pragma once

#include <mpi.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

class OwnTimers {
 public:
  OwnTimers(int* argc, char*** argv) {
    called_ = clock();
    MPI_Init(argc, argv);
    began_ = clock();
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
    const double from = clock();
    body();
    inside_ += clock() - from;
  }

  // Prints "times R INSIDE elapsed T around A answer X", in seconds: in calls, from the end of
  // MPI_Init to the start of MPI_Finalize, both of these included; ends MPI.
  int finish(double answer) {
    const double elapsed = clock() - began_;
    MPI_Finalize();
    std::printf("times %d %.9f elapsed %.9f around %.9f waited %.9f answer %.17g\n", rank_, inside_,
                elapsed, clock() - called_, waited(), answer);
    return 0;
  }

 private:
  int argc_ = 0;
  char** argv_ = nullptr;
  int rank_ = 0, ranks_ = 1;
  // Not MPI_Wtime, which may be asked only while MPI is there.
  static double clock() {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }

  // The second number of Linux's schedstat: runnable, but another had the CPU.
  static double waited() {
    double running = 0, ready = 0;
    if (std::FILE* file = std::fopen("/proc/thread-self/schedstat", "r")) {
      if (std::fscanf(file, "%lf %lf", &running, &ready) != 2) ready = 0;
      std::fclose(file);
    }
    return 1e-9 * ready;
  }

  double called_ = 0, began_ = 0, inside_ = 0;
};
