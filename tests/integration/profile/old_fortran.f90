! SPDX-License-Identifier: Apache-2.0
!
! mpif.h: calls mpi_allreduce_ and its like.
program old_fortran
  implicit none
  include 'mpif.h'
  integer :: error, rank, ranks, i, status(MPI_STATUS_SIZE), request, file
  character(len=1024) :: path
  double precision :: mine, total, both(2)
  call MPI_INIT(error)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  mine = rank + 1
  do i = 1, 5
    call MPI_ALLREDUCE(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  end do
  both = total
  call MPI_ALLREDUCE(MPI_IN_PLACE, both, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_ISEND(mine, 1, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), 3, MPI_COMM_WORLD, request, error)
  call MPI_RECV(total, 1, MPI_DOUBLE_PRECISION, mod(rank + ranks - 1, ranks), 3, MPI_COMM_WORLD, status, error)
  call MPI_WAIT(request, status, error)
  call MPI_SEND_INIT(both, 2, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), 4, MPI_COMM_WORLD, request, error)
  call MPI_START(request, error)
  call MPI_RECV(both, 2, MPI_DOUBLE_PRECISION, mod(rank + ranks - 1, ranks), 4, MPI_COMM_WORLD, status, error)
  call MPI_WAIT(request, status, error)
  call MPI_REQUEST_FREE(request, error)
  call get_command_argument(1, path)
  call MPI_FILE_OPEN(MPI_COMM_WORLD, trim(path), MPI_MODE_CREATE + MPI_MODE_WRONLY + MPI_MODE_DELETE_ON_CLOSE, &
                     MPI_INFO_NULL, file, error)
  if (error /= MPI_SUCCESS) call MPI_ABORT(MPI_COMM_WORLD, 3, error)
  call MPI_FILE_SET_VIEW(file, 0_MPI_OFFSET_KIND, MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, 'native', &
                         MPI_INFO_NULL, error)
  if (error /= MPI_SUCCESS) call MPI_ABORT(MPI_COMM_WORLD, 4, error)
  call MPI_FILE_CLOSE(file, error)
  call MPI_FINALIZE(error)
end program
