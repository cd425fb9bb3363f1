// SPDX-License-Identifier: Apache-2.0
//
// After ours in the order of the loader; else in any library of MPI, since an interpreter loads MPI
// for one module only and its symbols are then not to be seen by all.
#include "agents/pmpi/symbols.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

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
