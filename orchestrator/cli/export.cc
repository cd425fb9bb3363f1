// SPDX-License-Identifier: Apache-2.0
//
// kneepoint export: a study as one file that others can verify and import.
#include <ostream>

#include "orchestrator/answers/loading.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/pack/export_pack.h"
#include "orchestrator/answers/study/report.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/series_files.h"
#include "orchestrator/cli/shell/commands.h"
#include "orchestrator/cli/shell/terminal.h"
#include "orchestrator/report/document.h"
#include "orchestrator/report/terminal/operating.h"

namespace kneepoint::cli {
namespace {

Result<std::vector<TarMember>> reports_of(StudyStore& store, RowId study) {
  TRY_ASSIGN(StudyEvidence evidence, store.evidence_in_detail(study));
  const Document document = make_document(std::move(evidence), analysis_options());
  return std::vector<TarMember>{{"report/report.txt", to_terminal(document, TerminalStyle{})},
                                {"report/report.md", to_markdown(document)},
                                {"report/report.json", to_json(document)}};
}

Result<int> run_export(Session& session, const Arguments& arguments) {
  if (arguments.has("--series")) return export_series(session, arguments);
  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_only));
  TRY_ASSIGN(const StudyRow row, find_study(*store, arguments.text("STUDY")));
  TRY(check_exportable(row));
  ExportRequest request;
  request.prices = arguments.text("--prices");
  if (arguments.has("--sign-key")) {
    TRY_ASSIGN(request.sign_key, read_file("key", arguments.text("--sign-key"), 1));
    if (request.sign_key.empty()) return wrong_flag("--sign-key", "the file is empty");
  }
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
