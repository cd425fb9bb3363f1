// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/plan/tables/reader.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace kneepoint {
namespace {

ReadTable read(const std::string& text, const TableOptions& options = {}) {
  return read_table(text, "t.csv", options);
}

Table good(const std::string& text, const TableOptions& options = {}) {
  const ReadTable read_it = read(text, options);
  EXPECT_EQ(to_string(read_it.problems), "") << text;
  return read_it.table;
}

std::string problems_of(const std::string& text, const TableOptions& options = {}) {
  const ReadTable read_it = read(text, options);
  EXPECT_TRUE(read_it.table.runs.empty()) << "a table with a problem gives no runs";
  EXPECT_FALSE(read_it.problems.empty()) << text;
  return to_string(read_it.problems);
}

void expect_problem(const std::string& text, const std::string& part) {
  const std::string problems = problems_of(text);
  EXPECT_NE(problems.find(part), std::string::npos) << part << " is not in\n" << problems;
}

std::vector<double> seconds(const Table& table) {
  std::vector<double> out;
  for (const TableRun& run : table.runs) out.push_back(run.seconds);
  return out;
}

std::vector<int> ks(const Table& table) {
  std::vector<int> out;
  for (const TablePoint& point : table.points) out.push_back(point.k);
  return out;
}

TEST(TableReader, ReadsKAndTWithWhateverSpreadsheetsPutAround) {
  for (const std::string text :
       {"K,T\n1,100\n2,52.5\n", "k;t\n1;100\n2;52.5\n", "K\tT\n1\t100\n2\t52.5\n",
        "\xEF\xBB\xBFK,T\r\n1,100\r\n2,52.5\r\n", "K,T\r1,100\r2,52.5\r",
        "# slide 7\n\nK , T\n\n 1 , 100 \n# half\n2,52.5",
        "\"K\",\"T\"\n\"1\",\"100\"\n2,\"52.5\"\n", "K,T,,\n1,100,,\n2,52.5,,\n,,,\n",
        "K,T\n1,1e2\n2,+52.5\n", "K,T\n1.0,100\n2.0,52.5\n"}) {
    const Table table = good(text);
    EXPECT_EQ(seconds(table), (std::vector<double>{100, 52.5})) << text;
    EXPECT_EQ(ks(table), (std::vector<int>{1, 2})) << text;
    EXPECT_TRUE(table.unit_assumed);
    EXPECT_EQ(table.points[0].mode, Mode::strong);
  }
}

TEST(TableReader, KnowsManyNamesOfWorkersAndTimes) {
  const auto worker = [](const std::string& title) { return good(title + ",time\n4,1\n").worker; };
  EXPECT_EQ(worker("Nodes"), WorkerUnit::node);
  EXPECT_EQ(worker("GPUs"), WorkerUnit::gpu);
  EXPECT_EQ(worker("num gpus"), WorkerUnit::gpu);
  EXPECT_EQ(worker("MPI ranks"), WorkerUnit::rank);
  EXPECT_EQ(worker("workers"), WorkerUnit::rank);
  TableOptions options;
  options.worker = WorkerUnit::gpu;
  EXPECT_EQ(good("K,T\n1,2\n", options).worker, WorkerUnit::gpu);
  for (const char* title : {"T", "T(K)", "Time", "Wall time", "wall-time [s]", "elapsed", "seconds",
                            "runtime (sec)", "time_s", "step_time"}) {
    EXPECT_EQ(seconds(good(std::string("K,") + title + "\n1,3\n")), std::vector<double>{3})
        << title;
  }
}

TEST(TableReader, ConvertsUnitsOfHeadersAndCells) {
  EXPECT_EQ(seconds(good("K,ms\n1,450\n")), std::vector<double>{0.45});
  EXPECT_EQ(seconds(good("K,time_ms\n1,450\n")), std::vector<double>{0.45});
  EXPECT_EQ(seconds(good("K,Time (min)\n1,2\n")), std::vector<double>{120});
  EXPECT_EQ(seconds(good("K,minutes\n1,2\n")), std::vector<double>{120});
  EXPECT_EQ(seconds(good("K,T [\xC2\xB5s]\n1,5\n")), std::vector<double>{5 * 1e-6});
  const Table mixed = good("K,time\n1,3.2 s\n2,450 ms\n4,2h\n8,1:02:03\n16,1-00:00:01\n");
  EXPECT_EQ(seconds(mixed), (std::vector<double>{3.2, 450 * 1e-3, 7200, 3723, 86401}));
  EXPECT_EQ(mixed.units, (std::vector<std::string>{"s", "ms", "h"}));
  EXPECT_FALSE(mixed.unit_assumed);
  const Table both = good("K,time_ms\n1,100\n2,1 s\n");
  EXPECT_EQ(seconds(both), (std::vector<double>{0.1, 1}));
  EXPECT_EQ(both.units, (std::vector<std::string>{"ms", "s"}));
  TableOptions options;
  options.time_unit = 1e-3;
  options.time_unit_word = "ms";
  const Table asked = good("K,T\n1,450\n2,1 s\n", options);
  EXPECT_EQ(seconds(asked), (std::vector<double>{0.45, 1}));
  EXPECT_FALSE(asked.unit_assumed);
}

TEST(TableReader, RefusesAUnitThatItDoesNotKnow) {
  expect_problem(
      "K,time\n1,3 parsecs\n",
      "t.csv:2:3: time: 'parsecs' is not a unit of time; expected ns, us, ms, s, min, h");
  expect_problem("K,time (cycles)\n1,3\n", "t.csv:1:3: time (cycles): 'cycles' is not a unit");
}

TEST(TableReader, ReadsACommaOnlyAsItIsTold) {
  TableOptions comma, point;
  comma.decimal = DecimalMark::comma;
  point.decimal = DecimalMark::point;
  EXPECT_EQ(seconds(good("K;T\n1;1.234,5\n2;2,5\n", comma)), (std::vector<double>{1234.5, 2.5}));
  EXPECT_EQ(seconds(good("K;T\n1;1,234.5\n2;1,500\n", point)), (std::vector<double>{1234.5, 1500}));
  EXPECT_EQ(seconds(good("K;T\n1;1,234\n", comma)), std::vector<double>{1.234});
  EXPECT_EQ(seconds(good("K;T\n1;1,234\n", point)), std::vector<double>{1234});
  EXPECT_EQ(seconds(good("K;T\n1;1.234\n")), std::vector<double>{1.234});
  EXPECT_EQ(seconds(good("K;T\n1;12 500\n2;1_000\n")), (std::vector<double>{12500, 1000}));
  EXPECT_EQ(ks(good("K;T\n\"1,024\";2\n")), std::vector<int>{1024});
  for (const char* cell : {"1,234", "0,5", "1,234.5", "1.234,5"}) {
    expect_problem(std::string("K;T\n1;") + cell + "\n",
                   std::string("t.csv:2:3: T: '") + cell +
                       "' has a comma, which may part decimals or thousands; say --decimal comma "
                       "or point");
  }
  EXPECT_NE(problems_of("K;T\n1;2,5\n2;1.25\n", comma)
                .find("t.csv:3:3: T: '1.25' has a point that parts no thousands"),
            std::string::npos);
  EXPECT_NE(problems_of("K;T\n1;1,5\n", point)
                .find("t.csv:2:3: T: '1,5' has a comma that parts no thousands"),
            std::string::npos);
  expect_problem("K,T\n1,2,5\n", "t.csv:2:5: 3 fields where the header has 2; a comma inside");
}

TEST(TableReader, RefusesTimesThatAreNone) {
  for (const char* cell : {"NaN", "nan", "-nan"}) {
    expect_problem(std::string("K,T\n1,") + cell + "\n",
                   std::string("t.csv:2:3: T: '") + cell +
                       "' is not a finite number; expected a number above 0");
  }
  expect_problem("K,T\n1,inf\n", "'inf' is not a finite number");
  expect_problem("K,T\n1,-Infinity\n", "'-Infinity' is not a finite number");
  expect_problem("K,T\n1,0\n", "'0' is not above 0");
  expect_problem("K,T\n1,-3.5\n", "'-3.5' is not above 0");
  expect_problem("K,T\n1,\n", "t.csv:2:3: T: is missing; expected a number above 0");
  expect_problem("K,T\n1\n", "t.csv:2:1: T: is missing");
  expect_problem("K,T\n1,OOM\n", "'OOM' is not a number");
  expect_problem("K,T\n1,0x10\n", "'0x10' is not a number");
  expect_problem("K,T\n1,1e999\n", "'1e999' is out of range");
  expect_problem("K,T\n1,1e300\n", "'1e300' is out of range");
  expect_problem("K,T\n1,1e-300\n", "'1e-300' is out of range");
}

TEST(TableReader, RefusesKThatIsNoNumberOfWorkers) {
  for (const char* cell : {"0", "-1", "2.5", "10000001", "two", "1e99", "nan", ""}) {
    expect_problem(std::string("K,T\n") + cell + ",1\n", "expected a whole number from 1 to");
  }
}

TEST(TableReader, NamesEveryProblemAtOnceUpToALimit) {
  const std::string three = problems_of("K,T,mode\n1,x,strong\n0,2,weak\n4,3,both\n");
  EXPECT_EQ(three,
            "t.csv:2:3: T: 'x' is not a number; expected a number above 0\n"
            "t.csv:3:1: K: '0' won't do; expected a whole number from 1 to 10000000\n"
            "t.csv:4:5: mode: 'both' is neither strong nor weak\n");
  std::string many = "K,T\n";
  for (int i = 0; i < 100; ++i) many += "1,x\n";
  const ReadTable limited = read(many);
  EXPECT_EQ(limited.problems.size(), kMostTableProblems + 1);
  EXPECT_EQ(to_string(limited.problems.back()), "t.csv: and 80 more problems");
}

TEST(TableReader, RefusesATableWithoutWhatItNeeds) {
  expect_problem("", "t.csv: the table is empty; expected a header such as K,T");
  expect_problem("\n# nothing\n", "the table is empty");
  expect_problem("K,T\n", "the table has a header and no rows");
  expect_problem("1,100\n2,52\n", "t.csv:1:1: no column with the number of workers");
  expect_problem("K,colour\n1,red\n", "no column with times");
  expect_problem("workerz,T\n1,2\n", "did 'workerz' mean 'workers'?");
  expect_problem("K,S\n1,1\n", "t.csv:1:3: S: can mean seconds or speedup");
  expect_problem("K,time,seconds\n1,1,1\n", "says the same as column 'time'");
  expect_problem("K,T\n1,\"2\n", "t.csv:2:3: this quote is never closed");
  expect_problem(std::string("K,T\n1,2\0\n", 9), "control character 0x00");
  expect_problem("\xFF\xFEK\n", "not UTF-8");
}

TEST(TableReader, CountsEqualRowsAsRepeats) {
  const Table table = good("K,T\n2,5\n1,9\n2,6\n1,8\n2,5\n");
  EXPECT_EQ(ks(table), (std::vector<int>{1, 2})) << "in order of K, whatever the rows'";
  EXPECT_EQ(table.points[1].runs, 3);
  EXPECT_EQ(table.runs[2].repeat, 1);
  EXPECT_EQ(table.runs[2].point, 1U);
  EXPECT_EQ(table.runs[2].line, 4);
  EXPECT_EQ(table.runs[4].repeat, 2);
}

TEST(TableReader, TakesRepeatsByNumberAndRefusesOneTwice) {
  const Table table = good("K,repeat,T\n1,2,9\n1,1,8\n2,1,5\n");
  EXPECT_EQ(table.runs[0].repeat, 1);
  EXPECT_EQ(table.runs[1].repeat, 0);
  expect_problem("K,repeat,T\n1,1,9\n1,1,8\n",
                 "t.csv:3:1: repeat: repeat 1 of this case, mode and K stands on line 2 already");
}

TEST(TableReader, TakesCasesModesBuildsSizesResultsAndCosts) {
  const Table table = good(
      "case,build,scaling,gpus,nodes,size,results,seconds,cost (eur),colour\n"
      "b,new,Weak,8,1,800,16,10,1.5,red\n"
      "a,,strong,8,2,100,4,10,,red\n"
      "b,old,weak,8,1,800,16,11,2,red\n");
  ASSERT_EQ(table.points.size(), 3U);
  EXPECT_EQ(table.points[0].case_name, "b") << "cases as first named";
  EXPECT_EQ(table.points[0].build, "new");
  EXPECT_EQ(table.points[0].mode, Mode::weak);
  EXPECT_EQ(table.points[0].nodes, 1);
  EXPECT_EQ(table.points[0].size, 800);
  EXPECT_EQ(table.points[0].results, 16);
  EXPECT_EQ(table.points[2].case_name, "a");
  EXPECT_EQ(table.points[2].build, "default");
  EXPECT_EQ(table.runs[0].cost, 1.5);
  EXPECT_LT(table.runs[1].cost, 0) << "an empty cell is no cost of 0";
  EXPECT_EQ(table.cost_unit, "EUR");
  EXPECT_EQ(table.unused, std::vector<std::string>{"colour"});
  EXPECT_EQ(good("K,T,cost\n1,2,$3.20\n").cost_unit, "USD");
  expect_problem("K,T,cost\n1,2,$3\n2,2,4 EUR\n", "is in EUR, while others are in USD");
  expect_problem("K,T,cost\n1,2,-3\n", "'-3' is below 0");
  expect_problem("K,T,size\n1,2,5\n1,2,6\n", "'6' differs from line 2");
  expect_problem("K,T,results\n1,2,100\n8,2,800\n", "strong rows make the same results at every K");
  expect_problem("case,K,T\na/b,1,2\n", "'a/b' won't do as a name");
}

TEST(TableReader, TakesTheWorkersOfTheFinerColumnAsK) {
  const Table table = good("nodes,cores,gpus,T\n1,64,8,3\n2,128,16,2\n");
  EXPECT_EQ(ks(table), (std::vector<int>{8, 16}));
  EXPECT_EQ(table.points[1].nodes, 2);
  EXPECT_EQ(table.worker, WorkerUnit::gpu);
  EXPECT_EQ(table.unused, std::vector<std::string>{"cores"});
}

TEST(TableReader, MakesTimesOfSpeedupsEfficienciesAndThroughput) {
  const Table speedups = good("K,speedup,mode\n1,1,strong\n256,180x,strong\n256,240,weak\n");
  EXPECT_EQ(speedups.value, ColumnKind::speedup);
  EXPECT_DOUBLE_EQ(speedups.runs[1].seconds, 1.0 / 180);
  EXPECT_DOUBLE_EQ(speedups.runs[2].seconds, 256.0 / 240);
  const Table shares = good("K,efficiency,mode\n4,80%,strong\n4,0.9,weak\n");
  EXPECT_DOUBLE_EQ(shares.runs[0].seconds, 1 / 3.2);
  EXPECT_DOUBLE_EQ(shares.runs[1].seconds, 1 / 0.9);
  EXPECT_DOUBLE_EQ(good("K,Efficiency (%)\n4,80\n").runs[0].seconds, 1 / 3.2);
  expect_problem("K,efficiency\n4,80\n", "'80' can't be a share; write 0.85 or 85%");
  for (const char* title : {"throughput", "images/s", "tokens_per_second", "rate (samples/s)"}) {
    const Table rate = good(std::string("K,") + title + "\n4,200\n");
    EXPECT_EQ(rate.value, ColumnKind::throughput) << title;
    EXPECT_DOUBLE_EQ(rate.runs[0].seconds, 1 / 200.0);
  }
  const Table times = good("K,speedup,T\n1,1,8\n");
  EXPECT_EQ(times.value, ColumnKind::time) << "seconds say more";
  EXPECT_EQ(times.unused, std::vector<std::string>{"speedup"});
  expect_problem("K,speedup\n4,0\n", "'0' is not above 0");
  expect_problem("K,speedup\n4,3 s\n", "a plain number is expected");
}

TEST(TableReader, RefusesMorePointsThanAStudyHolds) {
  std::string text = "K,T\n";
  for (std::size_t k = 1; k <= kMostTablePoints + 1; ++k) text += std::to_string(k) + ",1\n";
  expect_problem(text, "more than 10000 points");
}

TEST(TableReader, ReadsTenThousandRepeats) {
  std::string text = "K,T\n";
  for (int i = 0; i < 20000; ++i) text += (i % 2 == 0 ? "1,2\n" : "2,1\n");
  const Table table = good(text);
  ASSERT_EQ(table.points.size(), 2U);
  EXPECT_EQ(table.points[1].runs, 10000);
}

TEST(TableReader, ReadsTheShippedTables) {
  for (const char* name : {"vendor-180x.csv", "batch-1024.csv"}) {
    std::ifstream file(std::string(KP_SOURCE_DIR "/plans/tables/") + name);
    std::stringstream text;
    text << file.rdbuf();
    const Table table = good(text.str());
    EXPECT_EQ(table.worker, WorkerUnit::gpu);
    EXPECT_GE(table.points.size(), 8U) << name;
  }
}

}  // namespace
}  // namespace kneepoint
