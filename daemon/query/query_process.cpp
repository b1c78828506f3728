// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/query/query_process.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <iterator>
#include <optional>

#include "daemon/base/fd.hpp"
#include "daemon/confined/command_line.hpp"
#include "daemon/confined/memory.hpp"

namespace netperfd::query {
namespace {

// The command line: program, kQueryFlag, these.
enum Position { database_at = 2, confinement_at };

// An answer begins with one of these: kAnswer and the bytes, or kError, the error's kind and its text.
constexpr char kAnswer = 'A';
constexpr char kError = 'E';
constexpr char kFirstKind = '0';
constexpr int kLastKind = static_cast<int>(ErrorKind::internal);

// Exit codes. With the first, an answer was given.
constexpr int kDone = 0;
constexpr int kUnable = 1;

void write_out(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) ::_exit(kUnable);  // nobody reads any more
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

[[noreturn]] void end_with(std::string_view flag, const Error& error) {
  if (flag == kStreamFlag) ::_exit(kUnable);
  const char head[] = {kError, static_cast<char>(kFirstKind + static_cast<int>(error.kind))};
  write_out({head, sizeof head});
  write_out(error.message);
  // Skip exit handlers: they belong to the daemon's program, which has not started here.
  ::_exit(kDone);
}

// Of when_memory_is_missing(). The texts are made before memory is missing.
std::string memory_flag;
Error memory_error;

void end_without_memory() {
  end_with(memory_flag, memory_error);
}

// The snapshot that is read keeps the log of the database from being emptied, so nobody may hold it for ever.
Status write_in_time(std::string_view bytes) {
  constexpr unsigned kSeconds = 60;
  (void)::alarm(kSeconds);  // its signal ends the process
  write_out(bytes);
  (void)::alarm(0);
  return {};
}

Result<std::string> answer(std::string_view flag, const QueryFunctions& functions, core::RunQueries& queries,
                           std::string_view request) {
  try {
    if (flag == kStreamFlag) {
      const auto streamed = functions.stream(queries, request, write_in_time);
      ::_exit(streamed && *streamed ? kDone : kUnable);
    }
    return functions.answer(queries, request);
  } catch (const std::exception& error) {
    return fail(ErrorKind::internal, fmt::format("the query failed: {}", error.what()));
  }
}

}  // namespace

std::vector<std::string> query_argv(std::string_view flag, const confined::Confinement& confinement,
                                    const std::string& database) {
  std::vector<std::string> argv{"netperfd", std::string(flag), database};
  std::ranges::move(confined::to_words(confinement), std::back_inserter(argv));
  return argv;
}

int run_query(int argc, char** argv, const QueryFunctions& functions) {
  const std::string_view flag = argv[1];
  if (argc != confinement_at + static_cast<int>(confined::kConfinementWords)) ::_exit(kUnable);
  const auto confinement = confined::from_words(argv + confinement_at);
  if (!confinement) ::_exit(kUnable);
  if (const auto closed = confined::close_inherited(); !closed) end_with(flag, closed.error());
  const auto queries = functions.open(argv[database_at]);
  if (!queries) end_with(flag, queries.error());
  if (auto done = confined::confine(*confinement, confined::Task::read_database); !done) {
    end_with(flag, {ErrorKind::internal, fmt::format("the process of a query: {}", done.error().message)});
  }
  Result<std::string> request;
  if (flag != kCandidateFlag) request = read_file(Fd{STDIN_FILENO}, "the request", kRequestBytes);
  if (!request) end_with(flag, request.error());
  memory_flag = flag;
  memory_error = {ErrorKind::unsupported, "the query takes more memory than it may; ask about fewer runs"};
  confined::when_memory_is_missing(end_without_memory);
  const auto answered = answer(flag, functions, **queries, *request);
  if (!answered) end_with(flag, answered.error());
  write_out({&kAnswer, 1});
  write_out(*answered);
  ::_exit(kDone);
}

Result<std::string> read_answer(std::string_view bytes) {
  if (!bytes.empty() && bytes.front() == kAnswer) return std::string(bytes.substr(1));
  if (bytes.size() >= 2 && bytes.front() == kError) {
    const int kind = bytes[1] - kFirstKind;
    constexpr std::size_t kLongestError = std::size_t{16} << 10U;
    if (kind >= 0 && kind <= kLastKind) {
      return fail(static_cast<ErrorKind>(kind), std::string(bytes.substr(2, kLongestError)));
    }
  }
  return fail(ErrorKind::internal, "the process of the query gave no answer");
}

}  // namespace netperfd::query
