// SPDX-License-Identifier: Apache-2.0
//
// The Fortran entry points, which Open MPI leads to PMPI and past the C names: mpif.h and `use mpi`
// call mpi_send_, `use mpi_f08` calls mpi_send_f08_. Both hand over plain addresses; the last one,
// ierror, may be absent in f08 and is passed on as it is. Names are as gfortran, ifx, flang and
// nvfortran make them.
#pragma once

#include "agents/pmpi/wrapper.h"

namespace kneepoint::pmpi {

KP_DECLARE(Type_f2c);
KP_DECLARE(Comm_f2c);

inline int value(const void* argument) {
  return static_cast<int>(*static_cast<const MPI_Fint*>(argument));
}
inline const int* list(const void* argument) {
  static_assert(sizeof(MPI_Fint) == sizeof(int), "default INTEGER of 4 bytes");
  return static_cast<const int*>(argument);
}
inline MPI_Datatype type(const void* argument) {
  return KP_REAL(Type_f2c)(*static_cast<const MPI_Fint*>(argument));
}
inline MPI_Comm comm(const void* argument) {
  return KP_REAL(Comm_f2c)(*static_cast<const MPI_Fint*>(argument));
}

bool is_fortran_in_place(const void* buffer);

inline std::uint64_t contributed_fortran(const void* buffer, int count, MPI_Datatype of, int other,
                                         MPI_Datatype other_of) {
  return is_fortran_in_place(buffer) ? sent(other, other_of) : sent(count, of);
}

}  // namespace kneepoint::pmpi

// clang-format off
#define KP_P1 void* a0
#define KP_P2 KP_P1, void* a1
#define KP_P3 KP_P2, void* a2
#define KP_P4 KP_P3, void* a3
#define KP_P5 KP_P4, void* a4
#define KP_P6 KP_P5, void* a5
#define KP_P7 KP_P6, void* a6
#define KP_P8 KP_P7, void* a7
#define KP_P9 KP_P8, void* a8
#define KP_P10 KP_P9, void* a9
#define KP_P11 KP_P10, void* a10
#define KP_P12 KP_P11, void* a11
#define KP_P13 KP_P12, void* a12
#define KP_P14 KP_P13, void* a13
#define KP_A1 a0
#define KP_A2 KP_A1, a1
#define KP_A3 KP_A2, a2
#define KP_A4 KP_A3, a3
#define KP_A5 KP_A4, a4
#define KP_A6 KP_A5, a5
#define KP_A7 KP_A6, a6
#define KP_A8 KP_A7, a7
#define KP_A9 KP_A8, a8
#define KP_A10 KP_A9, a9
#define KP_A11 KP_A10, a10
#define KP_A12 KP_A11, a11
#define KP_A13 KP_A12, a12
#define KP_A14 KP_A13, a13
// clang-format on

#define KP_FORTRAN_ONE(name, symbol, n, bytes)                        \
  extern "C" KP_EXPORT void symbol(KP_P##n) {                         \
    static Real<void (*)(KP_P##n)> real(#symbol);                     \
    Call call(Operation::name);                                       \
    if (call.counts()) call.begin(static_cast<std::uint64_t>(bytes)); \
    real.get()(KP_A##n);                                              \
  }

// `n`: arguments, ierror included.
#define KP_FORTRAN(name, lower, n, bytes)        \
  KP_FORTRAN_ONE(name, mpi_##lower##_, n, bytes) \
  KP_FORTRAN_ONE(name, mpi_##lower##_f08_, n, bytes)
