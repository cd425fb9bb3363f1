// SPDX-License-Identifier: Apache-2.0
#include "workloads/nccl/overlap.h"

#include <algorithm>

namespace kneepoint::workloads {

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
