// SPDX-License-Identifier: Apache-2.0
//
// Every line is cut to the terminal's width: a wrapped line would break drawing in place.
#include "orchestrator/cli/progress_text.h"

#include <algorithm>

#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

constexpr int kWidestBar = 32;

std::string colored(const std::string& text, const char* code, const TerminalStyle& style) {
  return style.color ? std::string("\x1b[") + code + "m" + text + "\x1b[0m" : text;
}

std::string node_hours(double node_seconds) {
  return number_text(node_seconds / 3600) + " node-hours";
}

}  // namespace

std::string bar(int done, int total, int width) {
  const int inner = std::max(1, width - 2);
  const int filled =
      total <= 0 ? 0 : static_cast<int>(static_cast<long>(inner) * std::min(done, total) / total);
  return "[" + std::string(static_cast<std::size_t>(filled), '#') +
         std::string(static_cast<std::size_t>(inner - filled), '-') + "]";
}

std::string to_live_text(const Progress& progress, const std::string& efficiency_table,
                         const TerminalStyle& style) {
  std::string out;
  const auto line = [&](const std::string& text) { out += cut_to_width(text, style.width) + "\n"; };

  line(colored(progress.study, "1", style) +
       (progress.round > 0 ? "  round " + std::to_string(progress.round) : ""));
  std::string failed = std::to_string(progress.failed) + " failed";
  if (progress.failed > 0) failed = colored(failed, "31", style);
  line(bar(progress.done, progress.total, std::clamp(style.width / 3, 8, kWidestBar)) + " " +
       std::to_string(progress.done) + "/" + std::to_string(progress.total) + " done  " +
       std::to_string(progress.running) + " running  " + std::to_string(progress.queued) +
       " queued  " + failed);
  std::string times = to_duration_text(progress.elapsed_ns) + " elapsed";
  if (progress.left_ns >= 0) times += ", about " + to_duration_text(progress.left_ns) + " left";
  line(times + ", " + node_hours(progress.node_seconds) +
       (progress.money.empty() ? "" : ", " + progress.money) + " spent");
  for (std::size_t i = 0; i < efficiency_table.size();) {
    const std::size_t end = std::min(efficiency_table.find('\n', i), efficiency_table.size());
    line(efficiency_table.substr(i, end - i));
    i = end + 1;
  }
  if (!progress.last_line.empty()) line("last: " + plain(progress.last_line));
  if (!progress.waiting.empty()) line("waiting: " + plain(progress.waiting));
  return out;
}

std::string to_summary_line(const Progress& progress) {
  return std::to_string(progress.done) + " of " + counted(progress.total, "run") + " done, " +
         std::to_string(progress.failed) + " failed; " + to_duration_text(progress.elapsed_ns) +
         ", " + node_hours(progress.node_seconds) +
         (progress.money.empty() ? "" : ", " + progress.money);
}

}  // namespace kneepoint::cli
