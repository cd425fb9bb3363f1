// SPDX-License-Identifier: Apache-2.0
//
// From MPI_Init to the summary, in C and in Fortran: every step may be taken twice, since one
// language may be made of the other. Two ways home. A program that ends well gathers the summaries
// over MPI, on a communicator of its own, and rank 0 writes them all: no rank but 0 needs to share
// a file system with the agent. One that aborts, exits early or is killed by a signal that can be
// seen leaves a file for each rank. Without KNEEPOINT_PROFILE nothing is counted.
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>

#include "agents/pmpi/calls.h"
#include "agents/pmpi/counters.h"

namespace kneepoint::pmpi {

KP_DECLARE(Comm_dup);
KP_DECLARE(Comm_get_parent);
KP_DECLARE(Gather);
KP_DECLARE(Gatherv);

namespace {

constexpr int kMostRankBytes = 16 << 20;  // of one rank's text, the probe's part included

// Open MPI's handles are addresses of its data, which must not be needed to load this library.
#ifdef OPEN_MPI
MPI_Comm world() {
  return static_cast<MPI_Comm>(find_data("ompi_mpi_comm_world"));
}
MPI_Comm no_comm() {
  return static_cast<MPI_Comm>(find_data("ompi_mpi_comm_null"));
}
MPI_Datatype byte_type() {
  return static_cast<MPI_Datatype>(find_data("ompi_mpi_byte"));
}
MPI_Datatype int_type() {
  return static_cast<MPI_Datatype>(find_data("ompi_mpi_int"));
}
#else
MPI_Comm world() {
  return MPI_COMM_WORLD;
}
MPI_Comm no_comm() {
  return MPI_COMM_NULL;
}
MPI_Datatype byte_type() {
  return MPI_BYTE;
}
MPI_Datatype int_type() {
  return MPI_INT;
}
#endif

MPI_Comm own_comm{};

// What the probe of this rank has to tell, if the program is linked with it; it then writes no file
// of its own. The text lives as long as the process.
const char* probe_text(std::size_t& size) {
  using Take = const char* (*)(std::size_t*);
  const auto take = reinterpret_cast<Take>(dlsym(RTLD_DEFAULT, "kneepoint_probe_take"));
  size = 0;
  return take != nullptr ? take(&size) : nullptr;
}

// All ranks call it. False: this rank's summary did not reach rank 0.
bool gather(const PlainText& mine) {
  std::size_t probed = 0;
  const char* const probe = probe_text(probed);
  if (mine.size() + probed > kMostRankBytes) probed = 0;
  const int length = static_cast<int>(mine.size() + probed);
  char* const bytes = static_cast<char*>(std::malloc(mine.size() + probed + 1));
  if (bytes == nullptr) return false;
  std::memcpy(bytes, mine.data(), mine.size());
  if (probed > 0) std::memcpy(bytes + mine.size(), probe, probed);

  const bool root = rank_facts.rank == 0;
  const auto ranks = static_cast<std::size_t>(rank_facts.ranks);
  int* const lengths = root ? static_cast<int*>(std::calloc(2 * ranks, sizeof(int))) : nullptr;
  bool ok =
      KP_REAL(Gather)(&length, 1, int_type(), lengths, 1, int_type(), 0, own_comm) == MPI_SUCCESS;
  std::size_t sum = 0;
  for (std::size_t i = 0; root && i < ranks; ++i) {
    lengths[ranks + i] = static_cast<int>(sum);
    sum += static_cast<std::size_t>(lengths[i]);
  }
  char* const all = root ? static_cast<char*>(std::malloc(sum + 1)) : nullptr;
  ok = ok &&
       KP_REAL(Gatherv)(bytes, length, byte_type(), all, lengths, root ? lengths + ranks : nullptr,
                        byte_type(), 0, own_comm) == MPI_SUCCESS;
  if (root && ok) ok = write_all_ranks(all, sum);
  std::free(all);
  std::free(lengths);
  std::free(bytes);
  return ok;
}

void read_cpus(char* to, std::size_t size) {
  const int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  char text[8192];
  const ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  text[n > 0 ? n : 0] = '\0';
  const char* at = std::strstr(text, "Cpus_allowed_list:\t");
  if (at == nullptr) return;
  at += std::strlen("Cpus_allowed_list:\t");
  std::size_t i = 0;
  for (; at[i] != '\0' && at[i] != '\n' && i + 1 < size; ++i) to[i] = at[i];
  to[i] = '\0';
}

bool is_spawned() {
  MPI_Comm parent = no_comm();
  return KP_REAL(Comm_get_parent)(&parent) == MPI_SUCCESS && parent != no_comm();
}

pthread_mutex_t life_lock = PTHREAD_MUTEX_INITIALIZER;
bool has_begun = false;
bool has_ended = false;

// MPI is there: the window opens.
void after_init() {
  pthread_mutex_lock(&life_lock);
  const char* const folder = std::getenv("KNEEPOINT_PROFILE");
  const bool counts = !has_begun && folder != nullptr && folder[0] != '\0' && !is_spawned();
  has_begun = true;
  if (counts) {
    KP_REAL(Comm_rank)(world(), &rank_facts.rank);
    KP_REAL(Comm_size)(world(), &rank_facts.ranks);
    gethostname(rank_facts.host, sizeof rank_facts.host - 1);
    read_cpus(rank_facts.cpus, sizeof rank_facts.cpus);
    rank_facts.main = my_block();
    if (KP_REAL(Comm_dup)(world(), &own_comm) == MPI_SUCCESS) prepare_to_leave(folder);
    window.begin = ticks::moment();
    window.since = window.begin.ticks;
    counting.store(true);
  }
  pthread_mutex_unlock(&life_lock);
}

// MPI_Pcontrol: 0 closes the window, others open it.
void control(int level) {
  pthread_mutex_lock(&life_lock);
  if (can_leave() && !has_ended) {
    if (level == 0 && window.since != 0) {
      window.open += ticks::now() - window.since;
      window.since = 0;
    } else if (level != 0 && window.since == 0) {
      window.since = ticks::now();
    }
    counting.store(window.since != 0);
  }
  pthread_mutex_unlock(&life_lock);
}

// The window closes, rank 0 gathers all summaries.
void before_finalize() {
  control(0);
  pthread_mutex_lock(&life_lock);
  const bool first = can_leave() && !has_ended;
  has_ended = true;
  pthread_mutex_unlock(&life_lock);
  if (!first) return;
  gather(summary_text(true)) ? left() : leave(true);
}

// This rank leaves its own.
void before_abort() {
  if (can_leave()) leave(false);
}

// What happens inside is MPI's own business.
class Hidden {
 public:
  Hidden() : block_(my_block()) { ++block_->depth; }
  ~Hidden() { --block_->depth; }
  Hidden(const Hidden&) = delete;
  Hidden& operator=(const Hidden&) = delete;

