// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/report/terminal/operating.h"

#include "orchestrator/base/text.h"
#include "orchestrator/report/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

std::string mark_of(Grade grade) {
  return grade == Grade::ok ? "ok" : grade == Grade::bad ? "BAD" : "warn";
}

std::string not_built(const CatalogEntry& entry) {
  return "not built here: needs " + entry.needs;
}

}  // namespace

std::string to_text(const DoctorAnswer& answer) {
  const std::vector<ColumnOf<SiteFinding>> columns = {
      {"", [](const SiteFinding& one) { return mark_of(one.grade); }, Align::left},
      {"WHAT", [](const SiteFinding& one) { return one.what; }, Align::left},
      {"FINDING", [](const SiteFinding& one) { return one.text; }, Align::left}};
  return to_table(columns, answer.findings) + "site '" + answer.site + "' is " +
         (answer.is_ready() ? "ready" : "not ready") + "\n";
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
  return file + " holds: " + count(found.studies, "study") + ", " + count(found.runs, "run") +
         ", " + count(found.attempts, "attempt") + " and " + count(found.samples, "sample") +
         " keep all " + count(found.rules.size(), "rule") + "\n";
}

std::string to_text(const PackVerdict& verdict) {
  return plain(verdict.file) + " is whole: " + (verdict.is_series ? "series " : "study ") +
         plain(verdict.study) + ", " +
         counted(static_cast<long>(verdict.pack->parts.size()), "part") + ", sha256 " +
         verdict.pack->digest + "\n" + verdict.words + "\n";
}

std::string to_text(const PackImport& answer, int width) {
  std::string text;
  if (answer.created) {
    text = "study " + answer.study.id + ": " + counted(answer.study.runs, "run") + " from " +
           answer.file + "\n";
  } else {
    text = answer.file + " is study " + answer.study.id +
           " already; nothing was written. Import it again with --new.\n";
  }
  for (const Caveat& caveat : answer.caveats) {
    text += "note: " + wrap(plain(caveat.message), width, 6).substr(6);
  }
  return text + "report: kneepoint report " + answer.study.id + "\n";
}

std::string to_text(const PackExport& answer) {
  std::string text = "wrote " + answer.file + ": study " + answer.study + ", sha256 " +
                     answer.digest + "\n" +
                     (answer.signer.empty() ? answer.words : "signed by " + answer.signer) + "\n";
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
    rows.push_back({"parameter:", parameter.name + " (default " + parameter.value + ")"});
  }
  for (const std::string& when : entry.emulated_when) {
    rows.push_back({"emulated:", "with " + when + " it sleeps and takes no core"});
  }
  const std::string table = to_table({{""}, {""}}, rows);
  return table.substr(table.find('\n') + 1);  // no titles
}

}  // namespace kneepoint
