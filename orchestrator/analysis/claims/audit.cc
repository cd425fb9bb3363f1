// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/claims/audit.h"

#include <algorithm>
#include <cmath>

#include "orchestrator/analysis/knee/knee.h"
#include "orchestrator/analysis/models/superlinear.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/model/money.h"

namespace kneepoint {
namespace {

// Speedups and K in sentences: three digits, and all of them from 1000 on.
std::string amount(double value) {
  return value < 1000 ? number_text(value) : fixed_text(value, 0);
}

std::string unit_of(const Claim& claim) {
  return claim.worker.empty() ? "worker" : claim.worker == "gpu" ? "GPU" : claim.worker;
}

// "256 GPUs"
std::string workers(const Claim& claim, int count) {
  return std::to_string(count) + " " + unit_of(claim) + (count == 1 ? "" : "s");
}

// Plain words: what the claim comes to.
std::string claim_summary(const Claim& claim, const ClaimNumbers& numbers) {
  const ClaimNumber* last = numbers.last();
  if (last == nullptr) {
    return "The claim has no number beyond its baseline: there is nothing to judge.";
  }
  const double r = static_cast<double>(last->k) / numbers.k0;
  const double idle = last->k * (1 - last->efficiency);
  const bool weak = claim.mode == Mode::weak || numbers.by_weak;
  std::string text = amount(last->speedup) +
                     (weak ? " times the results per hour on " : " times as fast on ") +
                     workers(claim, last->k);
  if (numbers.k0 > 1) text += " as on " + std::to_string(numbers.k0);
  text += " is an efficiency of " + fixed_text(last->efficiency, 3) + ".";
  if (idle >= 0.5) {
    text += " They do the work of " + amount(last->k * last->efficiency) +
            (r < last->k ? " at the baseline's pace" : "") + ": " +
            std::to_string(static_cast<int>(std::lround(idle))) + " of the " +
            std::to_string(last->k) + " do nothing useful, and a result takes " +
            fixed_text(1 / last->efficiency, 2) + " times the " + unit_of(claim) + "-hours.";
  }
  return text;
}

constexpr int kEnoughRepeats = 5;
constexpr double kSameEfficiency = 0.01;
constexpr double kHardly = 0.1;  // times that change by less are about the same
constexpr double kTrend = 1.5;   // of the serial share, from the first K to the last
constexpr int kLeastTrendK = 4;  // below it the share is mostly noise

class Audit {
 public:
  Audit(const Claim& claim, double floor) : claim_(claim), floor_(floor) {
    out_.numbers = claim_numbers(claim, floor);
  }

  ClaimAudit run() {
    regime();
    consistency();
    baseline();
    baseline_quality();
    times();
    efficiency();
    superlinear();
    serial();
    knee();
    repeats();
    stated("held_fixed", claim_.held_fixed, "what stays the same when K grows",
           "What exactly is held fixed from one K to the next: total problem, problem per worker, "
           "batch size, number of steps, input data?");
    stated("timed", claim_.timed, "what the time covers",
           "What does the time cover: start, reading of data, compilation, checkpoints, the whole "
           "job, or the fastest steps only?");
    stated("answer", claim_.answer, "whether the answer is as good",
           "Is the answer the same at every K: precision, accuracy or loss reached, and number of "
           "steps to get there?");
    price();
    out_.summary = claim_summary(claim_, out_.numbers);
    for (const RuleFinding& one : out_.findings) {
      if (!one.question.empty()) out_.questions.push_back(one.question);
    }
    return std::move(out_);
  }

 private:
  void add(const char* rule, RuleVerdict verdict, std::string sentence, std::string question = "") {
    out_.findings.push_back({rule, verdict, std::move(sentence), std::move(question)});
  }

  void stated(const char* rule, const std::string& text, const std::string& what,
              const char* question) {
    if (text.empty()) {
      add(rule, RuleVerdict::missing, "The claim does not say " + what + ".", question);
    } else {
      add(rule, RuleVerdict::ok, "Stated: " + text + ".");
    }
  }

  // How times go that don't fall as those of a fixed problem would.
  std::string weak_words() const {
    const auto [first, last] = timed_range(claim_);
    if (first == nullptr) return "are not given";
    const double change = *last->seconds / *first->seconds - 1;
    if (std::abs(change) <= kHardly) return "hardly change with K";
    return (change > 0 ? "grow by " : "fall by only ") + fixed_text(100 * std::abs(change), 0) +
           "% from K=" + std::to_string(first->k) + " to K=" + std::to_string(last->k);
  }

