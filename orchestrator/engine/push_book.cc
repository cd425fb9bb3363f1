// SPDX-License-Identifier: Apache-2.0
//
// The database first, then the spool forgets. Trouble with the spool is a line in the log, since
// the same records come home by the run directory or the pod's log.
#include "orchestrator/engine/push_book.h"

#include "agents/wire/record.h"
#include "orchestrator/base/log.h"
#include "orchestrator/engine/requests.h"

namespace kneepoint {
namespace {

constexpr std::size_t kBytesAtOnce = 8 << 20;  // of one transaction
constexpr int kMostAtOnce = 8;                 // such transactions between two looks at the backend

}  // namespace

PushBook::PushBook(StudyStore& store, RunTable& table, AttemptBook& book, const LiveReports& live)
    : store_(store), table_(table), book_(book), live_(live), reader_(live.spool) {
  if (!live_.spool.empty()) book_.expect_pushes();
}

PushTarget PushBook::target(const std::string& allocation) const {
  return live_.target ? live_.target(allocation) : PushTarget{};
}

Result<void> PushBook::tell_news() {
  if (!live_.news) return {};
  for (const std::string& text : live_.news()) TRY(book_.event("push", text));
  return {};
}

Result<void> PushBook::take() {
  if (live_.spool.empty()) return {};
  TRY(tell_news());
  for (int i = 0; i < kMostAtOnce; ++i) {
    const auto pushes = reader_.take(kBytesAtOnce);
    if (!pushes) {
      if (!told_of_trouble_) log_warning("", "pushed records: " + pushes.error().message);
      told_of_trouble_ = true;
      return {};
    }
    if (pushes->empty()) return {};
    TRY_ASSIGN(auto transaction, store_.begin());
    TRY(absorb(*pushes));
    TRY(transaction->commit());
    if (const auto forgotten = reader_.forget(); !forgotten) {
      log_warning("", "pushed records: " + forgotten.error().message);
    }
  }
  return {};
}

Result<void> PushBook::absorb(const std::vector<Push>& pushes) {
  std::map<std::string, int> active;
  for (const int index : table_.active()) {
    const RunState& run = table_.at(index);
    active[attempt_name(run.row.number, run.active->row.number)] = index;
  }
  for (const Push& push : pushes) {
    const auto found = active.find(push.attempt);
    if (found == active.end()) continue;  // over already: its records are here
    if (table_.at(found->second).active->row.allocation != push.allocation) {
      log_warning(push.attempt, "records pushed with the token of another allocation, " +
                                    push.allocation + ", are not taken");
      continue;
    }
    TRY(absorb_one(push, found->second));
  }
  return {};
}

Result<void> PushBook::absorb_one(const Push& push, int index) {
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
  AttemptRow& attempt = table_.at(index).active->row;
  TRY(store_.put_pushed(attempt.row, records));
  if (records.empty() || attempt.state != AttemptState::queued) return {};
  return book_.change(attempt, AttemptState::running);
}

}  // namespace kneepoint
