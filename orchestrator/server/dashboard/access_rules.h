// SPDX-License-Identifier: Apache-2.0
//
// Who may ask the dashboard for what. Pure. The token is compared in a time that does not depend on
// it; the Host header must be one of ours, so that a web page elsewhere can't reach a dashboard on
// this machine under a name of its own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/base/result.h"

namespace kneepoint {

struct AccessRules {
  std::string token;               // "": none; then nobody may start or stop anything
  std::vector<std::string> hosts;  // names, beside addresses and "localhost"
};

// "127.0.0.1:8080", "[::1]:8080", "localhost", or one of the names; a port is not looked at.
bool is_our_host(std::string_view header, const AccessRules& rules);

enum class TokenState { right, wrong, missing };
TokenState token_state(std::string_view authorization, const AccessRules& rules);

// Is this the name or the address of the loopback interface?
bool is_loopback(std::string_view host);

// The token in a file: one line of at least 16 characters, in a file that only its owner (and its
// group, as in pods) can read.
Result<std::string> read_token_file(const std::string& path);

// What a page with these scripts of its own may do: run them, named by their hashes so that one
// that came in through data never runs, and ask its server.
std::string page_policy(std::string_view html);

}  // namespace kneepoint
