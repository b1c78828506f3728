// What the fake's files hold before anybody writes, for the two halves of the fake.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/unit/trace/fake_tracefs.hpp"

namespace netperfd::trace {

// `file` of a trace directory; `directory` is "" for the top.
[[nodiscard]] std::string below(const std::string& directory, const std::string& file);

// Of a new trace directory, by name below it.
[[nodiscard]] std::map<std::string, std::string> new_files(const FakeKernel& kernel, bool top);
// Those that only the top has.
[[nodiscard]] std::map<std::string, std::string> top_files(const FakeKernel& kernel);

// The format file of the event "system:name" with these fields, numbers but for skbaddr and location.
[[nodiscard]] std::string format_of(const std::string& name, const std::vector<std::string>& fields);

// How a list reads that has nothing in it.
[[nodiscard]] std::string nothing_in(const std::string& file);
[[nodiscard]] bool is_function_list(const std::string& file);

// "skb:kfree_skb" of "events/skb/kfree_skb/FILE", else empty.
[[nodiscard]] std::string event_of(const FakePlace& place);

}  // namespace netperfd::trace
