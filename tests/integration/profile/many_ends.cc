// SPDX-License-Identifier: Apache-2.0
//
// A program of MPI alone that ends in the way its first argument names, after three all-reduces.
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

int rank = 0;

void reduce(int times, MPI_Comm comm = MPI_COMM_WORLD) {
  double mine = 1, sum = 0;
  for (int i = 0; i < times; ++i) MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
}

void* send_to_myself(void*) {
  for (int i = 0; i < 10; ++i) {
    char byte = 0, got = 0;
    MPI_Sendrecv(&byte, 1, MPI_CHAR, 0, 7, &got, 1, MPI_CHAR, 0, 7, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
  }
  return nullptr;
}

void one_of_each() {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &half);
  int value = rank, all = 0;
  MPI_Bcast(&value, 1, MPI_INT, 0, half);  // 4 bytes at the root alone
  MPI_Request request;
  MPI_Iallreduce(&value, &all, 1, MPI_INT, MPI_SUM, half, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  std::vector<int> gathered(ranks, rank);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, gathered.data(), 1, MPI_INT, half);
  MPI_Send_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, half, &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, half);  // nobody gets it: no bytes
  MPI_Win window;
  int* shared = nullptr;
  MPI_Win_allocate(sizeof all, sizeof all, MPI_INFO_NULL, half, &shared, &window);
  MPI_Win_fence(0, window);
  MPI_Put(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  MPI_Comm_free(&half);
}

// Each rank sends 3 times 40 bytes, and once 8 more, to its neighbour.
void start_again_and_again() {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  int out[10] = {}, in[10] = {};
  double more = 1, got = 0;
  MPI_Request requests[4];
  MPI_Recv_init(in, 10, MPI_INT, before, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(out, 10, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Recv_init(&got, 1, MPI_DOUBLE, before, 2, MPI_COMM_WORLD, &requests[2]);
  MPI_Ssend_init(&more, 1, MPI_DOUBLE, next, 2, MPI_COMM_WORLD, &requests[3]);
  for (int i = 0; i < 2; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Startall(4, requests);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  for (MPI_Request& request : requests) MPI_Request_free(&request);
  // Handles are used again: what they stood for before must not count.
  for (int i = 0; i < 200; ++i) {
    MPI_Request two[2];
    MPI_Recv_init(in, 1, MPI_INT, before, 3, MPI_COMM_WORLD, &two[0]);
    MPI_Send_init(out, i % 2, MPI_INT, next, 3, MPI_COMM_WORLD, &two[1]);
    for (MPI_Request& request : two) MPI_Start(&request);  // 4 bytes every second time
    MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
    for (MPI_Request& request : two) MPI_Request_free(&request);
  }
}

void write_a_file(const char* path) {
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  const char text[8] = {};
  MPI_File_write_at_all(file, 8 * rank, text, 8, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string end = argc > 1 ? argv[1] : "finalize";
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (end == "window") MPI_Pcontrol(0);
  reduce(3);
  if (end == "window") {
    MPI_Pcontrol(1);
    reduce(2);
    MPI_Pcontrol(0);
    reduce(5);
  }
  if (end == "threads") {
    std::vector<pthread_t> threads(4);
    for (pthread_t& thread : threads) pthread_create(&thread, nullptr, send_to_myself, nullptr);
    for (pthread_t& thread : threads) pthread_join(thread, nullptr);
  }
  if (end == "each") one_of_each();
  if (end == "persistent") start_again_and_again();
  if (end == "file") write_a_file(argv[2]);
  if (end == "abort" && rank == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  if (end == "exit") std::exit(0);
  if (end == "terminate") raise(SIGTERM);
  if (end == "crash") raise(SIGSEGV);
  if (end == "fork" && fork() == 0) std::exit(0);
  if (end == "abort") reduce(1);  // never comes back
  MPI_Finalize();
  std::printf("time 0.5 s\n");
  return 0;
}
