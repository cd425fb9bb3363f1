// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/base/result.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>

namespace kneepoint {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return Error{ErrorCode::invalid, "odd", false};
  return n / 2;
}

Result<int> quarter(int n) {
  TRY_ASSIGN(const int h, half(n));
  return half(h);
}

Result<void> must_be_even(int n) {
  TRY(half(n));
  return {};
}

TEST(Result, CarriesValuesAndErrorsThroughLayers) {
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_EQ(quarter(6).error().message, "odd");
  EXPECT_TRUE(must_be_even(2).has_value());
  EXPECT_EQ(must_be_even(3).error().code, ErrorCode::invalid);
}

TEST(Result, EachLayerAddsOneClause) {
  EXPECT_EQ(half(3).error().in("split").in("start run 17").message, "start run 17: split: odd");
}

TEST(Result, MovesWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> r = std::make_unique<int>(5);
  const std::unique_ptr<int> p = std::move(r).value();
  EXPECT_EQ(*p, 5);
}

TEST(Result, SystemErrorsSayWhatAndWhy) {
  const Error e = system_error("open x", ENOENT);
  EXPECT_EQ(e.message, "open x: No such file or directory");
  EXPECT_EQ(e.code, ErrorCode::not_found);
  EXPECT_TRUE(system_error("spawn", EAGAIN).retryable);
}

TEST(ResultDeathTest, ReadingTheValueOfAnErrorIsABug) {
  EXPECT_EXIT((void)half(3).value(), testing::ExitedWithCode(70), "odd");
}

}  // namespace
}  // namespace kneepoint
