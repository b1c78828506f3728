// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/base/users.hpp"

#include <fmt/format.h>
#include <pwd.h>

#include <array>
#include <charconv>
#include <system_error>

namespace netperfctl {
namespace {

constexpr std::string_view kOwner = "owner:";

std::optional<std::uint32_t> number_of(std::string_view text) {
  std::uint32_t uid = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, uid);
  return error == std::errc{} && end == last ? std::optional{uid} : std::nullopt;
}

}  // namespace

std::optional<std::uint32_t> uid_of(const std::string& user) {
  if (const auto uid = number_of(user)) return uid;
  std::array<char, 4096> text{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwnam_r(user.c_str(), &entry, text.data(), text.size(), &found) != 0 || found == nullptr) {
    return std::nullopt;
  }
  return entry.pw_uid;
}

std::optional<std::string> user_name(std::uint32_t uid) {
  std::array<char, 4096> text{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(uid, &entry, text.data(), text.size(), &found) != 0 || found == nullptr)
    return std::nullopt;
  return found->pw_name;
}

Outcome<std::string> owner_for_the_daemon(std::string_view option, const std::string& owner) {
  if (owner == "me" || owner == "any") return owner;
  if (const auto uid = uid_of(owner)) return std::to_string(*uid);
  return fail(Exit::usage,
              fmt::format("{}: there is no user \"{}\" here; a name, a uid, `me` or `any` was expected",
                          option, owner));
}

std::string owner_word(std::uint32_t uid) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._";
  std::string number = std::to_string(uid);
  const auto name = user_name(uid);
  if (!name || name->empty() || name->find_first_not_of(kPlain) != std::string::npos) return number;
  const auto meant = owner_for_the_daemon({}, *name);
  return meant && *meant == number ? *name : number;
}

std::string with_owner_words(std::string_view message) {
  constexpr std::string_view kDigits = "0123456789";
  std::string text;
  for (auto at = message.find(kOwner); at != std::string_view::npos; at = message.find(kOwner)) {
    text += message.substr(0, at + kOwner.size());
    message.remove_prefix(at + kOwner.size());
    const std::string_view number = message.substr(0, message.find_first_not_of(kDigits));
    const auto uid = number_of(number);
    text += uid ? owner_word(*uid) : number;
    message.remove_prefix(number.size());
  }
  return text += message;
}

}  // namespace netperfctl
