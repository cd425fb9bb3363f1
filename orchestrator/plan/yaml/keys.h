// SPDX-License-Identifier: Apache-2.0
//
// Every key that plans, sites, price books, mixes and the catalog know. The one list: readers
// refuse what is not here, and a test compares docs/reference/*.schema.json with it.
#pragma once

#include "orchestrator/plan/yaml/view.h"

namespace kneepoint {

const KeySet& plan_keys();
const KeySet& site_keys();
const KeySet& catalog_keys();
const KeySet& price_keys();
const KeySet& mix_keys();
const KeySet& claim_keys();

}  // namespace kneepoint
