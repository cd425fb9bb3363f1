// SPDX-License-Identifier: Apache-2.0
//
// kneepoint's probe: a program marks its iterations and regions and names its own numbers. Without
// an agent every function returns at once. Link with -lkneepoint-probe; C and C++, and by way of
// kneepoint_probe.f90 and kneepoint_probe.py Fortran and Python. docs/how-to/instrument.md has
// examples.
#ifndef KNEEPOINT_PROBE_H
#define KNEEPOINT_PROBE_H

#ifdef __cplusplus
extern "C" {
#endif

// One timed iteration; every rank marks the same ones. Leave warm-up out. One thread of a rank.
void kp_iteration_begin(void);
void kp_iteration_end(void);

// A named part of the program, at most 64 names and 16 deep; any thread. A name is a word of at
// most 63 characters. An end whose name is not the innermost one is ignored.
void kp_region_begin(const char* name);
void kp_region_end(const char* name);

// A number of the run; the last value of a name counts, of rank 0 if ranks differ. At most 64
// names. "time" is taken by kneepoint and ignored here.
void kp_metric(const char* name, double value, const char* unit);

// Is there an agent that listens?
int kp_enabled(void);

#ifdef __cplusplus
}
#endif

#endif
