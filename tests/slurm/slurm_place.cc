// SPDX-License-Identifier: Apache-2.0
//
// Commands of Slurm run with the cluster's SLURM_CONF, which the whole test program has.
#include "tests/slurm/slurm_place.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
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
  const ProgramOutput told = run_program(argv, 600);
  std::cout << told.output << told.errors;
  return told.exit_code;
}

pid_t SlurmPlace::pid_of(const std::string& part) const {
  pid_t pid = 0;
  std::ifstream(folder_ + "/run/" + part + ".owned") >> pid;
  return pid;
}

std::string SlurmPlace::slurm(const std::vector<std::string>& argv) const {
  const ProgramOutput told = run_program(argv, 120);
  return told.output + told.errors;
}

void SlurmPlace::make_narrow_qos() const {
  slurm({"sacctmgr", "-i", "add", "qos", "narrow", "set", "MaxTRESPerJob=node=2",
         "MaxWall=00:05:00"});
  slurm({"sacctmgr", "-i", "modify", "user", "where", "account=perf", "set", "qos+=narrow"});
}

std::string slurm_keys(const std::string& first, const std::string& second) {
  return "slurm: {" + first + (first.empty() || second.empty() ? "" : ", ") + second + "}\n";
}

std::string SlurmPlace::rest_keys(const std::string& where) const {
  std::string url;
  std::ifstream(folder_ + "/" + where) >> url;
  EXPECT_FALSE(url.empty()) << where;
  renew_token();
  return "transport: rest, rest: {url: \"" + url + "\", token_file: " + path() + "/token}";
}

void SlurmPlace::renew_token() const {
  const std::string made = slurm({"scontrol", "token", "lifespan=7200"});
  EXPECT_NE(made.find('='), std::string::npos) << made;
  put_token(made.substr(made.find('=') + 1));
}

void SlurmPlace::put_token(const std::string& token) const {
  std::filesystem::rename(write("token.new", token), path() + "/token");
}

std::string SlurmPlace::site(const std::string& more) const {
  return write("site.yaml", "name: lab\nbackend: slurm\nwork_dir: " + path() +
                                "/work\nenvironment: {OMPI_MCA_btl: \"self,tcp\", "
                                "OMPI_MCA_btl_tcp_if_include: lo, OMPI_MCA_mpi_yield_when_idle: 1, "
                                "OMPI_MCA_mpi_add_procs_cutoff: 1024}\n" +
                                more);
}

}  // namespace kneepoint::testing_support
