// SPDX-License-Identifier: Apache-2.0
//
// The perceptron's gradient: fast against plain, plain against differences of the loss.
#include "workloads/numerics/mlp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "workloads/numerics/counter_random.h"
#include "workloads/numerics/kernels.h"

namespace kneepoint::workloads {
namespace {

constexpr MlpShape kShape{9, 3};
constexpr Index kSamples = 7;

// One thread: idle threads that spin are a burden to the other tests.
Mlp one_thread_network() {
  limit_threads_by_environment();
  return Mlp(kShape, kSamples);
}

struct Example {
  Example() : network(one_thread_network()), input(kSamples * 9), target(kSamples * 9) {
    for (std::size_t i = 0; i < input.size(); ++i) {
      input[i] = hashed_uniform(1, 1, i);
      target[i] = hashed_uniform(1, 2, i);
    }
    for (std::size_t i = 0; i < network.parameters().size(); ++i) {
      network.parameters()[i] = 0.6F * hashed_uniform(1, 3, i);
    }
  }
  Mlp network;
  std::vector<float> input, target;
};

TEST(Mlp, TheFastGradientEqualsThePlainOne) {
  Example e;
  std::vector<float> fast(static_cast<std::size_t>(kShape.parameters()));
  e.network.gradient(e.input.data(), e.target.data(), kSamples, fast.data());
  const auto plain =
      reference_gradient(kShape, e.network.parameters(), e.input.data(), e.target.data(), kSamples);
  for (std::size_t i = 0; i < fast.size(); ++i) ASSERT_NEAR(fast[i], plain[i], 2e-5) << i;
}

TEST(Mlp, TheGradientIsTheSlopeOfTheLoss) {
  Example e;
  const auto plain =
      reference_gradient(kShape, e.network.parameters(), e.input.data(), e.target.data(), kSamples);
  constexpr float kStep = 1e-2F;
  for (std::size_t i = 0; i < plain.size(); i += 5) {
    float& parameter = e.network.parameters()[i];
    const float at = parameter;
    parameter = at + kStep;
    const double ahead = e.network.loss(e.input.data(), e.target.data(), kSamples);
    parameter = at - kStep;
    const double behind = e.network.loss(e.input.data(), e.target.data(), kSamples);
    parameter = at;
    ASSERT_NEAR((ahead - behind) / (2.0 * kStep), plain[i], 0.02 + 0.05 * std::abs(plain[i])) << i;
  }
}

TEST(Mlp, GradientsOfShardsAddUpToThatOfTheBatch) {
  Example e;
  const auto n = static_cast<std::size_t>(kShape.parameters());
  std::vector<float> whole(n), first(n), second(n);
  e.network.gradient(e.input.data(), e.target.data(), kSamples, whole.data());
  e.network.gradient(e.input.data(), e.target.data(), 4, first.data());
  e.network.gradient(e.input.data() + 4 * 9, e.target.data() + 4 * 9, kSamples - 4, second.data());
  for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(first[i] + second[i], whole[i], 2e-5) << i;
}

}  // namespace
}  // namespace kneepoint::workloads
