// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/model/price.h"

namespace kneepoint {

const char* to_string(Tier tier) {
  switch (tier) {
    case Tier::on_demand:
      return "on_demand";
    case Tier::reserved:
      return "reserved";
    case Tier::spot:
      return "spot";
    case Tier::owned:
      return "owned";
    case Tier::allocation:
      return "allocation";
  }
  return "?";
}

const PriceItem* PriceBook::find(const std::string& name) const {
  for (const PriceItem& item : items) {
    if (item.name == name) return &item;
  }
  return nullptr;
}

}  // namespace kneepoint
