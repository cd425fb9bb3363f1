// SPDX-License-Identifier: Apache-2.0
//
// Scale, environment, formulas, names, noise.
#include "orchestrator/plan/plan/parts.h"

#include <algorithm>

#include "orchestrator/base/text.h"
#include "orchestrator/model/money.h"
#include "orchestrator/plan/plan/formula.h"

namespace kneepoint {
namespace {

const Keys<Scale> kScale = {{"from", whole(&Scale::from, 1, kMaxK)}, {"to"}, {"by"}, {"step"}};

std::optional<Scale> read_scale_list(const YamlView& view) {
  Scale scale;
  const std::size_t before = view.problems();
  for (const YamlView& item : view.items()) {
    const auto k = item.integer(1, kMaxK);
    if (!k) continue;
    if (!scale.list.empty() && *k <= scale.list.back()) {
      item.fail("expected K in ascending order, each once; " + std::to_string(*k) +
                " comes after " + std::to_string(scale.list.back()));
    } else {
      scale.list.push_back(*k);
    }
  }
  if (view.problems() > before) return std::nullopt;
  if (scale.list.empty()) view.fail("the list is empty; expected at least one K");
  if (scale.list.size() > kMaxKs) view.fail("at most " + std::to_string(kMaxKs) + " different K");
  return view.problems() > before ? std::nullopt : std::optional(scale);
}

// `by: doubling`, `by: 4` or `step: 4`.
void read_stride(const YamlView& view, Scale& scale) {
  static const std::vector<std::string> words = {"doubling"};
  const YamlView by = view["by"];
  const YamlView step = view["step"];
  if (by.present() && step.present()) return step.fail_at_key("give either 'by' or 'step'");
  scale.by = Scale::By::step;
  const auto text = by.is(YamlNode::Kind::scalar) ? by.text() : std::nullopt;
  if (!by.present()) {
    if (!step.present()) by.fail("missing; expected doubling, or a step such as 4");
    read_into(step.integer(1, kMaxK), scale.step);
  } else if (text && is_number(*text)) {
    read_into(by.integer(1, kMaxK), scale.step);
  } else if (text == words[0]) {
    scale.by = Scale::By::doubling;
  } else if (text && !nearest_word(*text, words).empty()) {
    by.fail("expected doubling or a step, found '" + *text + "'; did you mean 'doubling'?");
  } else {
    by.expected("doubling or a step such as 4");
  }
}

const Keys<NoiseSpec> kNoiseLimit = {
    {"steal", share(&NoiseSpec::steal), "no limit",
     "of the time in which CPUs wanted to run, what a hypervisor gave to others"},
    {"others", number(&NoiseSpec::others, 0, 1e6), "no limit",
     "cores that other programs used on average"},
    {"clock_drop", share(&NoiseSpec::clock_drop), "no limit",
     "how far the clock fell below its highest in the run"},
    {"throttle", share(&NoiseSpec::throttle), "no limit",
     "of the samples, those in which a GPU was throttled by heat or power"},
};
const Keys<NoiseSpec> kNoise = {
    {"sample",
     as("duration, at least `100ms`", required(duration(&NoiseSpec::sample_ns, 100 * kMillisecond),
                                               "missing; expected how often to look, such as 1s")),
     "required", "how often to look"},
    {"limit", map_of(kNoiseLimit)},
    {"repeat", as("number up to 20", whole(&NoiseSpec::repeat, 0, 20)), "0",
     "how often a run beyond a limit is tried again"},
};

}  // namespace

const KeySet& scale_keys() {
  return kScale;
}

std::optional<Scale> read_scale(const YamlView& view) {
  if (!view.present()) return std::nullopt;
  if (view.is(YamlNode::Kind::list)) return read_scale_list(view);
  if (!view.is(YamlNode::Kind::map)) {
    view.expected("a list of K such as [1, 2, 4] or {from: 1, to: 64, by: doubling}");
    return std::nullopt;
  }
  Scale scale;
  kScale.read(view, scale);
  const YamlView to = view["to"];
  if (!to.present()) {
    to.fail("missing; expected the largest K, or 'site' for as many as the site holds");
  } else if (to.is(YamlNode::Kind::scalar) && to.text() == "site") {
    scale.to_site = true;
  } else if (to.is(YamlNode::Kind::scalar) && is_number(*to.text())) {
    read_into(to.integer(1, kMaxK), scale.to);
  } else {
    to.expected("the largest K, or 'site'");
  }
  read_stride(view, scale);
  if (!scale.to_site && to.is(YamlNode::Kind::scalar) && is_number(*to.text())) {
    if (scale.to < scale.from) {
      to.fail("'to' (" + std::to_string(scale.to) + ") is below 'from' (" +
              std::to_string(scale.from) + ")");
    } else if (scale.by == Scale::By::step && (scale.to - scale.from) / scale.step >= kMaxKs) {
      to.fail("more than " + std::to_string(kMaxKs) + " different K; take a larger step");
    }
  }
  return scale;
}

std::vector<EnvironmentVariable> read_environment(const YamlView& view,
                                                  const std::vector<std::string>& known) {
  std::vector<EnvironmentVariable> variables;
  for (const YamlView& entry : view.entries()) {
    const std::string& name = entry.name();
    if (name.empty() || (name[0] >= '0' && name[0] <= '9') || !is_made_of(name, "_")) {
      entry.fail_at_key("not a name of an environment variable; expected letters, digits and '_'");
    } else if (name.starts_with("KNEEPOINT_")) {
      entry.fail_at_key("names with KNEEPOINT_ are set by kneepoint itself");
    }
    const auto value = entry.text();
    if (!value) continue;
    check_placeholders(entry, *value, known);
    variables.push_back({name, *value});
  }
  return variables;
}

std::string read_formula(const YamlView& view, const std::vector<std::string>& names) {
  if (!view.present()) return "";
  if (!view.is(YamlNode::Kind::scalar)) {
    view.expected("a number or a formula such as \"256 * K^(1/3)\"");
    return "";
  }
  std::string text = *view.text();
  if (const auto formula = Formula::parse(text, names); !formula) {
    view.fail(formula.error().message);
    return "";
  }
  return text;
}

void check_placeholders(const YamlView& view, const std::string& text,
                        const std::vector<std::string>& known) {
  for (const std::string& name : placeholders_in(text)) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    view.fail("'{" + name + "}': " + unknown_word("placeholder", name, known) +
              " (for the text itself write '{{" + name + "}}')");
  }
}

const KeySet& noise_keys() {
  return kNoise;
}

void read_noise(const YamlView& view, NoiseSpec& noise) {
  if (!kNoise.read(view, noise)) return;
  if (noise.repeat > 0 && !view["limit"].present()) {
    view["repeat"].fail_at_key("nothing says which run is disturbed; add limit: {others: 0.2}");
  }
}

bool is_made_of(std::string_view text, std::string_view others) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           others.find(c) != std::string_view::npos;
  });
}

bool is_plain_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 && is_made_of(text, "_-");
}

bool is_currency(std::string_view text) {
  return text.size() >= 2 && text.size() <= 8 && is_made_of(text, "") && ascii_upper(text) == text;
}

std::optional<std::int64_t> read_amount(const YamlView& view, const char* wanted) {
  const auto text = view.text();
  const auto micros = text ? parse_micros(*text) : std::nullopt;
  if (micros && *micros > 0) return micros;
  if (text) view.expected(wanted);
  return std::nullopt;
}

}  // namespace kneepoint
