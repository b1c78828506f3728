// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/access/message_limits.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>

#include "daemon/bus/call/method.hpp"

namespace netperfd::bus {
namespace {

// Of what is no method of ours, such as Introspect.
constexpr Limits kOthers{};

const Limits& limits_of(std::string_view interface, std::string_view member) {
  const Method* const method = find_method(interface, member);
  return method != nullptr ? method->limits : kOthers;
}

// An option whose value is a list: a{sv}, its entry, the variant, as.
constexpr int kMostDepth = 8;

class Count {
 public:
  Count(sd_bus_message* message, std::size_t most) : message_(message), left_(most) {}

  // Of the container that the message is in, to its end. 0 or a negative errno: E2BIG if there are too many.
  int all(bool is_list, int depth) {
    char type = 0;
    const char* contents = nullptr;
    int r = 0;
    while ((r = sd_bus_message_peek_type(message_, &type, &contents)) > 0) {
      if (is_list && left_ == 0) return -E2BIG;
      if (is_list) --left_;
      r = contents == nullptr ? skip(type) : inside(type, contents, depth);
      if (r < 0) return r;
    }
    return r;
  }

 private:
  int skip(char type) {
    const std::array<char, 2> types{type, '\0'};
    return sd_bus_message_skip(message_, types.data());
  }
  int inside(char type, const char* contents, int depth) {
    if (depth == kMostDepth) return -ELOOP;
    int r = sd_bus_message_enter_container(message_, type, contents);
    if (r > 0) r = all(type == SD_BUS_TYPE_ARRAY, depth + 1);
    return r < 0 ? r : sd_bus_message_exit_container(message_);
  }

  sd_bus_message* message_;
  std::size_t left_;
};

}  // namespace

std::size_t most_message_bytes(std::string_view interface, std::string_view member) {
  return limits_of(interface, member).bytes;
}

std::size_t most_entries(std::string_view interface, std::string_view member) {
  return limits_of(interface, member).entries;
}

Status expect_few_entries(sd_bus_message* message, std::size_t most) {
  const int counted = Count{message, most}.all(false, 0);
  const int rewound = sd_bus_message_rewind(message, 1);
  if (counted == -E2BIG) {
    return invalid(fmt::format("its lists and dictionaries have more than {} elements; send fewer", most));
  }
  if (counted == -ELOOP) return invalid("its arguments are nested too deeply");
  if (counted < 0) return invalid("its arguments cannot be read");
  return rewound < 0 ? Status{fail_errno("sd_bus_message_rewind", -rewound)} : Status{};
}

}  // namespace netperfd::bus
