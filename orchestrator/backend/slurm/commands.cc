// SPDX-License-Identifier: Apache-2.0
//
// The command transport: sbatch, squeue, sacct, scancel, scontrol, sinfo. Variables of an outer
// allocation and of the user's taste in output never reach them; those that say which cluster do.
#include <unistd.h>

#include <cstdlib>
#include <ctime>

#include "orchestrator/backend/allocation.h"
#include "orchestrator/backend/slurm/text.h"
#include "orchestrator/io/subprocess.h"

namespace kneepoint {
namespace {

constexpr std::size_t kCommandsAtOnce = 4;      // sbatch processes; more gain nothing
constexpr std::size_t kMostAnswer = 64 << 20;   // squeue of 100,000 jobs is 15 MB
constexpr std::size_t kMostNameBytes = 60'000;  // bytes of a --name list in one command line

class SlurmCommands final : public SlurmTransport {
 public:
  explicit SlurmCommands(const LauncherContext& context)
      : site_(context.site), clock_(context.clock) {}

  Result<SlurmCluster> cluster(Deadline deadline) override {
    // The commands would wait a minute for it.
    const char* conf = std::getenv("SLURM_CONF");
    if (conf != nullptr && ::access(conf, R_OK) != 0) {
      return Error{ErrorCode::unavailable,
                   std::string("SLURM_CONF names ") + conf +
                       ", which can't be read; set it to the cluster's slurm.conf, or unset it",
                   false};
    }
    TRY(ping(deadline));
    const SpawnOptions questions[] = {
        options({"scontrol", "show", "config"}),
        options({"sinfo", "-h", "-o", kSinfoFormat}),
    };
    auto answers = run_captured_all(questions, left(deadline), 2, kMostAnswer);
    TRY_ASSIGN(const std::string config, good("scontrol", std::move(answers[0])));
    TRY_ASSIGN(const std::string sinfo, good("sinfo", std::move(answers[1])));
    SlurmCluster cluster = parse_cluster(config, sinfo, site_.slurm.partition);
    has_limits_ = cluster.has_accounting && enforces_limits(config);
    return cluster;
  }

  std::vector<Result<std::string>> submit(std::span<const SlurmSubmission> jobs,
                                          Deadline deadline) override {
    std::vector<SpawnOptions> commands;
    commands.reserve(jobs.size());
    for (const SlurmSubmission& job : jobs) {
      commands.push_back(options(sbatch_arguments(job, site_.slurm)));
    }
    std::vector<Result<std::string>> ids;
    ids.reserve(jobs.size());
    for (auto& answer : run_captured_all(commands, left(deadline), kCommandsAtOnce)) {
      auto said = good("sbatch", std::move(answer));
      if (!said) {
        ids.emplace_back(said.error());
        continue;
      }
      std::string id = parse_job_id(*said);
      if (id.empty()) {
        ids.emplace_back(Error{ErrorCode::timeout, "sbatch answered without a job id", true});
      } else {
        ids.emplace_back(std::move(id));
      }
    }
    return ids;
  }

  Result<std::vector<SlurmJob>> list(Deadline deadline) override {
    TRY_ASSIGN(const std::string text, ask({"squeue", "-h", "-t", "all", "-u",
                                            std::to_string(::geteuid()), "-o", kSqueueFormat},
                                           deadline));
    return parse_squeue(text);
  }

  Result<std::vector<SlurmJob>> history(const std::vector<std::string>& names, Nanoseconds since,
                                        Deadline deadline) override {
    std::string list;
    for (const std::string& name : names) {
      if (list.size() + name.size() > kMostNameBytes) {
        list.clear();  // all of this user's jobs then
        break;
      }
      list += (list.empty() ? "" : ",") + name;
    }
    std::vector<std::string> argv = {"sacct",
                                     "-n",
                                     "-P",
                                     "-X",
                                     "-D",
                                     "-u",
                                     std::to_string(::geteuid()),
                                     "-o",
                                     kSacctFields,
                                     "-S",
                                     local_time(since)};
    if (!list.empty()) argv.push_back("--name=" + list);
    TRY_ASSIGN(const std::string text, ask(argv, deadline));
    return parse_sacct(text);
  }

  std::vector<Result<void>> cancel(std::span<const std::string> ids, Deadline deadline) override {
    std::vector<std::string> argv = {"scancel"};
    argv.insert(argv.end(), ids.begin(), ids.end());
    auto answer = run_captured(options(argv), left(deadline));
    Result<void> all;
    if (!answer) {
      all = answer.error();
    } else if (answer->exit_code != 0 && !is_over_already(answer->errors)) {
      all = slurm_error("scancel", answer->errors);
    }
    return std::vector<Result<void>>(ids.size(), all);
  }

