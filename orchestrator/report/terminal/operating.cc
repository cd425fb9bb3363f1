// SPDX-License-Identifier: Apache-2.0
//
// What the commands answer that look after sites, databases, packs, imported tables and workloads.
#include "orchestrator/report/terminal/operating.h"

#include <fmt/core.h>

#include <algorithm>

#include "orchestrator/answers/study/import_table.h"
#include "orchestrator/base/text.h"
#include "orchestrator/report/table.h"
#include "orchestrator/report/terminal/answers.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

std::string mark_of(Grade grade) {
  return grade == Grade::ok ? "ok" : grade == Grade::bad ? "BAD" : "warn";
}

std::string not_built(const CatalogEntry& entry) {
  return "not built here: needs " + entry.needs;
}

std::string imported_words(bool created, const std::string& file, const std::string& study,
                           int runs) {
  if (created) return fmt::format("study {}: {} from {}\n", study, counted(runs, "run"), file);
  return fmt::format("{} is study {} already; nothing was written. Import it again with --new.\n",
                     file, study);
}

constexpr std::size_t kMostPoints = 100;  // that people want to read

std::string imported_table(const ImportedCurve& curve, bool relative) {
  const int k0 = curve.points.front().k;
  const std::vector<ColumnOf<ImportedPoint>> columns = {
      {"K", [](auto& p) { return std::to_string(p.k); }},
      {"RUNS", [](auto& p) { return std::to_string(p.runs); }},
      {relative ? "T (relative)" : "T (s)", [](auto& p) { return number_text(p.seconds, 4); }},
      {"S", [](auto& p) { return fixed_text(p.speedup, 2); }},
      {"E", [](auto& p) { return fixed_text(p.efficiency, 3); }},
  };
  std::vector<ImportedPoint> shown = curve.points;
  shown.resize(std::min(shown.size(), kMostPoints));
  const std::size_t more = curve.points.size() - shown.size();
  return fmt::format("{}{}\n{}{}", curve_name(curve.build, curve.case_name, curve.mode),
                     k0 > 1 ? fmt::format(" (relative to K={})", k0) : "",
                     to_table(columns, shown, 2),
                     more > 0 ? fmt::format("  and {} more K\n", more) : "");
}

}  // namespace

std::string to_text(const DoctorAnswer& answer) {
  const std::vector<ColumnOf<SiteFinding>> columns = {
      {"", [](const SiteFinding& one) { return mark_of(one.grade); }, Align::left},
      {"WHAT", [](const SiteFinding& one) { return one.what; }, Align::left},
      {"FINDING", [](const SiteFinding& one) { return one.text; }, Align::left}};
  return fmt::format("{}site '{}' is {}ready\n", to_table(columns, answer.findings), answer.site,
                     answer.is_ready() ? "" : "not ");
}

std::string to_text(const DatabaseVerdict& verdict) {
  const DatabaseFindings& found = verdict.found;
  const std::string file = plain(verdict.file);
  if (!verdict.holds()) {
    std::string text = file + " does not hold\n";
    for (const Violation& one : found.violations) {
      text += wrap(one.rule + ": " + plain(one.what), 100, 2);
    }
    return text;
  }
  const auto count = [](auto number, const char* one) {
    return counted(static_cast<long>(number), one);
  };
  return fmt::format("{} holds: {}, {}, {} and {} keep all {}\n", file,
                     count(found.studies, "study"), count(found.runs, "run"),
                     count(found.attempts, "attempt"), count(found.samples, "sample"),
                     count(found.rules.size(), "rule"));
}

std::string to_text(const PackVerdict& verdict) {
  return fmt::format("{} is whole: {} {}, {}, sha256 {}\n{}\n", plain(verdict.file),
                     verdict.is_series ? "series" : "study", plain(verdict.study),
                     counted(static_cast<long>(verdict.pack->parts.size()), "part"),
                     verdict.pack->digest, verdict.words);
}

std::string to_text(const PackImport& answer, int width) {
  return imported_words(answer.created, answer.file, answer.study.id, answer.study.runs) +
         notes_text(answer.caveats, width) + "report: kneepoint report " + answer.study.id + "\n";
}

std::string to_text(const ImportAnswer& answer, int width) {
  std::string text = imported_words(answer.created, answer.file, answer.study, answer.runs);
  if (answer.created && !answer.before.empty()) {
    text.insert(text.size() - 1, ", which has changed since " + answer.before);
  }
  for (const ImportedCurve& curve : answer.curves) {
    text += "\n" + imported_table(curve, answer.relative);
  }
  text += "\n" + notes_text(answer.caveats, width);
  return plain_lines(text + "report: kneepoint report " + answer.study + "\n");
}

std::string to_text(const PackExport& answer) {
  const std::string text =
      fmt::format("wrote {}: study {}, sha256 {}\n{}\n", answer.file, answer.study, answer.digest,
                  answer.signer.empty() ? answer.words : "signed by " + answer.signer);
  if (answer.left_out.empty()) return text;
  return text + "left out, since it may be secret: " + plain(joined(answer.left_out, ", ")) + "\n";
}

std::string to_text(const WorkloadList& list) {
  const std::vector<ColumnOf<Workload>> columns = {
      {"NAME", [](const Workload& one) { return one.entry.name; }, Align::left},
      {"WHAT IT DOES",
       [](const Workload& one) {
         return one.entry.summary + (one.built ? "" : " (" + not_built(one.entry) + ")");
       },
       Align::left}};
  return to_table(columns, list.workloads);
}

std::string to_text(const Workload& workload) {
  const CatalogEntry& entry = workload.entry;
  std::vector<std::vector<std::string>> rows = {
      {"name:", entry.name},
      {"what:", entry.summary},
      {"program:", entry.program + (workload.built ? "" : ", " + not_built(entry))},
      {"size:", entry.size_meaning},
      {"strong:", "holds fixed " + entry.held_fixed_strong},
      {"", "default size " + entry.default_size_strong},
      {"weak:", "holds fixed " + entry.held_fixed_weak},
      {"", "default size " + entry.default_size_weak},
      {"work unit:", entry.work_unit},
      {"model:", entry.model_strong.empty()
                     ? "none"
                     : "strong " + entry.model_strong + "; weak " + entry.model_weak}};
  const auto known = [&rows](const char* title, const std::string& formula, const char* of) {
    if (!formula.empty()) rows.push_back({title, formula + of});
  };
  known("flops:", entry.flops, " in one iteration");
  known("bytes:", entry.bytes, " from and to memory in one iteration");
  known("parallelism:", entry.parallelism, " ranks at most have work");
  for (const Parameter& parameter : entry.parameters) {
    rows.push_back({"parameter:", fmt::format("{} (default {})", parameter.name, parameter.value)});
  }
  for (const std::string& when : entry.emulated_when) {
    rows.push_back({"emulated:", "with " + when + " it sleeps and takes no core"});
  }
  return to_table({{{""}, {""}}, rows, "", {}});
}

}  // namespace kneepoint
