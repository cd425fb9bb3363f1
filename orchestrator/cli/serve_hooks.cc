// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/serve_hooks.h"

#include "orchestrator/answers/lookup.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/compare_text.h"
#include "orchestrator/cli/explain_text.h"
#include "orchestrator/cli/report_options.h"
#include "orchestrator/report/html/html.h"
#include "orchestrator/server/dashboard/api_schema.h"

namespace kneepoint::cli {

Result<std::string> ServeHooks::report(const std::string& study, const std::string& form) const {
  TRY_ASSIGN(const auto store, open());
  TRY_ASSIGN(const StudyRow row, store->find_study(study));
  TRY_ASSIGN(const std::optional<Prices> prices, checked_prices(row.price));
  TRY_ASSIGN(const Document document, document_of(*store, row, prices));
  std::string text = form == "csv"    ? to_csv(document)
                     : form == "md"   ? to_markdown(document)
                     : form == "html" ? to_html(document)
                                      : to_json(document);
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

Result<std::string> ServeHooks::story(const std::string& study, int run) const {
  TRY_ASSIGN(const auto store, open());
  TRY_ASSIGN(const FoundRun found, find_run(*store, study + "/r" + std::to_string(run)));
  TRY_ASSIGN(const RunStory story, read_story(*store, found));
  return to_json(story);
}

Result<std::string> ServeHooks::compare(const std::vector<std::string>& studies) const {
  TRY_ASSIGN(const auto store, open());
  TRY_ASSIGN(const CompareAnswer answer, cli::compare(*store, {.studies = studies}));
  if (!answer.problems.empty()) {
    return Error{ErrorCode::invalid,
                 "a stored price book can't be used:\n" + to_string(answer.problems)};
  }
  return compare_json(answer) + "\n";
}

Result<std::string> ServeHooks::series(const SeriesLine& series) const {
  TRY_ASSIGN(const auto store, open());
  TRY_ASSIGN(const SeriesNights nights, series_nights(*store, series, judged_));
  JsonWriter json;
  put_fields(json.begin_object().put("schema", kApiSchema), nights);
  return json.end_object().text() + "\n";
}

Result<std::optional<std::string>> ServeHooks::verdict(const SeriesLine& series) const {
  TRY_ASSIGN(const auto store, open());
  return newest_verdict(*store, series);
}

}  // namespace kneepoint::cli
