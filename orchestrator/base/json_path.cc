// SPDX-License-Identifier: Apache-2.0
//
// One pass from left to right; the first thing that does not fit is the error.
#include "orchestrator/base/json_path.h"

#include <algorithm>
#include <charconv>

namespace kneepoint {
namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Result<std::vector<JsonStep>> scan() {
    const bool rooted = take('$');
    if (!rooted && !done() && text_[at_] != '[') TRY(dotted());
    while (!done()) {
      if (take('.')) {
        TRY(dotted());
      } else if (take('[')) {
        TRY(bracketed());
      } else {
        return wrong("expected '.' or '['");
      }
    }
    if (steps_.empty()) return wrong("expected a name or an index, such as $.timing.total");
    return std::move(steps_);
  }

 private:
  bool done() const { return at_ >= text_.size(); }
  bool take(char c) {
    if (done() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  Error wrong(const std::string& what) const {
    return Error{ErrorCode::invalid, what + " at position " + std::to_string(at_ + 1), false};
  }

  Result<void> dotted() {
    const std::size_t end = std::min(text_.find_first_of(".[]*'\"$ ", at_), text_.size());
    if (end == at_) return wrong("expected a name (an odd one is written ['like this'])");
    steps_.push_back({false, std::string(text_.substr(at_, end - at_)), 0});
    at_ = end;
    return {};
  }

  Result<void> bracketed() {
    if (!done() && (text_[at_] == '\'' || text_[at_] == '"')) {
      const char quote = text_[at_++];
      const std::size_t end = text_.find(quote, at_);
      if (end == std::string_view::npos) return wrong("expected the closing quote");
      steps_.push_back({false, std::string(text_.substr(at_, end - at_)), 0});
      at_ = end + 1;
    } else {
      JsonStep step{true, "", 0};
      const char* const first = text_.data() + at_;
      const auto [end, problem] = std::from_chars(first, text_.data() + text_.size(), step.index);
      if (problem != std::errc()) return wrong("expected an index such as 0 or -1, or a 'name'");
      steps_.push_back(step);
      at_ += static_cast<std::size_t>(end - first);
    }
    if (!take(']')) return wrong("expected ']'");
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<JsonStep> steps_;
};

}  // namespace

Result<std::vector<JsonStep>> parse_json_path(std::string_view text) {
  return Scanner(text).scan();
}

}  // namespace kneepoint
