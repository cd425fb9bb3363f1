// SPDX-License-Identifier: Apache-2.0
//
// The table of routes, the OpenAPI document and the reference page say the same.
#include "orchestrator/server/dashboard/routes.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "orchestrator/server/dashboard/api.h"
#include "orchestrator/server/dashboard/metrics.h"

namespace kneepoint {
namespace {

using Parts = std::vector<std::string>;

std::string file(const std::string& path) {
  std::ifstream in(std::string(KP_SOURCE_DIR) + "/" + path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Routes, APathAndAMethodFindTheirRoute) {
  EXPECT_EQ(match_route("GET", {}).spec->pattern, "/");
  EXPECT_EQ(match_route("HEAD", {"healthz"}).spec->pattern, "/healthz");
  EXPECT_TRUE(match_route("POST", {"api", "v1", "studies"}).spec->is_action());
  const RouteMatch report = match_route("GET", {"api", "v1", "studies", "x-1", "report.json"});
  ASSERT_NE(report.spec, nullptr);
  EXPECT_EQ(report.spec->pattern, "/api/v1/studies/{id}/report.{form}");
  EXPECT_EQ(report.values, (Parts{"x-1", "json"}));
  const RouteMatch log = match_route("GET", {"api", "v1", "studies", "x-1", "runs", "17", "log"});
  EXPECT_EQ(log.spec->pattern, "/api/v1/studies/{id}/runs/{n}/log");
  EXPECT_EQ(log.values, (Parts{"x-1", "17"}));
}

TEST(Routes, TheWrongMethodIsToldTheRightOnes) {
  const RouteMatch match = match_route("DELETE", {"api", "v1", "studies"});
  EXPECT_EQ(match.spec, nullptr);
  EXPECT_EQ(match.allow, "GET, HEAD, POST");
  EXPECT_EQ(match_route("GET", {"api", "v1", "studies", "x", "cancel"}).allow, "POST");
}

TEST(Routes, OtherPathsAreNoRoute) {
  for (const Parts& parts : {Parts{"api"}, Parts{"api", "v2", "studies"}, Parts{"etc", "passwd"},
                             Parts{"api", "v1", "studies", "x", "report."},
                             Parts{"api", "v1", "studies", "x", "runs", "1", "log", "more"}}) {
    const RouteMatch match = match_route("GET", parts);
    EXPECT_EQ(match.spec, nullptr);
    EXPECT_EQ(match.allow, "");
  }
}

TEST(Routes, OpenApiHasEveryRouteAndNoOther) {
  const auto document = nlohmann::json::parse(openapi_json());
  EXPECT_EQ(document["openapi"], "3.1.0");
  std::set<std::string> described, known;
  for (const auto& [path, operations] : document["paths"].items()) {
    for (const auto& [method, operation] : operations.items()) {
      described.insert(method + " " + path);
      EXPECT_TRUE(operation["responses"].contains("default")) << path;
    }
  }
  for (const RouteSpec& spec : routes()) {
    known.insert((spec.method == "GET" ? "get " : "post ") + std::string(spec.pattern));
    for (const std::string_view schema : {spec.schema, spec.body}) {
      if (schema.empty()) continue;
      EXPECT_TRUE(document["components"]["schemas"].contains(std::string(schema))) << schema;
    }
  }
  EXPECT_EQ(described, known);
}

TEST(Routes, TheReferenceHasEveryRouteAndNoOther) {
  const std::string page = file("docs/reference/api.md");
  std::set<std::string> described, known;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `GET /") && !line.starts_with("| `POST /")) continue;
    described.insert(line.substr(3, line.find('`', 3) - 3));
  }
  for (const RouteSpec& spec : routes()) {
    known.insert(std::string(spec.method) + " " + std::string(spec.pattern));
  }
  EXPECT_EQ(described, known);
}

TEST(Routes, EveryActionNeedsTheToken) {
  for (const RouteSpec& spec : routes()) {
    EXPECT_EQ(spec.method == "POST", spec.needs == Needs::token) << spec.pattern;
    const bool is_open = spec.needs == Needs::nothing;
    EXPECT_FALSE(spec.pattern.starts_with("/api") && is_open) << spec.pattern;
  }
}

TEST(StartRequest, TakesNamesAndNoPaths) {
  const auto wish = read_start_request(R"({"plan":"a b.yaml","site":"s.yaml","gate":true})");
  ASSERT_TRUE(wish) << wish.error().message;
  EXPECT_EQ(wish->plan, "a b.yaml");
  EXPECT_EQ(wish->site, "s.yaml");
  EXPECT_TRUE(wish->gate);
  for (const char* body :
       {"", "[]", "null", "{}", R"({"plan":""})", R"({"plan":"../x.yaml"})", R"({"plan":"/etc/x"})",
        R"({"plan":".hidden"})", R"({"plan":"--new"})", R"({"plan":"a\u0000b"})", R"({"plan":7})",
        R"({"plan":"a","site":"../s"})", R"({"plan":"a","gate":"yes"})", R"({"plan":"a","x":1})",
        R"({"plan":"a")"}) {
    EXPECT_FALSE(read_start_request(body)) << body;
  }
}

std::set<std::string> metric_names(const std::string& text, const std::string& opening) {
  std::set<std::string> names;
  for (std::size_t at = text.find(opening); at != std::string::npos;
       at = text.find(opening, at + 1)) {
    const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", at);
    names.insert(text.substr(at, end - at));
  }
  return names;
}

TEST(Metrics, ReferenceAndGrafanaDashboardNameThoseThatThereAre) {
  std::set<std::string> families;
  std::istringstream lines(metrics_text({}));
  for (std::string line; std::getline(lines, line);) {
    const std::string opening = "# TYPE ";
    if (line.starts_with(opening)) {
      families.insert(line.substr(opening.size(), line.find(' ', opening.size()) - opening.size()));
    }
  }
  EXPECT_GT(families.size(), 10U);
  EXPECT_EQ(metric_names(file("docs/reference/api.md"), "kneepoint_"), families);
  const std::string dashboard = file("deploy/grafana/kneepoint.json");
  ASSERT_TRUE(nlohmann::json::accept(dashboard));
  const auto drawn = metric_names(dashboard, "kneepoint_");
  EXPECT_GT(drawn.size(), 5U);
  for (const std::string& name : drawn) EXPECT_TRUE(families.count(name)) << name;
}

TEST(Metrics, HostileNamesStayWithinTheirQuotes) {
  EXPECT_EQ(label_text("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
}

}  // namespace
}  // namespace kneepoint
