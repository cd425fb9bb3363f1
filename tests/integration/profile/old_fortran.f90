! SPDX-License-Identifier: Apache-2.0
!
! mpif.h: calls mpi_allreduce_ and its like.
program old_fortran
  implicit none
  include 'mpif.h'
  integer :: error, rank, ranks, i, status(MPI_STATUS_SIZE), request
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
  call MPI_FINALIZE(error)
end program
