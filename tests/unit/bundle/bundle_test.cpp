// SPDX-License-Identifier: GPL-2.0-or-later
// A bundle gives back what was put into it, and a damaged or hostile one an error that names what is wrong.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>

#include "daemon/reading/sha256.hpp"
#include "tests/unit/bundle/support.hpp"

namespace netperfd::bundle {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST_F(BundleTest, gives_back_what_was_put_into_it) {
  const Bundle bundle = whole();
  const Bundle back = must(read_file(must(write(bundle, "<html>a page</html>"))));
  EXPECT_EQ(back, bundle);
}

TEST_F(BundleTest, gives_back_every_bit_of_a_value) {
  Bundle bundle{.origin = kOrigin, .content = {.schema = 1, .tables = {{"t", {"a", "b", "c"}, {}}}}};
  StoredTable& table = bundle.content.tables.front();
  for (const StoredValue& value :
       {StoredValue{std::numeric_limits<std::int64_t>::min()},
        StoredValue{std::numeric_limits<std::int64_t>::max()}, StoredValue{0.1 + 0.2}, StoredValue{5e-324},
        StoredValue{-0.0}, StoredValue{3.0}, StoredValue{std::string{"\xff\x00 not UTF-8", 13}},
        StoredValue{std::string{"\"\\\n\u2028"}}, StoredValue{StoredBytes{{}}},
        StoredValue{StoredBytes{std::string{"\0\n", 2}}}, StoredValue{}, StoredValue{std::string{}}}) {
    table.add(value);
  }
  EXPECT_EQ(must(read_text(unpacked(must(write(bundle, ""))))), bundle);
}

TEST_F(BundleTest, has_its_documents_as_they_were_and_a_page) {
  const std::string tar = unpacked(must(write(whole(), "<html>a page</html>")));
  auto entries = must(unpack(std::as_bytes(std::span(tar)), kMostBytes));
  EXPECT_EQ(bytes_of(entries, "documents/run-1/client.stdout"), must(store->document(1, "client.stdout")));
  EXPECT_EQ(bytes_of(entries, "report.html"), "<html>a page</html>");
  EXPECT_THAT(bytes_of(entries, "manifest.json"),
              AllOf(HasSubstr("\"host\": \"lab7\""), HasSubstr("\"made\": \"2027-01-15T08:00:00Z\"")));
  EXPECT_THAT(bytes_of(entries, "tables/jobs.jsonl"), StartsWith("{\"id\":1,\"name\":\"veth-tcp\""));
}

// Damage is never more than an error. What is accepted is what was exported: the change was in padding.
TEST_F(BundleTest, is_refused_if_it_is_damaged) {
  const Bundle bundle = whole();
  const std::string file = must(write(bundle, ""));
  const std::string tar = unpacked(file);
  std::mt19937 random{20'261'124};
  const auto below = [&](std::size_t limit) { return random() % limit; };
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    std::string damaged = i % 2 == 0 ? file : tar;
    switch (i % 6) {
      case 4:
      case 5:
        damaged.resize(below(damaged.size()));
        break;
      case 3: {  // swaps two blocks of the tar
        constexpr std::size_t kBlock = 512;
        const std::size_t a = below(damaged.size() / kBlock) * kBlock,
                          b = below(damaged.size() / kBlock) * kBlock;
        std::swap_ranges(damaged.begin() + static_cast<std::ptrdiff_t>(a),
                         damaged.begin() + static_cast<std::ptrdiff_t>(a + kBlock),
                         damaged.begin() + static_cast<std::ptrdiff_t>(b));
        break;
      }
      default:
        damaged[below(damaged.size())] ^= static_cast<char>(1U << below(8));
    }
    const auto read = i % 2 == 0 ? read_file(damaged) : read_text(damaged);
    if (!read) {
      ++refused;
      EXPECT_FALSE(read.error().message.empty());
    } else {
      EXPECT_EQ(*read, bundle) << i;
    }
  }
  EXPECT_GT(refused, 100);
}

TEST_F(BundleTest, names_the_entry_with_a_damaged_byte) {
  std::string tar = unpacked(must(write(whole(), "")));
  const std::size_t at = tar.find("the server refused the connection");
  ASSERT_NE(at, std::string::npos);
  tar[at] = 'T';
  EXPECT_EQ(read_text(tar).error().message,
            "entry tables/runs.jsonl: its SHA-256 is not the one in the manifest: the bundle is damaged");
  tar = unpacked(must(write(whole(), "")));
  tar[tar.find("lab7")] = 'b';
  EXPECT_EQ(read_text(tar).error().message,
            "entry manifest.json: its SHA-256 is not the one in manifest.sha256: the bundle is damaged");
}

