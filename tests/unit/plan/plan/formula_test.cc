// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/plan/plan/formula.h"

#include <gtest/gtest.h>

#include <clocale>

namespace kneepoint {
namespace {

struct Variable {
  std::string name;
  double value = 0;
};

Result<double> evaluate(const std::string& formula, const std::vector<Variable>& variables) {
  std::vector<std::string> names;
  std::vector<double> values;
  for (const auto& [name, value] : variables) {
    names.push_back(name);
    values.push_back(value);
  }
  TRY_ASSIGN(const Formula parsed, Formula::parse(formula, names));
  return parsed.evaluate(values);
}

double value_of(const std::string& text, std::vector<Variable> variables = {{"K", 8}}) {
  const auto value = evaluate(text, variables);
  EXPECT_TRUE(value.has_value()) << (value ? "" : value.error().message);
  return value.value_or(-1);
}

std::string error_of(const std::string& text, std::vector<Variable> variables = {{"K", 8}}) {
  const auto value = evaluate(text, variables);
  EXPECT_FALSE(value.has_value()) << text << " gives " << (value ? *value : 0);
  return value ? "" : value.error().message;
}

TEST(Formula, ComputesWithItsVariables) {
  EXPECT_DOUBLE_EQ(value_of("512"), 512);
  EXPECT_NEAR(value_of("256 * K^(1/3)"), 512, 1e-9);
  EXPECT_DOUBLE_EQ(value_of("K * ranks + order", {{"K", 2}, {"ranks", 3}, {"order", 4}}), 10);
}

TEST(Formula, HasTheFunctionsThatModelsNeed) {
  EXPECT_DOUBLE_EQ(value_of("log2(K)"), 3);
  EXPECT_DOUBLE_EQ(value_of("sqrt(16) + cbrt(K) + min(1, 2) + max(1, 2)"), 9);
  EXPECT_DOUBLE_EQ(value_of("floor(2.7) + ceil(2.1) + round(2.5)"), 8);
  EXPECT_DOUBLE_EQ(value_of("mod(10, K)"), 2);
  EXPECT_DOUBLE_EQ(value_of("K > 4 ? 1 : 2"), 1);
  EXPECT_DOUBLE_EQ(value_of("K == 8"), 1);
}

TEST(Formula, TakesAPointForDecimalsInEveryLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  std::setlocale(LC_ALL, "de_DE.UTF-8");  // stays as it is where the locale is not installed
  EXPECT_DOUBLE_EQ(value_of("0.5 * K"), 4);
  EXPECT_EQ(number_text(0.5), "0.5");
  std::setlocale(LC_ALL, before.c_str());
}

TEST(Formula, NamesWhatIsUnknownAndWhere) {
  EXPECT_EQ(error_of("256 * k"),
            "formula '256 * k': unknown name 'k' at position 7, did you mean 'K'?");
  EXPECT_EQ(error_of("kk + cores"),
            "formula 'kk + cores': unknown name 'cores' at position 6 (it can use K); unknown name "
            "'kk' at position 1 (it can use K)");
  EXPECT_EQ(error_of("foo(2)"), "formula 'foo(2)': unknown function 'foo' at position 1");
}

TEST(Formula, SaysWhatIsWrongWithTheSyntax) {
  EXPECT_EQ(error_of("2 *"), "formula '2 *': it ends too early");
  EXPECT_EQ(error_of(""), "formula '': it ends too early");
  EXPECT_EQ(error_of("(K"), "formula '(K': a parenthesis is not closed");
  EXPECT_EQ(error_of("1 2"), "formula '1 2': '2' is not expected at position 3");
  EXPECT_EQ(error_of("sqrt()"), "formula 'sqrt()': too few arguments for 'sqrt'");
  EXPECT_EQ(error_of("1, 2"), "formula '1, 2': it gives several values; expected one");
  EXPECT_EQ(error_of("\"text\""), "formula '\"text\"': it can't be understood");
}

TEST(Formula, NeverAssigns) {
  EXPECT_EQ(error_of("K = 3"),
            "formula 'K = 3': '=' is not expected at position 3; to compare, write '=='");
  EXPECT_DOUBLE_EQ(value_of("K >= 8"), 1);
  EXPECT_DOUBLE_EQ(value_of("K != 8"), 0);
}

TEST(Formula, RefusesResultsThatAreNotFinite) {
  EXPECT_EQ(error_of("1 / (K - 8)"), "formula '1 / (K - 8)': the result is not a finite number");
  EXPECT_EQ(error_of("sqrt(-1)"), "formula 'sqrt(-1)': the result is not a finite number");
  EXPECT_EQ(error_of("10^400"), "formula '10^400': the result is not a finite number");
}

TEST(Formula, RefusesTextsBeyondItsLength) {
  EXPECT_EQ(error_of(std::string(501, '1')), "a formula of 501 characters; at most 500 are read");
}

TEST(Formula, IsParsedOnceAndEvaluatedOften) {
  auto formula = Formula::parse("K * order", {"K", "order", "layout-x"});
  ASSERT_TRUE(formula.has_value());
  EXPECT_TRUE(formula->uses("K"));
  EXPECT_FALSE(formula->uses("layout-x"));
  const Formula moved = std::move(formula).value();
  EXPECT_DOUBLE_EQ(*moved.evaluate(std::vector<double>{2, 3, 0}), 6);
  EXPECT_DOUBLE_EQ(*moved.evaluate(std::vector<double>{5, 7, 0}), 35);
}

TEST(Formula, KnowsWhichWordsCanBeVariables) {
  EXPECT_TRUE(is_formula_name("order_2"));
  EXPECT_FALSE(is_formula_name("min"));
  EXPECT_FALSE(is_formula_name("_pi"));
  EXPECT_FALSE(is_formula_name("2order"));
  EXPECT_FALSE(is_formula_name("a-b"));
  EXPECT_FALSE(is_formula_name(""));
}

TEST(NumberText, IsPlain) {
  EXPECT_EQ(number_text(512), "512");
  EXPECT_EQ(number_text(100000), "100000");
  EXPECT_EQ(number_text(1e15), "1000000000000000");
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(-0.0), "0");
}

}  // namespace
}  // namespace kneepoint
