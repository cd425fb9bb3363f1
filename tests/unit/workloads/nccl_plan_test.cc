// SPDX-License-Identifier: Apache-2.0
//
// What the NCCL workloads decide without a GPU: rates, message sizes, buckets, exposed
// communication and the plain gradient.
#include <gtest/gtest.h>

#include <cmath>

#include "workloads/nccl/nccl_plan.h"

namespace kneepoint::workloads {
namespace {

TEST(NcclBandwidth, AlgorithmBandwidthIsBytesPerSecond) {
  EXPECT_DOUBLE_EQ(algorithm_bandwidth(2e9, 0.5), 4.0);
  EXPECT_DOUBLE_EQ(algorithm_bandwidth(8, 0), 0);
}

TEST(NcclBandwidth, BusFactorsAreThoseOfNcclTests) {
  EXPECT_DOUBLE_EQ(bus_factor(Collective::all_reduce, 4), 1.5);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::reduce_scatter, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::all_gather, 4), 0.75);
  for (const auto one :
       {Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather}) {
    EXPECT_EQ(bus_factor(one, 1), 0) << "nothing is sent";
  }
  EXPECT_DOUBLE_EQ(bus_bandwidth(Collective::all_reduce, 1e9, 0.1, 8), 10 * 2 * 7.0 / 8);
  EXPECT_DOUBLE_EQ(bus_bandwidth(Collective::all_gather, 1e9, 0.1, 8), 10 * 7.0 / 8);
}

TEST(NcclBandwidth, WordsAndCollectivesAreOneToOne) {
  ASSERT_EQ(collective_words().size(), 3U);
  EXPECT_EQ(parse_collective("all_reduce"), Collective::all_reduce);
  EXPECT_EQ(parse_collective("reduce_scatter"), Collective::reduce_scatter);
  EXPECT_EQ(parse_collective("all_gather"), Collective::all_gather);
}

TEST(NcclSweep, EveryMessageIsCutEvenly) {
  for (const int ranks : {1, 2, 3, 4, 7}) {
    for (const auto one :
         {Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather}) {
      const auto sizes = message_sweep(one, 1 << 20, 4, ranks);
      ASSERT_FALSE(sizes.empty());
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        EXPECT_EQ(sizes[i] % (one == Collective::all_reduce ? 4 : 4 * ranks), 0);
        EXPECT_GT(sizes[i], i == 0 ? 0 : sizes[i - 1]) << "ascending, none twice";
      }
      EXPECT_GT(sizes.back(), (1 << 20) - 4 * ranks);
      EXPECT_LE(sizes.back(), 1 << 20);
    }
  }
  EXPECT_EQ(message_sweep(Collective::all_reduce, 64, 2, 2),
            (std::vector<std::int64_t>{8, 16, 32, 64}));
  EXPECT_EQ(message_sweep(Collective::all_gather, 8, 2, 7), (std::vector<std::int64_t>{28}))
      << "at least one float for each rank";
}

TEST(NcclBuckets, TakeWholeLayersFromTheLastToTheFirst) {
  const auto buckets = make_buckets(5, 10, 20);
  ASSERT_EQ(buckets.size(), 3U);
  EXPECT_EQ(buckets[0].begin, 30U);
  EXPECT_EQ(buckets[0].count, 20U);
  EXPECT_EQ(buckets[0].last_made, 3);
  EXPECT_EQ(buckets[1].begin, 10U);
  EXPECT_EQ(buckets[1].last_made, 1);
  EXPECT_EQ(buckets[2].begin, 0U);
  EXPECT_EQ(buckets[2].count, 10U) << "what is left, though it is less";
  EXPECT_EQ(buckets[2].last_made, 0);
}

TEST(NcclBuckets, HoldEveryElementOnceWhateverTheirSize) {
  for (const int layers : {1, 2, 3, 8, 13}) {
    for (const std::size_t least : {0UL, 1UL, 7UL, 8UL, 20UL, 1000UL}) {
      std::vector<int> seen(static_cast<std::size_t>(layers) * 7, 0);
      int previous = layers;
      for (const Bucket& bucket : make_buckets(layers, 7, least)) {
        EXPECT_LT(bucket.last_made, previous);
        EXPECT_EQ(bucket.begin, static_cast<std::size_t>(bucket.last_made) * 7);
        previous = bucket.last_made;
        for (std::size_t i = 0; i < bucket.count; ++i) ++seen[bucket.begin + i];
      }
      EXPECT_EQ(previous, 0) << "the last bucket ends with the first layer";
      for (const int count : seen) EXPECT_EQ(count, 1);
    }
  }
}

