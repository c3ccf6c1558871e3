// How families are packed into groups, `bnlr.design.pack` the only caller. `twins.py` gives the same
// numbers with NumPy.
#include <algorithm>
#include <vector>

#include "kernels.hpp"

namespace bnlr::design {

namespace {

// Puts families together: each joins the group that grows least, while it stays small enough.
//
// Family k has `axes[ends[k]:ends[k + 1]]` with `cards` at the same places. Returns the families
// group by group, their ends, places in `axes` of the groups' axes, and their ends.
auto py_join(const Places& axes, const Places& cards, const Places& ends, Index largest) {
  const Index n = bnlr::rows(ends) - 1;
  require(ends(n) <= bnlr::rows(axes) && bnlr::rows(cards) == bnlr::rows(axes),
          "axes, cards and ends do not fit");
  std::vector<std::vector<Index>> families, joint;
  std::vector<Index> sizes;
  const auto holds = [&](Index g, Index axis) {
    return std::any_of(joint[g].begin(), joint[g].end(), [&](Index at) { return axes(at) == axis; });
  };
  {
    nb::gil_scoped_release released;
    for (Index k = 0; k < n; ++k) {
      const auto n_groups = static_cast<Index>(sizes.size());
      Index best = n_groups, least = largest + 1;
      for (Index g = 0; g < n_groups; ++g) {
        Index growth = 1;
        for (Index a = ends(k); a < ends(k + 1) && sizes[g] * growth <= largest; ++a)
          growth *= holds(g, axes(a)) ? 1 : cards(a);
        if (growth < least && sizes[g] * growth <= largest) {
          best = g;
          least = growth;
        }
      }
      if (best == n_groups) {
        families.emplace_back();
        joint.emplace_back();
        sizes.push_back(1);
      }
      families[best].push_back(k);
      for (Index a = ends(k); a < ends(k + 1); ++a)
        if (!holds(best, axes(a))) {
          joint[best].push_back(a);
          sizes[best] *= cards(a);
        }
    }
  }
  std::vector<Index> order, family_ends{0}, places, place_ends{0};
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    order.insert(order.end(), families[g].begin(), families[g].end());
    places.insert(places.end(), joint[g].begin(), joint[g].end());
    family_ends.push_back(static_cast<Index>(order.size()));
    place_ends.push_back(static_cast<Index>(places.size()));
  }
  return nb::make_tuple(to_numpy(std::move(order)), to_numpy(std::move(family_ends)),
                        to_numpy(std::move(places)), to_numpy(std::move(place_ends)));
}

// Fills `cells` with the family cells that each group cell holds, one a family.
//
// Families and `groups` as in and from `join`; the table of family k starts at `firsts[k]`.
void py_members(const Places& axes, const Places& cards, const Places& ends, const Places& firsts,
                const std::tuple<Places, Places, Places, Places>& groups, const Places& offsets,
                const Vector<Index>& cells) {
  const auto& [order, families, joint, joint_ends] = groups;
  Index needed = 0;
  for (Index g = 0; g + 1 < bnlr::rows(offsets); ++g)
    needed += (offsets(g + 1) - offsets(g)) * (families(g + 1) - families(g));
  require(needed == bnlr::rows(cells), "cells: one a group cell and family");
  Index at = 0;
  for (Index g = 0; g + 1 < bnlr::rows(offsets); ++g) {
    const Index n_axes = joint_ends(g + 1) - joint_ends(g), n_families = families(g + 1) - families(g);
    const Index *own = order.data() + families(g), *shared = joint.data() + joint_ends(g);
    std::vector<Index> strides(n_axes * n_families), digits(n_axes), here(n_families);
    for (Index k = 0; k < n_families; ++k) {
      Index stride = 1;
      here[k] = firsts(own[k]);
      for (Index a = ends(own[k] + 1) - 1; a >= ends(own[k]); --a) {
        for (Index axis = 0; axis < n_axes; ++axis)
          if (axes(shared[axis]) == axes(a)) strides[axis * n_families + k] = stride;
        stride *= cards(a);
      }
    }
    for (Index cell = offsets(g); cell < offsets(g + 1); ++cell) {
      for (Index k = 0; k < n_families; ++k) cells(at + k) = here[k];
      at += n_families;
      // Count up as an odometer does: dividing would take longer than all the rest.
      for (Index axis = n_axes - 1; axis >= 0; --axis) {
        const Index card = cards(shared[axis]);
        const bool turns = ++digits[axis] == card;
        const Index step = turns ? 1 - card : 1;
        for (Index k = 0; k < n_families; ++k) here[k] += step * strides[axis * n_families + k];
        if (!turns) break;
        digits[axis] = 0;
      }
    }
  }
}

}  // namespace

void bind_packing(nb::module_& m) {
  m.attr("IS_COMPILED") = true;
  m.def("join", &py_join, array("axes"), array("cards"), array("ends"), "largest"_a);
  m.def("members", &py_members, array("axes"), array("cards"), array("ends"), array("firsts"),
        array("groups"), array("offsets"), array("cells"), Released());
}

}  // namespace bnlr::design
