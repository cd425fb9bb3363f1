// SPDX-License-Identifier: Apache-2.0
//
// FakeSlurm: a transport whose answers a test writes down. It counts the questions.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/backend/slurm/transport.h"

namespace kneepoint {

class FakeSlurm : public SlurmTransport {
 public:
  Result<SlurmCluster> cluster(Deadline) override { return SlurmCluster{}; }
  std::vector<Result<std::string>> submit(std::span<const SlurmSubmission> jobs,
                                          Deadline) override {
    return std::vector<Result<std::string>>(jobs.size(), std::string("1"));
  }
  Result<std::vector<SlurmJob>> list(Deadline) override {
    ++lists;
    if (!refusal.empty()) return Error{refusal_code, refusal, true};
    return queue;
  }
  Result<std::vector<SlurmJob>> history(const std::vector<std::string>&, Nanoseconds,
                                        Deadline) override {
    ++histories;
    if (!accounts_refusal.empty()) return Error{ErrorCode::unavailable, accounts_refusal, true};
    return accounts;
  }
  std::vector<Result<void>> cancel(std::span<const std::string> ids, Deadline) override {
    cancelled.insert(cancelled.end(), ids.begin(), ids.end());
    return std::vector<Result<void>>(ids.size());
  }
  Result<std::string> rehearse(const SlurmSubmission&, Deadline) override { return std::string(); }
  Result<std::vector<std::string>> down_nodes(const std::string&, Deadline) override {
    return down;
  }
  std::vector<Launcher::EmittedFile> emit(const SlurmSubmission&) const override { return {}; }

  std::vector<SlurmJob> queue;         // what squeue would list
  std::vector<SlurmJob> accounts;      // what sacct would tell
  std::vector<std::string> down;       // nodes
  std::vector<std::string> cancelled;  // ids, as they were asked for
  std::string refusal;                 // of list(); "": it answers
  std::string accounts_refusal;        // of history(); "": it answers
  ErrorCode refusal_code = ErrorCode::unavailable;
  int lists = 0, histories = 0;
};

}  // namespace kneepoint