  Result<std::string> rehearse(const SlurmSubmission& job, Deadline deadline) override {
    auto argv = sbatch_arguments(job, site_.slurm);
    argv.insert(argv.begin() + 1, "--test-only");
    auto answer = run_captured(options(argv), left(deadline));
    if (!answer) return answer.error();
    if (answer->exit_code != 0) return slurm_error("sbatch", answer->errors);
    // sbatch takes a job over a limit of its account or QOS, which then waits for ever.
    load_accounting(deadline);
    const std::string why = why_not_allowed(accounting_, site_.slurm, job);
    if (!why.empty()) return Error{ErrorCode::invalid, "sacctmgr: " + why, false};
    return parse_rehearsal(answer->errors.empty() ? answer->output : answer->errors);
  }

  Result<std::vector<std::string>> down_nodes(const std::string& nodes,
                                              Deadline deadline) override {
    TRY_ASSIGN(const std::string text,
               ask({"sinfo", "-h", "-N", "-n", nodes, "-o", "%N|%T"}, deadline));
    return parse_down_nodes(text);
  }

  std::vector<Launcher::EmittedFile> emit(const SlurmSubmission& job) const override {
    return {{job.name + ".sbatch.txt", shell_quoted(sbatch_arguments(job, site_.slurm)) + "\n"}};
  }

 private:
  static SpawnOptions options(std::vector<std::string> argv) {
    SpawnOptions options;
    options.argv = std::move(argv);
    // sbatch hands its own environment to the job.
    options.without_prefixes = {"SLURM_",   "SBATCH_", "SQUEUE_", "SACCT_",
                                "SCANCEL_", "SINFO_",  "SRUN_",   "SALLOC_"};
    for (const char* kept : {"SLURM_CONF", "SLURM_JWT", "SLURM_CONF_SERVER"}) {
      if (const char* value = std::getenv(kept)) options.environment.emplace_back(kept, value);
    }
    if (options.argv[0] != "sbatch") options.environment.emplace_back("SLURM_TIME_FORMAT", "%s");
    return options;
  }

  Nanoseconds left(Deadline deadline) const { return deadline - clock_.steady(); }

  static Result<std::string> good(const std::string& command, Result<Captured> answer) {
    if (!answer) {
      if (answer.error().code != ErrorCode::not_found) return answer.error();
      return Error{ErrorCode::unavailable,
                   "there is no " + command +
                       " in PATH; run this on a host with Slurm's commands, such as a login node",
                   false};
    }
    if (answer->exit_code != 0) {
      return slurm_error(command, answer->errors.empty() ? answer->output : answer->errors);
    }
    return std::move(answer->output);
  }

  Result<std::string> ask(const std::vector<std::string>& argv, Deadline deadline) const {
    return good(argv[0], run_captured(options(argv), left(deadline), kMostAnswer));
  }

  // Other commands wait for a controller that is down as long as MessageTimeout says; this one
  // tells at once.
  Result<void> ping(Deadline deadline) const {
    auto answer = run_captured(options({"scontrol", "ping"}), left(deadline), kMostAnswer);
    if (!answer && answer.error().code == ErrorCode::not_found)
      return good("scontrol", answer).error();
    if (!answer) return {};
    const std::string down = parse_ping(answer->output);
    if (down.empty()) return {};
    // Without munge nobody seems to be there.
    if (!answer->errors.empty()) return slurm_error("scontrol", answer->errors + "\n" + down);
    return slurm_error("scontrol", down);
  }

  // Asked once, by the first rehearsal. Who may not ask knows nothing of limits, and goes on.
  void load_accounting(Deadline deadline) {
    if (!has_limits_ || accounting_is_known_) return;
    accounting_is_known_ = true;
    const std::string name = name_of_user();
    const std::string user = name.empty() ? std::to_string(::geteuid()) : name;
    const SpawnOptions questions[] = {
        options({"sacctmgr", "-n", "-P", "show", "user", user, "withassoc",
                 std::string("format=") + kAssociationFields}),
        options({"sacctmgr", "-n", "-P", "show", "qos", std::string("format=") + kQosFields}),
    };
    auto answers = run_captured_all(questions, left(deadline), 2);
    auto associations = good("sacctmgr", std::move(answers[0]));
    auto qos = good("sacctmgr", std::move(answers[1]));
    if (associations && qos) accounting_ = parse_accounting(*associations, *qos);
  }

  // sacct reads local time; a day before the job makes zones and skewed clocks harmless.
  static std::string local_time(Nanoseconds wall) {
    const std::time_t seconds = wall / kSecond - 86'400;
    std::tm local{};
    localtime_r(&seconds, &local);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &local);
    return text;
  }

  const Site& site_;
  const Clock& clock_;
  bool has_limits_ = false;
  bool accounting_is_known_ = false;
  SlurmAccounting accounting_;
};

}  // namespace

std::unique_ptr<SlurmTransport> make_slurm_commands(const LauncherContext& context) {
  return std::make_unique<SlurmCommands>(context);
}

}  // namespace kneepoint
