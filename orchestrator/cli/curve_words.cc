// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/curve_words.h"

#include "orchestrator/report/text.h"

namespace kneepoint::cli {

std::string curve_name(const std::string& build, const std::string& case_name, Mode mode) {
  return plain((build == "default" ? "" : build + " ") + case_name) + ", " + to_string(mode);
}

void put_caveats(JsonWriter& json, const std::vector<Caveat>& caveats) {
  json.put("caveats", caveats);
}

}  // namespace kneepoint::cli
