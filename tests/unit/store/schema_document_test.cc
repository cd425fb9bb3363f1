// SPDX-License-Identifier: Apache-2.0
//
// docs/reference/schema.md lists every table and column, in order, and no others.
#include <fstream>
#include <map>

#include "orchestrator/store/database.h"
#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

using Tables = std::map<std::string, std::vector<std::string>>;

Tables documented() {
  Tables tables;
  std::ifstream file(std::string(KP_SOURCE_DIR) + "/docs/reference/schema.md");
  std::string table;
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find('`');
    const auto last = line.find('`', first + 1);
    if (line.starts_with("## ")) table.clear();
    if (first == std::string::npos || last == std::string::npos) continue;
    const std::string word = line.substr(first + 1, last - first - 1);
    if (line.starts_with("## `")) {
      table = word;
      tables[table];
    } else if (line.starts_with("| `") && !table.empty()) {
      tables[table].push_back(word);
    }
  }
  return tables;
}

Tables real(Database& database) {
  Tables tables;
  auto row = database.query(
      "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c"
      " WHERE m.type = 'table' ORDER BY m.name, c.cid");
  std::string table, column;
  while (row->next().value()) {
    row->read(table, column);
    tables[table].push_back(column);
  }
  return tables;
}

class SchemaTest : public StoreTest {};

TEST_F(SchemaTest, IsDocumentedColumnByColumn) {
  open();
  auto database = Database::open_read_only(path());
  ASSERT_TRUE(database.has_value());
  const Tables in_database = real(**database), in_document = documented();
  EXPECT_GE(in_database.size(), 14U);
  for (const auto& [table, columns] : in_database) {
    ASSERT_TRUE(in_document.contains(table)) << "docs/reference/schema.md lacks table " << table;
    EXPECT_EQ(in_document.at(table), columns) << table;
  }
  for (const auto& [table, columns] : in_document) {
    EXPECT_TRUE(in_database.contains(table)) << "docs/reference/schema.md tells of " << table;
  }
}

TEST_F(SchemaTest, EveryTableIsStrict) {
  open();
  auto database = Database::open_read_only(path());
  ASSERT_TRUE(database.has_value());
  EXPECT_EQ((*database)
                ->number_of("SELECT COUNT(*) FROM pragma_table_list"
                            " WHERE schema = 'main' AND name NOT LIKE 'sqlite_%' AND strict = 0")
                .value(),
            0);
}

}  // namespace
}  // namespace kneepoint
