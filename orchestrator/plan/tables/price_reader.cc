// SPDX-License-Identifier: Apache-2.0
//
// The price book's file. Amounts are read as decimal text, so that 0.1 is a tenth and not nearly
// one.
#include "orchestrator/plan/tables/price_reader.h"

#include <algorithm>
#include <cctype>

#include "orchestrator/model/money.h"
#include "orchestrator/plan/plan/parts.h"
#include "orchestrator/plan/yaml/keys.h"

namespace kneepoint {
namespace {

constexpr int kMostNodes = 1'000'000;

void read_amount(const YamlView& view, std::int64_t& target) {
  const auto text = view.text();
  if (!text) return;
  if (const auto micros = parse_micros(*text)) {
    target = *micros;
  } else if (text->starts_with("-")) {
    view.fail("expected an amount of 0 or more, found '" + *text + "'");
  } else {
    view.fail(
        "expected an amount such as 2.50, at most a million and with at most six decimals, "
        "found '" +
        *text + "'");
  }
}

bool is_date(const std::string& text) {
  if (text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 4 || i == 7;
    if (dash != (text[i] == '-')) return false;
    if (!dash && std::isdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  }
  const int month = std::stoi(text.substr(5, 2)), day = std::stoi(text.substr(8, 2));
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

void read_licences(const YamlView& view, PriceItem& item) {
  if (!view.present()) return;
  static const std::vector<std::string> words = {"job", "node", "core", "worker"};
  for (const YamlView& one : view.items()) {
    if (!one.check_map()) continue;
    LicencePrice& licence = item.licences.emplace_back();
    read_into(one["name"].text(), licence.name);
    if (licence.name.empty()) one["name"].fail("missing; expected the licence's name");
    read_amount(one["per_token_hour"], licence.per_token_hour);
    read_into(one["tokens"].integer(1, kMostNodes), licence.tokens);
    const auto word = one["per"].word(words);
    if (!word) continue;
    licence.per = *word == "job"    ? LicencePrice::Per::job
                  : *word == "node" ? LicencePrice::Per::node
                  : *word == "core" ? LicencePrice::Per::core
                                    : LicencePrice::Per::worker;
  }
}

void read_energy(const YamlView& view, EnergyPrice& energy) {
  if (!view.check_map()) return;
  read_into(view["idle_watts_per_node"].number(0, 1e6), energy.idle_watts_per_node);
  read_into(view["busy_watts_per_worker"].number(0, 1e6), energy.busy_watts_per_worker);
  read_into(view["pue"].number(1, 10), energy.pue);
  read_amount(view["per_kwh"], energy.per_kwh);
}

void read_owned(const YamlView& view, PriceItem& item) {
  if (!view.check_map()) return;
  OwnedPrice owned;
  read_amount(view["price_per_node"], owned.price_per_node);
  read_into(view["years"].number(0.1, 50), owned.years);
  read_into(view["utilisation"].share(), owned.utilisation);
  read_into(view["nodes"].integer(1, kMostNodes), owned.nodes);
  read_into(view["watts_per_node"].number(0, 1e6), owned.watts_per_node);
  read_into(view["pue"].number(1, 10), owned.pue);
  read_amount(view["per_kwh"], owned.per_kwh);
  read_amount(view["staff_per_year"], owned.staff_per_year);
  for (const char* key : {"price_per_node", "years"}) {
    if (!view[key].present()) view[key].fail("missing; `owned` needs price_per_node and years");
  }
  if (view["staff_per_year"].present() && !view["nodes"].present()) {
    view["nodes"].fail("missing; staff_per_year is shared by so many nodes");
  }
  item.owned = owned;
}

void read_spot(const YamlView& view, PriceItem& item) {
  if (view.present() && item.tier != Tier::spot) view.fail_at_key("is for tier: spot");
  if (!view.check_map()) return;
  read_into(view["interruptions_per_node_hour"].number(0, 1000),
            item.spot.interruptions_per_node_hour);
  read_into(view["restart"].duration(0), item.spot.restart);
  read_into(view["checkpoint"].duration(0), item.spot.checkpoint);
}

void read_times(const YamlView& view, PriceItem& item) {
  read_into(view["minimum"].duration(0), item.minimum);
  read_into(view["granularity"].duration(1), item.granularity);
  read_into(view["setup"].duration(0), item.setup);
  read_into(view["teardown"].duration(0), item.teardown);
}

bool charges_something(const PriceItem& item) {
  const bool licences = std::any_of(item.licences.begin(), item.licences.end(),
                                    [](const LicencePrice& one) { return one.per_token_hour > 0; });
  const bool owned = item.owned && (item.owned->price_per_node > 0 ||
                                    item.owned->staff_per_year > 0 || item.owned->per_kwh > 0);
  return item.per_node_hour + item.per_gpu_hour + item.per_core_hour + item.per_hour +
                 item.per_job >
             0 ||
         owned || licences || item.per_gb_hour + item.per_gb_egress > 0 || item.energy.per_kwh > 0;
}

void read_item(const YamlView& view, PriceItem& item, const std::vector<Problem>& problems) {
  const std::size_t before = problems.size();
  if (!view.check_map()) return;
  static const std::vector<std::string> tiers = {"on_demand", "reserved", "spot", "owned",
                                                 "allocation"};
  read_into(view["description"].text(), item.description);
  if (const auto word = view["tier"].word(tiers)) {
    const auto at = std::find(tiers.begin(), tiers.end(), *word) - tiers.begin();
    item.tier = static_cast<Tier>(at);
  }
  read_amount(view["per_node_hour"], item.per_node_hour);
  read_amount(view["per_gpu_hour"], item.per_gpu_hour);
  read_amount(view["per_core_hour"], item.per_core_hour);
  read_into(view["charge_factor"].number(0.001, 1000), item.charge_factor);
  read_amount(view["per_hour"], item.per_hour);
  read_amount(view["per_job"], item.per_job);
  read_times(view, item);
  read_licences(view["licences"], item);
  if (const YamlView storage = view["storage"]; storage.check_map()) {
    read_into(storage["gb"].number(0, 1e9), item.storage_gb);
    read_amount(storage["per_gb_hour"], item.per_gb_hour);
  }
  if (const YamlView egress = view["egress"]; egress.check_map()) {
    read_into(egress["gb"].number(0, 1e9), item.egress_gb);
    read_amount(egress["per_gb"], item.per_gb_egress);
  }
  read_energy(view["energy"], item.energy);
  read_owned(view["owned"], item);
  read_spot(view["spot"], item);
  if (item.owned && item.tier != Tier::owned) view["owned"].fail_at_key("is for tier: owned");
  if (item.tier == Tier::owned && !item.owned) {
    view["tier"].fail("owned needs `owned: {price_per_node: ..., years: ...}` beside it");
  }
  if (item.tier == Tier::spot && !view["spot"]["interruptions_per_node_hour"].present()) {
    view["tier"].fail(
        "spot needs `spot: {interruptions_per_node_hour: ...}` beside it; 0 for nodes that are "
        "never taken back");
  }
  if (!charges_something(item) && problems.size() == before) {
    view.fail_at_key(
        "has no price above 0; expected one of per_node_hour, per_gpu_hour, "
        "per_core_hour, per_hour, per_job, owned, licences, storage, egress, energy");
  }
}

}  // namespace

PricesRead read_prices(std::string_view text, const std::string& path) {
  PricesRead read;
  YamlFile file = parse_yaml(text, path);
  read.problems = std::move(file.problems);
  PriceBook& book = read.book;
  book.path = path;
  const YamlView root(file.root, price_keys(), path, read.problems);
  if (root.check_map()) {
    if (const auto currency = root["currency"].text()) {
      book.currency = *currency;
      if (!is_currency(*currency)) {
        root["currency"].fail("expected a code of capitals such as USD or SU, found '" + *currency +
                              "'");
      }
    } else if (!root["currency"].present()) {
      root["currency"].fail("missing; expected a code of capitals such as USD or SU");
    }
    if (const auto date = root["valid_from"].text()) {
      book.valid_from = *date;
      if (!is_date(*date)) {
        root["valid_from"].fail("expected a day such as 2026-01-31, found '" + *date + "'");
      }
    }
    read_into(root["source"].text(), book.source);
    read_into(root["example"].truth(), book.example);
    for (const YamlView& entry : root["items"].entries()) {
      PriceItem& item = book.items.emplace_back();
      item.name = entry.name();
      if (!is_plain_name(item.name)) {
        entry.fail_at_key("expected a name of letters, digits, '_' and '-', at most 64");
      }
      read_item(entry, item, read.problems);
    }
    if (!root["items"].present()) root["items"].fail("missing; expected at least one item");
  }
  sort_problems(read.problems);
  return read;
}

}  // namespace kneepoint
