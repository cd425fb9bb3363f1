// SPDX-License-Identifier: Apache-2.0
//
// Drive: what one controller has of the study that it drives, and the parts that the reconciler
// sequences. Each part changes one thing; the store, the run table and whoever watches learn of a
// change together.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "orchestrator/engine/admission.h"
#include "orchestrator/engine/engine.h"
#include "orchestrator/engine/ingest.h"
#include "orchestrator/engine/retry.h"
#include "orchestrator/engine/rounds.h"
#include "orchestrator/engine/run_table.h"
#include "orchestrator/engine/spending.h"
#include "orchestrator/store/push_spool.h"

namespace kneepoint {

struct Drive {
  StudyStore& store;
  const StudyRow& row;
  const Study& study;
  const Site& site;
  const Clock& clock;
  const EngineOptions& options;
  const Capabilities backend;
  const Ceilings ceilings;
  RunTable table;
  Spending spending{options.price, options.earlier_prices};

  const Point& point_of(int index) { return study.points[table.at(index).point]; }
  const Limits& limits() const { return study.plan.limits; }
  bool is_packed() const { return site.packing.mode == PackingMode::packed; }
  Result<void> event(const std::string& kind, const std::string& text);
  Result<void> event_of(int index, const std::string& kind, const std::string& text);
};

// What the engine tells whoever watches: at most a few times a second, so that watching never slows
// a study down.
class ProgressView {
 public:
  explicit ProgressView(Drive& drive) : drive_(drive), started_(drive.clock.steady()) {}

  void ended(int index, const Ending& ending, double seconds, const RetryDecision& decision);
  void say(const std::string& line);
  // `silence`: what the site said when it last refused; "": it answers.
  void show(const std::string& waiting, const std::string& silence);
  void show_last();

  int round = 0;
  std::string pending_reason;  // what the backend says of a waiting job

 private:
  Progress now(const std::string& waiting, const std::string& silence) const;

  Drive& drive_;
  const Nanoseconds started_;
  Nanoseconds next_ = 0;
  int ended_here_ = 0;  // runs that this controller finished: what the time left is judged by
  std::string last_line_;
};

// What becomes of attempts. It asks no launcher; the caller holds the transaction.
class Attempts {
 public:
  Attempts(Drive& drive, ProgressView& progress) : drive_(drive), progress_(progress) {}

  Result<void> change(AttemptRow& attempt, AttemptState to);

  // These runs are about to be submitted as the steps of one allocation, in this order. The
  // allocation is named after its first step, whose name was never used before. `limits`: of each.
  Result<void> intend(const std::vector<int>& runs, const std::vector<Nanoseconds>& limits);
  // The launcher has taken their allocation.
  Result<void> handed_over(ActiveAllocation& allocation, const JobRef& job);

  // Of what its allocation left behind and what was pushed, the part of this run; a step that never
  // began if there is none.
  Result<StepArtifacts> step_of(int index, const Artifacts& artifacts) const;
  // Where the backend placed the allocation, or what its queue says of it.
  Result<void> note_placement(const ActiveAllocation& allocation, const Observation& seen);

  // A step that has begun, and whose end or whose allocation's end has been seen. `alone`: the
  // allocation was for it only, and its times are the allocation's.
  Result<void> ended(int index, const StepArtifacts& step, const Observation& seen, bool alone);
  // The allocation is over and the step was never claimed: it costs no attempt. `any_ran`: others
  // of the allocation were, so that it will get its turn in another.
  Result<void> never_began(int index, const Observation& seen, bool any_ran);
  // The same, but the site is wrong and not the run, which stays open.
  Result<void> left_open(int index, const Observation& seen);
  // The backend does not take it. A name that is taken costs no attempt either.
  Result<void> refused(int index, const Error& error);

 private:
  Result<void> conclude(int index, const Ending& ending, double seconds);
  Result<void> hand_back(int index, const std::string& why);
  Result<void> drop_pushed(const AttemptRow& attempt);
  // Records may have been pushed: they count beside what was collected.
  bool has_pushes() const { return !drive_.options.live.spool.empty(); }

