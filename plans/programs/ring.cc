// SPDX-License-Identifier: Apache-2.0
//
// A plain MPI program that knows nothing of kneepoint: every rank adds up its share, the partial
// sums go round a ring, rank 0 prints the answer and its own time. For plans/own-mpi.yaml.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const long n = argc > 1 ? std::atol(argv[1]) : 1000000;
  const long first = n * rank / ranks + 1, last = n * (rank + 1) / ranks;

  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  double sum = 0;  // of 1/(i(i+1)), which is 1 - 1/(n+1)
  for (long i = first; i <= last; ++i) {
    sum += 1.0 / (static_cast<double>(i) * (static_cast<double>(i) + 1.0));
  }
  double passing = sum;
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  for (int step = 1; step < ranks; ++step) {
    double coming = 0;
    MPI_Sendrecv(&passing, 1, MPI_DOUBLE, next, 0, &coming, 1, MPI_DOUBLE, before, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += coming;
    passing = coming;
  }
  const double mine = MPI_Wtime() - begin;
  double elapsed = 0;
  MPI_Reduce(&mine, &elapsed, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("sum %.12g\nrate %.6g M/s\nelapsed %.9f s\nring complete\n", sum,
                static_cast<double>(n) / elapsed * 1e-6, elapsed);
  }
  MPI_Finalize();
  return 0;
}
