// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/pack/import_pack.h"

#include <filesystem>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/places.h"
#include "orchestrator/base/text.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

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

Result<void> put_pack(const Context& context, StudyStore& store, PackStudy& study,
                      PackImport& answer) {
  TRY_ASSIGN(const std::string database, database_of(context));
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
                         {context.clock.wall(), "import", answer.caveats.front().message, 0, 0});
}

}  // namespace

Result<PackImport> import_pack(const Context& context, const PackImportRequest& request) {
  const Pack& pack = request.pack;
  const std::string nothing = request.file + ", nothing was written";
  auto study = study_of_pack(pack, request.study);
  if (!study) return study.error().in(nothing);
  PackImport answer;
  answer.file = request.file;
  answer.digest = pack.digest;
  answer.signer = pack.signer;
  answer.caveats = caveats_of_pack(pack, study->header, request.file, request.trusted);
  TRY_ASSIGN(const auto store, open_database(context, StudyStore::Access::read_write));
  TRY_ASSIGN(auto transaction, store->begin());
  std::optional<StudyRow> known;
  if (!request.make_new) {
    TRY_ASSIGN(known, same_pack(*store, study->foreign.row, pack.digest));
  }
  if (known) {
    answer.created = false;
    answer.study = *known;
  } else if (auto put = put_pack(context, *store, *study, answer); !put) {
    Error error = put.error().in(nothing);
    // A word that the database can't have came from the pack.
    if (error.code == ErrorCode::corrupt) error.code = ErrorCode::invalid;
    return error;
  }
  TRY(transaction->commit());
  return answer;
}

Result<PackHeader> try_import(const Pack& pack) {
  TRY_ASSIGN(PackStudy study, study_of_pack(pack, ""));
  TRY_ASSIGN(const auto store,
             StudyStore::open(":memory:", StudyStore::Access::read_write, system_clock()));
  StudyRow& row = study.foreign.row;
  row.id = row.name + "-" + row.hash8 + "-1";
  TRY_ASSIGN(const StudyRow put, store->put_foreign_study(study.foreign));
  TRY_ASSIGN(const StudyEvidence evidence, store->evidence_in_detail(put.row));
  TRY(check_foreign_evidence(evidence));
  return study.header;
}

}  // namespace kneepoint
