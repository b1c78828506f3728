// A filter is a program for the kernel's classic BPF machine, which sees the number of a call and its
// arguments and says what becomes of it. This one compares the number with each of a list. An unknown call
// fails instead of killing the process: C libraries try new ones and fall back on others.
#include "daemon/import/call_filter.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

// 32-bit machines have several calls with other names for the same purpose and would need their own list.
#if defined(__x86_64__) || defined(__aarch64__) || (defined(__riscv) && __riscv_xlen == 64)

namespace netperfd::import {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kMachine = AUDIT_ARCH_RISCV64;
#endif

// Input and output, memory, the end, and time for deadlines.
constexpr auto kAllowed = std::to_array<std::uint32_t>({
    SYS_read,       SYS_write,         SYS_writev,          SYS_fstat,        SYS_lseek,
    SYS_close,      SYS_munmap,        SYS_mremap,          SYS_madvise,      SYS_brk,
    SYS_exit,       SYS_exit_group,    SYS_futex,           SYS_rt_sigreturn, SYS_rt_sigaction,
    SYS_getrandom,  SYS_clock_gettime, SYS_setitimer,       SYS_sched_yield,  SYS_rt_sigprocmask,
    SYS_getpid,     SYS_gettid,        SYS_restart_syscall,
#if defined(SYS_newfstatat)
    SYS_newfstatat,
#endif
#if defined(SYS_alarm)
    SYS_alarm,
#endif
});
// The third argument of these calls is the protection of the memory.
constexpr std::array<std::uint32_t, 2> kProtecting{SYS_mmap, SYS_mprotect};

// abort() sends its signal with this call. The first argument must be the own process.
constexpr std::uint32_t kSignalling = SYS_tgkill;

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;

class Filter {
 public:
  void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }
  void answer(std::uint32_t what) { add(BPF_RET | BPF_K, what); }
  // Skip that many instructions if the loaded word is `value`, is not, or has one of `bits`.
  void if_equal_skip(std::uint32_t value, std::uint8_t count) {
    code_.push_back({BPF_JMP | BPF_JEQ | BPF_K, count, 0, value});
  }
  void unless_equal_skip(std::uint32_t value, std::uint8_t count) {
    code_.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, count, value});
  }
  void if_any_skip(std::uint32_t bits, std::uint8_t count) {
    code_.push_back({BPF_JMP | BPF_JSET | BPF_K, count, 0, bits});
  }
  [[nodiscard]] sock_fprog program() { return {static_cast<unsigned short>(code_.size()), code_.data()}; }

 private:
  void add(std::uint16_t operation, std::uint32_t value) { code_.push_back({operation, 0, 0, value}); }
  std::vector<sock_filter> code_;
};

// The lower half of an argument, which holds all flags of a protection and all of a process's number.
constexpr std::size_t argument(std::size_t index) {
  const std::size_t begin = offsetof(seccomp_data, args) + index * sizeof(std::uint64_t);
  return std::endian::native == std::endian::little ? begin : begin + sizeof(std::uint32_t);
}

}  // namespace

Status filter_calls() {
  Filter filter;
  filter.load(offsetof(seccomp_data, arch));
  filter.if_equal_skip(kMachine, 1);
  filter.answer(kRefuse);
  filter.load(offsetof(seccomp_data, nr));
  for (const std::uint32_t number : kAllowed) {
    filter.unless_equal_skip(number, 1);
    filter.answer(kAllow);
  }
  for (const std::uint32_t number : kProtecting) {
    filter.unless_equal_skip(number, 4);
    filter.load(argument(2));
    filter.if_any_skip(PROT_EXEC, 1);
    filter.answer(kAllow);
    filter.answer(kRefuse);
  }
  filter.unless_equal_skip(kSignalling, 3);
  filter.load(argument(0));
  filter.unless_equal_skip(static_cast<std::uint32_t>(::getpid()), 1);
  filter.answer(kAllow);
  filter.answer(kRefuse);
  const sock_fprog program = filter.program();
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    return fail_errno("filter system calls", errno);
  }
  return {};
}

}  // namespace netperfd::import

#else

namespace netperfd::import {

Status filter_calls() {
  return fail(
      ErrorKind::unsupported,
      "files that users bring are not read on this kind of machine: netperfd does not know how to shut in "
      "a process on it");
}

}  // namespace netperfd::import

#endif
