// SPDX-License-Identifier: Apache-2.0
//
// Finding the real calls. The library is not linked with MPI and is loaded into shells and starters
// too, so every symbol of MPI is looked up when it is first needed.
#pragma once

#include <mpi.h>

#include <atomic>

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

}  // namespace kneepoint::pmpi
