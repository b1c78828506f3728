// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/options.hpp"

#include <fmt/format.h>
#include <getopt.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace netperfd {
namespace {

constexpr std::array kTexts{
    OptionText{"config", "FILE", "read FILE instead of /etc/netperfd/netperfd.yaml"},
    OptionText{"check", "", "check the configuration and all scenarios, then leave"},
    OptionText{
        "cleanup", "",
        "put tracefs and the side of a design back as a netperfd that died had found them, then leave"},
    OptionText{"reread", "",
               "read the documents of all stored runs again, print what would change of their figures, then "
               "leave; the database stays as it is, and netperfd may be running"},
    OptionText{"apply", "",
               "with --reread: store these changes, after a copy of the database was made; netperfd must "
               "not be running"},
    OptionText{"version", "", "print the version"},
    OptionText{"help", "", "print this"},
};

void print_usage(std::FILE* file) {
  fmt::print(file,
             "Usage: netperfd [--config FILE] [--check | --cleanup | --reread [--apply]]\n"
             "Network measurement daemon; systemd starts it. See netperfctl for measuring.\n\n");
  for (const OptionText& option : kTexts)
    fmt::print(file, "  {:<15}{}\n", fmt::format("--{} {}", option.name, option.value), option.about);
}

}  // namespace

std::span<const OptionText> option_texts() {
  return kTexts;
}

std::expected<Options, int> parse_options(int argc, char** argv) {
  constexpr std::array<option, 8> kLong{{{"config", required_argument, nullptr, 'c'},
                                         {"check", no_argument, nullptr, 'k'},
                                         {"cleanup", no_argument, nullptr, 'u'},
                                         {"reread", no_argument, nullptr, 'r'},
                                         {"apply", no_argument, nullptr, 'a'},
                                         {"version", no_argument, nullptr, 'v'},
                                         {"help", no_argument, nullptr, 'h'},
                                         {nullptr, 0, nullptr, 0}}};
  Options options;
  for (;;) {
    // One thread only.
    const int found = getopt_long(argc, argv, "", kLong.data(), nullptr);  // NOLINT(concurrency-mt-unsafe)
    switch (found) {
      case -1:
        if (optind != argc) {
          fmt::print(stderr, "netperfd: unexpected argument \"{}\"\n", argv[optind]);
          return std::unexpected(2);
        }
        if (options.apply && !options.reread) {
          fmt::print(stderr, "netperfd: --apply stores what --reread finds: say both\n");
          return std::unexpected(2);
        }
        return options;
      case 'c':
        options.config = optarg;
        break;
      case 'k':
        options.check = true;
        break;
      case 'u':
        options.clean_up = true;
        break;
      case 'r':
        options.reread = true;
        break;
      case 'a':
        options.apply = true;
        break;
      case 'v':
        fmt::print("netperfd {}\n", NETPERFD_VERSION);
        return std::unexpected(EXIT_SUCCESS);
      case 'h':
        print_usage(stdout);
        return std::unexpected(EXIT_SUCCESS);
      default:
        print_usage(stderr);
        return std::unexpected(2);
    }
  }
}

}  // namespace netperfd
