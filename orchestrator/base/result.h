// SPDX-License-Identifier: Apache-2.0
//
// Result<T>: a value, or the reason why the outside world refused to give one.
// The vocabulary is std::expected's (has_value, value, error, value_or), which g++ 12 lacks in
// C++20. Ignoring a Result is a compile error under -Werror. Outcomes of runs are stored values,
// not Errors; bugs hit ENSURE.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "orchestrator/base/ensure.h"
#include "orchestrator/base/fields.h"

namespace kneepoint {

enum class ErrorCode {
  invalid,  // the caller's input is wrong; trying again gives the same answer
  not_found,
  exists,
  conflict,     // somebody else holds it, or it changed underneath
  unavailable,  // the other side is not there now
  timeout,
  io,
  permission,
  corrupt,  // stored bytes are not what they should be
  unsupported,
  interrupted,
};

constexpr auto words_of(ErrorCode) {
  return std::array{"invalid", "not_found",  "exists",  "conflict",    "unavailable", "timeout",
                    "io",      "permission", "corrupt", "unsupported", "interrupted"};
}

struct Error {
  ErrorCode code = ErrorCode::io;
  std::string message;
  bool retryable = false;

  // One clause per layer, outermost first: error.in("start run 17") -> "start run 17: sbatch: ...".
  [[nodiscard]] Error in(const std::string& clause) const {
    return Error{code, clause + ": " + message, retryable};
  }
};

// The error of a failed system call: "open /x: No such file or directory".
Error system_error(const std::string& what, int errno_value);

template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return check(), std::get<0>(state_); }
  const T& value() const& { return check(), std::get<0>(state_); }
  // By value: a reference into a temporary would dangle in `for (auto& x : f().value())`.
  T value() && { return check(), std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const {
    ENSURE(!has_value(), "error() of a Result that holds a value");
    return std::get<1>(state_);
  }
  T value_or(T fallback) const& { return has_value() ? std::get<0>(state_) : fallback; }

 private:
  void check() const {
    if (!has_value()) ensure_failed("Result::value()", std::get<1>(state_).message.c_str(), "", 0);
  }
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  const Error& error() const {
    ENSURE(error_.has_value(), "error() of a Result that holds a value");
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace kneepoint

// Returns the error to the caller, or goes on: TRY(file.write(x));
#define TRY(expression)                                  \
  do {                                                   \
    if (auto&& try_result_ = (expression); !try_result_) \
      return ::kneepoint::Error(try_result_.error());    \
  } while (false)

// Same, naming the value: TRY_ASSIGN(auto text, read_file(path));
#define KP_CONCAT_INNER(a, b) a##b
#define KP_CONCAT(a, b) KP_CONCAT_INNER(a, b)
#define TRY_ASSIGN(declaration, expression) \
  TRY_ASSIGN_IMPL(KP_CONCAT(try_value_, __LINE__), declaration, expression)
#define TRY_ASSIGN_IMPL(name, declaration, expression) \
  auto name = (expression);                            \
  if (!name) return ::kneepoint::Error(name.error());  \
  declaration = std::move(name).value()
