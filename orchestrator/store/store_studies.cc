// SPDX-License-Identifier: Apache-2.0
//
// Studies: one row each, found by what people type. The counts that `list` shows are counted, not
// kept. A new price is for what is handed over from now on: attempts of before keep the price that
// they were handed over by. What ran before there was any price goes by the first one.
#include "orchestrator/base/text.h"
#include "orchestrator/store/database.h"
#include "orchestrator/store/study_choice.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {
namespace {

const std::string kSelectStudies =
    "SELECT id, study_id, name, hash8, n, state, backend, site, plan_path, plan_text, site_text,"
    " work_dir, worker, seed, knee_rule, knee_floor, price_path, price_item, price_text,"
    " created_ns, updated_ns,"
    " (SELECT COUNT(*) FROM runs WHERE study = s.id),"
    " (SELECT COUNT(*) FROM runs WHERE study = s.id AND outcome = 'succeeded'),"
    " (SELECT COUNT(*) FROM runs WHERE study = s.id AND outcome = 'failed')"
    " FROM studies s ";

// False: a word that can't be read, left in `worker`.
bool read_study(const Statement& row, StudyRow& study, std::string& worker) {
  row.read(study.row, study.id, study.name, study.hash8, study.n, study.state, study.backend,
           study.site, study.plan_path, study.plan_text, study.site_text, study.work_dir, worker,
           study.seed, study.knee_rule, study.knee_floor, study.price.book, study.price.item,
           study.price.text, study.created_ns, study.updated_ns, study.runs, study.succeeded,
           study.failed);
  const auto unit = parse_worker_unit(worker);
  if (unit) study.worker = *unit;
  return unit.has_value();
}

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
  const std::string id = plan.study + "-" + study.hash8 + "-" + std::to_string(n);
  const Nanoseconds now = clock_.wall();
  TRY_ASSIGN(auto transaction, db_.begin());
  auto inserted = db_.run(
      "INSERT INTO studies (study_id, name, hash8, n, state, backend, site, plan_path, plan_text,"
      " site_text, work_dir, worker, seed, knee_rule, knee_floor, price_path, price_item,"
      " price_text, created_ns, updated_ns)"
      " VALUES (?, ?, ?, ?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      id, plan.study, study.hash8, n, to_string(site.backend), site.name, plan.path, plan.text,
      site.text, work_dir, to_string(plan.worker), plan.seed, plan.knee.rule, plan.knee.floor,
      site.price.book, site.price.item, site.price.text, now, now);
  if (!inserted) {
    if (inserted.error().code != ErrorCode::exists) return inserted.error();
    return Error{ErrorCode::exists, "study " + id + " exists already in " + db_.path()};
  }
  const RowId row = db_.last_insert_row();
  int position = 0;
  for (const Build& build : plan.builds) {
    TRY(
        db_.run("INSERT INTO builds (study, position, label, workload, kind, place, hash)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                row, position++, build.label, build.workload, to_string(build.kind), build.place,
                build.hash));
  }
  TRY(transaction.commit());
  return study_row(row);
}

Result<std::vector<Build>> StudyStore::builds(RowId study) {
  return all_rows<Build>(
      db_.query("SELECT label, workload, kind, place, hash FROM builds WHERE study = ?"
                " ORDER BY position",
                study),
      [](const Statement& row, Build& build) {
        std::string kind;
        row.read(build.label, build.workload, kind, build.place, build.hash);
        build.kind = kind == "image"    ? Build::Kind::image
                     : kind == "folder" ? Build::Kind::folder
                                        : Build::Kind::file;
      });
}

Result<StudyRow> StudyStore::study_row(RowId study) {
  TRY_ASSIGN(auto row, db_.query(kSelectStudies + "WHERE id = ?", study));
  TRY_ASSIGN(const bool there, row.next());
  if (!there) return no_such("study", study);
  StudyRow found;
  std::string worker;
  if (!read_study(row, found, worker)) return unreadable("worker", worker);
  return found;
}

