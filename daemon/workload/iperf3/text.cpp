// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "daemon/model/imported_file.hpp"
#include "daemon/workload/iperf3/text_facts.hpp"
#include "daemon/workload/iperf3/text_row.hpp"
#include "daemon/workload/iperf3/text_test.hpp"
#include "daemon/workload/text_scan.hpp"

namespace netperfd::workload {
namespace {

constexpr std::size_t kLongestLine = 4'096;

bool is_of_iperf2(std::string_view line) {
  return line.starts_with("Client connecting to ") || line.starts_with("Server listening on TCP port ") ||
         line.starts_with("Server listening on UDP port ");
}

// Reads line by line, and passes on each test when it is over.
class TextReader {
 public:
  TextReader(std::string_view bytes, const std::function<Status(TextTest)>& take)
      : rest_(bytes), take_(take) {}

  Status read() {
    while (!rest_.empty()) {
      const std::string_view line = take_text_line(rest_);
      ++line_;
      if (Status done = line.size() > kLongestLine ? Status{} : read_line(line); !done) return done;
      keep(line);
    }
    if (Status done = close(); !done) return done;
    if (tests_ > 0) return {};
    if (!first_words_.empty())
      return refuse(words_line_, fmt::format("iperf3 says \"{}\", and there is no test", first_words_));
    return fail(
        ErrorKind::invalid_argument,
        "there is no test of iperf3 in it: expected are its rows of intervals, such as "
        "`[  5]   0.00-1.00   sec  112 MBytes   941 Mbits/sec`, and those of its end, with `sender` or "
        "`receiver`");
  }

 private:
  Status read_line(std::string_view line) {
    if (is_of_iperf2(trimmed(line)))
      return refuse(line_, "it is a text of iperf 2; expected is one of iperf3, or its JSON");
    TextRow row;
    switch (read_text_row(trimmed(line), row)) {
      case TextRowKind::figures:
        return by_far_side_ ? Status{} : read_row(line, row);
      case TextRowKind::out_of_order:
        if (!by_far_side_) test_.add_out_of_order(row);
        return {};
      case TextRowKind::unreadable:
        if (!by_far_side_) test_.add_unreadable(line_);
        return {};
      case TextRowKind::other:
        break;
    }
    if (const auto table = table_of(line)) return read_table(*table);
    return read_head(line);
  }

  Status read_table(TextTable table) {
    if (by_far_side_) return {};
    if (test_.has_end()) {
      if (Status done = close(); !done) return done;
    }
    test_.begin_table(table);
    return {};
  }

  Status read_row(std::string_view line, const TextRow& row) {
    if (done_) {
      if (Status closed = close(); !closed) return closed;
    }
    if (test_.rows() >= kMostIntervalsOfFile)
      return refuse(line_, fmt::format("the test has more than {} rows", kMostIntervalsOfFile));
    rows_ += trimmed(line.substr(line.find('[')));
    rows_ += '\n';
    if (test_.add(row)) return {};
    // Ends alone, as grep leaves them, are told apart by nothing else.
    if (!test_.has_head && row.side != TextSide::none) {
      if (Status closed = close(); !closed) return closed;
      if (test_.add(row)) return {};
    }
    return refuse(line_,
                  "the row is of another test than those before it: the lines of two tests are mixed; "
                  "expected is the text of one iperf3 after the other");
  }

  // Each of these lines stands at the begin of a test, or tells something of it.
  Status read_head(std::string_view line) {
    if (const auto scan = after(line, "Connecting to host ")) return read_connection(*scan, false);
    if (const auto scan = after(line, "Accepted connection from ")) {
      return by_far_side_ ? Status{} : read_connection(*scan, true);
    }
    if (after(line, "Server listening on ")) return close();
    if (after(line, "iperf Done.")) {
      done_ = true;
      return {};
    }
    if (after(line, "Server output:")) by_far_side_ = true;
    if (by_far_side_) return {};
    if (const auto words = after(line, "iperf3: ")) return read_words(words->rest());
    if (Status read = read_version(line); !read) return read;
    read_fact(line);
    return {};
  }

  Status read_connection(TextScan scan, bool of_server) {
    if (test_.has_head && !test_.has_rows() && test_.document.errors.empty()) {
      return refuse(line_,
                    "a test begins before the one above it has any row: the lines of two tests are "
                    "mixed; expected is the text of one iperf3 after the other");
    }
    if (test_.has_head || test_.has_rows() || !test_.document.errors.empty()) {
      if (Status closed = close(); !closed) return closed;
    }
    test_.has_head = true;
    test_.document.of_server = of_server;
    auto endpoint = take_endpoint(scan);
    if (!of_server) test_.document.asked = std::move(endpoint);
    return {};
  }

  // A client that finds no server prints nothing before it. A server that is ended between two tests says so.
  Status read_words(std::string_view words) {
    constexpr std::string_view kError = "error - ";
    if (done_) {
      if (Status closed = close(); !closed) return closed;
    }
    const bool is_error = words.starts_with(kError);
    if (is_error) words.remove_prefix(kError.size());
    if (first_words_.empty()) {
      first_words_ = short_text(words);
      words_line_ = line_;
    }
    if (is_error || test_.has_head || test_.has_rows()) test_.document.errors.emplace_back(words);
    return {};
  }

