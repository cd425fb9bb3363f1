// SPDX-License-Identifier: Apache-2.0
//
// docs/reference/report.md shows real output: each block behind a line "<!-- from FILE -->" stands
// word for word in that golden.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace kneepoint {
namespace {

std::string read_whole(const std::string& path) {
  std::ifstream file(std::string(KP_SOURCE_DIR) + "/" + path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Reference, ExcerptsOfReportsStandInTheGoldens) {
  const std::string page = read_whole("docs/reference/report.md");
  const std::string opening = "<!-- from ";
  int blocks = 0;
  for (std::size_t at = page.find(opening); at != std::string::npos;
       at = page.find(opening, at + 1)) {
    const std::size_t name = at + opening.size();
    const std::string golden = page.substr(name, page.find(" -->", name) - name);
    const std::size_t fence = page.find("```", at);
    const std::size_t begin = page.find('\n', fence) + 1;
    const std::string block = page.substr(begin, page.find("```", begin) - begin);
    ASSERT_FALSE(block.empty());
    EXPECT_NE(read_whole("tests/golden/report/" + golden).find(block), std::string::npos)
        << golden << " does not hold:\n"
        << block;
    ++blocks;
  }
  EXPECT_GE(blocks, 4);
}

TEST(Reference, EveryKeyOfAModeIsDocumented) {
  const std::string page = read_whole("docs/reference/report.md");
  const auto schema = nlohmann::json::parse(read_whole("docs/reference/report.schema.json"));
  for (const char* kind : {"case", "mode", "point", "model", "knee", "prediction", "warning"}) {
    for (const auto& [key, ignored] : schema["$defs"][kind]["properties"].items()) {
      EXPECT_NE(page.find("`" + key + "`"), std::string::npos) << kind << ": " << key;
    }
  }
  for (const auto& [key, ignored] : schema["properties"].items()) {
    EXPECT_NE(page.find("`" + key + "`"), std::string::npos) << key;
  }
}

}  // namespace
}  // namespace kneepoint
