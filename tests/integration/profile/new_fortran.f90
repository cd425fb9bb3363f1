! SPDX-License-Identifier: Apache-2.0
!
! use mpi_f08: calls mpi_allreduce_f08_ and its like, mostly without ierror.
program new_fortran
  use mpi_f08
  implicit none
  integer :: rank, ranks, i, error
  character(len=1024) :: path
  type(MPI_File) :: file
  type(MPI_Status) :: status
  type(MPI_Request) :: request
  double precision :: mine, total, both(2)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  mine = rank + 1
  do i = 1, 5
    call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  end do
  both = total
  call MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Isend(mine, 1, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), 3, MPI_COMM_WORLD, request)
  call MPI_Recv(total, 1, MPI_DOUBLE_PRECISION, mod(rank + ranks - 1, ranks), 3, MPI_COMM_WORLD, status)
  call MPI_Wait(request, status)
  call MPI_Send_init(both, 2, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), 4, MPI_COMM_WORLD, request)
  call MPI_Start(request)
  call MPI_Recv(both, 2, MPI_DOUBLE_PRECISION, mod(rank + ranks - 1, ranks), 4, MPI_COMM_WORLD, status)
  call MPI_Wait(request, status)
  call MPI_Request_free(request)
  call get_command_argument(1, path)
  call MPI_File_open(MPI_COMM_WORLD, trim(path), MPI_MODE_CREATE + MPI_MODE_WRONLY + MPI_MODE_DELETE_ON_CLOSE, &
                     MPI_INFO_NULL, file, error)
  if (error /= MPI_SUCCESS) call MPI_Abort(MPI_COMM_WORLD, 3)
  call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, 'native', &
                         MPI_INFO_NULL, error)
  if (error /= MPI_SUCCESS) call MPI_Abort(MPI_COMM_WORLD, 4)
  call MPI_File_close(file)
  call MPI_Finalize()
end program
