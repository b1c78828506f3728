// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/named_netns.hpp"

#include <fcntl.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "daemon/counters/fact_sheet.hpp"
#include "daemon/counters/namespace_sockets.hpp"

namespace netperfd::counters {

std::optional<int> number_of_netns(const Fd& route, const Fd& netns) {
  std::array<char, 64> buffer{};
  nlmsghdr* request = mnl_nlmsg_put_header(buffer.data());
  request->nlmsg_type = RTM_GETNSID;
  (void)mnl_nlmsg_put_extra_header(request, sizeof(rtgenmsg));
  mnl_attr_put_u32(request, NETNSA_FD, static_cast<std::uint32_t>(netns.get()));
  std::optional<int> found;
  const auto asked = ask_kernel(route, *request, false, [&](const nlmsghdr* message) {
    if (message->nlmsg_type != RTM_NEWNSID) return;
    for_each_attribute(message, sizeof(rtgenmsg), [&](const nlattr* attribute) {
      int number = 0;
      if (mnl_attr_get_type(attribute) != NETNSA_NSID ||
          mnl_attr_get_payload_len(attribute) != sizeof number) {
        return;
      }
      std::memcpy(&number, mnl_attr_get_payload(attribute), sizeof number);
      found = number;
    });
  });
  return asked && found && *found >= 0 ? found : std::nullopt;
}

std::optional<NamedNetns> find_named_netns(const Fd& route, int number, const std::string& directory) {
  constexpr std::size_t kMostNames = 256;
  std::vector<std::string> names = names_in(directory);
  if (names.size() > kMostNames) names.resize(kMostNames);
  for (const std::string& name : names) {
    std::string path = directory + "/" + name;
    const Fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file && number_of_netns(route, file) == number) return NamedNetns{name, std::move(path)};
  }
  return std::nullopt;
}

}  // namespace netperfd::counters
