// SPDX-License-Identifier: Apache-2.0
//
// Studies: one row each, found by what people type, and the story of each as events. The counts
// that `list` shows are counted, not kept. A new price is for what is handed over from now on:
// attempts of before keep the price that they were handed over by. What ran before there was any
// price goes by the first one.
#include <limits>

#include "orchestrator/base/text.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {
namespace {

constexpr char kCaveat[] = "caveat";  // kind of the events that are caveats, as "code: message"
constexpr char kBetween[] = ": ";

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

Result<StudyRow> StudyStore::create_study(const Study& study, const Site& site, int n,
                                          const std::string& work_dir) {
  const Plan& plan = study.plan;
  StudyRow row;
  row.id = plan.study + "-" + study.hash8 + "-" + std::to_string(n);
  row.name = plan.study;
  row.hash8 = study.hash8;
  row.n = n;
  row.state = "running";
  row.backend = to_string(site.backend);
  row.site = site.name;
  row.plan_path = plan.path;
  row.plan_text = plan.text;
  row.site_text = site.text;
  row.work_dir = work_dir;
  row.worker = plan.worker;
  row.seed = plan.seed;
  row.knee_rule = plan.knee.rule;
  row.knee_floor = plan.knee.floor;
  row.price = site.price;
  row.created_ns = row.updated_ns = clock_.wall();
  TRY_ASSIGN(auto transaction, db_.begin());
  if (auto put = db_.run(insert_text<StudyRow>("studies"), row); !put) {
    if (put.error().code != ErrorCode::exists) return put.error();
    return Error{ErrorCode::exists, "study " + row.id + " exists already in " + db_.path()};
  }
  row.row = db_.last_insert_row();
  int position = 0;
  for (const Build& build : plan.builds) {
    TRY(db_.run(insert_text<Build>("builds", {"study", "position"}), row.row, position++, build));
  }
  TRY(transaction.commit());
  return row;
}

Result<std::vector<Build>> StudyStore::builds(RowId study) {
  return db_.all<Build>(
      "SELECT " + select_list<Build>() + " FROM builds WHERE study = ? ORDER BY position", study);
}

Result<std::vector<StudyRow>> StudyStore::studies_where(const std::string& condition,
                                                        const auto&... values) {
  static const std::string kSelect =
      "SELECT id, " + select_list<StudyRow>() +
      ", (SELECT COUNT(*) FROM runs WHERE study = s.id),"
      " (SELECT COUNT(*) FROM runs WHERE study = s.id AND outcome = 'succeeded'),"
      " (SELECT COUNT(*) FROM runs WHERE study = s.id AND outcome = 'failed') FROM studies s ";
  TRY_ASSIGN(auto statement, db_.query(kSelect + condition, values...));
  std::vector<StudyRow> found;
  for (;;) {
    TRY_ASSIGN(const bool there, statement.next());
    if (!there) return found;
    StudyRow& one = found.emplace_back();
    statement.read(one.row, one, one.runs, one.succeeded, one.failed);
  }
}

Result<StudyRow> StudyStore::study_row(RowId study) {
  TRY_ASSIGN(std::vector<StudyRow> found, studies_where("WHERE id = ?", study));
  if (found.empty()) return no_such("study", study);
  return std::move(found.front());
}

Result<std::vector<StudyRow>> StudyStore::studies() {
  return studies_where("ORDER BY created_ns DESC, id DESC");
}

Result<std::optional<StudyRow>> StudyStore::newest_of_series(const std::string& name,
                                                             const std::string& hash8) {
  TRY_ASSIGN(std::vector<StudyRow> found,
             studies_where("WHERE name = ? AND hash8 = ? ORDER BY n DESC LIMIT 1", name, hash8));
  if (found.empty()) return std::optional<StudyRow>();
  return std::optional(std::move(found.front()));
}

Result<void> StudyStore::set_study_state(RowId study, const std::string& state) {
  return change_one("study", study,
                    db_.run("UPDATE studies SET state = ?, updated_ns = ? WHERE id = ?", state,
                            clock_.wall(), study));
}

Result<void> StudyStore::update_study_plan(RowId study, const Study& plan) {
  return change_one("study", study,
                    db_.run("UPDATE studies SET plan_path = ?, plan_text = ?, knee_rule = ?,"
                            " knee_floor = ?, updated_ns = ? WHERE id = ?",
                            plan.plan.path, plan.plan.text, plan.plan.knee.rule,
                            plan.plan.knee.floor, clock_.wall(), study));
}

Result<void> StudyStore::delete_study(RowId study) {
  TRY(change_one("study", study, db_.run("DELETE FROM studies WHERE id = ?", study)));
  held_.erase(study);
  return {};
}

Result<RowId> choose_study(const std::string& words, const std::vector<StudyName>& known,
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
  TRY_ASSIGN(const auto known, db_.all<StudyName>("SELECT id, study_id, name FROM studies"
                                                  " ORDER BY created_ns DESC, n DESC, id DESC"));
  TRY_ASSIGN(const RowId row, choose_study(words, known, db_.path()));
  return study_row(row);
}

Result<void> StudyStore::set_study_price(RowId study, const SitePrice& price) {
  TRY_ASSIGN(auto transaction, db_.begin());
  TRY_ASSIGN(const StudyRow now, study_row(study));
  const bool same = now.price.text == price.text && now.price.item == price.item;
  if (!same && !now.price.text.empty()) {
    TRY_ASSIGN(const std::vector<SitePrice> earlier, earlier_prices(study));
    const std::size_t number = earlier.size() + 1;
    TRY_ASSIGN(const int billed,
               db_.run("UPDATE attempts SET price = ? WHERE price = 0 AND submissions > 0"
                       " AND run IN (SELECT id FROM runs WHERE study = ?)",
                       number, study));
    if (billed > 0) {
      TRY(db_.run(insert_text<SitePrice>("earlier_prices", {"study", "number"}), study, number,
                  now.price));
    }
  }
  TRY(db_.run("UPDATE studies SET price_path = ?, price_item = ?, price_text = ? WHERE id = ?",
              price, study));
  return transaction.commit();
}

Result<std::vector<SitePrice>> StudyStore::earlier_prices(RowId study) {
  return db_.all<SitePrice>(
      "SELECT path, item, text FROM earlier_prices WHERE study = ? ORDER BY number", study);
}

Result<void> StudyStore::put_event(RowId study, const Event& event) {
  Event put = event;
  if (put.wall_ns == 0) put.wall_ns = clock_.wall();
  TRY(db_.run(insert_text<Event>("events", {"study"}), study, put));
  return {};
}

Result<std::vector<Event>> StudyStore::events(RowId study, int run_number) {
  const int last = run_number == 0 ? std::numeric_limits<int>::max() : run_number;
  return db_.all<Event>("SELECT " + select_list<Event>() +
                            " FROM events WHERE study = ? AND run_number BETWEEN ? AND ?"
                            " ORDER BY id",
                        study, run_number, last);
}

Result<void> StudyStore::put_caveats(RowId study, const std::vector<Caveat>& caveats) {
  TRY_ASSIGN(auto transaction, db_.begin());
  for (const Caveat& caveat : caveats) {
    TRY(put_event(study, {clock_.wall(), kCaveat, caveat.code + kBetween + caveat.message, 0, 0}));
  }
  return transaction.commit();
}

Result<void> StudyStore::set_caveat(RowId study, const Caveat& caveat) {
  const std::string opening = caveat.code + kBetween;
  TRY_ASSIGN(auto transaction, db_.begin());
  TRY(
      db_.run("DELETE FROM events WHERE study = ? AND run_number = 0 AND kind = ?"
              " AND substr(text, 1, length(?)) = ?",
              study, kCaveat, opening, opening));
  if (!caveat.message.empty()) TRY(put_caveats(study, {caveat}));
  return transaction.commit();
}

Result<void> StudyStore::read_caveats(RowId study, StudyEvidence& evidence) {
  TRY_ASSIGN(const auto texts, db_.all<std::string>("SELECT text FROM events WHERE study = ?"
                                                    " AND run_number = 0 AND kind = ? ORDER BY id",
                                                    study, kCaveat));
  for (const std::string& text : texts) {
    const std::size_t cut = text.find(kBetween);
    if (cut == std::string::npos) continue;
    evidence.caveats.push_back({text.substr(0, cut), text.substr(cut + 2)});
  }
  return {};
}

}  // namespace kneepoint
