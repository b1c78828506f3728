// SPDX-License-Identifier: GPL-2.0-or-later
// A network namespace between two others that has a name, as `ip netns` gives it.
#pragma once

#include <string>

#include "tests/unit/counters/namespace_pair.hpp"

namespace netperfd::counters {

// Its devices to-client and to-server are joined by veth to a device "hop" of each; the server has the
// address 10.79.0.2 there, and the client has a route to it.
class Router {
 public:
  Router(const Namespace& client, const Namespace& server) : name_(fmt::format("test-{}", router_.pid())) {
    keep_quiet(router_);
    router_.ip({"netns", "attach", name_, fmt::format("{}", router_.pid())});
    join(client, "to-client");
    join(server, "to-server");
    client.ip({"address", "add", "10.79.0.1/24", "dev", "hop"});
    server.ip({"address", "add", "10.79.0.2/24", "dev", "hop"});
  }
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;
  ~Router() { router_.ip({"netns", "delete", name_}); }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const Namespace& netns() const { return router_; }

 private:
  void join(const Namespace& end, const std::string& device) const {
    end.ip({"link", "add", "hop", "type", "veth", "peer", "name", device, "netns",
            fmt::format("{}", router_.pid())});
    end.ip({"link", "set", "hop", "up"});
    router_.ip({"link", "set", device, "up"});
  }

  Namespace router_;
  std::string name_;
};

}  // namespace netperfd::counters
