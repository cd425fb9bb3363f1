// SPDX-License-Identifier: Apache-2.0
//
// How each number was made, in a sentence or two; docs/methods.md derives it. A page has no
// network, so what is linked stands in it.
#include "orchestrator/report/figures/svg.h"
#include "orchestrator/report/html/parts.h"

namespace kneepoint::html {
namespace {

struct Method {
  const char *id, *name, *text, *anchor;
};

constexpr Method kMethods[] = {
    {"time", "T(K)",
     "The median over the runs at K that succeeded. T of a run is the mean of its timed "
     "iterations, each "
     "the maximum over ranks, times their number. Runs that failed enter no number; outliers are "
     "flagged, "
     "never dropped.",
     "t-and-which-runs-count"},
    {"speedup", "Speedup S",
     "Strong: T(K0)/T(K). Weak: scaled, K/K0 times T(K0)/T(K). K0 is the smallest K with a valid "
     "run.",
     "speedup-and-efficiency"},
    {"efficiency", "Efficiency E",
     "S divided by K/K0. Where the work per worker is not constant on a weak curve, E is by work, "
     "and E by time stands beside it.",
     "speedup-and-efficiency"},
    {"interval", "Intervals",
     "Over runs, never over the iterations inside one. Of T: order statistics of the median. Of E: "
     "Hodges-Lehmann for the ratio of two samples, at the level that it really has; with too few "
     "runs "
     "Welch's t on logarithms, and with one run none.",
     "intervals"},
    {"knee", "Knee and K to use",
     "The knee is where E falls to the floor, by interpolating K·T(K); its interval resamples all "
     "runs of "
     "the curve together. The K to use is the largest measured K that surely keeps the floor, with "
     "every "
     "smaller one.",
     "the-knee-rule-efficiency"},
    {"model", "Model line",
     "T = a + b/K + c·log2 K + d·(K-1) with the terms that the runs can tell apart, none below 0; "
     "ranked by "
     "AICc.",
     "models"},
    {"band", "Model band, extrapolation",
     "90% of single runs, over all models that stay plausible. Beyond the largest K measured it is "
     "extrapolated, hatched, and shown up to twice that K.",
     "predictions-beyond-the-k-measured"},
    {"breakdown", "Where the time goes",
     "From the ranks' own totals in the run whose T is the median: computing, waiting for the "
     "slowest rank, "
     "and the rest, which is communication.",
     "breakdown"},
    {"cost", "Cost",
     "What the price book bills for one run of the median T, whole nodes and billing steps "
     "included, by its "
     "results and the share of runs that succeeded. The interval is joint with that of time. A K "
     "is on the "
     "frontier if no other is both faster and cheaper.",
     "cost-of-a-result"},
    {"roofline", "Roofline",
     "Flops and bytes as the workload states them; peak and bandwidth as measured on the node.",
     "roofline-work-and-depth"},
    {"limit", "What limits it",
     "Shares of the loss at the largest K: from the breakdown where the ranks reported, else from "
     "the terms "
     "of the best model.",
     "what-the-loss-consists-of"},
};

}  // namespace

std::string methods(const Document& document) {
  std::string out = "<dl class=\"how\">";
  for (const Method& method : kMethods) {
    if (std::string_view(method.id) == "cost" && !document.cost) continue;
    out += std::string("<dt id=\"how-") + method.id + "\">" + svg::escaped(method.name) +
           "</dt><dd>" + svg::escaped(method.text) + " <code>docs/methods.md#" + method.anchor +
           "</code></dd>\n";
  }
  return out + "</dl>\n";
}

std::string method_link(std::string_view figure_name) {
  const std::string_view id = figure_name == "modes" ? "efficiency" : figure_name;
  return " <a href=\"#how-" + std::string(id) + "\">how</a>";
}

}  // namespace kneepoint::html
