// SPDX-License-Identifier: GPL-2.0-or-later
#include "dbus/message_head.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/dbus/header.hpp"

namespace netperfd::dbus {
namespace {

using test::Header;

// As a member imports a recording.
Header import_call(bool is_big = false) {
  return Header{MessageType::call, is_big, 1000}
      .text(1, 'o', "/org/netperfd1")
      .text(3, 's', "ImportRun")
      .text(2, 's', "org.netperfd1.Manager")
      .text(6, 's', "org.netperfd1")
      .text(8, 'g', "ahasa{sv}")
      .count(9, 2)
      .text(7, 's', ":1.42");
}

std::optional<MessageSize> size_of(const std::vector<unsigned char>& bytes) {
  return size_of_message(std::span{bytes}.first<kFixedHead>());
}

TEST(MessageHead, of_a_call_is_read_in_both_byte_orders) {
  for (const bool is_big : {false, true}) {
    const auto bytes = import_call(is_big).bytes();
    const auto size = size_of(bytes);
    ASSERT_TRUE(size);
    EXPECT_EQ(size->head, bytes.size());
    EXPECT_EQ(size->whole, (bytes.size() + 7) / 8 * 8 + 1000);
    const auto head = read_head(bytes);
    ASSERT_TRUE(head) << is_big;
    EXPECT_EQ(head->type, MessageType::call);
    EXPECT_EQ(head->path, "/org/netperfd1");
    EXPECT_EQ(head->interface, "org.netperfd1.Manager");
    EXPECT_EQ(head->member, "ImportRun");
    EXPECT_EQ(head->sender, ":1.42");
    EXPECT_EQ(head->descriptors, 2U);
  }
}

TEST(MessageHead, of_a_reply_needs_no_member) {
  const auto head = read_head(Header{MessageType::reply}.count(5, 3).text(7, 's', ":1.1").bytes());
  ASSERT_TRUE(head);
  EXPECT_EQ(head->type, MessageType::reply);
  EXPECT_EQ(head->member, "");
  EXPECT_EQ(head->descriptors, 0U);
}

TEST(MessageHead, that_is_cut_anywhere_is_none) {
  const auto bytes = import_call().bytes();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(read_head(std::span{bytes}.first(length))) << length;
    auto shorter = bytes;
    shorter.resize(length);
    if (length < kFixedHead) continue;
    // Its own length says so too. Between two fields, it is a header with fewer of them.
    shorter[12] = static_cast<unsigned char>(length - kFixedHead);
    const auto head = read_head(shorter);
    if (head) EXPECT_TRUE(head->sender.empty()) << length;
  }
}

TEST(MessageHead, with_sizes_that_cannot_be_is_none) {
  for (const std::size_t place : {4U, 12U}) {  // body, fields
    for (const unsigned highest : {0x09U, 0x80U, 0xffU}) {
      auto bytes = import_call().bytes();
      bytes[place + 3] = static_cast<unsigned char>(highest);
      EXPECT_FALSE(size_of(bytes)) << place;
      EXPECT_FALSE(read_head(bytes)) << place;
    }
  }
  auto longest = import_call().bytes();
  longest[7] = 0x08;  // a body of 128 MiB, the specification's limit, less 1000 that it has already
  longest[4] = longest[5] = 0;
  EXPECT_TRUE(size_of(longest));
}

TEST(MessageHead, with_a_text_longer_than_itself_is_none) {
  for (const std::uint32_t length : {0xffffffffU, 0x80000000U, 200U, 14U + 1, 14U - 1}) {
    auto bytes = import_call().bytes();
    for (unsigned i = 0; i < 4; ++i) bytes[20 + i] = static_cast<unsigned char>(length >> 8U * i);
    EXPECT_FALSE(read_head(bytes)) << length;
  }
}

TEST(MessageHead, with_fields_that_are_unknown_twice_or_of_another_type_is_none) {
  EXPECT_FALSE(read_head(import_call().text(10, 's', "x").bytes())) << "unknown";
  EXPECT_FALSE(read_head(import_call().text(0, 's', "x").bytes())) << "invalid";
  EXPECT_FALSE(read_head(import_call().text(255, 's', "x").bytes())) << "unknown";
  EXPECT_FALSE(read_head(import_call().count(9, 0).bytes())) << "twice";
  EXPECT_FALSE(read_head(Header{MessageType::call}.text(9, 's', "2").bytes())) << "a text";
  EXPECT_FALSE(read_head(Header{MessageType::call}.count(9, 2, 'i').bytes())) << "signed";
  EXPECT_FALSE(read_head(Header{MessageType::call}.count(3, 2).bytes())) << "a number";
}

TEST(MessageHead, of_another_protocol_or_type_is_none) {
  const auto changed = [](std::size_t place, unsigned char value) {
    auto bytes = import_call().bytes();
    bytes[place] = value;
    return bytes;
  };
  EXPECT_FALSE(size_of(changed(0, 'L')));
  EXPECT_FALSE(size_of(changed(1, 0))) << "the invalid type";
  EXPECT_FALSE(size_of(changed(3, 2))) << "a later version";
  EXPECT_FALSE(size_of(changed(8, 0))) << "no serial";
  EXPECT_TRUE(size_of(changed(1, 5))) << "to be ignored, by the specification";
  EXPECT_FALSE(read_head(changed(1, 5)));
}

}  // namespace
}  // namespace netperfd::dbus
