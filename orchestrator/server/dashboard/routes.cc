// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/server/dashboard/routes.h"

#include "orchestrator/server/dashboard/api.h"

namespace kneepoint {
namespace {

// "report.{form}" takes "report.json" and has "json".
bool takes(std::string_view pattern, const std::string& part, std::vector<std::string>& values) {
  const std::size_t open = pattern.find('{');
  if (open == std::string_view::npos) return pattern == part;
  if (part.size() <= open || !part.starts_with(pattern.substr(0, open))) return false;
  values.push_back(part.substr(open));
  return true;
}

bool fits(std::string_view pattern, const std::vector<std::string>& parts,
          std::vector<std::string>& values) {
  pattern.remove_prefix(1);
  for (const std::string& part : parts) {
    if (pattern.empty() || !takes(take_to(pattern, '/'), part, values)) return false;
  }
  return pattern.empty();
}

void put_content(JsonWriter& json, std::string_view type, std::string_view schema) {
  json.key("content").begin_object().key(type.substr(0, type.find(';'))).begin_object();
  if (!schema.empty()) {
    json.key("schema").begin_object();
    json.put("$ref", "#/components/schemas/" + std::string(schema)).end_object();
  }
  json.end_object().end_object();
}

const char* schema_of(QueryType type) {
  switch (type) {
    case QueryType::whole:
      return R"({"type":"integer","minimum":0})";
    case QueryType::text:
      return R"({"type":"string"})";
    case QueryType::texts:
      break;
  }
  return R"({"type":"array","items":{"type":"string"}})";
}

void put_parameters(JsonWriter& json, const RouteSpec& spec) {
  json.key("parameters").begin_array();
  for (std::string_view rest = spec.pattern; rest.find('{') != std::string_view::npos;) {
    take_to(rest, '{');
    json.begin_object().put("name", take_to(rest, '}')).put("in", "path").put("required", true);
    json.key("schema").raw(schema_of(QueryType::text)).end_object();
  }
  for (const RouteQuery& one : spec.query) {
    json.begin_object().put("name", one.name).put("in", "query").put("required", one.required);
    json.put("description", one.help).key("schema").raw(schema_of(one.type)).end_object();
  }
  json.end_array();
}

void put_operation(JsonWriter& json, const RouteSpec& spec) {
  json.key(spec.is_action() ? "post" : "get").begin_object().put("summary", spec.summary);
  put_parameters(json, spec);
  if (!spec.body.empty()) {
    json.key("requestBody").begin_object().put("required", true);
    put_content(json, "application/json", spec.body);
    json.end_object();
  }
  json.key("security")
      .raw(spec.needs == Needs::nothing ? "[]"
           : spec.needs == Needs::token ? R"([{"token":[]}])"
                                        : R"([{"token":[]},{}])");
  json.key("responses").begin_object().key(std::to_string(spec.status())).begin_object();
  json.put("description", "As asked.");
  put_content(json, spec.type, spec.schema);
  json.end_object().key("default").begin_object().put("description", "What is wrong, in words.");
  put_content(json, "application/json", ErrorDocument::kSchema);
  json.end_object().end_object().end_object();
}

}  // namespace

RouteMatch match_route(std::string_view method, const std::vector<std::string>& parts) {
  RouteMatch match;
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  for (const RouteSpec& spec : routes()) {
    std::vector<std::string> values;
    if (!fits(spec.pattern, parts, values)) continue;
    match.allow += (match.allow.empty() ? "" : ", ") + std::string(spec.method);
    if (!spec.is_action()) match.allow += ", HEAD";
    if (spec.method != wanted) continue;
    match.spec = &spec;
    match.values = std::move(values);
  }
  return match;
}

// Calls of one path stand together in the table.
std::string openapi_json() {
  JsonWriter json;
  json.begin_object().put("openapi", "3.1.0").key("info").begin_object();
  json.put("title", "kneepoint serve").put("version", KNEEPOINT_VERSION);
  json.put("summary", "The dashboard's API: docs/reference/api.md").end_object();
  json.key("paths").begin_object();
  std::string_view path;
  for (const RouteSpec& spec : routes()) {
    if (spec.pattern != path) {
      if (!path.empty()) json.end_object();
      json.key(path = spec.pattern).begin_object();
    }
    put_operation(json, spec);
  }
  json.end_object().end_object().key("components").begin_object();
  json.key("securitySchemes").raw(R"({"token":{"type":"http","scheme":"bearer"}})");
  json.key("schemas").raw(api_schemas());
  return json.end_object().end_object().text() + "\n";
}

}  // namespace kneepoint
