// SPDX-License-Identifier: Apache-2.0
//
// Figures: the bytes as golden files, and what bytes can't say: that each is well-formed, that text
// stays text, that the knee is where the report has it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>

#include "orchestrator/report/figures/figures.h"
#include "orchestrator/report/figures/svg.h"
#include "tests/unit/analysis/evidence_builder.h"
#include "tests/unit/report/full_analysis.h"
#include "tests/unit/report/golden.h"
#include "tests/unit/report/sample_study.h"

namespace kneepoint {
namespace {

// Tags open and close in order, attributes are quoted, no stray '<' or '&'.
void expect_well_formed(const std::string& markup, const std::string& name) {
  std::vector<std::string> open;
  const std::regex tag(R"(<(/?)([a-zA-Z]+)((?: [a-zA-Z:-]+="[^"<]*")*)(/?)>)");
  std::size_t at = 0;
  const auto is_text = [&](std::size_t from, std::size_t to) {
    const std::string text = markup.substr(from, to - from);
    if (!open.empty() && open.back() == "style") return;
    EXPECT_EQ(text.find('<'), std::string::npos) << name << ": " << text;
    static const std::regex bare("&(?!(amp|lt|gt|quot|#39);)");
    EXPECT_FALSE(std::regex_search(text, bare)) << name << ": " << text;
  };
  for (std::sregex_iterator it(markup.begin(), markup.end(), tag), end; it != end; ++it) {
    is_text(at, static_cast<std::size_t>(it->position()));
    at = static_cast<std::size_t>(it->position() + it->length());
    if ((*it)[1] == "/") {
      ASSERT_FALSE(open.empty()) << name;
      EXPECT_EQ(open.back(), (*it)[2]) << name;
      open.pop_back();
    } else if ((*it)[4] != "/") {
      open.push_back((*it)[2]);
    }
  }
  is_text(at, markup.size());
  EXPECT_TRUE(open.empty()) << name << " leaves <" << (open.empty() ? "" : open.back()) << "> open";
}

TEST(Figures, AreTheSameBytesEveryTime) {
  const std::vector<FigureFile> files = figure_files(full_document());
  ASSERT_EQ(files.size(), 18u);
  for (const FigureFile& file : files) expect_golden("figures/" + file.name, file.svg);
  const std::vector<FigureFile> again = figure_files(full_document());
  for (std::size_t i = 0; i < files.size(); ++i) EXPECT_EQ(files[i].svg, again[i].svg);
}

TEST(Figures, OfPricesAreTheSameBytesToo) {
  for (const FigureFile& file : figure_files(priced_sample())) {
    if (file.name.find("cost") != std::string::npos) {
      expect_golden("figures/priced-" + file.name, file.svg);
    }
  }
}

TEST(Figures, AreWellFormedWithTitleAndDescription) {
  for (const Document& document : {full_document(), make_document(sample_study()),
                                   make_document(study_without_baseline()), priced_sample()}) {
    std::set<std::string> names;
    for (const FigureFile& file : figure_files(document)) {
      EXPECT_TRUE(names.insert(file.name).second) << file.name;
      EXPECT_TRUE(std::regex_match(file.name, std::regex("[a-z0-9-]+\\.svg"))) << file.name;
      expect_well_formed(file.svg, file.name);
      EXPECT_NE(file.svg.find("<title>"), std::string::npos) << file.name;
      EXPECT_NE(file.svg.find("<desc>"), std::string::npos) << file.name;
      EXPECT_EQ(file.svg.find("nan"), std::string::npos) << file.name;
      EXPECT_EQ(file.svg.find("inf"), std::string::npos) << file.name;
    }
    EXPECT_FALSE(names.empty());
  }
}

std::string efficiency_of(const Document& document, std::size_t curve, KScale scale) {
  const std::vector<CurveView> views = curve_views(document.analysis);
  return standalone_svg(efficiency_figure(document, views[curve], scale).value());
}

TEST(Figures, TheKneeIsWhereTheReportHasIt) {
  const Document document = full_document();
  const std::string svg = efficiency_of(document, 0, KScale::log2);
  std::smatch axis, knee;
  ASSERT_TRUE(std::regex_search(svg, axis, std::regex("data-kx=\"(\\S+) (\\S+) (\\S+) (\\S+) ")));
  ASSERT_TRUE(std::regex_search(
      svg, knee, std::regex("class=\"kn\" data-k=\"([^\"]+)\" transform=\"translate\\((\\S+) ")));
  EXPECT_DOUBLE_EQ(std::stod(knee[1]), 6.2063);
  const double low = std::stod(axis[1]), high = std::stod(axis[2]);
  const double x0 = std::stod(axis[3]), x1 = std::stod(axis[4]);
  EXPECT_NEAR(std::stod(knee[2]), x0 + std::log(6.2063 / low) / std::log(high / low) * (x1 - x0),
              0.06);
  const std::string linear = efficiency_of(document, 0, KScale::linear);
  ASSERT_TRUE(std::regex_search(
      linear, knee, std::regex("class=\"kn\" data-k=\"[^\"]+\" transform=\"translate\\((\\S+) ")));
  EXPECT_NEAR(std::stod(knee[1]), x0 + (6.2063 - low) / (high - low) * (x1 - x0), 0.06);
}

TEST(Figures, ExtrapolationIsHatchedAndOnlyThere) {
  const Document document = make_document(sample_study());
  const std::vector<CurveView> views = curve_views(document.analysis);
  ASSERT_FALSE(views[2].analysis->band.empty());
  EXPECT_EQ(views[2].analysis->band.back().k, 32);
  EXPECT_NE(efficiency_of(document, 2, KScale::log2).find("class=\"ex kx\""), std::string::npos);
  EvidenceBuilder b;  // two K: no model, nothing to extrapolate
  b.add(Mode::strong, 1, {1.0, 1.01, 1.02});
  b.add(Mode::strong, 2, {0.6, 0.61, 0.62});
  const std::string bare = efficiency_of(make_document(b.study), 0, KScale::log2);
  EXPECT_EQ(bare.find("class=\"ex"), std::string::npos);
  EXPECT_EQ(bare.find("class=\"mo"), std::string::npos) << "points are not joined";
}

TEST(Figures, EveryMeasuredPointSaysSoOnHover) {
  const std::string svg = efficiency_of(full_document(), 0, KScale::log2);
  for (const char* k : {"K=1: ", "K=2: ", "K=4: ", "K=8: ", "K=16: "}) {
    EXPECT_TRUE(std::regex_search(svg, std::regex(std::string("<title>") + k + "E [^<]*measured")))
        << k;
  }
}

TEST(Figures, NamesStayText) {
  EvidenceBuilder b;
  const std::string evil = "<script>alert('x')</script>\"&\x1b" + std::string(10'000, 'x');
  b.add(Mode::strong, 1, {1.0, 1.01, 1.02}, evil);
  b.add(Mode::strong, 2, {0.6, 0.61, 0.62}, evil);
  for (const FigureFile& file : figure_files(make_document(b.study))) {
    expect_well_formed(file.svg, file.name);
    EXPECT_EQ(file.svg.find("<script"), std::string::npos);
    EXPECT_EQ(file.svg.find('\x1b'), std::string::npos);
    EXPECT_LT(file.name.size(), 100u);
  }
}

TEST(Figures, OnePointOrNoneIsNoTrouble) {
  EvidenceBuilder b;
  b.add(Mode::strong, 8, {1.0});
  EXPECT_EQ(figure_files(make_document(b.study)).size(), 6u);
  EvidenceBuilder none;
  auto& failed = none.add(Mode::strong, 1, {});
  none.add_run(failed, failed_run(AttemptState::failed, Reason::oom));
  EXPECT_TRUE(figure_files(make_document(none.study)).empty());
  EXPECT_TRUE(figure_files(make_document(StudyEvidence{})).empty());
}

TEST(SvgScale, TicksAreRoundNumbersInside) {
  const auto labels = [](const svg::Scale& scale, int wanted, bool binary = false) {
    std::vector<std::string> out;
    for (const svg::Tick& tick : svg::ticks_of(scale, wanted, binary)) {
      EXPECT_TRUE(tick.value >= scale.low * (1 - 1e-9) && tick.value <= scale.high * (1 + 1e-9));
      out.push_back(tick.label);
    }
    return out;
  };
  using Labels = std::vector<std::string>;
  EXPECT_EQ(labels({0, 1.05}, 5), (Labels{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels({0, 100}, 5), (Labels{"0", "20", "40", "60", "80", "100"}));
  EXPECT_EQ(labels({1, 64, 0, 1, true}, 7, true), (Labels{"1", "2", "4", "8", "16", "32", "64"}));
  EXPECT_EQ(labels({0.9, 1100, 0, 1, true}, 4), (Labels{"1", "10", "100", "1000"}));
  EXPECT_GE(labels({1.0, 1.3, 0, 1, true}, 5).size(), 3u);
}

TEST(SvgText, IsMeasuredCutAndBroken) {
  EXPECT_GT(svg::text_width("mmm", 10), svg::text_width("iii", 10));
  EXPECT_EQ(svg::fitted("short", 10, 100), "short");
  const std::string cut = svg::fitted("a rather long label of a curve", 10, 60);
  EXPECT_TRUE(cut.ends_with("…"));
  EXPECT_LE(svg::text_width(cut, 10), 60);
  for (const std::string& line : svg::lines_of("one two three four five six", 10, 50)) {
    EXPECT_LE(svg::text_width(line, 10), 50) << line;
  }
  EXPECT_EQ(svg::number(-0.04), "0");
  EXPECT_EQ(svg::number(12.96), "13");
}

}  // namespace
}  // namespace kneepoint
