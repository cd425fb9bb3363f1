// SPDX-License-Identifier: Apache-2.0
//
// Efficiency over K as a sketch of characters: rows by E, columns by log2 K.
#include <algorithm>
#include <cmath>

#include "orchestrator/report/terminal/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

constexpr int kLeft = 9;    // "    1.00 "
constexpr int kRight = 12;  // " floor 0.75"
constexpr int kWidest = 64;
constexpr int kNarrowest = 24;
constexpr int kMostRows = 11;

struct Signs {
  const char *point, *bar, *model, *floor, *line, *knee, *axis, *corner;
};
constexpr Signs kUnicode = {"●", "│", "·", "─", "┈", "▲", "─", "└"};
constexpr Signs kAscii = {"o", "|", ".", "=", "-", "^", "-", "+"};

// Rows from the highest E to the lowest, columns by log2 K.
class Sketch {
 public:
  Sketch(const CurveView& view, const TerminalStyle& style)
      : view_(view), paint_(style.color), signs_(style.unicode ? kUnicode : kAscii) {
    for (const PointSummary& p : view.curve->points) {
      if (p.valid > 0 && p.efficiency > 0) points_.push_back(&p);
    }
    width_ = std::min(style.width - kLeft - kRight, kWidest);
  }

  bool fits() const { return points_.size() >= 2 && width_ >= kNarrowest; }

  std::string drawn() {
    choose_rows();
    cells_.assign(rows_, std::vector<std::string>(width_));
    draw_lines();
    draw_model();
    draw_points();
    std::string out;
    for (int r = 0; r < rows_; ++r) {
      std::string line = pad(value_text(value_of(r)), kLeft - 1, true) + " ";
      for (const std::string& cell : cells_[r]) line += cell.empty() ? " " : cell;
      if (!labels_[r].empty()) line += " " + labels_[r];
      trim_and_end(line);
      out += line;
    }
    return out + axis() + below();
  }

 private:
  double first_k() const { return points_.front()->point.k; }
  double last_k() const { return points_.back()->point.k; }

  // From the largest E down to the lowest of E and the floors that are near it.
  void choose_rows() {
    double low = view_.floor_knee->floor, high = 1;
    for (const PointSummary* p : points_) {
      low = std::min(low, p->efficiency);
      high = std::max(high, p->efficiency);
    }
    // 0.05, 0.1, 0.2, 0.5, 1, ...: a slip of units makes E as large as it likes.
    double rows = 0;
    for (int i = 0; i == 0 || rows > kMostRows; ++i) {
      constexpr double kSteps[] = {0.05, 0.1, 0.2};
      step_ = kSteps[i % 3] * std::pow(10, i / 3);
      top_ = std::ceil(high / step_ - 1e-9);
      rows = top_ - std::max(0.0, std::floor(low / step_ + 1e-9) - 1) + 1;
    }
    rows_ = static_cast<int>(rows);
    labels_.assign(rows_, "");
  }

  double value_of(int row) const { return (top_ - row) * step_; }
  std::string value_text(double value) const { return fixed_text(value, step_ < 0.1 ? 2 : 1); }

  int row_of(double value) const {
    return std::clamp(static_cast<int>(std::lround(top_ - value / step_)), 0, rows_ - 1);
  }

  // A point below the floor never lies on its line or above, nor one that keeps it below.
  int row_of_point(double value) const {
    const double floor = view_.floor_knee->floor;
    const int row = row_of(value), line = row_of(floor);
    if (value < floor * (1 - 1e-12)) return std::min(std::max(row, line + 1), rows_ - 1);
    return std::min(row, line);
  }

  int column_of(double k) const {
    const double share = std::log2(k / first_k()) / std::log2(last_k() / first_k());
    return std::clamp(static_cast<int>(std::lround(share * (width_ - 1))), 0, width_ - 1);
  }

  void draw_lines() {
    const double floor = view_.floor_knee->floor;
    for (const double line : {0.8, 0.5, floor}) {
      const int row = static_cast<int>(std::lround(top_ - line / step_));
      if (row < 0 || row >= rows_) continue;
      const bool own = line == floor;
      if (!own && (line == floor || row == row_of(floor))) continue;
      for (std::string& cell : cells_[row]) cell = paint_.dim(own ? signs_.floor : signs_.line);
      labels_[row] = (own ? "floor " : "") + count_text(line);
    }
  }

  void draw_model() {
    if (view_.analysis->models.fits.empty()) return;
    const Coefficients& c = view_.analysis->models.fits.front().coefficients;
    const double base = c.at(first_k());
    for (int x = 0; x < width_; ++x) {
      const double k = first_k() * std::pow(last_k() / first_k(), x / (width_ - 1.0));
      const double e =
          view_.curve->mode == Mode::strong ? first_k() * base / (k * c.at(k)) : base / c.at(k);
      cells_[row_of_point(e)][x] = signs_.model;
    }
  }

  void draw_points() {
    for (const PointSummary* p : points_) {
      const double e = p->efficiency;
      const int x = column_of(p->point.k);
      if (const auto& interval = p->efficiency_interval) {
        for (int r = row_of(interval->high); r <= row_of(interval->low); ++r) {
          cells_[r][x] = signs_.bar;
        }
      }
      cells_[row_of_point(e)][x] = paint_.by_efficiency(signs_.point, e, view_.floor_knee->floor);
    }
  }

  std::string axis() const {
    std::string line = std::string(kLeft - 1, ' ') + signs_.corner;
    for (int x = 0; x < width_; ++x) line += signs_.axis;
    return line + "\n";
  }

  // The K below the axis, as many as have room, and the knee.
  std::string below() const {
    std::string ks(kLeft + width_ + kRight, ' ');
    int free_from = 0;
    for (const PointSummary* p : points_) {
      const std::string text = std::to_string(p->point.k);
      const int half = static_cast<int>(text.size()) / 2;
      const int at = kLeft + column_of(p->point.k) - half;
      if (at < free_from) continue;
      ks.replace(at, text.size(), text);
      free_from = at + static_cast<int>(text.size()) + 1;
    }
    trim_and_end(ks);
    const Knee* knee = decisive_knee(view_);
    if (knee == nullptr || !knee->k || *knee->k < first_k() || *knee->k > last_k()) return ks;
    const std::string words = "knee K=" + k_text(*knee->k);
    const int x = kLeft + column_of(*knee->k);
    const bool left = x + 2 + static_cast<int>(words.size()) > kLeft + width_ + kRight;
    std::string line(left ? x - 1 - static_cast<int>(words.size()) : x, ' ');
    line += left ? words + " " + signs_.knee : signs_.knee + (" " + words);
    return ks + line + "\n";
  }

  const CurveView& view_;
  Paint paint_;
  Signs signs_;
  std::vector<const PointSummary*> points_;
  int width_ = 0, rows_ = 0;
  double step_ = 0.1, top_ = 10;
  std::vector<std::vector<std::string>> cells_;
  std::vector<std::string> labels_;
};

}  // namespace

std::string drawn_curve(const CurveView& view, const TerminalStyle& style) {
  Sketch sketch(view, style);
  if (!sketch.fits()) return "";
  const Signs& signs = style.unicode ? kUnicode : kAscii;
  std::string title = std::string("  Efficiency over K: ") + signs.point +
                      (view.curve->emulated ? " emulated" : " measured");
  if (!view.analysis->models.fits.empty()) {
    title += std::string(", ") + signs.model + " model " + view.analysis->models.fits.front().name;
  }
  return title + "\n" + sketch.drawn();
}

}  // namespace kneepoint
