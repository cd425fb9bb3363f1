// SPDX-License-Identifier: Apache-2.0
//
// Scripts within the page are named by their hashes: one that came in through data never runs.
#include "orchestrator/base/hash.h"
#include "orchestrator/server/dashboard/dashboard.h"

namespace kneepoint {

std::string page_policy(std::string_view html) {
  std::string scripts;
  constexpr std::string_view kOpening = "<script";
  constexpr std::string_view kEnding = "</script>";
  for (std::size_t at = html.find(kOpening); at != std::string_view::npos;
       at = html.find(kOpening, at + 1)) {
    const std::size_t begin = html.find('>', at);
    const std::size_t end = html.find(kEnding, at);
    if (begin == std::string_view::npos || end == std::string_view::npos || begin > end) break;
    const std::string_view text = html.substr(begin + 1, end - begin - 1);
    scripts += " 'sha256-" + base64_encoded(bytes_of_hex(sha256_hex(text))) + "'";
    at = end;
  }
  return "default-src 'none'; script-src" + (scripts.empty() ? " 'none'" : scripts) +
         "; style-src 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
         "form-action 'none'; frame-ancestors 'none'";
}

}  // namespace kneepoint
