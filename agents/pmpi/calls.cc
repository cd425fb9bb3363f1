// SPDX-License-Identifier: Apache-2.0
//
// The wrappers of all counted calls: find the real one, count, hand over. Types of C are those of
// mpi.h. Fortran's entry points are there too, since Open MPI leads them to PMPI and past the C
// names: mpif.h and `use mpi` call mpi_send_, `use mpi_f08` calls mpi_send_f08_. Both hand over
// plain addresses; ierror may be absent in f08 and is passed on as it is. Names are as gfortran,
// ifx, flang and nvfortran make them.
#include "agents/pmpi/calls.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <tuple>

#include "agents/pmpi/counters.h"

// Symbols are found after ours in the order of the loader; else in any library of MPI, since an
// interpreter loads MPI for one module only and its symbols are then not to be seen by all.
namespace kneepoint::pmpi {
namespace {

struct Search {
  const char* name;
  void* found;
};

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

}  // namespace kneepoint::pmpi

using namespace kneepoint::pmpi;

namespace {

template <typename Function>
struct ParametersOf;
template <typename... Parameters>
struct ParametersOf<int (*)(Parameters...)> {
  using Types = std::tuple<Parameters...>;
};

}  // namespace

// What stands before parameter i: its type in C, in Fortran, and none where it is an argument.
#define KP_C_TYPE(symbol, i) std::tuple_element_t<i, ParametersOf<decltype(&symbol)>::Types>
#define KP_FORTRAN_TYPE(symbol, i) Address
#define KP_NO_TYPE(symbol, i)

// The first n parameters of `symbol`.
// clang-format off
#define KP_P1(type, symbol) type(symbol, 0) a0
#define KP_P2(type, symbol) KP_P1(type, symbol), type(symbol, 1) a1
#define KP_P3(type, symbol) KP_P2(type, symbol), type(symbol, 2) a2
#define KP_P4(type, symbol) KP_P3(type, symbol), type(symbol, 3) a3
#define KP_P5(type, symbol) KP_P4(type, symbol), type(symbol, 4) a4
#define KP_P6(type, symbol) KP_P5(type, symbol), type(symbol, 5) a5
#define KP_P7(type, symbol) KP_P6(type, symbol), type(symbol, 6) a6
#define KP_P8(type, symbol) KP_P7(type, symbol), type(symbol, 7) a7
#define KP_P9(type, symbol) KP_P8(type, symbol), type(symbol, 8) a8
#define KP_P10(type, symbol) KP_P9(type, symbol), type(symbol, 9) a9
#define KP_P11(type, symbol) KP_P10(type, symbol), type(symbol, 10) a10
#define KP_P12(type, symbol) KP_P11(type, symbol), type(symbol, 11) a11
#define KP_P13(type, symbol) KP_P12(type, symbol), type(symbol, 12) a12
#define KP_P14(type, symbol) KP_P13(type, symbol), type(symbol, 13) a13
// clang-format on

#define KP_WRAP(name, result, symbol, real_symbol, type, list, bytes) \
  extern "C" KP_EXPORT result symbol(list(type, symbol)) {            \
    static Real<decltype(&symbol)> real(#real_symbol);                \
    Call call(Operation::name);                                       \
    if (call.counts()) call.begin(static_cast<std::uint64_t>(bytes)); \
    return real.get()(list(KP_NO_TYPE, symbol));                      \
  }
#define KP_WRAP_FORTRAN(name, symbol, list, bytes) \
  KP_WRAP(name, void, symbol, symbol, KP_FORTRAN_TYPE, list, bytes)
#define KP_WRAP_ALL(name, lower, kind, n, n_fortran, bytes)              \
  KP_WRAP(name, int, MPI_##name, PMPI_##name, KP_C_TYPE, KP_P##n, bytes) \
  KP_WRAP_FORTRAN(name, mpi_##lower##_, KP_P##n_fortran, bytes)          \
  KP_WRAP_FORTRAN(name, mpi_##lower##_f08_, KP_P##n_fortran, bytes)

KP_OPERATIONS(KP_WRAP_ALL)
