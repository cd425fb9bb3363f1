// SPDX-License-Identifier: Apache-2.0
//
// xoshiro256** (Blackman and Vigna) seeded by splitmix64, and the few distributions we need.
#include "orchestrator/base/random.h"

#include <cmath>

#include "orchestrator/base/ensure.h"
#include "orchestrator/base/hash.h"

namespace kneepoint {
namespace {

std::uint64_t splitmix(std::uint64_t& x) {
  x += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = x;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::uint64_t rotl(std::uint64_t x, int k) {
  return (x << k) | (x >> (64 - k));
}

}  // namespace

Random::Random(std::uint64_t seed) {
  for (auto& word : state_) word = splitmix(seed);
}

Random::Random(std::uint64_t seed, std::string_view purpose) : Random(seed ^ fnv1a64(purpose)) {}

std::uint64_t Random::next() {
  const std::uint64_t result = rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = rotl(state_[3], 45);
  return result;
}

std::uint64_t Random::below(std::uint64_t bound) {
  ENSURE(bound > 0, "below(0) has no answer");
  const std::uint64_t threshold = (0 - bound) % bound;  // rejects the incomplete last stretch
  for (;;) {
    const std::uint64_t r = next();
    if (r >= threshold) return r % bound;
  }
}

double Random::uniform() {
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

double Random::normal() {
  for (;;) {
    const double u = 2 * uniform() - 1;
    const double v = 2 * uniform() - 1;
    const double q = u * u + v * v;
    if (q > 0 && q < 1) return u * std::sqrt(-2 * std::log(q) / q);
  }
}

}  // namespace kneepoint
