// SPDX-License-Identifier: Apache-2.0
//
// The site file. Words of backends that this version lacks get an answer that says so.
#include "orchestrator/plan/site_reader.h"

#include <filesystem>

#include "orchestrator/plan/keys.h"
#include "orchestrator/plan/plan_parts.h"

namespace kneepoint {
namespace {

constexpr int kMaxNodes = 1'000'000;

void read_backend(const YamlView& view, Site& site) {
  if (!view.present()) {
    view.fail("missing; expected local or simulated");
    return;
  }
  static const std::vector<std::string> words = {"local", "simulated", "slurm", "kubernetes"};
  const auto word = view.word(words);
  if (!word) return;
  if (*word == "local") {
    site.backend = BackendKind::local;
  } else if (*word == "simulated") {
    site.backend = BackendKind::simulated;
  } else {
    site.backend = *word == "slurm" ? BackendKind::slurm : BackendKind::kubernetes;
    view.fail("'" + *word + "': this version has local and simulated");
  }
}

void read_path(const YamlView& view, std::string& path) {
  const auto text = view.text();
  if (!text) return;
  if (text->empty()) view.fail("expected a path, found nothing");
  path = *text;
}

void read_starter(const YamlView& view, Site& site) {
  if (!view.check_map()) return;
  static const std::vector<std::string> words = {"mpirun", "none"};
  if (const auto word = view["kind"].word(words)) {
    site.starter = *word == "mpirun" ? StarterKind::mpirun : StarterKind::none;
  }
  for (const YamlView& option : view["options"].items()) {
    if (const auto text = option.text()) site.starter_options.push_back(*text);
  }
  if (site.starter == StarterKind::none && !site.starter_options.empty()) {
    view["options"].fail_at_key("kind: none takes no options");
  }
}

void read_simulated(const YamlView& root, Site& site) {
  const YamlView view = root["simulated"];
  const YamlView nodes = root["nodes"];
  SimulatedSite& simulated = site.simulated;
  if (site.backend == BackendKind::local && view.present()) {
    view.fail_at_key("is for backend: simulated");
  }
  if (site.backend == BackendKind::local && nodes.present()) {
    nodes.fail_at_key("is for backend: simulated; a ceiling for any backend is limits.nodes");
  }
  read_into(nodes.integer(1, kMaxNodes), simulated.nodes);
  if (!view.check_map()) return;
  if (nodes.present() && view["nodes"].present()) {
    view["nodes"].fail_at_key("given twice; 'nodes' stands at the top level too");
  }
  read_into(view["nodes"].integer(1, kMaxNodes), simulated.nodes);
  read_into(view["cores_per_node"].integer(1, 100'000), simulated.cores_per_node);
  read_into(view["gpus_per_node"].integer(0, 1'000), simulated.gpus_per_node);
  read_into(view["seed"].seed(), simulated.seed);
  const auto share_or_zero = [](const YamlView& value) -> std::optional<double> {
    if (value.is(YamlNode::Kind::scalar) && value.text() == "0") return 0.0;
    return value.share();
  };
  read_into(share_or_zero(view["noise"]), simulated.noise);
  read_into(share_or_zero(view["failure_rate"]), simulated.failure_rate);
  if (const auto wait = view["queue_wait"].duration(0)) {
    simulated.queue_wait_seconds = to_seconds(*wait);
  }
  if (const auto time = view["default_time"].duration(1)) {
    simulated.default_seconds = to_seconds(*time);
  }
}

void read_packing(const YamlView& view, Packing& packing) {
  if (!view.check_map()) return;
  static const std::vector<std::string> words = {"one_per_run", "packed"};
  const auto word = view["mode"].word(words);
  if (word) packing.mode = *word == "packed" ? PackingMode::packed : PackingMode::one_per_run;
  read_into(view["allocations"].integer(1, 10'000), packing.allocations);
  read_into(view["steps"].integer(1, 100'000), packing.steps);
  if (const auto limit = view["limit"].duration(1)) {
    packing.limit = *limit;
    if (*limit < kMinute) view["limit"].fail("expected at least 1m");
  }
  if (view["mode"].present() && !word) return;  // said already
  if (packing.mode == PackingMode::packed) return;
  for (const char* key : {"allocations", "steps", "limit"}) {
    if (view[key].present()) view[key].fail_at_key("is for mode: packed");
  }
}

void read_limits(const YamlView& view, SiteLimits& limits) {
  if (!view.check_map()) return;
  read_into(view["nodes"].integer(1, kMaxNodes), limits.nodes);
  read_into(view["concurrent"].integer(1, 100'000), limits.concurrent);
  read_into(view["cores"].integer(1, 100'000), limits.cores);
  read_into(view["node_hours"].number(1e-6, 1e12), limits.node_hours);
}

}  // namespace

SiteRead read_site(std::string_view text, const std::string& path) {
  SiteRead read;
  YamlFile file = parse_yaml(text, path);
  read.problems = std::move(file.problems);
  Site& site = read.site;
  site.text = text;
  site.path = path;
  site.name = std::filesystem::path(path).stem().string();
  const YamlView root(file.root, site_keys(), path, read.problems);
  if (root.check_map()) {
    if (const auto name = root["name"].text()) {
      site.name = *name;
      if (!is_plain_name(*name)) {
        root["name"].fail("expected letters, digits, '_' and '-' (at most 64), found '" + *name +
                          "'");
      }
    }
    read_backend(root["backend"], site);
    read_path(root["work_dir"], site.work_dir);
    read_path(root["programs"], site.programs);
    read_path(root["agent"], site.agent);
    read_starter(root["starter"], site);
    for (EnvironmentVariable& variable : read_environment(root["environment"], {})) {
      site.environment.emplace_back(std::move(variable.name), std::move(variable.value));
    }
    read_simulated(root, site);
    read_packing(root["packing"], site.packing);
    read_limits(root["limits"], site.limits);
  }
  if (site.backend == BackendKind::slurm || site.backend == BackendKind::kubernetes) {
    // What else such a file says belongs to a version that knows the backend.
    std::erase_if(read.problems, [](const Problem& one) { return one.key != "backend"; });
  }
  sort_problems(read.problems);
  read.origins = origins_of(file.root);
  return read;
}

Site built_in_local_site() {
  return Site{};
}

}  // namespace kneepoint
