// SPDX-License-Identifier: Apache-2.0
//
// Readers of the files that people write: plan, site, mix of workloads, price book, claim; and of
// the catalog of our own workloads. Every problem of a file is reported at once, each with its
// place, what was expected, and "did you mean" for keys. A value means something only without
// problems; `path` is only for messages. docs/reference has the keys.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/model/claim.h"
#include "orchestrator/model/mix.h"
#include "orchestrator/model/plan.h"
#include "orchestrator/model/price.h"
#include "orchestrator/model/site.h"
#include "orchestrator/plan/yaml/problem.h"

namespace kneepoint {

struct KeySet;

struct PlanRead {
  Plan plan;
  std::vector<Problem> problems;
  std::vector<Origin> origins;  // of every value that the file gives
};
// `catalog` gives our own workloads.
PlanRead read_plan(std::string_view text, const std::string& path,
                   const std::vector<CatalogEntry>& catalog);
const KeySet& plan_keys();

struct SiteRead {
  Site site;
  std::vector<Problem> problems;
  std::vector<Origin> origins;  // of every value that the file gives
};
SiteRead read_site(std::string_view text, const std::string& path);
const KeySet& site_keys();
// The site used when none is given: this machine, mpirun.
Site built_in_local_site();

struct MixRead {
  Mix mix;
  std::vector<Problem> problems;
};
MixRead read_mix(std::string_view text, const std::string& path);
const KeySet& mix_keys();

struct PricesRead {
  PriceBook book;
  std::vector<Problem> problems;
};
PricesRead read_prices(std::string_view text, const std::string& path);

struct ClaimRead {
  Claim claim;
  std::vector<Problem> problems;
};
ClaimRead read_claim(std::string_view text, const std::string& path);
// The largest K and speedup that anybody is taken seriously with.
inline constexpr int kMostClaimedK = 100'000'000;
inline constexpr double kMostClaimedSpeedup = 1e12;

// Users never write a catalog: the program carries its own, tests bring theirs.
struct CatalogRead {
  std::vector<CatalogEntry> entries;
  std::vector<Problem> problems;
};
CatalogRead read_catalog(std::string_view text, const std::string& path);
// The catalog built into the program; ENSUREs that it is well-formed.
const std::vector<CatalogEntry>& built_in_catalog();
// Its text, workloads/catalog.yaml, embedded at build time.
extern const char* const kCatalogText;

}  // namespace kneepoint
