// SPDX-License-Identifier: Apache-2.0
//
// Inside of agents/wire: what one line says, each field checked for presence, type, range and
// unit. What holds between lines (sequence, count, checksum) is the reader's work.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "agents/wire/record.h"

namespace kneepoint::record {

// std::monostate: a type that this version doesn't know, or a line with a problem.
using Content = std::variant<std::monostate, Begin, Provenance, Sample, RankTotal, Metric,
                             RankProfile, Operation, Check, Failure, Done, End>;

struct Decoded {
  int seq = -1;  // -1: not stamped, or not to be read
  std::string type;
  Content content;
  std::string problem;  // "" if the line holds
};

// `stamped`: "v" and "seq" must be there.
Decoded decode_line(std::string_view line, bool stamped);

}  // namespace kneepoint::record
