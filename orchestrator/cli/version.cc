// SPDX-License-Identifier: Apache-2.0
//
// kneepoint version: what this program is made of. The build system passes the facts in.
#include <ostream>

#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/shell/command.h"

namespace kneepoint::cli {
namespace {

struct Component {
  const char* name;
  const char* version;
};

constexpr Component kLibraries[] = {
    {"Boost", KNEEPOINT_BOOST_VERSION},        {"CLI11", KNEEPOINT_CLI11_VERSION},
    {"nlohmann-json", KNEEPOINT_JSON_VERSION}, {"spdlog", KNEEPOINT_SPDLOG_VERSION},
    {"SQLite", KNEEPOINT_SQLITE_VERSION},      {"yaml-cpp", KNEEPOINT_YAML_VERSION},
};

Result<int> version(Session& session, const Arguments&) {
  if (session.json) {
    JsonWriter json;
    json.begin_object().put("version", KNEEPOINT_VERSION).put("compiler", KNEEPOINT_COMPILER);
    json.put("build_type", KNEEPOINT_BUILD_TYPE).put("sanitizers", KNEEPOINT_SANITIZERS);
    json.key("libraries").begin_object();
    for (const Component& library : kLibraries) json.put(library.name, library.version);
    json.end_object().end_object();
    session.out << json.text() << "\n";
    return kExitDone;
  }
  session.out << "kneepoint " << KNEEPOINT_VERSION << "\n"
              << "compiler: " << KNEEPOINT_COMPILER << "\n"
              << "build type: " << KNEEPOINT_BUILD_TYPE;
  if (*KNEEPOINT_SANITIZERS != '\0') session.out << ", sanitizers " << KNEEPOINT_SANITIZERS;
  session.out << "\nlibraries:";
  const char* separator = " ";
  for (const Component& library : kLibraries) {
    session.out << separator << library.name << " " << library.version;
    separator = ", ";
  }
  session.out << "\n";
  return kExitDone;
}

}  // namespace

CommandSpec version_command() {
  return {"version",
          "Show version, compiler and libraries",
          "Shows the version of kneepoint, and what it was built with.",
          {},
          {},
          {"kneepoint version", "kneepoint version --json"},
          version};
}

}  // namespace kneepoint::cli
