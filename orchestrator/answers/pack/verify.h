// SPDX-License-Identifier: Apache-2.0
//
// What `verify` answers. Of a database: the rules that the store knows, and whether each round
// rests on the evidence that was there when it was decided. Of a pack: is it whole, and whose is
// it?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/base/result.h"
#include "orchestrator/pack/pack.h"
#include "orchestrator/store/invariants.h"

namespace kneepoint {

struct DatabaseVerdict {
  std::string file;
  DatabaseFindings found;
  bool holds() const { return found.violations.empty(); }
  static constexpr auto fields() {
    using T = DatabaseVerdict;
    return described(field("file", &T::file), field("valid", &T::holds), fields_of(&T::found));
  }
};

struct PackPart {
  std::string name;
  std::size_t bytes = 0;
  KP_DESCRIBED(PackPart, name, bytes);
};

struct PackVerdict {
  std::string file;
  std::optional<Pack> pack;  // none: it is not whole
  std::string why;           // where it is not
  std::string study;         // or the series
  bool is_series = false;
  bool has_key = false;  // it had to be signed by a key that the caller named
  std::string words;     // of its signature
  std::vector<PackPart> parts() const;

  static constexpr auto fields() {
    using T = PackVerdict;
    return described(
        field("file", &T::file), field("valid", [](const T& v) { return v.pack.has_value(); }),
        KP_NAMED(why, study),
        field("sha256", [](const T& v) { return v.pack ? v.pack->digest : std::string(); }),
        field("signer", [](const T& v) { return v.pack ? v.pack->signer : std::string(); }),
        field("trusted", [](const T& v) { return v.pack.has_value() && v.has_key; }),
        field("parts", &T::parts));
  }
};

// By its first bytes.
bool is_database(const std::string& path);

Result<DatabaseVerdict> verify_database(const std::string& path, const Clock& clock);

}  // namespace kneepoint
