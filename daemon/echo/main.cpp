// SPDX-License-Identifier: GPL-2.0-or-later
// netperfd-echo: how long requests take to a server and back.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "daemon/echo/lines.hpp"
#include "daemon/echo/options.hpp"
#include "daemon/echo/prober.hpp"
#include "daemon/echo/server.hpp"
#include "daemon/model/echo_session.hpp"

namespace netperfd::echo {
namespace {

int complain(const Error& error) {
  fmt::print(stderr, "netperfd-echo: {}\n", error.message);
  return EXIT_FAILURE;
}

int serve(const ServeOptions& options) {
  const auto stop = signal_descriptor({SIGTERM, SIGINT});
  if (!stop) return complain(stop.error());
  auto server = Server::open(options);
  if (!server) return complain(server.error());
  const Address address = server->address();
  fmt::print("Listening on {} port {}\n", address.text(), address.port());
  std::fflush(stdout);
  const Status done = server->run(*stop);
  return done ? EXIT_SUCCESS : complain(done.error());
}

int run_probe(const ProbeOptions& options, Ns begin) {
  const auto stop = signal_descriptor({SIGTERM, SIGINT});
  if (!stop) return complain(stop.error());
  // Two real-time signals at one time are two, unlike others.
  const auto phases = signal_descriptor({SIGUSR1, SIGRTMIN});
  if (!phases) return complain(phases.error());
  const Status done = probe(options, *stop, *phases, begin);
  if (done) return EXIT_SUCCESS;
  fmt::print("{}", error_line(done.error().message));
  return EXIT_FAILURE;
}

int run(Options& options, Ns begin) {
  const auto session = parse_session(std::getenv(kEchoSessionVariable));  // NOLINT(concurrency-mt-unsafe)
  if (auto* const serving = std::get_if<ServeOptions>(&options)) {
    serving->session = session;
    return serve(*serving);
  }
  if (auto* const probing = std::get_if<ProbeOptions>(&options)) {
    probing->session = session;
    return run_probe(*probing, begin);
  }
  if (std::holds_alternative<Help>(options)) {
    fmt::print("{}", usage());
  } else {
    fmt::print("netperfd-echo {}\n", NETPERFD_VERSION);
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace netperfd::echo

int main(int argc, char** argv) {
  namespace echo = netperfd::echo;
  const echo::Ns begin = echo::read_clocks().monotonic;
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  auto options = echo::parse_options(arguments);
  if (options) return echo::run(*options, begin);
  fmt::print(stderr, "netperfd-echo: {}\n", options.error().message);
  return 2;
}
