// SPDX-License-Identifier: Apache-2.0
//
// The JSON Schemas that editors use have the very keys that the readers know, and the shipped plans
// and sites are read without a problem.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "orchestrator/plan/readers.h"
#include "orchestrator/plan/yaml/view.h"
#include "tests/unit/plan/plan_test_support.h"

namespace kneepoint {
namespace {

using Json = nlohmann::json;

// Keys of a table as dotted lines; "*" stands for a name of the user's choice.
void list_keys(const KeySet& set, const std::string& prefix, std::set<std::string>& lines) {
  for (const KeySpec& spec : set.keys) {
    const std::string key = prefix + spec.name;
    lines.insert(key);
    const std::string inside = key + (spec.free_names ? ".*." : ".");
    if (spec.free_names) lines.insert(key + ".*");
    if (spec.inner != nullptr) list_keys(*spec.inner, inside, lines);
  }
}

// The same from a schema: alternatives and list items belong to the key that holds them.
void list_keys(const Json& root, const Json& schema, const std::string& prefix,
               std::set<std::string>& lines) {
  if (!schema.is_object()) return;
  if (schema.contains("$ref")) {
    const std::string pointer = schema["$ref"].get<std::string>().substr(1);
    return list_keys(root, root.at(Json::json_pointer(pointer)), prefix, lines);
  }
  for (const char* word : {"oneOf", "anyOf", "allOf"}) {
    if (!schema.contains(word)) continue;
    for (const Json& one : schema[word]) list_keys(root, one, prefix, lines);
  }
  if (schema.contains("items")) list_keys(root, schema["items"], prefix, lines);
  const std::string inside = prefix.empty() ? "" : prefix + ".";
  if (schema.contains("properties")) {
    EXPECT_EQ(schema.value("additionalProperties", Json(true)), Json(false))
        << prefix << ": unknown keys must be errors";
    for (const auto& [name, inner] : schema["properties"].items()) {
      lines.insert(inside + name);
      list_keys(root, inner, inside + name, lines);
    }
  } else if (schema.contains("additionalProperties")) {
    lines.insert(inside + "*");
    list_keys(root, schema["additionalProperties"], inside + "*", lines);
  }
}

void compare(const KeySet& keys, const std::string& file) {
  std::set<std::string> of_reader;
  list_keys(keys, "", of_reader);
  std::set<std::string> of_schema;
  const Json schema = Json::parse(read_whole(KP_SOURCE_DIR "/docs/reference/" + file));
  list_keys(schema, schema, "", of_schema);
  EXPECT_GT(of_reader.size(), 20u);
  EXPECT_EQ(of_reader, of_schema) << file;
}

TEST(Schema, OfPlansHasTheKeysThatTheReaderKnows) {
  compare(plan_keys(), "plan.schema.json");
}

TEST(Schema, OfSitesHasTheKeysThatTheReaderKnows) {
  compare(site_keys(), "site.schema.json");
}

TEST(Schema, OfMixesHasTheKeysThatTheReaderKnows) {
  compare(mix_keys(), "mix.schema.json");
}

void expect_documented(const KeySet& set, const std::string& page) {
  const std::string text = read_whole(KP_SOURCE_DIR "/docs/reference/" + page);
  std::set<std::string> lines;
  list_keys(set, "", lines);
  for (const std::string& line : lines) {
    const std::string word = line.substr(line.find_last_of('.') + 1);
    if (word == "*") continue;
    EXPECT_NE(text.find("`" + word), std::string::npos) << line << " in " << page;
  }
}

TEST(Reference, NamesEveryKey) {
  expect_documented(plan_keys(), "plan.md");
  expect_documented(site_keys(), "site.md");
  expect_documented(mix_keys(), "mix.md");
}

std::vector<std::string> yaml_files(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& file : std::filesystem::directory_iterator(KP_SOURCE_DIR "/" + folder)) {
    if (file.path().extension() == ".yaml") {
      paths.push_back(folder + "/" + file.path().filename().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(Shipped, PlansAreReadAndExpandWithoutAProblem) {
  const std::vector<std::string> paths = yaml_files("plans");
  EXPECT_GE(paths.size(), 5u);
  for (const std::string& path : paths) {
    const PlanRead read = read_plan(read_whole(KP_SOURCE_DIR "/" + path), path, built_in_catalog());
    EXPECT_EQ(to_string(read.problems), "");
    const Expanded expanded = expand(read.plan, simulated_site(4096, 64), {4096, 64, 0}, "bin");
    EXPECT_EQ(to_string(expanded.problems), "");
    EXPECT_FALSE(expanded.study.points.empty()) << path;
  }
}

TEST(Shipped, SitesAreReadWithoutAProblem) {
  const std::vector<std::string> paths = yaml_files("plans/sites");
  EXPECT_GE(paths.size(), 2u);
  for (const std::string& path : paths) {
    EXPECT_EQ(to_string(read_site(read_whole(KP_SOURCE_DIR "/" + path), path).problems), "");
  }
}

Study shipped(const std::string& path, const Site& site, const SiteCapacity& capacity) {
  const PlanRead read = read_plan(read_whole(KP_SOURCE_DIR "/" + path), path, built_in_catalog());
  EXPECT_EQ(to_string(read.problems), "");
  return expand(read.plan, site, capacity, "bin").study;
}

TEST(Shipped, LoadTestHasTenThousandRuns) {
  EXPECT_EQ(
      first_round(shipped("plans/load-test.yaml", simulated_site(4096, 64), {4096, 64, 0})).size(),
      10'000u);
}

TEST(Shipped, QuickstartIsSmallOnTwoCoresAndSplitsEvenly) {
  const SiteCapacity two_cores = {1, 2, 0};
  const Study study = shipped("plans/quickstart.yaml", built_in_local_site(), two_cores);
  EXPECT_EQ(first_round(study).size(), 70u);
  for (const std::string& warning : plan_warnings(study, two_cores)) {
    EXPECT_NE(warning.find("different K"), std::string::npos) << warning;
  }
}

}  // namespace
}  // namespace kneepoint
