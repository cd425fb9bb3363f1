// SPDX-License-Identifier: Apache-2.0
//
// PriceBook: what using machines costs, as plain values. Only plan/price_reader makes one from a
// file. Every amount is in millionths of the book's currency; 0 means that it is not charged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/fields.h"

namespace kneepoint {

enum class Tier { on_demand, reserved, spot, owned, allocation };
constexpr auto words_of(Tier) {
  return std::array{"on_demand", "reserved", "spot", "owned", "allocation"};
}

// A licence held while a run lasts: so many tokens for each of a unit.
struct LicencePrice {
  enum class Per { job, node, core, worker };
  friend constexpr auto words_of(Per) { return std::array{"job", "node", "core", "worker"}; }
  std::string name;
  std::int64_t per_token_hour = 0;
  int tokens = 1;
  Per per = Per::job;
};

// Power drawn: idle by every node that is held, busy on top of it by every worker.
struct EnergyPrice {
  double idle_watts_per_node = 0;
  double busy_watts_per_worker = 0;
  double pue = 1;  // power of the building over power of the machines
  std::int64_t per_kwh = 0;
};

// Machines that were bought. All that a year costs is divided by the node-hours used in it.
struct OwnedPrice {
  std::int64_t price_per_node = 0;
  double years = 0;
  double utilisation = 1;  // share of the hours in which a node is used
  int nodes = 1;           // that `staff_per_year` looks after
  double watts_per_node = 0;
  double pue = 1;
  std::int64_t per_kwh = 0;
  std::int64_t staff_per_year = 0;
};

// How often the provider takes a node back.
struct SpotTerms {
  double interruptions_per_node_hour = 0;
  Nanoseconds restart = 0;     // from an interruption until work goes on
  Nanoseconds checkpoint = 0;  // to write one; 0: there are none, a run begins anew
};

struct PriceItem {
  std::string name;
  std::string description;
  Tier tier = Tier::on_demand;
  std::int64_t per_node_hour = 0, per_gpu_hour = 0, per_core_hour = 0;  // what is there adds up
  double charge_factor = 1;   // of those three: allocations charge some partitions more
  std::int64_t per_hour = 0;  // while a run lasts, whatever its nodes
  std::int64_t per_job = 0;
  Nanoseconds minimum = 0;              // a run is billed at least so long...
  Nanoseconds granularity = 1;          // ...and in whole steps of this
  Nanoseconds setup = 0, teardown = 0;  // billed beside T
  std::vector<LicencePrice> licences;
  double storage_gb = 0;
  std::int64_t per_gb_hour = 0;
  double egress_gb = 0;  // a run
  std::int64_t per_gb_egress = 0;
  EnergyPrice energy;
  std::optional<OwnedPrice> owned;
  SpotTerms spot;
};

struct PriceBook {
  std::string path;
  std::string currency;
  std::string valid_from;  // "2026-01-01"
  std::string source;      // who says so
  bool example = false;    // made-up figures: said wherever they are used
  std::vector<PriceItem> items;

  // nullptr: there is none of this name.
  const PriceItem* find(const std::string& name) const {
    for (const PriceItem& item : items) {
      if (item.name == name) return &item;
    }
    return nullptr;
  }
};

}  // namespace kneepoint
