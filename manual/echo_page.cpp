// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/echo/options.hpp"
#include "manual/pages.hpp"

namespace netperfd::manual {
namespace {

using Term = std::pair<std::string_view, std::string_view>;

constexpr std::array kEvents{
    Term{"start",
         "The first request is due now. `server` and `client` are the addresses, `same_clock` says whether "
         "both "
         "ends have one wall clock, that is, run on one kernel, and `greeting_s` is the time from the start "
         "of the "
         "program until now. `probes` repeats the options."},
    Term{"phase", "A phase began, at SIGUSR1 or SIGRTMIN."},
    Term{"interval",
         "The figures of one probe from `start_s` to `end_s`: of the requests that were sent in this time. "
         "It is "
         "printed as soon as each of them was answered or timed out. Intervals of one probe come in order, "
         "and a "
         "phase ends an interval early."},
    Term{"end",
         "The last line. `timestamps` says where the times of arrival are from: `kernel`, `device` or, if "
         "one of them is only that of the program, `program`."},
    Term{"error", "The last line instead of `end`; `message` says what failed. Exit status 1."},
};

constexpr std::array kFigures{
    Term{"sent, received, lost",
         "Requests sent, and of these answered within the timeout and not. sent = received + lost."},
    Term{"missed",
         "Requests that were due but never sent: the prober did not run in time, or the socket had no room. "
         "A prober "
         "that wakes up late sends only the newest request, never a burst."},
    Term{"late_sends, max_send_delay_ns",
         "Requests sent more than 1 ms after they were due, and the longest such delay."},
    Term{"late, duplicates",
         "Answers after the timeout, and further answers to one request, in the interval in which they "
         "arrived."},
    Term{"reordered", "Answers to a request before one that was already answered."},
    Term{"jitter_sum_ns, jitter_count",
         "The differences, without their sign, between the round trips of consecutive answers: their sum and "
         "number."},
    Term{"spans",
         "Times in ns, with count, sum, least, greatest and a histogram. Bucket numbers below 32 are ns; "
         "above, 32 "
         "buckets of equal width lie between two powers of two. `round-trip` is the time from the send call "
         "to the "
         "arrival of the answer at this host, with the queues of this host. `there` and `back` are the two "
         "ways "
         "of it, only if both ends have one clock. `queued` is the time in the queues of this host until the "
         "driver "
         "sent the packet, of UDP and ICMP."},
    Term{"clock_steps",
         "Answers during which the wall clock was set. Their round trip is from the monotonic clock, as the "
         "program "
         "saw it, and they have no other span."},
    Term{"foreign_packets", "Received packets that answer no request of this prober."},
};

void add_options(Page& page, std::span<const echo::OptionText> options) {
  for (const echo::OptionText& option : options)
    page.term(fmt::format("--{} {}", option.name, option.value), std::string{option.about} + ".");
}

void add_terms(Page& page, std::span<const Term> terms) {
  for (const auto& [term, words] : terms) page.term(term, words);
}

void add_output(Page& page) {
  page.section("OUTPUT OF PROBE");
  page.text(
      "One JSON object per line. `event` says what it is. Times that end in `_s` are seconds since the first "
      "request "
      "was due.");
  add_terms(page, kEvents);
  page.subsection("Figures");
  add_terms(page, kFigures);
}

void add_rest(Page& page) {
  page.section("SIGNALS");
  page.term(
      "SIGUSR1, SIGRTMIN",
      "`probe`: begins the next phase. Phases are numbered from 0. Several SIGUSR1 at one time may be one; "
      "SIGRTMIN is queued.");
  page.term(
      "SIGTERM, SIGINT",
      "`probe`: sends no more, waits for outstanding answers up to the timeout, prints `end` and leaves. "
      "`serve`: leaves.");
  page.section("SECURITY");
  page.text(
      "The server needs no privilege and authenticates nobody: whoever reaches its port is answered, unless "
      "--bind or a firewall limits that. It keeps nothing about senders of datagrams. A reply is never "
      "longer than "
      "the request, and replies are never answered. It keeps at most 64 TCP connections with one message "
      "each, "
      "closes further ones, and closes one without a whole request for two minutes.\n\nProbes with "
      "protocol=icmp "
      "need no server. They use the kernel's ping sockets, so the sysctl `net.ipv4.ping_group_range` must "
      "include a "
      "group of the user, also for IPv6.");
  page.section("EXIT STATUS");
  page.term("0", "It was asked to end, or the duration is over.");
  page.term("1", "It failed, for instance because no server answered.");
  page.term("2", "The command line is wrong.");
  page.section("EXAMPLES");
  page.verbatim(std::vector<std::string>{
      "netperfd-echo serve --bind 10.0.0.2", "netperfd-echo probe --to 10.0.0.2 --duration 10s",
      "netperfd-echo probe --to 10.0.0.2 --probe rate=100,dscp=46 --probe protocol=tcp,rate=100,length=200"});
}

}  // namespace

Page echo_page() {
  Page page("netperfd-echo", 1, "measure round trips of UDP, TCP and ICMP");
  page.section("SYNOPSIS");
  page.text(
      "`netperfd-echo [serve] [OPTION...]`\n\n`netperfd-echo probe --to HOST [OPTION...]`\n\n"
      "`netperfd-echo --help | --version`");
  page.section("DESCRIPTION");
  page.text(
      "netperfd-echo measures how long a request takes to a server and back, while the network is idle or "
      "under "
      "load. netperfd(8) runs it for jobs that measure latency; it also works alone.\n\n`serve` answers "
      "requests over "
      "UDP and TCP. `probe` sends requests at a fixed rate, whether or not earlier ones were answered, so a "
      "slow "
      "network is asked as often as a fast one. Times of arrival are those of the kernel, so that they do "
      "not "
      "contain how long the program took to wake up. Each probe first waits for an answer, up to the timeout "
      "or 2 seconds, whichever is longer.");
  page.section("OPTIONS OF SERVE");
  add_options(page, echo::serve_option_texts());
  page.section("OPTIONS OF PROBE");
  page.text("TIME is a number with `ms`, `s`, `min` or `h`.");
  add_options(page, echo::probe_option_texts());
  add_output(page);
  add_rest(page);
  page.see_also(std::vector<std::string>{"netperfctl(1)", "netperfd(8)", "ping(8)", "tc-netem(8)"});
  return page;
}

}  // namespace netperfd::manual
