// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/plan/tables/reader.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

TableStudy made(const std::string& text, const TableOptions& options = {}, int per_node = 1) {
  const ReadTable read = read_table(text, "slide.csv", options);
  EXPECT_EQ(to_string(read.problems), "");
  TableOrigin origin{.study = "slide", .file = "slide.csv", .path = "x/slide.csv"};
  origin.sha256 = "0123456789abcdef" + std::to_string(text.size());
  origin.workers_per_node = per_node;
  return make_table_study(read.table, options, origin);
}

std::string message(const TableStudy& study, const std::string& code) {
  for (const Caveat& caveat : study.caveats) {
    if (caveat.code == code) return caveat.message;
  }
  return "";
}

TEST(TableStudy, SaysWhereTheTimesComeFrom) {
  const TableStudy study = made("K,T\n1,2\n2,1\n");
  EXPECT_EQ(message(study, "imported"),
            "The times come from slide.csv (sha256 0123456789ab); kneepoint did not measure them.");
  EXPECT_NE(message(study, "unit_assumed"), "");
  EXPECT_EQ(message(study, "units_mixed"), "");
  EXPECT_EQ(std::string(to_string(study.site.backend)), "import");
}

TEST(TableStudy, StatesTheLimitsOfSpeedups) {
  const std::string from_one = message(made("K,speedup\n1,1\n8,6\n"), "speedup_only");
  EXPECT_NE(from_one.find("not in seconds"), std::string::npos) << from_one;
  EXPECT_NE(from_one.find("no intervals"), std::string::npos) << from_one;
  EXPECT_EQ(from_one.find("relative to that"), std::string::npos) << from_one;
  const std::string from_eight = message(made("K,speedup\n8,1\n64,6\n64,5\n"), "speedup_only");
  EXPECT_NE(from_eight.find("Its smallest K is 8"), std::string::npos) << from_eight;
  EXPECT_EQ(from_eight.find("no intervals"), std::string::npos) << "there are repeats";
  EXPECT_NE(message(made("K,efficiency\n1,1\n8,.6\n"), "efficiency_only"), "");
  EXPECT_NE(message(made("K,throughput\n1,1\n8,6\n"), "throughput_only"), "");
}

TEST(TableStudy, StatesMixedUnitsUnusedColumnsAndOneK) {
  const TableStudy study = made("K,T,colour\n4,2 s,red\n4,2100 ms,red\n");
  EXPECT_NE(message(study, "units_mixed").find("(s, ms)"), std::string::npos);
  EXPECT_NE(message(study, "columns_unused").find("colour"), std::string::npos);
  EXPECT_NE(message(study, "one_k").find("one K only (K=4)"), std::string::npos);
}

TEST(TableStudy, ChecksThatTheSizeIsHeld) {
  const TableStudy held = made(
      "mode,K,size,T\nstrong,8,1024,4\nstrong,64,1024,2\n"
      "weak,8,1024,4\nweak,64,8192,5\n");
  EXPECT_EQ(message(held, "size_varies"), "");
  EXPECT_EQ(held.study.points[0].held_fixed, "a total size of 1024");
  EXPECT_EQ(held.study.points[2].held_fixed, "a size per worker of 128");
  EXPECT_TRUE(held.study.points[0].has_size);
  const TableStudy varies = made("K,size,T\n8,1024,4\n64,8192,2\n");
  EXPECT_NE(message(varies, "size_varies").find("not strong scaling"), std::string::npos);
}

TEST(TableStudy, TheSeriesGoesByWhatWasRunNotByTheNumbers) {
  const std::string first = made("K,T\n1,2\n2,1\n").study.hash8;
  EXPECT_EQ(first.size(), 8U);
  EXPECT_EQ(made("K,T\n1,3\n2,2\n4,1\n").study.hash8, first) << "more K, other times";
  EXPECT_NE(made("K,speedup\n1,1\n2,2\n").study.hash8, first);
  EXPECT_NE(made("gpus,T\n1,2\n").study.hash8, first);
  EXPECT_NE(made("case,K,T\nother,1,2\n").study.hash8, first);
  TableOptions weak;
  weak.mode = Mode::weak;
  EXPECT_NE(made("K,T\n1,2\n2,1\n", weak).study.hash8, first);
}

TEST(TableStudy, ThePlanTextTellsOneImportFromAnother) {
  const std::string text = "K,T\n1,2\n2,1\n";
  EXPECT_EQ(made(text).study.plan.text, made(text).study.plan.text);
  TableOptions milliseconds;
  milliseconds.time_unit = 1e-3;
  milliseconds.time_unit_word = "ms";
  EXPECT_NE(made(text, milliseconds).study.plan.text, made(text).study.plan.text);
  EXPECT_NE(made(text, {}, 8).study.plan.text, made(text).study.plan.text);
}

TEST(TableStudy, ShapesFollowTheWorker) {
  const Point gpu = made("gpus,T\n20,2\n", {}, 8).study.points[0];
  EXPECT_EQ(gpu.shape.nodes, 3);
  EXPECT_EQ(gpu.shape.gpus_per_node, 8);
  const Point node = made("nodes,T\n20,2\n").study.points[0];
  EXPECT_EQ(node.shape.nodes, 20);
  EXPECT_EQ(node.shape.ranks_per_node, 1);
  const Point told = made("ranks,nodes,T\n20,5,2\n").study.points[0];
  EXPECT_EQ(told.shape.nodes, 5);
  EXPECT_EQ(told.shape.ranks_per_node, 4);
}

TEST(TableStudy, NamesAStudyAfterItsFile) {
  EXPECT_EQ(study_name_of("/x/Vendor 180x (final).csv"), "vendor-180x-final");
  EXPECT_EQ(study_name_of("__.csv"), "");
  EXPECT_TRUE(is_study_name("a-1"));
  EXPECT_FALSE(is_study_name("-a"));
  EXPECT_FALSE(is_study_name("A"));
  EXPECT_FALSE(is_study_name(std::string(41, 'a')));
}

}  // namespace
}  // namespace kneepoint
