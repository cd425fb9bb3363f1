// SPDX-License-Identifier: Apache-2.0
//
// kneepoint verify: is an evidence pack whole, and whose is it? Does a database keep its rules?
#include <ostream>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/pack_study.h"
#include "orchestrator/answers/series_archive.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/commands.h"
#include "orchestrator/cli/flags.h"
#include "orchestrator/cli/pack_import.h"
#include "orchestrator/cli/verify_database.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

// Would `import` take it? Tried in a database that is in memory and forgotten.
Result<void> try_import(PackStudy study) {
  TRY_ASSIGN(const auto store,
             StudyStore::open(":memory:", StudyStore::Access::read_write, system_clock()));
  StudyRow& row = study.foreign.row;
  row.id = row.name + "-" + row.hash8 + "-1";
  TRY_ASSIGN(const StudyRow put, store->put_foreign_study(study.foreign));
  TRY_ASSIGN(const StudyEvidence evidence, store->evidence_in_detail(put.row));
  return check_foreign_evidence(evidence);
}

// All that can be told without the database.
Result<Pack> examine(const std::string& bytes, const std::optional<std::string>& key,
                     PackHeader& header) {
  if (!looks_like_pack(bytes)) return Error{ErrorCode::invalid, "not an evidence pack, or damaged"};
  TRY_ASSIGN(Pack pack, open_pack(bytes, key));
  if (is_series_archive(pack)) {
    TRY_ASSIGN(const SeriesArchive archive, archive_of(pack));
    header.study = archive.series();
    return pack;
  }
  TRY_ASSIGN(const PackStudy study, study_of_pack(pack, ""));
  TRY(try_import(study));
  header = study.header;
  return pack;
}

Result<int> run_verify(Session& session, const Arguments& arguments) {
  std::string path = arguments.text("FILE");
  if (path.empty() || is_database(path)) {
    if (arguments.has("--key")) return wrong_flag("--key", "is for packs; this is a database");
    if (path.empty()) {
      TRY_ASSIGN(path, database_of(session));
    }
    return verify_database(session, path);
  }
  TRY_ASSIGN(const std::string bytes, read_file("pack", path, kMostPackMiB));
  TRY_ASSIGN(const auto key, trusted_key_of(arguments));
  PackHeader header;
  const auto pack = examine(bytes, key, header);
  if (session.json) {
    JsonWriter json;
    json.begin_object().put("file", path).put("valid", pack.has_value());
    json.put("why", pack ? "" : pack.error().message).put("study", header.study);
    json.put("sha256", pack ? pack->digest : "").put("signer", pack ? pack->signer : "");
    json.put("trusted", pack.has_value() && key.has_value()).key("parts").begin_array();
    if (pack) {
      for (const TarMember& part : pack->parts) {
        json.begin_object().put("name", part.name).put("bytes", part.bytes.size()).end_object();
      }
    }
    session.out << json.end_array().end_object().text() << "\n";
  } else if (pack) {
    session.out << plain(path) << " is whole: " << (is_series_archive(*pack) ? "series " : "study ")
                << plain(header.study) << ", "
                << counted(static_cast<long>(pack->parts.size()), "part") << ", sha256 "
                << pack->digest << "\n"
                << signature_words(*pack, key.has_value()) << "\n";
  }
  if (!pack) {
    session.err << "kneepoint: verify: " << plain(path) << ": " << plain(pack.error().message)
                << "\n";
    return kExitNegative;
  }
  return kExitDone;
}

}  // namespace

CommandSpec verify_command() {
  return {"verify",
          "Check that a database or an evidence pack is whole",
          "Of a database: its pages, references between rows, states and outcomes, samples against "
          "T, rounds against the evidence that they were decided on; it is only read. Of a pack "
          "that 'export' wrote: every byte against the SHA-256 of its parts, its signature if it "
          "has one, and that it holds runs. With --key it must be signed by that key. Exit code 1 "
          "if something does not hold, or the pack is not signed by that key.",
          {{"FILE", "A database or a pack (default: the database)", false, {}, Completes::files}},
          {{"--key",
            "FILE",
            "Public key that must have signed it, in PEM",
            {},
            false,
            Completes::files}},
          {"kneepoint verify", "kneepoint verify vendor.tar",
           "kneepoint verify vendor.tar --key vendor-public.pem"},
          run_verify};
}

}  // namespace kneepoint::cli
