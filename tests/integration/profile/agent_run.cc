// SPDX-License-Identifier: Apache-2.0
//
// mpirun with the settings that work as root, in a container and with more ranks than cores.
#include "tests/integration/profile/agent_run.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "orchestrator/base/json_text.h"
#include "orchestrator/io/subprocess.h"
#include "tests/fakes/patience.h"

namespace kneepoint::profile {
namespace {

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string allocation(const std::string& run_dir, const std::vector<std::string>& argv,
                       const Setting& setting) {
  JsonWriter w;
  w.begin_object().key("v").value(1).key("name").value("kp-profile-test").key("steps");
  w.begin_array().begin_object().key("attempt").value("r1-a1").key("run_dir").value(run_dir);
  w.key("argv").begin_array();
  for (const char* word : {"mpirun", "--oversubscribe", "--bind-to", "none", "--mca",
                           "mpi_yield_when_idle", "1", "-n"}) {
    w.value(word);
  }
  w.value(std::to_string(setting.ranks));
  for (const std::string& word : argv) w.value(word);
  w.end_array().key("env").begin_object();
  w.key("OMPI_ALLOW_RUN_AS_ROOT").value("1").key("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM").value("1");
  w.key("OMPI_MCA_btl").value("self,vader").key("OMPI_MCA_plm").value("isolated");
  w.key("OMPI_MCA_btl_vader_single_copy_mechanism").value("none");
  for (const std::string& one : setting.environment) {
    w.key(one.substr(0, one.find('='))).value(one.substr(one.find('=') + 1));
  }
  w.end_object().key("limit_ns").value(std::int64_t{100'000'000'000});
  w.key("ranks").value(setting.ranks).key("profile").value(setting.profile);
  w.key("metrics").begin_array();
  if (!setting.time_from.empty()) {
    w.begin_object().key("name").value("time").key("unit").value("s");
    w.key("from").value(setting.time_from).end_object();
  }
  return w.end_array().end_object().end_array().end_object().text();
}

}  // namespace

AgentRun run_agent(const std::vector<std::string>& argv, const Setting& setting) {
  std::string name = (std::filesystem::temp_directory_path() / "kp-profile-XXXXXX").string();
  const std::string folder = mkdtemp(name.data());
  const std::string run_dir = folder + "/r1-a1";
  std::ofstream(folder + "/a.json") << allocation(run_dir, argv, setting);
  SpawnOptions options;
  options.argv = {std::string(KP_BIN_DIR) + "/kneepoint-agent", "run", folder + "/a.json"};
  const auto captured = run_captured(options, kPatience);
  AgentRun run;
  if (!captured) {
    run.problem = captured.error().message;
  } else if (captured->exit_code != 0) {
    run.problem =
        "the agent ended with " + std::to_string(captured->exit_code) + ": " + captured->errors;
  }
  run.output = content(run_dir + "/stdout.txt");
  run.errors = content(run_dir + "/stderr.txt");
  run.records = record::parse(content(run_dir + "/records.ndjson"));
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return run;
}

const record::Operation* operation(const record::Records& records, const std::string& name) {
  for (const record::Operation& one : records.operations) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

std::string fact(const record::Records& records, const std::string& name) {
  for (const record::Provenance& p : records.provenance) {
    for (const auto& [key, value] : p.facts) {
      if (key == name) return value;
    }
  }
  return "";
}

}  // namespace kneepoint::profile
