! SPDX-License-Identifier: Apache-2.0
!
! kneepoint's probe for Fortran: compile this file with the program and link with
! -lkneepoint-probe. What each procedure does is said in kneepoint/probe.h.
module kneepoint_probe
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: kp_iteration_begin, kp_iteration_end, kp_region_begin, kp_region_end, kp_metric

  interface
    subroutine kp_iteration_begin() bind(c)
    end subroutine
    subroutine kp_iteration_end() bind(c)
    end subroutine
    subroutine c_region_begin(name) bind(c, name='kp_region_begin')
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine c_region_end(name) bind(c, name='kp_region_end')
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine c_metric(name, value, unit) bind(c, name='kp_metric')
      import :: c_char, c_double
      character(kind=c_char), intent(in) :: name(*), unit(*)
      real(c_double), value :: value
    end subroutine
  end interface

contains

  subroutine kp_region_begin(name)
    character(*), intent(in) :: name
    call c_region_begin(trim(name) // c_null_char)
  end subroutine

  subroutine kp_region_end(name)
    character(*), intent(in) :: name
    call c_region_end(trim(name) // c_null_char)
  end subroutine

  subroutine kp_metric(name, value, unit)
    character(*), intent(in) :: name, unit
    real(c_double), intent(in) :: value
    call c_metric(trim(name) // c_null_char, value, trim(unit) // c_null_char)
  end subroutine
end module
