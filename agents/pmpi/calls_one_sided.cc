// SPDX-License-Identifier: Apache-2.0
//
// One-sided communication and its synchronisation. Bytes are those that are put; what is fetched
// was never handed over.
#include "agents/pmpi/wrapper.h"

using namespace kneepoint::pmpi;

KP_CALL(Put, sent_to(target_rank, origin_count, origin_datatype),
        (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
         MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win),
        (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
         target_datatype, win))

KP_CALL(Accumulate, sent_to(target_rank, origin_count, origin_datatype),
        (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
         MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
         MPI_Win win),
        (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
         target_datatype, op, win))

KP_CALL(Rput, sent_to(target_rank, origin_count, origin_datatype),
        (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
         MPI_Aint target_disp, int target_cout, MPI_Datatype target_datatype, MPI_Win win,
         MPI_Request* request),
        (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_cout,
         target_datatype, win, request))

KP_CALL(Raccumulate, sent_to(target_rank, origin_count, origin_datatype),
        (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
         MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
         MPI_Win win, MPI_Request* request),
        (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
         target_datatype, op, win, request))

KP_CALL(Get, 0,
        (void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
         MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win),
        (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
         target_datatype, win))

KP_CALL(Rget, 0,
        (void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
         MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win,
         MPI_Request* request),
        (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
         target_datatype, win, request))

KP_CALL(Get_accumulate, sent(origin_count, origin_datatype),
        (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, void* result_addr,
         int result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
         int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win),
        (origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
         target_rank, target_disp, target_count, target_datatype, op, win))

KP_CALL(Rget_accumulate, sent(origin_count, origin_datatype),
        (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, void* result_addr,
         int result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
         int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
         MPI_Request* request),
        (origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
         target_rank, target_disp, target_count, target_datatype, op, win, request))

KP_CALL(Fetch_and_op, sent(1, datatype),
        (const void* origin_addr, void* result_addr, MPI_Datatype datatype, int target_rank,
         MPI_Aint target_disp, MPI_Op op, MPI_Win win),
        (origin_addr, result_addr, datatype, target_rank, target_disp, op, win))

KP_CALL(Compare_and_swap, sent(1, datatype),
        (const void* origin_addr, const void* compare_addr, void* result_addr,
         MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Win win),
        (origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp, win))

KP_CALL(Win_create, 0,
        (void* base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win),
        (base, size, disp_unit, info, comm, win))

KP_CALL(Win_allocate, 0,
        (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win),
        (size, disp_unit, info, comm, baseptr, win))

KP_CALL(Win_allocate_shared, 0,
        (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win),
        (size, disp_unit, info, comm, baseptr, win))

KP_CALL(Win_create_dynamic, 0, (MPI_Info info, MPI_Comm comm, MPI_Win* win), (info, comm, win))

KP_CALL(Win_free, 0, (MPI_Win * win), (win))

KP_CALL(Win_fence, 0, (int assert, MPI_Win win), (assert, win))

KP_CALL(Win_start, 0, (MPI_Group group, int assert, MPI_Win win), (group, assert, win))

KP_CALL(Win_complete, 0, (MPI_Win win), (win))

KP_CALL(Win_post, 0, (MPI_Group group, int assert, MPI_Win win), (group, assert, win))

KP_CALL(Win_wait, 0, (MPI_Win win), (win))

KP_CALL(Win_test, 0, (MPI_Win win, int* flag), (win, flag))

KP_CALL(Win_lock, 0, (int lock_type, int rank, int assert, MPI_Win win),
        (lock_type, rank, assert, win))

KP_CALL(Win_unlock, 0, (int rank, MPI_Win win), (rank, win))

KP_CALL(Win_lock_all, 0, (int assert, MPI_Win win), (assert, win))

KP_CALL(Win_unlock_all, 0, (MPI_Win win), (win))

KP_CALL(Win_flush, 0, (int rank, MPI_Win win), (rank, win))

KP_CALL(Win_flush_local, 0, (int rank, MPI_Win win), (rank, win))

KP_CALL(Win_flush_all, 0, (MPI_Win win), (win))

KP_CALL(Win_flush_local_all, 0, (MPI_Win win), (win))

KP_CALL(Win_sync, 0, (MPI_Win win), (win))
