// SPDX-License-Identifier: Apache-2.0
//
// muParser with a few functions more (floor, ceil, round, cbrt, mod) and one thing less: no
// assignment. Its variables are pointers, so every Formula keeps its values in one fixed place. One
// scan finds the placeholders of a text; both functions about them are made of it.
#include "orchestrator/plan/plan/formula.h"

#include <muParser.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "orchestrator/base/text.h"

namespace kneepoint {
namespace {

constexpr std::size_t kMaxLength = 500;

mu::Parser make_parser() {
  mu::Parser parser;
  parser.DefineFun(
      "floor", +[](double x) { return std::floor(x); });
  parser.DefineFun(
      "ceil", +[](double x) { return std::ceil(x); });
  parser.DefineFun(
      "round", +[](double x) { return std::round(x); });
  parser.DefineFun(
      "cbrt", +[](double x) { return std::cbrt(x); });
  parser.DefineFun(
      "mod", +[](double x, double y) { return std::fmod(x, y); });
  return parser;
}

Error wrong(const std::string& text, const std::string& why) {
  return Error{ErrorCode::invalid, "formula '" + text + "': " + why, false};
}

// Where a lone '=' stands, or npos.
std::size_t assignment_in(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') continue;
    if (i + 1 < text.size() && text[i + 1] == '=') {
      ++i;
      continue;
    }
    if (i > 0 && (text[i - 1] == '<' || text[i - 1] == '>' || text[i - 1] == '!')) continue;
    return i;
  }
  return std::string::npos;
}

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string at(std::size_t position) {
  return " at position " + std::to_string(position + 1);
}

std::string explain(const mu::Parser::exception_type& error, const std::string& text) {
  const auto position = static_cast<std::size_t>(std::max(0, error.GetPos()));
  std::string token = error.GetToken();
  while (!token.empty() && token.back() == ' ') token.pop_back();
  switch (error.GetCode()) {
    case mu::ecUNEXPECTED_EOF:
    case mu::ecEMPTY_EXPRESSION:
      return "it ends too early";
    case mu::ecMISSING_PARENS:
      return "a parenthesis is not closed";
    case mu::ecTOO_MANY_PARAMS:
      return "too many arguments for '" + token + "'";
    case mu::ecTOO_FEW_PARAMS:
      return "too few arguments for '" + token + "'";
    default:
      break;
  }
  if (position >= text.size() || token.empty()) return "it can't be understood";
  if (token == "(") {
    std::size_t begin = position;
    while (begin > 0 && is_word_character(text[begin - 1])) --begin;
    if (begin < position) {
      return "unknown function '" + text.substr(begin, position - begin) + "'" + at(begin);
    }
  }
  return "'" + token + "' is not expected" + at(position);
}

// Where the word stands as a whole word.
std::size_t find_word(const std::string& text, const std::string& word) {
  const auto in_word = [&](std::size_t i) { return i < text.size() && is_word_character(text[i]); };
  std::size_t place = text.find(word);
  while (place != std::string::npos &&
         ((place > 0 && in_word(place - 1)) || in_word(place + word.size()))) {
    place = text.find(word, place + 1);
  }
  return place == std::string::npos ? 0 : place;
}

bool is_name_character(char c) {
  return is_word_character(c) || c == '-';
}

// Length of `{name}` at text[i], or 0.
std::size_t braced_name(std::string_view text, std::size_t i) {
  if (text[i] != '{') return 0;
  std::size_t end = i + 1;
  while (end < text.size() && is_name_character(text[end])) ++end;
  const bool starts_well =
      end > i + 1 && !(text[i + 1] >= '0' && text[i + 1] <= '9') && text[i + 1] != '-';
  return starts_well && end < text.size() && text[end] == '}' ? end + 1 - i : 0;
}

// A piece of a text: as it is, or the name of a placeholder.
struct Piece {
  std::string_view text;
  bool is_name = false;
};

std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t inner = text[i] == '{' && i + 1 < text.size() ? braced_name(text, i + 1) : 0;
    if (inner > 0 && i + 1 + inner < text.size() && text[i + 1 + inner] == '}') {
      pieces.push_back({text.substr(i + 1, inner)});
      i += inner + 2;
    } else if (const std::size_t length = braced_name(text, i); length > 0) {
      pieces.push_back({text.substr(i + 1, length - 2), true});
      i += length;
    } else {
      pieces.push_back({text.substr(i++, 1)});
    }
  }
  return pieces;
}

}  // namespace

struct Formula::Parsed {
  std::string text;
  std::vector<std::string> names;
  std::vector<double> values;  // what the parser points to: never resized
  std::set<std::string, std::less<>> used;
  mu::Parser parser = make_parser();
};