  void regime() {
    const Reading reading = reading_of_times(claim_);
    if (!claim_.mode) {
      std::string sentence =
          "The claim does not say whether the total problem was fixed (strong) "
          "or grew with K (weak).";
      if (const ClaimNumber* last = out_.numbers.last(); last != nullptr && !last->seconds) {
        const double r = static_cast<double>(last->k) / out_.numbers.k0;
        sentence += " Read as strong: one problem is done " + amount(last->speedup) +
                    " times as fast. Read as weak: " + amount(r) + " times the problem takes " +
                    fixed_text(r / last->speedup, 2) +
                    " times as long. Both give the same efficiency, and mean different things to "
                    "a buyer.";
      } else if (reading == Reading::strong) {
        sentence += " The times fall as K grows, as those of a fixed problem do.";
      } else if (reading == Reading::weak) {
        sentence += " The times " + weak_words() + ", as those of a growing problem do.";
      }
      add("regime", RuleVerdict::missing, sentence,
          "Was the total problem the same at every K (strong scaling), or did it grow with K "
          "(weak scaling)?");
      return;
    }
    const bool strong = *claim_.mode == Mode::strong;
    if ((strong && reading == Reading::weak) || (!strong && reading == Reading::strong)) {
      add("regime", RuleVerdict::suspicious,
          std::string("Stated as ") + to_string(*claim_.mode) + ", but the times " +
              (strong ? weak_words() + ", as those of a problem that grows do."
                      : "fall as K grows, as those of a fixed problem do."),
          "The times look like those of the other regime: what was the size of the problem at "
          "each K?");
      return;
    }
    add("regime", RuleVerdict::ok,
        strong ? "Stated: strong, the total problem is fixed."
               : "Stated: weak, the problem grows with K.");
  }

  void consistency() {
    for (const SpeedupCheck& check : check_speedups(claim_)) {
      const bool strong =
          claim_.mode.value_or(check.fits_weak ? Mode::weak : Mode::strong) == Mode::strong;
      if (strong ? check.fits_strong : check.fits_weak) continue;
      const std::string at = "At K=" + std::to_string(check.k) + " the claim says " +
                             amount(check.stated) + " times; its times give " +
                             amount(check.strong) + " (strong) or " + amount(check.weak) +
                             " (weak)";
      add("consistency", RuleVerdict::contradicted,
          at + (strong && check.fits_weak ? ": the speedup counts a problem that grew with K, "
                                            "though the claim says strong."
                                          : "."),
          "How was the speedup computed from the times?");
      return;
    }
    for (const ClaimPoint& point : claim_.points) {
      if (!point.efficiency) continue;
      const ClaimNumber* at = nullptr;
      for (const ClaimNumber& one : out_.numbers.points) {
        if (one.k == point.k) at = &one;
      }
      if (at == nullptr || std::abs(at->efficiency - *point.efficiency) <= kSameEfficiency)
        continue;
      add("consistency", RuleVerdict::contradicted,
          "At K=" + std::to_string(point.k) + " the claim says an efficiency of " +
              fixed_text(*point.efficiency, 3) + "; its speedup over K=" +
              std::to_string(out_.numbers.k0) + " gives " + fixed_text(at->efficiency, 3) + ".",
          "How was the efficiency computed, and relative to what?");
      return;
    }
    add("consistency", RuleVerdict::ok, "The numbers that are stated don't contradict each other.");
  }

  void baseline() {
    const ClaimNumbers& n = out_.numbers;
    if (!n.k0_stated) {
      add("baseline", RuleVerdict::missing,
          "The claim does not say relative to what it is: one worker is assumed here.",
          "Relative to how many workers is the speedup, and what is the time there in seconds?");
    } else if (n.k0 > 1) {
      const ClaimNumber* last = n.last();
      std::string sentence = "It is relative to " + workers(claim_, n.k0) +
                             ", which flatters: against one worker every efficiency is lower by "
                             "the efficiency of K=" +
                             std::to_string(n.k0) + ".";
      if (last != nullptr && last->serial.value_or(0) > 0) {
        const double e = 1 / (1 + *last->serial * (last->k - 1));
        sentence += " By Amdahl's law the " + fixed_text(last->efficiency, 3) +
                    " at K=" + std::to_string(last->k) + " would be " + fixed_text(e, 3) + ".";
      }
      add("baseline", RuleVerdict::suspicious, sentence,
          "What is the time on one worker, or why can't it be measured?");
    } else {
      add("baseline", RuleVerdict::ok, "It is relative to one worker.");
    }
  }