  Drive& drive_;
  ProgressView& progress_;
};

// Takes pushed records from the spool into the database, each once by attempt and seq, and only
// from the allocation that the attempt is a step of. An attempt whose records arrive is running.
// How it ends is still the backend's to say.
class Pushes {
 public:
  Pushes(Drive& drive, Attempts& attempts)
      : drive_(drive), attempts_(attempts), reader_(drive.options.live.spool) {}

  // Where the agent of this allocation pushes to; none if nobody listens.
  PushTarget target(const std::string& allocation) const;
  // All that has come, and what the endpoint has to tell; in transactions of its own.
  Result<void> take();

 private:
  Result<void> absorb(const std::vector<Push>& pushes);
  Result<void> absorb_one(const Push& push, int index);

  Drive& drive_;
  Attempts& attempts_;
  SpoolReader reader_;
  bool told_of_trouble_ = false;
};

// The points and rounds of a study as the store has them. A round is decided by pure functions
// (rounds.h) and stored with its runs and its reasons in one transaction; killed before that, the
// next controller decides the same.
class StoredRounds {
 public:
  explicit StoredRounds(Drive& drive)
      : drive_(drive), price_(drive.options.price ? &drive.options.price->item : nullptr) {}

  // Round 0, and what an earlier controller has put; inside the caller's transaction.
  Result<void> begin();
  // The next round, put into the store. False: the study is complete.
  Result<bool> decide();

  const std::map<RowId, int>& point_index() const { return point_index_; }
  int last() const { return last_; }
  // What the last decision was, for who watches.
  const std::vector<std::string>& reasons() const { return reasons_; }

 private:
  Result<void> put_points(const std::vector<int>& points);
  Result<void> put(const Round& round);
  Result<void> tell(const std::string& opening, const Round& round);

  Drive& drive_;
  const PriceItem* price_;  // null: none
  std::map<RowId, int> point_index_;
  std::map<int, RowId> point_rows_;  // of those that were asked for
  int last_ = 0;
  std::vector<std::string> reasons_;
};

// How long to leave the outside world alone after it refused: longer after each refusal in a row,
// at most a minute. Pure; the caller tells the time.
class BackOff {
 public:
  bool is_over(Nanoseconds now) const { return now >= until_; }
  Nanoseconds wait() const { return wait_; }  // 0: the last answer was good
  void refused(Nanoseconds now) {
    wait_ = std::clamp(wait_ * 2, kSecond, kMinute);
    until_ = now + wait_;
  }
  void answered() { wait_ = until_ = 0; }
  void try_now() { until_ = 0; }

 private:
  Nanoseconds wait_ = 0;
  Nanoseconds until_ = 0;
};

// May the same call go better later, though nobody changes anything?
bool may_pass(const Error& error);
// Is it about us and the site, and not about what was asked for? Then no run is to fail of it.
bool is_of_the_site(const Error& error);
// The first refusal, when there is nothing but refusals for good; else nullptr.
const Error* refused_altogether(const std::vector<Result<JobRef>>& answers);

// Does the site answer? Each silence is told once, in one sentence, when it begins and when it is
// over; in between, calls are spaced further and further apart.
class Contact {
 public:
  Contact(Drive& drive, ProgressView& progress) : drive_(drive), progress_(progress) {}

  BackOff submitting, looking;

  // The outside world refused. Of several refusals at once the first one speaks.
  Result<void> refused(BackOff& back_off, const std::string& why);
  Result<void> answered(BackOff& back_off);

  bool is_silent() const { return submitting.wait() + looking.wait() > 0; }
  const std::string& silence() const { return silence_; }  // its sentence; "": the site answers

 private:
  Drive& drive_;
  ProgressView& progress_;
  std::string silence_;
  Nanoseconds since_ = 0;
};

}  // namespace kneepoint
