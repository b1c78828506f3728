// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/sampling/kernel_sampler.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "daemon/base/fd.hpp"
#include "daemon/sampling/collector.hpp"
#include "daemon/sampling/rings.hpp"
#include "daemon/trace/pid_namespace.hpp"
#include "daemon/trace/ring/event_fields.hpp"
#include "daemon/trace/traced_functions.hpp"

namespace netperfd::sampling {
namespace {

using Time = std::chrono::steady_clock;

constexpr std::size_t kLargestText = std::size_t{64} << 10U;
constexpr const char* kMostRate = "/sys/kernel/perf_event_max_sample_rate";

std::optional<std::uint32_t> number_in(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} ? std::optional(number) : std::nullopt;
}

// "0-3,8"; empty if the text is not such a list.
std::vector<std::uint32_t> cpus_in(std::string_view text) {
  constexpr std::uint32_t kMostCpus = 65'536;
  text = text.substr(0, text.find('\n'));
  std::vector<std::uint32_t> cpus;
  while (!text.empty()) {
    const std::string_view range = text.substr(0, text.find(','));
    text.remove_prefix(std::min(range.size() + 1, text.size()));
    const auto first = number_in(range);
    const auto dash = range.find('-');
    const auto last = dash == std::string_view::npos ? first : number_in(range.substr(dash + 1));
    if (!first || !last || *last >= kMostCpus) return {};
    for (std::uint32_t cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

class NoSampling final : public core::ActiveSampling {
 public:
  NoSampling(std::uint32_t rate, std::string why) : rate_(rate), why_(std::move(why)) {}
  void released() override {}
  void stop() override {}
  SampleProfile finish() override {
    SampleProfile profile;
    profile.rate = rate_;
    profile.skipped = why_;
    return profile;
  }

 private:
  std::uint32_t rate_;
  std::string why_;
};

class Sampling final : public core::ActiveSampling {
 public:
  Sampling(const SampleSpec& spec, SampleRings rings, CollectorSettings settings,
           std::shared_ptr<const trace::TracedFunctions> symbols)
      : spec_(spec),
        symbols_(std::move(symbols)),
        rings_(std::move(rings)),
        collector_(std::move(settings)) {}

  // Without it, the rings are only read at the end.
  void follow(EventLoop& loop) {
    for (std::size_t cpu = 0; cpu < rings_.cpus(); ++cpu) {
      auto source = loop.on_readable(rings_.descriptor(cpu), [this, cpu] { take(cpu); });
      sources_.push_back(source ? std::move(*source) : EventSource{});
    }
  }

  void released() override {
    rings_.drain(collector_);
    collector_.begin();
    lost_before_ = rings_.lost().value_or(0);
    began_ = Time::now();
  }

  void stop() override {
    rings_.stop();
    ended_ = Time::now();
  }

  SampleProfile finish() override {
    sources_.clear();
    rings_.drain(collector_);
    SampleProfile profile = collector_.profile();
    profile.rate = spec_.rate;
    profile.event = rings_.event().name;
    profile.sees_interrupts_off = rings_.event().sees_interrupts_off;
    profile.cpus = static_cast<std::uint32_t>(rings_.cpus());
    profile.duration_ns = static_cast<std::uint64_t>(
        std::max<std::int64_t>(std::chrono::nanoseconds(ended_ - began_).count(), 0));
    // The records of lost ones come with the next sample that finds room, which may be none.
    if (const auto lost = rings_.lost()) profile.lost = std::max(profile.lost, *lost - lost_before_);
    std::set<std::string_view> modules{""};
    for (const SampleFrame& frame : profile.frames) modules.insert(frame.module);
    profile.builds = symbols_->builds_of(modules);
    return profile;
  }

 private:
  void take(std::size_t cpu) {
    rings_.drain(collector_);
    // The event of a CPU that went offline is readable for good; its ring is read at the end.
    pollfd state{.fd = rings_.descriptor(cpu), .events = POLLIN, .revents = 0};
    if (::poll(&state, 1, 0) == 1 && (state.revents & (POLLHUP | POLLERR)) != 0) sources_[cpu].reset();
  }

  SampleSpec spec_;
  std::shared_ptr<const trace::TracedFunctions> symbols_;
  SampleRings rings_;
  Collector collector_;
  std::vector<EventSource> sources_;  // by CPU; destroyed before the rings
  std::uint64_t lost_before_ = 0;
  Time::time_point began_, ended_;
};

}  // namespace

KernelSampler::KernelSampler(EventLoop& loop, std::string proc, std::string sys)
    : loop_(loop), proc_(std::move(proc)), sys_(std::move(sys)) {}

Status KernelSampler::check(const SampleSpec& spec) {
  const auto most = number_in(read_file(proc_ + kMostRate, kLargestText).value_or(""));
  if (!most || spec.rate <= *most) return {};
  return invalid(fmt::format(
      "{} samples a second are more than this kernel allows: kernel.perf_event_max_sample_rate is {}",
      spec.rate, *most));
}

// Anew for each run, which takes a tenth of a second: BPF programs come and go, and nothing that is cheaper
// to read than their names tells of it.
Result<std::shared_ptr<const trace::TracedFunctions>> KernelSampler::read_symbols() const {
  auto symbols = trace::TracedFunctions::read(proc_, sys_, trace::Symbols::random_key());
  if (!symbols) return std::unexpected(std::move(symbols.error()));
  if ((*symbols)->symbols().size() == 0) {
    return fail(ErrorKind::unsupported, "the kernel does not show the addresses of its symbols (kallsyms)");
  }
  return std::move(*symbols);
}

std::unique_ptr<core::ActiveSampling> KernelSampler::open(const SampleSpec& spec,
                                                          const std::vector<pid_t>& workload) {
  const auto refuse = [&](std::string why) {
    return std::make_unique<NoSampling>(spec.rate, std::move(why));
  };
  if (auto allowed = check(spec); !allowed) return refuse(allowed.error().message);
  auto symbols = read_symbols();
  if (!symbols) return refuse(symbols.error().message);
  auto rings = SampleRings::open(
      cpus_in(read_file(sys_ + "/devices/system/cpu/online", kLargestText).value_or("")), spec.rate);
  if (!rings) return refuse(rings.error().message);
  CollectorSettings settings{
      .name_of = [symbols = *symbols](std::uint64_t address) -> std::optional<analysis::FunctionName> {
        if (!symbols->symbols().find_function(address)) return std::nullopt;
        return symbols->name_of(address);
      },
      .workload = {},
      .zero_is_idle = trace::is_initial_pid_namespace(proc_)};
  for (const pid_t pid : workload) {
    const std::string name = read_file(fmt::format("{}/{}/comm", proc_, pid), kLargestText).value_or("");
    settings.workload.push_back({pid, trace::safe_text(name.substr(0, name.find('\n')))});
  }
  auto sampling =
      std::make_unique<Sampling>(spec, std::move(*rings), std::move(settings), std::move(*symbols));
  sampling->follow(loop_);
  return sampling;
}

}  // namespace netperfd::sampling
