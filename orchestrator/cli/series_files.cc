// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/series_files.h"

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "orchestrator/answers/export_pack.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/import_pack.h"
#include "orchestrator/answers/places.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/json_text.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/flags.h"
#include "orchestrator/cli/series_archive.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

namespace fs = std::filesystem;

struct Left {
  std::vector<std::string> keys;    // of plans and sites, that may be secret
  std::vector<std::string> values;  // them, to be looked for
  int unfinished = 0;
};

// Plan and site as others may see them, each of a study.
void redact_study(const Session& session, StudyRow& row, Left& left) {
  const Redacted plan = redact(row.plan_text, row.plan_path);
  const Redacted site = redact(row.site_text, "site");
  for (const auto& [what, redacted] : {std::pair{"plan", &plan}, std::pair{"site", &site}}) {
    for (const std::string& key : redacted->left_out) {
      const std::string name = std::string(what) + "." + key;
      if (std::find(left.keys.begin(), left.keys.end(), name) == left.keys.end()) {
        left.keys.push_back(name);
      }
    }
    for (std::string& one : known_secrets(session, *redacted)) {
      if (std::find(left.values.begin(), left.values.end(), one) == left.values.end()) {
        left.values.push_back(std::move(one));
      }
    }
  }
  if (!plan.left_out.empty()) row.plan_text = plan.json;
  row.site_text = site.json;
  row.plan_path = fs::path(row.plan_path).filename().string();
  row.work_dir.clear();
}

Result<SeriesArchive> gather(const Session& session, StudyStore& store, const StudyRow& of,
                             Left& left) {
  SeriesArchive archive;
  archive.name = of.name;
  archive.hash8 = of.hash8;
  archive.kneepoint = KNEEPOINT_VERSION;
  TRY_ASSIGN(const auto studies, store.series_studies(of.name, of.hash8));
  for (const SeriesStudy& one : studies) {
    if (one.state != "finished") {
      ++left.unfinished;
      continue;
    }
    ForeignStudy& study = archive.studies.emplace_back();
    TRY_ASSIGN(study.row, store.find_study(one.id));
    redact_study(session, study.row, left);
    TRY_ASSIGN(study.tables, store.study_tables(one.row));
  }
  if (archive.studies.empty()) {
    return Error{ErrorCode::conflict, "no study of " + archive.series() + " is finished"};
  }
  TRY_ASSIGN(archive.baseline, store.baseline(archive.series()));
  TRY_ASSIGN(archive.acknowledged, store.acknowledged(archive.series()));
  TRY_ASSIGN(archive.nights, store.imported_nights(archive.series()));
  TRY_ASSIGN(archive.calibration, store.calibration(archive.series()));
  TRY_ASSIGN(archive.verdicts, store.verdicts(archive.series()));
  std::erase_if(archive.verdicts, [&](const StoredVerdict& verdict) {
    return std::none_of(archive.studies.begin(), archive.studies.end(),
                        [&](const ForeignStudy& one) { return one.row.id == verdict.study; });
  });
  return archive;
}

// Without events: reading back adds some.
bool is_same(const std::vector<RowTable>& here, const std::vector<RowTable>& there) {
  const auto find = [](const std::vector<RowTable>& in, const std::string& name) {
    return std::find_if(in.begin(), in.end(),
                        [&](const RowTable& one) { return one.name == name; });
  };
  for (const RowTable& table : here) {
    if (table.name == "events") continue;
    const auto other = find(there, table.name);
    const bool empty = other == there.end() || other->rows.empty();
    if (empty != table.rows.empty() || (!empty && !(*other == table))) return false;
  }
  return true;
}

struct Taken {
  std::vector<std::string> studies;  // ids
  int known = 0;                     // there already, and the same
  std::vector<std::string> kept;     // decisions that were there and stay
};

Result<void> take_study(Session& session, StudyStore& store, const std::string& root,
                        const std::string& origin, ForeignStudy& study, Taken& taken) {
  const auto known = store.find_study(study.row.id);
  if (known && known->id == study.row.id) {
    TRY_ASSIGN(const auto tables, store.study_tables(known->row));
    if (!is_same(tables, study.tables)) {
      return Error{ErrorCode::conflict, study.row.id +
                                            " is here already, and not the same; 'delete' it "
                                            "first if the archive's is the right one"};
    }
    ++taken.known;
    return {};
  }
  study.row.work_dir = root + "/" + study.row.id;
  TRY_ASSIGN(const StudyRow row, store.put_foreign_study(study));
  if (!study.row.price.text.empty()) TRY(store.set_study_price(row.row, study.row.price));
  TRY_ASSIGN(const StudyEvidence evidence, store.evidence_in_detail(row.row));
  if (auto good = check_foreign_evidence(evidence); !good) return good.error().in(row.id);
  TRY(store.put_event(row.row, {session.clock.wall(), "import", origin, 0, 0}));
  taken.studies.push_back(row.id);
  return {};
}

// Each kind of decision only where the series has none of it here.
Result<void> take_decisions(StudyStore& store, const SeriesArchive& archive,
                            const std::string& file, const std::string& digest, Taken& taken) {
  const std::string series = archive.series();
  TRY_ASSIGN(const auto baseline, store.baseline(series));
  if (archive.baseline && baseline) taken.kept.emplace_back("baseline");
  if (archive.baseline && !baseline) TRY(store.put_baseline(*archive.baseline));
  for (const AcknowledgedChange& one : archive.acknowledged) TRY(store.put_acknowledged(one));
  TRY_ASSIGN(const auto nights, store.imported_nights(series));
  if (!archive.nights.empty() && !nights.empty()) taken.kept.emplace_back("imported nights");
  if (!archive.nights.empty() && nights.empty()) {
    TRY(store.put_imported_nights({series, file, digest, archive.nights}));
  }
  TRY_ASSIGN(const auto calibration, store.calibration(series));
  if (archive.calibration && calibration) taken.kept.emplace_back("calibration");
  if (archive.calibration && !calibration) TRY(store.put_calibration(*archive.calibration));
  for (const StoredVerdict& one : archive.verdicts) {
    const bool ours =
        std::find(taken.studies.begin(), taken.studies.end(), one.study) != taken.studies.end();
    if (ours) TRY(store.put_verdict(one));
  }
  return {};
}

