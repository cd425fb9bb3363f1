// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/report/figures/svg_scale.h"

#include <algorithm>
#include <cmath>

#include "orchestrator/report/text.h"

namespace kneepoint::svg {
namespace {

// 1, 2 or 5 times a power of ten: the smallest that is at least `rough`.
double round_step(double rough) {
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * power >= rough * (1 - 1e-9)) return step * power;
  }
  return 10 * power;
}

void add(std::vector<Tick>& ticks, double value) {
  ticks.push_back({value, tick_text(value)});
}

std::vector<Tick> linear_ticks(const Scale& scale, int wanted) {
  std::vector<Tick> ticks;
  const double step = round_step((scale.high - scale.low) / (wanted + 1));
  const double first = std::ceil(scale.low / step - 1e-9);
  const double last = std::floor(scale.high / step + 1e-9);
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  for (double i = first; i <= last; ++i) {
    ticks.push_back({i * step, fixed_text(i * step + 0.0, decimals)});
  }
  return ticks;
}

// Every `stride`-th power of two.
std::vector<Tick> binary_ticks(const Scale& scale, int wanted) {
  std::vector<Tick> ticks;
  const double octaves = std::log2(scale.high / scale.low);
  const double stride = std::max(1.0, std::ceil(octaves / wanted));
  for (double i = std::ceil(std::log2(scale.low) - 1e-9); i <= std::log2(scale.high) + 1e-9; ++i) {
    if (std::fmod(i, stride) == 0) add(ticks, std::exp2(i));
  }
  return ticks;
}

std::vector<Tick> decimal_ticks(const Scale& scale, int wanted) {
  static const std::vector<std::vector<double>> choices = {
      {1}, {1, 3}, {1, 2, 5}, {1, 1.5, 2, 3, 4, 5, 7}};
  std::vector<Tick> ticks;
  for (const auto& steps : choices) {
    std::vector<Tick> found;
    for (double decade = std::floor(std::log10(scale.low));
         decade <= std::ceil(std::log10(scale.high)); ++decade) {
      for (const double step : steps) {
        const double value = step * std::pow(10, decade);
        if (value >= scale.low * (1 - 1e-9) && value <= scale.high * (1 + 1e-9)) add(found, value);
      }
    }
    if (!ticks.empty() && static_cast<int>(found.size()) > wanted + 2) break;
    ticks = std::move(found);
    if (static_cast<int>(ticks.size()) >= wanted) break;
  }
  return ticks;
}

}  // namespace

double Scale::at(double value) const {
  const double share =
      log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return from + share * (to - from);
}

std::string tick_text(double value) {
  const double size = std::abs(value);
  if (size != 0 && (size >= 1e6 || size < 1e-4)) {
    const double power = std::floor(std::log10(size) + 1e-9);
    return count_text(value / std::pow(10, power)) + "e" + count_text(power);
  }
  std::string text = fixed_text(value, 4);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::vector<Tick> ticks_of(const Scale& scale, int wanted, bool powers_of_two) {
  if (!scale.log) return linear_ticks(scale, wanted);
  std::vector<Tick> ticks =
      powers_of_two ? binary_ticks(scale, wanted) : decimal_ticks(scale, wanted);
  return ticks.size() < 3 ? linear_ticks(scale, wanted) : ticks;
}

Scale widened(Scale scale, int wanted) {
  const double step = round_step((scale.high - scale.low) / wanted);
  scale.low = std::floor(scale.low / step + 1e-9) * step;
  scale.high = std::ceil(scale.high / step - 1e-9) * step;
  return scale;
}

Scale scale_for(const std::vector<double>& values, bool log) {
  Scale scale{.log = log};
  if (values.empty()) {
    if (log) scale.low = 0.1;
    return scale;
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (log) {
    const double room = std::max(std::pow(*most / *least, 0.06), 1.1);
    scale.low = *least / room;
    scale.high = *most * room;
    return scale;
  }
  scale.low = std::min(0.0, *least);
  scale.high = *most > scale.low ? *most + 0.06 * (*most - scale.low) : scale.low + 1;
  return scale;
}

}  // namespace kneepoint::svg
