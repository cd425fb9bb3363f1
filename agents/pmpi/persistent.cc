// SPDX-License-Identifier: Apache-2.0
//
// What a persistent request sends each time it is started: noted when it is made, looked up by
// MPI_Start and MPI_Startall, forgotten when it is freed. Making and freeing are not counted. Any
// thread may do any of it: a table of open addresses lies under a lock that is held for a few
// instructions, and a program that has no persistent request never comes to the lock. If there is
// no memory, bytes stay uncounted.
#include <sched.h>

#include <cstdlib>

#include "agents/pmpi/calls.h"

namespace kneepoint::pmpi {
namespace {

struct Entry {
  std::uintptr_t key;  // kFree: nothing there, and nothing behind
  std::uint64_t bytes;
};
constexpr std::uintptr_t kFree = 0;
constexpr std::uintptr_t kGone = 1;  // was there; go on looking
constexpr std::size_t kFirstSize = 64;

class Lock {
 public:
  Lock() {
    while (flag_.test_and_set(std::memory_order_acquire)) sched_yield();
  }
  ~Lock() { flag_.clear(std::memory_order_release); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  static inline std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
};

std::atomic<std::size_t> known{0};  // requests
Entry* table = nullptr;             // below: under the lock
std::size_t size = 0;               // a power of two
std::size_t used = 0;               // entries that are not kFree

// A handle is a pointer in one MPI and a number in another. The values of our own two are taken by
// no request of a program: they are null or misaligned.
std::uintptr_t key_of(MPI_Request request) {
  return (std::uintptr_t)request;  // NOLINT: both kinds
}

std::size_t first_place(std::uintptr_t key) {
  return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ULL) >> 32) & (size - 1);
}

Entry* find(std::uintptr_t key) {
  if (table == nullptr || key <= kGone) return nullptr;
  for (std::size_t at = first_place(key);; at = (at + 1) & (size - 1)) {
    if (table[at].key == key) return &table[at];
    if (table[at].key == kFree) return nullptr;
  }
}

void put(std::uintptr_t key, std::uint64_t bytes) {
  std::size_t at = first_place(key);
  while (table[at].key != kFree) at = (at + 1) & (size - 1);
  table[at] = {key, bytes};
  ++used;
}

// Room for one more, at most half full; what is gone is left behind.
bool make_room() {
  if (table != nullptr && 2 * (used + 1) <= size) return true;
  const std::size_t count = known.load(std::memory_order_relaxed);
  std::size_t wanted = kFirstSize;
  while (wanted < 4 * (count + 1)) wanted *= 2;
  auto* const fresh = static_cast<Entry*>(std::calloc(wanted, sizeof(Entry)));
  if (fresh == nullptr) return false;
  Entry* const old = table;
  const std::size_t old_size = size;
  table = fresh;
  size = wanted;
  used = 0;
  for (std::size_t at = 0; old != nullptr && at < old_size; ++at) {
    if (old[at].key > kGone) put(old[at].key, old[at].bytes);
  }
  std::free(old);
  return true;
}

void note_persistent(MPI_Request request, std::uint64_t bytes) {
  const std::uintptr_t key = key_of(request);
  if (key <= kGone) return;
  const Lock lock;
  if (Entry* const there = find(key)) {
    there->bytes = bytes;
    return;
  }
  if (!make_room()) return;
  put(key, bytes);
  known.fetch_add(1, std::memory_order_relaxed);
}

void forget_persistent(MPI_Request request) {
  if (known.load(std::memory_order_relaxed) == 0) return;
  const Lock lock;
  if (Entry* const there = find(key_of(request))) {
    there->key = kGone;
    known.fetch_sub(1, std::memory_order_relaxed);
  }
}

KP_DECLARE(Request_f2c);

MPI_Request request_of(Address argument) {
  return KP_REAL(Request_f2c)(*static_cast<const MPI_Fint*>(argument.at));
}

}  // namespace

std::uint64_t started(const MPI_Request* requests, int count) {
  if (known.load(std::memory_order_relaxed) == 0) return 0;
  std::uint64_t sum = 0;
  const Lock lock;
  for (int i = 0; i < count; ++i) {
    if (const Entry* const there = find(key_of(requests[i]))) sum += there->bytes;
  }
  return sum;
}

std::uint64_t started(Address requests, int count) {
  std::uint64_t sum = 0;
  for (int i = 0; i < count; ++i) {
    const MPI_Request one = request_of({static_cast<MPI_Fint*>(requests.at) + i});
    sum += started(&one, 1);
  }
  return sum;
}

}  // namespace kneepoint::pmpi

using namespace kneepoint::pmpi;

#define KP_SEND_INIT(name)                                                                         \
  extern "C" KP_EXPORT int MPI_##name(const void* buf, int count, MPI_Datatype datatype, int dest, \
                                      int tag, MPI_Comm comm, MPI_Request* request) {              \
    static Real<decltype(&PMPI_##name)> real("PMPI_" #name);                                       \
    const int code = real.get()(buf, count, datatype, dest, tag, comm, request);                   \
    if (code == MPI_SUCCESS) note_persistent(*request, sent_to(dest, count, datatype));            \
    return code;                                                                                   \
  }

#define KP_SEND_INIT_FORTRAN(symbol)                                                            \
  extern "C" KP_EXPORT void symbol(Address buf, Address count, Address datatype, Address dest,  \
                                   Address tag, Address comm, Address request, Address error) { \
    static Real<decltype(&symbol)> real(#symbol);                                               \
    real.get()(buf, count, datatype, dest, tag, comm, request, error);                          \
    note_persistent(request_of(request), sent_to(dest, count, datatype));                       \
  }

#define KP_FREE_FORTRAN(symbol)                                      \
  extern "C" KP_EXPORT void symbol(Address request, Address error) { \
    static Real<decltype(&symbol)> real(#symbol);                    \
    forget_persistent(request_of(request));                          \
    real.get()(request, error);                                      \
  }

KP_SEND_INIT(Send_init)
KP_SEND_INIT(Bsend_init)
KP_SEND_INIT(Ssend_init)
KP_SEND_INIT(Rsend_init)
KP_SEND_INIT_FORTRAN(mpi_send_init_)
KP_SEND_INIT_FORTRAN(mpi_bsend_init_)
KP_SEND_INIT_FORTRAN(mpi_ssend_init_)
KP_SEND_INIT_FORTRAN(mpi_rsend_init_)
KP_SEND_INIT_FORTRAN(mpi_send_init_f08_)
KP_SEND_INIT_FORTRAN(mpi_bsend_init_f08_)
KP_SEND_INIT_FORTRAN(mpi_ssend_init_f08_)
KP_SEND_INIT_FORTRAN(mpi_rsend_init_f08_)

extern "C" KP_EXPORT int MPI_Request_free(MPI_Request* request) {
  static Real<decltype(&PMPI_Request_free)> real("PMPI_Request_free");
  forget_persistent(*request);
  return real.get()(request);
}
KP_FREE_FORTRAN(mpi_request_free_)
KP_FREE_FORTRAN(mpi_request_free_f08_)
