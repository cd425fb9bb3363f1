// SPDX-License-Identifier: Apache-2.0
//
// The weighted two-parameter fit in closed form: with weights 1/t^2 the normal equations are 2 x 2.
#include "workloads/numerics/time_models.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "orchestrator/base/ensure.h"
#include "orchestrator/base/random.h"

namespace kneepoint::workloads {
namespace {

double root_mean_square(const std::vector<MessageTime>& times, double alpha, double beta) {
  double sum = 0;
  for (const auto& m : times) {
    const double error = (alpha + beta * m.bytes) / m.seconds - 1;
    sum += error * error;
  }
  return std::sqrt(sum / static_cast<double>(times.size()));
}

}  // namespace

MessageFit fit_messages(const std::vector<MessageTime>& times) {
  ENSURE(!times.empty(), "a fit to no times");
  // Minimise sum (alpha a + beta b - 1)^2 with a = 1/t, b = bytes/t.
  double aa = 0, ab = 0, bb = 0, a1 = 0, b1 = 0;
  for (const auto& m : times) {
    ENSURE(m.seconds > 0, "a message that took no time");
    const double a = 1 / m.seconds;
    const double b = m.bytes / m.seconds;
    aa += a * a, ab += a * b, bb += b * b, a1 += a, b1 += b;
  }
  const double determinant = aa * bb - ab * ab;
  std::vector<MessageFit> candidates = {{a1 / aa, 0, 0}, {0, b1 / bb, 0}};
  if (determinant > 1e-12 * aa * bb) {
    const double alpha = (a1 * bb - b1 * ab) / determinant;
    const double beta = (b1 * aa - a1 * ab) / determinant;
    if (alpha >= 0 && beta >= 0) candidates = {{alpha, beta, 0}};
  }
  for (auto& fit : candidates) fit.relative_error = root_mean_square(times, fit.alpha, fit.beta);
  return *std::min_element(candidates.begin(), candidates.end(), [](const auto& x, const auto& y) {
    return x.relative_error < y.relative_error;
  });
}

double bus_bandwidth(double bytes, double seconds, int ranks) {
  return bytes / seconds * 2 * (ranks - 1) / ranks * 1e-9;
}

std::vector<std::int64_t> message_sizes(std::int64_t largest, std::int64_t factor) {
  ENSURE(largest >= 8 && factor >= 2, "a sweep needs 8 bytes and a factor of 2 at least");
  std::vector<std::int64_t> sizes;
  for (std::int64_t bytes = largest; bytes >= 8; bytes /= factor) {
    const std::int64_t whole = bytes / 8 * 8;
    if (sizes.empty() || whole < sizes.back()) sizes.push_back(whole);
  }
  std::reverse(sizes.begin(), sizes.end());
  return sizes;
}

SyntheticTime synthetic_time(double seconds, double s, double c, int workers, bool weak) {
  const double k = workers;
  return {seconds * (s + (1 - s) / (weak ? 1 : k)), seconds * c * std::log2(k)};
}

double synthetic_noise(double noise, std::uint64_t seed, int iteration) {
  if (noise == 0) return 1;
  Random random(seed, "noise " + std::to_string(iteration));
  return std::max(0.1, 1 + noise * random.normal());
}

}  // namespace kneepoint::workloads
