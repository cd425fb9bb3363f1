// SPDX-License-Identifier: Apache-2.0
//
// A line between two programs that a test can cut silently: a TCP proxy on loopback that stops
// forwarding and closes nothing, as a network does that drops packets. When it heals, what was on
// its way arrives late.
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace kneepoint::testing_support {

// A port of loopback that is free and stays so for whoever is told to listen on it: held by a
// socket that is bound and does not listen, which lets one in that asks to use the address again.
class HeldPort {
 public:
  HeldPort();
  ~HeldPort();
  HeldPort(const HeldPort&) = delete;
  HeldPort& operator=(const HeldPort&) = delete;
  int number() const { return number_; }

 private:
  int fd_ = -1;
  int number_ = 0;
};

class CutLine {
 public:
  enum class Cut {
    none,
    answers,  // what comes from the far end gets lost; what is sent to it arrives
    all
  };

  CutLine();
  ~CutLine();
  CutLine(const CutLine&) = delete;
  CutLine& operator=(const CutLine&) = delete;

  int port() const { return port_; }          // where the near end connects
  void lead_to(int port) { target_ = port; }  // of loopback; before that nobody is let through
  void cut(Cut how) { cut_ = how; }
  int connections() const { return connections_; }  // that were ever let through
  // How often something arrived at the far end while its answers get lost.
  int unanswered() const { return unanswered_; }

 private:
  struct Pair {
    int near = -1, far = -1;
  };
  void run();
  void accept_one();
  static bool pass(int from, int to);  // false: that side has ended

  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> target_{0};
  std::atomic<Cut> cut_{Cut::none};
  std::atomic<int> unanswered_{0};
  std::atomic<int> connections_{0};
  std::atomic<bool> ending_{false};
  std::vector<Pair> pairs_;
  std::thread thread_;
};

}  // namespace kneepoint::testing_support
