// SPDX-License-Identifier: GPL-2.0-or-later
// The way of each call, from its message to its answer. Its limits were checked before libsystemd received it
// (message_sizes.hpp). methods/table.cpp alone includes this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "daemon/bus/call/arguments.hpp"
#include "daemon/bus/call/call.hpp"
#include "daemon/bus/call/method.hpp"
#include "daemon/bus/errors.hpp"
#include "dbus/compat.hpp"
#include "dbus/names.hpp"

namespace netperfd::bus {

// What a function that does a method's work takes and gives.
template <class Function>
struct Signature;
template <class Given, class... Arguments>
struct Signature<Given (*)(Call&, Arguments...)> {
  using Taken = std::tuple<Arguments...>;
  using Gives = Given;
};

template <class Given>
inline constexpr bool kIsTask = false;
template <class Given>
inline constexpr bool kIsTask<Task<Given>> = true;

template <class Given>
struct Results {
  using Values = std::tuple<Given>;
};
template <class Given>
struct Results<Task<Given>> : Results<Given> {};
template <class... Values_>
struct Results<std::tuple<Values_...>> {
  using Values = std::tuple<Values_...>;
};
template <>
struct Results<void> {
  using Values = std::tuple<>;
};

// A method of a job's object has the job in its path, not in its message.
template <class Value>
[[nodiscard]] Value read_argument(const Method& method, sdbus::MethodCall& message, std::size_t index) {
  typename Argument<Value>::Came came{};
  if constexpr (std::is_same_v<Value, Job>) {
    if (index == 0 && method.interface == std::string_view{dbus::kJobInterface}) {
      const char* path = sd_bus_message_get_path(dbus::RawMessage::of(message));
      return value_or_throw(Argument<Value>::read(dbus::job_of_path(path)));
    }
  }
  message >> came;
  return value_or_throw(Argument<Value>::read(std::move(came)));
}

template <class... Values, std::size_t... I>
[[nodiscard]] std::tuple<Values...> read_arguments(const Method& method, sdbus::MethodCall& message,
                                                   std::type_identity<std::tuple<Values...>> /*type*/,
                                                   std::index_sequence<I...> /*order*/) {
  return std::tuple<Values...>{read_argument<Values>(method, message, I)...};  // braces: from left to right
}

template <class... Values>
[[nodiscard]] Object object_of(const std::tuple<Values...>& arguments) {
  Object object;
  if constexpr (sizeof...(Values) > 0) {
    using First = std::tuple_element_t<0, std::tuple<Values...>>;
    if constexpr (std::is_same_v<First, Job>) object.job = std::get<0>(arguments).id;
    if constexpr (std::is_same_v<First, Run>) object.run = std::get<0>(arguments).id;
  }
  return object;
}

template <class Given>
void send(dbus::Reply& reply, const Given& given) {
  if constexpr (requires { std::tuple_size<Given>::value; }) {
    std::apply([&](const auto&... each) { reply.ok(each...); }, given);
  } else {
    reply.ok(given);
  }
}

// Answers with the error, and records it. Does not throw.
void end_with(Call& call, dbus::Reply& reply, const std::exception_ptr& failure) noexcept;

template <auto Work>
Task<> serve(ManagerObject& manager, const Method& method, sdbus::MethodCall message) {
  using Function = Signature<decltype(Work)>;
  using Taken = typename Function::Taken;
  using Given = typename Function::Gives;
  dbus::Reply reply{std::move(message)};
  Call call{manager, method, dbus::sender_of(reply.call())};
  std::exception_ptr failure;
  try {
    Taken arguments = read_arguments(method, reply.call(), std::type_identity<Taken>{},
                                     std::make_index_sequence<std::tuple_size_v<Taken>>{});
    co_await call.admit(object_of(arguments));
    const auto work = [&call](auto&... each) -> Given { return Work(call, std::move(each)...); };
    if constexpr (std::is_void_v<Given>) {
      std::apply(work, arguments);
      call.finish();
      reply.ok();
    } else if constexpr (!kIsTask<Given>) {
      const Given given = std::apply(work, arguments);
      call.finish();
      send(reply, given);
    } else {
      Given task = std::apply(work, arguments);
      const auto given = co_await task;
      call.finish();
      send(reply, given);
    }
  } catch (...) {
    failure = std::current_exception();
  }
  if (failure) end_with(call, reply, failure);
}

}  // namespace netperfd::bus
