// SPDX-License-Identifier: Apache-2.0
//
// kneepoint workloads: what `use:` in a plan can name.
#include <algorithm>
#include <filesystem>
#include <ostream>

#include "orchestrator/answers/places.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/base/suggest.h"
#include "orchestrator/cli/commands.h"
#include "orchestrator/plan/plan/reader.h"
#include "orchestrator/report/table.h"

namespace kneepoint::cli {
namespace {

// A workload that needs more than MPI may not have been built where kneepoint was.
bool is_built(const Session& session, const CatalogEntry& entry) {
  std::error_code ignored;
  const std::filesystem::path folder = programs_folder(Site{}, session.executable, "/");
  return entry.needs.empty() || std::filesystem::exists(folder / entry.program, ignored);
}

std::string not_built(const CatalogEntry& entry) {
  return "not built here: needs " + entry.needs;
}

void write_entry(JsonWriter& json, const CatalogEntry& entry, bool built) {
  json.begin_object().put("name", entry.name).put("program", entry.program);
  json.put("summary", entry.summary).put("needs", entry.needs).put("built", built);
  json.put("size", entry.size_meaning).put("held_fixed_strong", entry.held_fixed_strong);
  json.put("held_fixed_weak", entry.held_fixed_weak).put("work_unit", entry.work_unit);
  json.put("default_size_strong", entry.default_size_strong);
  json.put("default_size_weak", entry.default_size_weak);
  json.put("model_strong", entry.model_strong).put("model_weak", entry.model_weak);
  json.put("flops", entry.flops).put("bytes", entry.bytes);
  json.put("parallelism", entry.parallelism).key("parameters").begin_object();
  for (const Parameter& parameter : entry.parameters) json.put(parameter.name, parameter.value);
  json.end_object().end_object();
}

std::string in_detail(const CatalogEntry& entry, bool built) {
  std::vector<std::vector<std::string>> rows = {
      {"name:", entry.name},
      {"what:", entry.summary},
      {"program:", entry.program + (built ? "" : ", " + not_built(entry))},
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

Result<int> workloads(Session& session, const Arguments& arguments) {
  const std::vector<CatalogEntry>& catalog = built_in_catalog();
  const std::string name = arguments.text("NAME");
  std::vector<CatalogEntry> chosen;
  std::vector<std::string> names;
  for (const CatalogEntry& entry : catalog) {
    names.push_back(entry.name);
    if (name.empty() || name == entry.name) chosen.push_back(entry);
  }
  if (chosen.empty()) {
    const std::string near = nearest_word(name, names);
    return Error{ErrorCode::not_found, "no workload '" + name + "'" +
                                           (near.empty() ? "; 'kneepoint workloads' lists them"
                                                         : "; did you mean '" + near + "'?")};
  }
  if (session.json) {
    JsonWriter json;
    json.begin_object().key("workloads").begin_array();
    for (const CatalogEntry& entry : chosen) {
      write_entry(json, entry, is_built(session, entry));
    }
    json.end_array().end_object();
    session.out << json.text() << "\n";
  } else if (!name.empty()) {
    session.out << in_detail(chosen.front(), is_built(session, chosen.front()));
  } else {
    std::vector<std::vector<std::string>> rows;
    for (const CatalogEntry& entry : chosen) {
      rows.push_back(
          {entry.name,
           entry.summary + (is_built(session, entry) ? "" : " (" + not_built(entry) + ")")});
    }
    session.out << to_table({{"NAME"}, {"WHAT IT DOES"}}, rows);
  }
  return kExitDone;
}

}  // namespace

CommandSpec workloads_command() {
  return {"workloads",
          "List the workloads that come with kneepoint",
          "Lists the workloads that a plan can name with `use:`, or shows one in detail: what its "
          "size means, what each mode holds fixed, and its parameters.",
          {{"NAME", "One workload, in detail", false, {}, Completes::workloads}},
          {},
          {"kneepoint workloads", "kneepoint workloads jacobi3d"},
          workloads};
}

}  // namespace kneepoint::cli
