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
  json.begin_object();
  json.key("schema").value(kApiSchema);
  json.key("studies").begin_array();
  for (std::size_t i = 0; i < shown; ++i) {
    json.begin_object();
    put_study_line(json, found[i], live[i], "");
    json.end_object();
  }
  json.end_array();
  json.key("next");
  shown < found.size() ? json.value(found[shown - 1].id) : json.null();
  json.end_object();
  return json.text() + "\n";
}

std::string runs_json(const std::vector<RunLine>& found, std::size_t most) {
  const std::size_t shown = std::min(found.size(), most);
  JsonWriter json;
  json.begin_object();
  json.key("schema").value(kApiSchema);
  json.key("runs").begin_array();
  for (std::size_t i = 0; i < shown; ++i) {
    const RunLine& run = found[i];
    json.begin_object();
    json.key("run").value(run.run);
    json.key("key").value(run.key);
    json.key("k").value(run.k);
    json.key("repeat").value(run.repeat);
    json.key("state").value(run.state);
    json.key("seconds");
    run.seconds ? json.value(*run.seconds) : json.null();
    json.key("attempts").value(run.attempts);
    json.end_object();
  }
  json.end_array();
  json.key("next");
  shown < found.size() ? json.value(found[shown - 1].run) : json.null();
  json.end_object();
  return json.text() + "\n";
}

}  // namespace kneepoint
