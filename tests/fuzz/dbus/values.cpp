// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/dbus/values.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <utility>

#include "daemon/base/fd.hpp"

namespace netperfd::bus_fuzz {
namespace {

constexpr unsigned kDeepest = 4;

constexpr std::array<std::uint64_t, 14> kNumbers{0,
                                                 1,
                                                 2,
                                                 7,
                                                 100,
                                                 255,
                                                 1'000,
                                                 65'535,
                                                 2'147'483'647,
                                                 2'147'483'648,
                                                 4'294'967'295,
                                                 9'223'372'036'854'775'807U,
                                                 9'223'372'036'854'775'808U,
                                                 18'446'744'073'709'551'615U};

constexpr std::array<double, 10> kReals{0,
                                        -0.0,
                                        0.01,
                                        0.5,
                                        0.8,
                                        1,
                                        -1e308,
                                        5e-324,
                                        std::numeric_limits<double>::infinity(),
                                        std::numeric_limits<double>::quiet_NaN()};

using Text = std::string_view;
constexpr std::array<Text, 30> kTexts{"",
                                      "last",
                                      "last:3",
                                      "1-5,7",
                                      "label:x",
                                      "owner:any label:x",
                                      "owner:me",
                                      "label:\"a b\" last:2",
                                      "job:1",
                                      "scenario:quick since:@0 until:@9e9",
                                      "job:18446744073709551616",
                                      "\x1b[31mred\x1b[0m",
                                      "line\nline",
                                      "be\u202Efore",
                                      "../../etc/passwd",
                                      "/dev/zero",
                                      "%s%n{}{0}",
                                      "client.stdout",
                                      "trace.dat",
                                      "received",
                                      "measurement",
                                      "pilot",
                                      "finished",
                                      "a",
                                      "0",
                                      "*",
                                      "tcp:*",
                                      "skb:kfree_skb",
                                      "workload.iperf3.streams=2",
                                      "name: t\nworkload: {iperf3: {server: 127.0.0.1}}\n"};

// Every key of options and filters in daemon/bus/options.cpp and filter_options.cpp, with its type.
constexpr std::array<std::pair<Text, Text>, 32> kOptions{{
    {"overrides", "as"}, {"label", "s"},   {"repeat", "u"},   {"tie_to_caller", "b"}, {"purpose", "s"},
    {"confirms", "t"},   {"name", "s"},    {"run", "t"},      {"recordings", "b"},    {"redact", "b"},
    {"report", "s"},     {"job", "t"},     {"scenario", "s"}, {"state", "s"},         {"variant", "s"},
    {"traced", "b"},     {"since", "t"},   {"until", "t"},    {"selection", "s"},     {"user", "u"},
    {"action", "s"},     {"outcome", "s"}, {"figures", "as"}, {"changed", "as"},      {"despite", "b"},
    {"threshold", "d"},  {"figure", "s"},  {"effect", "d"},   {"power", "d"},         {"module", "s"},
    {"pattern", "s"},    {"owner", "s"},
}};

constexpr std::array<Text, 20> kTypes{"y", "b", "n", "q",  "i",     "u",      "x",    "t",  "d", "s",
                                      "g", "o", "v", "as", "a{sv}", "aa{sv}", "(st)", "ah", "h", "a{ts}"};

void must(int result, const char* what) {
  if (result < 0) throw std::runtime_error(std::string("sd-bus: ") + what);
}

// The length of the first complete type of a signature.
std::size_t length_of_first(Text signature) {
  std::size_t at = 0;
  while (signature.at(at) == 'a') ++at;
  const char open = signature.at(at);
  if (open != '(' && open != '{') return at + 1;
  for (unsigned depth = 0;; ++at) {
    const char c = signature.at(at);
    if (c == '(' || c == '{') ++depth;
    if ((c == ')' || c == '}') && --depth == 0) return at + 1;
  }
}

}  // namespace

std::string Values::signature() {
  std::string signature;
  for (std::size_t types = below(4); types > 0; --types) signature += one_of(std::span<const Text>(kTypes));
  return signature;
}

void Values::append(sd_bus_message* message, Text signature) {
  descriptors_ = 0;
  while (!signature.empty()) {
    const std::size_t length = length_of_first(signature);
    append_one(message, signature.substr(0, length), 0);
    signature.remove_prefix(length);
  }
}

std::string Values::text() {
  constexpr std::size_t kLong = 70'000;
  if (happens(40)) return std::string(1 + below(kLong), 'x');
  if (!known_.texts.empty() && happens(2)) return one_of(std::span<const std::string>(known_.texts));
  return std::string(one_of(std::span<const Text>(kTexts)));
}

void Values::append_number(sd_bus_message* message, char type) {
  std::uint64_t number = one_of(std::span<const std::uint64_t>(kNumbers));
  if (!known_.numbers.empty() && happens(2)) number = one_of(std::span<const std::uint64_t>(known_.numbers));
  if (happens(8)) number = random_();
  // A basic value lies at the beginning of these bytes, as on every machine with the lowest byte first.
  if (type == 'b') {
    const int truth = number % 2 == 0 ? 0 : 1;
    must(sd_bus_message_append_basic(message, type, &truth), "append a boolean");
  } else {
    must(sd_bus_message_append_basic(message, type, &number), "append a number");
  }
}

void Values::append_text(sd_bus_message* message, char type) {
  std::string value = text();
  if (type == 'o') value = happens(2) ? "/" : "/org/netperfd1/job/" + std::to_string(below(5));
  if (type == 'g') value = "a{sv}";
  must(sd_bus_message_append_basic(message, type, value.c_str()), "append a text");
}

void Values::append_descriptor(sd_bus_message* message) {
  ++descriptors_;
  std::array<int, 2> ends{-1, -1};
  Fd made;
  switch (below(5)) {
    case 0:
      made.reset(::open("/dev/null", O_RDWR | O_CLOEXEC));
      break;
    case 1:
      made.reset(::open("/", O_PATH | O_CLOEXEC));
      break;
    case 2:
      must(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), "a pair of sockets");
      break;
    case 3:
      must(::pipe2(ends.data(), O_CLOEXEC), "a pipe");
      break;
    default: {
      made.reset(::memfd_create("fuzz", MFD_CLOEXEC));
      const std::string content = text();
      must(static_cast<int>(::write(made.get(), content.data(), content.size())), "write a file");
    }
  }
  const Fd other{ends[1]};
  if (ends[0] >= 0) made.reset(ends[0]);
  const int raw = made.get();
  must(sd_bus_message_append_basic(message, 'h', &raw), "append a descriptor");  // it is duplicated
}

