// SPDX-License-Identifier: Apache-2.0
//
// The probe takes less than 2 s by itself, and gives up when other programs are in its way.
#include "agents/agent/provenance/provenance.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmath>

#include "agents/agent/file.h"
#include "agents/agent/text.h"
#include "agents/wire/record.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/text.h"

namespace kneepoint::agent {
namespace {

constexpr Nanoseconds kProbeLimit = 3 * kSecond;
constexpr const char* kProgram = "kp-machine_probe";
constexpr const char* kState = "machine.probe";
constexpr const char* kDone = "done";

std::string setting(const StepSpec& step) {
  for (const auto& [name, value] : step.env) {
    if (name == kMachineProbeVariable) return value;
  }
  return environment_variable(kMachineProbeVariable);
}

std::string beside(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1) + kProgram;
}

std::string probe_path(const StepSpec& step) {
  const std::string wanted = setting(step);
  if (wanted == "off") return "";
  if (!wanted.empty() && wanted[0] == '/') return wanted;
  for (const std::string& path : {find_part(kProgram), beside(program_of(step))}) {
    if (!path.empty() && access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

int usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

// What came of asking, with a word for it; nothing while another agent asks.
Facts measured(const std::string& folder, const std::function<std::string()>& ask) {
  const std::string path = folder + "/machine.lock";
  const Fd lock(open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!lock.is_open() || flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return {};
  Facts facts = parse_machine_facts(ask());
  const bool disturbed = !fact(facts, "machine.others").empty();
  facts.emplace_back(kState, facts.empty() ? "failed" : disturbed ? "disturbed" : kDone);
  return facts;
}

}  // namespace

Facts parse_machine_facts(std::string_view text) {
  Facts facts;
  const auto records = record::parse(text);
  for (const record::Provenance& provenance : records.provenance) {
    for (const auto& [name, value] : provenance.facts) {
      const double number = whole_number<double>(value).value_or(0);
      if (name.starts_with("machine.") && std::isfinite(number) && number > 0) {
        facts.emplace_back(name, value);
      }
    }
  }
  return facts;
}

Facts cached_machine_facts(const std::string& folder, const std::string& name, Nanoseconds wall,
                           const std::function<std::string()>& ask) {
  if (folder.empty()) return {};  // it would be measured for every step
  // Two files: rates hold until the next boot, "no rates" until its time is over.
  const std::string without = name + "-without";
  const std::string path = folder + '/' + without + ".json";
  if (wall - changed_at(path) > kNextTry) unlink(path.c_str());
  Facts found;
  const Facts rates = cached_facts(folder, name, [&]() -> Facts {
    found = cached_facts(folder, without, [&] { return measured(folder, ask); });
    if (fact(found, kState) != kDone) return {};
    unlink(path.c_str());
    return found;
  });
  return rates.empty() ? found : rates;
}

Facts machine_facts(const StepSpec& step) {
  if (!step.measure_machine) return {};
  const std::string path = probe_path(step);
  if (path.empty()) return {};
  // Who may use other CPUs of the node would measure something else.
  const std::string name =
      "machine-" + boot_and_viewpoint() + '-' + std::to_string(usable_cpus()) + "cpus";
  return cached_machine_facts(fact_cache_folder(), name, system_clock().wall(), [&] {
    return ask_program({path}, {{"OMP_NUM_THREADS", "1"}}, kProbeLimit);
  });
}

}  // namespace kneepoint::agent
