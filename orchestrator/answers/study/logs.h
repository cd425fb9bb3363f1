// SPDX-License-Identifier: Apache-2.0
//
// What a run printed and which of its files were kept, as its agent kept them: what `logs` and the
// dashboard answer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/base/result.h"

namespace kneepoint {

// A file of the run's own folder that was kept; it lies below `kept` in the attempt's folder.
struct KeptFile {
  std::string name;
  std::string size;  // bytes
};
std::vector<KeptFile> kept_files(const std::vector<Fact>& facts);

struct RunOutput {
  std::string study;
  int run = 0;
  int attempt = 0;
  std::string stream;  // "stdout" or "stderr"
  std::string path;    // of its file, there or not
  std::optional<std::string> text;
  std::string missing_because;    // where there is no text
  bool folder_exists = false;     // of the attempt
  std::vector<std::string> kept;  // files that the plan keeps of this attempt

  static constexpr auto fields() {
    using T = RunOutput;
    return described(KP_NAMED(study, run, attempt, stream, path, text),
                     field_or_null("missing_because", &T::missing_because),
                     field("kept", &T::kept));
  }

  std::string attempt_name() const;  // "r17-a2"
  std::string missing_text() const;  // "no stdout of r17-a2: the run printed nothing to stdout"
};

// `attempt` 0: as `found` says, else the newest. An error: the run has no such attempt.
Result<RunOutput> read_output(StudyStore& store, const FoundRun& found, int attempt,
                              const std::string& stream);

}  // namespace kneepoint
