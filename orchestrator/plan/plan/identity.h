// SPDX-License-Identifier: Apache-2.0
//
// What makes two studies comparable. The hash covers workloads (program, parameters, sizes of the
// plan's modes, models, metrics, build), worker, shapes, iterations, environment and the site's
// resource request (backend, starter, programs, environment); of a study with --ab each build's
// label, place and hash. It leaves out scale, repeat, search,
// seed, limits, knee, gate, results and prices: more K or more repeats extend a study.
#pragma once

#include <string>

#include "orchestrator/model/plan.h"
#include "orchestrator/model/site.h"

namespace kneepoint {

// One fact a line, sorted where order means nothing; defaults are written out, so that giving a
// default changes nothing.
std::string identity_text(const Plan& plan, const Site& site);

// First 8 hex digits of the text's SHA-256.
std::string series_hash(const Plan& plan, const Site& site);

}  // namespace kneepoint
