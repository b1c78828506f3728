// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/dbus/values.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>

namespace netperfd::bus_fuzz {
namespace {

constexpr unsigned kDeepest = 4;
// The bus closes the connection that sends more at once.
constexpr std::size_t kMostDescriptors = 16;

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

// Every key of options and filters in daemon/bus/options/options.cpp and filter_options.cpp, with its type.
constexpr std::array<std::pair<Text, Text>, 34> kOptions{{
    {"overrides", "as"}, {"label", "s"},   {"repeat", "u"},   {"tie_to_caller", "b"}, {"purpose", "s"},
    {"confirms", "t"},   {"name", "s"},    {"run", "t"},      {"recordings", "b"},    {"redact", "b"},
    {"report", "s"},     {"job", "t"},     {"scenario", "s"}, {"state", "s"},         {"variant", "s"},
    {"traced", "b"},     {"since", "t"},   {"until", "t"},    {"selection", "s"},     {"user", "u"},
    {"action", "s"},     {"outcome", "s"}, {"figures", "as"}, {"changed", "as"},      {"despite", "b"},
    {"threshold", "d"},  {"figure", "s"},  {"effect", "d"},   {"power", "d"},         {"module", "s"},
    {"pattern", "s"},    {"owner", "s"},   {"plan", "a{sv}"}, {"like_job", "t"},
}};

constexpr std::array<Text, 20> kTypes{"y", "b", "n", "q",  "i",     "u",      "x",    "t",  "d", "s",
                                      "g", "o", "v", "as", "a{sv}", "aa{sv}", "(st)", "ah", "h", "a{ts}"};

void must(int result, const char* what) {
  if (result < 0) throw std::runtime_error(std::string("sd-bus: ") + what);
}

}  // namespace

std::size_t length_of_first(std::string_view signature) {
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

std::string Values::signature() {
  std::string signature;
  for (std::size_t types = random_.below(4); types > 0; --types) {
    signature += random_.one_of(std::span<const Text>(kTypes));
  }
  return signature;
}

Appended Values::append(sd_bus_message* message, Text signature) {
  appended_ = {};
  while (!signature.empty()) {
    const std::size_t length = length_of_first(signature);
    append_one(message, signature.substr(0, length), 0);
    signature.remove_prefix(length);
  }
  return std::exchange(appended_, {});
}

Appended Values::append_files(sd_bus_message* message) {
  appended_ = {};
  constexpr std::array<std::size_t, 8> kCounts{1, 1, 1, 1, 2, 2, 0, 3};
  std::size_t files = random_.one_of(std::span<const std::size_t>(kCounts));
  if (files == 3) files += random_.below(kMostDescriptors - 2);
  const std::size_t names = random_.happens(8) ? random_.below(4) : files;
  must(sd_bus_message_open_container(message, 'a', "h"), "open the files");
  for (std::size_t i = 0; i < files; ++i) append_descriptor(message, descriptors_.any());
  must(sd_bus_message_close_container(message), "close the files");
  must(sd_bus_message_open_container(message, 'a', "s"), "open the names");
  for (std::size_t i = 0; i < names; ++i) {
    const std::string name = random_.happens(8) ? text() : "files/" + std::to_string(i);
    must(sd_bus_message_append_basic(message, 's', name.c_str()), "append a name");
  }
  must(sd_bus_message_close_container(message), "close the names");
  return std::exchange(appended_, {});
}

std::pair<std::string, std::string> Values::option() {
  const auto& [key, type] = random_.one_of(std::span<const std::pair<Text, Text>>(kOptions));
  return {std::string(key), std::string(type)};
}

std::string Values::text() {
  constexpr std::size_t kLong = 70'000;
  if (random_.happens(40)) return std::string(1 + random_.below(kLong), 'x');
  if (!known_.texts.empty() && random_.happens(2))
    return random_.one_of(std::span<const std::string>(known_.texts));
  return std::string(random_.one_of(std::span<const Text>(kTexts)));
}

void Values::append_number(sd_bus_message* message, char type) {
  std::uint64_t number = random_.one_of(std::span<const std::uint64_t>(kNumbers));
  if (!known_.numbers.empty() && random_.happens(2))
    number = random_.one_of(std::span<const std::uint64_t>(known_.numbers));
  if (random_.happens(8)) number = random_.number();
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
  if (type == 'o')
    value = random_.happens(2) ? "/" : "/org/netperfd1/job/" + std::to_string(random_.below(5));
  if (type == 'g') value = "a{sv}";
  must(sd_bus_message_append_basic(message, type, value.c_str()), "append a text");
}

void Values::append_descriptor(sd_bus_message* message, Descriptor descriptor) {
  const int raw = descriptor.fd.get();
  must(sd_bus_message_append_basic(message, 'h', &raw), "append a descriptor");  // it is duplicated
  appended_.descriptors.push_back(std::move(descriptor.what));
  if (descriptor.other_end) appended_.other_ends.push_back(std::move(descriptor.other_end));
}

void Values::append_option(sd_bus_message* message, unsigned depth) {
  const auto [key, type] = option();
  const std::string name = random_.happens(10) ? text() : key;
  const Text contents = random_.happens(10) ? random_.one_of(std::span<const Text>(kTypes)) : Text{type};
  must(sd_bus_message_append_basic(message, 's', name.c_str()), "append a key");
  must(sd_bus_message_open_container(message, 'v', std::string(contents).c_str()), "open a variant");
  append_one(message, contents, depth + 1);
  must(sd_bus_message_close_container(message), "close a variant");
}

void Values::append_list(sd_bus_message* message, Text element, unsigned depth) {
  must(sd_bus_message_open_container(message, 'a', std::string(element).c_str()), "open a list");
  constexpr std::size_t kMostInLists = 4;
  const bool full = appended_.descriptors.size() >= kMostInLists && element.find('h') != Text::npos;
  const std::size_t items = depth >= kDeepest || full ? 0 : random_.below(random_.happens(20) ? 100 : 4);
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
      return append_descriptor(message, descriptors_.any());
    case 'd': {
      const double real = random_.one_of(std::span<const double>(kReals));
      return must(sd_bus_message_append_basic(message, 'd', &real), "append a real number");
    }
    case 'v': {
      const Text contents = depth >= kDeepest ? "y" : random_.one_of(std::span<const Text>(kTypes));
      must(sd_bus_message_open_container(message, 'v', std::string(contents).c_str()), "open a variant");
      append_one(message, contents, depth + 1);
      return must(sd_bus_message_close_container(message), "close a variant");
    }
    default:
      append_number(message, type.front());
  }
}

}  // namespace netperfd::bus_fuzz
