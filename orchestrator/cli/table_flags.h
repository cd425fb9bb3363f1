// SPDX-License-Identifier: Apache-2.0
//
// The flags that say what a table of times leaves out; `import` and `baseline import` have them.
#pragma once

#include "orchestrator/cli/commands.h"
#include "orchestrator/plan/tables/study.h"

namespace kneepoint::cli {

// --mode, --decimal and --unit; the rest of the options is the caller's.
Result<TableOptions> table_options(const Arguments& arguments);

}  // namespace kneepoint::cli
