// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/pack_import.h"

#include <filesystem>
#include <ostream>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/places.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/flags.h"
#include "orchestrator/cli/pack_study.h"
#include "orchestrator/cli/series_archive.h"
#include "orchestrator/cli/series_files.h"
#include "orchestrator/plan/tables/study.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

namespace fs = std::filesystem;

struct PackAnswer {
  StudyRow study;
  bool created = true;
  std::string file, digest, signer;
  std::vector<Caveat> caveats;
};

// The study of this name that came from these bytes.
Result<std::optional<StudyRow>> same_pack(StudyStore& store, const StudyRow& wanted,
                                          const std::string& digest) {
  TRY_ASSIGN(const std::vector<StudyRow> known, store.studies());
  for (const StudyRow& row : known) {
    if (row.name != wanted.name || row.hash8 != wanted.hash8) continue;
    TRY_ASSIGN(const StudyEvidence evidence, store.evidence(row.row));
    for (const Caveat& caveat : evidence.caveats) {
      if (caveat.code == "pack" && caveat.message.find(digest) != std::string::npos) {
        return std::optional<StudyRow>(row);
      }
    }
  }
  return std::optional<StudyRow>();
}

Result<void> put_pack(Session& session, StudyStore& store, PackStudy& study, PackAnswer& answer) {
  TRY_ASSIGN(const std::string database, database_of(session));
  StudyRow& row = study.foreign.row;
  TRY_ASSIGN(const auto newest, store.newest_of_series(row.name, row.hash8));
  row.n = newest ? newest->n + 1 : 1;
  row.id = row.name + "-" + row.hash8 + "-" + std::to_string(row.n);
  row.work_dir = work_root({}, database, fs::current_path().string()) + "/" + row.id;
  TRY_ASSIGN(answer.study, store.put_foreign_study(study.foreign));
  TRY_ASSIGN(const StudyEvidence evidence, store.evidence_in_detail(answer.study.row));
  TRY(check_foreign_evidence(evidence));
  if (const TimesCheck times = check_times(evidence); times.differ > 0) {
    answer.caveats.push_back({"pack_times", "T of " + std::to_string(times.differ) + " of " +
                                                counted(times.looked_at, "run") +
                                                " does not follow from the samples in the pack."});
  }
  TRY(store.put_caveats(answer.study.row, answer.caveats));
  return store.put_event(answer.study.row,
                         {session.clock.wall(), "import", answer.caveats.front().message, 0, 0});
}

std::string pack_text(const PackAnswer& answer, int width) {
  std::string text;
  if (answer.created) {
    text = "study " + answer.study.id + ": " + counted(answer.study.runs, "run") + " from " +
           answer.file + "\n";
  } else {
    text = answer.file + " is study " + answer.study.id +
           " already; nothing was written. Import it again with --new.\n";
  }
  return text + notes_text(answer.caveats, width) + "report: kneepoint report " + answer.study.id +
         "\n";
}

std::string pack_json(const PackAnswer& answer) {
  JsonWriter json;
  json.begin_object().key("study").value(answer.study.id).key("created").value(answer.created);
  json.key("file").value(answer.file).key("sha256").value(answer.digest);
  json.key("signer").value(answer.signer).key("runs").value(answer.study.runs);
  return json.put("caveats", answer.caveats).end_object().text();
}

}  // namespace

Result<std::optional<std::string>> trusted_key_of(const Arguments& arguments) {
  if (!arguments.has("--key")) return std::optional<std::string>();
  TRY_ASSIGN(std::string key, read_file("key", arguments.text("--key"), 1));
  if (key.find("-----BEGIN PUBLIC KEY-----") == std::string::npos) {
    return wrong_flag("--key", arguments.text("--key") + " holds no public key in PEM");
  }
  return std::optional<std::string>(std::move(key));
}

Result<int> import_pack(Session& session, const Arguments& arguments, const std::string& bytes) {
  for (const char* flag :
       {"--mode", "--case", "--worker", "--workers-per-node", "--unit", "--decimal", "--floor"}) {
    if (arguments.has(flag)) return wrong_flag(flag, "is for tables; this is an evidence pack");
  }
  const std::string name = arguments.text("--study");
  if (arguments.has("--study") && !is_study_name(name)) {
    return wrong_flag("--study", "expected 1 to 40 of a-z, 0-9 and '-', not beginning with '-'");
  }
  PackAnswer answer;
  answer.file = fs::path(arguments.text("FILE")).filename().string();
  TRY_ASSIGN(const auto key, trusted_key_of(arguments));
  auto pack = open_pack(bytes, key);
  if (!pack) return pack.error().in(answer.file + ", nothing was written");
  if (is_series_archive(*pack)) {
    return import_series(session, arguments, *pack, key.has_value());
  }
  auto study = study_of_pack(*pack, name);
  if (!study) return study.error().in(answer.file + ", nothing was written");
  answer.digest = pack->digest;
  answer.signer = pack->signer;
  answer.caveats = caveats_of_pack(*pack, study->header, answer.file, key.has_value());
  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_write));
  TRY_ASSIGN(auto transaction, store->begin());
  std::optional<StudyRow> known;
  if (!arguments.has("--new")) {
    TRY_ASSIGN(known, same_pack(*store, study->foreign.row, pack->digest));
  }
  if (known) {
    answer.created = false;
    answer.study = *known;
  } else {
    if (auto put = put_pack(session, *store, *study, answer); !put) {
      Error error = put.error().in(answer.file + ", nothing was written");
      // A word that the database can't have came from the pack.
      if (error.code == ErrorCode::corrupt) error.code = ErrorCode::invalid;
      return error;
    }
  }
  TRY(transaction->commit());
  session.out << (session.json ? pack_json(answer) + "\n"
                               : pack_text(answer, predict_width(session)));
  return kExitDone;
}

}  // namespace kneepoint::cli
