// SPDX-License-Identifier: Apache-2.0
//
// The agent's signals and children: starting the workload and ending everything it leaves behind.
// The workload has a session of its own; the agent is its subreaper, so that a daemon that left the
// session still comes back to it.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/agent/file.h"

namespace kneepoint::agent {

// The agent's signals as a descriptor: SIGTERM and SIGINT ask for cancelling, SIGCHLD tells of
// ended children. Made once, before anything is started, so that no signal is missed.
class Signals {
 public:
  // Also makes the process deaf to SIGHUP, SIGPIPE and SIGXFSZ: it outlives the controller's
  // terminal, and a full disk is an error, not an end.
  static Result<Signals> take();

  int fd() const { return file_.get(); }
  void read_pending();
  // Waits for SIGTERM or SIGINT, at most so long; true if it has come.
  bool cancel_within(Nanoseconds most);
  bool cancel_asked() const { return cancel_asked_; }

 private:
  Fd file_;
  bool cancel_asked_ = false;
};

struct Child {
  pid_t pid = -1;  // also its process group and session
  Fd out;          // non-blocking read ends
  Fd err;

  void watch(std::vector<pollfd>& entries) const;  // both, as long as they are open
};

using Environment = std::vector<std::pair<std::string, std::string>>;

// The program is looked up in the PATH that it will see. stdin is /dev/null. The error is the
// errno text with the program's name.
// `folder`: where it runs; "": where the agent does. `input`: a descriptor that becomes its stdin.
Result<Child> start_child(const std::vector<std::string>& argv, const Environment& additions,
                          const std::string& folder = "", int input = -1);

// A child that has ended, reaped; nothing: none has by now.
struct Ended {
  pid_t pid;
  int status;  // as waitpid gives it
};
std::optional<Ended> reap_child();

// Hands over what has come by now, with 1 for stdout and 2 for stderr; closes a pipe at its end.
void drain_pipes(Child& child,
                 const std::function<void(char stream, std::string_view bytes)>& take);

// The file that argv[0] stands for under these additions; "" if there is none.
std::string find_program(const std::string& name, const Environment& additions);

// Descendants whose work is on other nodes: the srun, ssh or `kneepoint-agent exec` by which mpirun
// started its daemons there. mpirun ends before them; they end when the last daemon has.
std::vector<pid_t> remote_helpers();

// Kills what is left of the session and every other descendant, until there is none or `limit` has
// passed. Returns how many were still alive when it began.
struct Leftovers {
  int killed = 0;
  bool gone = true;
};
Leftovers kill_leftovers(pid_t session, Nanoseconds limit);

// A helper of the agent's own, which kill_leftovers() and remote_helpers() leave alone until it is
// ended.
void spare_child(pid_t pid);
void end_spared_child(pid_t pid);  // when it was killed or has ended: waits for it

// Signals the child's group; a stopped program would not see SIGTERM and goes on.
void signal_group(pid_t leader, int number);

// For a shell: every character stands for itself.
std::string shell_quoted(const std::string& text);
std::string shell_text(const Environment& variables, const std::vector<std::string>& argv);

// Asks a program something: what it printed on stdout until its end or the limit, when it is ended;
// 64 KiB at most; "" if it can't be started. Only between steps, when the agent has no other child.
std::string ask_program(const std::vector<std::string>& argv, const Environment& additions,
                        Nanoseconds limit);

}  // namespace kneepoint::agent
