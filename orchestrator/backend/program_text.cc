// SPDX-License-Identifier: Apache-2.0
//
// Read by agents/agent/allocation_file.cc; names there and here are the same.
#include "orchestrator/backend/program_text.h"

#include "orchestrator/base/base64.h"

namespace kneepoint {
namespace {

void write_metric(JsonWriter& w, const MetricSpec& metric) {
  w.begin_object().key("name").value(metric.name).key("pattern").value(metric.pattern);
  w.key("unit").value(metric.unit).key("from").value(metric.from);
  if (!metric.file.empty()) w.key("file").value(metric.file);
  if (!metric.json.empty()) w.key("json").value(metric.json);
  if (!metric.better.empty()) w.key("better").value(metric.better);
  w.end_object();
}

void write_rule(JsonWriter& w, const SanityRule& rule) {
  using Kind = SanityRule::Kind;
  w.begin_object();
  if (rule.kind == Kind::must_match || rule.kind == Kind::must_not_match) {
    w.key(rule.kind == Kind::must_match ? "must_match" : "must_not_match").value(rule.pattern);
    w.key("from").value(rule.from);
    if (!rule.file.empty()) w.key("file").value(rule.file);
  } else if (rule.kind == Kind::exit_codes) {
    w.key("exit_codes").begin_array();
    for (const int code : rule.exit_codes) w.value(code);
    w.end_array();
  } else {
    w.key("metric").value(rule.metric);
    if (rule.at_least) w.key("at_least").value(*rule.at_least);
    if (rule.at_most) w.key("at_most").value(*rule.at_most);
    if (rule.equals) w.key("equals").value(*rule.equals);
    if (rule.tolerance > 0) w.key("tolerance").value(rule.tolerance);
    if (rule.relative) w.key("relative").value(true);
  }
  w.end_object();
}

void write_input(JsonWriter& w, const InputFile& file) {
  w.begin_object().key("name").value(file.name);
  if (!file.source.empty()) {
    w.key("from").value(file.source);
  } else {
    w.key("content").value(file.content ? base64_encoded(*file.content) : "");
    if (file.executable) w.key("executable").value(true);
  }
  w.end_object();
}

}  // namespace

void write_program(JsonWriter& w, const Step& step, std::int64_t keep_bytes) {
  w.key("metrics").begin_array();
  for (const MetricSpec& metric : step.metrics) write_metric(w, metric);
  w.end_array();
  const ProgramSpec& program = step.program;
  if (!program.sanity.empty()) {
    w.key("sanity").begin_array();
    for (const SanityRule& rule : program.sanity) write_rule(w, rule);
    w.end_array();
  }
  if (program.own_folder) w.key("own_folder").value(true);
  if (!program.staged.empty()) {
    w.key("inputs").begin_array();
    for (const InputFile& file : program.staged) write_input(w, file);
    w.end_array();
  }
  if (!program.keep.empty()) {
    w.key("keep").begin_array();
    for (const std::string& pattern : program.keep) w.value(pattern);
    w.end_array().key("keep_bytes").value(keep_bytes);
  }
  if (step.noise_sample > 0) w.key("noise_sample_ns").value(step.noise_sample);
}

}  // namespace kneepoint