void Values::append_option(sd_bus_message* message, unsigned depth) {
  const auto& [key, type] = one_of(std::span<const std::pair<Text, Text>>(kOptions));
  const std::string name = happens(10) ? text() : std::string(key);
  const Text contents = happens(10) ? one_of(std::span<const Text>(kTypes)) : type;
  must(sd_bus_message_append_basic(message, 's', name.c_str()), "append a key");
  must(sd_bus_message_open_container(message, 'v', std::string(contents).c_str()), "open a variant");
  append_one(message, contents, depth + 1);
  must(sd_bus_message_close_container(message), "close a variant");
}

void Values::append_list(sd_bus_message* message, Text element, unsigned depth) {
  must(sd_bus_message_open_container(message, 'a', std::string(element).c_str()), "open a list");
  // The bus closes the connection that sends more than 16 descriptors at once.
  constexpr unsigned kMostDescriptors = 4;
  const bool full = descriptors_ >= kMostDescriptors && element.find('h') != Text::npos;
  const std::size_t items = depth >= kDeepest || full ? 0 : below(happens(20) ? 100 : 4);
  for (std::size_t i = 0; i < (element == "h" ? std::min(items, std::size_t{3}) : items); ++i)
    append_one(message, element, depth + 1);
  must(sd_bus_message_close_container(message), "close a list");
}

void Values::append_container(sd_bus_message* message, Text type, unsigned depth) {
  const bool entry = type.front() == '{';
  Text contents = type.substr(1, type.size() - 2);
  must(sd_bus_message_open_container(message, entry ? 'e' : 'r', std::string(contents).c_str()), "open");
  if (type == "{sv}") {
    append_option(message, depth);
  } else {
    while (!contents.empty()) {
      const std::size_t length = length_of_first(contents);
      append_one(message, contents.substr(0, length), depth + 1);
      contents.remove_prefix(length);
    }
  }
  must(sd_bus_message_close_container(message), "close");
}

void Values::append_one(sd_bus_message* message, Text type, unsigned depth) {
  switch (type.front()) {
    case 'a':
      return append_list(message, type.substr(1), depth);
    case '(':
    case '{':
      return append_container(message, type, depth);
    case 's':
    case 'o':
    case 'g':
      return append_text(message, type.front());
    case 'h':
      return append_descriptor(message);
    case 'd': {
      const double real = one_of(std::span<const double>(kReals));
      return must(sd_bus_message_append_basic(message, 'd', &real), "append a real number");
    }
    case 'v': {
      const Text contents = depth >= kDeepest ? "y" : one_of(std::span<const Text>(kTypes));
      must(sd_bus_message_open_container(message, 'v', std::string(contents).c_str()), "open a variant");
      append_one(message, contents, depth + 1);
      return must(sd_bus_message_close_container(message), "close a variant");
    }
    default:
      append_number(message, type.front());
  }
}

}  // namespace netperfd::bus_fuzz
