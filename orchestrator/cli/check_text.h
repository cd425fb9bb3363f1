// SPDX-License-Identifier: Apache-2.0
//
// The answer of `check` as a value, and how it is written. Pure.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/model/point.h"
#include "orchestrator/model/site.h"
#include "orchestrator/plan/matrix.h"

namespace kneepoint::cli {

struct CheckAnswer {
  const Study& study;
  const Site& site;
  SiteCapacity capacity;
  int concurrent = 1;
  std::vector<std::string> warnings = {};
  std::vector<std::string> refusals = {};    // points that `run` won't start here
  std::vector<std::string> rehearsals = {};  // what the backend says to each shape
  std::string emit_folder = {};
  std::vector<std::string> emitted = {};  // file names
};

std::string to_text(const CheckAnswer& answer);
std::string to_json(const CheckAnswer& answer);  // one line, newline included

}  // namespace kneepoint::cli
