// SPDX-License-Identifier: Apache-2.0
//
// kneepoint export: a study, or a series of them, as one file that others can verify and import.
#include <ostream>

#include "orchestrator/answers/loading.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/night/series_archive.h"
#include "orchestrator/answers/pack/export_pack.h"
#include "orchestrator/answers/study/report.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/shell/flags.h"
#include "orchestrator/cli/shell/terminal.h"
#include "orchestrator/report/document.h"
#include "orchestrator/report/terminal/operating.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

Result<std::vector<TarMember>> reports_of(StudyStore& store, RowId study) {
  TRY_ASSIGN(StudyEvidence evidence, store.evidence_in_detail(study));
  const Document document = make_document(std::move(evidence), analysis_options());
  return std::vector<TarMember>{{"report/report.txt", to_terminal(document, TerminalStyle{})},
                                {"report/report.md", to_markdown(document)},
                                {"report/report.json", to_json(document)}};
}

// "": it is not to be signed.
Result<std::string> signing_key(const Arguments& arguments) {
  if (!arguments.has("--sign-key")) return std::string();
  TRY_ASSIGN(std::string key, read_file("key", arguments.text("--sign-key"), 1));
  if (key.empty()) return wrong_flag("--sign-key", "the file is empty");
  return key;
}

Result<int> export_series(Session& session, const Arguments& arguments) {
  if (arguments.has("--prices")) {
    return wrong_flag("--prices", "is for one study; a series carries those of its studies");
  }
  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_only));
  TRY_ASSIGN(const StudyRow row, find_study(*store, arguments.text("STUDY")));
  TRY_ASSIGN(const std::string key, signing_key(arguments));
  TRY_ASSIGN(const SeriesExport done,
             kneepoint::export_series(session, *store, row, arguments.text("--output"), key));
  TRY(write_file(done.file, done.bytes));
  if (session.json) {
    session.out << json_text(done) << "\n";
    return kExitDone;
  }
  session.out << "wrote " << done.file << ": series " << done.series << ", "
              << counted(static_cast<long>(done.studies), "study") << ", sha256 " << done.digest
              << "\n";
  if (done.unfinished > 0) {
    session.out << "left out: " << counted(done.unfinished, "study") << " not finished\n";
  }
  if (!done.left_out.empty()) {
    session.out << "left out, since it may be secret: " << plain(joined(done.left_out, ", "))
                << "\n";
  }
  return kExitDone;
}

Result<int> run_export(Session& session, const Arguments& arguments) {
  if (arguments.has("--series")) return export_series(session, arguments);
  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_only));
  TRY_ASSIGN(const StudyRow row, find_study(*store, arguments.text("STUDY")));
  TRY(check_exportable(row));
  ExportRequest request;
  request.prices = arguments.text("--prices");
  TRY_ASSIGN(request.sign_key, signing_key(arguments));
  TRY_ASSIGN(request.reports, reports_of(*store, row.row));
  TRY_ASSIGN(PackExport answer, export_pack(session, *store, row, std::move(request)));
  if (!answer.problems.empty()) return report_problems(session, answer.problems);
  answer.file = arguments.has("--output") ? arguments.text("--output") : row.id + ".kneepack.tar";
  TRY(write_file(answer.file, answer.bytes));
  session.out << (session.json ? json_text(answer) + "\n" : to_text(answer));
  return kExitDone;
}

}  // namespace

CommandSpec export_command() {
  return {
      "export",
      "Write a study into one file for others to check",
      "Writes an evidence pack: plan, site without secrets, provenance, the samples and results of "
      "all attempts, the report, and a SHA-256 of every part, in one tar file. With --sign-key it "
      "is signed (Ed25519); without, damage is detected, not forgery. Others check it with "
      "'verify' and take it in with 'import'. docs/reference/evidence.md tells more. With --series "
      "the file is an archive of all finished studies of the study's series with what was decided "
      "about it (baseline, acknowledged changes, verdicts); 'import' reads it back under the same "
      "names, and the gate answers as before.",
      {study_or_newest()},
      {{"--series", "", "Archive the whole series of the study"},
       file_flag("--output", "Where to (default: STUDY.kneepack.tar, or SERIES.kneeseries.tar)"),
       file_flag("--sign-key", "Private key, Ed25519 in PEM"),
       file_flag("--prices", "Price book to put beside it (default: the study's)")},
      {"kneepoint export jacobi", "kneepoint export jacobi --output jacobi.tar --sign-key key.pem",
       "kneepoint export nightly --series --output nightly-2026.tar"},
      run_export};
}

}  // namespace kneepoint::cli
