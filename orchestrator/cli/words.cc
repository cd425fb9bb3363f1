// SPDX-License-Identifier: Apache-2.0
//
// Reads the words for a run; what doesn't fit is answered with the form that does.
#include "orchestrator/cli/words.h"

#include <charconv>

namespace kneepoint::cli {
namespace {

// The positive number that `text` is, or 0.
int positive(std::string_view text) {
  int number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size()) return 0;
  return number > 0 && text.front() != '0' ? number : 0;
}

}  // namespace

Result<RunWords> parse_run_words(const std::string& text) {
  const Error refusal{ErrorCode::invalid, "'" + text +
                                              "' is not the name of a run; expected STUDY/r17, or "
                                              "r17 for the newest study (r17-a2: its attempt 2)"};
  RunWords words;
  std::string_view run = text;
  if (const auto slash = text.rfind('/'); slash != std::string::npos) {
    words.study = text.substr(0, slash);
    if (words.study.empty()) return refusal;
    run.remove_prefix(slash + 1);
  }
  if (run.size() < 2 || run.front() != 'r') return refusal;
  run.remove_prefix(1);
  if (const auto dash = run.find("-a"); dash != std::string_view::npos) {
    if (dash + 2 >= run.size()) return refusal;
    words.attempt = positive(run.substr(dash + 2));
    if (words.attempt == 0) return refusal;
    run = run.substr(0, dash);
  }
  if (run.empty()) return refusal;
  words.run = positive(run);
  if (words.run == 0) return refusal;
  return words;
}

}  // namespace kneepoint::cli