TEST_F(BundleTest, names_the_line_and_the_key_that_are_wrong) {
  const auto with_row = [&](const std::string& row) {
    return refusal_of([&](auto& entries, auto& manifest) {
      bytes_of(entries, "tables/flags.jsonl") = row + "\n";
      for (TableHead& table : manifest.tables) {
        if (table.name == "flags") table.rows = 1;
      }
    });
  };
  const std::string about = "entry tables/flags.jsonl, line 1: ";
  EXPECT_EQ(with_row(R"({"run":1,"position":0,"code":"a","massage":"b"})"),
            about + "key \"massage\": the table has no such column");
  EXPECT_EQ(with_row(R"({"run":1,"position":0,"code":"a"})"), about + "key \"message\" is missing");
  EXPECT_EQ(with_row(R"({"run":1,"run":1,"position":0,"code":"a","message":"b"})"),
            about + "key \"run\" is there twice");
  EXPECT_EQ(with_row(R"({"run":true,"position":0,"code":"a","message":"b"})"),
            about + "key \"run\": expected is a number, a text, an entry or null");
  EXPECT_EQ(with_row(R"({"run":18446744073709551615,"position":0,"code":"a","message":"b"})"),
            about + "key \"run\": expected is a number of at most 63 bits");
  EXPECT_EQ(with_row(R"({"run":[1],"position":0,"code":"a","message":"b"})"),
            about + "key \"run\": expected is no list");
  EXPECT_THAT(with_row(R"({"run":)" + std::string(100'000, '[')),
              HasSubstr("key \"run\": expected is no list"));
  EXPECT_THAT(with_row(R"({"run":{"entry":{"entry":1}}})"),
              HasSubstr("key \"run\": expected is an object with"));
  EXPECT_THAT(with_row(R"({"run":{"entry":"manifest.json"},"position":0,"code":"a","message":"b"})"),
              HasSubstr("expected is the name of an entry that no other row has"));
  EXPECT_THAT(with_row(R"({"run":{"hex":"0g"},"position":0,"code":"a","message":"b"})"),
              HasSubstr("expected is hexadecimal digits"));
  EXPECT_THAT(with_row("[]"), HasSubstr(about + "expected is an object"));
  EXPECT_THAT(with_row("{"), HasSubstr(about + "it is no JSON"));
  EXPECT_EQ(with_row(R"({"run":9,"position":0,"code":"a","message":"b"})"),
            "table flags, row 1: column run: the bundle has no 9 in its table runs");
  EXPECT_THAT(with_row(R"({"run":"1","position":0,"code":"a","message":"b"})"),
              HasSubstr("column run: expected is a number"));
  EXPECT_THAT(with_row(R"({"run":1,"position":"x","code":"a","message":"b"})"),
              HasSubstr("table flags, row 1: column position: expected is a number"));
}

TEST_F(BundleTest, has_what_its_manifest_says_and_nothing_else) {
  EXPECT_EQ(refusal_of([](auto& entries, auto&) { entries.push_back({"more.txt", "x"}); }),
            "entry more.txt: nothing refers to it");
  EXPECT_EQ(refusal_of([](auto& entries, auto&) {
              std::erase_if(entries, [](const Entry& entry) { return entry.name == "tables/facts.jsonl"; });
            }),
            "entry tables/facts.jsonl is missing");
  EXPECT_EQ(refusal_of([](auto& entries, auto& manifest) {
              std::erase_if(entries, [](const Entry& entry) { return entry.name == "tables/facts.jsonl"; });
              std::erase_if(manifest.tables, [](const TableHead& table) { return table.name == "facts"; });
            }),
            "table facts is missing");
  EXPECT_THAT(refusal_of([](auto&, auto& manifest) { manifest.schema = 999; }),
              HasSubstr("a newer netperfd made"));
  EXPECT_THAT(refusal_of([](auto&, auto& manifest) { manifest.tables.front().rows = 7; }),
              HasSubstr("and the manifest says 7"));
}

// One head of a tar and its blocks.
std::string raw_entry(std::string name, char type, const std::string& bytes, std::uint64_t size) {
  std::string head(512, '\0');
  const auto put = [&](std::size_t at, const std::string& text) { head.replace(at, text.size(), text); };
  put(0, name);
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, fmt::format("{:011o}", size));
  put(136, "00000000000");
  put(148, "        ");
  head[156] = type;
  if (type == '1' || type == '2') put(157, "/etc/passwd");
  put(257, std::string{"ustar\0"
                       "00",
                       8});
  unsigned sum = 0;
  for (const char c : head) sum += static_cast<unsigned char>(c);
  put(148, fmt::format("{:06o}", sum) + std::string{"\0 ", 2});
  return head + bytes + std::string((512 - bytes.size() % 512) % 512, '\0');
}

std::string refusal_of_tar(const std::string& tar) {
  const auto read = read_text(tar + std::string(1024, '\0'));
  return read ? "it was read" : read.error().message;
}

TEST(HostileTar, is_refused_by_the_name_of_its_entry) {
  const std::string first = raw_entry("manifest.json", '0', "{}", 2);
  for (const char* name : {"../up", "/etc/passwd", "a/../b", "a//b", "./a", "a b", "-o", ".hidden"}) {
    EXPECT_EQ(refusal_of_tar(first + raw_entry(name, '0', "x", 1)),
              fmt::format("entry \"{}\": no entry of a bundle may have this name", name));
  }
  for (const char type : {'1', '2', '3', '4', '5', '6'}) {
    EXPECT_THAT(
        refusal_of_tar(first + raw_entry("file", type, "", 0)),
        testing::AnyOf(HasSubstr("entry \"file\": it is no regular file"), HasSubstr("may have this name")))
        << type;
  }
  EXPECT_EQ(refusal_of_tar(first + first), "entry \"manifest.json\": it is there twice");
  EXPECT_THAT(refusal_of_tar(first + raw_entry("big", '0', "x", 8ULL << 30U)),
              HasSubstr("entry \"big\": with it"));
  EXPECT_THAT(refusal_of_tar(first + raw_entry("cut", '0', "x", 100'000)),
              HasSubstr("entry \"cut\": it is cut short"));
  EXPECT_EQ(refusal_of_tar(first), "its second entry is not manifest.sha256");
  EXPECT_EQ(refusal_of_tar(raw_entry("other", '0', "{}", 2)), "its first entry is not manifest.json");
}

std::string refusal_of_manifest(const std::string& text) {
  std::vector<Entry> entries;
  add_manifest({}, entries);
  entries[0].bytes = text;

  // The digest that belongs to the text.
  entries[1].bytes = reading::sha256_of(std::as_bytes(std::span(text))) + "  manifest.json\n";
  const auto read = read_text(unpacked(must(pack(entries, kOrigin.made))));
  return read ? "it was read" : read.error().message;
}

TEST(HostileTar, has_a_manifest_of_known_keys) {
  const auto& with = refusal_of_manifest;
  EXPECT_EQ(with("{}"), "entry manifest.json: key format: expected is \"netperf-bundle\"");
  EXPECT_THAT(with(std::string(100'000, '[')),
              HasSubstr("entry manifest.json: it is no JSON, or nested too deep"));
  EXPECT_THAT(with(R"({"format":"netperf-bundle","format_version":2})"),
              HasSubstr("a newer netperfd made the bundle"));
  EXPECT_THAT(with(R"({"format":"netperf-bundle","format_version":1})"),
              HasSubstr("key schema_version: expected is that it is there"));
}

// Of each, a bundle of a few megabytes would take minutes or gigabytes.
TEST(HostileTar, has_a_manifest_that_costs_little) {
  const std::string begin =
      R"({"format":"netperf-bundle","format_version":1,"schema_version":1,"netperfd":"x","host":"x",)"
      R"("made":"2026-01-31T23:59:59Z","redacted":false,"entries":[],"tables":)";
  EXPECT_THAT(refusal_of_manifest("[" + std::string(std::size_t{16} << 20U, ' ') + "]"),
              HasSubstr("it is too large: it has more than 16 MiB"));
  std::string tables, columns, keys;
  for (int i = 0; i < 1001; ++i) tables += R"({"name":"runs","columns":["a"],"rows":0},)";
  for (int i = 0; i < 1001; ++i) columns += R"("a",)";
  EXPECT_THAT(refusal_of_manifest(begin + "[" + tables + "0]}"), HasSubstr("a list of at most 1000 tables"));
  EXPECT_THAT(refusal_of_manifest(begin + R"([{"name":"runs","columns":[)" + columns + R"("a"],"rows":0}]})"),
              HasSubstr("a list of at most 1000 texts"));
  // A list that is searched for each key would take the square of their number.
  for (int i = 0; i < 200'000; ++i) keys += fmt::format("\"{}\":0,", i);
  EXPECT_THAT(refusal_of_manifest("{" + keys + "\"x\":0}"), HasSubstr("key format: expected is"));
}

}  // namespace
}  // namespace netperfd::bundle
