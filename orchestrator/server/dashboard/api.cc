// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/server/dashboard/api.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kneepoint {
namespace {

constexpr std::size_t kLongestName = 200;

Error wrong_body(const std::string& what) {
  return Error{ErrorCode::invalid, what};
}

// A name that stays in its folder: no slash, no leading dot, printable.
bool stays_in_folder(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && name.front() != '.' &&
         name.front() != '-' && std::none_of(name.begin(), name.end(), [](char c) {
           return c == '/' || c == '\\' || static_cast<unsigned char>(c) < ' ' || c == 127;
         });
}

template <typename... Objects>
void put_schemas(JsonWriter& json, std::type_identity<std::tuple<Objects...>>) {
  ((json.key(Objects::kSchema).begin_object(), put_object_schema<Objects>(json), json.end_object()),
   ...);
}

}  // namespace

Result<StartRequest> read_start_request(std::string_view body) {
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (!json.is_object()) return wrong_body(R"(expected a JSON object: {"plan": "name.yaml"})");
  StartRequest request;
  for (const auto& [key, value] : json.items()) {
    if (key == "gate") {
      if (!value.is_boolean()) return wrong_body("'gate': expected true or false");
      request.gate = value.get<bool>();
    } else if (key == "plan" || key == "site") {
      if (!value.is_string() || !stays_in_folder(value.get<std::string>())) {
        return wrong_body("'" + key + "': expected the name of a file in the folder of --plans");
      }
      (key == "plan" ? request.plan : request.site) = value.get<std::string>();
    } else {
      return wrong_body("unknown key; expected plan, site and gate");
    }
  }
  if (request.plan.empty()) return wrong_body("'plan' is missing: the name of a file");
  return request;
}

std::string api_schemas() {
  JsonWriter json;
  json.begin_object();
  put_schemas(json, std::type_identity<ApiObjects>());
  return json.end_object().text();
}

}  // namespace kneepoint
