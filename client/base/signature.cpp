// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/base/signature.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "client/base/owned_fd.hpp"

namespace netperfctl {
namespace {

constexpr const char* kNamespace = "netperfd";  // a signature for another purpose does not count

std::unexpected<Failure> not_run(int error) {
  return fail(Exit::other, fmt::format("ssh-keygen: {}; it is in Debian's package openssh-client",
                                       std::generic_category().message(error)));
}

// Runs ssh-keygen with `in` as its standard input; -1: that of this process. Returns its exit code and what
// it printed; it explains errors itself.
Outcome<std::pair<int, std::string>> run_keygen(std::vector<std::string> words, int in) {
  std::array<int, 2> pipe{-1, -1};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return not_run(errno);
  const OwnedFd out{pipe[0]};
  OwnedFd end{pipe[1]};
  words.insert(words.begin(), "ssh-keygen");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions{};
  ::posix_spawn_file_actions_init(&actions);
  if (in >= 0) ::posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, end.get(), STDOUT_FILENO);
  pid_t process = -1;
  const int error = ::posix_spawnp(&process, "ssh-keygen", &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  end = OwnedFd{-1};
  if (error != 0) return not_run(error);
  std::string printed;
  std::array<char, 512> piece{};
  for (ssize_t got = 1; got > 0 || (got < 0 && errno == EINTR);) {
    got = ::read(out.get(), piece.data(), piece.size());
    if (got > 0) printed.append(piece.data(), static_cast<std::size_t>(got));
  }
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return std::pair{WIFEXITED(status) ? WEXITSTATUS(status) : -1, std::move(printed)};
}

}  // namespace

Outcome<void> sign_file(const std::string& key, const std::string& file) {
  // ssh-keygen asks before it replaces one.
  if (::unlink((file + ".sig").c_str()) != 0 && errno != ENOENT)
    return fail(Exit::other, fmt::format("{}.sig: {}", file, std::generic_category().message(errno)));
  const auto signed_it = run_keygen({"-Y", "sign", "-q", "-f", key, "-n", kNamespace, "--", file}, -1);
  if (!signed_it) return std::unexpected(signed_it.error());
  if (signed_it->first == 0) return {};
  return fail(Exit::other, fmt::format("{} is written, but ssh-keygen could not sign it with {}", file, key));
}

Outcome<std::string> verify_file(const std::string& allowed_signers, const std::string& file, int fd) {
  const std::string signature = file + ".sig";
  const auto found = run_keygen({"-Y", "find-principals", "-s", signature, "-f", allowed_signers}, -1);
  if (!found) return std::unexpected(found.error());
  std::string signer = found->second.substr(0, found->second.find('\n'));
  if (found->first != 0 || signer.empty()) {
    return fail(Exit::other, fmt::format("{}: its signature {} is of no key in {}; nothing is imported", file,
                                         signature, allowed_signers));
  }
  const auto verified = run_keygen(
      {"-Y", "verify", "-f", allowed_signers, "-I", signer, "-n", kNamespace, "-s", signature}, fd);
  if (!verified) return std::unexpected(verified.error());
  if (verified->first == 0) return signer;
  return fail(Exit::other, fmt::format("{}: it is not what {} signed, or not for {}; nothing is imported",
                                       file, signer, kNamespace));
}

}  // namespace netperfctl
