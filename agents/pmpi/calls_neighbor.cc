// SPDX-License-Identifier: Apache-2.0
//
// Collectives of neighbours, and making communicators, which is collective too. Bytes of the
// neighbourhood forms are those of one message.
#include "agents/pmpi/wrapper.h"

using namespace kneepoint::pmpi;

KP_CALL(Neighbor_allgather, sent(sendcount, sendtype),
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
         MPI_Datatype recvtype, MPI_Comm comm),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))

KP_CALL(Neighbor_allgatherv, sent(sendcount, sendtype),
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
         const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm),
        (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm))

KP_CALL(Neighbor_alltoall, sent(sendcount, sendtype),
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
         MPI_Datatype recvtype, MPI_Comm comm),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))

KP_CALL(Neighbor_alltoallv, 0,
        (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
         void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
         MPI_Comm comm),
        (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm))

KP_CALL(Neighbor_alltoallw, 0,
        (const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
         const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
         const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm),
        (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm))

KP_CALL(Ineighbor_allgather, sent(sendcount, sendtype),
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
         MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))

KP_CALL(Ineighbor_allgatherv, sent(sendcount, sendtype),
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
         const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
         MPI_Request* request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request))

KP_CALL(Ineighbor_alltoall, sent(sendcount, sendtype),
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
         MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))

KP_CALL(Ineighbor_alltoallv, 0,
        (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
         void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
         MPI_Comm comm, MPI_Request* request),
        (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
         request))

KP_CALL(Ineighbor_alltoallw, 0,
        (const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
         const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
         const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
         MPI_Request* request),
        (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
         request))

KP_CALL(Comm_dup, 0, (MPI_Comm comm, MPI_Comm* newcomm), (comm, newcomm))

KP_CALL(Comm_idup, 0, (MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request),
        (comm, newcomm, request))

KP_CALL(Comm_dup_with_info, 0, (MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm),
        (comm, info, newcomm))

KP_CALL(Comm_split, 0, (MPI_Comm comm, int color, int key, MPI_Comm* newcomm),
        (comm, color, key, newcomm))

KP_CALL(Comm_split_type, 0,
        (MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm),
        (comm, split_type, key, info, newcomm))

KP_CALL(Comm_create, 0, (MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm), (comm, group, newcomm))

KP_CALL(Comm_create_group, 0, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm),
        (comm, group, tag, newcomm))

KP_CALL(Comm_free, 0, (MPI_Comm * comm), (comm))

KP_CALL(Intercomm_create, 0,
        (MPI_Comm local_comm, int local_leader, MPI_Comm bridge_comm, int remote_leader, int tag,
         MPI_Comm* newintercomm),
        (local_comm, local_leader, bridge_comm, remote_leader, tag, newintercomm))

KP_CALL(Intercomm_merge, 0, (MPI_Comm intercomm, int high, MPI_Comm* newintercomm),
        (intercomm, high, newintercomm))

KP_CALL(Cart_create, 0,
        (MPI_Comm old_comm, int ndims, const int dims[], const int periods[], int reorder,
         MPI_Comm* comm_cart),
        (old_comm, ndims, dims, periods, reorder, comm_cart))

KP_CALL(Graph_create, 0,
        (MPI_Comm comm_old, int nnodes, const int index[], const int edges[], int reorder,
         MPI_Comm* comm_graph),
        (comm_old, nnodes, index, edges, reorder, comm_graph))

KP_CALL(Dist_graph_create, 0,
        (MPI_Comm comm_old, int n, const int nodes[], const int degrees[], const int targets[],
         const int weights[], MPI_Info info, int reorder, MPI_Comm* newcomm),
        (comm_old, n, nodes, degrees, targets, weights, info, reorder, newcomm))

KP_CALL(Dist_graph_create_adjacent, 0,
        (MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[],
         int outdegree, const int destinations[], const int destweights[], MPI_Info info,
         int reorder, MPI_Comm* comm_dist_graph),
        (comm_old, indegree, sources, sourceweights, outdegree, destinations, destweights, info,
         reorder, comm_dist_graph))
