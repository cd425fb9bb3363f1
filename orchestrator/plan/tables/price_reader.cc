// SPDX-License-Identifier: Apache-2.0
//
// The price book's file. Amounts are read as decimal text, so that 0.1 is a tenth and not nearly
// one.
#include "orchestrator/plan/readers.h"

#include <algorithm>
#include <cctype>

#include "orchestrator/model/money.h"
#include "orchestrator/plan/plan/parts.h"

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

template <typename T>
Reads<T> amount(std::int64_t T::*member) {
  return by(member, read_amount);
}

bool is_date(std::string_view text) {
  if (text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 4 || i == 7;
    if (dash != (text[i] == '-')) return false;
    if (!dash && std::isdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  }
  const std::string_view month = text.substr(5, 2), day = text.substr(8);
  return month >= "01" && month <= "12" && day >= "01" && day <= "31";
}

bool is_not_empty(std::string_view text) {
  return !text.empty();
}

const Keys<LicencePrice> kLicence = {
    {"name", required(text(&LicencePrice::name, is_not_empty, "the licence's name"),
                      "missing; expected the licence's name")},
    {"per_token_hour", amount(&LicencePrice::per_token_hour)},
    {"tokens", whole(&LicencePrice::tokens, 1, kMostNodes)},
    {"per", one_of(&LicencePrice::per)},
};

const Keys<EnergyPrice> kEnergy = {
    {"idle_watts_per_node", number(&EnergyPrice::idle_watts_per_node, 0, 1e6)},
    {"busy_watts_per_worker", number(&EnergyPrice::busy_watts_per_worker, 0, 1e6)},
    {"pue", number(&EnergyPrice::pue, 1, 10)},
    {"per_kwh", amount(&EnergyPrice::per_kwh)},
};

constexpr char kOwnedNeeds[] = "missing; `owned` needs price_per_node and years";
const Keys<OwnedPrice> kOwned = {
    {"price_per_node", required(amount(&OwnedPrice::price_per_node), kOwnedNeeds)},
    {"years", required(number(&OwnedPrice::years, 0.1, 50), kOwnedNeeds)},
    {"utilisation", share(&OwnedPrice::utilisation)},
    {"nodes", whole(&OwnedPrice::nodes, 1, kMostNodes)},
    {"watts_per_node", number(&OwnedPrice::watts_per_node, 0, 1e6)},
    {"pue", number(&OwnedPrice::pue, 1, 10)},
    {"per_kwh", amount(&OwnedPrice::per_kwh)},
    {"staff_per_year", amount(&OwnedPrice::staff_per_year)},
};

const Keys<SpotTerms> kSpot = {
    {"interruptions_per_node_hour", number(&SpotTerms::interruptions_per_node_hour, 0, 1000)},
    {"restart", duration(&SpotTerms::restart, 0)},
    {"checkpoint", duration(&SpotTerms::checkpoint, 0)},
};
const Keys<PriceItem> kStorage = {
    {"gb", number(&PriceItem::storage_gb, 0, 1e9)},
    {"per_gb_hour", amount(&PriceItem::per_gb_hour)},
};
const Keys<PriceItem> kEgress = {
    {"gb", number(&PriceItem::egress_gb, 0, 1e9)},
    {"per_gb", amount(&PriceItem::per_gb_egress)},
};
const Keys<PriceItem> kItem = {
    {"description", text(&PriceItem::description)},
    {"tier", one_of(&PriceItem::tier)},
    {"per_node_hour", amount(&PriceItem::per_node_hour)},
    {"per_gpu_hour", amount(&PriceItem::per_gpu_hour)},
    {"per_core_hour", amount(&PriceItem::per_core_hour)},
    {"charge_factor", number(&PriceItem::charge_factor, 0.001, 1000)},
    {"per_hour", amount(&PriceItem::per_hour)},
    {"per_job", amount(&PriceItem::per_job)},
    {"minimum", duration(&PriceItem::minimum, 0)},
    {"granularity", duration(&PriceItem::granularity, 1)},
    {"setup", duration(&PriceItem::setup, 0)},
    {"teardown", duration(&PriceItem::teardown, 0)},
    {"licences", list_of(&PriceItem::licences, kLicence)},
    {"storage", map_of(kStorage)},
    {"egress", map_of(kEgress)},
    {"energy", map_for(&PriceItem::energy, kEnergy)},
    {"owned", map_for(&PriceItem::owned, kOwned)},
    {"spot", map_for(&PriceItem::spot, kSpot)},
};

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

void read_item(const YamlView& view, PriceItem& item) {
  const std::size_t before = view.problems();
  if (!kItem.read(view, item)) return;
  const YamlView spot = view["spot"];
  if (spot.present() && item.tier != Tier::spot) spot.fail_at_key("is for tier: spot");
  const YamlView owned = view["owned"];
  if (item.owned && owned.has("staff_per_year") && !owned.has("nodes")) {
    owned["nodes"].fail("missing; staff_per_year is shared by so many nodes");
  }
  if (item.owned && item.tier != Tier::owned) owned.fail_at_key("is for tier: owned");
  if (item.tier == Tier::owned && !item.owned) {
    view["tier"].fail("owned needs `owned: {price_per_node: ..., years: ...}` beside it");
  }
  if (item.tier == Tier::spot && !spot["interruptions_per_node_hour"].present()) {
    view["tier"].fail(
        "spot needs `spot: {interruptions_per_node_hour: ...}` beside it; 0 for nodes that are "
        "never taken back");
  }
  if (!charges_something(item) && view.problems() == before) {
    view.fail_at_key(
        "has no price above 0; expected one of per_node_hour, per_gpu_hour, "
        "per_core_hour, per_hour, per_job, owned, licences, storage, egress, energy");
  }
}

void read_items(const YamlView& view, std::vector<PriceItem>& items) {
  for (const YamlView& entry : view.entries()) {
    PriceItem& item = items.emplace_back();
    item.name = entry.name();
    if (!is_plain_name(item.name)) {
      entry.fail_at_key("expected a name of letters, digits, '_' and '-', at most 64");
    }
    read_item(entry, item);
  }
}

const Keys<PriceBook> kBook = {
    {"currency",
     required(text(&PriceBook::currency, is_currency, "a code of capitals such as USD or SU"),
              "missing; expected a code of capitals such as USD or SU")},
    {"valid_from", text(&PriceBook::valid_from, is_date, "a day such as 2026-01-31")},
    {"source", text(&PriceBook::source)},
    {"example", truth(&PriceBook::example)},
    {"items", required(names_by(&PriceBook::items, read_items, &kItem),
                       "missing; expected at least one item")},
};

}  // namespace

PricesRead read_prices(std::string_view text, const std::string& path) {
  PricesRead read;
  read.book.path = path;
  read.problems =
      read_yaml(text, path, kBook, [&](const YamlView& root) { kBook.read(root, read.book); });
  return read;
}

}  // namespace kneepoint
