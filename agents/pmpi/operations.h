// SPDX-License-Identifier: Apache-2.0
//
// The calls of MPI-3 that are counted, what each counts as, and its bytes: those that a rank hands
// over to be sent. A call that is not listed is not wrapped: it costs nothing and its time stays
// with the program. `other` is MPI-IO.
#pragma once

namespace kneepoint::pmpi {

enum class Kind { collective, point_to_point, wait, one_sided, other };
constexpr int kKinds = 5;
constexpr const char* kKindNames[kKinds] = {"collective", "point_to_point", "wait", "one_sided",
                                            "other"};

// X(name, name in Fortran, kind, parameters in C, parameters in Fortran, bytes). Fortran has one
// more, ierror, and the length of each text at the end. In `bytes` the parameters are a0, a1, ...,
// in either language, and the rules are those of calls.h.

// Blocking and nonblocking messages. The time of a message that is under way shows where the
// program waits for it; posting it is point-to-point.
#define KP_POINT_TO_POINT(X)                                                        \
  X(Send, send, point_to_point, 6, 7, sent_to(a3, a1, a2))                          \
  X(Bsend, bsend, point_to_point, 6, 7, sent_to(a3, a1, a2))                        \
  X(Ssend, ssend, point_to_point, 6, 7, sent_to(a3, a1, a2))                        \
  X(Rsend, rsend, point_to_point, 6, 7, sent_to(a3, a1, a2))                        \
  X(Isend, isend, point_to_point, 7, 8, sent_to(a3, a1, a2))                        \
  X(Ibsend, ibsend, point_to_point, 7, 8, sent_to(a3, a1, a2))                      \
  X(Issend, issend, point_to_point, 7, 8, sent_to(a3, a1, a2))                      \
  X(Irsend, irsend, point_to_point, 7, 8, sent_to(a3, a1, a2))                      \
  X(Recv, recv, point_to_point, 7, 8, 0)                                            \
  X(Irecv, irecv, point_to_point, 7, 8, 0)                                          \
  X(Mrecv, mrecv, point_to_point, 5, 6, 0)                                          \
  X(Imrecv, imrecv, point_to_point, 5, 6, 0)                                        \
  X(Sendrecv, sendrecv, point_to_point, 12, 13, sent_to(a3, a1, a2))                \
  X(Sendrecv_replace, sendrecv_replace, point_to_point, 9, 10, sent_to(a3, a1, a2)) \
  X(Start, start, point_to_point, 1, 2, started(a0, 1))                             \
  X(Startall, startall, point_to_point, 2, 3, started(a1, a0))

#define KP_WAITS(X)                    \
  X(Wait, wait, wait, 2, 3, 0)         \
  X(Waitall, waitall, wait, 3, 4, 0)   \
  X(Waitany, waitany, wait, 4, 5, 0)   \
  X(Waitsome, waitsome, wait, 5, 6, 0) \
  X(Test, test, wait, 3, 4, 0)         \
  X(Testall, testall, wait, 4, 5, 0)   \
  X(Testany, testany, wait, 5, 6, 0)   \
  X(Testsome, testsome, wait, 5, 6, 0) \
  X(Probe, probe, wait, 4, 5, 0)       \
  X(Iprobe, iprobe, wait, 5, 6, 0)     \
  X(Mprobe, mprobe, wait, 5, 6, 0)     \
  X(Improbe, improbe, wait, 6, 7, 0)

// Blocking and not, and making communicators, which is collective too. A broadcast has its bytes at
// its root only; those of the neighborhood forms are those of one message.
#define KP_COLLECTIVES(X)                                                                         \
  X(Barrier, barrier, collective, 1, 2, 0)                                                        \
  X(Bcast, bcast, collective, 5, 6, sent_by_root(a1, a2, a3, a4))                                 \
  X(Reduce, reduce, collective, 7, 8, sent(a2, a3))                                               \
  X(Allreduce, allreduce, collective, 6, 7, sent(a2, a3))                                         \
  X(Scan, scan, collective, 6, 7, sent(a2, a3))                                                   \
  X(Exscan, exscan, collective, 6, 7, sent(a2, a3))                                               \
  X(Reduce_scatter, reduce_scatter, collective, 6, 7, sent_to_all(a2, a3, a5))                    \
  X(Reduce_scatter_block, reduce_scatter_block, collective, 6, 7, sent(a2, a3) * ranks_of(a5))    \
  X(Gather, gather, collective, 8, 9, contributed(a0, a1, a2, a4, a5))                            \
  X(Gatherv, gatherv, collective, 9, 10, is_in_place(a0) ? 0 : sent(a1, a2))                      \
  X(Scatter, scatter, collective, 8, 9, sent_by_root(a1, a2, a6, a7) * ranks_of(a7))              \
  X(Scatterv, scatterv, collective, 9, 10, is_root(a7, a8) ? sent_to_all(a1, a3, a8) : 0)         \
  X(Allgather, allgather, collective, 7, 8, contributed(a0, a1, a2, a4, a5))                      \
  X(Allgatherv, allgatherv, collective, 8, 9, is_in_place(a0) ? 0 : sent(a1, a2))                 \
  X(Alltoall, alltoall, collective, 7, 8, contributed(a0, a1, a2, a4, a5) * ranks_of(a6))         \
  X(Alltoallv, alltoallv, collective, 9, 10,                                                      \
    is_in_place(a0) ? sent_to_all(a5, a7, a8) : sent_to_all(a1, a3, a8))                          \
  X(Alltoallw, alltoallw, collective, 9, 10, is_in_place(a0) ? 0 : sent_to_all_types(a1, a3, a8)) \
  X(Neighbor_allgather, neighbor_allgather, collective, 7, 8, sent(a1, a2))                       \
  X(Neighbor_allgatherv, neighbor_allgatherv, collective, 8, 9, sent(a1, a2))                     \
  X(Neighbor_alltoall, neighbor_alltoall, collective, 7, 8, sent(a1, a2))                         \
  X(Neighbor_alltoallv, neighbor_alltoallv, collective, 9, 10, 0)                                 \
  X(Neighbor_alltoallw, neighbor_alltoallw, collective, 9, 10, 0)                                 \
  X(Ibarrier, ibarrier, collective, 2, 3, 0)                                                      \
  X(Ibcast, ibcast, collective, 6, 7, sent_by_root(a1, a2, a3, a4))                               \
  X(Ireduce, ireduce, collective, 8, 9, sent(a2, a3))                                             \
  X(Iallreduce, iallreduce, collective, 7, 8, sent(a2, a3))                                       \
  X(Iscan, iscan, collective, 7, 8, sent(a2, a3))                                                 \
  X(Iexscan, iexscan, collective, 7, 8, sent(a2, a3))                                             \
  X(Ireduce_scatter, ireduce_scatter, collective, 7, 8, sent_to_all(a2, a3, a5))                  \
  X(Ireduce_scatter_block, ireduce_scatter_block, collective, 7, 8, sent(a2, a3) * ranks_of(a5))  \
  X(Igather, igather, collective, 9, 10, contributed(a0, a1, a2, a4, a5))                         \
  X(Igatherv, igatherv, collective, 10, 11, is_in_place(a0) ? 0 : sent(a1, a2))                   \
  X(Iscatter, iscatter, collective, 9, 10, sent_by_root(a1, a2, a6, a7) * ranks_of(a7))           \
  X(Iscatterv, iscatterv, collective, 10, 11, is_root(a7, a8) ? sent_to_all(a1, a3, a8) : 0)      \
  X(Iallgather, iallgather, collective, 8, 9, contributed(a0, a1, a2, a4, a5))                    \
  X(Iallgatherv, iallgatherv, collective, 9, 10, is_in_place(a0) ? 0 : sent(a1, a2))              \
  X(Ialltoall, ialltoall, collective, 8, 9, contributed(a0, a1, a2, a4, a5) * ranks_of(a6))       \
  X(Ialltoallv, ialltoallv, collective, 10, 11,                                                   \
    is_in_place(a0) ? sent_to_all(a5, a7, a8) : sent_to_all(a1, a3, a8))                          \
  X(Ialltoallw, ialltoallw, collective, 10, 11,                                                   \
    is_in_place(a0) ? 0 : sent_to_all_types(a1, a3, a8))                                          \
  X(Ineighbor_allgather, ineighbor_allgather, collective, 8, 9, sent(a1, a2))                     \
  X(Ineighbor_allgatherv, ineighbor_allgatherv, collective, 9, 10, sent(a1, a2))                  \
  X(Ineighbor_alltoall, ineighbor_alltoall, collective, 8, 9, sent(a1, a2))                       \
  X(Ineighbor_alltoallv, ineighbor_alltoallv, collective, 10, 11, 0)                              \
  X(Ineighbor_alltoallw, ineighbor_alltoallw, collective, 10, 11, 0)                              \
  X(Comm_dup, comm_dup, collective, 2, 3, 0)                                                      \
  X(Comm_idup, comm_idup, collective, 3, 4, 0)                                                    \
  X(Comm_dup_with_info, comm_dup_with_info, collective, 3, 4, 0)                                  \
  X(Comm_split, comm_split, collective, 4, 5, 0)                                                  \
  X(Comm_split_type, comm_split_type, collective, 5, 6, 0)                                        \
  X(Comm_create, comm_create, collective, 3, 4, 0)                                                \
  X(Comm_create_group, comm_create_group, collective, 4, 5, 0)                                    \
  X(Comm_free, comm_free, collective, 1, 2, 0)                                                    \
  X(Intercomm_create, intercomm_create, collective, 6, 7, 0)                                      \
  X(Intercomm_merge, intercomm_merge, collective, 3, 4, 0)                                        \
  X(Cart_create, cart_create, collective, 6, 7, 0)                                                \
  X(Graph_create, graph_create, collective, 6, 7, 0)                                              \
  X(Dist_graph_create, dist_graph_create, collective, 9, 10, 0)                                   \
  X(Dist_graph_create_adjacent, dist_graph_create_adjacent, collective, 10, 11, 0)

// With its synchronization. Bytes are those that are put; what is fetched was never handed over.
#define KP_ONE_SIDED(X)                                                \
  X(Put, put, one_sided, 8, 9, sent_to(a3, a1, a2))                    \
  X(Accumulate, accumulate, one_sided, 9, 10, sent_to(a3, a1, a2))     \
  X(Rput, rput, one_sided, 9, 10, sent_to(a3, a1, a2))                 \
  X(Raccumulate, raccumulate, one_sided, 10, 11, sent_to(a3, a1, a2))  \
  X(Get, get, one_sided, 8, 9, 0)                                      \
  X(Rget, rget, one_sided, 9, 10, 0)                                   \
  X(Get_accumulate, get_accumulate, one_sided, 12, 13, sent(a1, a2))   \
  X(Rget_accumulate, rget_accumulate, one_sided, 13, 14, sent(a1, a2)) \
  X(Fetch_and_op, fetch_and_op, one_sided, 7, 8, sent(1, a2))          \
  X(Compare_and_swap, compare_and_swap, one_sided, 7, 8, sent(1, a3))  \
  X(Win_create, win_create, one_sided, 6, 7, 0)                        \
  X(Win_allocate, win_allocate, one_sided, 6, 7, 0)                    \
  X(Win_allocate_shared, win_allocate_shared, one_sided, 6, 7, 0)      \
  X(Win_create_dynamic, win_create_dynamic, one_sided, 3, 4, 0)        \
  X(Win_free, win_free, one_sided, 1, 2, 0)                            \
  X(Win_fence, win_fence, one_sided, 2, 3, 0)                          \
  X(Win_start, win_start, one_sided, 3, 4, 0)                          \
  X(Win_complete, win_complete, one_sided, 1, 2, 0)                    \
  X(Win_post, win_post, one_sided, 3, 4, 0)                            \
  X(Win_wait, win_wait, one_sided, 1, 2, 0)                            \
  X(Win_test, win_test, one_sided, 2, 3, 0)                            \
  X(Win_lock, win_lock, one_sided, 4, 5, 0)                            \
  X(Win_unlock, win_unlock, one_sided, 2, 3, 0)                        \
  X(Win_lock_all, win_lock_all, one_sided, 2, 3, 0)                    \
  X(Win_unlock_all, win_unlock_all, one_sided, 1, 2, 0)                \
  X(Win_flush, win_flush, one_sided, 2, 3, 0)                          \
  X(Win_flush_local, win_flush_local, one_sided, 2, 3, 0)              \
  X(Win_flush_all, win_flush_all, one_sided, 1, 2, 0)                  \
  X(Win_flush_local_all, win_flush_local_all, one_sided, 1, 2, 0)      \
  X(Win_sync, win_sync, one_sided, 1, 2, 0)

// MPI-IO: time in a file system is neither computing nor communication. Bytes are those written.
#define KP_FILES(X)                                                    \
  X(File_open, file_open, other, 5, 7, 0)                              \
  X(File_close, file_close, other, 1, 2, 0)                            \
  X(File_set_size, file_set_size, other, 2, 3, 0)                      \
  X(File_preallocate, file_preallocate, other, 2, 3, 0)                \
  X(File_set_view, file_set_view, other, 6, 8, 0)                      \
  X(File_sync, file_sync, other, 1, 2, 0)                              \
  X(File_seek, file_seek, other, 3, 4, 0)                              \
  X(File_seek_shared, file_seek_shared, other, 3, 4, 0)                \
  X(File_write, file_write, other, 5, 6, sent(a2, a3))                 \
  X(File_write_all, file_write_all, other, 5, 6, sent(a2, a3))         \
  X(File_write_at, file_write_at, other, 6, 7, sent(a3, a4))           \
  X(File_write_at_all, file_write_at_all, other, 6, 7, sent(a3, a4))   \
  X(File_write_shared, file_write_shared, other, 5, 6, sent(a2, a3))   \
  X(File_write_ordered, file_write_ordered, other, 5, 6, sent(a2, a3)) \
  X(File_iwrite, file_iwrite, other, 5, 6, sent(a2, a3))               \
  X(File_iwrite_at, file_iwrite_at, other, 6, 7, sent(a3, a4))         \
  X(File_iwrite_shared, file_iwrite_shared, other, 5, 6, sent(a2, a3)) \
  X(File_iwrite_all, file_iwrite_all, other, 5, 6, sent(a2, a3))       \
  X(File_iwrite_at_all, file_iwrite_at_all, other, 6, 7, sent(a3, a4)) \
  X(File_read, file_read, other, 5, 6, 0)                              \
  X(File_read_all, file_read_all, other, 5, 6, 0)                      \
  X(File_read_at, file_read_at, other, 6, 7, 0)                        \
  X(File_read_at_all, file_read_at_all, other, 6, 7, 0)                \
  X(File_read_shared, file_read_shared, other, 5, 6, 0)                \
  X(File_read_ordered, file_read_ordered, other, 5, 6, 0)              \
  X(File_iread, file_iread, other, 5, 6, 0)                            \
  X(File_iread_at, file_iread_at, other, 6, 7, 0)                      \
  X(File_iread_shared, file_iread_shared, other, 5, 6, 0)              \
  X(File_iread_all, file_iread_all, other, 5, 6, 0)                    \
  X(File_iread_at_all, file_iread_at_all, other, 6, 7, 0)

#define KP_OPERATIONS(X) \
  KP_POINT_TO_POINT(X) KP_WAITS(X) KP_COLLECTIVES(X) KP_ONE_SIDED(X) KP_FILES(X)

enum class Operation {
#define X(name, lower, kind, c, fortran, bytes) name,
  KP_OPERATIONS(X)
#undef X
      count
};
constexpr int kOperations = static_cast<int>(Operation::count);

struct OperationRow {
  const char* name;
  Kind kind;
};
constexpr OperationRow kOperationRows[kOperations] = {
#define X(name, lower, kind, c, fortran, bytes) {"MPI_" #name, Kind::kind},
    KP_OPERATIONS(X)
#undef X
};

}  // namespace kneepoint::pmpi
