// SPDX-License-Identifier: Apache-2.0
//
// Run by the build: writes the schemas of the API's objects into a file, of which
// orchestrator/web/build.mjs makes the page's types.
#include <fstream>

#include "orchestrator/server/dashboard/api.h"

int main(int argc, char** argv) {
  std::ofstream file(argc == 2 ? argv[1] : "");
  file << kneepoint::api_schemas() << "\n" << std::flush;
  return file ? 0 : 1;
}
