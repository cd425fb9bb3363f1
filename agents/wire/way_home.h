// SPDX-License-Identifier: Apache-2.0
//
// Records of one attempt that came home by more than one way: collected from its run directory or
// pod log, and pushed. Each way may have lost, doubled or reordered what it carried; the lines
// themselves say by `seq` where they belong. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kneepoint::record {

// What stands at the head of every stamped line, read without parsing the rest.
struct LineHead {
  std::int64_t seq = -1;  // -1: no stamped line
  std::string_view type;
};
LineHead head_of(std::string_view line);

// The records as one text. What is whole by its own count and checksum is taken as it is; else the
// lines of both, each once and without a gap. `pushed` has whole lines only.
std::string one_of_both(std::string_view collected, std::string_view pushed);

}  // namespace kneepoint::record
