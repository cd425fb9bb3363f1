// SPDX-License-Identifier: Apache-2.0
//
// Tells a chat or an alerting service. The address is the secret: it is read from a file, and no
// part of it gets into a message, a log or the database. Delivered at least once, or said that not.
#pragma once

#include <string>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"

namespace kneepoint::cli {

struct Webhook {
  std::string server;  // scheme, host and port
  std::string path;    // the rest, with its query
  std::string ca_file;
};

// https only, and http to this machine. Pure; the error never repeats a part of the address.
Result<Webhook> parse_webhook(const std::string& address);
// From the file that holds the address; `ca_file` "": the system's authorities.
Result<Webhook> read_webhook(const std::string& file, const std::string& ca_file);

// Up to three tries, 45 s in all. The error says what went wrong, not where.
Result<void> post_webhook(const Webhook& webhook, const std::string& json, const Clock& clock);

}  // namespace kneepoint::cli
