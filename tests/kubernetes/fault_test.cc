// SPDX-License-Identifier: Apache-2.0
//
// What happens to clusters: `kneepoint run` on a real one that is hurt meanwhile. A test that hurts
// it heals it again, and nobody else uses it until then.
#include <fstream>
#include <sstream>

#include "tests/kubernetes/kube_account.h"
#include "tests/kubernetes/kube_fault.h"

namespace kneepoint {
namespace {

using testing_support::comes_true;
using testing_support::has;

class KubeFaultSlow : public KubeFault {};

class KubeRightsFault : public KubeFault {
 protected:
  // The site is that of this account from now on.
  void be(const testing_support::KubeAccount& account) {
    std::string text = place.read("site.yaml");
    const std::string admin = place.lab.kubeconfig();
    text.replace(text.find(admin), admin.size(), account.kubeconfig());
    site_ = place.write("site.yaml", text);
  }
};

TEST_F(KubeFault, AnApiServerThatIsKilledAndStartedAgainIsWaitedFor) {
  start_and_wait(2);
  ASSERT_EQ(place.lab.cluster("stop", {"kube-apiserver", "KILL"}), 0);
  place.go();  // the pods end while nobody can say so
  EXPECT_TRUE(comes_true([&] { return !errors().empty(); }, 60)) << "nothing was said of it";
  EXPECT_FALSE(place.ended_within(pid_, 1'000'000)) << "it gave up";
  ASSERT_EQ(place.lab.cluster("start", {"kube-apiserver"}), 0);
  finish_well({{"r1-a1", 1}, {"r2-a1", 1}});
  EXPECT_TRUE(has(errors(), "it answers again after ")) << errors();
}

TEST_F(KubeFault, ConnectionsThatAreCutAreMadeAgain) {
  start_and_wait(2);
  // It says whether there was one to cut; the second time it must have been made again.
  const auto cut = [&] { return place.lab.cluster("cut") == 0; };
  ASSERT_TRUE(comes_true(cut, 60)) << "there is no connection";
  EXPECT_FALSE(place.ended_within(pid_, 1'000'000));
  ASSERT_TRUE(comes_true(cut, 60)) << "no connection was made again: " << errors();
  place.go();
  finish_well({{"r1-a1", 1}, {"r2-a1", 1}});
}

TEST_F(KubeRightsFault, ATokenThatExpiresInMidStudyIsReadAgainFromItsFile) {
  testing_support::KubeAccount account(place);
  be(account);
  start_and_wait(2);
  account.expire();
  // An open watch outlives its token.
  ASSERT_TRUE(comes_true([&] { return place.lab.cluster("cut") == 0; }, 60));
  place.go();
  EXPECT_TRUE(comes_true([&] { return has(errors(), "(401)"); }, 120)) << errors();
  account.renew();
  finish_well({{"r1-a1", 1}, {"r2-a1", 1}});
  EXPECT_TRUE(has(errors(), "it answers again after ")) << errors();
}

TEST_F(KubeRightsFault, ARightThatIsTakenAwayInMidStudyIsNamedAndWaitedFor) {
  const testing_support::KubeAccount account(place);
  be(account);
  start(2, 1);
  ASSERT_TRUE(comes_true([&] { return place.executions().size() == 1; }, 120)) << errors();
  account.lose("jobs", "create");
  place.go();  // the first run ends, the second can't be handed over
  const std::string told =
      "create jobs in namespace " + place.lab.name_space() + ": not allowed (403)";
  EXPECT_TRUE(comes_true([&] { return has(errors(), told); }, 120)) << errors();
  EXPECT_TRUE(has(errors(), "its Role lacks the verb create on jobs")) << errors();
  EXPECT_EQ(state(1, 1), "succeeded");
  EXPECT_EQ(state(1, 2), "submitting");
  account.regain();
  finish_well({{"r1-a1", 1}, {"r2-a1", 1}});
  EXPECT_TRUE(has(errors(), "it answers again after ")) << errors();
}

TEST_F(KubeRightsFault, WithoutARightFromTheStartTheStudyStaysOpenAndNothingIsMade) {
  const testing_support::KubeAccount account(place);
  be(account);
  account.lose("jobs", "create");
  start(2);
  const auto ended = finish();
  EXPECT_EQ(ended.exit_code, 2) << ended.errors;
  EXPECT_TRUE(has(ended.errors, "its Role lacks the verb create on jobs")) << ended.errors;
  EXPECT_TRUE(place.executions().empty());
  EXPECT_EQ(place.lab.leftovers(), "");
  account.regain();
  place.go();
  const auto again = run_again();
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_EQ(place.executions(), (std::map<std::string, int>{{"r1-a1", 1}, {"r2-a1", 1}}));
  EXPECT_TRUE(place.lab.is_swept()) << place.lab.leftovers();
}

TEST_F(KubeFaultSlow, AnEtcdThatStandsStillForTwentySecondsIsWaitedFor) {
  start_and_wait(2);
  ASSERT_EQ(place.lab.cluster("signal", {"etcd", "STOP"}), 0);
  place.go();
  EXPECT_FALSE(place.ended_within(pid_, 20'000'000)) << "it gave up";
  ASSERT_EQ(place.lab.cluster("signal", {"etcd", "CONT"}), 0);
  finish_well({{"r1-a1", 1}, {"r2-a1", 1}});
}

TEST_F(KubeFaultSlow, AKubeletThatIsStartedAnewDoesNotEndTheLog) {
  const std::string here = place.path();
  const std::string plan = place.write(
      "plan.yaml",
      "study: followed\nworker: node\nscale: [1]\nmodes: [strong]\nworkloads:\n  - name: talk\n"
      "    command: [sh, -c, \"echo first; while [ ! -e " +
          here + "/go ]; do sleep 0.2; done; echo second; while [ ! -e " + here +
          "/enough ]; do sleep 0.2; done; echo t=0.1\"]\n    mpi: false\n"
          "    metrics: {time: {pattern: \"t=([0-9.]+)\", unit: s}}\nrepeat: 1\n"
          "limits: {timeout: 10m}\n");
  pid_ = place.start({"run", plan, "--site", site_});
  const auto is_heard = [&](const std::string& word) {
    const std::string folder = place.attempt().value("folder", "");
    std::ostringstream text;
    text << std::ifstream(folder + "/stdout.txt").rdbuf();
    return has(text.str(), word);
  };
  ASSERT_TRUE(comes_true([&] { return is_heard("first"); }, 120)) << errors();
  ASSERT_EQ(place.lab.cluster("stop", {"kubelet", "TERM"}), 0);
  ASSERT_EQ(place.lab.cluster("start", {"kubelet"}), 0);
  place.go();
  EXPECT_TRUE(comes_true([&] { return is_heard("second"); }, 120)) << errors();
  EXPECT_EQ(state(), "running") << "heard while it runs, not at its end";
  place.write("enough", "");
  const auto ended = finish();
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_TRUE(place.lab.is_swept()) << place.lab.leftovers();
}

}  // namespace
}  // namespace kneepoint
