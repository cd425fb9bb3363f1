// SPDX-License-Identifier: Apache-2.0
//
// The lists of fields are held against the structs: a member that is in no list would neither be
// written nor read, and nobody would miss it.
#include "agents/wire/fields.h"

#include <gtest/gtest.h>

#include "agents/wire/allocation.h"
#include "agents/wire/record.h"

namespace kneepoint::wire {
namespace {

// Becomes any member; an optional one is made of what it holds.
struct AnyValue {
  template <typename T>
  requires(!is_optional<T>) operator T() const;
};

template <typename T, typename... Values>
constexpr std::size_t count_members() {
  if constexpr (requires { T{Values{}..., AnyValue{}}; }) {
    return count_members<T, Values..., AnyValue>();
  } else {
    return sizeof...(Values);
  }
}

template <typename T>
constexpr std::size_t kListed = std::tuple_size_v<decltype(T::fields())>;

template <typename... T>
constexpr bool all_members_are_listed = ((count_members<T>() == kListed<T>)&&...);

static_assert(all_members_are_listed<AllocationFile, PushTarget, MetricSpec, InputSpec>);
static_assert(
    all_members_are_listed<record::Begin, record::Provenance, record::Sample, record::RankTotal,
                           record::Metric, record::RankProfile, record::Operation, record::Check,
                           record::Failure, record::Done, record::End>);
static_assert(count_members<StepSpec>() == kListed<StepSpec> + 1, "but node_names");

TEST(Fields, EveryMemberOfASanityRuleIsAFieldOfOneOfItsKinds) {
  using Kind = SanityRule::Kind;
  std::size_t listed = 1;  // the kind itself
  for (const Kind kind : {Kind::must_match, Kind::exit_codes, Kind::metric}) {
    SanityRule rule;
    rule.kind = kind;
    each_field(rule, [&](const auto&) { ++listed; });
  }
  EXPECT_EQ(listed, count_members<SanityRule>());
}

struct Example {
  int number = 3;
  std::string text;
  std::optional<std::string> bytes;

  static constexpr auto fields() {
    using T = Example;
    return std::tuple_cat(described(KP_NAMED(number)), sparse(KP_NAMED(text)),
                          base64(KP_NAMED(bytes)));
  }
};

TEST(Fields, WhatMayBeLeftOutIsWrittenOnlyWhereItSaysSomething) {
  EXPECT_EQ(json_text(std::vector<Example>{{}, {4, "x", "hi"}}),
            R"([{"number":3},{"number":4,"text":"x","bytes":"aGk="}])");
}

}  // namespace
}  // namespace kneepoint::wire
