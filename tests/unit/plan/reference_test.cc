// SPDX-License-Identifier: Apache-2.0
//
// The tables of keys in docs/reference are those of the readers: under a line <!-- keys: plan.shape
// --> stands the table of that map, made from the one in code. With KNEEPOINT_UPDATE_GOLDEN=1 in
// the environment the pages' tables are written anew.
#include <algorithm>
#include <cstdlib>
#include <set>

#include "orchestrator/plan/yaml/view.h"
#include "tests/unit/plan/plan_test_support.h"

namespace kneepoint {
namespace {

const std::string kMark = "<!-- keys: ";
const std::string kMarkEnd = " -->";

struct PageRow {
  std::string keys, type, fallback, meaning;
};

std::string cell(const std::string& text) {
  return text.empty() ? " |" : " " + text + " |";
}

bool has_row(const KeySpec& key) {
  return !key.fallback.empty() || !key.meaning.empty();
}

// A key without a row stands in the row of the one before it, or shows its own keys in its place.
void add_rows(const KeySet& set, const std::string& prefix, std::vector<PageRow>& rows) {
  for (const KeySpec& key : set.keys) {
    const std::string name = "`" + key.name + "`";
    if (has_row(key)) {
      rows.push_back({prefix + name, key.type, key.fallback, key.meaning});
    } else if (key.inner != nullptr) {
      add_rows(*key.inner, prefix + name + ": ", rows);
    } else if (!rows.empty()) {
      rows.back().keys += ", " + name;
    }
  }
}

std::string table_of(const std::vector<PageRow>& rows) {
  std::string text = "| key | type | default | meaning |\n|---|---|---|---|\n";
  for (const PageRow& row : rows) {
    text += "|" + cell(row.keys) + cell(row.type) + cell(row.fallback) + cell(row.meaning) + "\n";
  }
  return text;
}

// "plan.workloads.size" -> the keys of that map; nullptr: there is none.
const KeySet* keys_at(const KeySet& root, const std::string& path) {
  const KeySet* set = &root;
  for (std::size_t dot = path.find('.'); set != nullptr && dot != std::string::npos;) {
    const std::size_t next = path.find('.', dot + 1);
    const std::string name = path.substr(dot + 1, next - dot - 1);
    const auto key = std::find_if(set->keys.begin(), set->keys.end(),
                                  [&](const KeySpec& one) { return one.name == name; });
    set = key != set->keys.end() ? key->inner : nullptr;
    dot = next;
  }
  return set;
}

// Paths of all maps that have rows and no place in those of the map that holds them.
void list_tables(const KeySet& set, const std::string& path, std::set<std::string>& tables) {
  if (has_row(set.keys.front())) tables.insert(path);
  for (const KeySpec& key : set.keys) {
    if (key.inner != nullptr && has_row(key)) {
      list_tables(*key.inner, path + "." + key.name, tables);
    }
  }
}

std::string rows_for_mark(const KeySet& root, const std::string& mark,
                          std::set<std::string>& shown) {
  std::vector<PageRow> rows;
  const bool several = mark.find(',') != std::string::npos;
  for (std::size_t begin = 0; begin < mark.size();) {
    const std::size_t end = std::min(mark.find(", ", begin), mark.size());
    const std::string path = mark.substr(begin, end - begin);
    const KeySet* set = keys_at(root, path);
    EXPECT_NE(set, nullptr) << path << " has no keys";
    const std::string name = path.substr(path.rfind('.') + 1);
    if (set != nullptr) add_rows(*set, several ? name + ": " : "", rows);
    shown.insert(path);
    begin = end + 2;
  }
  return table_of(rows);
}

// The page with every marked table as the readers have it.
std::string page_of(const KeySet& root, const std::string& text, std::set<std::string>& shown) {
  std::string out;
  std::istringstream lines(text);
  bool in_table = false;
  for (std::string line; std::getline(lines, line);) {
    if (in_table && line.starts_with('|')) continue;
    in_table = line.starts_with(kMark);
    out += line + "\n";
    if (!in_table) continue;
    const std::size_t length = line.size() - kMark.size() - kMarkEnd.size();
    out += rows_for_mark(root, line.substr(kMark.size(), length), shown);
  }
  return out;
}

void expect_tables(const KeySet& root, const std::string& name) {
  const std::string path = std::string(KP_SOURCE_DIR "/docs/reference/") + name + ".md";
  const std::string text = read_whole(path);
  std::set<std::string> shown, tables;
  list_tables(root, name, tables);
  const std::string page = page_of(root, text, shown);
  EXPECT_EQ(shown, tables) << "maps with a table on the page, and with rows in code";
  if (std::getenv("KNEEPOINT_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << page;
    return;
  }
  std::istringstream on_page(text), in_code(page);
  for (std::string is, should; std::getline(in_code, should);) {
    std::getline(on_page, is);
    ASSERT_EQ(is, should) << path << ": write it anew with KNEEPOINT_UPDATE_GOLDEN=1";
  }
  EXPECT_TRUE(text == page) << path;
}

TEST(Reference, TablesOfPlanKeysAreThoseOfTheReader) {
  expect_tables(plan_keys(), "plan");
}

TEST(Reference, TablesOfSiteKeysAreThoseOfTheReader) {
  expect_tables(site_keys(), "site");
}

}  // namespace
}  // namespace kneepoint