Formula::Formula(std::unique_ptr<Parsed> parsed) : parsed_(std::move(parsed)) {}
Formula::Formula(Formula&&) noexcept = default;
Formula& Formula::operator=(Formula&&) noexcept = default;
Formula::~Formula() = default;

Result<Formula> Formula::parse(const std::string& text, const std::vector<std::string>& names) {
  if (text.size() > kMaxLength) {
    return Error{ErrorCode::invalid,
                 "a formula of " + std::to_string(text.size()) + " characters; at most " +
                     std::to_string(kMaxLength) + " are read",
                 false};
  }
  if (const std::size_t place = assignment_in(text); place != std::string::npos) {
    return wrong(text, "'=' is not expected" + at(place) + "; to compare, write '=='");
  }
  auto parsed = std::make_unique<Parsed>();
  parsed->text = text;
  for (const std::string& name : names) {
    if (is_formula_name(name))
      parsed->names.push_back(name);
    else
      parsed->names.emplace_back();  // keeps its position; can't be used
  }
  parsed->values.assign(names.size(), 1.0);
  try {
    mu::Parser scout = make_parser();
    scout.SetExpr(text);
    for (const auto& [name, pointer] : scout.GetUsedVar()) parsed->used.insert(name);
    std::string unknown;
    for (const std::string& name : parsed->used) {
      if (std::find(parsed->names.begin(), parsed->names.end(), name) != parsed->names.end()) {
        continue;
      }
      const std::string near = nearest_word(name, names);
      unknown += (unknown.empty() ? "" : "; ") + ("unknown name '" + name + "'") +
                 at(find_word(text, name)) +
                 (near.empty() ? " (it can use " + comma_separated(names) + ")"
                               : ", did you mean '" + near + "'?");
    }
    if (!unknown.empty()) return wrong(text, unknown);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!parsed->names[i].empty()) {
        parsed->parser.DefineVar(parsed->names[i], &parsed->values[i]);
      }
    }
    parsed->parser.SetExpr(text);
    parsed->parser.Eval();
    if (parsed->parser.GetNumResults() != 1) {
      return wrong(text, "it gives several values; expected one");
    }
  } catch (const mu::Parser::exception_type& error) {
    return wrong(text, explain(error, text));
  }
  return Formula(std::move(parsed));
}

Result<double> Formula::evaluate(std::span<const double> values) const {
  ENSURE(values.size() == parsed_->values.size(), "a formula is given as many values as names");
  std::copy(values.begin(), values.end(), parsed_->values.begin());
  try {
    const double value = parsed_->parser.Eval();
    if (std::isfinite(value)) return value;
  } catch (const mu::Parser::exception_type& error) {
    return wrong(parsed_->text, explain(error, parsed_->text));
  }
  return wrong(parsed_->text, "the result is not a finite number");
}

bool Formula::uses(std::string_view name) const {
  return parsed_->used.find(name) != parsed_->used.end();
}

bool is_formula_name(std::string_view name) {
  static const std::set<std::string, std::less<>> taken = [] {
    std::set<std::string, std::less<>> words;
    const mu::Parser parser = make_parser();
    for (const auto& [word, function] : parser.GetFunDef()) words.insert(word);
    for (const auto& [word, value] : parser.GetConst()) words.insert(word);
    return words;
  }();
  if (name.empty() || name.size() > 64 || taken.find(name) != taken.end()) return false;
  return !(name[0] >= '0' && name[0] <= '9') &&
         std::all_of(name.begin(), name.end(), is_word_character);
}

std::string number_text(double value) {
  if (value == 0) return "0";  // never "-0"
  char text[400];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed);
  return std::string(text, end.ptr);
}

bool is_number(std::string_view text) {
  const auto value = parse_number<double>(text);
  return value && std::isfinite(*value);
}

const std::vector<std::string>& built_in_placeholders() {
  static const std::vector<std::string> names = {
      "K",       "size",          "mode", "ranks", "nodes", "ranks_per_node",
      "threads", "gpus_per_node", "seed", "build"};
  return names;
}

std::vector<std::string> placeholders_in(std::string_view text) {
  std::vector<std::string> names;
  for (const Piece& piece : pieces_of(text)) {
    if (piece.is_name) names.emplace_back(piece.text);
  }
  return names;
}

std::string replace_placeholders(std::string_view text, std::span<const Parameter> values) {
  std::string out;
  for (const Piece& piece : pieces_of(text)) {
    const auto value = std::find_if(values.begin(), values.end(), [&](const Parameter& one) {
      return piece.is_name && one.name == piece.text;
    });
    if (value != values.end()) {
      out += value->value;
    } else {
      out += piece.is_name ? "{" + std::string(piece.text) + "}" : std::string(piece.text);
    }
  }
  return out;
}

}  // namespace kneepoint
