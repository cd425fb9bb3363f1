// SPDX-License-Identifier: Apache-2.0
//
// The backends under test and how each is made to run quick, endless and doomed steps.
#include "tests/contract/backends.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "orchestrator/io/subprocess.h"
#ifdef KP_KUBE_FOLDER
#include "orchestrator/backend/kubernetes/manifest.h"
#include "orchestrator/backend/kubernetes/session.h"
#endif

namespace kneepoint::contract {

std::vector<BackendUnderTest> backends_under_test() {
#ifdef KP_SLURM_REST
  return {{"slurm_rest", BackendKind::slurm, true, KP_SLURM_FOLDER "/plain/etc/slurm.conf",
           KP_SLURM_FOLDER "/plain/rest.url"},
          {"slurm_rest_with_accounting", BackendKind::slurm, true,
           KP_SLURM_FOLDER "/accounting/etc/slurm.conf", KP_SLURM_FOLDER "/accounting/rest.url"}};
#endif
#ifdef KP_SLURM_FOLDER  // started and stopped by ctest
  return {{"slurm", BackendKind::slurm, true, KP_SLURM_FOLDER "/plain/etc/slurm.conf"},
          {"slurm_with_accounting", BackendKind::slurm, true,
           KP_SLURM_FOLDER "/accounting/etc/slurm.conf"}};
#endif
#ifdef KP_KUBE_FOLDER
  return {{"kubernetes", BackendKind::kubernetes, true}};
#endif
  return {{"simulated", BackendKind::simulated, false}, {"local", BackendKind::local, true}};
}

Contract::Contract() {
  std::string folder = testing::TempDir() + "kp_contract_XXXXXX";
  EXPECT_NE(::mkdtemp(folder.data()), nullptr);
  folder_ = folder;
  site_.name = GetParam().name;
  site_.backend = GetParam().kind;
  if (!GetParam().slurm_conf.empty()) ::setenv("SLURM_CONF", GetParam().slurm_conf.c_str(), 1);
  site_.slurm.exclusive = false;
  if (!GetParam().rest_url.empty()) use_rest();
}

void Contract::SetUp() {
#ifdef KP_KUBE_FOLDER
  if (!lab_.missing().empty()) GTEST_SKIP() << lab_.missing();
  lab_.describe(site_, folder_);
#endif
  start_controller();
}

void Contract::use_rest() {
  site_.slurm.transport = "rest";
  std::ifstream(GetParam().rest_url) >> site_.slurm.rest.url;
  ASSERT_FALSE(site_.slurm.rest.url.empty()) << GetParam().rest_url;
  SpawnOptions options;
  options.argv = {"scontrol", "token", "lifespan=7200"};
  const auto made = run_captured(options, kPatience);
  ASSERT_TRUE(made) << made.error().message;
  const std::size_t equals = made->output.find('=');
  ASSERT_NE(equals, std::string::npos) << made->errors;
  std::ofstream(folder_ + "/token") << made->output.substr(equals + 1);
  site_.slurm.rest.token_file = folder_ + "/token";
}

void Contract::TearDown() {
  if (HasFailure() && launcher_ != nullptr) {
    for (const auto& answer : launcher_->cancel(submitted_, soon())) {
      EXPECT_TRUE(answer) << answer.error().message;
    }
  }
  const Nanoseconds until = system_clock().steady() + kPatience;
  for (auto agents = agents_here(); !agents.empty(); agents = agents_here()) {
    const bool late = system_clock().steady() > until;
    for (const ProcessIdentity& agent : agents) {
      EXPECT_FALSE(late) << "agent " << agent.pid << " does not end";
      if (late) ::kill(agent.pid, SIGKILL);
    }
    if (late) break;
    wait_a_moment();
  }
}

std::vector<ProcessIdentity> Contract::agents_here() const {
  std::vector<ProcessIdentity> here;
  if (GetParam().kind != BackendKind::local) return here;
  for (const LivingAgent& agent : living_agents()) {
    if (agent.allocation_path.starts_with(folder_ + "/")) here.push_back(agent.process);
  }
  return here;
}

Contract::~Contract() {
  launcher_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void Contract::start_controller() {
  launcher_.reset();
  poller_ = std::make_unique<Poller>();
  auto made = make_launcher({site_, system_clock(), *poller_, agent_path_});
  if (!made) throw std::runtime_error(made.error().message);  // no test goes on without one
  launcher_ = std::move(made).value();
}

AllocationRequest Contract::quick(const std::string& name, int steps) {
  AllocationRequest request;
  request.name = name;
  request.directory = folder_ + "/study";
  request.limit = kHour;
  for (int i = 1; i <= steps; ++i) {
    Step step;
    step.attempt = name + "-s" + std::to_string(i);
    step.run_dir = request.directory + "/" + step.attempt;
    step.identity = step.attempt;
    step.limit = kHour;
    step.modelled_seconds = 0.25;
    step.command.argv = {"sh", "-c", "echo ran >>\"$1\"; echo t=0.25", "sh",
                         folder_ + "/" + step.attempt + ".marks"};
    step.metrics = {{"time", "t=([0-9.]+)", "s", "stdout"}};
    request.steps.push_back(step);
  }
  return request;
}

AllocationRequest Contract::endless(const std::string& name, int steps, int at) {
  AllocationRequest request = quick(name, steps);
  Step& step = request.steps[static_cast<std::size_t>(at - 1)];
  step.command.argv[2] = "echo ran >>\"$1\"; exec sleep 600";
  step.modelled_seconds = 3000;
  step.limit = kHour;
  return request;
}

void Contract::tempt(const AllocationRequest& request, const std::vector<simulated::Fate>& fates) {
  site_.simulated.failure_rate = 0.4;
  for (site_.simulated.seed = 1; site_.simulated.seed < 100'000; ++site_.simulated.seed) {
    std::size_t met = 0;
    while (met < fates.size() &&
           simulated::draw_step(site_.simulated, request.steps[met]).fate == fates[met]) {
      ++met;
    }
    if (met == fates.size()) return;
  }
  ADD_FAILURE() << "no seed gives these fates";
}

AllocationRequest Contract::doomed(const std::string& name) {
  using simulated::Fate;
  if (GetParam().kind != BackendKind::simulated) return endless(name, 5, 3);
  AllocationRequest request = quick(name, 5);
  tempt(request, {Fate::succeeds, Fate::succeeds, Fate::loses_node});
  return request;
}

AllocationRequest Contract::failing(const std::string& name) {
  AllocationRequest request = quick(name, 2);
  request.steps[0].command.argv = {"sh", "-c", "exit 1"};
  if (GetParam().kind == BackendKind::simulated) {
    tempt(request, {simulated::Fate::exits, simulated::Fate::succeeds});
  }
  return request;
}

void Contract::strike(const JobRef& job) {
  if (GetParam().kind == BackendKind::simulated) return;  // its fate is drawn already
  if (GetParam().kind == BackendKind::slurm) {
    const auto agents = find_agents(job.directory + "/" + job.name + ".json");
    ASSERT_FALSE(agents.empty()) << "no agent runs " << job.name;
    ::kill(agents.front().pid, SIGKILL);
    return;
  }
#ifdef KP_KUBE_FOLDER
  const pid_t agent =
      lab_.agent_of(kube_name(job.name, job.directory, kube_folder_id(job.directory)));
  ASSERT_GT(agent, 0) << "no pod runs " << job.name;
  ::kill(agent, SIGKILL);
#else
  ::kill(std::stoi(job.id), SIGKILL);
#endif
}

JobRef Contract::submit(const AllocationRequest& request) {
  submitted_.push_back({request.name, request.directory, "", 0});
  const auto answers = launcher_->submit({&request, 1}, soon());
  EXPECT_EQ(answers.size(), 1u);
  if (!answers[0]) {
    ADD_FAILURE() << answers[0].error().message;
    return {};
  }
  submitted_.back() = *answers[0];
  return *answers[0];
}

Observation Contract::observe(const JobRef& job) {
  const auto seen = launcher_->observe({&job, 1}, soon());
  if (!seen || seen->size() != 1) {
    ADD_FAILURE() << (seen ? "not one answer" : seen.error().message);
    return {};
  }
  return seen->at(0);
}

void Contract::wait_a_moment() {
  const Nanoseconds interval = launcher_->capabilities().poll_interval;
  ASSERT_TRUE(poller_->wait(std::min(interval, 20 * kMillisecond)));
}

Observation Contract::wait_until_started(const JobRef& job) {
  const Nanoseconds until = system_clock().steady() + kPatience;
  Observation seen = observe(job);
  while (seen.state == AllocationState::queued && system_clock().steady() < until) {
    wait_a_moment();
    seen = observe(job);
  }
  return seen;
}

Observation Contract::wait_until_ended(const JobRef& job) {
  const Nanoseconds until = system_clock().steady() + kPatience;
  Observation seen = observe(job);
  while (seen.state == AllocationState::queued || seen.state == AllocationState::running) {
    if (system_clock().steady() > until) {
      ADD_FAILURE() << job.name << " does not end";
      break;
    }
    wait_a_moment();
    seen = observe(job);
  }
  return seen;
}

void Contract::wait_until_begun(const JobRef& job, std::size_t step) {
  const Nanoseconds until = system_clock().steady() + kPatience;
  while (system_clock().steady() < until) {
    const Artifacts artifacts = collect(job);
    ASSERT_LT(step, artifacts.steps.size());
    const bool marked = !GetParam().executes || executions(artifacts.steps[step].attempt) > 0;
    if (artifacts.steps[step].begun && marked) return;
    observe(job);
    wait_a_moment();
  }
  FAIL() << job.name << ": step " << step + 1 << " does not begin";
}

Artifacts Contract::collect(const JobRef& job) {
  auto artifacts = launcher_->collect(job, soon());
  if (!artifacts) {
    ADD_FAILURE() << artifacts.error().message;
    return {};
  }
  return *artifacts;
}

int Contract::executions(const std::string& attempt) const {
  std::ifstream marks(folder_ + "/" + attempt + ".marks");
  int count = 0;
  for (std::string line; std::getline(marks, line);) ++count;
  return count;
}

Deadline Contract::soon() const {
  return system_clock().steady() + kPatience / 2;
}

record::Records parsed(const StepArtifacts& step) {
  return record::parse(step.records);
}

std::string outcome_of(const StepArtifacts& step) {
  const auto records = parsed(step);
  return records.end ? records.end->outcome : "no end record";
}

}  // namespace kneepoint::contract
