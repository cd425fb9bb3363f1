// SPDX-License-Identifier: Apache-2.0
//
// `kneepoint-agent pod`: the agent in each pod of a Kubernetes Job. Pod 0 leads: it finds the
// others, runs the steps by a `run` of its own, and prints the files of the run directories to its
// log. The others are peers: they do what the leader asks, and end with it.
#pragma once

#include <string>
#include <vector>

#include "agents/agent/supervise/child.h"

namespace kneepoint::agent {

// What the pod's environment tells its agent. Reading it takes the secrets out of it.

// Set for a step, so that what runs in it finds the agent of pod 0.
constexpr char kLinkVariable[] = "KNEEPOINT_LINK";  // the socket's path
constexpr char kLostVariable[] = "KNEEPOINT_LOST";  // a file: which pod was lost, once one is
constexpr char kJobVariable[] = "KNEEPOINT_JOB";
constexpr char kPodVariable[] = "KNEEPOINT_POD";  // the pod's own name; set in an MPIJob alone

// Pod i of a job, as pods resolve it. An MPIJob's pod 0 is its launcher, the others its workers.
std::string pod_host(const std::string& job, bool is_mpi_job, int i);

struct PodSettings {
  int index = 0;
  int pods = 1;
  std::string job;
  bool is_mpi_job = false;
  std::string work = "/kneepoint";  // KNEEPOINT_WORK
  int port = 17171;                 // KNEEPOINT_PORT, where peers listen
  Nanoseconds wait = 10 * kMinute;  // KNEEPOINT_WAIT, seconds, for a peer to come
  std::string key;
  std::string allocation;           // the text of the allocation file; pod 0 only
  std::vector<std::string> places;  // KNEEPOINT_PEERS, for tests: "address:port" of pods 1 to n-1

  std::string pod_name(int i) const { return pod_host(job, is_mpi_job, i); }
  std::string own_name() const { return pod_name(index); }
};

Result<PodSettings> take_pod_settings();

// The value of a variable, which is then gone, also from what /proc shows of the environment: a
// workload must not come to know the key. "" if there was none.
std::string take_variable(const std::string& name);

// Which pod a host name means: "JOB-3.JOB", "JOB-3" or with a domain behind, as well as
// "JOB-launcher" and "JOB-worker-2"; -1: none of this job.
int pod_index(const std::string& host, const std::string& job);

constexpr int kExitPeer = 69;        // a pod never came, or is gone; for a peer: the leader is
constexpr int kExitCancelled = 143;  // SIGTERM: the Job is being deleted

// The exit code of `kneepoint-agent pod`.
int run_pod();

// A line to stderr, and to where Kubernetes looks for a container's last words.
void last_words(const std::string& text);

int lead(const PodSettings& settings);
int follow(const PodSettings& settings);

// From a process of a step, by the socket `link` of pod 0's agent: has every other pod kill what
// the last step left behind there.
Leftovers clean_peers(const std::string& link, Nanoseconds limit);

// The exit code of `kneepoint-agent exec HOST TEXT...`.
int exec_in_pod(const std::string& host, const std::string& text);

// `kneepoint-agent spread`: starts a program without MPI as ranks in the first pods, with the
// variables by which such programs find each other. Rank 0 is in pod 0, and its stdout is that of
// the whole; what the others print goes to stderr with their rank before each line.
struct Spread {
  int pods = 1;
  int ranks_per_pod = 1;
  std::vector<std::string> passed;  // variables that go along to other pods
  std::vector<std::string> argv;
};

// What follows "spread": N [-r RANKS_PER_POD] [-x NAME]... -- COMMAND...
Result<Spread> parse_spread(const std::vector<std::string>& arguments);

// `master`: pod 0, as pods resolve it.
Environment rank_variables(const Spread& spread, const std::string& master, int rank);

// The exit code: 0 when all ranks ended so, else that of the first one that did not.
int run_spread(const Spread& spread);

}  // namespace kneepoint::agent
