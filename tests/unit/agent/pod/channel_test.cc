// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdlib>

#include "agents/agent/pod/link.h"
#include "agents/agent/pod/pod.h"

namespace kneepoint::agent {
namespace {

const std::string kKey(32, 'k');

struct Pair {
  explicit Pair(const std::string& peer_key = kKey, const std::string& peer_name = "j-1.j")
      : leader(Channel::Side::leader, kKey, "j-1.j"),
        peer(Channel::Side::peer, peer_key, peer_name) {}

  static void carry(Channel& from, Channel& to) { to.take(std::exchange(from.to_send(), "")); }
  void greet() {
    carry(leader, peer);
    carry(peer, leader);
    carry(leader, peer);
  }

  Channel leader;
  Channel peer;
};

TEST(Hmac, IsThatOfRfc4231) {
  EXPECT_EQ(hmac_sha256(std::string(20, '\x0b'), "Hi There"),
            bytes_of_hex("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"));
  EXPECT_EQ(hmac_sha256("Jefe", "what do ya want for nothing?"),
            bytes_of_hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"));
  EXPECT_EQ(hmac_sha256(std::string(131, '\xaa'),
                        "Test Using Larger Than Block-Size Key - Hash Key First"),
            bytes_of_hex("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"));
}

TEST(PodKey, HexIsReadOrRefused) {
  EXPECT_EQ(bytes_of_hex("00fFa1"), std::string("\0\xff\xa1", 3));
  EXPECT_EQ(bytes_of_hex("0"), "");
  EXPECT_EQ(bytes_of_hex("0g"), "");
}

TEST(PodKey, ATakenVariableIsGoneFromWhereOthersCouldReadIt) {
  char entry[] = "KP_TEST_SECRET=swordfish";
  putenv(entry);  // the environment has this very array
  EXPECT_EQ(take_variable("KP_TEST_SECRET"), "swordfish");
  EXPECT_EQ(getenv("KP_TEST_SECRET"), nullptr);
  EXPECT_EQ(std::string(entry + 15, 9), std::string(9, '\0'));
}

TEST(PodChannel, TwoThatKnowTheKeyTalkInBothDirections) {
  Pair pair;
  pair.greet();
  ASSERT_TRUE(pair.leader.is_open());
  ASSERT_TRUE(pair.peer.is_open());
  pair.leader.send({'R', "one"});
  pair.leader.send({'K', std::string("\0\1", 2)});
  pair.peer.send({'X', ""});
  Pair::carry(pair.leader, pair.peer);
  Pair::carry(pair.peer, pair.leader);
  const auto first = pair.peer.next();
  const auto second = pair.peer.next();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->type, 'R');
  EXPECT_EQ(first->payload, "one");
  EXPECT_EQ(second->payload, std::string("\0\1", 2));
  EXPECT_FALSE(pair.peer.next());
  EXPECT_EQ(pair.leader.next()->type, 'X');
}

TEST(PodChannel, BytesMayComeOneByOne) {
  Pair pair;
  for (int round = 0; round < 3; ++round) {
    for (const char c : std::exchange(pair.leader.to_send(), "")) pair.peer.take({&c, 1});
    for (const char c : std::exchange(pair.peer.to_send(), "")) pair.leader.take({&c, 1});
  }
  ASSERT_TRUE(pair.leader.is_open() && pair.peer.is_open());
  pair.leader.send({'R', "text"});
  for (const char c : std::exchange(pair.leader.to_send(), "")) pair.peer.take({&c, 1});
  EXPECT_EQ(pair.peer.next()->payload, "text");
}

TEST(PodChannel, AnotherKeyIsRefusedByBothSides) {
  Pair pair(std::string(32, 'x'));
  pair.greet();
  EXPECT_TRUE(pair.leader.has_failed());
  EXPECT_FALSE(pair.peer.is_open());
  EXPECT_EQ(pair.leader.problem(), "it does not know the allocation's key");

  Channel peer(Channel::Side::peer, kKey, "j-1.j");
  Channel good(Channel::Side::leader, kKey, "j-1.j");
  peer.take(std::exchange(good.to_send(), ""));
  peer.take(std::string(kMacBytes, 'p'));
  EXPECT_TRUE(peer.has_failed());
}

TEST(PodChannel, AnotherPodIsNotTakenForTheOneThatWasMeant) {
  Pair pair(kKey, "j-2.j");
  pair.greet();
  EXPECT_TRUE(pair.leader.has_failed());
}

TEST(PodChannel, AProofOfAnotherConnectionProvesNothing) {
  Pair first;
  Pair::carry(first.leader, first.peer);
  Pair::carry(first.peer, first.leader);
  const std::string proof = first.leader.to_send();
  Pair second;
  Pair::carry(second.leader, second.peer);
  second.peer.take(proof);
  EXPECT_TRUE(second.peer.has_failed());
}

TEST(PodChannel, AGreetingSentBackIsNoGreeting) {
  Channel leader(Channel::Side::leader, kKey, "j-1.j");
  const std::string hello = leader.to_send();
  leader.take(hello + std::string(kMacBytes, '\0'));
  EXPECT_TRUE(leader.has_failed());
}

TEST(PodChannel, AChangedByteAnywhereClosesIt) {
  for (std::size_t at = 0; at < 4 + 1 + 3 + kMacBytes; ++at) {
    Pair pair;
    pair.greet();
    pair.leader.send({'R', "abc"});
    std::string bytes = std::exchange(pair.leader.to_send(), "");
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    pair.peer.take(bytes + std::string(200, 'z'));
    EXPECT_FALSE(pair.peer.next() && at != 3) << at;
    EXPECT_FALSE(pair.peer.is_open() && at > 3) << at;
  }
}

TEST(PodChannel, AMessageAgainOrOneLeftOutClosesIt) {
  Pair pair;
  pair.greet();
  pair.leader.send({'R', "abc"});
  const std::string once = std::exchange(pair.leader.to_send(), "");
  pair.peer.take(once);
  EXPECT_TRUE(pair.peer.next());
  pair.peer.take(once);
  EXPECT_FALSE(pair.peer.next());
  EXPECT_TRUE(pair.peer.has_failed());

  Pair other;
  other.greet();
  other.leader.send({'R', "one"});
  other.leader.to_send().clear();
  other.leader.send({'R', "two"});
  Pair::carry(other.leader, other.peer);
  EXPECT_FALSE(other.peer.next());
  EXPECT_TRUE(other.peer.has_failed());
}

TEST(PodChannel, AMessageSentBackClosesIt) {
  Pair pair;
  pair.greet();
  pair.leader.send({'R', "abc"});
  pair.leader.take(std::exchange(pair.leader.to_send(), ""));
  EXPECT_FALSE(pair.leader.next());
  EXPECT_TRUE(pair.leader.has_failed());
}

TEST(PodChannel, NothingIsKeptForStrangersAndImpossibleLengths) {
  Channel peer(Channel::Side::peer, kKey, "j-1.j");
  peer.take("GET / HTTP/1.1\r\n");
  EXPECT_TRUE(peer.has_failed());

  Pair pair;
  pair.greet();
  pair.peer.take("\xff\xff\xff\xff");
  EXPECT_FALSE(pair.peer.next());
  EXPECT_TRUE(pair.peer.has_failed());
}

TEST(PodWire, MessagesComeOutOfPiecesAndEndsKeepTheirKind) {
  MessageReader reader;
  const std::string bytes = encoded({'O', "xyz"}) + encoded({'H', ""});
  for (const char c : bytes) reader.take({&c, 1});
  EXPECT_EQ(reader.next()->payload, "xyz");
  EXPECT_EQ(reader.next()->type, 'H');
  EXPECT_FALSE(reader.next());
  reader.take(std::string(4, '\0'));
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.is_broken());

