// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/table_flags.h"

namespace kneepoint::cli {

Result<TableOptions> table_options(const Arguments& arguments) {
  TableOptions options;
  if (arguments.text("--mode") == "weak") options.mode = Mode::weak;
  if (arguments.has("--decimal")) {
    options.decimal =
        arguments.text("--decimal") == "comma" ? DecimalMark::comma : DecimalMark::point;
  }
  if (arguments.has("--unit")) {
    options.time_unit_word = arguments.text("--unit");
    options.time_unit = seconds_in(options.time_unit_word);
    if (!options.time_unit) {
      return Error{ErrorCode::invalid, "--unit: '" + options.time_unit_word +
                                           "' is not a unit of time; expected " + kTimeUnits};
    }
  }
  return options;
}

}  // namespace kneepoint::cli
