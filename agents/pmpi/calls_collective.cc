// SPDX-License-Identifier: Apache-2.0
//
// Collectives, blocking and not. Bytes are those that this rank hands over to be sent: a broadcast
// has them at its root only.
#include "agents/pmpi/wrapper.h"

using namespace kneepoint::pmpi;

KP_CALL(Barrier, 0, (MPI_Comm comm), (comm))

KP_CALL(Bcast, sent_by_root(count, datatype, root, comm),
        (void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm),
        (buffer, count, datatype, root, comm))

KP_CALL(Reduce, sent(count, datatype),
        (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
         MPI_Comm comm),
        (sendbuf, recvbuf, count, datatype, op, root, comm))

KP_CALL(Allreduce, sent(count, datatype),
        (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm),
        (sendbuf, recvbuf, count, datatype, op, comm))

KP_CALL(Scan, sent(count, datatype),
        (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm),
        (sendbuf, recvbuf, count, datatype, op, comm))

KP_CALL(Exscan, sent(count, datatype),
        (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm),
        (sendbuf, recvbuf, count, datatype, op, comm))

KP_CALL(Reduce_scatter, sent_to_all(recvcounts, datatype, comm),
        (const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype,
         MPI_Op op, MPI_Comm comm),
        (sendbuf, recvbuf, recvcounts, datatype, op, comm))

KP_CALL(Reduce_scatter_block, sent(recvcount, datatype) * ranks_of(comm),
        (const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm),
        (sendbuf, recvbuf, recvcount, datatype, op, comm))

KP_CALL(Gather, contributed(sendbuf, sendcount, sendtype, recvcount, recvtype),
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
         MPI_Datatype recvtype, int root, MPI_Comm comm),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm))

KP_CALL(Gatherv, is_in_place(sendbuf) ? 0 : sent(sendcount, sendtype),
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
         const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
         MPI_Comm comm),
        (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm))

KP_CALL(Scatter, sent_by_root(sendcount, sendtype, root, comm) * ranks_of(comm),
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
         MPI_Datatype recvtype, int root, MPI_Comm comm),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm))

KP_CALL(Scatterv, is_root(root, comm) ? sent_to_all(sendcounts, sendtype, comm) : 0,
        (const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
         void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),
        (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm))

KP_CALL(Allgather, contributed(sendbuf, sendcount, sendtype, recvcount, recvtype),
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
         MPI_Datatype recvtype, MPI_Comm comm),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))

KP_CALL(Allgatherv, is_in_place(sendbuf) ? 0 : sent(sendcount, sendtype),
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
         const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm),
        (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm))

KP_CALL(Alltoall, contributed(sendbuf, sendcount, sendtype, recvcount, recvtype) * ranks_of(comm),
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
         MPI_Datatype recvtype, MPI_Comm comm),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))

KP_CALL(Alltoallv,
        is_in_place(sendbuf) ? sent_to_all(recvcounts, recvtype, comm)
                             : sent_to_all(sendcounts, sendtype, comm),
        (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
         void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
         MPI_Comm comm),
        (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm))

KP_CALL(Alltoallw, is_in_place(sendbuf) ? 0 : sent_to_all_types(sendcounts, sendtypes, comm),
        (const void* sendbuf, const int sendcounts[], const int sdispls[],
         const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
         const MPI_Datatype recvtypes[], MPI_Comm comm),
        (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm))

KP_CALL(Ibarrier, 0, (MPI_Comm comm, MPI_Request* request), (comm, request))

KP_CALL(Ibcast, sent_by_root(count, datatype, root, comm),
        (void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
         MPI_Request* request),
        (buffer, count, datatype, root, comm, request))

KP_CALL(Ireduce, sent(count, datatype),
        (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
         MPI_Comm comm, MPI_Request* request),
        (sendbuf, recvbuf, count, datatype, op, root, comm, request))

KP_CALL(Iallreduce, sent(count, datatype),
        (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm, MPI_Request* request),
        (sendbuf, recvbuf, count, datatype, op, comm, request))

KP_CALL(Iscan, sent(count, datatype),
        (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm, MPI_Request* request),
        (sendbuf, recvbuf, count, datatype, op, comm, request))

KP_CALL(Iexscan, sent(count, datatype),
        (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm, MPI_Request* request),
        (sendbuf, recvbuf, count, datatype, op, comm, request))

KP_CALL(Ireduce_scatter, sent_to_all(recvcounts, datatype, comm),
        (const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype,
         MPI_Op op, MPI_Comm comm, MPI_Request* request),
        (sendbuf, recvbuf, recvcounts, datatype, op, comm, request))

KP_CALL(Ireduce_scatter_block, sent(recvcount, datatype) * ranks_of(comm),
        (const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm, MPI_Request* request),
        (sendbuf, recvbuf, recvcount, datatype, op, comm, request))

KP_CALL(Igather, contributed(sendbuf, sendcount, sendtype, recvcount, recvtype),
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
         MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request))

KP_CALL(Igatherv, is_in_place(sendbuf) ? 0 : sent(sendcount, sendtype),
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
         const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
         MPI_Request* request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request))

KP_CALL(Iscatter, sent_by_root(sendcount, sendtype, root, comm) * ranks_of(comm),
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
         MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request))

KP_CALL(Iscatterv, is_root(root, comm) ? sent_to_all(sendcounts, sendtype, comm) : 0,
        (const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
         void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
         MPI_Request* request),
        (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request))

KP_CALL(Iallgather, contributed(sendbuf, sendcount, sendtype, recvcount, recvtype),
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
         MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))

KP_CALL(Iallgatherv, is_in_place(sendbuf) ? 0 : sent(sendcount, sendtype),
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
         const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
         MPI_Request* request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request))

KP_CALL(Ialltoall, contributed(sendbuf, sendcount, sendtype, recvcount, recvtype) * ranks_of(comm),
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
         MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request),
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))

KP_CALL(Ialltoallv,
        is_in_place(sendbuf) ? sent_to_all(recvcounts, recvtype, comm)
                             : sent_to_all(sendcounts, sendtype, comm),
        (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
         void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
         MPI_Comm comm, MPI_Request* request),
        (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
         request))

KP_CALL(Ialltoallw, is_in_place(sendbuf) ? 0 : sent_to_all_types(sendcounts, sendtypes, comm),
        (const void* sendbuf, const int sendcounts[], const int sdispls[],
         const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
         const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request),
        (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
         request))
