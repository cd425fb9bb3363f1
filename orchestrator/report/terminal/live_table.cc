// SPDX-License-Identifier: Apache-2.0
//
// All cells are equally wide, so that curves stand below each other. A curve with more K than the
// width holds goes on in a further block of three lines.
#include "orchestrator/report/terminal/live_table.h"

#include <algorithm>

#include "orchestrator/report/answers.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

constexpr int kBlockLines = 3;

struct LiveCell {
  std::string k, efficiency, runs;
  std::size_t width() const {
    return std::max({display_width(k), display_width(efficiency), display_width(runs)});
  }
};

LiveCell cell_of(const PointSummary& p) {
  LiveCell cell;
  cell.k = std::to_string(p.point.k);
  const int done = p.valid + p.failed;
  cell.runs = std::to_string(done) + "/" + std::to_string(done + p.pending);
  if (p.failed > 0) cell.runs += "!";
  if (p.valid == 0) {
    cell.efficiency = "-";
  } else if (p.baseline) {
    cell.efficiency = "1 (K0)";
  } else {
    cell.efficiency = fixed_text(p.efficiency, 2);
    if (const auto& interval = p.efficiency_interval) {
      cell.efficiency += "±" + fixed_text((interval->high - interval->low) / 2, 2);
    }
  }
  return cell;
}

std::string cut(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  std::string out;
  for (const char c : text) {
    const bool starts = (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    if (starts && display_width(out) + 1 >= width) break;
    out += c;
  }
  return out + "…";
}

}  // namespace

std::string to_live_table(const StudySummary& summary, const TerminalStyle& style, int max_lines) {
  std::vector<std::string> labels = curve_labels(summary);
  for (std::size_t c = 0; c < labels.size(); ++c) {
    const Curve& curve = summary.curves[c];
    if (curve.stand_in) labels[c] = "CPU stand-in: " + labels[c];
    const bool by_work = std::any_of(curve.points.begin(), curve.points.end(),
                                     [](const PointSummary& p) { return p.is_by_work(); });
    if (by_work) labels[c] += ", E by work";
  }
  std::size_t label_width = 0;
  for (const std::string& label : labels) label_width = std::max(label_width, display_width(label));
  const auto width = static_cast<std::size_t>(std::max(style.width, 40));
  label_width = std::min(label_width, width / 3);
  std::size_t cell_width = 0;
  for (const Curve& curve : summary.curves) {
    for (const PointSummary& p : curve.points) {
      cell_width = std::max(cell_width, cell_of(p).width());
    }
  }

  std::vector<std::string> blocks;  // three lines each
  for (std::size_t c = 0; c < summary.curves.size(); ++c) {
    std::string first = pad(cut(labels[c], label_width), label_width, false) + "  K   ";
    std::string second = std::string(label_width, ' ') + "  E   ";
    std::string third = std::string(label_width, ' ') + "  runs";
    const std::size_t start = label_width + 6;
    std::string block[3] = {first, second, third};
    std::size_t used = start;
    const auto flush = [&] {
      blocks.push_back(block[0] + "\n" + block[1] + "\n" + block[2] + "\n");
      block[0] = std::string(label_width, ' ') + "  K   ";
      block[1] = second;
      block[2] = third;
      used = start;
    };
    for (const PointSummary& p : summary.curves[c].points) {
      const LiveCell cell = cell_of(p);
      if (used > start && used + 2 + cell_width > width) flush();
      block[0] += "  " + pad(cell.k, cell_width, true);
      block[1] += "  " + pad(cell.efficiency, cell_width, true);
      block[2] += "  " + pad(cell.runs, cell_width, true);
      used += 2 + cell_width;
    }
    flush();
  }

  const auto lines = static_cast<int>(blocks.size()) * kBlockLines;
  std::size_t shown = blocks.size();
  if (lines > max_lines) shown = static_cast<std::size_t>(std::max(0, max_lines - 1)) / kBlockLines;
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) out += blocks[i];
  if (shown < blocks.size() && max_lines > 0) {
    out += "… more curves: `kneepoint report` shows all\n";
  }
  return out;
}

}  // namespace kneepoint
