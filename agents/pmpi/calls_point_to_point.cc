// SPDX-License-Identifier: Apache-2.0
//
// Blocking and nonblocking messages, and waiting for them. The time of a message that is under way
// shows where the program waits for it; posting it is point-to-point.
#include "agents/pmpi/wrapper.h"

using namespace kneepoint::pmpi;

KP_CALL(Send, sent_to(dest, count, datatype),
        (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
        (buf, count, datatype, dest, tag, comm))

KP_CALL(Bsend, sent_to(dest, count, datatype),
        (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
        (buf, count, datatype, dest, tag, comm))

KP_CALL(Ssend, sent_to(dest, count, datatype),
        (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
        (buf, count, datatype, dest, tag, comm))

KP_CALL(Rsend, sent_to(dest, count, datatype),
        (const void* ibuf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
        (ibuf, count, datatype, dest, tag, comm))

KP_CALL(Isend, sent_to(dest, count, datatype),
        (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
         MPI_Request* request),
        (buf, count, datatype, dest, tag, comm, request))

KP_CALL(Ibsend, sent_to(dest, count, datatype),
        (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
         MPI_Request* request),
        (buf, count, datatype, dest, tag, comm, request))

KP_CALL(Issend, sent_to(dest, count, datatype),
        (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
         MPI_Request* request),
        (buf, count, datatype, dest, tag, comm, request))

KP_CALL(Irsend, sent_to(dest, count, datatype),
        (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
         MPI_Request* request),
        (buf, count, datatype, dest, tag, comm, request))

KP_CALL(Recv, 0,
        (void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
         MPI_Status* status),
        (buf, count, datatype, source, tag, comm, status))

KP_CALL(Irecv, 0,
        (void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
         MPI_Request* request),
        (buf, count, datatype, source, tag, comm, request))

KP_CALL(Mrecv, 0,
        (void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status),
        (buf, count, type, message, status))

KP_CALL(Imrecv, 0,
        (void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request),
        (buf, count, type, message, request))

KP_CALL(Sendrecv, sent_to(dest, sendcount, sendtype),
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
         void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
         MPI_Comm comm, MPI_Status* status),
        (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
         comm, status))

KP_CALL(Sendrecv_replace, sent_to(dest, count, datatype),
        (void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source,
         int recvtag, MPI_Comm comm, MPI_Status* status),
        (buf, count, datatype, dest, sendtag, source, recvtag, comm, status))

KP_CALL(Wait, 0, (MPI_Request * request, MPI_Status* status), (request, status))

KP_CALL(Waitall, 0, (int count, MPI_Request array_of_requests[], MPI_Status* array_of_statuses),
        (count, array_of_requests, array_of_statuses))

KP_CALL(Waitany, 0, (int count, MPI_Request array_of_requests[], int* index, MPI_Status* status),
        (count, array_of_requests, index, status))

KP_CALL(Waitsome, 0,
        (int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
         MPI_Status array_of_statuses[]),
        (incount, array_of_requests, outcount, array_of_indices, array_of_statuses))

KP_CALL(Test, 0, (MPI_Request * request, int* flag, MPI_Status* status), (request, flag, status))

KP_CALL(Testall, 0,
        (int count, MPI_Request array_of_requests[], int* flag, MPI_Status array_of_statuses[]),
        (count, array_of_requests, flag, array_of_statuses))

KP_CALL(Testany, 0,
        (int count, MPI_Request array_of_requests[], int* index, int* flag, MPI_Status* status),
        (count, array_of_requests, index, flag, status))

KP_CALL(Testsome, 0,
        (int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
         MPI_Status array_of_statuses[]),
        (incount, array_of_requests, outcount, array_of_indices, array_of_statuses))

KP_CALL(Probe, 0, (int source, int tag, MPI_Comm comm, MPI_Status* status),
        (source, tag, comm, status))

KP_CALL(Iprobe, 0, (int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status),
        (source, tag, comm, flag, status))

KP_CALL(Mprobe, 0, (int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status),
        (source, tag, comm, message, status))

KP_CALL(Improbe, 0,
        (int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status),
        (source, tag, comm, flag, message, status))
