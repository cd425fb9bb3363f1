// SPDX-License-Identifier: Apache-2.0
//
// libnccl as a stand-in for ranks of one machine: every rank lays a piece of its data into shared
// memory, waits for the others, and takes what it needs, always in the order of ranks, so that all
// get the same bits.
#include <fcntl.h>
#include <nccl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "tests/fakes/gpu/stand_in.h"

namespace {

constexpr std::size_t kPiece = 16 * 1024;  // floats of a rank at a time

// Lies before the pieces, kPiece floats of each rank.
struct alignas(64) Shared {
  std::atomic<int> arrived;
  std::atomic<int> round;
};

std::size_t bytes_for(int ranks) {
  return sizeof(Shared) + static_cast<std::size_t>(ranks) * kPiece * sizeof(float);
}

}  // namespace

struct ncclComm {
  Shared* shared = nullptr;
  int rank = 0;
  int ranks = 1;
  std::atomic<ncclResult_t> failure = ncclSuccess;

  float* piece_of(int other) {
    return reinterpret_cast<float*>(shared + 1) + static_cast<std::size_t>(other) * kPiece;
  }

  // Spins for a moment, then naps: there are more ranks than cores.
  void meet() {
    const int round = shared->round.load();
    if (shared->arrived.fetch_add(1) + 1 == ranks) {
      shared->arrived.store(0);
      shared->round.store(round + 1);
      return;
    }
    for (int spins = 0; shared->round.load() == round; ++spins) {
      if (spins < 100) {
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
    }
  }
};

using namespace kneepoint::stand_in;

namespace {

enum class Kind { all_reduce, reduce_scatter, all_gather };

// Of `count` elements that each rank sends in pieces. For a reduce-scatter it is called once for
// each rank's part.
void exchange(ncclComm& comm, const float* send, std::size_t count, float* receive, Kind kind,
              int owner) {
  for (std::size_t done = 0; done < count; done += kPiece) {
    const std::size_t n = std::min(kPiece, count - done);
    std::memcpy(comm.piece_of(comm.rank), send + done, n * sizeof(float));
    comm.meet();
    if (kind == Kind::all_gather) {
      for (int r = 0; r < comm.ranks; ++r) {
        std::memcpy(receive + static_cast<std::size_t>(r) * count + done, comm.piece_of(r),
                    n * sizeof(float));
      }
    } else if (kind == Kind::all_reduce || owner == comm.rank) {
      for (std::size_t i = 0; i < n; ++i) {
        float sum = 0;
        for (int r = 0; r < comm.ranks; ++r) sum += comm.piece_of(r)[i];
        receive[done + i] = sum;
      }
    }
    comm.meet();
  }
}

ncclResult_t start(ncclComm_t comm, cudaStream_t stream, std::function<void()> work) {
  const bool breaks = is_to_fail("remote_error");
  enqueue(stream, [=, work = std::move(work)] {
    if (breaks) {
      comm->failure = ncclRemoteError;
      for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));  // until the program ends
    }
    const double begun = now_seconds();
    work();
    last_at_least(begun, "KNEEPOINT_STAND_IN_COLLECTIVE_MS");
  });
  return ncclSuccess;
}

}  // namespace

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
  return result == ncclRemoteError ? "remote process exited or there was a network error"
                                   : "an error of the stand-in";
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  *id = {};
  std::snprintf(id->internal, sizeof id->internal, "/kp-stand-in-%d-%.9f", ::getpid(),
                now_seconds());
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank) {
  const int fd = ::shm_open(id.internal, O_RDWR | O_CREAT, 0600);
  if (fd < 0) return ncclSystemError;
  void* memory = MAP_FAILED;
  if (::ftruncate(fd, static_cast<off_t>(bytes_for(ranks))) == 0) {  // new bytes are 0
    memory = ::mmap(nullptr, bytes_for(ranks), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  ::close(fd);
  if (memory == MAP_FAILED) return ncclSystemError;
  *comm = new ncclComm;
  (*comm)->shared = static_cast<Shared*>(memory);
  (*comm)->rank = rank;
  (*comm)->ranks = ranks;
  (*comm)->meet();
  if (rank == 0) ::shm_unlink(id.internal);  // all have it
  (*comm)->meet();                           // so that nobody fails before it is gone
  return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  ::munmap(comm->shared, bytes_for(comm->ranks));
  delete comm;
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* failure) {
  *failure = comm->failure;
  return ncclSuccess;
}

ncclResult_t ncclAllReduce(const void* send, void* receive, size_t count, ncclDataType_t,
                           ncclRedOp_t, ncclComm_t comm, cudaStream_t stream) {
  const bool wrong = is_to_fail("wrong_sum");
  const auto* from = static_cast<const float*>(send);
  auto* to = static_cast<float*>(receive);
  return start(comm, stream, [=] {
    exchange(*comm, from, count, to, Kind::all_reduce, 0);
    if (wrong) to[0] += 1;
  });
}

ncclResult_t ncclReduceScatter(const void* send, void* receive, size_t count, ncclDataType_t,
                               ncclRedOp_t, ncclComm_t comm, cudaStream_t stream) {
  const auto* from = static_cast<const float*>(send);
  auto* to = static_cast<float*>(receive);
  return start(comm, stream, [=] {
    for (int r = 0; r < comm->ranks; ++r) {
      exchange(*comm, from + static_cast<std::size_t>(r) * count, count, to, Kind::reduce_scatter,
               r);
    }
  });
}

ncclResult_t ncclAllGather(const void* send, void* receive, size_t count, ncclDataType_t,
                           ncclComm_t comm, cudaStream_t stream) {
  const auto* from = static_cast<const float*>(send);
  auto* to = static_cast<float*>(receive);
  return start(comm, stream, [=] { exchange(*comm, from, count, to, Kind::all_gather, 0); });
}

}  // extern "C"
