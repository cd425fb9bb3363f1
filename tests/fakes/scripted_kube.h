// SPDX-License-Identifier: Apache-2.0
//
// An API server as a list of answers: each call takes the next one, each follow the next stream.
// What was asked for is kept. Streams give one piece a poll.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "orchestrator/backend/kubernetes/client.h"

namespace kneepoint {

struct ScriptedStream : HttpStream {
  struct Piece {
    std::string data;
    int status = 200;
    bool ended = false;
    bool broken = false;
  };
  std::deque<Piece> pieces;

  Result<State> poll(std::string& data) override {
    if (pieces.empty()) return State{200, false};
    const Piece piece = pieces.front();
    pieces.pop_front();
    if (piece.broken) return Error{ErrorCode::io, "broken off", true};
    data += piece.data;
    return State{piece.status, piece.ended};
  }
};

class ScriptedKube : public KubeClient {
 public:
  std::deque<KubeAnswer> answers;
  std::deque<std::vector<ScriptedStream::Piece>> streams;  // none left: can't be had
  std::vector<std::string> calls;                          // "GET /apis/..."
  std::vector<std::string> bodies;
  std::vector<std::string> follows;

  std::vector<Result<KubeAnswer>> call_all(std::span<const KubeCall> asked, Deadline) override {
    std::vector<Result<KubeAnswer>> given;
    for (const KubeCall& one : asked) {
      calls.push_back(one.method + " " + path_of(one.place));
      bodies.push_back(one.body);
      if (answers.empty()) {
        given.emplace_back(Error{ErrorCode::unavailable, "no answer is left", true});
        continue;
      }
      given.emplace_back(answers.front());
      answers.pop_front();
    }
    return given;
  }
  Result<std::unique_ptr<HttpStream>> follow(const KubePlace& place) override {
    follows.push_back(path_of(place));
    if (streams.empty()) return Error{ErrorCode::unavailable, "no stream is left", true};
    auto stream = std::make_unique<ScriptedStream>();
    stream->pieces.assign(streams.front().begin(), streams.front().end());
    streams.pop_front();
    return std::unique_ptr<HttpStream>(std::move(stream));
  }
};

}  // namespace kneepoint
