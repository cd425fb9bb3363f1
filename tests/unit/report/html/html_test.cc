// SPDX-License-Identifier: Apache-2.0
//
// The page: nothing from outside becomes markup, nothing is asked of a network, it stays small.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "orchestrator/report/html/html.h"
#include "tests/unit/analysis/evidence_builder.h"
#include "tests/unit/report/full_analysis.h"
#include "tests/unit/report/golden.h"
#include "tests/unit/report/sample_study.h"

namespace kneepoint {
namespace {

const std::string kEvil =
    "</script><script>alert(\"x\")</script><!-- <img src=x onerror='y'> & 🚀 \x1b[2J";

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

std::string embedded_json(const std::string& page) {
  const std::string opening = "<script type=\"application/json\" id=\"kneepoint-report\">";
  const std::size_t at = page.find(opening) + opening.size();
  return page.substr(at, page.find("</script>", at) - at);
}

TEST(Html, NothingFromOutsideBecomesMarkup) {
  EvidenceBuilder b;
  const std::string name = kEvil + std::string(10'000, 'n');
  for (const int k : {1, 2, 4}) {
    PointEvidence& p = b.add(Mode::strong, k, {1.0 / k, 1.01 / k, 1.02 / k}, name);
    p.point.held_fixed = p.point.result_name = p.point.work_unit = kEvil;
    for (RunEvidence& run : p.runs) run.hosts = run.disturbed = kEvil;
    p.details.push_back({.number = p.runs[0].number, .facts = {{"n1", kEvil, kEvil}}});
    p.details.back().facts.push_back({"n1", "log", kEvil + std::string(10'000, 'l')});
  }
  b.study.id = b.study.name = b.study.site = b.study.backend = b.study.state = kEvil;
  b.study.caveats = {{"code", kEvil}};
  Document document = make_document(b.study);
  document.red = true;
  document.red_reason = kEvil;
  document.findings = {kEvil};
  const std::string page = to_html(document, {.web = {}});
  // The page's own: JSON and one script.
  EXPECT_EQ(count(page, "<script"), 2);
  EXPECT_EQ(count(page, "</script>"), 2);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(page.find("<!--"), std::string::npos);
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;"), std::string::npos);
  EXPECT_NE(page.find("🚀"), std::string::npos) << "an emoji is text like any other";
  EXPECT_NE(page.find("&#39;y&#39;"), std::string::npos);
  const auto json = nlohmann::json::parse(embedded_json(page));
  EXPECT_EQ(json["cases"][0]["case"].get<std::string>().substr(0, 9), "</script>");
}

TEST(Html, TheEmbeddedJsonIsTheReportsOwn) {
  const Document document = full_document();
  const auto page = nlohmann::json::parse(embedded_json(to_html(document)));
  const auto whole = nlohmann::json::parse(to_json(document));
  EXPECT_EQ(page["schema"], "kneepoint.report/1");
  const auto& a = page["cases"][0]["modes"]["strong"];
  const auto& b = whole["cases"][0]["modes"]["strong"];
  for (const char* key : {"recommended_k", "k0_seconds", "label"}) EXPECT_EQ(a[key], b[key]) << key;
  ASSERT_EQ(a["models"].size(), 1u);
  EXPECT_EQ(a["models"][0], b["models"][0]) << "the best one";
  ASSERT_EQ(a["knees"].size(), 3u);  // the floors
  for (int i = 0; i < 3; ++i) EXPECT_EQ(a["knees"][i], b["knees"][i]);
  ASSERT_EQ(a["points"].size(), b["points"].size());
  for (std::size_t i = 0; i < a["points"].size(); ++i) {
    EXPECT_EQ(a["points"][i]["k"], b["points"][i]["k"]);
    for (const char* key : {"time", "efficiency", "karp_flatt"}) {
      for (const auto& [name, value] : a["points"][i][key].items()) {
        const auto& other = b["points"][i][key][name];
        ASSERT_EQ(value.is_null(), other.is_null()) << key << " " << name;
        if (value.is_null()) continue;
        EXPECT_NEAR(value.get<double>(), other.get<double>(), 1e-8) << key << " " << name;
      }
    }
    EXPECT_EQ(a["points"][i]["shape"]["nodes"], b["points"][i]["shape"]["nodes"]);
  }
}

TEST(Html, OfCostsThePageHasWhatItsScriptComputesFrom) {
  const Document document = priced_sample();
  const auto page = nlohmann::json::parse(embedded_json(to_html(document)))["cost"];
  const auto whole = nlohmann::json::parse(to_json(document))["cost"];
  for (const char* key : {"currency", "item", "example"}) EXPECT_EQ(page[key], whole[key]) << key;
  ASSERT_EQ(page["curves"].size(), whole["curves"].size());
  for (std::size_t c = 0; c < whole["curves"].size(); ++c) {
    const auto &a = page["curves"][c], &b = whole["curves"][c];
    for (const char* key : {"build", "case", "shape", "mode", "result"}) EXPECT_EQ(a[key], b[key]);
    ASSERT_EQ(a["points"].size(), b["points"].size());
    for (const char* key : {"nodes", "billed_seconds", "parts"}) {
      EXPECT_EQ(a["points"][0][key], b["points"][0][key]) << key;
    }
    for (std::size_t i = 0; i < b["points"].size(); ++i) {
      for (const char* key : {"k", "modelled", "results"}) {
        EXPECT_EQ(a["points"][i][key], b["points"][i][key]) << key;
      }
    }
  }
}

TEST(Html, WhatFiguresShareIsDrawnOnce) {
  const std::string page = to_html(make_document(sample_study()), {.web = {}});
  const int plots = count(page, "data-kx=\"");
  const int axes = count(page, "<g class=\"kt\" transform");
  EXPECT_EQ(plots, 11);  // three curves of three, and strong beside weak
  EXPECT_LT(axes, plots);
  EXPECT_GE(count(page, "<use href=\"#shared-"), plots - axes);
}

TEST(Html, WhatWasNotMeasuredSaysSoBesideTheAnswer) {
  StudyEvidence study = sample_study();
  const auto first_screen = [&] {
    const std::string page = to_html(make_document(study), {.web = {}});
    return page.substr(0, page.find("id=\"questions\""));
  };
  EXPECT_EQ(count(first_screen(), "nothing was measured"), 0);
  EXPECT_EQ(count(first_screen(), "<span class=\"badge\">emulated</span>"), 1);
  study.backend = "simulated";
  EXPECT_EQ(count(first_screen(), "simulated, nothing was measured</span>"), 3);
  study.backend = "import";
  EXPECT_EQ(count(first_screen(), "<span class=\"badge\">imported</span>"), 3);
}

TEST(Html, AsksNothingOfANetwork) {
  const std::string page = to_html(full_document());
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_FALSE(std::regex_search(page, std::regex("(src|href)=\"(?!#)")));
  EXPECT_FALSE(std::regex_search(page, std::regex("https?://(?!www\\.w3\\.org)")));
  EXPECT_FALSE(std::regex_search(page, std::regex("url\\((?!#)")));
}

TEST(Html, EveryIdIsThereOnceAndEveryLinkLeadsSomewhere) {
  const std::string page = to_html(priced_sample());
  std::set<std::string> ids;
  const std::regex id(" id=\"([^\"]+)\""), link("href=\"#([^\"]+)\"");
  for (std::sregex_iterator it(page.begin(), page.end(), id), end; it != end; ++it) {
    EXPECT_TRUE(ids.insert((*it)[1]).second) << (*it)[1];
  }
  for (std::sregex_iterator it(page.begin(), page.end(), link), end; it != end; ++it) {
    EXPECT_TRUE(ids.contains((*it)[1])) << (*it)[1];
  }
}

TEST(Html, TheFirstScreenIsTheAnswerInWords) {
  const std::string page = to_html(priced_sample());
  const std::size_t answer = page.find("id=\"answer\"");
  const std::size_t figures = page.find("class=\"figures\"");
  ASSERT_LT(answer, figures);
  const std::string first = page.substr(answer, figures - answer);
  for (const char* part : {"Use K=2", "<dt>Knee</dt>", "<dt>At K=2</dt>", "<dt>Cost</dt>",
                           "% of the loss at K=16 is serial work</dd>",
                           "<dt>Limit</dt><dd>Not known: neither", "over 5 runs"}) {
    EXPECT_NE(first.find(part), std::string::npos) << part;
  }
}

TEST(Html, SaysWhatIsMissingWithoutTheBundleAndCarriesItWithIt) {
  const std::string without = to_html(full_document(), {.web = {}});
  EXPECT_NE(without.find("The what-if part needs node at build time"), std::string::npos);
  const WebBundle bundle{true, "let what_if;", ".what-if{}", ""};
  const std::string with = to_html(full_document(), {bundle});
  EXPECT_EQ(with.find("needs node at build time"), std::string::npos);
  EXPECT_NE(with.find("<script>let what_if;</script>"), std::string::npos);
  EXPECT_NE(with.find("<style>.what-if{}</style>"), std::string::npos);
  EXPECT_LT(with.find("id=\"what-if\""), with.find("let what_if;"));
  EXPECT_LT(with.find("id=\"kneepoint-report\""), with.find("let what_if;"));
}

TEST(Html, AStudyOfNothingIsAPageToo) {
  const std::string page = to_html(make_document(StudyEvidence{}));
  EXPECT_NE(page.find("The study has no points."), std::string::npos);
  EXPECT_NE(to_html(make_document(study_without_baseline())).find("RED: "), std::string::npos);
}

// 50 cases, two modes, 12 K, intervals, breakdowns: with what a page adds for the bundle it stays
// well below 3 MB, with prices too.
TEST(Html, FiftyCasesStaySmall) {
  EvidenceBuilder b;
  for (int c = 0; c < 50; ++c) {
    for (const Mode mode : {Mode::strong, Mode::weak}) {
      for (const int k : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}) {
        const double ideal = mode == Mode::strong ? 0.05 + 0.95 / k : 1;
        const double t = (ideal + 0.01 * std::log2(k)) * (1 + 0.01 * c);
        PointEvidence& p =
            b.add(mode, k, {t, t * 1.04, t * 0.97, t * 1.01, t * 1.06}, "case" + std::to_string(c));
        for (RunEvidence& run : p.runs) {
          run.compute_seconds = run.seconds * 0.8;
          run.communication_seconds = run.seconds * 0.15;
        }
      }
    }
  }
  AnalysisOptions quick;
  quick.bootstrap.replicates = 50;
  Document document = make_document(b.study, quick);
  const std::string page = to_html(document, {.web = {}});
  EXPECT_EQ(count(page, "class=\"card\""), 50);
  EXPECT_EQ(count(page, "<figure"), 50 * 9);
  EXPECT_LT(page.size(), 2'300'000u);
  add_example_prices(document, 50);
  const std::string priced = to_html(document, {.web = {}});
  EXPECT_EQ(count(priced, "<figure"), 50 * 11);
  EXPECT_LT(priced.size(), 2'700'000u);
  if (const char* file = std::getenv("KNEEPOINT_WRITE_LARGE_PAGE")) std::ofstream(file) << priced;
}

}  // namespace
}  // namespace kneepoint
