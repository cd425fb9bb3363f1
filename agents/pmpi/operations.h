// SPDX-License-Identifier: Apache-2.0
//
// The calls of MPI-3 that are counted, and what each counts as. A call that is not listed is not
// wrapped: it costs nothing and its time stays with the program. `other` is MPI-IO.
#pragma once

namespace kneepoint::pmpi {

enum class Kind { collective, point_to_point, wait, one_sided, other };
constexpr int kKinds = 5;
constexpr const char* kKindNames[kKinds] = {"collective", "point_to_point", "wait", "one_sided",
                                            "other"};

#define KP_OPERATIONS(X)                    \
  X(Send, point_to_point)                   \
  X(Bsend, point_to_point)                  \
  X(Ssend, point_to_point)                  \
  X(Rsend, point_to_point)                  \
  X(Isend, point_to_point)                  \
  X(Ibsend, point_to_point)                 \
  X(Issend, point_to_point)                 \
  X(Irsend, point_to_point)                 \
  X(Recv, point_to_point)                   \
  X(Irecv, point_to_point)                  \
  X(Mrecv, point_to_point)                  \
  X(Imrecv, point_to_point)                 \
  X(Sendrecv, point_to_point)               \
  X(Sendrecv_replace, point_to_point)       \
  X(Start, point_to_point)                  \
  X(Startall, point_to_point)               \
  X(Wait, wait)                             \
  X(Waitall, wait)                          \
  X(Waitany, wait)                          \
  X(Waitsome, wait)                         \
  X(Test, wait)                             \
  X(Testall, wait)                          \
  X(Testany, wait)                          \
  X(Testsome, wait)                         \
  X(Probe, wait)                            \
  X(Iprobe, wait)                           \
  X(Mprobe, wait)                           \
  X(Improbe, wait)                          \
  X(Barrier, collective)                    \
  X(Bcast, collective)                      \
  X(Reduce, collective)                     \
  X(Allreduce, collective)                  \
  X(Scan, collective)                       \
  X(Exscan, collective)                     \
  X(Reduce_scatter, collective)             \
  X(Reduce_scatter_block, collective)       \
  X(Gather, collective)                     \
  X(Gatherv, collective)                    \
  X(Scatter, collective)                    \
  X(Scatterv, collective)                   \
  X(Allgather, collective)                  \
  X(Allgatherv, collective)                 \
  X(Alltoall, collective)                   \
  X(Alltoallv, collective)                  \
  X(Alltoallw, collective)                  \
  X(Neighbor_allgather, collective)         \
  X(Neighbor_allgatherv, collective)        \
  X(Neighbor_alltoall, collective)          \
  X(Neighbor_alltoallv, collective)         \
  X(Neighbor_alltoallw, collective)         \
  X(Ibarrier, collective)                   \
  X(Ibcast, collective)                     \
  X(Ireduce, collective)                    \
  X(Iallreduce, collective)                 \
  X(Iscan, collective)                      \
  X(Iexscan, collective)                    \
  X(Ireduce_scatter, collective)            \
  X(Ireduce_scatter_block, collective)      \
  X(Igather, collective)                    \
  X(Igatherv, collective)                   \
  X(Iscatter, collective)                   \
  X(Iscatterv, collective)                  \
  X(Iallgather, collective)                 \
  X(Iallgatherv, collective)                \
  X(Ialltoall, collective)                  \
  X(Ialltoallv, collective)                 \
  X(Ialltoallw, collective)                 \
  X(Ineighbor_allgather, collective)        \
  X(Ineighbor_allgatherv, collective)       \
  X(Ineighbor_alltoall, collective)         \
  X(Ineighbor_alltoallv, collective)        \
  X(Ineighbor_alltoallw, collective)        \
  X(Comm_dup, collective)                   \
  X(Comm_idup, collective)                  \
  X(Comm_dup_with_info, collective)         \
  X(Comm_split, collective)                 \
  X(Comm_split_type, collective)            \
  X(Comm_create, collective)                \
  X(Comm_create_group, collective)          \
  X(Comm_free, collective)                  \
  X(Intercomm_create, collective)           \
  X(Intercomm_merge, collective)            \
  X(Cart_create, collective)                \
  X(Graph_create, collective)               \
  X(Dist_graph_create, collective)          \
  X(Dist_graph_create_adjacent, collective) \
  X(Put, one_sided)                         \
  X(Accumulate, one_sided)                  \
  X(Rput, one_sided)                        \
  X(Raccumulate, one_sided)                 \
  X(Get, one_sided)                         \
  X(Rget, one_sided)                        \
  X(Get_accumulate, one_sided)              \
  X(Rget_accumulate, one_sided)             \
  X(Fetch_and_op, one_sided)                \
  X(Compare_and_swap, one_sided)            \
  X(Win_create, one_sided)                  \
  X(Win_allocate, one_sided)                \
  X(Win_allocate_shared, one_sided)         \
  X(Win_create_dynamic, one_sided)          \
  X(Win_free, one_sided)                    \
  X(Win_fence, one_sided)                   \
  X(Win_start, one_sided)                   \
  X(Win_complete, one_sided)                \
  X(Win_post, one_sided)                    \
  X(Win_wait, one_sided)                    \
  X(Win_test, one_sided)                    \
  X(Win_lock, one_sided)                    \
  X(Win_unlock, one_sided)                  \
  X(Win_lock_all, one_sided)                \
  X(Win_unlock_all, one_sided)              \
  X(Win_flush, one_sided)                   \
  X(Win_flush_local, one_sided)             \
  X(Win_flush_all, one_sided)               \
  X(Win_flush_local_all, one_sided)         \
  X(Win_sync, one_sided)                    \
  X(File_open, other)                       \
  X(File_close, other)                      \
  X(File_set_size, other)                   \
  X(File_preallocate, other)                \
  X(File_set_view, other)                   \
  X(File_sync, other)                       \
  X(File_seek, other)                       \
  X(File_seek_shared, other)                \
  X(File_write, other)                      \
  X(File_write_all, other)                  \
  X(File_write_at, other)                   \
  X(File_write_at_all, other)               \
  X(File_write_shared, other)               \
  X(File_write_ordered, other)              \
  X(File_iwrite, other)                     \
  X(File_iwrite_at, other)                  \
  X(File_iwrite_shared, other)              \
  X(File_iwrite_all, other)                 \
  X(File_iwrite_at_all, other)              \
  X(File_read, other)                       \
  X(File_read_all, other)                   \
  X(File_read_at, other)                    \
  X(File_read_at_all, other)                \
  X(File_read_shared, other)                \
  X(File_read_ordered, other)               \
  X(File_iread, other)                      \
  X(File_iread_at, other)                   \
  X(File_iread_shared, other)               \
  X(File_iread_all, other)                  \
  X(File_iread_at_all, other)

enum class Operation {
#define X(name, kind) name,
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
#define X(name, kind) {"MPI_" #name, Kind::kind},
    KP_OPERATIONS(X)
#undef X
};

}  // namespace kneepoint::pmpi
