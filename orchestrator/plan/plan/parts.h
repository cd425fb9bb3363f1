// SPDX-License-Identifier: Apache-2.0
//
// The parts of the readers of plans and sites, and pieces of their language that mixes and price
// books share: scale, environment, formulas, names. Like every reader here they put problems on
// the view's list and go on.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/model/plan.h"
#include "orchestrator/model/site.h"
#include "orchestrator/plan/yaml/view.h"

namespace kneepoint {

constexpr int kMaxK = 1'000'000;
constexpr int kMaxKs = 10'000;  // distinct K of one scale

std::optional<Scale> read_scale(const YamlView& view);
const KeySet& scale_keys();

// Names are checked; values may hold placeholders, which `known` lists.
std::vector<EnvironmentVariable> read_environment(const YamlView& view,
                                                  const std::vector<std::string>& known);

// A number or a formula over `names`; "" if absent or wrong.
std::string read_formula(const YamlView& view, const std::vector<std::string>& names);

// {placeholders} of the text that are not in `known` are problems.
void check_placeholders(const YamlView& view, const std::string& text,
                        const std::vector<std::string>& known);

// Letters and digits (ASCII) and these.
bool is_made_of(std::string_view text, std::string_view others);
bool is_plain_name(std::string_view text);  // [A-Za-z0-9_-], 1 to 64
bool is_currency(std::string_view text);    // capitals and digits, 2 to 8: "USD", "SU"

// Money above 0, in micros; else "expected <wanted>, found ...".
std::optional<std::int64_t> read_amount(const YamlView& view, const char* wanted);
template <typename T, typename M>
Reads<T> amount_above_zero(M T::*member, const char* wanted) {
  return reads_by(member, "", [=](const YamlView& view) { return read_amount(view, wanted); });
}

// A path that stays in the folder it is meant for: relative, without "..", not empty.
bool is_inside(const std::string& path);

// One entry of a plan's `workloads:`.
WorkloadSpec read_workload(const YamlView& view, const std::vector<Mode>& modes,
                           const std::vector<CatalogEntry>& catalog);
const KeySet& workload_keys();

// What it says of its program beyond the command line, into `metrics` and `program`. `known`:
// placeholders that names of files may hold.
void read_program_files(const YamlView& workload_view, const std::vector<std::string>& known,
                        WorkloadSpec& workload);
const KeySet& metric_keys();
const KeySet& sanity_keys();

// What the plan's `noise` says.
void read_noise(const YamlView& view, NoiseSpec& noise);
const KeySet& noise_keys();

// Sections of a site file. What only the API server can judge (does the image, the class, the queue
// exist?) is left to `check --site`; forms are checked here.
// `root` is the site; its backend is known already.
void read_kubernetes(const YamlView& root, Site& site);
const KeySet& kubernetes_keys();

// Live reports: every problem that can be seen without listening.
void read_push(const YamlView& view, Site& site);
const KeySet& push_keys();

void read_path(const YamlView& view, std::string& path);  // not empty

// "2", "500m", "1.5Gi", "1e3": an amount as Kubernetes writes it, above 0.
bool is_kube_quantity(std::string_view text);
// Lower case letters, digits and '-', at most 63; with `dots` also '.', at most 253.
bool is_kube_name(std::string_view text, bool dots);

// A value or a list of values, each once. `needed`: what an empty list lacks.
template <typename V, typename Get>
void read_distinct(const YamlView& view, Get get, const char* needed, std::vector<V>& values) {
  if (!view.present()) return;
  values.clear();
  for (const YamlView& item : view.one_or_many()) {
    const auto value = get(item);
    if (!value) continue;
    if (std::find(values.begin(), values.end(), *value) != values.end()) {
      item.fail("'" + item.node()->text + "' is listed twice");
    } else {
      values.push_back(*value);
    }
  }
  if (view.is(YamlNode::Kind::list) && view.node()->items.empty()) {
    view.fail(std::string("the list is empty; expected ") + needed);
  }
}

}  // namespace kneepoint
