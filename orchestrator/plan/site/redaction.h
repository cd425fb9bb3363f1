// SPDX-License-Identifier: Apache-2.0
//
// Plans and sites for other people's eyes: the same file as JSON without what may be a secret.
// Whatever sounds like one goes, by its name; files with keys and tokens in them are named nowhere.
// Better one value too many than one too few: what is left out is listed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/plan/yaml/problem.h"

namespace kneepoint {

struct Redacted {
  std::string json;                    // the file's values; "" when it can't be read
  std::vector<std::string> left_out;   // dotted keys
  std::vector<std::string> secrets;    // their values: they must be nowhere else either
  std::vector<std::string> files;      // that hold secrets, as the file names them
  std::vector<std::string> variables;  // of the environment that hold secrets
};

Redacted redact(std::string_view text, const std::string& path);

// "API_TOKEN", "client_key", "db-password": by its words.
bool sounds_secret(std::string_view name);

}  // namespace kneepoint
