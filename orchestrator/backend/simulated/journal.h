// SPDX-License-Identifier: Apache-2.0
//
// The simulated cluster's memory: one line for each thing done to it, appended before it is done.
// Reading the file and doing the same again gives the same cluster. A last line cut short by a
// crash is dropped: what it would have told was never answered.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "orchestrator/backend/simulated/cluster.h"
#include "orchestrator/base/fd.h"

namespace kneepoint::simulated {

// Lines, newline included.
std::string header_line(int nodes);
std::string submit_line(const SimulatedJob& job);
std::string clock_line(Nanoseconds now);
std::string cancel_line(const std::string& name);

struct Replayed {
  Cluster cluster;
  std::size_t good_bytes = 0;  // what follows is a line cut short
};
// `path` is only for messages. An empty text is a cluster of `nodes` that nobody used yet.
Result<Replayed> replay(std::string_view text, int nodes, const std::string& path);

struct Opened;
// Makes folder and file when missing.
Result<Opened> open_journal(const std::string& folder, const std::string& path, int nodes);

// An open journal. Appending is complete when it returns: a kill afterwards loses nothing.
class Journal {
 public:
  explicit Journal(Fd file) : file_(std::move(file)) {}
  Result<void> append(std::string_view lines);

 private:
  friend Result<Opened> open_journal(const std::string&, const std::string&, int);
  Fd file_;
  std::size_t size_ = 0;  // bytes of whole lines
};

struct Opened {
  Cluster cluster;
  Journal journal;
};

}  // namespace kneepoint::simulated
