// SPDX-License-Identifier: Apache-2.0
//
// Collectives and communicators in Fortran. Rules for bytes are those of the C forms.
#include "agents/pmpi/fortran.h"

using namespace kneepoint::pmpi;

KP_FORTRAN(Barrier, barrier, 2, 0)
KP_FORTRAN(Bcast, bcast, 6, sent_by_root(value(a1), type(a2), value(a3), comm(a4)))
KP_FORTRAN(Reduce, reduce, 8, sent(value(a2), type(a3)))
KP_FORTRAN(Allreduce, allreduce, 7, sent(value(a2), type(a3)))
KP_FORTRAN(Scan, scan, 7, sent(value(a2), type(a3)))
KP_FORTRAN(Exscan, exscan, 7, sent(value(a2), type(a3)))
KP_FORTRAN(Reduce_scatter, reduce_scatter, 7, sent_to_all(list(a2), type(a3), comm(a5)))
KP_FORTRAN(Reduce_scatter_block, reduce_scatter_block, 7,
           sent(value(a2), type(a3)) * ranks_of(comm(a5)))
KP_FORTRAN(Gather, gather, 9, contributed_fortran(a0, value(a1), type(a2), value(a4), type(a5)))
KP_FORTRAN(Gatherv, gatherv, 10, is_fortran_in_place(a0) ? 0 : sent(value(a1), type(a2)))
KP_FORTRAN(Scatter, scatter, 9,
           sent_by_root(value(a1), type(a2), value(a6), comm(a7)) * ranks_of(comm(a7)))
KP_FORTRAN(Scatterv, scatterv, 10,
           is_root(value(a7), comm(a8)) ? sent_to_all(list(a1), type(a3), comm(a8)) : 0)
KP_FORTRAN(Allgather, allgather, 8,
           contributed_fortran(a0, value(a1), type(a2), value(a4), type(a5)))
KP_FORTRAN(Allgatherv, allgatherv, 9, is_fortran_in_place(a0) ? 0 : sent(value(a1), type(a2)))
KP_FORTRAN(Alltoall, alltoall, 8,
           contributed_fortran(a0, value(a1), type(a2), value(a4), type(a5)) * ranks_of(comm(a6)))
KP_FORTRAN(Alltoallv, alltoallv, 10,
           is_fortran_in_place(a0) ? sent_to_all(list(a5), type(a7), comm(a8))
                                   : sent_to_all(list(a1), type(a3), comm(a8)))
KP_FORTRAN(Alltoallw, alltoallw, 10, 0)
KP_FORTRAN(Neighbor_allgather, neighbor_allgather, 8, sent(value(a1), type(a2)))
KP_FORTRAN(Neighbor_allgatherv, neighbor_allgatherv, 9, sent(value(a1), type(a2)))
KP_FORTRAN(Neighbor_alltoall, neighbor_alltoall, 8, sent(value(a1), type(a2)))
KP_FORTRAN(Neighbor_alltoallv, neighbor_alltoallv, 10, 0)
KP_FORTRAN(Neighbor_alltoallw, neighbor_alltoallw, 10, 0)
KP_FORTRAN(Ibarrier, ibarrier, 3, 0)
KP_FORTRAN(Ibcast, ibcast, 7, sent_by_root(value(a1), type(a2), value(a3), comm(a4)))
KP_FORTRAN(Ireduce, ireduce, 9, sent(value(a2), type(a3)))
KP_FORTRAN(Iallreduce, iallreduce, 8, sent(value(a2), type(a3)))
KP_FORTRAN(Iscan, iscan, 8, sent(value(a2), type(a3)))
KP_FORTRAN(Iexscan, iexscan, 8, sent(value(a2), type(a3)))
KP_FORTRAN(Ireduce_scatter, ireduce_scatter, 8, sent_to_all(list(a2), type(a3), comm(a5)))
KP_FORTRAN(Ireduce_scatter_block, ireduce_scatter_block, 8,
           sent(value(a2), type(a3)) * ranks_of(comm(a5)))
KP_FORTRAN(Igather, igather, 10, contributed_fortran(a0, value(a1), type(a2), value(a4), type(a5)))
KP_FORTRAN(Igatherv, igatherv, 11, is_fortran_in_place(a0) ? 0 : sent(value(a1), type(a2)))
KP_FORTRAN(Iscatter, iscatter, 10,
           sent_by_root(value(a1), type(a2), value(a6), comm(a7)) * ranks_of(comm(a7)))
KP_FORTRAN(Iscatterv, iscatterv, 11,
           is_root(value(a7), comm(a8)) ? sent_to_all(list(a1), type(a3), comm(a8)) : 0)
KP_FORTRAN(Iallgather, iallgather, 9,
           contributed_fortran(a0, value(a1), type(a2), value(a4), type(a5)))
KP_FORTRAN(Iallgatherv, iallgatherv, 10, is_fortran_in_place(a0) ? 0 : sent(value(a1), type(a2)))
KP_FORTRAN(Ialltoall, ialltoall, 9,
           contributed_fortran(a0, value(a1), type(a2), value(a4), type(a5)) * ranks_of(comm(a6)))
KP_FORTRAN(Ialltoallv, ialltoallv, 11,
           is_fortran_in_place(a0) ? sent_to_all(list(a5), type(a7), comm(a8))
                                   : sent_to_all(list(a1), type(a3), comm(a8)))
KP_FORTRAN(Ialltoallw, ialltoallw, 11, 0)
KP_FORTRAN(Ineighbor_allgather, ineighbor_allgather, 9, sent(value(a1), type(a2)))
KP_FORTRAN(Ineighbor_allgatherv, ineighbor_allgatherv, 10, sent(value(a1), type(a2)))
KP_FORTRAN(Ineighbor_alltoall, ineighbor_alltoall, 9, sent(value(a1), type(a2)))
KP_FORTRAN(Ineighbor_alltoallv, ineighbor_alltoallv, 11, 0)
KP_FORTRAN(Ineighbor_alltoallw, ineighbor_alltoallw, 11, 0)
KP_FORTRAN(Comm_dup, comm_dup, 3, 0)
KP_FORTRAN(Comm_idup, comm_idup, 4, 0)
KP_FORTRAN(Comm_dup_with_info, comm_dup_with_info, 4, 0)
KP_FORTRAN(Comm_split, comm_split, 5, 0)
KP_FORTRAN(Comm_split_type, comm_split_type, 6, 0)
KP_FORTRAN(Comm_create, comm_create, 4, 0)
KP_FORTRAN(Comm_create_group, comm_create_group, 5, 0)
KP_FORTRAN(Comm_free, comm_free, 2, 0)
KP_FORTRAN(Intercomm_create, intercomm_create, 7, 0)
KP_FORTRAN(Intercomm_merge, intercomm_merge, 4, 0)
KP_FORTRAN(Cart_create, cart_create, 7, 0)
KP_FORTRAN(Graph_create, graph_create, 7, 0)
KP_FORTRAN(Dist_graph_create, dist_graph_create, 10, 0)
KP_FORTRAN(Dist_graph_create_adjacent, dist_graph_create_adjacent, 11, 0)
