// SPDX-License-Identifier: Apache-2.0
//
// The database first, then the spool forgets. Trouble with the spool is a line in the log, since
// the same records come home by the run directory or the pod's log.
#include "agents/wire/record.h"
#include "orchestrator/base/log.h"
#include "orchestrator/engine/drive.h"
#include "orchestrator/engine/requests.h"

namespace kneepoint {
namespace {

constexpr std::size_t kBytesAtOnce = 8 << 20;  // of one transaction
constexpr int kMostAtOnce = 8;                 // such transactions between two looks at the backend

}  // namespace

PushTarget Pushes::target(const std::string& allocation) const {
  const LiveReports& live = drive_.options.live;
  return live.target ? live.target(allocation) : PushTarget{};
}

Result<void> Pushes::take() {
  const LiveReports& live = drive_.options.live;
  if (live.spool.empty()) return {};
  if (live.news) {
    for (const std::string& text : live.news()) TRY(drive_.event("push", text));
  }
  for (int i = 0; i < kMostAtOnce; ++i) {
    const auto pushes = reader_.take(kBytesAtOnce);
    if (!pushes) {
      if (!told_of_trouble_) log_warning("", "pushed records: " + pushes.error().message);
      told_of_trouble_ = true;
      return {};
    }
    if (pushes->empty()) return {};
    TRY_ASSIGN(auto transaction, drive_.store.begin());
    TRY(absorb(*pushes));
    TRY(transaction->commit());
    if (const auto forgotten = reader_.forget(); !forgotten) {
      log_warning("", "pushed records: " + forgotten.error().message);
    }
  }
  return {};
}

Result<void> Pushes::absorb(const std::vector<Push>& pushes) {
  std::map<std::string, int> active;
  for (const int index : drive_.table.active()) {
    const RunState& run = drive_.table.at(index);
    active[attempt_name(run.row.number, run.active->row.number)] = index;
  }
  for (const Push& push : pushes) {
    const auto found = active.find(push.attempt);
    if (found == active.end()) continue;  // over already: its records are here
    if (drive_.table.at(found->second).active->row.allocation != push.allocation) {
      log_warning(push.attempt, "records pushed with the token of another allocation, " +
                                    push.allocation + ", are not taken");
      continue;
    }
    TRY(absorb_one(push, found->second));
  }
  return {};
}

Result<void> Pushes::absorb_one(const Push& push, int index) {
  std::vector<PushedRecord> records;
  std::string_view rest = push.lines;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    const record::LineHead head = record::head_of(line);
    if (head.seq >= 0 && line.size() <= record::kMaxLine) {
      records.push_back({head.seq, head.type, line});
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  AttemptRow& attempt = drive_.table.at(index).active->row;
  TRY(drive_.store.put_pushed(attempt.row, records));
  if (records.empty() || attempt.state != AttemptState::queued) return {};
  return attempts_.change(attempt, AttemptState::running);
}

}  // namespace kneepoint
