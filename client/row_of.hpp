// Which view a visitor of its fields was given, const or not.
#pragma once

#include <concepts>
#include <type_traits>

namespace netperfctl {

template <class Row, class View>
concept RowOf = std::same_as<std::remove_cvref_t<Row>, View>;

}  // namespace netperfctl
