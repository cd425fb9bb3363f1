// SPDX-License-Identifier: Apache-2.0
//
// kneepoint doctor: is a site ready? One step after the other, from reading its file to starting
// MPI on two nodes; each finding says what to change. It goes through the launcher like any run, so
// it tests what a study will use.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "agents/record/record.h"
#include "orchestrator/base/json_text.h"
#include "orchestrator/cli/commands.h"
#include "orchestrator/cli/files.h"
#include "orchestrator/cli/loading.h"
#include "orchestrator/cli/places.h"
#include "orchestrator/cli/table.h"
#include "orchestrator/plan/site_reader.h"

namespace kneepoint::cli {
namespace {

namespace fs = std::filesystem;

constexpr Nanoseconds kPatience = 10 * kMinute;  // for a job to get through the queue
constexpr Nanoseconds kClockApart = 2 * kSecond;

struct Finding {
  std::string what;
  bool good = true;
  std::string text;
};

class Examination {
 public:
  Examination(Session& session, const Site& site, std::string root)
      : session_(session), site_(site), root_(std::move(root)) {
    folder_ = root_ + "/doctor-" + std::to_string(session.clock.wall() / kSecond);
  }

  std::vector<Finding> run() {
    if (examine()) {
      std::error_code ignored;
      fs::remove_all(folder_, ignored);
    }
    return findings_;
  }

 private:
  // Later steps make no sense after a failed one.
  bool examine() {
    const std::string here = fs::current_path().string();
    const std::string agent = agent_path(site_, session_.executable, here);
    if (!add("agent", ::access(agent.c_str(), X_OK) == 0, agent,
             agent + " can't be started; install it there, or name it with `agent` of the site")) {
      return false;
    }
    auto reached = reach_site(session_, site_, folder_);
    if (!add("reachable", reached.has_value(), to_string(site_.backend),
             reached ? "" : reached.error().message)) {
      return false;
    }
    access_ = std::move(*reached);
    const Capabilities& has = access_.capabilities;
    const bool fits = site_.limits.nodes == 0 || has.nodes == 0 || site_.limits.nodes <= has.nodes;
    add("size", fits,
        std::to_string(has.nodes) + " nodes with " + std::to_string(has.cores_per_node) + " cores",
        "limits.nodes of the site is " + std::to_string(site_.limits.nodes) + ", but it has " +
            std::to_string(has.nodes) + " nodes; lower it");
    std::error_code failure;
    fs::create_directories(folder_, failure);
    if (!add("work_dir", !failure, root_,
             folder_ + ": " + failure.message() + "; name another work_dir in the site")) {
      return false;
    }
    if (!try_job()) return false;
    return try_ranks();
  }

  bool add(const std::string& what, bool good, const std::string& text, const std::string& fix) {
    findings_.push_back({what, good, good ? text : fix});
    return good;
  }

  AllocationRequest request(const std::string& name, const Shape& shape) const {
    AllocationRequest request;
    request.name = "kp-doctor-" + std::to_string(session_.clock.wall() / kSecond) + "-" + name;
    request.directory = folder_;
    request.shape = shape;
    request.limit = kMinute;
    Step step;
    step.attempt = name;
    step.run_dir = folder_ + "/" + name;
    step.shape = shape;
    step.limit = kMinute;
    step.identity = name;
    step.modelled_seconds = 1;
    step.emulated = true;
    request.steps.push_back(step);
    return request;
  }

  Result<record::Records> carry_out(const AllocationRequest& request) {
    Launcher& launcher = *access_.launcher;
    const auto soon = [&] { return session_.clock.steady() + access_.capabilities.call_deadline; };
    TRY(launcher.rehearse(request, soon()));
    auto job = launcher.submit({&request, 1}, soon()).front();
    if (!job) return job.error();
    const Nanoseconds until = session_.clock.steady() + kPatience;
    Observation seen;
    do {
      TRY_ASSIGN(const auto all, launcher.observe({&*job, 1}, soon()));
      seen = all.front();
      if (seen.state != AllocationState::queued && seen.state != AllocationState::running) break;
      TRY(access_.poller->wait(access_.capabilities.poll_interval));
    } while (session_.clock.steady() < until);
    if (seen.state != AllocationState::ended) {
      const auto cancelled = launcher.cancel({&*job, 1}, soon());
      static_cast<void>(cancelled);
      return Error{ErrorCode::timeout, "the job did not end within " + to_duration_text(kPatience) +
                                           (seen.detail.empty() ? "" : ": " + seen.detail)};
    }
    TRY_ASSIGN(const Artifacts artifacts, launcher.collect(*job, soon()));
    const record::Records records = record::parse(artifacts.steps.front().records);
    if (!records.end) {
      return Error{ErrorCode::io, seen.detail.empty()
                                      ? "the agent's files don't appear in " + folder_ +
                                            "; is work_dir shared with the nodes?"
                                      : seen.detail};
    }
    if (records.end->outcome != "succeeded") return Error{ErrorCode::io, records.end->detail};
    return records;
  }

