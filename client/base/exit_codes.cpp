// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/base/exit_codes.hpp"

#include <array>

namespace netperfctl {

std::span<const ExitCode> exit_codes() {
  static constexpr std::array kCodes{
      ExitCode{Exit::ok, "success"},
      ExitCode{Exit::other, "any other error"},
      ExitCode{Exit::usage,
               "the command line or the job is wrong, or the job asks for something that this machine cannot "
               "do, or is known not to end in an answer (`--force`): nothing was changed"},
      ExitCode{Exit::unreachable, "the daemon cannot be reached, or it went away while it was followed"},
      ExitCode{Exit::denied, "not allowed"},
      ExitCode{Exit::not_found, "no such run, job, scenario, document or event"},
      ExitCode{Exit::inconclusive,
               "the comparison gave no answer: inconclusive, too few runs, or a refused verdict"},
      ExitCode{Exit::run_failed,
               "a run of the job failed, or the machine could not be brought back to its original side"},
      ExitCode{Exit::regression, "the comparison found a regression or a trade-off"},
      ExitCode{Exit::quota, "the user has as much as one user may have (`limits.user` of netperfd.yaml)"},
      ExitCode{Exit::canceled, "somebody canceled the job"},
      ExitCode{Exit::difference, "the self-test found a difference between two equal sides"},
      ExitCode{Exit::damaged, "the store is damaged"},
      ExitCode{Exit::interrupted, "Ctrl-C, whether it left the job running or stopped it"},
  };
  return kCodes;
}

}  // namespace netperfctl
