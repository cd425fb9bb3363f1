// SPDX-License-Identifier: Apache-2.0
//
// Beginning and end, in C and in Fortran, and finding the real functions.
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "agents/pmpi/fortran.h"
#include "agents/pmpi/life.h"

namespace kneepoint::pmpi {
namespace {

struct Search {
  const char* name;
  void* found;
};

// An interpreter loads MPI for one module only: its symbols are then not to be seen by all.
int look_into(dl_phdr_info* object, std::size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  if (object->dlpi_name == nullptr || std::strstr(object->dlpi_name, "/libmpi") == nullptr) {
    return 0;
  }
  void* const handle = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return 0;
  search.found = dlsym(handle, search.name);
  dlclose(handle);
  return search.found != nullptr ? 1 : 0;
}

void* find_symbol_or_null(const char* name) {
  if (void* const found = dlsym(RTLD_NEXT, name)) return found;
  Search search{name, nullptr};
  dl_iterate_phdr(look_into, &search);
  return search.found;
}

}  // namespace

void* find_symbol(const char* name) {
  if (void* const found = find_symbol_or_null(name)) return found;
  for (const char* part : {"libkneepoint-pmpi: MPI has no ", name, "\n"}) {
    if (write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
  }
  std::abort();
}

// A program that uses such data has its own copy, which the library's code uses too.
void* find_data(const char* name) {
  if (void* const found = dlsym(RTLD_DEFAULT, name)) return found;
  return find_symbol_or_null(name);
}

bool is_fortran_in_place(const void* buffer) {
  static const void* const address = find_data("mpi_fortran_in_place_");
  return address != nullptr && buffer == address;
}

}  // namespace kneepoint::pmpi

using namespace kneepoint::pmpi;

namespace {

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
void init_fortran(const char* name, Arguments... arguments) {
  {
    const Hidden hidden;
    reinterpret_cast<void (*)(Arguments...)>(find_symbol(name))(arguments...);
  }
  after_init();
}

template <typename... Arguments>
void call_fortran(const char* name, Arguments... arguments) {
  const Hidden hidden;
  reinterpret_cast<void (*)(Arguments...)>(find_symbol(name))(arguments...);
}

}  // namespace

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
KP_EXPORT void mpi_pcontrol_(void* level) {
  control(value(level));
}
KP_EXPORT void mpi_pcontrol_f08_(void* level) {
  control(value(level));
}

}  // extern "C"
