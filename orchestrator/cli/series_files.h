// SPDX-License-Identifier: Apache-2.0
//
// `export --series` and `import` of what it wrote: a series out of the database into one file, and
// back under its own name, so that the gate answers as before. Nothing that is there is replaced.
#pragma once

#include <string>

#include "orchestrator/base/result.h"
#include "orchestrator/cli/shell/command.h"
#include "orchestrator/pack/pack.h"

namespace kneepoint::cli {

Result<int> export_series(Session& session, const Arguments& arguments);
// `trusted`: it was signed by the key of --key.
Result<int> import_series(Session& session, const Arguments& arguments, const Pack& pack,
                          bool trusted);

}  // namespace kneepoint::cli
