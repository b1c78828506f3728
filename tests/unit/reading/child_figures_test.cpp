// SPDX-License-Identifier: GPL-2.0-or-later
// Figures of commands, read in a real child.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <optional>
#include <string>
#include <vector>

#include "daemon/reading/child_reports.hpp"
#include "daemon/reading/figure_bytes.hpp"
#include "tests/unit/reading/support.hpp"

namespace netperfd::reading {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

DeclaredFigure figure(const std::string& name, const std::string& document, double scale = 1) {
  return {.name = name,
          .unit = "ns",
          .better = Better::lower,
          .form = FigureForm::column,
          .place = "x",
          .take = FigureTake::first,
          .document = document,
          .scale = scale};
}

class ChildFiguresTest : public testing::Test {
 protected:
  ~ChildFiguresTest() override {
    while (::waitpid(-1, nullptr, 0) > 0) {
    }
  }
  core::FigureReading::Values read(const std::vector<DeclaredFigure>& figures,
                                   const std::vector<core::FigureText>& texts) {
    std::optional<core::FigureReading::Values> result;
    ChildReports reports(loop_, test::settings());
    const auto handle =
        reports.read_figures(figures, texts, [&](auto values) { result = std::move(values); });
    if (!handle) return std::unexpected(handle.error());
    if (!test::turn_until(loop_, [&] { return result.has_value(); }))
      return fail(ErrorKind::internal, "no answer");
    return *std::move(result);
  }

  EventLoop loop_ = test::make_loop();
};

TEST_F(ChildFiguresTest, come_back_in_their_order_each_from_its_own_text) {
  const auto values =
      read({figure("a", "client.stdout"), figure("b", "file.x", 0.5), figure("c", "client.stderr")},
           {{"client.stdout", "12345"}, {"client.stderr", ""}, {"file.x", "123"}});
  ASSERT_TRUE(values) << values.error().message;
  EXPECT_THAT(*values, ElementsAre(5, 1.5, 0));
}

TEST_F(ChildFiguresTest, that_are_missing_are_told_in_the_childs_own_sentence) {
  const auto values = read({figure("rate", "file.y")}, {{"client.stdout", "12345"}});
  ASSERT_FALSE(values);
  EXPECT_EQ(values.error().kind, ErrorKind::not_found);
  EXPECT_EQ(values.error().message, "figure rate: there is no text");
}

TEST_F(ChildFiguresTest, are_finite_and_as_many_as_were_asked_for) {
  for (const char* text : {"nan", "twice"}) {
    const auto values = read({figure("rate", "client.stdout")}, {{"client.stdout", text}});
    ASSERT_FALSE(values) << text;
    EXPECT_EQ(values.error().kind, ErrorKind::invalid_argument);
    EXPECT_THAT(values.error().message, HasSubstr("damaged"));
  }
}

TEST(FigureBytes, tell_the_whole_of_an_order) {
  const std::vector<DeclaredFigure> figures{figure("a", "client.stdout", 1e-3)};
  const auto order =
      figure_order_from_bytes(to_bytes(figures, {{"client.stdout", "abc"}, {"x", "de"}}) + "abcde");
  ASSERT_TRUE(order) << order.error().message;
  EXPECT_EQ(order->figures, figures);
  ASSERT_EQ(order->texts.size(), 2U);
  EXPECT_EQ(order->texts[0].name, "client.stdout");
  EXPECT_EQ(order->texts[1].bytes.size(), 2U);
}

TEST(FigureBytes, refuse_texts_that_are_longer_than_what_is_there) {
  EXPECT_FALSE(figure_order_from_bytes(to_bytes({}, {{"client.stdout", "abc"}}) + "ab"));
  EXPECT_FALSE(figure_order_from_bytes("\xff\xff\xff"));
  EXPECT_FALSE(values_from_bytes("", 1));
  EXPECT_FALSE(values_from_bytes(to_bytes(std::vector<double>{1, 2}), 1));
}

}  // namespace
}  // namespace netperfd::reading
