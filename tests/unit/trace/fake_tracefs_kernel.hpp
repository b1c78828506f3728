// What the fake's files hold before anybody writes, for the two halves of the fake.
#pragma once

#include <map>
#include <string>

#include "tests/unit/trace/fake_tracefs.hpp"

namespace netperfd::trace {

// `file` of a trace directory; `directory` is "" for the top.
[[nodiscard]] std::string below(const std::string& directory, const std::string& file);

// Of a new trace directory, by name below it.
[[nodiscard]] std::map<std::string, std::string> new_files(const FakeKernel& kernel, bool top);
// Those that only the top has.
[[nodiscard]] std::map<std::string, std::string> top_files(const FakeKernel& kernel);

// "skb:kfree_skb" of "events/skb/kfree_skb/FILE", else empty.
[[nodiscard]] std::string event_of(const FakePlace& place);

}  // namespace netperfd::trace
