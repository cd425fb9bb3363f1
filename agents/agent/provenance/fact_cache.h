// SPDX-License-Identifier: Apache-2.0
//
// Facts kept between agents of one user on one node, so that a step reads one small file instead of
// twenty. Only files of this very user in a folder that nobody else can write to are believed; a
// cache that can't be used is no error.
#pragma once

#include <functional>
#include <string>

#include "agents/agent/provenance/provenance.h"

namespace kneepoint::agent {

// $XDG_RUNTIME_DIR/kneepoint, else /tmp/kneepoint-<uid>; "" if it isn't safe to use.
std::string fact_cache_folder();

// The facts kept under `name` in `folder`, or what `gather` gives, then kept.
Facts cached_facts(const std::string& folder, const std::string& name,
                   const std::function<Facts()>& gather);

}  // namespace kneepoint::agent
