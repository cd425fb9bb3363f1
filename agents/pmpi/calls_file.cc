// SPDX-License-Identifier: Apache-2.0
//
// MPI-IO, counted as other: time in a file system is neither computing nor communication. Bytes are
// those written.
#include "agents/pmpi/wrapper.h"

using namespace kneepoint::pmpi;

KP_CALL(File_open, 0, (MPI_Comm comm, const char* filename, int amode, MPI_Info info, MPI_File* fh),
        (comm, filename, amode, info, fh))

KP_CALL(File_close, 0, (MPI_File * fh), (fh))

KP_CALL(File_set_size, 0, (MPI_File fh, MPI_Offset size), (fh, size))

KP_CALL(File_preallocate, 0, (MPI_File fh, MPI_Offset size), (fh, size))

KP_CALL(File_set_view, 0,
        (MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
         const char* datarep, MPI_Info info),
        (fh, disp, etype, filetype, datarep, info))

KP_CALL(File_sync, 0, (MPI_File fh), (fh))

KP_CALL(File_seek, 0, (MPI_File fh, MPI_Offset offset, int whence), (fh, offset, whence))

KP_CALL(File_seek_shared, 0, (MPI_File fh, MPI_Offset offset, int whence), (fh, offset, whence))

KP_CALL(File_write, sent(count, datatype),
        (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status),
        (fh, buf, count, datatype, status))

KP_CALL(File_write_all, sent(count, datatype),
        (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status),
        (fh, buf, count, datatype, status))

KP_CALL(File_write_at, sent(count, datatype),
        (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype,
         MPI_Status* status),
        (fh, offset, buf, count, datatype, status))

KP_CALL(File_write_at_all, sent(count, datatype),
        (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype,
         MPI_Status* status),
        (fh, offset, buf, count, datatype, status))

KP_CALL(File_write_shared, sent(count, datatype),
        (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status),
        (fh, buf, count, datatype, status))

KP_CALL(File_write_ordered, sent(count, datatype),
        (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status),
        (fh, buf, count, datatype, status))

KP_CALL(File_iwrite, sent(count, datatype),
        (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Request* request),
        (fh, buf, count, datatype, request))

KP_CALL(File_iwrite_at, sent(count, datatype),
        (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype,
         MPI_Request* request),
        (fh, offset, buf, count, datatype, request))

KP_CALL(File_iwrite_shared, sent(count, datatype),
        (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Request* request),
        (fh, buf, count, datatype, request))

KP_CALL(File_iwrite_all, sent(count, datatype),
        (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Request* request),
        (fh, buf, count, datatype, request))

KP_CALL(File_iwrite_at_all, sent(count, datatype),
        (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype,
         MPI_Request* request),
        (fh, offset, buf, count, datatype, request))

KP_CALL(File_read, 0,
        (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status),
        (fh, buf, count, datatype, status))

KP_CALL(File_read_all, 0,
        (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status),
        (fh, buf, count, datatype, status))

KP_CALL(File_read_at, 0,
        (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype,
         MPI_Status* status),
        (fh, offset, buf, count, datatype, status))

KP_CALL(File_read_at_all, 0,
        (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype,
         MPI_Status* status),
        (fh, offset, buf, count, datatype, status))

KP_CALL(File_read_shared, 0,
        (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status),
        (fh, buf, count, datatype, status))

KP_CALL(File_read_ordered, 0,
        (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status),
        (fh, buf, count, datatype, status))

KP_CALL(File_iread, 0,
        (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Request* request),
        (fh, buf, count, datatype, request))

KP_CALL(File_iread_at, 0,
        (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype,
         MPI_Request* request),
        (fh, offset, buf, count, datatype, request))

KP_CALL(File_iread_shared, 0,
        (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Request* request),
        (fh, buf, count, datatype, request))

KP_CALL(File_iread_all, 0,
        (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Request* request),
        (fh, buf, count, datatype, request))

KP_CALL(File_iread_at_all, 0,
        (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype,
         MPI_Request* request),
        (fh, offset, buf, count, datatype, request))
