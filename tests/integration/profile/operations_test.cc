// SPDX-License-Identifier: Apache-2.0
//
// The library itself, without any MPI: it defines every call of its table, in C and in both forms
// of Fortran.
#include "agents/pmpi/operations.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "orchestrator/base/text.h"

namespace kneepoint::pmpi {
namespace {

const std::string kLibrary = KP_BIN_DIR "/libkneepoint-pmpi.so";

// Defined by this very library, not by one that came with it.
bool is_interposed(void* library, const std::string& name) {
  Dl_info where{};
  void* const found = dlsym(library, name.c_str());
  return found != nullptr && dladdr(found, &where) != 0 && kLibrary == where.dli_fname &&
         where.dli_sname == name;
}

TEST(Operations, EachOneIsInterposedInCAndInFortran) {
  void* const library = dlopen(kLibrary.c_str(), RTLD_LAZY | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  std::set<std::string> names;
  for (const OperationRow& row : kOperationRows) {
    const std::string name = row.name;
    const std::string fortran = ascii_lower(name) + "_";
    EXPECT_TRUE(names.insert(name).second) << name << " is listed twice";
    EXPECT_TRUE(is_interposed(library, name)) << name;
    EXPECT_TRUE(is_interposed(library, fortran)) << fortran;
    EXPECT_TRUE(is_interposed(library, fortran + "f08_")) << fortran;
  }
  EXPECT_EQ(names.size(), 146U);
  EXPECT_FALSE(is_interposed(library, "MPI_Comm_rank")) << "not listed, so not wrapped";
  dlclose(library);
}

}  // namespace
}  // namespace kneepoint::pmpi
