// SPDX-License-Identifier: Apache-2.0
//
// Which study do people mean? An exact id, else a name (the newest of that name), else the only id
// that begins so. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orchestrator/base/result.h"

namespace kneepoint {

struct StudyName {
  std::int64_t row = 0;
  std::string id;
  std::string name;
};

// `known`: newest first. The error lists the candidates; `place` is where they were looked for.
Result<std::int64_t> choose_study(const std::string& words, const std::vector<StudyName>& known,
                                  const std::string& place);

}  // namespace kneepoint