 private:
  Block* block_;
};

template <typename... Arguments>
void call_fortran(const char* name, Arguments... arguments) {
  const Hidden hidden;
  reinterpret_cast<void (*)(Arguments...)>(find_symbol(name))(arguments...);
}

template <typename... Arguments>
void init_fortran(const char* name, Arguments... arguments) {
  call_fortran(name, arguments...);
  after_init();
}

}  // namespace
}  // namespace kneepoint::pmpi

using namespace kneepoint::pmpi;

extern "C" {

KP_EXPORT int MPI_Init(int* argc, char*** argv) {
  static Real<decltype(&PMPI_Init)> real("PMPI_Init");
  const int code = real.get()(argc, argv);
  if (code == MPI_SUCCESS) after_init();
  return code;
}

KP_EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  static Real<decltype(&PMPI_Init_thread)> real("PMPI_Init_thread");
  const int code = real.get()(argc, argv, required, provided);
  if (code == MPI_SUCCESS) after_init();
  return code;
}

KP_EXPORT int MPI_Finalize() {
  static Real<decltype(&PMPI_Finalize)> real("PMPI_Finalize");
  before_finalize();
  const Hidden hidden;
  return real.get()();
}

KP_EXPORT int MPI_Abort(MPI_Comm comm, int code) {
  static Real<decltype(&PMPI_Abort)> real("PMPI_Abort");
  before_abort();
  return real.get()(comm, code);
}

KP_EXPORT int MPI_Pcontrol(const int level, ...) {
  control(level);
  return MPI_SUCCESS;
}

// Ticks that the calling thread has spent in MPI; for the probe.
KP_EXPORT std::uint64_t kneepoint_pmpi_thread_ticks() {
  return my_block()->total.get();
}

KP_EXPORT void mpi_init_(void* error) {
  init_fortran("mpi_init_", error);
}
KP_EXPORT void mpi_init_f08_(void* error) {
  init_fortran("mpi_init_f08_", error);
}
KP_EXPORT void mpi_init_thread_(void* required, void* provided, void* error) {
  init_fortran("mpi_init_thread_", required, provided, error);
}
KP_EXPORT void mpi_init_thread_f08_(void* required, void* provided, void* error) {
  init_fortran("mpi_init_thread_f08_", required, provided, error);
}
KP_EXPORT void mpi_finalize_(void* error) {
  before_finalize();
  call_fortran("mpi_finalize_", error);
}
KP_EXPORT void mpi_finalize_f08_(void* error) {
  before_finalize();
  call_fortran("mpi_finalize_f08_", error);
}
KP_EXPORT void mpi_abort_(void* comm, void* code, void* error) {
  before_abort();
  call_fortran("mpi_abort_", comm, code, error);
}
KP_EXPORT void mpi_abort_f08_(void* comm, void* code, void* error) {
  before_abort();
  call_fortran("mpi_abort_f08_", comm, code, error);
}
KP_EXPORT void mpi_pcontrol_(Address level) {
  control(level);
}
KP_EXPORT void mpi_pcontrol_f08_(Address level) {
  control(level);
}

}  // extern "C"
