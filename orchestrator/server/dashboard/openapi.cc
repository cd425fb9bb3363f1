// SPDX-License-Identifier: Apache-2.0
//
// Paths come from routes.cc; the shapes of the objects are written here, once.
#include "orchestrator/server/dashboard/openapi.h"

#include "orchestrator/base/json_put.h"
#include "orchestrator/server/dashboard/routes.h"

namespace kneepoint {
namespace {

constexpr char kSchemas[] = R"json({
"Schema":{"const":"kneepoint.api/1"},
"Error":{"type":"object","required":["schema","error"],"properties":{
 "schema":{"$ref":"#/components/schemas/Schema"},
 "error":{"type":"object","required":["code","message"],"properties":{"code":{"type":"string"},"message":{"type":"string"}}}}},
"Health":{"type":"object","required":["schema","status","version"],"properties":{
 "schema":{"$ref":"#/components/schemas/Schema"},"status":{"enum":["ok","unavailable"]},"version":{"type":"string"}}},
"Study":{"type":"object","required":["id","name","series","state","backend","site","created","updated","runs","succeeded","failed","running"],"properties":{
 "id":{"type":"string"},"name":{"type":"string"},"series":{"type":"string"},
 "state":{"enum":["running","interrupted","finished","cancelled"]},
 "backend":{"type":"string"},"site":{"type":"string"},
 "created":{"type":"string","format":"date-time"},"updated":{"type":"string","format":"date-time"},
 "runs":{"type":"integer"},"succeeded":{"type":"integer"},"failed":{"type":"integer"},
 "running":{"type":"boolean","description":"a controller works on it now"},
 "headline":{"type":"string"}}},
"Studies":{"type":"object","required":["schema","studies","next"],"properties":{
 "schema":{"$ref":"#/components/schemas/Schema"},
 "studies":{"type":"array","items":{"$ref":"#/components/schemas/Study"}},
 "next":{"type":["string","null"]}}},
"Point":{"type":"object","required":["key","k","planned","done","failed","seconds","seconds_low","seconds_high","seconds_level","efficiency","efficiency_low","efficiency_high","efficiency_level","efficiency_basis","efficiency_plain"],"properties":{
 "key":{"type":"string"},"k":{"type":"integer"},"planned":{"type":"integer"},"done":{"type":"integer"},"failed":{"type":"integer"},
 "seconds":{"type":["number","null"],"description":"median T"},"seconds_low":{"type":["number","null"]},"seconds_high":{"type":["number","null"]},
 "seconds_level":{"type":["number","null"],"description":"of the interval, 0 to 1: what it really has"},
 "efficiency":{"type":["number","null"]},"efficiency_low":{"type":["number","null"]},"efficiency_high":{"type":["number","null"]},
 "efficiency_level":{"type":["number","null"]},
 "efficiency_basis":{"enum":["time","work"],"description":"work: by the work that the ranks report, which is not constant per worker"},
 "efficiency_plain":{"type":["number","null"],"description":"by time, whatever the work"}}},
"Curve":{"type":"object","required":["name","workload","case","mode","floor","recommended_k","points"],"properties":{
 "name":{"type":"string"},"workload":{"type":"string"},"case":{"type":"string"},"mode":{"enum":["strong","weak"]},"floor":{"type":"number"},
 "recommended_k":{"type":["integer","null"],"description":"by the plan's knee rule, as the report has it; null: not known yet"},
 "points":{"type":"array","items":{"$ref":"#/components/schemas/Point"}}}},
"StudyDetail":{"type":"object","required":["schema","study","seconds_left","waiting","curves","active","events"],"properties":{
 "schema":{"$ref":"#/components/schemas/Schema"},"study":{"$ref":"#/components/schemas/Study"},
 "seconds_left":{"type":["number","null"]},"waiting":{"type":"array","items":{"type":"string"}},
 "curves":{"type":"array","items":{"$ref":"#/components/schemas/Curve"}},
 "active":{"type":"array","items":{"type":"object","required":["run","attempt","state","since","nodes","samples"],"properties":{
  "run":{"type":"integer"},"attempt":{"type":"integer"},"state":{"type":"string"},"since":{"type":["string","null"]},"nodes":{"type":"string"},"samples":{"type":"integer"}}}},
 "events":{"type":"array","items":{"type":"object","required":["time","kind","run","text"],"properties":{
  "time":{"type":"string"},"kind":{"type":"string"},"run":{"type":["integer","null"]},"text":{"type":"string"}}}}}},
"Runs":{"type":"object","required":["schema","runs","next"],"properties":{
 "schema":{"$ref":"#/components/schemas/Schema"},
 "runs":{"type":"array","items":{"type":"object","required":["run","key","k","repeat","state","seconds","attempts"],"properties":{
  "run":{"type":"integer"},"key":{"type":"string"},"k":{"type":"integer"},"repeat":{"type":"integer"},"state":{"type":"string"},"seconds":{"type":["number","null"]},"attempts":{"type":"integer"}}}},
 "next":{"type":["integer","null"]}}},
"SeriesList":{"type":"object","required":["schema","series"],"properties":{
 "schema":{"$ref":"#/components/schemas/Schema"},
 "series":{"type":"array","items":{"type":"object","required":["id","name","studies","newest","verdict"],"properties":{
  "id":{"type":"string"},"name":{"type":"string"},"studies":{"type":"integer"},"newest":{"type":"string"},"verdict":{"type":["string","null"]}}}}}},
"Series":{"type":"object","required":["schema","series","nights","points"],"properties":{
 "schema":{"$ref":"#/components/schemas/Schema"},"series":{"type":"string"},
 "nights":{"type":"array","items":{"type":"object","required":["study","time","verdict","judged"],"properties":{
  "study":{"type":"string"},"time":{"type":"string"},"verdict":{"type":["string","null"]},
  "judged":{"enum":["then","now",null],"description":"then: the verdict was stored; now: it was made for this answer"}}}},
 "points":{"type":"array","items":{"type":"object","required":["key","workload","mode","k","seconds","changes"],"properties":{
  "key":{"type":"string"},"workload":{"type":"string"},"mode":{"enum":["strong","weak"]},"k":{"type":"integer"},
  "seconds":{"type":"array","items":{"type":["number","null"]}},
  "changes":{"type":"array","items":{"type":"object","required":["night","ratio"],"properties":{"night":{"type":"integer"},"ratio":{"type":"number"}}}}}}}}},
"Start":{"type":"object","required":["plan"],"additionalProperties":false,"properties":{
 "plan":{"type":"string","description":"name of a file in the folder of --plans"},
 "site":{"type":"string","description":"the same; without it as `kneepoint run` without --site"},
 "gate":{"type":"boolean","description":"judge the study against the nights before it when it is over"}}},
"Done":{"type":"object","required":["schema","study","message"],"properties":{
 "schema":{"$ref":"#/components/schemas/Schema"},"study":{"type":"string"},"message":{"type":"string"}}}
})json";

