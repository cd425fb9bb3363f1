// SPDX-License-Identifier: Apache-2.0
//
// Commands of Slurm run with the cluster's SLURM_CONF, which the whole test program has.
#include "tests/slurm/slurm_place.h"

#include <signal.h>

#include <cstdlib>
#include <iostream>

#include "orchestrator/base/clock.h"
#include "orchestrator/io/poller.h"
#include "orchestrator/io/subprocess.h"

namespace kneepoint::testing_support {

SlurmPlace::SlurmPlace(const std::string& cluster) : folder_(KP_SLURM_FOLDER "/" + cluster) {
  ::setenv("SLURM_CONF", (folder_ + "/etc/slurm.conf").c_str(), 1);
}

SlurmPlace::~SlurmPlace() {
  if (!testing::Test::HasFailure()) return;
  std::cout << "\n==== the story of this failure ====\n";
  std::cout << slurm({"squeue", "-t", "all"}) << slurm({"sinfo", "-N", "-l"});
  std::cout << slurm({"sacct", "-X", "-S", "now-1hours", "-o",
                      "JobID,JobName%40,State%20,ExitCode,NodeList,Submit,Start,End"});
  for (const auto& id : {"status", "list"}) std::cout << kneepoint({id}).output;
  for (int run = 1; run <= 30; ++run) {
    const Ended told = kneepoint({"explain", "r" + std::to_string(run)});
    if (told.exit_code != 0) break;
    if (told.output.find("succeeded") == std::string::npos ||
        told.output.find("-a2") != std::string::npos) {
      std::cout << told.output;
    }
  }
  cluster("logs");
}

int SlurmPlace::cluster(const std::string& command,
                        const std::vector<std::string>& arguments) const {
  SpawnOptions options;
  options.argv = {KP_SOURCE_DIR "/tests/slurm/cluster", command, folder_};
  options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
  const auto ended = run_captured(options, 10 * kMinute);
  if (!ended) {
    ADD_FAILURE() << ended.error().message;
    return -1;
  }
  std::cout << ended->output << ended->errors;
  return ended->exit_code;
}

std::string SlurmPlace::slurm(const std::vector<std::string>& argv) const {
  SpawnOptions options;
  options.argv = argv;
  const auto ended = run_captured(options, 2 * kMinute);
  return ended ? ended->output + ended->errors : ended.error().message;
}

Place::Ended SlurmPlace::finish(pid_t pid) const {
  if (!ended_within(pid, 900'000'000)) {
    ADD_FAILURE() << "kneepoint did not end within 15 minutes";
    ::kill(pid, SIGKILL);
  }
  return wait(pid);
}

Place::Ended SlurmPlace::run(const std::vector<std::string>& arguments) const {
  return finish(start(arguments));
}

std::string SlurmPlace::site(const std::string& more) const {
  return write("site.yaml",
               "name: lab\nbackend: slurm\nwork_dir: " + path() +
                   "/work\nenvironment: {OMPI_MCA_btl: \"self,tcp\", "
                   "OMPI_MCA_btl_tcp_if_include: lo, OMPI_MCA_mpi_yield_when_idle: 1}\n" +
                   more);
}

bool comes_true(const std::function<bool()>& is_so, int seconds) {
  Poller poller;
  const Nanoseconds until = system_clock().steady() + seconds * kSecond;
  while (!is_so()) {
    if (system_clock().steady() > until) return false;
    if (!poller.wait(100 * kMillisecond)) return false;
  }
  return true;
}

}  // namespace kneepoint::testing_support
