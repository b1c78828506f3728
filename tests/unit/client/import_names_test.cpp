// SPDX-License-Identifier: GPL-2.0-or-later
// What the client tells the daemon of the files to import, and which of them it takes for documents.
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "client/base/document_peek.hpp"
#include "client/base/owned_fd.hpp"
#include "client/terminal/file_name.hpp"
#include "client/terminal/text.hpp"

namespace netperfctl {
namespace {

using testing::EndsWith;
using testing::StartsWith;

TEST(SentFileName, is_the_path_as_it_was_given) {
  EXPECT_EQ(sent_file_name("../lab/client.json"), "../lab/client.json");
}

TEST(SentFileName, escapes_what_is_not_printable) {
  EXPECT_EQ(sent_file_name("a\nb\x1b[2J\xff"), R"(a\x0ab\x1b[2J\xff)");
}

TEST(SentFileName, is_the_last_part_of_a_long_path) {
  EXPECT_EQ(sent_file_name(std::string(250, 'd') + "/client.json"), "client.json");
}

TEST(SentFileName, is_the_end_of_a_long_name_and_still_text) {
  std::string name;
  for (int i = 0; i < 127; ++i) name += "\u00e4";
  name += "\x01.json";  // 260 bytes on the disk are impossible, 263 escaped ones are not
  const std::string sent = sent_file_name(name);
  EXPECT_LE(sent.size(), 255U);
  EXPECT_GT(sent.size(), 250U);
  EXPECT_TRUE(is_utf8(sent)) << sent;
  EXPECT_THAT(sent, StartsWith("...\u00e4"));
  EXPECT_THAT(sent, EndsWith(R"(\x01.json)"));
}

OwnedFd file_of(std::string_view bytes) {
  OwnedFd file{::memfd_create("peek", MFD_CLOEXEC)};
  EXPECT_EQ(::write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  return file;
}
std::string text_of(const std::filesystem::path& path) {
  std::ifstream in{path};
  return {std::istreambuf_iterator<char>(in), {}};
}
bool is_document(std::string_view bytes) {
  return looks_like_document(file_of(bytes).get());
}
bool is_trace(std::string_view bytes) {
  return looks_like_trace(file_of(bytes).get());
}

std::string gzip(std::string text) {
  z_stream stream{};
  constexpr int kWithGzipHeader = 15 + 16;
  EXPECT_EQ(::deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kWithGzipHeader, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(::deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(packed.size() - stream.avail_out);
  ::deflateEnd(&stream);
  return packed;
}

std::string zstd(const std::string& text) {
  std::string packed(::ZSTD_compressBound(text.size()), '\0');
  packed.resize(::ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 1));
  return packed;
}

constexpr const char* kDocument = "iperf 3.12\n{\n\t\"start\": {}\n}\n";
constexpr const char* kTrace = "# tracer: function_graph\n 0)   0.5 us    |  hsr_rx();\n";

TEST(DocumentPeek, tells_a_document_from_a_trace) {
  EXPECT_TRUE(is_document(kDocument));
  EXPECT_TRUE(is_document("{}"));
  EXPECT_FALSE(is_document(kTrace));
  EXPECT_FALSE(is_document(std::string("\x17\x08\x44tracing\n{\0", 13))) << "a trace.dat";
  EXPECT_FALSE(is_document(""));
}

// Both tracers' texts, with and without their heads.
TEST(DocumentPeek, tells_a_trace_from_what_is_no_part_of_a_run) {
  for (const std::string_view text :
       {std::string_view{kTrace}, std::string_view{"cpus=2\n"},
        std::string_view{" 0)               |  hsr_rx() {\n 0)   0.5 us    |  }\n"},
        std::string_view{"  iperf3-312     [001] ..s1.    11.275768: napi_poll: napi poll on ...\n"},
        std::string_view{"\x17\x08\x44tracing6\0", 12},
        std::string_view{"\xff\xfe#\0 \0t\0r\0a\0c\0e\0r\0:\0", 20}})
    EXPECT_TRUE(is_trace(text)) << text;
  EXPECT_TRUE(is_trace(gzip(kTrace)));
  EXPECT_TRUE(is_trace(zstd(kTrace)));
  for (const std::string_view text :
       {std::string_view{""}, std::string_view{kDocument}, std::string_view{"nothing that anybody knows\n"},
        std::string_view{"figure,side,value\ncpu,a,1\n"},
        std::string_view{"[  5]   0.00-1.00   sec  1.17 GBytes  10.1 Gbits/sec\n"},
        std::string_view{"manifest.json\0: cpus=4 ); \0ustar", 33}})
    EXPECT_FALSE(is_trace(text)) << text;
}

// The recorded ones as they are and from their middle on, as trace_pipe gives them.
TEST(DocumentPeek, knows_the_texts_of_traces_that_the_daemon_reads) {
  std::size_t traces = 0;
  const std::filesystem::path data{NETPERFD_TEST_DATA};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data / "trace-functions")) {
    if (entry.path().filename() != "trace.txt") continue;
    const std::string text = text_of(entry.path());
    EXPECT_TRUE(is_trace(text)) << entry.path();
    EXPECT_TRUE(is_trace(std::string_view{text}.substr(text.size() / 2))) << entry.path();
    ++traces;
  }
  EXPECT_GT(traces, 1U);
  for (const auto& entry : std::filesystem::directory_iterator(data / "trace-text")) {
    if (entry.path().extension() == ".txt") EXPECT_TRUE(is_trace(text_of(entry.path()))) << entry.path();
  }
}

TEST(DocumentPeek, sees_through_gzip_and_zstd) {
  EXPECT_TRUE(is_document(gzip(kDocument)));
  EXPECT_TRUE(is_document(zstd(kDocument)));
  EXPECT_FALSE(is_document(gzip(kTrace)));
  EXPECT_FALSE(is_document(zstd(kTrace)));
}

TEST(DocumentPeek, sees_the_beginning_of_what_is_longer_than_it_looks_at) {
  std::string noise;  // which does not shrink, so that the packed file is long too
  for (unsigned i = 0; noise.size() < (1U << 20U); i = i * 1664525U + 1013904223U)
    noise += static_cast<char>('0' + i % 64);
  EXPECT_TRUE(is_document(gzip(kDocument + noise)));
  EXPECT_TRUE(is_document(zstd(kDocument + noise)));
  EXPECT_FALSE(is_document(gzip(noise + '\n' + kDocument)));
}

TEST(DocumentPeek, of_a_bomb_and_of_a_damaged_file_is_bounded) {
  EXPECT_FALSE(is_document(gzip(std::string(std::size_t{64} << 20U, 'x'))));
  EXPECT_FALSE(is_document("\x1f\x8b"));
  EXPECT_FALSE(is_document("\x1f\x8b garbage"));
  EXPECT_FALSE(is_document("\x28\xb5\x2f\xfd garbage"));
}

}  // namespace
}  // namespace netperfctl
