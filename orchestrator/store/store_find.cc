// SPDX-License-Identifier: Apache-2.0
//
// Finding a study by what people type.
#include "orchestrator/base/suggest.h"
#include "orchestrator/store/database.h"
#include "orchestrator/store/study_choice.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {
namespace {

constexpr std::size_t kMostListed = 10;

std::string listed(const std::vector<std::string>& ids) {
  std::string text;
  for (std::size_t i = 0; i < ids.size() && i < kMostListed; ++i) {
    text += (i == 0 ? "" : ", ") + ids[i];
  }
  if (ids.size() > kMostListed) {
    text += " and " + std::to_string(ids.size() - kMostListed) + " more (kneepoint list)";
  }
  return text;
}

}  // namespace

Result<std::int64_t> choose_study(const std::string& words, const std::vector<StudyName>& known,
                                  const std::string& place) {
  if (words.empty()) {
    return Error{ErrorCode::invalid,
                 "no study named; give its id, a unique beginning of it, or "
                 "its name"};
  }
  if (known.empty()) {
    return Error{ErrorCode::not_found,
                 "no study '" + words + "': there are no studies yet in " + place};
  }
  for (const auto& study : known) {
    if (study.id == words) return study.row;
  }
  for (const auto& study : known) {
    if (study.name == words) return study.row;
  }
  std::vector<std::string> ids, beginning, spellings;
  std::int64_t row = 0;
  for (const auto& study : known) {
    ids.push_back(study.id);
    spellings.push_back(study.id);
    spellings.push_back(study.name);
    if (!study.id.starts_with(words)) continue;
    beginning.push_back(study.id);
    row = study.row;
  }
  if (beginning.size() == 1) return row;
  if (beginning.size() > 1) {
    return Error{ErrorCode::invalid,
                 "'" + words + "' could be any of " + listed(beginning) + "; type more of the id"};
  }
  const std::string near = nearest_word(words, spellings);
  return Error{ErrorCode::not_found, "no study '" + words + "' in " + place +
                                         (near.empty() ? "" : ", did you mean '" + near + "'?") +
                                         (near.empty() ? "; there are: " : " There are: ") +
                                         listed(ids)};
}

Result<StudyRow> StudyStore::find_study(const std::string& words) {
  std::vector<StudyName> known;
  {
    TRY_ASSIGN(auto row, db_.query("SELECT id, study_id, name FROM studies"
                                   " ORDER BY created_ns DESC, n DESC, id DESC"));
    for (;;) {
      TRY_ASSIGN(const bool there, row.next());
      if (!there) break;
      auto& study = known.emplace_back();
      row.read(study.row, study.id, study.name);
    }
  }
  TRY_ASSIGN(const RowId row, choose_study(words, known, db_.path()));
  return study_row(row);
}

}  // namespace kneepoint
