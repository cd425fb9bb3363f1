// SPDX-License-Identifier: Apache-2.0
//
// What texts of a plan are made of: formulas and placeholders. Formulas are those of sizes, models
// and results: `256 * K^(1/3)`. A formula sees only the names it is given and never changes them; a
// result that is not a finite number is an error. muParser stays inside formula.cc.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/base/result.h"
#include "orchestrator/model/plan.h"

namespace kneepoint {

class Formula {
 public:
  // Checks the syntax, and that it uses no names but these.
  static Result<Formula> parse(const std::string& text, const std::vector<std::string>& names);
  Formula(Formula&&) noexcept;
  Formula& operator=(Formula&&) noexcept;
  ~Formula();

  // Values in the order of the names. Not for several threads at once.
  Result<double> evaluate(std::span<const double> values) const;
  bool uses(std::string_view name) const;

 private:
  struct Parsed;
  explicit Formula(std::unique_ptr<Parsed> parsed);
  std::unique_ptr<Parsed> parsed_;
};

// Can it be the name of a variable, next to the functions and constants there are?
bool is_formula_name(std::string_view name);

// A plain number for people and command lines: "512", "0.25", never "5e+02".
std::string number_text(double value);

// The whole text is a finite number.
bool is_number(std::string_view text);

// {size}, {K}, {parameter} in commands and environment values. Only `{name}` is a placeholder;
// `{{name}}` stands for the text `{name}`, and any other brace for itself. The replaced text is one
// argument as it is: nothing here passes through a shell.
//
// K size mode ranks nodes ranks_per_node threads gpus_per_node seed build: no parameter may be
// called so. {build} has a value only with `run --ab`.
const std::vector<std::string>& built_in_placeholders();

std::vector<std::string> placeholders_in(std::string_view text);

// Names without a value stay as they are.
std::string replace_placeholders(std::string_view text, std::span<const Parameter> values);

}  // namespace kneepoint
