# SPDX-License-Identifier: GPL-2.0-or-later
# cmake -DFOLDER=FOLDER -DOUTPUT=FILE.cpp -P embed.cmake
# Writes the script and the style of a flame graph as C++ raw strings. Both stand in CDATA sections.
foreach(part script.js style.css)
  file(READ "${FOLDER}/${part}" text)
  if(text MATCHES "\\]\\]>" OR text MATCHES "\\)embedded")
    message(FATAL_ERROR "${FOLDER}/${part}: it may not contain the end of a CDATA section or of its raw string")
  endif()
  string(REGEX REPLACE "\\..*" "" name "${part}")
  string(APPEND parts "
std::string_view embedded_${name}() {
  return R\"embedded(${text})embedded\";
}
")
endforeach()
file(WRITE "${OUTPUT}" "// Made from client/flame at build.
#include \"client/flame/embedded.hpp\"

namespace netperfctl::flame {
${parts}
}  // namespace netperfctl::flame
")
