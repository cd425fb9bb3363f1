// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/server/dashboard/start_request.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kneepoint {
namespace {

constexpr std::size_t kLongestName = 200;

Error wrong(const std::string& what) {
  return Error{ErrorCode::invalid, what};
}

Result<std::string> name_in(const nlohmann::json& value, const std::string& key) {
  if (!value.is_string() || !stays_in_folder(value.get<std::string>())) {
    return wrong("'" + key + "': expected the name of a file in the folder of --plans");
  }
  return value.get<std::string>();
}

}  // namespace

bool stays_in_folder(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && name.front() != '.' &&
         name.front() != '-' && std::none_of(name.begin(), name.end(), [](char c) {
           return c == '/' || c == '\\' || static_cast<unsigned char>(c) < ' ' || c == 127;
         });
}

Result<StartRequest> read_start_request(std::string_view body) {
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (!json.is_object()) return wrong(R"(expected a JSON object: {"plan": "name.yaml"})");
  StartRequest request;
  for (const auto& [key, value] : json.items()) {
    if (key == "plan") {
      TRY_ASSIGN(request.plan, name_in(value, key));
    } else if (key == "site") {
      TRY_ASSIGN(request.site, name_in(value, key));
    } else if (key == "gate") {
      if (!value.is_boolean()) return wrong("'gate': expected true or false");
      request.gate = value.get<bool>();
    } else {
      return wrong("unknown key; expected plan, site and gate");
    }
  }
  if (request.plan.empty()) return wrong("'plan' is missing: the name of a file");
  return request;
}

}  // namespace kneepoint
