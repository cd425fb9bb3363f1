// SPDX-License-Identifier: Apache-2.0
//
// How people name a run: `STUDY/r17`, or `r17` for the newest study; `-a2` picks an attempt. How a
// study is named is the store's business (StudyStore::find_study).
#pragma once

#include <string>

#include "orchestrator/base/result.h"

namespace kneepoint::cli {

struct RunWords {
  std::string study;  // "" = the newest
  int run = 0;
  int attempt = 0;  // 0: not said
};

Result<RunWords> parse_run_words(const std::string& text);

}  // namespace kneepoint::cli
