// SPDX-License-Identifier: Apache-2.0
//
// The answer of `compare` as people and programs read it. Words first, then the table. The first
// study is A; every other one is compared with it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "orchestrator/analysis/comparison/comparison.h"
#include "orchestrator/cost/break_even_price.h"
#include "orchestrator/plan/yaml/problem.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint::cli {

struct CompareStudy {
  std::string id, site, backend;
  std::vector<Caveat> caveats;
  PriceBook book;
  PriceItem item;
};

// What the money of one curve is, beside CurveComparison::points. Empty: no times, so no prices.
struct ComparedCost {
  std::vector<std::optional<CostPoint>> a, b;
  std::vector<std::optional<BreakEvenPrice>> below;  // none: T is not comparable there
  std::string result_name;
};

struct ComparePair {
  std::size_t other = 1;  // of CompareAnswer::studies
  StudyComparison comparison;
  std::vector<ComparedCost> costs;  // beside comparison.curves
  std::string no_money;             // why costs can't be set against each other; "": they can
};

struct CompareAnswer {
  double floor = 0.7;
  bool priced = false;                // by --prices; else in node-hours
  std::vector<CompareStudy> studies;  // A first
  std::vector<ComparePair> pairs;
  std::vector<Problem> problems;  // of a price book; nothing was compared then
};

// Which studies are compared, and how: as typed, "" for what was not said.
struct CompareRequest {
  std::vector<std::string> studies;  // A first; ids, unique prefixes or names
  std::string prices, items;         // as prices_of_studies() takes them
  std::optional<double> floor;       // none: A's
  std::optional<Mode> mode;          // none: both
  std::optional<std::string> case_name;
};

Result<CompareAnswer> compare(StudyStore& store, const CompareRequest& request);

std::string compare_text(const CompareAnswer& answer, int width);
std::string compare_json(const CompareAnswer& answer);

// The K that the words are about: the largest common one at which A has at least the floor's
// efficiency, else the smallest. An index of `points`; -1: no T was compared.
int telling_point(const CurveComparison& curve, double floor);

}  // namespace kneepoint::cli
