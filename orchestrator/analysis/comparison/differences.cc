// SPDX-License-Identifier: Apache-2.0
//
// What is not the same on both sides of a comparison, and what of it keeps times from being
// compared. Only what both state can be in the way.
#include "orchestrator/analysis/comparison/comparison.h"

#include <cmath>

namespace kneepoint {
namespace {

constexpr char kNotRecorded[] = "not recorded";
constexpr double kSameWork = 0.01;

// Without trailing zeros: "0.5", "512".
std::string plain_number(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (!text.empty() && text.back() == '.') text.pop_back();
  return text;
}

// A parameter that both state and that is not the same; "": there is none. Imported points state
// none.
std::string parameter_obstacle(const Point& a, const Point& b) {
  for (const Parameter& one : a.parameters) {
    for (const Parameter& other : b.parameters) {
      if (one.name == other.name && one.value != other.value) {
        return "the problem differs: " + one.name + " is " + one.value + " and " + other.value;
      }
    }
  }
  return "";
}

std::string shape_text(const Point& point) {
  return std::to_string(point.shape.nodes) + " nodes x " +
         std::to_string(point.shape.ranks_per_node) + " ranks x " +
         std::to_string(point.shape.threads_per_rank) + " threads" +
         (point.shape.gpus_per_node > 0
              ? ", " + std::to_string(point.shape.gpus_per_node) + " GPUs a node"
              : "");
}

// Of the program, which lies elsewhere on every machine; "": an imported point has none.
std::string arguments_of(const Point& point) {
  std::string text;
  for (std::size_t i = 1; i < point.command.argv.size(); ++i) {
    text += (text.empty() ? "" : " ") + point.command.argv[i];
  }
  return text;
}

}  // namespace

void add_difference(std::vector<Difference>& out, const std::string& what, const std::string& a,
                    const std::string& b) {
  if (a != b) out.push_back({what, a.empty() ? kNotRecorded : a, b.empty() ? kNotRecorded : b});
}

void add_point_differences(const ComparedPoint& at, std::set<std::string>& shown,
                           std::vector<Difference>& out) {
  const Point &p = at.a.point, &q = at.b.point;
  const auto add = [&](const std::string& what, const std::string& one, const std::string& other) {
    if (one == other || !shown.insert(what).second) return;
    add_difference(out, what + " at K=" + std::to_string(at.k), one, other);
  };
  add("shape", shape_text(p), shape_text(q));
  if (p.has_size != q.has_size) {
    add("size", p.has_size ? plain_number(p.size) : "", q.has_size ? plain_number(q.size) : "");
  }
  add("arguments", arguments_of(p), arguments_of(q));
  add("profile", p.profile, q.profile);
}

std::vector<Difference> provenance_differences(const std::string& a, const std::string& b) {
  const auto parts = [](const std::string& text) {
    std::vector<std::pair<std::string, std::string>> found;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find("; ", at), text.size());
      const std::string part = text.substr(at, end - at);
      const std::size_t cut = std::min(part.find('='), part.size());
      found.emplace_back(part.substr(0, cut), part.substr(std::min(cut + 1, part.size())));
      at = end + 2;
    }
    return found;
  };
  const auto left = parts(a), right = parts(b);
  const auto value = [](const auto& list, const std::string& name) {
    for (const auto& [key, text] : list) {
      if (key == name) return text;
    }
    return std::string();
  };
  std::vector<Difference> out;
  for (const auto& [name, text] : left) add_difference(out, name, text, value(right, name));
  for (const auto& [name, text] : right) {
    if (value(left, name).empty()) add_difference(out, name, "", text);
  }
  return out;
}

std::string point_obstacle(const PointSummary& left, const PointSummary& right) {
  const Point& a = left.point;
  const Point& b = right.point;
  if (const std::string parameter = parameter_obstacle(a, b); !parameter.empty()) return parameter;
  if (left.work_total > 0 && right.work_total > 0 && a.work_unit == b.work_unit &&
      std::abs(left.work_total / right.work_total - 1) > kSameWork) {
    return "the ranks report another amount of work: " + plain_number(left.work_total) + " and " +
           plain_number(right.work_total) + " " + (a.work_unit.empty() ? "units" : a.work_unit);
  }
  if (a.has_size && b.has_size && a.size != b.size) {
    return std::string(a.mode == Mode::strong ? "the total problem" : "the problem") +
           " differs: size " + plain_number(a.size) + " and " + plain_number(b.size);
  }
  if (a.result_name != b.result_name) {
    return "one run makes another thing: " + a.result_name + " and " + b.result_name;
  }
  if (a.results != b.results) {
    return "one run makes " + plain_number(a.results) + " and " + plain_number(b.results) + " " +
           a.result_name + "s";
  }
  if (a.iterations != b.iterations) {
    return "T is of " + std::to_string(a.iterations) + " and " + std::to_string(b.iterations) +
           " iterations";
  }
  return "";
}

}  // namespace kneepoint
