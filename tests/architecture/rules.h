// SPDX-License-Identifier: Apache-2.0
//
// The shape of the tree as rules over text: who may include whom, which file may see which
// library, how a file opens, how long it gets. Each check is a pure function of one file and
// answers with one sentence per violation, so that the checks themselves are tested on strings.
#pragma once

#include <string>
#include <vector>

namespace kneepoint::architecture {

struct SourceFile {
  std::string path;  // from the repository's root: "orchestrator/plan/yaml/yaml.cc"
  std::string text;
};

using Violations = std::vector<std::string>;

// #include lines against the allowed directions and the homes of third-party libraries.
Violations check_includes(const SourceFile& file);

// SPDX line, opening comment of a header, length.
Violations check_form(const SourceFile& file);

// Calls that only one place may make: time, sleep, processes, randomness, shells. Of tests only
// sleeps.
Violations check_calls(const SourceFile& file);

// A CMakeLists.txt: sources are listed, third-party libraries are linked PRIVATE.
Violations check_cmake(const SourceFile& file);

// The names at the repository's root, dot files left out.
Violations check_top_level(const std::vector<std::string>& names);

}  // namespace kneepoint::architecture
