// SPDX-License-Identifier: Apache-2.0
//
// curl is not our own client on purpose: what it tells is another's word.
#include "tests/kubernetes/kube_lab.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "orchestrator/plan/site/kubeconfig.h"
#include "tests/fakes/cluster_place.h"

namespace kneepoint::testing_support {
namespace {

using nlohmann::json;

constexpr char kImage[] = "kneepoint.test/worker:1";
// A share of the node's few cores, and no ceiling: pods of tests do next to nothing.
constexpr char kPatch[] =
    R"({"containers":[{"name":"agent","resources":{"requests":{"cpu":"10m"},"limits":{"cpu":null}}}]})";

std::string read_text(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

KubeLab::KubeLab(const std::string& cluster, bool needs_node)
    : folder_(KP_KUBE_FOLDER "/" + cluster) {
  const std::string why = first_line(read_text(folder_ + "/why"));
  const std::string settings = read_text(folder_ + "/settings");
  if (settings.empty()) {
    missing_ = why.empty() ? "no cluster was started in " + folder_ : why;
  } else if (needs_node && !has(settings, "node=1")) {
    missing_ = why;
  }
  if (!missing_.empty()) return;
  const std::size_t port = settings.find("port=") + 5;
  server_ = "https://127.0.0.1:" + settings.substr(port, settings.find(' ', port) - port);
  make_name_space();
}

void KubeLab::make_name_space() {
  static int made = 0;
  name_space_ = "t" + std::to_string(::getpid()) + "-" + std::to_string(++made);
  const Answer answer =
      call("POST", "/api/v1/namespaces",
           {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name_space_}}}});
  EXPECT_EQ(answer.status, 201) << answer.body.dump();
  // Without it no pod is made. A control plane may be an API server alone, where nobody makes it;
  // else whoever comes first does.
  const Answer account =
      call("POST", core("serviceaccounts"), {{"metadata", {{"name", "default"}}}});
  EXPECT_TRUE(account.status == 201 || account.status == 409) << account.body.dump();
}

KubeLab::~KubeLab() {
  if (!missing_.empty()) return;
  if (testing::Test::HasFailure()) {
    std::cout << "\n==== what the cluster knows of this failure ====\n" << leftovers();
    for (const json& event : items(core("events"))) {
      std::cout << event["involvedObject"].value("name", "") << ": " << event.value("reason", "")
                << ": " << event.value("message", "") << "\n";
    }
    cluster("logs");
  }
  call("DELETE", "/api/v1/namespaces/" + name_space_);
}

int KubeLab::cluster(const std::string& command, const std::vector<std::string>& arguments) const {
  std::vector<std::string> argv = {KP_SOURCE_DIR "/tests/kubernetes/cluster", command, folder_};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const ProgramOutput told = run_program(argv, 600);
  std::cout << told.output << told.errors;
  return told.exit_code;
}

std::vector<std::string> KubeLab::curl(const std::string& token) const {
  std::vector<std::string> argv = {"curl", "-sS",      "--max-time",
                                   "30",   "--cacert", folder_ + "/pki/ca.crt"};
  if (token.empty()) {
    argv.insert(argv.end(),
                {"--cert", folder_ + "/pki/admin.crt", "--key", folder_ + "/pki/admin.key"});
  } else {
    argv.insert(argv.end(), {"-H", "Authorization: Bearer " + token});
  }
  return argv;
}

KubeLab::Answer KubeLab::call(const std::string& method, const std::string& path, const json& body,
                              const std::string& token) const {
  std::vector<std::string> argv = curl(token);
  argv.insert(argv.end(), {"-X", method, "-w", "\n%{http_code}"});
  if (!body.is_null()) {
    argv.insert(argv.end(), {"-H", "Content-Type: application/json", "-d", body.dump()});
  }
  argv.push_back(server_ + path);
  const ProgramOutput told = run_program(argv, 60);
  Answer answer;
  const std::size_t end = told.output.rfind('\n');
  if (end == std::string::npos) return answer;
  answer.status = std::atoi(told.output.c_str() + end + 1);
  answer.body = json::parse(told.output.substr(0, end), nullptr, false);
  return answer;
}

std::string KubeLab::text(const std::string& path) const {
  std::vector<std::string> argv = curl("");
  argv.push_back(server_ + path);
  return run_program(argv, 60).output;
}

std::string KubeLab::jobs(const std::string& rest) const {
  return "/apis/batch/v1/namespaces/" + name_space_ + "/jobs" + rest;
}

std::string KubeLab::core(const std::string& rest) const {
  return "/api/v1/namespaces/" + name_space_ + "/" + rest;
}

json KubeLab::items(const std::string& path) const {
  const Answer answer = call("GET", path);
  return answer.status == 200 ? answer.body.at("items") : json::array();
}

std::string KubeLab::leftovers() const {
  std::string names;
  for (const std::string& path : {jobs(), core("services"), core("pods")}) {
    const Answer answer = call("GET", path);
    if (answer.status != 200) return path + ": no answer\n";
    for (const json& item : answer.body.at("items")) {
      names += path + "/" + item.at("metadata").at("name").get<std::string>() + "\n";
    }
  }
  return names;
}

bool KubeLab::is_swept() const {
  return comes_true([&] { return leftovers().empty(); }, 120);
}

pid_t KubeLab::agent_of(const std::string& job) const {
  const json pods = items(core("pods?labelSelector=job-name%3D" + job));
  if (pods.empty()) return 0;
  const std::string uid = pods[0].at("metadata").at("uid").get<std::string>();
  pid_t found = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0 || (found != 0 && pid > found)) continue;
    const std::string line = read_text(entry.path().string() + "/cmdline");
    if (!has(line, std::string("kneepoint-agent\0pod", 19))) continue;
    if (has(read_text(entry.path().string() + "/cgroup"), uid)) found = pid;
  }
  return found;
}

void KubeLab::describe(Site& site, const std::string& shared) const {
  KubernetesSite& kubernetes = site.kubernetes;
  site.backend = BackendKind::kubernetes;
  kubernetes.kubeconfig = kubeconfig();
  kubernetes.name_space = name_space_;
  kubernetes.image = kImage;
  kubernetes.one_pod_per_node = false;  // there is one
  kubernetes.pod_patch = kPatch;
  const auto access = kube_access(kube_access_places(kubernetes), "");
  if (!access) {
    ADD_FAILURE() << access.error().message;
    return;
  }
  kubernetes.access = *access;
  // Pods write there as another user.
  ::chmod(shared.c_str(), 0777);
  KubeVolume volume;
  volume.name = "shared";
  volume.mount = shared;
  volume.source = json{{"hostPath", {{"path", shared}}}}.dump();
  kubernetes.volumes.push_back(volume);
}

std::string KubeLab::site_text(const std::string& shared, const std::string& more) const {
  ::chmod(shared.c_str(), 0777);
  return "name: lab\nbackend: kubernetes\nwork_dir: " + shared +
         "/work\nkubernetes:\n  kubeconfig: " + kubeconfig() + "\n  namespace: " + name_space_ +
         "\n  image: " + kImage + "\n  one_pod_per_node: false\n  pod: " + kPatch +
         "\n  volumes: [{name: shared, mount: " + shared + ", source: {hostPath: {path: " + shared +
         "}}}]\n" + more;
}

}  // namespace kneepoint::testing_support
