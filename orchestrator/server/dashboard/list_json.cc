// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/server/dashboard/list_json.h"

#include <algorithm>

#include "orchestrator/server/dashboard/api_schema.h"
#include "orchestrator/server/dashboard/study_picture.h"

namespace kneepoint {

std::string studies_json(const std::vector<StudyLine>& found, const std::vector<bool>& live,
                         std::size_t most) {
  const std::size_t shown = std::min(found.size(), most);
  JsonWriter json;
  json.begin_object().put("schema", kApiSchema).key("studies").begin_array();
  for (std::size_t i = 0; i < shown; ++i) put_study_line(json, found[i], live[i], "");
  json.end_array().put_or_null("next", shown < found.size() ? found[shown - 1].id : "");
  return json.end_object().text() + "\n";
}

std::string runs_json(const std::vector<RunLine>& found, std::size_t most) {
  const std::size_t shown = std::min(found.size(), most);
  JsonWriter json;
  json.begin_object().put("schema", kApiSchema).key("runs").begin_array();
  for (std::size_t i = 0; i < shown; ++i) {
    const RunLine& run = found[i];
    json.begin_object().put("run", run.run).put("key", run.key).put("k", run.k);
    json.put("repeat", run.repeat).put("state", run.state).put("seconds", run.seconds);
    json.put("attempts", run.attempts).end_object();
  }
  json.end_array().put_or_null("next", shown < found.size() ? found[shown - 1].run : 0);
  return json.end_object().text() + "\n";
}

}  // namespace kneepoint
