// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "manual/pages.hpp"

namespace netperfd::manual {
namespace {

using boost::property_tree::ptree;

// A comment of the XML: "Name:", a line "@argument: words" for each argument, then text.
struct Comment {
  std::string words;
  std::map<std::string, std::string> arguments;
};

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \n") - first + 1);
}

Comment read(const std::string& text) {
  const std::string all = trimmed(text);
  Comment comment;
  std::istringstream lines{all.substr(all.find(':') + 1)};
  std::string* into = &comment.words;
  for (std::string line; std::getline(lines, line);) {
    const std::string words = trimmed(line);
    if (words.starts_with('@')) {
      const auto colon = words.find(':');
      into = &comment.arguments[words.substr(1, colon - 1)];
      *into = trimmed(words.substr(colon + 1));
      continue;
    }
    if (words.empty()) into = &comment.words;
    *into += words.empty() ? "\n\n" : "\n" + words;
  }
  return comment;
}

std::string signature(const ptree& member, std::string_view direction, std::string_view without) {
  std::string list;
  for (const auto& [tag, argument] : member) {
    if (tag != "arg") continue;
    if (argument.get("<xmlattr>.direction", std::string{without}) != direction) continue;
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", argument.get<std::string>("<xmlattr>.name"),
                        argument.get<std::string>("<xmlattr>.type"));
  }
  return "(" + list + ")";
}

void add_member(Page& page, const std::string& tag, const ptree& member, const Comment& comment) {
  const auto name = member.get<std::string>("<xmlattr>.name");
  if (tag == "property") {
    page.subsection(fmt::format("property {} {}", name, member.get<std::string>("<xmlattr>.type")));
  } else if (tag == "signal") {
    page.subsection(fmt::format("signal {}{}", name, signature(member, "out", "out")));
  } else {
    page.subsection(fmt::format("method {}{} -> {}", name, signature(member, "in", "in"),
                                signature(member, "out", "in")));
  }
  page.text(comment.words);
  for (const auto& [child, argument] : member) {
    if (child != "arg") continue;
    const auto of = argument.get<std::string>("<xmlattr>.name");
    if (const auto words = comment.arguments.find(of); words != comment.arguments.end())
      page.term(of, words->second);
  }
}

void add_interface(Page& page, const std::string& xml) {
  std::istringstream text{xml};
  ptree tree;
  boost::property_tree::read_xml(text, tree);
  std::string about;
  for (const auto& [tag, interface] : tree.get_child("node")) {
    if (tag == "<xmlcomment>") about = interface.data();
    if (tag != "interface") continue;
    page.section(interface.get<std::string>("<xmlattr>.name"));
    page.text(read(about).words);
    std::string comment;
    for (const auto& [kind, member] : interface) {
      if (kind == "<xmlcomment>") comment = member.data();
      if (kind != "method" && kind != "signal" && kind != "property") continue;
      add_member(page, kind, member, read(comment));
      comment.clear();
    }
  }
}

}  // namespace

Page bus_page(const std::vector<std::string>& interfaces) {
  Page page("org.netperfd1", 5, "D-Bus interface of netperfd");
  page.section("DESCRIPTION");
  page.text(
      "netperfd(8) owns the name org.netperfd1 on the system bus. The object /org/netperfd1 has the "
      "interface "
      "org.netperfd1.Manager, and each live job is an object /org/netperfd1/job/NUMBER with the interface "
      "org.netperfd1.Job. This page has the text of the interfaces' XML files, which are installed in "
      "/usr/share/dbus-1/interfaces. Types are written as D-Bus signatures.\n\nA row (`a{sv}`) holds only "
      "known values: an absent key means unknown, never 0. Times are microseconds since 1970 (keys ending in "
      "_us) unless they end in _s (seconds). A text that is too long is cut.\n\nThe interface only grows: no "
      "method, key or error is removed or changes its meaning.");
  for (const std::string& xml : interfaces) add_interface(page, xml);
  page.see_also(std::vector<std::string>{"netperfctl(1)", "busctl(1)", "netperfd(8)"});
  return page;
}

}  // namespace netperfd::manual
