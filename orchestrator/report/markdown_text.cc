// SPDX-License-Identifier: Apache-2.0
//
// Brackets stay as they are, except where they would begin a link's target.
#include "orchestrator/report/markdown_text.h"

#include "orchestrator/report/text.h"

namespace kneepoint {

std::string markdown_text(std::string_view text) {
  const std::string safe = plain(text);
  std::string out;
  for (std::size_t i = 0; i < safe.size(); ++i) {
    const char c = safe[i];
    const bool link = c == ']' && i + 1 < safe.size() && safe[i + 1] == '(';
    if (link || c == '|' || c == '*' || c == '_' || c == '`' || c == '<' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace kneepoint
