// SPDX-License-Identifier: Apache-2.0
//
// orchestrator/cli/places.cc has the same rule for `kneepoint` itself.
#include "agents/agent/own_place.h"

#include <unistd.h>

#include "orchestrator/base/text.h"

namespace kneepoint::agent {

std::vector<std::string> places_of_part(const std::string& program, const std::string& name) {
  const std::size_t slash = program.rfind('/');
  if (slash == std::string::npos) return {};
  const std::string folder = program.substr(0, slash);
  const std::size_t above = folder.rfind('/');
  std::vector<std::string> places = {folder + "/" + name};
  if (above != std::string::npos) {
    places.push_back(folder.substr(0, above) + "/lib/kneepoint/" + name);
  }
  return places;
}

std::string find_part(const std::string& name) {
  for (const std::string& path : places_of_part(own_program(), name)) {
    if (access(path.c_str(), F_OK) == 0) return path;
  }
  return "";
}

}  // namespace kneepoint::agent
