// SPDX-License-Identifier: Apache-2.0
//
// A watch is a line of JSON for each change, written by curl to a file that is read as it grows.
#include "tests/kubernetes/kube_place.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <sstream>

#include "orchestrator/io/subprocess.h"

namespace kneepoint::testing_support {

using nlohmann::json;

KubePlace::KubePlace(bool needs_node) : lab("lab", needs_node) {}

KubePlace::~KubePlace() {
  go();  // whatever still waits may end
  if (testing::Test::HasFailure()) tell_stories();
}

std::string KubePlace::site(const std::string& more) const {
  return write("site.yaml", lab.site_text(path(), more));
}

KubeRecord::KubeRecord(const KubePlace& place) : place_(place) {
  const std::string pki = place.lab.folder() + "/pki/";
  for (const auto& [file, path] : {std::pair{"watch-jobs", place.lab.jobs()},
                                   std::pair{"watch-pods", place.lab.core("pods")}}) {
    SpawnOptions options;
    options.argv = {"curl",
                    "-sSN",
                    "--cacert",
                    pki + "ca.crt",
                    "--cert",
                    pki + "admin.crt",
                    "--key",
                    pki + "admin.key",
                    place.lab.server() + path + "?watch=1"};
    options.output_path = place.path() + "/" + file;
    const auto pid = spawn(options);
    EXPECT_TRUE(pid) << pid.error().message;
    if (pid) watches_.push_back(*pid);
  }
}

KubeRecord::~KubeRecord() {
  for (const pid_t pid : watches_) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
}

void KubeRecord::read_jobs(std::map<std::string, Job>& jobs,
                           std::map<std::string, std::string>& names) const {
  std::istringstream lines(place_.read("watch-jobs"));
  for (std::string line; std::getline(lines, line);) {
    const json event = json::parse(line, nullptr, false);
    if (event.is_discarded() || !event.contains("object")) continue;  // not whole yet
    const json& object = event.at("object");
    const json& metadata = object.at("metadata");
    const std::string name = metadata.at("name").get<std::string>();
    const std::string allocation =
        metadata.value("annotations", json::object()).value("kneepoint.io/allocation", name);
    names[name] = allocation;
    Job& job = jobs[allocation];
    job.name = name;
    job.uids.insert(metadata.at("uid").get<std::string>());
    job.deleted = event.at("type") == "DELETED";
    for (const json& condition :
         object.value("status", json::object()).value("conditions", json::array())) {
      if (condition.value("status", "") != "True") continue;
      job.complete = job.complete || condition.value("type", "") == "Complete";
      job.failed = job.failed || condition.value("type", "") == "Failed";
    }
  }
}

std::map<std::string, KubeRecord::Job> KubeRecord::jobs() const {
  std::map<std::string, Job> jobs;
  std::map<std::string, std::string> names;
  read_jobs(jobs, names);
  std::istringstream lines(place_.read("watch-pods"));
  for (std::string line; std::getline(lines, line);) {
    const json event = json::parse(line, nullptr, false);
    if (event.is_discarded() || !event.contains("object")) continue;
    const json& metadata = event.at("object").at("metadata");
    const std::string name = metadata.value("labels", json::object()).value("job-name", "");
    const auto job = names.find(name);
    if (job == names.end()) continue;
    const json status = event.at("object").value("status", json::object());
    const int index = std::stoi(
        metadata.at("annotations").value("batch.kubernetes.io/job-completion-index", "-1"));
    if (status.contains("podIP"))
      jobs[job->second].addresses[index] = status.at("podIP").get<std::string>();
    const std::string node = event.at("object").at("spec").value("nodeName", "");
    if (!node.empty()) jobs[job->second].nodes.insert(node);
  }
  return jobs;
}

bool KubeRecord::all_deleted() const {
  for (const auto& [name, job] : jobs()) {
    if (!job.deleted) return false;
  }
  return true;
}

void equals_the_record(const KubePlace& place, const KubeRecord& record, int runs) {
  std::map<std::string, json> told;
  std::string events;
  for (int run = 1; run <= runs; ++run) {
    const json story = place.story(run);
    ASSERT_TRUE(story.contains("attempts")) << "run " << run;
    int succeeded = 0;
    for (const json& attempt : story.at("attempts")) {
      told[attempt.at("allocation").get<std::string>()] = attempt;
      const bool good = attempt.at("state") == "succeeded";
      succeeded += good ? 1 : 0;
      EXPECT_TRUE(good || !attempt.at("sentence").get<std::string>().empty()) << attempt.dump(2);
    }
    EXPECT_EQ(succeeded, 1) << "run " << run << ": " << story.dump(2);
    for (const json& event : story.at("events")) {
      events += event.at("text").get<std::string>() + "\n";
    }
  }
  EXPECT_TRUE(comes_true([&] { return record.all_deleted(); }, 60));
  const auto jobs = record.jobs();
  for (const auto& [name, attempt] : told) {
    const auto job = jobs.find(name);
    ASSERT_NE(job, jobs.end()) << name << " is not on the API server's record";
    if (attempt.at("state") != "succeeded") continue;
    EXPECT_TRUE(job->second.complete) << name;
    ASSERT_EQ(job->second.nodes.size(), 1u) << name;
    EXPECT_EQ(attempt.at("nodes").get<std::string>(), *job->second.nodes.begin()) << name;
  }
  const auto reported = place.reported();
  EXPECT_EQ(reported.size(), static_cast<std::size_t>(runs));
  for (const auto& [run, shown] : reported) {
    const auto job = jobs.find(shown.allocation);
    ASSERT_NE(job, jobs.end()) << "run " << run << " of the report";
    EXPECT_EQ(shown.state, "succeeded") << run;
    EXPECT_TRUE(job->second.complete) << run;
    EXPECT_EQ(shown.nodes, *job->second.nodes.begin()) << run;
  }
  for (const auto& [name, job] : jobs) {
    EXPECT_EQ(job.uids.size(), 1u) << name << " was made twice";
    EXPECT_TRUE(has(events, name)) << name << " is on record, but no run tells of it";
  }
  EXPECT_TRUE(place.lab.is_swept()) << place.lab.leftovers();
}

}  // namespace kneepoint::testing_support
