// SPDX-License-Identifier: Apache-2.0
//
// From what people type to what the database holds: opening it, finding a study, finding a run; and
// who works on a study: telling it, and being the one process that does.
#pragma once

#include <memory>
#include <string>

#include "orchestrator/answers/context.h"
#include "orchestrator/base/result.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

// Where this session's database is; see places.h.
Result<std::string> database_of(const Context& context);

// read_only: the database must be there. read_write: it and its folder are made.
Result<std::unique_ptr<StudyStore>> open_database(const Context& context,
                                                  StudyStore::Access access);
bool database_exists(const Context& context);

// `words` as typed; "" = the newest study.
Result<StudyRow> find_study(StudyStore& store, const std::string& words);

// How people name a run: `STUDY/r17`, or `r17` for the newest study; `-a2` picks an attempt. How a
// study is named is the store's business (StudyStore::find_study).
struct RunWords {
  std::string study;  // "" = the newest
  int run = 0;
  int attempt = 0;  // 0: not said
};

Result<RunWords> parse_run_words(const std::string& text);

struct FoundRun {
  StudyRow study;
  RunRow run;
  Point point;
  int attempt = 0;  // as typed; 0: not said
};
Result<FoundRun> find_run(StudyStore& store, const std::string& words);

// Is its holder at work? On this host the process decides, elsewhere the heartbeat.
bool is_live(const Lease& lease, Nanoseconds wall_now);
std::string holder_text(const Lease& lease);  // "host ab12, process 4711"

// The lease of a study, given back on destruction.
class HeldLease {
 public:
  // The error names the holder and the command to watch it with.
  static Result<HeldLease> take(StudyStore& store, const StudyRow& study, const Clock& clock);
  const Lease& lease() const { return lease_; }

 private:
  struct GiveBack {
    RowId study;
    void operator()(StudyStore* store) const;
  };
  HeldLease(Lease lease, std::unique_ptr<StudyStore, GiveBack> held)
      : lease_(std::move(lease)), held_(std::move(held)) {}
  Lease lease_;
  std::unique_ptr<StudyStore, GiveBack> held_;
};

}  // namespace kneepoint