Result<std::vector<StudyRow>> StudyStore::studies() {
  TRY_ASSIGN(auto row, db_.query(kSelectStudies + "ORDER BY created_ns DESC, id DESC"));
  std::vector<StudyRow> found;
  std::string worker;
  for (;;) {
    TRY_ASSIGN(const bool there, row.next());
    if (!there) return found;
    if (!read_study(row, found.emplace_back(), worker)) return unreadable("worker", worker);
  }
}

Result<std::optional<StudyRow>> StudyStore::newest_of_series(const std::string& name,
                                                             const std::string& hash8) {
  TRY_ASSIGN(auto row,
             db_.query(kSelectStudies + "WHERE name = ? AND hash8 = ? ORDER BY n DESC LIMIT 1",
                       name, hash8));
  TRY_ASSIGN(const bool there, row.next());
  if (!there) return std::optional<StudyRow>();
  StudyRow found;
  std::string worker;
  if (!read_study(row, found, worker)) return unreadable("worker", worker);
  return std::optional<StudyRow>(std::move(found));
}

Result<void> StudyStore::set_study_state(RowId study, const std::string& state) {
  TRY_ASSIGN(const int changed, db_.run("UPDATE studies SET state = ?, updated_ns = ? WHERE id = ?",
                                        state, clock_.wall(), study));
  if (changed == 0) return no_such("study", study);
  return {};
}

Result<void> StudyStore::update_study_plan(RowId study, const Study& plan) {
  TRY_ASSIGN(const int changed,
             db_.run("UPDATE studies SET plan_path = ?, plan_text = ?, knee_rule = ?,"
                     " knee_floor = ?, updated_ns = ? WHERE id = ?",
                     plan.plan.path, plan.plan.text, plan.plan.knee.rule, plan.plan.knee.floor,
                     clock_.wall(), study));
  if (changed == 0) return no_such("study", study);
  return {};
}

Result<void> StudyStore::delete_study(RowId study) {
  TRY_ASSIGN(const int deleted, db_.run("DELETE FROM studies WHERE id = ?", study));
  if (deleted == 0) return no_such("study", study);
  held_.erase(study);
  return {};
}

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
  TRY_ASSIGN(const auto known,
             all_rows<StudyName>(db_.query("SELECT id, study_id, name FROM studies"
                                           " ORDER BY created_ns DESC, n DESC, id DESC"),
                                 [](const Statement& row, StudyName& study) {
                                   row.read(study.row, study.id, study.name);
                                 }));
  TRY_ASSIGN(const RowId row, choose_study(words, known, db_.path()));
  return study_row(row);
}

Result<void> StudyStore::set_study_price(RowId study, const SitePrice& price) {
  TRY_ASSIGN(auto transaction, db_.begin());
  TRY_ASSIGN(const StudyRow now, study_row(study));
  const bool same = now.price.text == price.text && now.price.item == price.item;
  if (!same && !now.price.text.empty()) {
    TRY_ASSIGN(const std::vector<SitePrice> earlier, earlier_prices(study));
    const auto number = static_cast<std::int64_t>(earlier.size()) + 1;
    TRY_ASSIGN(const int billed,
               db_.run("UPDATE attempts SET price = ? WHERE price = 0 AND submissions > 0"
                       " AND run IN (SELECT id FROM runs WHERE study = ?)",
                       number, study));
    if (billed > 0) {
      TRY(
          db_.run("INSERT INTO earlier_prices (study, number, path, item, text)"
                  " VALUES (?, ?, ?, ?, ?)",
                  study, number, now.price.book, now.price.item, now.price.text));
    }
  }
  TRY(db_.run("UPDATE studies SET price_path = ?, price_item = ?, price_text = ? WHERE id = ?",
              price.book, price.item, price.text, study));
  return transaction.commit();
}

Result<std::vector<SitePrice>> StudyStore::earlier_prices(RowId study) {
  return all_rows<SitePrice>(
      db_.query("SELECT path, item, text FROM earlier_prices WHERE study = ?"
                " ORDER BY number",
                study),
      [](const Statement& row, SitePrice& price) { row.read(price.book, price.item, price.text); });
}

}  // namespace kneepoint
