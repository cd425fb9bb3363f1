// SPDX-License-Identifier: Apache-2.0
//
// The site file; what is for Kubernetes is read in kubernetes_site.cc, live reports in
// push_site.cc.
#include "orchestrator/plan/readers.h"

#include <filesystem>

#include "orchestrator/model/site.h"
#include "orchestrator/plan/plan/parts.h"
#include "orchestrator/plan/site/sbatch_options.h"

namespace kneepoint {
namespace {

constexpr int kMaxNodes = 1'000'000;

void read_backend(const YamlView& view, Site& site) {
  Words<BackendKind> words;
  for (const BackendTraits& row : backend_traits()) {
    if (row.kind != BackendKind::imported) words.emplace_back(row.word, row.kind);
  }
  read_into(value_of_word(view, words), site.backend);
  site.starter = traits_of(site.backend).starter;
}

const Keys<Site> kStarter = {
    {"kind", one_of(&Site::starter), "`mpirun`; slurm: `srun`",
     "`none`: the program is started once, as it is"},
    {"mpi", as("word", text(&Site::starter_mpi)), "Slurm's default",
     "`kind: srun`: goes to `srun --mpi=`; Open MPI wants `pmix`"},
    {"options", as("list of arguments", texts(&Site::starter_options)), "none",
     "go to the starter as they are, one argument each"},
};

void check_starter(const YamlView& view, Site& site) {
  const bool srun = site.starter == StarterKind::srun;
  if (srun && view["kind"].present() && site.backend != BackendKind::slurm) {
    view["kind"].fail("srun is for backend: slurm");
  }
  if (!srun && view["mpi"].is(YamlNode::Kind::scalar)) {
    view["mpi"].fail_at_key("is for kind: srun");
  }
  if (site.starter == StarterKind::none && !site.starter_options.empty()) {
    view["options"].fail_at_key("kind: none takes no options");
  }
}

std::optional<double> share_or_zero(const YamlView& value) {
  if (value.is(YamlNode::Kind::scalar) && value.text() == "0") return 0.0;
  return value.share();
}

const Keys<SimulatedSite> kSimulated = {
    {"nodes", whole(&SimulatedSite::nodes, 1, kMaxNodes), "16", ""},
    {"cores_per_node", whole(&SimulatedSite::cores_per_node, 1, 100'000), "64", ""},
    {"gpus_per_node", whole(&SimulatedSite::gpus_per_node, 0, 1'000), "0", ""},
    {"noise", reads_by(&SimulatedSite::noise, "share or 0", share_or_zero), "0",
     "relative deviation of T; 0: the formula exactly"},
    {"failure_rate", reads_by(&SimulatedSite::failure_rate, "share or 0", share_or_zero), "0",
     "of an attempt"},
    {"queue_wait", seconds(&SimulatedSite::queue_wait_seconds, 0), "0",
     "mean; waits are exponential"},
    {"seed", seed(&SimulatedSite::seed), "1", "the same seed gives the same cluster"},
    {"default_time", seconds(&SimulatedSite::default_seconds, 1), "`1s`",
     "T of a workload without a model"},
};

void read_simulated(const YamlView& root, Site& site) {
  const YamlView view = root["simulated"];
  const YamlView nodes = root["nodes"];
  SimulatedSite& simulated = site.simulated;
  const bool other = site.backend != BackendKind::simulated;
  if (other) {
    root.fail_at_keys({"simulated"}, "is for backend: simulated");
    root.fail_at_keys({"nodes"},
                      "is for backend: simulated; a ceiling for any backend is limits.nodes");
  }
  read_into(nodes.integer(1, kMaxNodes), simulated.nodes);
  if (!kSimulated.read(view, simulated)) return;
  if (nodes.present()) {
    view.fail_at_keys({"nodes"}, "given twice; 'nodes' stands at the top level too");
  }
}

const Keys<SlurmRestSite> kSlurmRest = {
    {"url", as("`http://HOST:PORT`, `https://HOST:PORT`, `unix:/PATH`", text(&SlurmRestSite::url)),
     "required", "where slurmrestd listens"},
    {"user", text(&SlurmRestSite::user), "the token's", "`X-SLURM-USER-NAME`"},
    {"token_file", as("path", by(&SlurmRestSite::token_file, read_path)), "one of the two",
     "file with the JSON web token; read again for each call, so that a renewed one needs no "
     "restart"},
    {"token_env", as("name of a variable", text(&SlurmRestSite::token_env)), "one of the two",
     "environment variable with the token"},
    {"ca_file", as("path", by(&SlurmRestSite::ca_file, read_path)), "the system's",
     "PEM of the authority that signed the server's certificate"},
    {"client_certificate", as("path", by(&SlurmRestSite::client_certificate, read_path)), "none",
     "PEM, where the server asks for one"},
    {"client_key", by(&SlurmRestSite::client_key, read_path)},
    {"api", as("`v0.0.N`", text(&SlurmRestSite::api)), "the newest that both know",
     "v0.0.37 to v0.0.43; 22.05 (v0.0.38) is what is tested here"},
};

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
  SlurmRestSite& rest = slurm.rest;
  if (!kSlurmRest.read(view, rest)) return;
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

const Keys<SlurmSite> kSlurm = {
    {"rest", as("map", elsewhere(kSlurmRest)), "see below", "`transport: rest` only"},
    {"transport", word(&SlurmSite::transport, {"commands", "rest"}), "`commands`",
     "sbatch, squeue, sacct, scancel; or slurmrestd"},
    {"partition", text(&SlurmSite::partition), "Slurm's", "the options of `sbatch` of that name"},
    {"account", text(&SlurmSite::account)},
    {"qos", text(&SlurmSite::qos)},
    {"reservation", text(&SlurmSite::reservation)},
    {"constraint", text(&SlurmSite::constraint)},
    {"exclusive", truth(&SlurmSite::exclusive), "`true`", "nodes are shared with nobody"},
    {"gpu_option", word(&SlurmSite::gpu_option, {"gpus-per-node", "gres"}), "`gpus-per-node`",
     "how `gpus_per_node` of the plan is asked for"},
    {"gpu_type", text(&SlurmSite::gpu_type), "any", "`a100`: `--gpus-per-node=a100:4`"},
    {"options", as("list", texts(&SlurmSite::options)), "none",
     "more options of `sbatch`, one entry each: `--mem=0`; those that kneepoint sets are refused"},
    {"modules", as("list", texts(&SlurmSite::modules)), "none",
     "`module load` before the agent starts, in a login shell"},
    {"prologue", as("list", texts(&SlurmSite::prologue)), "none",
     "lines of bash before the agent starts"},
    {"exclude_failed", truth(&SlurmSite::exclude_failed), "`true`",
     "a node that failed under a run gets no other run of that study, while enough nodes remain"},
    {"time_margin", duration(&SlurmSite::time_margin, 0), "`2m`",
     "the job's time limit over that of its steps (`limits.timeout` of the plan)"},
};

void read_slurm(const YamlView& view, Site& site) {
  if (view.present() && site.backend != BackendKind::slurm) {
    view.fail_at_key("is for backend: slurm");
  }
  SlurmSite& slurm = site.slurm;
  if (!kSlurm.read(view, slurm)) return;
  for (const std::string& option : slurm.options) {
    if (!option.starts_with("-") || option == "-" || option == "--") {
      view["options"].fail_at_key("'" + option +
                                  "' is no option; write --name=value, one entry each");
    } else if (const std::string why = refused_sbatch_option(option); !why.empty()) {
      view["options"].fail_at_key("'" + option + "' " + why);
    }
  }
  read_rest(view, slurm);
}

const Keys<Packing> kPacking = {
    {"mode", one_of(&Packing::mode), "`one_per_run`",
     "`packed`: an allocation of the largest run's nodes runs many runs inside, one after the "
     "other"},
    {"allocations", whole(&Packing::allocations, 1, 10'000), "1",
     "`packed` only: allocations at once; the runs are spread over them"},
    {"steps", whole(&Packing::steps, 1, 100'000), "as many as fit",
     "`packed` only: most runs in one allocation"},
    {"limit", as("duration, at least `1m`", duration(&Packing::limit, 1)), "`4h`",
     "`packed` only: the longest allocation to ask for"},
};

void check_packing(const YamlView& view, Packing& packing) {
  if (packing.limit < kMinute) view["limit"].fail("expected at least 1m");
  if (packing.mode == PackingMode::packed) return;
  const YamlView mode = view["mode"];
  const bool is_word = mode.is(YamlNode::Kind::scalar) && parse_word<PackingMode>(*mode.text());
  if (mode.present() && !is_word) return;  // said already
  view.fail_at_keys({"allocations", "steps", "limit"}, "is for mode: packed");
}

const Keys<SiteLimits> kSiteLimits = {
    {"nodes", whole(&SiteLimits::nodes, 1, kMaxNodes), "none", "nodes at once"},
    {"concurrent", whole(&SiteLimits::concurrent, 1, 100'000), "none", "allocations at once"},
    {"cores", whole(&SiteLimits::cores, 1, 100'000), "all",
     "`backend: local`: use at most this many"},
    {"node_hours", number(&SiteLimits::node_hours, 1e-6, 1e12), "none", "of one study"},
};

const Keys<SitePrice> kSitePrice = {{"book", by(&SitePrice::book, read_path)},
                                    {"item", text(&SitePrice::item)}};

void read_price(const YamlView& view, SitePrice& price) {
  if (!view.is(YamlNode::Kind::map)) return view.expected("a map");
  if (!view["book"].present()) view.fail_at_key("expected `book`: the path of a price book");
  kSitePrice.read(view, price);
}

void read_variables(const YamlView& view,
                    std::vector<std::pair<std::string, std::string>>& environment) {
  for (EnvironmentVariable& variable : read_environment(view, {})) {
    environment.emplace_back(std::move(variable.name), std::move(variable.value));
  }
}

const Keys<Site> kSite = {
    {"name",
     as("letters, digits, `_`, `-`",
        text(&Site::name, is_plain_name, "letters, digits, '_' and '-' (at most 64)")),
     "the file's name", "shown in lists and reports"},
    {"backend",
     as("`local`, `slurm`, `kubernetes`, `simulated`",
        required(by(read_backend), "missing; expected local, slurm, kubernetes or simulated")),
     "required", "how steps reach machines"},
    {"nodes", as("number"), "16", "`backend: simulated` only; short for `simulated.nodes`"},
    {"work_dir", as("path", by(&Site::work_dir, read_path)), "beside the database",
     "run directories"},
    {"programs", as("path", by(&Site::programs, read_path)),
     "`../lib/kneepoint` of the `kneepoint` program, or beside it in a build tree; kubernetes: "
     "`/opt/kneepoint/lib/kneepoint` of the image",
     "folder of the shipped workloads"},
    {"agent", as("path", by(&Site::agent, read_path)),
     "beside the `kneepoint` program; kubernetes: `/opt/kneepoint/bin/kneepoint-agent` of the "
     "image",
     "`kneepoint-agent`"},
    {"starter", map_of(kStarter, check_starter), "`{kind: mpirun}`; slurm: `{kind: srun}`",
     "how the ranks of a step are started"},
    {"environment", as("map", names_by(&Site::environment, read_variables)), "none",
     "variables of every workload; a plan's go over them"},
    {"simulated", as("map", elsewhere(kSimulated)), "see below", "`backend: simulated` only"},
    {"slurm", as("map", by(read_slurm, &kSlurm)), "see below", "`backend: slurm` only"},
    {"kubernetes", as("map", elsewhere(kubernetes_keys())), "see below",
     "`backend: kubernetes` only"},
    {"push", as("map", by(read_push, &push_keys())), "none",
     "live reports: agents push their records while they run"},
    {"packing", map_for(&Site::packing, kPacking, check_packing), "`{mode: one_per_run}`",
     "one allocation for each run, or many runs in one"},
    {"limits", map_for(&Site::limits, kSiteLimits), "none",
     "ceilings: the smaller of site and plan wins"},
    {"price", as("map", by(&Site::price, read_price, &kSitePrice)), "none",
     "what using it costs: `book`, the path of a [price book](prices.md) relative to this file, "
     "and "
     "`item`, which may be left out if the book has one"},
};

}  // namespace

void read_path(const YamlView& view, std::string& path) {
  const auto text = view.text();
  if (!text) return;
  if (text->empty()) view.fail("expected a path, found nothing");
  path = *text;
}

const KeySet& site_keys() {
  return kSite;
}

SiteRead read_site(std::string_view text, const std::string& path) {
  SiteRead read;
  Site& site = read.site;
  site.text = text;
  site.path = path;
  site.name = std::filesystem::path(path).stem().string();
  const auto read_root = [&](const YamlView& root) {
    if (!kSite.read(root, site)) return;
    read_simulated(root, site);
    read_kubernetes(root, site);
  };
  read.problems = read_yaml(text, path, kSite, read_root, &read.origins);
  return read;
}

Site built_in_local_site() {
  return Site{};
}

}  // namespace kneepoint