  using Kind = ProcessEnd::Kind;
  EXPECT_EQ(decoded_end(encoded(ProcessEnd{Kind::exited, 200, ""})).exit_code(), 200);
  EXPECT_EQ(decoded_end(encoded(ProcessEnd{Kind::signalled, 9, ""})).exit_code(), 137);
  const auto refused = decoded_end(encoded(ProcessEnd{Kind::not_started, 0, "no sh"}));
  EXPECT_EQ(refused.exit_code(), 127);
  EXPECT_EQ(refused.text, "no sh");
  EXPECT_EQ(decoded_end("").exit_code(), 255);
}

TEST(PodSettings, HostNamesOfTheJobMeanItsPods) {
  EXPECT_EQ(pod_index("j-0.j", "j"), 0);
  EXPECT_EQ(pod_index("j-12", "j"), 12);
  EXPECT_EQ(pod_index("j-3.j.ns.svc.cluster.local", "j"), 3);
  EXPECT_EQ(pod_index("j-3x.j", "j"), -1);
  EXPECT_EQ(pod_index("k-3.k", "j"), -1);
  EXPECT_EQ(pod_index("j-", "j"), -1);
  EXPECT_EQ(pod_index("j--1", "j"), -1);
  EXPECT_EQ(pod_index("-1", ""), -1);
}

}  // namespace
}  // namespace kneepoint::agent
