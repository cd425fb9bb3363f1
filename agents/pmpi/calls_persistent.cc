// SPDX-License-Identifier: Apache-2.0
//
// Making and freeing persistent requests, in C and in Fortran. These calls are not counted: what
// they describe is sent by MPI_Start, where it counts.
#include "agents/pmpi/fortran.h"
#include "agents/pmpi/persistent.h"

using namespace kneepoint::pmpi;

namespace {

KP_DECLARE(Request_f2c);

MPI_Request request_of(const void* argument) {
  return KP_REAL(Request_f2c)(*static_cast<const MPI_Fint*>(argument));
}

}  // namespace

#define KP_SEND_INIT(name)                                                                         \
  extern "C" KP_EXPORT int MPI_##name(const void* buf, int count, MPI_Datatype datatype, int dest, \
                                      int tag, MPI_Comm comm, MPI_Request* request) {              \
    static Real<decltype(&PMPI_##name)> real("PMPI_" #name);                                       \
    const int code = real.get()(buf, count, datatype, dest, tag, comm, request);                   \
    if (code == MPI_SUCCESS) note_persistent(*request, sent_to(dest, count, datatype));            \
    return code;                                                                                   \
  }

#define KP_FORTRAN_SEND_INIT_ONE(symbol)                                      \
  extern "C" KP_EXPORT void symbol(KP_P8) {                                   \
    static Real<void (*)(KP_P8)> real(#symbol);                               \
    real.get()(KP_A8);                                                        \
    note_persistent(request_of(a6), sent_to(value(a3), value(a1), type(a2))); \
  }
#define KP_FORTRAN_SEND_INIT(lower)        \
  KP_FORTRAN_SEND_INIT_ONE(mpi_##lower##_) \
  KP_FORTRAN_SEND_INIT_ONE(mpi_##lower##_f08_)

#define KP_FORTRAN_FREE(symbol)                 \
  extern "C" KP_EXPORT void symbol(KP_P2) {     \
    static Real<void (*)(KP_P2)> real(#symbol); \
    forget_persistent(request_of(a0));          \
    real.get()(KP_A2);                          \
  }

#define KP_FORTRAN_START_ONE(name, symbol, n, requests, count)       \
  extern "C" KP_EXPORT void symbol(KP_P##n) {                        \
    static Real<void (*)(KP_P##n)> real(#symbol);                    \
    Call call(Operation::name);                                      \
    if (call.counts()) call.begin(started_fortran(requests, count)); \
    real.get()(KP_A##n);                                             \
  }

namespace {

std::uint64_t started_fortran(const void* requests, int count) {
  std::uint64_t sum = 0;
  for (int i = 0; i < count; ++i) {
    const MPI_Request one = request_of(static_cast<const MPI_Fint*>(requests) + i);
    sum += started(&one, 1);
  }
  return sum;
}

}  // namespace

KP_SEND_INIT(Send_init)
KP_SEND_INIT(Bsend_init)
KP_SEND_INIT(Ssend_init)
KP_SEND_INIT(Rsend_init)
KP_FORTRAN_SEND_INIT(send_init)
KP_FORTRAN_SEND_INIT(bsend_init)
KP_FORTRAN_SEND_INIT(ssend_init)
KP_FORTRAN_SEND_INIT(rsend_init)

extern "C" KP_EXPORT int MPI_Request_free(MPI_Request* request) {
  static Real<decltype(&PMPI_Request_free)> real("PMPI_Request_free");
  forget_persistent(*request);
  return real.get()(request);
}
KP_FORTRAN_FREE(mpi_request_free_)
KP_FORTRAN_FREE(mpi_request_free_f08_)

KP_CALL(Start, started(request, 1), (MPI_Request * request), (request))
KP_CALL(Startall, started(array_of_requests, count), (int count, MPI_Request array_of_requests[]),
        (count, array_of_requests))
KP_FORTRAN_START_ONE(Start, mpi_start_, 2, a0, 1)
KP_FORTRAN_START_ONE(Start, mpi_start_f08_, 2, a0, 1)
KP_FORTRAN_START_ONE(Startall, mpi_startall_, 3, a1, value(a0))
KP_FORTRAN_START_ONE(Startall, mpi_startall_f08_, 3, a1, value(a0))