  void baseline_quality() {
    const ClaimBaseline& b = claim_.baseline;
    std::string wrong;
    const auto no = [&](const std::optional<bool>& truth, const char* text) {
      if (truth && !*truth) wrong += (wrong.empty() ? "" : ", ") + std::string(text);
    };
    no(b.measured, "it was not measured");
    no(b.optimised, "it is not the best that one worker can do");
    no(b.same_program, "it is another program");
    if (!wrong.empty()) {
      add("baseline_quality", RuleVerdict::suspicious,
          "The baseline is weak (" + wrong + "): a slow baseline makes any speedup.",
          "What does the same, optimised program take on the baseline, measured?");
    } else if (b.optimised && b.measured) {
      add("baseline_quality", RuleVerdict::ok,
          "The baseline was measured with the best program for it" +
              (b.what.empty() ? "." : ": " + b.what + "."));
    } else {
      add("baseline_quality", RuleVerdict::missing,
          "The claim does not say whether the baseline was " +
              std::string(b.measured ? "" : "measured") +
              (b.measured || b.optimised ? "" : ", and ") +
              (b.optimised  ? ""
               : b.measured ? "the best program for one worker"
                            : "with the best program for one worker") +
              ".",
          "Was the baseline measured, with the same program, optimised for one worker and with all "
          "its cores and memory used?");
    }
  }

  void times() {
    if (timed_range(claim_).first != nullptr) {
      add("times", RuleVerdict::ok, "It states times, not ratios alone.");
    } else {
      add("times", RuleVerdict::missing,
          "It states ratios only. Without one time in seconds nobody can tell whether it is fast.",
          "What are the times in seconds at every K?");
    }
  }

  void efficiency() {
    const ClaimNumber* last = out_.numbers.last();
    if (last == nullptr) {
      add("efficiency", RuleVerdict::missing, "The claim has no K beyond its baseline.",
          "What is the time or the speedup at more than one K?");
      return;
    }
    const bool good = reaches(last->efficiency, floor_);
    add("efficiency", good ? RuleVerdict::ok : RuleVerdict::suspicious,
        "E=" + fixed_text(last->efficiency, 3) + " at K=" + std::to_string(last->k) +
            (good ? ", not below " : ", below ") + "the floor of " + fixed_text(floor_, 2) + ".");
  }

  void superlinear() {
    for (const ClaimNumber& at : out_.numbers.points) {
      if (at.efficiency <= kSuperlinear) continue;
      add("superlinear", RuleVerdict::suspicious,
          "E=" + fixed_text(at.efficiency, 3) + " at K=" + std::to_string(at.k) +
              " is more than ideal. That has a cause: a slow baseline (swapping, cold caches, "
              "fewer cores), less work at large K, or data that fits in cache from some K on.",
          "Why is it more than " + std::to_string(at.k / out_.numbers.k0) +
              " times as fast? Was the same work done, and did the baseline fit in memory?");
      return;
    }
    if (out_.numbers.last() != nullptr) {
      add("superlinear", RuleVerdict::ok, "No K is faster than ideal.");
    }
  }

  void serial() {
    const ClaimNumbers& n = out_.numbers;
    const ClaimNumber* last = n.last();
    if (last == nullptr || !last->serial) return;
    if (*last->serial <= 0) return;  // superlinear() speaks of it
    std::string sentence = "By Amdahl's law (Karp-Flatt) " + fixed_text(100 * *last->serial, 2) +
                           "% of the work is serial or overhead, so no number of workers would "
                           "give more than " +
                           amount(*n.implied_ceiling) + " times.";
    const ClaimNumber* first = nullptr;
    for (const ClaimNumber& at : n.points) {
      if (at.k >= kLeastTrendK * n.k0 && at.serial.value_or(0) > 0 && first == nullptr) first = &at;
    }
    if (first == nullptr || first == last) {
      add("serial_share", RuleVerdict::ok, sentence);
      return;
    }
    const double trend = *last->serial / *first->serial;
    if (trend < 1 / kTrend) {
      add("serial_share", RuleVerdict::suspicious,
          sentence + " The share falls from " + fixed_text(100 * *first->serial, 2) +
              "% at K=" + std::to_string(first->k) + ": a slow baseline does that.",
          "Why does the overhead per worker fall with K?");
      return;
    }
    add("serial_share", RuleVerdict::ok,
        sentence + (trend > kTrend
                        ? " The share grows with K (" + fixed_text(100 * *first->serial, 2) +
                              "% at K=" + std::to_string(first->k) + "): so does communication."
                        : " The share is about the same at every K."));
  }

