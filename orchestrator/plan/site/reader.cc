// SPDX-License-Identifier: Apache-2.0
//
// The site file; what is for Kubernetes is read in kubernetes_site.cc.
#include "orchestrator/plan/site/reader.h"

#include <filesystem>

#include "orchestrator/plan/plan/parts.h"
#include "orchestrator/plan/site/kubernetes_site.h"
#include "orchestrator/plan/site/push_site.h"
#include "orchestrator/plan/yaml/keys.h"

namespace kneepoint {
namespace {

constexpr int kMaxNodes = 1'000'000;

void read_backend(const YamlView& view, Site& site) {
  if (!view.present()) {
    view.fail("missing; expected local, slurm, kubernetes or simulated");
    return;
  }
  static const std::vector<std::string> words = {"local", "simulated", "slurm", "kubernetes"};
  const auto word = view.word(words);
  if (!word) return;
  if (*word == "local") {
    site.backend = BackendKind::local;
  } else if (*word == "simulated") {
    site.backend = BackendKind::simulated;
  } else if (*word == "slurm") {
    site.backend = BackendKind::slurm;
    site.starter = StarterKind::srun;
  } else {
    site.backend = BackendKind::kubernetes;
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
  static const std::vector<std::string> words = {"mpirun", "srun", "none"};
  if (const auto word = view["kind"].word(words)) {
    site.starter = *word == "mpirun" ? StarterKind::mpirun
                   : *word == "srun" ? StarterKind::srun
                                     : StarterKind::none;
    if (site.starter == StarterKind::srun && site.backend != BackendKind::slurm) {
      view["kind"].fail("srun is for backend: slurm");
    }
  }
  if (const auto mpi = view["mpi"].text()) {
    site.starter_mpi = *mpi;
    if (site.starter != StarterKind::srun) view["mpi"].fail_at_key("is for kind: srun");
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
  const bool other = site.backend != BackendKind::simulated;
  if (other && view.present()) view.fail_at_key("is for backend: simulated");
  if (other && nodes.present()) {
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

void read_list(const YamlView& view, std::vector<std::string>& list) {
  for (const YamlView& item : view.items()) {
    if (const auto text = item.text()) list.push_back(*text);
  }
}

void read_rest(const YamlView& slurm_view, SlurmSite& slurm) {
  const YamlView view = slurm_view["rest"];
  if (slurm.transport != "rest") {
    if (view.present()) view.fail_at_key("is for transport: rest");
    return;
  }
  if (!view.present()) {
    slurm_view["transport"].fail("rest needs `rest: {url: ..., token_file: ...}` beside it");
    return;
  }
  if (!view.check_map()) return;
  SlurmRestSite& rest = slurm.rest;
  read_into(view["url"].text(), rest.url);
  read_into(view["user"].text(), rest.user);
  read_path(view["token_file"], rest.token_file);
  read_into(view["token_env"].text(), rest.token_env);
  read_path(view["ca_file"], rest.ca_file);
  read_path(view["client_certificate"], rest.client_certificate);
  read_path(view["client_key"], rest.client_key);
  read_into(view["api"].text(), rest.api);
  if (rest.url.empty()) view["url"].fail("missing; expected http://HOST:PORT or unix:/PATH");
  if (rest.token_file.empty() == rest.token_env.empty()) {
    view.fail_at_key("expected one of token_file and token_env");
  }
  if (!rest.api.empty() && !rest.api.starts_with("v0.0.")) {
    view["api"].fail("expected a version such as v0.0.39, found '" + rest.api + "'");
  }
  if (!slurm.options.empty()) {
    slurm_view["options"].fail_at_key("are options of sbatch, for transport: commands");
  }
}

void read_slurm(const YamlView& view, Site& site) {
  if (view.present() && site.backend != BackendKind::slurm) {
    view.fail_at_key("is for backend: slurm");
  }
  if (!view.check_map()) return;
  SlurmSite& slurm = site.slurm;
  static const std::vector<std::string> transports = {"commands", "rest"};
  static const std::vector<std::string> gpu_options = {"gpus-per-node", "gres"};
  read_into(view["transport"].word(transports), slurm.transport);
  read_into(view["partition"].text(), slurm.partition);
  read_into(view["account"].text(), slurm.account);
  read_into(view["qos"].text(), slurm.qos);
  read_into(view["reservation"].text(), slurm.reservation);
  read_into(view["constraint"].text(), slurm.constraint);
  read_into(view["exclusive"].truth(), slurm.exclusive);
  read_into(view["gpu_option"].word(gpu_options), slurm.gpu_option);
  read_into(view["gpu_type"].text(), slurm.gpu_type);
  read_list(view["options"], slurm.options);
  read_list(view["modules"], slurm.modules);
  read_list(view["prologue"], slurm.prologue);
  read_into(view["exclude_failed"].truth(), slurm.exclude_failed);
  read_into(view["time_margin"].duration(0), slurm.time_margin);
  for (const std::string& option : slurm.options) {
    if (!option.starts_with("-") || option == "-" || option == "--") {
      view["options"].fail_at_key("'" + option +
                                  "' is no option; write --name=value, one entry each");
    }
  }
  read_rest(view, slurm);
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

void read_price(const YamlView& view, SitePrice& price) {
  if (!view.present() || !view.check_map()) return;
  if (!view["book"].present()) view.fail_at_key("expected `book`: the path of a price book");
  read_path(view["book"], price.book);
  read_into(view["item"].text(), price.item);
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
    read_slurm(root["slurm"], site);
    read_kubernetes(root, site);
    read_push(root["push"], site);
    read_packing(root["packing"], site.packing);
    read_limits(root["limits"], site.limits);
    read_price(root["price"], site.price);
  }
  sort_problems(read.problems);
  read.origins = origins_of(file.root);
  return read;
}

Site built_in_local_site() {
  return Site{};
}

}  // namespace kneepoint
