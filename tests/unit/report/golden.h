// SPDX-License-Identifier: Apache-2.0
//
// Whole outputs, byte by byte. When a change is meant, run the test program once with
// KNEEPOINT_WRITE_GOLDEN=1 and read the difference before committing it.
#pragma once

#include <string>

#include "orchestrator/report/document.h"

namespace kneepoint {

// Compares with tests/golden/report/NAME.
void expect_golden(const std::string& name, const std::string& text);

// Core-hours and a fee per hour, billed by the second, so that the cheapest K is not the smallest.
void add_example_prices(Document& document, int replicates);
// The sample study with these.
Document priced_sample();

}  // namespace kneepoint
