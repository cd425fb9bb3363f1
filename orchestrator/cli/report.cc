// SPDX-License-Identifier: Apache-2.0
//
// kneepoint report: the answer of a study, from the database alone.
#include "orchestrator/answers/study/report.h"

#include <ostream>

#include "orchestrator/base/files.h"
#include "orchestrator/cli/shell/command.h"
#include "orchestrator/cli/shell/flags.h"
#include "orchestrator/cli/shell/terminal.h"
#include "orchestrator/report/document.h"
#include "orchestrator/report/figures/figures.h"
#include "orchestrator/report/html/html.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

constexpr int kFileWidth = 100;

// All that can be said before the database is opened.
Result<void> check_flags(const Session& session, const Arguments& arguments) {
  std::vector<std::string> forms;
  if (session.json) forms.emplace_back("--json");
  for (const char* form : {"--csv", "--markdown", "--html"}) {
    if (arguments.has(form)) forms.emplace_back(form);
  }
  if (forms.size() > 1) {
    return Error{ErrorCode::invalid, joined(forms, " and ") + " exclude each other; say one"};
  }
  if (arguments.has("--brief") && !forms.empty() && forms[0] != "--markdown") {
    return Error{ErrorCode::invalid,
                 "--brief is for the terminal and --markdown: --json, --csv and --html "
                 "always hold everything"};
  }
  if (arguments.has("--figures") && (!forms.empty() || arguments.has("--output"))) {
    return Error{ErrorCode::invalid,
                 "--figures writes files into its folder and nothing else; leave out " +
                     (forms.empty() ? std::string("--output") : forms[0])};
  }
  return {};
}

Result<int> write_figures(Session& session, const Document& document, const std::string& folder) {
  const std::vector<FigureFile> files = figure_files(document);
  if (files.empty()) {
    return Error{ErrorCode::invalid,
                 document.study.id + " has no figure: no point has a valid run"};
  }
  TRY(claim_folder(folder));
  for (const FigureFile& file : files) TRY(write_file(folder + "/" + file.name, file.svg));
  session.err << "wrote " << files.size() << " figures into " << folder << "\n";
  return kExitDone;
}

Result<int> run_report(Session& session, const Arguments& arguments) {
  TRY(check_flags(session, arguments));
  TRY_ASSIGN(ReportAnswer answer,
             report_study(session, {arguments.text("STUDY"), price_choice(arguments)}));
  const Document document = make_document(std::move(answer));
  if (arguments.has("--figures")) {
    return write_figures(session, document, arguments.text("--figures"));
  }
  const bool to_file = arguments.has("--output");
  const bool brief = arguments.has("--brief");
  const TerminalStyle style{!to_file && session.color(session.out_is_terminal),
                            session.out_is_terminal && !to_file ? session.width() : kFileWidth,
                            brief, to_file || shows_unicode(session)};
  std::string text = session.json                  ? to_json(document)
                     : arguments.has("--csv")      ? to_csv(document)
                     : arguments.has("--markdown") ? to_markdown(document, brief)
                     : arguments.has("--html")     ? to_html(document)
                                                   : to_terminal(document, style);
  if (!text.empty() && text.back() != '\n') text += '\n';
  if (!to_file) {
    session.out << text;
    return kExitDone;
  }
  TRY(write_file(arguments.text("--output"), text));
  session.err << "wrote " << arguments.text("--output") << "\n";
  return kExitDone;
}

}  // namespace

CommandSpec report_command() {
  return {
      "report",
      "Show the answer of a study",
      "Says in plain words how far scaling pays and why, then shows the numbers: speedup and "
      "efficiency with intervals, models, knees by every rule, predictions, where the time goes, "
      "and what a result costs where prices are known. "
      "From the database alone, also while the study runs.",
      {study_or_newest()},
      with_price_flags(
          {{"--brief", "", "Words and one table per curve; without the tables of details"},
           {"--csv", "", "One line per point, for spreadsheets"},
           file_flag("--figures", "Write every figure as an SVG file into DIR", "DIR"),
           {"--html", "", "One page for a browser, figures included; needs no network"},
           {"--markdown", "", "Tables for an issue or a wiki"},
           file_flag("--output", "Write into FILE instead of to stdout")}),
      {"kneepoint report", "kneepoint report quickstart --html --output report.html",
       "kneepoint report quickstart --markdown --output report.md",
       "kneepoint report quickstart-1a2b3c4d-2 --json"},
      run_report};
}

}  // namespace kneepoint::cli
