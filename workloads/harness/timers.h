// SPDX-License-Identifier: Apache-2.0
//
// Timers: where the time of one iteration went on this rank. A scope counts from its construction
// to its destruction; scopes do not nest; what no scope covers is `other`. Waiting for a slower
// rank inside a communication scope counts as communication. Also letting time pass.
#pragma once

#include "orchestrator/base/clock.h"

namespace kneepoint::workloads {

class Timers {
 public:
  class [[nodiscard]] Scope {
   public:
    explicit Scope(Nanoseconds& sum) : sum_(sum), start_(system_clock().steady()) {}
    ~Scope() { sum_ += elapsed(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    Nanoseconds elapsed() const { return system_clock().steady() - start_; }

   private:
    Nanoseconds& sum_;
    Nanoseconds start_;
  };

  Scope compute() { return Scope(compute_); }
  Scope communication() { return Scope(communication_); }

  // What a device measured by itself.
  void add_compute(Nanoseconds duration) { compute_ += duration; }
  void add_communication(Nanoseconds duration) { communication_ += duration; }

  Nanoseconds compute_ns() const { return compute_; }
  Nanoseconds communication_ns() const { return communication_; }

 private:
  Nanoseconds compute_ = 0;
  Nanoseconds communication_ = 0;
};

// Until an absolute moment of the steady clock, so that delays do not add up.
void sleep_until(Nanoseconds steady);  // no CPU
void spin_until(Nanoseconds steady);   // one CPU, arithmetic all the while

}  // namespace kneepoint::workloads