std::string taken_json(const SeriesArchive& archive, const std::string& file, const Pack& pack,
                       const Taken& taken) {
  JsonWriter json;
  json.begin_object().key("series").value(archive.series()).key("file").value(file);
  json.key("sha256").value(pack.digest).key("signer").value(pack.signer);
  json.key("studies").begin_array();
  for (const std::string& id : taken.studies) json.value(id);
  json.end_array().key("known").value(taken.known).key("kept").begin_array();
  for (const std::string& one : taken.kept) json.value(one);
  return json.end_array().end_object().text() + "\n";
}

}  // namespace

Result<int> export_series(Session& session, const Arguments& arguments) {
  if (arguments.has("--prices")) {
    return wrong_flag("--prices", "is for one study; a series carries those of its studies");
  }
  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_only));
  TRY_ASSIGN(const StudyRow row, find_study(*store, arguments.text("STUDY")));
  std::string key;
  if (arguments.has("--sign-key")) {
    TRY_ASSIGN(key, read_file("key", arguments.text("--sign-key"), 1));
    if (key.empty()) return Error{ErrorCode::invalid, "--sign-key: the file is empty"};
  }
  Left left;
  TRY_ASSIGN(const SeriesArchive archive, gather(session, *store, row, left));
  const std::vector<TarMember> parts = parts_of(archive);
  TRY(refuse_secrets(parts, left.values));
  auto bytes = write_pack(parts, key);
  if (!bytes) return bytes.error().in("--sign-key");
  if (bytes->size() > static_cast<std::size_t>(kMostPackMiB) << 20) {
    return Error{ErrorCode::unsupported,
                 "the archive would be larger than " + std::to_string(kMostPackMiB) +
                     " MiB, more than can be read back; 'prune' thins out old studies"};
  }
  // What is written can be read.
  TRY_ASSIGN(const Pack pack, open_pack(*bytes, std::nullopt));
  TRY(archive_of(pack));
  const std::string path =
      arguments.has("--output") ? arguments.text("--output") : archive.series() + ".kneeseries.tar";
  TRY(write_file(path, *bytes));
  if (session.json) {
    JsonWriter json;
    json.begin_object().key("series").value(archive.series()).key("file").value(path);
    json.key("studies").value(static_cast<std::uint64_t>(archive.studies.size()));
    json.key("not_finished").value(left.unfinished);
    json.key("bytes").value(static_cast<std::uint64_t>(bytes->size()));
    json.key("sha256").value(pack.digest).key("signer").value(pack.signer);
    json.key("left_out").begin_array();
    for (const std::string& one : left.keys) json.value(one);
    session.out << json.end_array().end_object().text() << "\n";
    return kExitDone;
  }
  session.out << "wrote " << path << ": series " << archive.series() << ", "
              << counted(static_cast<long>(archive.studies.size()), "study") << ", sha256 "
              << pack.digest << "\n";
  if (left.unfinished > 0) {
    session.out << "left out: " << counted(left.unfinished, "study") << " not finished\n";
  }
  if (!left.keys.empty()) {
    session.out << "left out, since it may be secret: " << plain(joined(left.keys, ", ")) << "\n";
  }
  return kExitDone;
}

Result<int> import_series(Session& session, const Arguments& arguments, const Pack& pack,
                          bool trusted) {
  const std::string file = fs::path(arguments.text("FILE")).filename().string();
  const std::string nothing = file + ", nothing was written";
  for (const char* flag : {"--study", "--new"}) {
    if (arguments.has(flag)) {
      return wrong_flag(flag, "is not for a series: it keeps its name, and is read back once");
    }
  }
  auto archive = archive_of(pack);
  if (!archive) return archive.error().in(nothing);
  const std::string origin = "Read back from the archive " + file + " of series " +
                             archive->series() + ", sha256 " + pack.digest + ", " +
                             signature_words(pack, trusted) + ".";
  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_write));
  TRY_ASSIGN(const std::string database, database_of(session));
  const std::string root = work_root({}, database, fs::current_path().string());
  Taken taken;
  TRY_ASSIGN(auto transaction, store->begin());
  for (ForeignStudy& study : archive->studies) {
    if (auto put = take_study(session, *store, root, origin, study, taken); !put) {
      Error error = put.error().in(nothing);
      if (error.code == ErrorCode::corrupt) error.code = ErrorCode::invalid;
      return error;
    }
  }
  if (auto put = take_decisions(*store, *archive, file, pack.digest, taken); !put) {
    return put.error().in(nothing);
  }
  TRY(transaction->commit());
  if (session.json) {
    session.out << taken_json(*archive, file, pack, taken);
    return kExitDone;
  }
  session.out << "series " << archive->series() << ": "
              << counted(static_cast<long>(taken.studies.size()), "study") << " from " << file
              << (taken.known > 0 ? ", " + std::to_string(taken.known) + " were here already" : "")
              << "\n"
              << "note: " << wrap(plain(origin), predict_width(session), 6).substr(6);
  for (const std::string& one : taken.kept) {
    session.out << "note: the series has a " << one << " here, which stays\n";
  }
  return kExitDone;
}

}  // namespace kneepoint::cli
