// SPDX-License-Identifier: Apache-2.0
//
// A certificate of our own for a site that names none: made once, kept beside the database, handed
// to the agents as the only one they trust.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"

namespace kneepoint {

struct Identity {
  std::string certificate;  // PEM
  std::string key;          // PEM
};

// ECDSA on P-256, signed by itself, for these names and addresses.
Result<Identity> make_identity(const std::vector<std::string>& hosts, Nanoseconds wall);

// Is the certificate for this host, and valid for another day?
bool is_good_for(const std::string& certificate, const std::string& host, Nanoseconds wall);

}  // namespace kneepoint