  // The line on the host follows that on the version, behind the same prefix.
  Status read_version(std::string_view line) {
    constexpr std::string_view kProgram = "iperf ";
    constexpr std::size_t kLongest = 20;
    if (version_prefix_) {
      test_.document.system = short_text(line.substr(std::min(*version_prefix_, line.size())));
      system_line_ = std::string(line) + '\n';
      version_prefix_.reset();
    }
    const std::size_t at = line.find("iperf 3.");
    if (at == std::string_view::npos || line.size() - at > kLongest) return {};
    if (test_.has_rows()) {
      if (Status closed = close(); !closed) return closed;
    }
    test_.document.version = short_text(line.substr(at + kProgram.size()));
    version_line_ = std::string(line) + '\n';
    version_prefix_ = at;
    return {};
  }

  void read_fact(std::string_view line) {
    Iperf3Document& document = test_.document;
    if (auto scan = after(line, "] local ")) {
      rows_ += trimmed(scan->rest());
      rows_ += '\n';
      auto near = take_endpoint(*scan);
      scan->blanks();
      if (!scan->text("connected to") || document.client) return;
      auto far = take_endpoint(*scan);
      // Without a line above it, iperf3's usual port tells the server.
      constexpr std::uint16_t kPort = 5201;
      if (!test_.has_head && near && far && near->port == kPort && far->port != kPort)
        document.of_server = true;
      document.client = std::move(document.of_server ? far : near);
      document.server = std::move(document.of_server ? near : far);
    } else if (after(line, "Reverse mode, remote host ")) {
      test_.reverse = true;
    } else if (after(line, "Test Complete. Summary Results:")) {
      test_.begin_end();
    } else if (scan = after(line, "Starting Test: "); scan) {
      test_.has_options = true;
      take_options(*scan, document);
    } else if (scan = after(line, "Time: "); scan) {
      document.start_s = take_time(*scan);
    } else if (scan = after(line, "Control connection MSS "); scan) {
      document.mss_bytes = scan->count();
    } else if (scan = after(line, "TCP MSS: "); scan) {
      take_mss(*scan, document);
    } else if (scan = after(line, "Target Bitrate: "); scan) {
      document.bitrate = scan->count();
    } else if (scan = after(line, "CPU Utilization:"); scan) {
      take_cpu(*scan, document);
      if (document.of_server) std::swap(document.cpu_host_percent, document.cpu_remote_percent);
    } else if (scan = after(line, "snd_tcp_congestion "); scan) {
      document.sender_congestion = short_text(scan->rest());
    } else if (scan = after(line, "rcv_tcp_congestion "); scan) {
      take_receiver_congestion(*scan, document);
    }
  }

  void keep(std::string_view line) {
    if (text_.empty()) first_line_ = line_;
    text_ += line;
    text_ += '\n';
  }

  // The test that was read so far is over.
  Status close() {
    const bool is_test = test_.has_rows() || !test_.document.errors.empty();
    std::string text = std::exchange(text_, {});
    std::string rows = std::exchange(rows_, {});
    TextTestBuilder test = std::exchange(test_, {});
    done_ = by_far_side_ = false;
    if (!is_test || test.document.of_server) {
      test_.document.version = test.document.version;
      test_.document.system = test.document.system;
    }
    if (!is_test) return {};
    if (!test.has_end() && test.document.errors.empty()) {
      return refuse(line_,
                    "the text of the test ends here without its sums, which are known only from the "
                    "rows at its end, with `sender` or `receiver`");
    }
    const bool has_rows = test.has_rows();
    if (has_rows && !seen_.insert(std::move(rows)).second) return {};
    ++tests_;
    auto [document, flags] = std::move(test).build();
    if (!document.version.empty() && text.find(version_line_) == std::string::npos)
      text.insert(0, version_line_ + system_line_);
    return take_({.document = std::move(document),
                  .flags = std::move(flags),
                  .text = std::move(text),
                  .first_line = first_line_,
                  .last_line = line_});
  }

  static Status refuse(std::size_t line, std::string_view why) {
    return fail(ErrorKind::invalid_argument, fmt::format("line {}: {}", line, why));
  }

  std::string_view rest_;
  const std::function<Status(TextTest)>& take_;
  TextTestBuilder test_;
  std::string text_, rows_;  // of the test
  std::size_t line_ = 0, first_line_ = 1, words_line_ = 0;
  bool done_ = false;                          // "iperf Done."
  bool by_far_side_ = false;                   // below "Server output:"
  std::optional<std::size_t> version_prefix_;  // of the line before
  std::string version_line_, system_line_;     // a server prints them once
  std::string first_words_;
  std::set<std::string> seen_;  // the rows of each test
  std::size_t tests_ = 0;
};

// A tool's JSON keeps an output as a text in which the ends of lines are escaped.
std::optional<std::string> unescaped(std::string_view bytes) {
  if (bytes.find("\\n[") == std::string_view::npos) return std::nullopt;
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char next = bytes[i] == '\\' && i + 1 < bytes.size() ? bytes[i + 1] : '\0';
    if (next == 'n' || next == 't' || next == '"') {
      text += next == 'n' ? '\n' : next == 't' ? ' ' : '"';
      ++i;
    } else {
      text += bytes[i];
    }
  }
  return text;
}

}  // namespace

Status read_text_tests(std::string_view bytes, const std::function<Status(TextTest)>& take) {
  const auto text = unescaped(bytes);
  return TextReader(text ? std::string_view(*text) : bytes, take).read();
}

}  // namespace netperfd::workload
