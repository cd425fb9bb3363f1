// SPDX-License-Identifier: Apache-2.0
//
// The catalog's formulas are checked like a plan's, so that a slip in it is seen by our tests and
// not by a user.
#include "orchestrator/plan/readers.h"

#include <algorithm>

#include "orchestrator/base/ensure.h"
#include "orchestrator/plan/plan/case_formulas.h"
#include "orchestrator/plan/plan/formula.h"
#include "orchestrator/plan/plan/parts.h"

namespace kneepoint {
namespace {

// "" is allowed and means that there is none.
std::string optional_formula(const YamlView& view, const std::vector<std::string>& names) {
  if (view.is(YamlNode::Kind::scalar) && view.text()->empty()) return "";
  return read_formula(view, names);
}

void read_emulated(const YamlView& view, CatalogEntry& entry) {
  for (const YamlView& item : view.items()) {
    const auto text = item.text();
    if (!text) continue;
    const std::string name = text->substr(0, text->find('='));
    const auto is_it = [&](const Parameter& one) { return one.name == name; };
    if (text->find('=') == std::string::npos ||
        std::none_of(entry.parameters.begin(), entry.parameters.end(), is_it)) {
      item.fail("expected PARAMETER=VALUE, found '" + *text + "'");
    }
    entry.emulated_when.push_back(*text);
  }
}

using Entry = CatalogEntry;
const Keys<Entry> kCatalogSize = {
    {"meaning", required(text(&Entry::size_meaning), "missing")}, {"strong"}, {"weak"}};
const Keys<Entry> kHeldFixed = {
    {"strong", required(text(&Entry::held_fixed_strong), "missing")},
    {"weak", required(text(&Entry::held_fixed_weak), "missing")},
};
const KeySet kCatalogModel = {{{"strong"}, {"weak"}}};
const Keys<Entry> kEntry = {
    {"name", required(text(&Entry::name), "missing")},
    {"program", required(text(&Entry::program), "missing")},
    {"summary", required(text(&Entry::summary), "missing")},
    {"needs", text(&Entry::needs)},
    {"size", map_of(kCatalogSize)},
    {"held_fixed", map_of(kHeldFixed)},
    {"work_unit", text(&Entry::work_unit)},
    {"divisible"},
    {"model", elsewhere(kCatalogModel)},
    {"flops"},
    {"bytes"},
    {"parallelism"},
    {"parameters", free_names()},
    {"emulated_when"},
};
const KeySet kCatalog = {{{"workloads", &kEntry}}};

CatalogEntry read_entry(const YamlView& view) {
  CatalogEntry entry;
  if (!kEntry.read(view, entry)) return entry;
  std::vector<std::string> placeholders = built_in_placeholders();
  for (const YamlView& parameter : view["parameters"].entries()) {
    entry.parameters.push_back({parameter.name(), parameter.text().value_or("")});
    placeholders.push_back(parameter.name());
  }
  if (const YamlView size = view["size"]; size.is(YamlNode::Kind::map)) {
    const std::vector<std::string> names = case_names(entry.parameters, false);
    entry.default_size_strong = optional_formula(size["strong"], names);
    entry.default_size_weak = optional_formula(size["weak"], names);
    // Both given as "": the workload has no size, and a plan needs to give none.
    const bool none = size["strong"].present() && size["weak"].present() &&
                      entry.default_size_strong.empty() && entry.default_size_weak.empty();
    if (none) entry.size_meaning.clear();
  }
  const std::vector<std::string> names = case_names(entry.parameters, true);
  if (const YamlView held = view["held_fixed"]; held.is(YamlNode::Kind::map)) {
    check_placeholders(held["strong"], entry.held_fixed_strong, placeholders);
    check_placeholders(held["weak"], entry.held_fixed_weak, placeholders);
  }
  entry.divisible = optional_formula(view["divisible"], names);
  if (const YamlView model = view["model"]; model.check_map()) {
    entry.model_strong = read_formula(model["strong"], names);
    entry.model_weak = read_formula(model["weak"], names);
  }
  entry.flops = optional_formula(view["flops"], names);
  entry.bytes = optional_formula(view["bytes"], names);
  entry.parallelism = optional_formula(view["parallelism"], names);
  read_emulated(view["emulated_when"], entry);
  return entry;
}

}  // namespace

CatalogRead read_catalog(std::string_view text, const std::string& path) {
  CatalogRead read;
  read.problems = read_yaml(text, path, kCatalog, [&](const YamlView& root) {
    if (!root.check_map()) return;
    if (!root["workloads"].present()) root["workloads"].fail("missing");
    for (const YamlView& item : root["workloads"].items()) {
      read.entries.push_back(read_entry(item));
    }
  });
  return read;
}

const std::vector<CatalogEntry>& built_in_catalog() {
  static const std::vector<CatalogEntry> entries = [] {
    CatalogRead read = read_catalog(kCatalogText, "workloads/catalog.yaml");
    const std::string problems = to_string(read.problems);
    if (!problems.empty()) {
      ensure_failed("read.problems.empty()", problems.c_str(), __FILE__, __LINE__);
    }
    return std::move(read.entries);
  }();
  return entries;
}

}  // namespace kneepoint
