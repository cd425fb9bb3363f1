// SPDX-License-Identifier: Apache-2.0
#include "agents/agent/pod/link.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

namespace kneepoint::agent {
namespace {

struct Ends {
  explicit Ends(const std::string& peer_key = "0123456789abcdef") {
    int fds[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
    leader.emplace(Fd(fds[0]), Channel(Channel::Side::leader, "0123456789abcdef", "j-1.j"), 0);
    peer.emplace(Fd(fds[1]), Channel(Channel::Side::peer, peer_key, "j-1.j"), 0);
  }
  void turn(Nanoseconds now) {
    for (int i = 0; i < 3; ++i) {
      leader->turn(now);
      peer->turn(now);
    }
  }

  std::optional<Link> leader;
  std::optional<Link> peer;
};

TEST(PodLink, OpensCarriesAndTellsOfTheOthersEnd) {
  Ends ends;
  ends.turn(0);
  ASSERT_TRUE(ends.leader->is_open() && ends.peer->is_open());
  ends.leader->send({'R', "hello"});
  ends.turn(1);
  EXPECT_EQ(ends.peer->next()->payload, "hello");
  ends.leader->send({'G', ""});
  ends.leader->turn(2);
  ends.leader.reset();
  ends.peer->turn(2);
  EXPECT_EQ(ends.peer->next()->type, 'G') << "what was sent before the end is still heard";
  EXPECT_FALSE(ends.peer->next());
  EXPECT_TRUE(ends.peer->is_closed());
  EXPECT_EQ(ends.peer->problem(), "the connection was closed");
}

TEST(PodLink, SignsOfLifeKeepItOpenAndSilenceEndsIt) {
  Ends ends;
  ends.turn(0);
  Nanoseconds now = 0;
  for (; now < 60 * kSecond; now += kSecond) {
    ends.turn(now);
    EXPECT_FALSE(ends.leader->next());
    EXPECT_FALSE(ends.peer->next());
  }
  EXPECT_TRUE(ends.leader->is_open() && ends.peer->is_open());
  const Nanoseconds silent_since = now;
  while (ends.leader->is_open() && now < silent_since + kMinute) {
    now += kSecond;
    ends.leader->turn(now);  // the peer is stopped
    EXPECT_FALSE(ends.leader->next());
  }
  EXPECT_LE(now - silent_since, kSilence + 3 * kSecond);
  EXPECT_EQ(ends.leader->problem(), "no sign of life for 8 s");
}

TEST(PodLink, OneThatWasItselfStoppedReadsBeforeItJudges) {
  Ends ends;
  ends.turn(0);
  for (Nanoseconds now = 0; now < 60 * kSecond; now += 2 * kSecond) ends.peer->turn(now);
  ends.leader->turn(60 * kSecond);
  EXPECT_FALSE(ends.leader->next());
  EXPECT_TRUE(ends.leader->is_open());
}

TEST(PodLink, AStrangerHasAFewSeconds) {
  Ends ends;
  ends.peer->turn(kGreetingLimit);
  EXPECT_FALSE(ends.peer->is_closed());
  ends.peer->turn(kGreetingLimit + 1);
  EXPECT_TRUE(ends.peer->is_closed());
}

TEST(PodLink, AWrongKeyIsAReason) {
  Ends ends("another key, too");
  ends.turn(0);
  EXPECT_TRUE(ends.leader->is_closed());
  EXPECT_EQ(ends.leader->problem(), "it does not know the allocation's key");
  EXPECT_TRUE(ends.peer->is_closed());
}

}  // namespace
}  // namespace kneepoint::agent
