// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/models/isoefficiency.h"

#include <cmath>

namespace kneepoint {
namespace {

constexpr double kSlack = 1e-12;  // equality cases are exact: s = 0.05, K = 21, e = 0.5

Result<void> require_request(const IsoRequest& r) {
  TRY(require_at_least(r.serial, 0, "the serial part"));
  TRY(require_at_least(r.communication, 0, "the communication coefficient"));
  TRY(require_inner_share(r.efficiency, "the efficiency to hold"));
  return require_workers(r.k);
}

double communication(const IsoRequest& r) {
  return r.communication * (r.growth == Growth::linear ? r.k - 1 : std::log2(r.k));
}

IsoAnswer needs(double work, double k) {
  if (work <= 0) return {};
  return {.status = IsoStatus::grows, .work = work, .per_worker = work / k};
}

}  // namespace

const char* to_string(Growth growth) {
  return growth == Growth::linear ? "linear" : "logarithmic";
}

const char* to_string(IsoStatus status) {
  if (status == IsoStatus::grows) return "grows";
  return status == IsoStatus::already_met ? "any" : "unattainable";
}

Result<IsoAnswer> isoefficiency_replicated(const IsoRequest& r) {
  TRY(require_request(r));
  const double e = r.efficiency;
  const double per_worker = e * communication(r) / (1 - e) - r.serial;
  return needs(per_worker * r.k, r.k);
}

Result<IsoAnswer> isoefficiency_fixed_serial(const IsoRequest& r) {
  TRY(require_request(r));
  const double e = r.efficiency;
  return needs((e * r.k * (r.serial + communication(r)) - r.serial) / (1 - e), r.k);
}

Result<IsoAnswer> isoefficiency_proportional(const IsoRequest& r) {
  TRY(require_request(r));
  TRY(require_share(r.serial, "the serial fraction"));
  // 1/e = 1 + s(K-1) + K·comm/W: whatever W, the serial part alone must leave room.
  const double allowed = 1 / r.efficiency - 1, used = r.serial * (r.k - 1);
  const double overhead = r.k * communication(r);
  if (overhead == 0 && used <= allowed * (1 + kSlack)) return IsoAnswer{};
  if (used >= allowed * (1 - kSlack)) return IsoAnswer{.status = IsoStatus::unattainable};
  return needs(overhead / (allowed - used), r.k);
}

}  // namespace kneepoint
