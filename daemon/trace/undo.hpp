// Putting back what a journal says was changed: the same for a session that ends and for one that died.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/trace/journal.hpp"
#include "daemon/trace/tracefs.hpp"

namespace netperfd::trace {

struct Undone {
  std::vector<std::string> done;    // a clause each
  std::vector<std::string> failed;  // steps that the kernel refused; the rest was done all the same
};

// unsupported where the journal has changes and tracefs cannot be seen, as without its mount or in a sandbox
// that hides it: then nothing can be put back, though nothing is gone.
[[nodiscard]] Status check_visible(Tracefs& tracefs, const Journal& journal);

// Everything in `journal.changes()`, the last change first, but a top instance's tracing and tracer before
// all else: a filter that is emptied under a running function tracer means "every function". What is undone
// leaves the journal; what stays in changes() could not be undone and may be tried again.
//
// A setting that reads neither as before nor as the session left it was changed by somebody else in between.
// It is theirs now and stays as it is, which is among `done`. Lists are always put back: the kernel itself
// changes them, as tasks end and modules go. `proc` is where the holders of a busy instance are looked for.
[[nodiscard]] Undone undo(Tracefs& tracefs, Journal& journal, const std::string& proc);

// Tracing off, no tracer, then gone, even with events, filters and triggers set: the kernel removes those
// itself. Busy, with its holders, while a process has one of its files open.
[[nodiscard]] Undone remove_instance(Tracefs& tracefs, const std::string& directory, const std::string& proc);

// What has to be written into a setting for it to read as `before` again; empty: nothing can.
[[nodiscard]] std::string text_to_restore(std::string_view path, std::string_view before);

// The items of a list as it reads, as they are written: "f [m]" is "f:mod:m" for a function filter.
[[nodiscard]] std::vector<std::string> list_items(std::string_view path, std::string_view text);

// Whether a function list, a trigger file or a setting reads the same but for what the kernel adds on its
// own.
[[nodiscard]] bool reads_the_same(std::string_view path, std::string_view one, std::string_view other);

}  // namespace netperfd::trace
