// SPDX-License-Identifier: Apache-2.0
//
// Build: which binary or image of a workload ran, by a label. Most studies have one, "default",
// which is whatever the plan names; `run --ab` gives two.
#pragma once

#include <string>

#include "orchestrator/base/fields.h"

namespace kneepoint {

// The label of a study's only build.
inline constexpr char kOnlyBuild[] = "default";

struct Build {
  // A program, a folder that has programs in it, or an image.
  enum class Kind { file, folder, image };

  std::string label;     // "": none, the plan's own program runs
  std::string workload;  // that it is a build of; "": of all without one of their own
  Kind kind = Kind::file;
  std::string place;  // absolute path, or the image as the cluster calls it
  std::string hash;   // SHA-256 of what is run from there; "": an image, or out of our sight
  KP_DESCRIBED(Build, label, workload, kind, place, hash);
};

inline const char* to_string(Build::Kind kind) {
  switch (kind) {
    case Build::Kind::file:
      return "file";
    case Build::Kind::folder:
      return "folder";
    case Build::Kind::image:
      return "image";
  }
  return "";
}

}  // namespace kneepoint
