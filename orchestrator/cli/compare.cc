// SPDX-License-Identifier: Apache-2.0
//
// kneepoint compare: two or more studies of one plan against each other.
#include "orchestrator/answers/study/compare.h"

#include "orchestrator/cli/shell/command.h"
#include "orchestrator/cli/shell/flags.h"
#include "orchestrator/cli/shell/terminal.h"
#include "orchestrator/report/terminal/answers.h"

namespace kneepoint::cli {
namespace {

Result<int> run_compare(Session& session, const Arguments& arguments) {
  CompareRequest request{.studies = {arguments.text("A")},
                         .prices = arguments.text("--prices"),
                         .items = arguments.text("--item"),
                         .mode = parse_mode(arguments.text("--mode"))};
  for (const std::string& word : arguments.list("B")) request.studies.push_back(word);
  if (arguments.has("--case")) request.case_name = arguments.text("--case");
  TRY_ASSIGN(request.floor, floor_flag(arguments));
  TRY_ASSIGN(const CompareAnswer answer, compare(session, request));
  if (!answer.problems.empty()) return report_problems(session, answer.problems);
  show(session, answer, kIndented);
  return answer.any() ? kExitDone : kExitNegative;
}

}  // namespace

CommandSpec compare_command() {
  return {
      "compare",
      "Compare studies",
      "For every curve that the studies share: T of B over T of A at each K with its interval, "
      "efficiency and knee side by side, what a result costs, and the price below which B is "
      "worth it; then what differs, and what can't be compared and why. Imported tables and "
      "packs compare like any study. Without --prices a node-hour of A stands for money. Exit "
      "code 1 if no time could be compared.",
      {study_argument("A", "The study that the others are compared with: id, unique prefix or name",
                      true),
       {"B", "One or more other studies", true, {}, Completes::studies, true}},
      {file_flag("--prices",
                 "Price book; with commas, one for each study (docs/reference/prices.md)"),
       {"--item", "NAME", "Which of its items; with commas, one for each study"},
       {"--floor", "SHARE", "Least efficiency worth paying for (default: A's)"},
       mode_flag("Only this one"),
       {"--case", "NAME", "Only this case"}},
      {"kneepoint compare old-cluster new-cluster",
       "kneepoint compare ours vendor-a vendor-b --floor 0.8",
       "kneepoint compare ours theirs --prices plans/prices/example.yaml --item c-large,our-own"},
      run_compare};
}

}  // namespace kneepoint::cli
