// SPDX-License-Identifier: Apache-2.0
//
// The real calls, and what a rank hands over to be sent by the parameters of a call: of C as they
// are, of Fortran as addresses that turn into what a rule asks for, so that one rule serves both
// languages. The library is not linked with MPI and is loaded into shells and starters too, so
// every symbol of MPI is looked up when it is first needed.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <type_traits>

#define KP_EXPORT __attribute__((visibility("default")))

namespace kneepoint::pmpi {

// The next definition of `name` after ours, wherever MPI was loaded; ends the program when there is
// none, since the call could not be made anyway.
void* find_symbol(const char* name);
void* find_data(const char* name);  // nullptr: there is none

// PMPI_X, looked up once. Several threads may do so at the same time.
template <typename Function>
class Real {
 public:
  constexpr explicit Real(const char* name) : name_(name) {}
  [[gnu::always_inline]] Function get() {
    void* found = function_.load(std::memory_order_relaxed);
    if (__builtin_expect(found == nullptr, 0)) {
      found = find_symbol(name_);
      function_.store(found, std::memory_order_relaxed);
    }
    return reinterpret_cast<Function>(found);
  }

 private:
  const char* name_;
  std::atomic<void*> function_{nullptr};
};

#define KP_REAL(name) (real_##name.get())
#define KP_DECLARE(name) inline Real<decltype(&PMPI_##name)> real_##name("PMPI_" #name)

KP_DECLARE(Type_size);
KP_DECLARE(Comm_size);
KP_DECLARE(Comm_rank);
KP_DECLARE(Type_f2c);
KP_DECLARE(Comm_f2c);

// A parameter of a Fortran call, which is passed as an address is.
struct Address {
  void* at;

  template <typename Value>
  operator Value() const {  // NOLINT: implicit, so that rules read as those of C
    if constexpr (std::is_same_v<Value, const int*>) {
      static_assert(sizeof(MPI_Fint) == sizeof(int), "default INTEGER of 4 bytes");
      return static_cast<const int*>(at);
    } else if constexpr (std::is_same_v<Value, int>) {
      return static_cast<int>(*static_cast<const MPI_Fint*>(at));
    } else if constexpr (std::is_same_v<Value, MPI_Datatype>) {
      return KP_REAL(Type_f2c)(*static_cast<const MPI_Fint*>(at));
    } else {
      static_assert(std::is_same_v<Value, MPI_Comm>, "no rule asks for this");
      return KP_REAL(Comm_f2c)(*static_cast<const MPI_Fint*>(at));
    }
  }
};
static_assert(sizeof(Address) == sizeof(void*) && std::is_trivially_copyable_v<Address>);

[[gnu::always_inline]] inline std::uint64_t size_of(MPI_Datatype type) {
  int size = 0;
  KP_REAL(Type_size)(type, &size);
  return size > 0 ? static_cast<std::uint64_t>(size) : 0;
}

inline std::uint64_t sent(int count, MPI_Datatype type) {
  return count > 0 ? static_cast<std::uint64_t>(count) * size_of(type) : 0;
}

inline std::uint64_t sent_to(int rank, int count, MPI_Datatype type) {
  return rank == MPI_PROC_NULL ? 0 : sent(count, type);
}

inline std::uint64_t ranks_of(MPI_Comm comm) {
  int size = 0;
  KP_REAL(Comm_size)(comm, &size);
  return static_cast<std::uint64_t>(size);
}

// Across two groups the root says MPI_ROOT.
inline bool is_root(int root, MPI_Comm comm) {
  if (root < 0) return root == MPI_ROOT;
  int rank = 0;
  KP_REAL(Comm_rank)(comm, &rank);
  return rank == root;
}

inline std::uint64_t sent_by_root(int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return is_root(root, comm) ? sent(count, type) : 0;
}

inline std::uint64_t sent_to_all(const int* counts, MPI_Datatype type, MPI_Comm comm) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0, n = ranks_of(comm); i < n; ++i) {
    sum += counts[i] > 0 ? static_cast<std::uint64_t>(counts[i]) : 0;
  }
  return sum > 0 ? sum * size_of(type) : 0;
}

inline std::uint64_t sent_to_all_types(const int* counts, const MPI_Datatype* types,
                                       MPI_Comm comm) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0, n = ranks_of(comm); i < n; ++i) sum += sent(counts[i], types[i]);
  return sum;
}
// Not counted in Fortran, whose lists are not of handles.
inline std::uint64_t sent_to_all_types(Address, Address, Address) {
  return 0;
}

inline bool is_in_place(const void* buffer) {
  return buffer == MPI_IN_PLACE;
}
inline bool is_in_place(Address buffer) {
  static const void* const in_place = find_data("mpi_fortran_in_place_");
  return in_place != nullptr && buffer.at == in_place;
}

// In place, what a rank contributes is described by its receiving side.
template <typename Buffer>
std::uint64_t contributed(Buffer buffer, int count, MPI_Datatype type, int in_place,
                          MPI_Datatype in_place_type) {
  return is_in_place(buffer) ? sent(in_place, in_place_type) : sent(count, type);
}

// What persistent requests send each time they are started; of all of them together. Requests that
// nobody noted (of receiving) send nothing.
std::uint64_t started(const MPI_Request* requests, int count);
std::uint64_t started(Address requests, int count);

}  // namespace kneepoint::pmpi
