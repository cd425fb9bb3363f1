// SPDX-License-Identifier: Apache-2.0
#include "workloads/nccl/nccl_plan.h"

#include <algorithm>
#include <cstddef>

#include "orchestrator/base/ensure.h"
#include "workloads/numerics/time_models.h"

namespace kneepoint::workloads {

const std::vector<std::string>& collective_words() {
  static const std::vector<std::string> words = {"all_reduce", "reduce_scatter", "all_gather"};
  return words;
}

Collective parse_collective(const std::string& word) {
  const auto& words = collective_words();
  const auto at = std::find(words.begin(), words.end(), word);
  ENSURE(at != words.end(), "a word that is none of collective_words()");
  return static_cast<Collective>(at - words.begin());
}

double algorithm_bandwidth(double bytes, double seconds) {
  return seconds > 0 ? bytes / seconds * 1e-9 : 0;
}

double bus_factor(Collective collective, int ranks) {
  const double part = static_cast<double>(ranks - 1) / ranks;
  return collective == Collective::all_reduce ? 2 * part : part;
}

double bus_bandwidth(Collective collective, double bytes, double seconds, int ranks) {
  return algorithm_bandwidth(bytes, seconds) * bus_factor(collective, ranks);
}

std::vector<std::int64_t> message_sweep(Collective collective, std::int64_t largest,
                                        std::int64_t factor, int ranks) {
  const std::int64_t unit = collective == Collective::all_reduce ? 4 : std::int64_t{4} * ranks;
  std::vector<std::int64_t> sizes;
  for (const std::int64_t size : message_sizes(largest, factor)) {
    const std::int64_t whole = std::max(size / unit, std::int64_t{1}) * unit;
    if (sizes.empty() || whole > sizes.back()) sizes.push_back(whole);
  }
  return sizes;
}

namespace {

using Vector = std::vector<double>;

// `weights` (width x width) times x, or its transpose times x.
Vector times(const float* weights, const Vector& x, bool transposed) {
  const std::size_t width = x.size();
  Vector y(width, 0.0);
  for (std::size_t column = 0; column < width; ++column) {
    for (std::size_t row = 0; row < width; ++row) {
      const double w = weights[column * width + row];
      if (transposed) {
        y[column] += w * x[row];
      } else {
        y[row] += w * x[column];
      }
    }
  }
  return y;
}

}  // namespace

std::vector<double> linear_gradient(NetShape shape, const std::vector<float>& weights,
                                    const std::vector<float>& input,
                                    const std::vector<float>& target, std::int64_t samples) {
  const auto width = static_cast<std::size_t>(shape.width);
  const auto layers = static_cast<std::size_t>(shape.layers);
  Vector gradient(static_cast<std::size_t>(shape.parameters()), 0.0);
  for (std::size_t sample = 0; sample < static_cast<std::size_t>(samples); ++sample) {
    const std::size_t first = sample * width;
    std::vector<Vector> states(1);
    for (std::size_t i = 0; i < width; ++i) states[0].push_back(input[first + i]);
    for (std::size_t layer = 0; layer < layers; ++layer) {
      states.push_back(times(weights.data() + layer * width * width, states.back(), false));
    }
    Vector delta = states.back();
    for (std::size_t i = 0; i < width; ++i) delta[i] -= target[first + i];
    for (std::size_t layer = layers; layer-- > 0;) {
      for (std::size_t column = 0; column < width; ++column) {
        for (std::size_t row = 0; row < width; ++row) {
          gradient[(layer * width + column) * width + row] += delta[row] * states[layer][column];
        }
      }
      delta = times(weights.data() + layer * width * width, delta, true);
    }
  }
  return gradient;
}

std::vector<Bucket> make_buckets(int layers, std::size_t layer_elements, std::size_t least) {
  std::vector<Bucket> buckets;
  std::size_t count = 0;
  for (int layer = layers - 1; layer >= 0; --layer) {
    count += layer_elements;
    if (count < std::max<std::size_t>(least, 1) && layer > 0) continue;
    if (count > 0) {
      buckets.push_back({static_cast<std::size_t>(layer) * layer_elements, count, layer});
    }
    count = 0;
  }
  return buckets;
}

double covered(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  double sum = 0, reached = 0;
  bool any = false;
  for (const Span& span : spans) {
    const double from = any ? std::max(span.begin, reached) : span.begin;
    if (span.end <= from) continue;
    sum += span.end - from;
    reached = span.end;
    any = true;
  }
  return sum;
}

double exposed(const std::vector<Span>& communication, const std::vector<Span>& compute) {
  std::vector<Span> both = communication;
  both.insert(both.end(), compute.begin(), compute.end());
  return std::max(0.0, covered(std::move(both)) - covered(compute));
}

Account account(double compute_seconds, double exposed_seconds, Nanoseconds total) {
  const double sum = compute_seconds + exposed_seconds;
  const double most = to_seconds(total);
  const double scale = sum > most && sum > 0 ? most / sum : 1;
  Account result;
  result.compute = std::min(from_seconds(compute_seconds * scale), total);
  result.communication = std::min(from_seconds(exposed_seconds * scale), total - result.compute);
  return result;
}

}  // namespace kneepoint::workloads
