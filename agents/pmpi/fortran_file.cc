// SPDX-License-Identifier: Apache-2.0
//
// MPI-IO in Fortran, counted as other. mpi_file_open has the length of its text as a last argument.
#include "agents/pmpi/fortran.h"

using namespace kneepoint::pmpi;

KP_FORTRAN(File_open, file_open, 7, 0)
KP_FORTRAN(File_close, file_close, 2, 0)
KP_FORTRAN(File_set_size, file_set_size, 3, 0)
KP_FORTRAN(File_preallocate, file_preallocate, 3, 0)
KP_FORTRAN(File_set_view, file_set_view, 7, 0)
KP_FORTRAN(File_sync, file_sync, 2, 0)
KP_FORTRAN(File_seek, file_seek, 4, 0)
KP_FORTRAN(File_seek_shared, file_seek_shared, 4, 0)
KP_FORTRAN(File_write, file_write, 6, sent(value(a2), type(a3)))
KP_FORTRAN(File_write_all, file_write_all, 6, sent(value(a2), type(a3)))
KP_FORTRAN(File_write_at, file_write_at, 7, sent(value(a3), type(a4)))
KP_FORTRAN(File_write_at_all, file_write_at_all, 7, sent(value(a3), type(a4)))
KP_FORTRAN(File_write_shared, file_write_shared, 6, sent(value(a2), type(a3)))
KP_FORTRAN(File_write_ordered, file_write_ordered, 6, sent(value(a2), type(a3)))
KP_FORTRAN(File_iwrite, file_iwrite, 6, sent(value(a2), type(a3)))
KP_FORTRAN(File_iwrite_at, file_iwrite_at, 7, sent(value(a3), type(a4)))
KP_FORTRAN(File_iwrite_shared, file_iwrite_shared, 6, sent(value(a2), type(a3)))
KP_FORTRAN(File_iwrite_all, file_iwrite_all, 6, sent(value(a2), type(a3)))
KP_FORTRAN(File_iwrite_at_all, file_iwrite_at_all, 7, sent(value(a3), type(a4)))
KP_FORTRAN(File_read, file_read, 6, 0)
KP_FORTRAN(File_read_all, file_read_all, 6, 0)
KP_FORTRAN(File_read_at, file_read_at, 7, 0)
KP_FORTRAN(File_read_at_all, file_read_at_all, 7, 0)
KP_FORTRAN(File_read_shared, file_read_shared, 6, 0)
KP_FORTRAN(File_read_ordered, file_read_ordered, 6, 0)
KP_FORTRAN(File_iread, file_iread, 6, 0)
KP_FORTRAN(File_iread_at, file_iread_at, 7, 0)
KP_FORTRAN(File_iread_shared, file_iread_shared, 6, 0)
KP_FORTRAN(File_iread_all, file_iread_all, 6, 0)
KP_FORTRAN(File_iread_at_all, file_iread_at_all, 7, 0)
