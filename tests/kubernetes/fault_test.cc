// SPDX-License-Identifier: Apache-2.0
//
// What happens to clusters: `kneepoint run` on a real one that is hurt meanwhile. A test that hurts
// it heals it again, and nobody else uses it until then.
#include "tests/kubernetes/kube_account.h"
#include "tests/kubernetes/kube_fault.h"

namespace kneepoint {
namespace {

using testing_support::comes_true;
using testing_support::has;

class KubeFaultSlow : public KubeFault {};

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
  ASSERT_EQ(place.lab.cluster("cut"), 0);
  EXPECT_FALSE(place.ended_within(pid_, 1'000'000));
  ASSERT_EQ(place.lab.cluster("cut"), 0);
  place.go();
  finish_well({{"r1-a1", 1}, {"r2-a1", 1}});
}

TEST_F(KubeFault, ATokenThatExpiresInMidStudyIsReadAgainFromItsFile) {
  testing_support::KubeAccount account(place);
  std::string text = place.read("site.yaml");
  const std::string admin = place.lab.kubeconfig();
  text.replace(text.find(admin), admin.size(), account.kubeconfig());
  site_ = place.write("site.yaml", text);
  start_and_wait(2);
  account.expire();
  ASSERT_EQ(place.lab.cluster("cut"), 0);  // an open watch outlives its token
  place.go();
  EXPECT_TRUE(comes_true([&] { return has(errors(), "(401)"); }, 120)) << errors();
  account.renew();
  finish_well({{"r1-a1", 1}, {"r2-a1", 1}});
  EXPECT_TRUE(has(errors(), "it answers again after ")) << errors();
}

TEST_F(KubeFaultSlow, AnEtcdThatStandsStillForTwentySecondsIsWaitedFor) {
  start_and_wait(2);
  ASSERT_EQ(place.lab.cluster("signal", {"etcd", "STOP"}), 0);
  place.go();
  EXPECT_FALSE(place.ended_within(pid_, 20'000'000)) << "it gave up";
  ASSERT_EQ(place.lab.cluster("signal", {"etcd", "CONT"}), 0);
  finish_well({{"r1-a1", 1}, {"r2-a1", 1}});
}

}  // namespace
}  // namespace kneepoint
