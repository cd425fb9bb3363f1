// SPDX-License-Identifier: Apache-2.0
//
// The folder that a night leaves its artefacts in. It belongs to one `nightly` at a time, and what
// the last one left is taken away first: nobody reads yesterday's verdict for tonight's.
#pragma once

#include <memory>
#include <ostream>
#include <streambuf>
#include <string>

#include "orchestrator/base/result.h"

namespace kneepoint::cli {

class NightFolder {
 public:
  // Makes the folder if need be. The error names who is there, or why it can't be used.
  static Result<std::unique_ptr<NightFolder>> open(const std::string& path);
  ~NightFolder();
  NightFolder(const NightFolder&) = delete;
  NightFolder& operator=(const NightFolder&) = delete;

  std::string file(const std::string& name) const;
  // nightly.log. A log that can't be written, on a full disk, stops nothing.
  std::ostream& log() { return log_; }
  bool log_is_whole() const;

 private:
  class LogBuffer;
  NightFolder(std::string path, int descriptor);

  const std::string path_;
  std::unique_ptr<LogBuffer> buffer_;
  std::ostream log_;
};

// Everything written to it goes to both.
class TwoStreams : public std::ostream {
 public:
  TwoStreams(std::ostream& first, std::ostream& second);
  ~TwoStreams() override;

 private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
};

}  // namespace kneepoint::cli
