// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/sampling/rings.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <system_error>

namespace netperfd::sampling {
namespace {

// Since Linux 6.0; older headers lack it.
constexpr std::uint64_t kFormatLost = 1U << 4U;

#if defined(__x86_64__) || defined(__i386__) || defined(__powerpc64__) || defined(__s390x__)
constexpr bool kOverflowIsNmi = true;
#else
constexpr bool kOverflowIsNmi = false;  // on arm64 with pseudo-NMIs only
#endif

struct Wanted {
  std::uint32_t type;
  std::uint64_t config;
  bool counts_lost;
  bool tells_of_code;  // since Linux 5.1
  std::uint32_t rate;
  std::size_t watermark;
};

Fd open_event(const Wanted& wanted, std::uint32_t cpu) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = wanted.type;
  attributes.config = wanted.config;
  attributes.freq = 1;
  attributes.sample_freq = wanted.rate;
  attributes.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN;
  attributes.read_format = wanted.counts_lost ? kFormatLost : 0;
  attributes.exclude_callchain_user = 1;
  attributes.comm = 1;
  attributes.comm_exec = 1;
  attributes.ksymbol = wanted.tells_of_code ? 1 : 0;
  attributes.watermark = 1;
  attributes.wakeup_watermark = static_cast<std::uint32_t>(wanted.watermark);
  return Fd{static_cast<int>(
      ::syscall(SYS_perf_event_open, &attributes, -1, static_cast<int>(cpu), -1, PERF_FLAG_FD_CLOEXEC))};
}

// Whether the kernel has such an event on this CPU; what is refused for other reasons is reported later.
bool is_there(const Wanted& wanted, std::uint32_t cpu) {
  return open_event(wanted, cpu) ||
         (errno != ENOENT && errno != EOPNOTSUPP && errno != ENODEV && errno != EINVAL);
}

bool fits_into_limit(std::size_t descriptors) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && descriptors <= limit.rlim_cur / 4;
}

std::unexpected<Error> refused(std::string_view what, int error) {
  return fail(
      error == ENOENT || error == EOPNOTSUPP || error == ENOSYS ? ErrorKind::unsupported : ErrorKind::io,
      fmt::format("{}: {}", what, std::generic_category().message(error)));
}

}  // namespace

std::size_t ring_bytes(std::uint32_t rate) {
  constexpr std::size_t kSample = 24 + 40 * sizeof(std::uint64_t);
  constexpr std::size_t kSeconds = 4, kLeast = std::size_t{64} << 10U, kMost = std::size_t{512} << 10U;
  return std::bit_floor(std::clamp(kSample * kSeconds * rate, kLeast, kMost));
}

SampleRings::Mapping::~Mapping() {
  if (base_ != nullptr) (void)::munmap(base_, size_);
}

Result<SampleRings::Ring> SampleRings::map(Fd event, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t size = page + bytes;
  void* base = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, event.get(), 0);
  if (base == MAP_FAILED) return refused("mmap of a perf event", errno);
  return Ring{.event = std::move(event), .mapping = Mapping{base, size}};
}

Result<SampleRings> SampleRings::open(const std::vector<std::uint32_t>& cpus, std::uint32_t rate) {
  if (cpus.empty()) return fail(ErrorKind::io, "the CPUs are not known");
  if (!fits_into_limit(cpus.size())) {
    return fail(ErrorKind::io, "too few file descriptors are allowed for an event on every CPU");
  }
  SampleRings rings;
  rings.data_bytes_ = ring_bytes(rate);
  Wanted wanted{.type = PERF_TYPE_HARDWARE,
                .config = PERF_COUNT_HW_CPU_CYCLES,
                .counts_lost = false,
                .tells_of_code = false,
                .rate = rate,
                .watermark = rings.data_bytes_ / 2};
  if (is_there(wanted, cpus.front())) {
    rings.event_ = {.name = "cycles", .sees_interrupts_off = kOverflowIsNmi};
  } else {
    wanted.type = PERF_TYPE_SOFTWARE;
    wanted.config = PERF_COUNT_SW_CPU_CLOCK;
    rings.event_ = {.name = "cpu-clock", .sees_interrupts_off = false};
  }
  wanted.counts_lost = true;
  wanted.counts_lost = is_there(wanted, cpus.front());
  rings.counts_lost_ = wanted.counts_lost;
  wanted.tells_of_code = true;
  wanted.tells_of_code = is_there(wanted, cpus.front());
  for (const std::uint32_t cpu : cpus) {
    Fd event = open_event(wanted, cpu);
    if (!event) return refused(fmt::format("perf_event_open({}) on CPU {}", rings.event_.name, cpu), errno);
    auto ring = map(std::move(event), rings.data_bytes_);
    if (!ring) return std::unexpected(std::move(ring.error()));
    rings.rings_.push_back(std::move(*ring));
  }
  return rings;
}

std::vector<std::byte> SampleRings::take_all_of(const Ring& ring, RecordListener& listener) const {
  auto* page = static_cast<perf_event_mmap_page*>(ring.mapping.base());
  // The kernel writes the head after the records, and reads the tail before it writes over them.
  const std::uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
  const std::uint64_t tail = page->data_tail;
  const auto* data = static_cast<const std::byte*>(ring.mapping.base()) + page->data_offset;
  std::vector<std::byte> bytes;
  const bool whole = copy_out({data, data_bytes_}, tail, head, bytes);
  __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
  if (!whole) listener.damaged();
  return bytes;
}

// The kernel tells of new code in the ring of the CPU that loaded it, and any other one can run it.
void SampleRings::drain(RecordListener& listener) {
  std::vector<std::vector<std::byte>> taken;
  for (const Ring& ring : rings_) taken.push_back(take_all_of(ring, listener));
  for (const auto& bytes : taken) read_loaded_code(bytes, listener);
  for (const auto& bytes : taken) read_records(bytes, listener);
}

void SampleRings::stop() {
  for (const Ring& ring : rings_) (void)::ioctl(ring.event.get(), PERF_EVENT_IOC_DISABLE, 0);
}

std::optional<std::uint64_t> SampleRings::lost() const {
  if (!counts_lost_) return std::nullopt;
  struct {
    std::uint64_t value, lost;
  } counts{};
  std::uint64_t sum = 0;
  for (const Ring& ring : rings_) {
    if (::read(ring.event.get(), &counts, sizeof counts) == static_cast<ssize_t>(sizeof counts))
      sum += counts.lost;
  }
  return sum;
}

}  // namespace netperfd::sampling
