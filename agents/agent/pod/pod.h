// SPDX-License-Identifier: Apache-2.0
//
// `kneepoint-agent pod`: the agent in each pod of a Kubernetes Job. Pod 0 leads: it finds the
// others, runs the steps by a `run` of its own, and prints the files of the run directories to its
// log. The others are peers: they do what the leader asks, and end with it.
#pragma once

#include "agents/agent/pod/settings.h"

namespace kneepoint::agent {

constexpr int kExitPeer = 69;        // a pod never came, or is gone; for a peer: the leader is
constexpr int kExitCancelled = 143;  // SIGTERM: the Job is being deleted

// The exit code of `kneepoint-agent pod`.
int run_pod();

// A line to stderr, and to where Kubernetes looks for a container's last words.
void last_words(const std::string& text);

int lead(const PodSettings& settings);
int follow(const PodSettings& settings);

}  // namespace kneepoint::agent
