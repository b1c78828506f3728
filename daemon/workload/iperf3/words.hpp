// SPDX-License-Identifier: GPL-2.0-or-later
// Sentences on why a run is not a measurement, followed by iperf3's own words.
#pragma once

#include <string>
#include <string_view>

#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::workload {

// Whether these are iperf3's words for a client that was ended by a signal.
[[nodiscard]] bool says_client_was_stopped(std::string_view words);

// The test that failed. An imported document may name neither its server nor its protocol; the sentence then
// leaves them out.
struct Explained {
  const TestSpec& asked;
  bool protocol_known = true;
};

// Whether these are iperf3's words for a server that is busy, or that does not take the connection, which
// may pass. A name that is not known, or an address of our own that cannot be used, is a mistake instead.
[[nodiscard]] ServerAbsence absence_in(std::string_view words);

// Whether these are iperf3's words for something that each further run of the job would meet too: an option
// that iperf3, the kernel or the server does not take, or a name or address that does not exist.
[[nodiscard]] bool will_repeat(std::string_view words, const TestSpec& asked);

// The meaning of `words`, an error of iperf3: `the server refused the connection (10.0.0.2 port 5201): iperf3
// says "..."`.
[[nodiscard]] std::string explain(std::string_view words, const Explained& test);

// `sentence: iperf3 says "words"`, or only the sentence without words. Words of any bytes are turned into
// short, valid text.
[[nodiscard]] std::string with_words(std::string sentence, std::string_view words);

// iperf3's words in text that is not a document: the rest of its first line "iperf3: ..." or, if there is
// none and iperf3 alone has written it, its first line.
enum class TextOf { iperf3, anybody };
[[nodiscard]] std::string words_in_text(std::string_view text, TextOf source);

}  // namespace netperfd::workload