  bool try_job() {
    AllocationRequest job = request("job", Shape{});
    job.steps[0].command.argv = {"sh", "-c", "echo t=1"};
    job.steps[0].metrics = {{"time", "t=([0-9.]+)", "s", "stdout"}};
    const auto done = carry_out(job);
    if (!add("job", done.has_value(), "a job on one node ran and its files are here",
             done ? "" : done.error().message)) {
      return false;
    }
    if (site_.backend == BackendKind::simulated) return true;
    const Nanoseconds apart = session_.clock.wall() - done->end->wall_ns;
    add("clock", apart > -kClockApart, "the node's clock is not ahead of ours",
        "the node's clock is " + to_duration_text(-apart) + " ahead of ours; start an NTP service");
    return true;
  }

  bool try_ranks() {
    if (site_.starter == StarterKind::none || site_.backend == BackendKind::simulated) return true;
    Shape shape;
    shape.nodes = access_.capabilities.nodes == 1 ? 1 : 2;
    shape.ranks = 2;
    shape.ranks_per_node = shape.nodes == 1 ? 2 : 1;
    shape.bind = Bind::none;
    AllocationRequest job = request("ranks", shape);
    Step& step = job.steps[0];
    const std::string programs =
        programs_folder(site_, session_.executable, fs::current_path().string());
    step.command.argv = {programs + "/kp-synthetic",
                         "--mode",
                         "weak",
                         "--workers",
                         "2",
                         "--warmup",
                         "1",
                         "--iterations",
                         "2",
                         "--seconds",
                         "0.01",
                         "--s",
                         "0.1",
                         "--c",
                         "0.01",
                         "--work",
                         "sleep"};
    step.starter = {site_.starter, site_.starter_options};
    step.own_harness = true;
    const auto done = carry_out(job);
    const std::string where = shape.nodes == 1 ? "one node" : "2 nodes";
    const bool both = done && done->ranks.size() == 2;
    return add("mpi", both, "2 ranks on " + where + " found each other",
               done ? std::to_string(done->ranks.size()) +
                          " of 2 ranks reported: another MPI than the starter's? Say `starter: "
                          "{kind: srun, mpi: pmix}` or `{kind: mpirun}`"
                    : "2 ranks on " + where + ": " + done.error().message +
                          "; check `starter` of the site (Open MPI under srun: `mpi: pmix`)");
  }

  Session& session_;
  const Site& site_;
  const std::string root_;
  std::string folder_;
  SiteAccess access_;
  std::vector<Finding> findings_;
};

Result<int> doctor(Session& session, const Arguments& arguments) {
  Site site = built_in_local_site();
  if (arguments.has("SITE")) {
    const std::string path = arguments.text("SITE");
    TRY_ASSIGN(const std::string text, read_file("site", path));
    SiteRead read = read_site(text, path);
    if (!read.problems.empty()) return report_problems(session, read.problems);
    site = std::move(read.site);
  }
  const std::string here = fs::current_path().string();
  TRY_ASSIGN(const std::string database,
             database_path(session.database_flag, session.environment, here));
  const auto findings = Examination(session, site, work_root(site, database, here)).run();
  const bool well = std::all_of(findings.begin(), findings.end(),
                                [](const Finding& finding) { return finding.good; });
  if (session.json) {
    JsonWriter json;
    json.begin_object();
    json.key("site").value(site.name);
    json.key("ready").value(well);
    json.key("findings").begin_array();
    for (const Finding& finding : findings) {
      json.begin_object();
      json.key("what").value(finding.what);
      json.key("good").value(finding.good);
      json.key("text").value(finding.text);
      json.end_object();
    }
    json.end_array();
    json.end_object();
    session.out << json.text() << "\n";
  } else {
    std::vector<std::vector<std::string>> rows;
    for (const Finding& finding : findings) {
      rows.push_back({finding.good ? "ok" : "BAD", finding.what, finding.text});
    }
    session.out << to_table({{""}, {"WHAT"}, {"FINDING"}}, rows) << "site '" << site.name << "' is "
                << (well ? "ready" : "not ready") << "\n";
  }
  return well ? kExitDone : kExitUnreachable;
}

}  // namespace

CommandSpec doctor_command() {
  return {"doctor",
          "Check step by step whether a site is ready",
          "Reads the site, reaches its backend, and runs two small jobs there: one that shows that "
          "the work_dir is shared, one that starts MPI ranks on two nodes. Each finding that is "
          "not good says what to change. Exits with 3 if the site is not ready.",
          {{"SITE", "The site file (default: this machine)", false, {}, Completes::files}},
          {},
          {"kneepoint doctor", "kneepoint doctor plans/sites/slurm.yaml --json"},
          doctor};
}

}  // namespace kneepoint::cli
