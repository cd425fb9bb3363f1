// SPDX-License-Identifier: Apache-2.0
//
// mpirun with the settings that work as root, in a container and with more ranks than cores.
#include "tests/integration/workloads/mpirun.h"

#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "orchestrator/io/subprocess.h"
#include "tests/fakes/patience.h"

namespace kneepoint::workloads {

Outcome mpirun(int ranks, const std::string& program, const std::vector<std::string>& arguments,
               bool with_records, const Environment& environment) {
  static std::atomic<int> serial = 0;
  // Sessions of mpirun that share a folder trip over each other.
  const auto session =
      std::filesystem::temp_directory_path() /
      ("kp_workload_" + std::to_string(::getpid()) + "_" + std::to_string(serial++));
  std::filesystem::create_directory(session);
  const auto path = session / "records.ndjson";
  SpawnOptions options;
  options.argv = {std::string(KP_BIN_DIR) + "/kp-" + program};
  if (ranks != kAlone) {
    options.argv.insert(options.argv.begin(),
                        {"mpirun", "--oversubscribe", "-n", std::to_string(ranks)});
  }
  options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
  std::map<std::string, std::string> variables = {
      {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
      {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
      {"OMPI_MCA_mpi_yield_when_idle", "1"},
      {"OMPI_MCA_orte_tmpdir_base", session.string()},
      {"OMP_WAIT_POLICY", "passive"},
      {"KNEEPOINT_RECORDS", with_records ? path.string() : ""},
      // MPI itself keeps memory to its end and isn't instrumented.
      {"ASAN_OPTIONS", "detect_leaks=0"},
      {"TSAN_OPTIONS", "ignore_noninstrumented_modules=1"}};
  for (const auto& [name, value] : environment) variables[name] = value;
  options.environment.assign(variables.begin(), variables.end());
  Outcome outcome;
  const auto captured = run_captured(options, kPatience);
  std::error_code ignored;  // a daemon of Open MPI may be clearing up as well
  if (!captured) {
    std::filesystem::remove_all(session, ignored);
    outcome.errors = captured.error().message;
    return outcome;
  }
  outcome.exit_code = captured->exit_code;
  outcome.output = captured->output;
  outcome.errors = captured->errors;

  std::ifstream file(path);
  std::string text = to_line(0, record::Begin{"r1-a1", 1});
  int seq = 1;
  for (std::string line; std::getline(file, line);) {
    if (const auto stamped = record::stamp_line(seq, line)) {
      text += *stamped;
      ++seq;
    } else {
      outcome.refused.push_back(line);
    }
  }
  outcome.records = record::parse(text);
  std::filesystem::remove_all(session, ignored);
  return outcome;
}

double metric(const record::Records& records, const std::string& name) {
  for (const auto& m : records.metrics) {
    if (m.name == name) return m.value;
  }
  return NAN;
}

std::string fact(const record::Records& records, const std::string& name) {
  for (const auto& provenance : records.provenance) {
    for (const auto& [key, value] : provenance.facts) {
      if (key == name) return value;
    }
  }
  return "";
}

double total_work(const record::Records& records) {
  double sum = 0;
  for (const auto& rank : records.ranks) sum += rank.work;
  return sum;
}

}  // namespace kneepoint::workloads
