// SPDX-License-Identifier: Apache-2.0
//
// What pod 0 is made of: the relay between the processes of a step and the other pods, and the log
// by which the files of the run directories come home.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agents/agent/pod/link.h"
#include "agents/agent/pod/pod.h"
#include "agents/wire/frame.h"

namespace kneepoint::agent {

// Requests of local processes go to the peers, what the peers say about a process goes back to the
// one who asked for it. A client that is gone takes its process with it.
class PodRelay {
 public:
  // Links of pods 1 to n-1, in order. `folder` is made, for this user alone.
  PodRelay(const PodSettings& settings, std::vector<Link> links)
      : settings_(settings), links_(std::move(links)) {}
  Result<void> open(const std::string& folder);
  const std::string& path() const { return path_; }

  void watch(std::vector<pollfd>& entries) const;
  void turn(Nanoseconds now);
  // The first pod that is gone, and why; "" while all are there.
  const std::string& lost() const { return lost_; }
  // Tells the peers that all is done; false: some still have to hear it.
  bool say_goodbye(Nanoseconds now);

 private:
  struct Client {
    Fd socket;
    MessageReader reader;
    std::string out;
    int pod = 0;  // where its process is; 0: it has none
    std::uint32_t id = 0;
    std::uint32_t owed = 0;  // of output: to be allowed again when the client has taken it
    bool ending = false;     // closed when `out` is written
  };
  struct Cleaning {
    Client* asker = nullptr;
    std::vector<int> waiting;  // pods
    Leftovers found;
  };

  Link& link(int pod) { return links_[static_cast<std::size_t>(pod - 1)]; }
  void accept_clients();
  void read_client(Client& client);
  void write_client(Client& client);
  void handle_client(Client& client, const Message& message);
  void handle_peer(int pod, const Message& message);
  void begin_cleaning(Client& client);
  void cleaned(int pod, const Leftovers& found);
  void drop(Client& client);
  void lose(int pod);
  static void tell(Client& client, const Message& message);
  static void end(Client& client, const ProcessEnd& end);
  Client* owner(int pod, std::uint32_t id);

  const PodSettings& settings_;
  std::vector<Link> links_;
  Fd listener_;
  std::string path_;
  std::map<int, Client> clients_;  // by descriptor
  std::map<std::uint32_t, Client*> by_id_;
  std::uint32_t next_id_ = 1;
  std::optional<Cleaning> cleaning_;
  std::string lost_;
  bool lost_known_ = false;
  int told_to_end_ = 0;  // a pod that was
  Nanoseconds told_since_ = 0;
  Nanoseconds now_ = 0;
  bool leaving_ = false;
};

// The files of the run directories as frames for the pod's log. Records go whole; of stdout.txt and
// stderr.txt only head and tail, since logs are rotated. What a step has printed comes before its
// end record, so that who sees the end has everything.
constexpr std::size_t kLogHead = 256 * 1024;
constexpr std::size_t kLogTail = 256 * 1024;

class PodLog {
 public:
  // `runs`: the folder of the run directories, each named after its attempt.
  PodLog(std::string runs, const std::vector<std::string>& attempts, std::size_t head = kLogHead,
         std::size_t tail = kLogTail);

  // Frames for what has been appended since the last call. `last`: nothing more will be.
  std::string take(bool last);

 private:
  struct Followed {
    std::string path;
    std::string name;  // in the frames
    std::size_t offset = 0;
  };
  struct Step {
    Followed records;
    Followed out;
    Followed err;
    std::string kept;  // the folder of the files that the plan keeps
    bool over = false;
  };

  void take_step(Step& step, bool last, std::string& frames);
  void take_output(Followed& file, bool over, std::string& frames);
  void take_kept(const Step& step, std::string& frames);

  std::size_t head_;
  std::size_t tail_;
  std::vector<Step> steps_;
  record::FrameWriter writer_;
};

}  // namespace kneepoint::agent
