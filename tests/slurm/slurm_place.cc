// SPDX-License-Identifier: Apache-2.0
//
// Commands of Slurm run with the cluster's SLURM_CONF, which the whole test program has.
#include "tests/slurm/slurm_place.h"

#include <cstdlib>
#include <iostream>

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
  tell_stories();
  cluster("logs");
  // What a test that stopped half way has left closed is no trouble for the next one.
  slurm({"scontrol", "update", "partition=batch", "state=up"});
}

int SlurmPlace::cluster(const std::string& command,
                        const std::vector<std::string>& arguments) const {
  std::vector<std::string> argv = {KP_SOURCE_DIR "/tests/slurm/cluster", command, folder_};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const Told told = run_program(argv, 600);
  std::cout << told.output << told.errors;
  return told.exit_code;
}

std::string SlurmPlace::slurm(const std::vector<std::string>& argv) const {
  const Told told = run_program(argv, 120);
  return told.output + told.errors;
}

std::string SlurmPlace::site(const std::string& more) const {
  return write("site.yaml", "name: lab\nbackend: slurm\nwork_dir: " + path() +
                                "/work\nenvironment: {OMPI_MCA_btl: \"self,tcp\", "
                                "OMPI_MCA_btl_tcp_if_include: lo, OMPI_MCA_mpi_yield_when_idle: 1, "
                                "OMPI_MCA_mpi_add_procs_cutoff: 1024}\n" +
                                more);
}

}  // namespace kneepoint::testing_support
