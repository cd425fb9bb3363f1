// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

std::set<std::int64_t> living;
bool is_living(const Lease& holder) {
  return living.contains(holder.pid);
}

class LeaseTest : public StoreTest {
 protected:
  void SetUp() override {
    living = {100, 200};
    store_ = open();
    other_ = open();
    study_ = create(*store_).row;
  }
  const Lease mine_{"node1", 100, 0}, neighbour_{"node1", 200, 0}, stranger_{"node2", 300, 0};
  std::unique_ptr<StudyStore> store_, other_;
  RowId study_ = 0;
};

TEST_F(LeaseTest, IsHeldRenewedAndReleased) {
  EXPECT_FALSE(store_->lease(study_).value().has_value());
  ASSERT_TRUE(store_->acquire_lease(study_, mine_, is_living));
  EXPECT_EQ(other_->lease(study_).value()->host, "node1");
  EXPECT_EQ(other_->lease(study_).value()->pid, 100);
  EXPECT_EQ(other_->lease(study_).value()->heartbeat_ns, clock_.wall());
  clock_.advance(10 * kSecond);
  ASSERT_TRUE(store_->renew_lease(study_, mine_));
  EXPECT_EQ(other_->lease(study_).value()->heartbeat_ns, clock_.wall());
  ASSERT_TRUE(store_->release_lease(study_));
  EXPECT_FALSE(other_->lease(study_).value().has_value());
  EXPECT_TRUE(other_->acquire_lease(study_, neighbour_, is_living).has_value());
}

TEST_F(LeaseTest, ALivingProcessOnThisHostKeepsItHoweverOldItsHeartbeat) {
  ASSERT_TRUE(store_->acquire_lease(study_, mine_, is_living));
  clock_.advance(2 * kHour);  // stopped by a debugger, say
  auto refused = other_->acquire_lease(study_, neighbour_, is_living);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
  EXPECT_EQ(refused.error().message,
            "study jacobi-0a1b2c3d-1 is being run by process 100 on host node1, last seen " +
                to_duration_text(2 * kHour) +
                " ago; follow it with `kneepoint watch jacobi-0a1b2c3d-1`, or stop it with "
                "`kneepoint cancel jacobi-0a1b2c3d-1`");
}

TEST_F(LeaseTest, ADeadProcessOnThisHostLosesItAtOnce) {
  ASSERT_TRUE(store_->acquire_lease(study_, mine_, is_living));
  living.erase(100);
  ASSERT_TRUE(other_->acquire_lease(study_, neighbour_, is_living));
  EXPECT_EQ(other_->lease(study_).value()->pid, 200);
  const auto events = other_->events(study_, 0).value();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].text, "taken over from process 100 on host node1, which is gone");
}

TEST_F(LeaseTest, AProcessOnAnotherHostIsGivenAMinute) {
  living.insert(300);  // pids of another host mean nothing here
  ASSERT_TRUE(store_->acquire_lease(study_, stranger_, is_living));
  clock_.advance(60 * kSecond);
  EXPECT_EQ(other_->acquire_lease(study_, mine_, is_living).error().code, ErrorCode::conflict);
  clock_.advance(1);
  EXPECT_TRUE(other_->acquire_lease(study_, mine_, is_living).has_value());
}

TEST_F(LeaseTest, AHeartbeatFromTheFutureIsFresh) {
  ASSERT_TRUE(store_->acquire_lease(study_, stranger_, is_living));
  clock_.advance(-5 * kMinute);  // the other host's clock is ahead
  auto refused = other_->acquire_lease(study_, mine_, is_living);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("last seen " + to_duration_text(0)), std::string::npos)
      << refused.error().message;
}

TEST_F(LeaseTest, TheHolderMayAcquireItAgain) {
  ASSERT_TRUE(store_->acquire_lease(study_, mine_, is_living));
  EXPECT_TRUE(store_->acquire_lease(study_, mine_, is_living).has_value());
  EXPECT_TRUE(store_->events(study_, 0).value().empty());
}

TEST_F(LeaseTest, WhoLostItIsToldAndCantTakeItAway) {
  ASSERT_TRUE(store_->acquire_lease(study_, mine_, is_living));
  living.erase(100);
  ASSERT_TRUE(other_->acquire_lease(study_, neighbour_, is_living));
  auto renewed = store_->renew_lease(study_, mine_);
  ASSERT_FALSE(renewed.has_value());
  EXPECT_EQ(renewed.error().code, ErrorCode::conflict);
  EXPECT_EQ(renewed.error().message,
            "the lease was taken over by process 200 on host node1; stop writing");
  ASSERT_TRUE(store_->release_lease(study_));
  EXPECT_EQ(store_->lease(study_).value()->pid, 200);
}

TEST_F(LeaseTest, IsPerStudy) {
  const RowId second = create(*store_, "second").row;
  ASSERT_TRUE(store_->acquire_lease(study_, mine_, is_living));
  EXPECT_TRUE(other_->acquire_lease(second, neighbour_, is_living).has_value());
  EXPECT_EQ(store_->acquire_lease(999, mine_, is_living).error().code, ErrorCode::not_found);
}

TEST_F(LeaseTest, OfADeletedStudyIsGone) {
  ASSERT_TRUE(store_->acquire_lease(study_, mine_, is_living));
  ASSERT_TRUE(other_->delete_study(study_));
  EXPECT_EQ(store_->renew_lease(study_, mine_).error().code, ErrorCode::conflict);
  EXPECT_TRUE(store_->release_lease(study_).has_value());
}

TEST_F(LeaseTest, ARequestIsTakenOnceHoweverOftenItWasMade) {
  EXPECT_TRUE(store_->take_requests(study_).value().empty());
  ASSERT_TRUE(other_->put_request(study_, RequestKind::cancel));
  ASSERT_TRUE(other_->put_request(study_, RequestKind::cancel));
  const auto taken = store_->take_requests(study_).value();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0], RequestKind::cancel);
  EXPECT_TRUE(store_->take_requests(study_).value().empty());
  ASSERT_TRUE(other_->put_request(study_, RequestKind::cancel));
  EXPECT_EQ(store_->take_requests(study_).value().size(), 1U);
  EXPECT_EQ(other_->put_request(999, RequestKind::cancel).error().code, ErrorCode::not_found);
}

TEST_F(LeaseTest, IsNotRenewedInAFileThatWasRemovedOrReplaced) {
  ASSERT_TRUE(store_->acquire_lease(study_, mine_, is_living));
  ASSERT_TRUE(store_->renew_lease(study_, mine_));
  std::filesystem::rename(path(), path() + ".away");
  auto refused = store_->renew_lease(study_, mine_);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::corrupt);
  std::filesystem::rename(path() + ".away", path());
  EXPECT_TRUE(store_->renew_lease(study_, mine_));
}

}  // namespace
}  // namespace kneepoint