TEST(NcclOverlap, CoveredTimeCountsOnce) {
  EXPECT_DOUBLE_EQ(covered({}), 0);
  EXPECT_DOUBLE_EQ(covered({{1, 3}, {2, 5}, {7, 8}, {7.5, 7.6}, {8, 8}}), 5);
  EXPECT_DOUBLE_EQ(covered({{7, 8}, {1, 3}}), 3) << "in any order";
  EXPECT_DOUBLE_EQ(covered({{-2, -1}, {0, 1}}), 2) << "before zero too";
}

TEST(NcclOverlap, ExposedIsCommunicationWithoutComputing) {
  EXPECT_DOUBLE_EQ(exposed({{1, 4}}, {{0, 2}}), 2);
  EXPECT_DOUBLE_EQ(exposed({{1, 4}}, {{0, 10}}), 0) << "hidden";
  EXPECT_DOUBLE_EQ(exposed({{1, 4}}, {}), 3) << "nothing hides it";
  EXPECT_DOUBLE_EQ(exposed({}, {{0, 1}}), 0);
  EXPECT_DOUBLE_EQ(exposed({{2, 5}, {5, 7}}, {{0, 3}, {7, 8}}), 4)
      << "two buckets, the second after the backward pass";
  EXPECT_DOUBLE_EQ(exposed({{1, 2}, {6, 9}}, {{0, 3}, {7, 8}}), 2) << "around the update";
}

TEST(NcclOverlap, TheAccountNeverExceedsTheWallTime) {
  const Account fits = account(2, 1, 4 * kSecond);
  EXPECT_EQ(fits.compute, 2 * kSecond);
  EXPECT_EQ(fits.communication, kSecond);
  const Account scaled = account(3, 1, 2 * kSecond);
  EXPECT_NEAR(static_cast<double>(scaled.compute), 1.5e9, 10);
  EXPECT_NEAR(static_cast<double>(scaled.communication), 0.5e9, 10);
  EXPECT_LE(scaled.compute + scaled.communication, 2 * kSecond);
  const Account none = account(1, 1, 0);
  EXPECT_EQ(none.compute + none.communication, 0);
}

// Half the squared distance, summed.
double loss_of(NetShape shape, const std::vector<float>& weights, const std::vector<float>& input,
               const std::vector<float>& target, std::int64_t samples) {
  const auto width = static_cast<std::size_t>(shape.width);
  double sum = 0;
  for (std::size_t s = 0; s < static_cast<std::size_t>(samples); ++s) {
    std::vector<double> x(input.begin() + static_cast<long>(s * width),
                          input.begin() + static_cast<long>((s + 1) * width));
    for (int layer = 0; layer < shape.layers; ++layer) {
      std::vector<double> y(width, 0);
      for (std::size_t r = 0; r < width; ++r) {
        for (std::size_t c = 0; c < width; ++c) {
          y[r] += weights[(static_cast<std::size_t>(layer) * width + c) * width + r] * x[c];
        }
      }
      x = y;
    }
    for (std::size_t i = 0; i < width; ++i) sum += 0.5 * std::pow(x[i] - target[s * width + i], 2);
  }
  return sum;
}

TEST(NcclLinearNet, TheGradientIsTheSlopeOfTheLoss) {
  const NetShape shape{3, 2};
  EXPECT_EQ(shape.parameters(), 18);
  std::vector<float> weights, input = {1, -2, 0.5F, 0.25F, 3, -1}, target = {1, 1, 0, 0, -1, 2};
  for (int i = 0; i < 18; ++i) weights.push_back(0.25F * static_cast<float>((i * 7) % 5 - 2));
  const auto gradient = linear_gradient(shape, weights, input, target, 2);
  ASSERT_EQ(gradient.size(), 18U);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    auto ahead = weights, behind = weights;
    ahead[i] += 0.0625F;  // exact in binary; the loss is a square in any one weight
    behind[i] -= 0.0625F;
    const double slope =
        (loss_of(shape, ahead, input, target, 2) - loss_of(shape, behind, input, target, 2)) /
        0.125;
    EXPECT_NEAR(gradient[i], slope, 1e-9) << i;
  }
}

}  // namespace
}  // namespace kneepoint::workloads