  void knee() {
    const ClaimNumbers& n = out_.numbers;
    const ClaimNumber* last = n.last();
    if (last == nullptr) return;
    const std::string of = "E=" + fixed_text(floor_, 2);
    if (n.points.size() + 1 < 3) {
      std::string sentence = "One K shows no knee.";
      if (n.implied_knee) {
        sentence += " If Amdahl's law held, E would fall to " + fixed_text(floor_, 2) +
                    " at K=" + amount(*n.implied_knee) + ".";
      }
      add("knee", RuleVerdict::missing, sentence,
          "What are the times at K=1, 2, 4, 8 and so on up to the largest, so that the knee can "
          "be seen?");
    } else if (n.knee_beyond) {
      add("knee", RuleVerdict::ok,
          "E stays at or above " + fixed_text(floor_, 2) + " up to K=" + std::to_string(last->k) +
              ".");
    } else {
      int within = n.k0;  // the largest K of the claim that is worth it
      for (const ClaimNumber& at : n.points) {
        if (at.k <= *n.knee) within = at.k;
      }
      add("knee", RuleVerdict::suspicious,
          "The knee (" + of + ") is at K=" + amount(*n.knee) +
              ": the K=" + std::to_string(last->k) + " of the claim is " +
              fixed_text(last->k / *n.knee, 1) + " times as large as what is worth paying for.",
          "What does the same money do as several jobs of K=" + std::to_string(within) +
              " side by side?");
    }
  }

  void repeats() {
    if (claim_.repeats && *claim_.repeats >= kEnoughRepeats) {
      add("repeats", RuleVerdict::ok,
          "Every K was run at least " + std::to_string(*claim_.repeats) + " times.");
    } else if (claim_.repeats && *claim_.repeats > 1) {
      add("repeats", RuleVerdict::suspicious,
          std::string(claim_.measured_here ? "At some K there are no more than "
                                           : "No more than ") +
              std::to_string(*claim_.repeats) + " runs" +
              (claim_.measured_here ? "" : " at each K") +
              "; below 5 an interval is not worth much.",
          "Can you run every K at least 5 times, and send the time of each run?");
    } else if (!claim_.interval.empty()) {
      add("repeats", RuleVerdict::ok, "An interval is stated: " + claim_.interval + ".");
    } else {
      add("repeats", RuleVerdict::missing,
          claim_.repeats ? "One run at each K: nobody can tell the number from luck."
                         : "No repeats and no interval: nobody can tell the number from luck.",
          "How often was every K run, what are the times of the single runs, and were slow runs "
          "left out?");
    }
  }

  void price() {
    const ClaimNumber* last = out_.numbers.last();
    if (last == nullptr) return;
    const std::string more = fixed_text(1 / last->efficiency, 2);
    if (!claim_.price_per_worker_hour) {
      add("price", RuleVerdict::missing,
          "No price is stated. Whatever it is, a result at K=" + std::to_string(last->k) +
              " takes " + more + " times the " + unit_of(claim_) +
              "-hours that it takes at K=" + std::to_string(out_.numbers.k0) + ".",
          "What does a " + unit_of(claim_) + "-hour cost, and what is billed beside it?");
      return;
    }
    const double hour = to_units(*claim_.price_per_worker_hour);
    std::string sentence = "A " + unit_of(claim_) + "-hour costs " + fixed_text(hour, 2) + " " +
                           claim_.currency + ", a result at K=" + std::to_string(last->k) + " " +
                           more + " times what it costs at K=" + std::to_string(out_.numbers.k0);
    if (last->seconds) {
      sentence +=
          ": " +
          rounded_text({round_micros(hour * last->k * *last->seconds / 3600), claim_.currency}) +
          " a run";
    }
    add("price", RuleVerdict::ok, sentence + ".");
  }

  const Claim& claim_;
  const double floor_;
  ClaimAudit out_;
};

}  // namespace

const char* to_string(RuleVerdict verdict) {
  constexpr const char* kWords[] = {"ok", "missing", "suspicious", "contradicted"};
  return kWords[static_cast<int>(verdict)];
}

int ClaimAudit::count(RuleVerdict verdict) const {
  return static_cast<int>(
      std::count_if(findings.begin(), findings.end(),
                    [&](const RuleFinding& one) { return one.verdict == verdict; }));
}

ClaimAudit audit_claim(const Claim& claim, double floor) {
  return Audit(claim, floor).run();
}

}  // namespace kneepoint
