// SPDX-License-Identifier: Apache-2.0
//
// A struct described once, in itself: the names of its fields in the order in which they are
// written, and how each is read. Every writer goes by this description.
//   struct Loss {
//     int k = 1;
//     double serial = 0;
//     KP_DESCRIBED(Loss, k, serial);
//   };
// A struct that writes a field under another name, or a computed one, spells fields() out. The
// words of an enum are listed beside it in the same way.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace kneepoint {

// What is written where a field holds nothing: an absent optional, an empty text or list, false, a
// number that is not above 0. An absent optional is null even where such values are `shown`.
enum class Empty { shown, null, left_out };

// `get`: a data member, a const member function, or a function of the struct.
template <typename Get, Empty kEmpty>
struct Field {
  const char* name;
  Get get;
};

template <typename Get>
constexpr Field<Get, Empty::shown> field(const char* name, Get get) {
  return {name, get};
}
template <typename Get>
constexpr Field<Get, Empty::null> field_or_null(const char* name, Get get) {
  return {name, get};
}
template <typename Get>
constexpr Field<Get, Empty::left_out> field_if_any(const char* name, Get get) {
  return {name, get};
}

// A described struct whose fields stand among those of the struct that holds it; null one by one
// where it is an absent optional.
template <typename Get>
struct FieldsOf {
  Get get;
};
template <typename Get>
constexpr FieldsOf<Get> fields_of(Get get) {
  return {get};
}

template <typename... Fields>
constexpr std::tuple<Fields...> described(Fields... fields) {
  return {fields...};
}

// Members under their own names, at most 60, as arguments of described(): T is the struct.
#define KP_PARENS ()
#define KP_RESCAN(...) KP_RESCAN_16(KP_RESCAN_16(KP_RESCAN_16(KP_RESCAN_16(__VA_ARGS__))))
#define KP_RESCAN_16(...) KP_RESCAN_4(KP_RESCAN_4(KP_RESCAN_4(KP_RESCAN_4(__VA_ARGS__))))
#define KP_RESCAN_4(...) KP_RESCAN_1(KP_RESCAN_1(KP_RESCAN_1(KP_RESCAN_1(__VA_ARGS__))))
#define KP_RESCAN_1(...) __VA_ARGS__
#define KP_NAMED(...) KP_RESCAN(KP_NAMED_NEXT(__VA_ARGS__))
#define KP_NAMED_NEXT(member, ...) \
  ::kneepoint::field(#member, &T::member) __VA_OPT__(, KP_NAMED_AGAIN KP_PARENS(__VA_ARGS__))
#define KP_NAMED_AGAIN() KP_NAMED_NEXT

// In a struct all of whose fields are members under their own names.
#define KP_DESCRIBED(Type, ...)                           \
  static constexpr auto fields() {                        \
    using T = Type;                                       \
    return ::kneepoint::described(KP_NAMED(__VA_ARGS__)); \
  }                                                       \
  static_assert(true, "a semicolon follows")

// As the first of the fields: an object that stands on one line in a file for people.
struct OneLine {};
inline constexpr OneLine one_line;

// The words of an enum in the order of its values, which begin at 0:
//   constexpr auto words_of(Mode) { return std::array{"strong", "weak"}; }
// To write and to read them goes by that list.
template <typename E>
concept Worded = std::is_enum_v<E> && requires(E value) {
  words_of(value);
};

template <Worded E>
constexpr const char* to_string(E value) {
  return words_of(value)[static_cast<std::size_t>(value)];
}

template <Worded E>
constexpr std::optional<E> parse_word(std::string_view text) {
  const auto words = words_of(E{});
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (text == words[i]) return static_cast<E>(i);
  }
  return std::nullopt;
}

template <typename T>
concept Described = requires {
  T::fields();
};

template <typename T>
inline constexpr bool is_on_one_line =
    std::is_same_v<std::tuple_element_t<0, decltype(T::fields())>, OneLine>;

template <typename T, typename Get>
constexpr decltype(auto) value_of(const T& object, Get get) {
  if constexpr (std::is_member_object_pointer_v<Get>) {
    return (object.*get);
  } else if constexpr (std::is_member_function_pointer_v<Get>) {
    return (object.*get)();
  } else {
    return get(object);
  }
}

}  // namespace kneepoint
