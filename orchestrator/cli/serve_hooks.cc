// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/serve_hooks.h"

#include "orchestrator/answers/compare.h"
#include "orchestrator/answers/explain.h"
#include "orchestrator/answers/report.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/report/html/html.h"
#include "orchestrator/server/dashboard/api_schema.h"

namespace kneepoint::cli {

Result<std::string> ServeHooks::report(const std::string& study, const std::string& form) const {
  TRY_ASSIGN(ReportAnswer answer, report_study(session_, {study, {}}));
  const Document document = make_document(std::move(answer));
  std::string text = form == "csv"    ? to_csv(document)
                     : form == "md"   ? to_markdown(document)
                     : form == "html" ? to_html(document)
                                      : to_json(document);
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

Result<std::string> ServeHooks::story(const std::string& study, int run) const {
  TRY_ASSIGN(const RunStory story, explain(session_, study + "/r" + std::to_string(run)));
  return json_text(story) + "\n";
}

Result<std::string> ServeHooks::compare(const std::vector<std::string>& studies) const {
  TRY_ASSIGN(const CompareAnswer answer, kneepoint::compare(session_, {.studies = studies}));
  if (!answer.problems.empty()) {
    return Error{ErrorCode::invalid,
                 "a stored price book can't be used:\n" + to_string(answer.problems)};
  }
  return json_text(answer, 2) + "\n";
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