std::string without_line_ends(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != '\n') out += c;
  }
  return out;
}

std::string reference(std::string_view schema) {
  return "{\"$ref\":\"#/components/schemas/" + std::string(schema) + "\"}";
}

void put_content(JsonWriter& json, std::string_view type, std::string_view schema) {
  json.key("content").begin_object().key(type.substr(0, type.find(';'))).begin_object();
  if (!schema.empty()) json.key("schema").raw(reference(schema));
  json.end_object().end_object();
}

void put_parameters(JsonWriter& json, const RouteSpec& spec) {
  json.key("parameters").begin_array();
  for (std::string_view rest = spec.pattern; rest.find('{') != std::string_view::npos;) {
    rest.remove_prefix(rest.find('{') + 1);
    json.begin_object().put("name", rest.substr(0, rest.find('}'))).put("in", "path");
    json.put("required", true).key("schema").raw(R"({"type":"string"})");
    json.end_object();
  }
  for (const RouteQuery& one : spec.query) {
    json.begin_object().put("name", one.name).put("in", "query").put("required", one.required);
    json.put("description", one.help)
        .key("schema")
        .raw(one.type == "integer"   ? R"({"type":"integer","minimum":0})"
             : one.type == "strings" ? R"({"type":"array","items":{"type":"string"}})"
                                     : R"({"type":"string"})");
    json.end_object();
  }
  json.end_array();
}

void put_operation(JsonWriter& json, const RouteSpec& spec) {
  json.key(spec.method == "GET" ? "get" : "post").begin_object();
  json.put("summary", spec.summary);
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
  json.key("responses").begin_object().key(std::to_string(spec.status)).begin_object();
  json.put("description", "As asked.");
  put_content(json, spec.type, spec.schema);
  json.end_object().key("default").begin_object().put("description", "What is wrong, in words.");
  put_content(json, "application/json", "Error");
  json.end_object().end_object().end_object();
}

}  // namespace

std::string openapi_json() {
  JsonWriter json;
  json.begin_object().put("openapi", "3.1.0").key("info").begin_object();
  json.put("title", "kneepoint serve").put("version", KNEEPOINT_VERSION);
  json.put("summary", "The dashboard's API: docs/reference/api.md").end_object();
  json.key("paths").begin_object();
  for (const RouteSpec& first : routes()) {
    bool is_first = true;  // of its path
    for (const RouteSpec& spec : routes()) {
      if (spec.pattern != first.pattern) continue;
      if (&spec != &first && is_first) break;
      if (is_first) json.key(spec.pattern).begin_object();
      is_first = false;
      put_operation(json, spec);
    }
    if (!is_first) json.end_object();
  }
  json.end_object().key("components").begin_object();
  json.key("securitySchemes").raw(R"({"token":{"type":"http","scheme":"bearer"}})");
  json.key("schemas").raw(without_line_ends(kSchemas));
  return json.end_object().end_object().text() + "\n";
}

}  // namespace kneepoint
