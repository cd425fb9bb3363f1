# SPDX-License-Identifier: Apache-2.0
#
# Run by cpack between installing into its own folder and packing. Debian's and RPM's habits live here,
# so that the install rules stay the same for all: compressed pages, and for Debian a copyright file, a
# changelog and a word about the static agent in each package.
if(CPACK_GENERATOR STREQUAL "TGZ")
  return()
endif()
file(GLOB pages ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/man/man1/*.1)
foreach(page ${pages})
  execute_process(COMMAND gzip -9 -n -f ${page} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()

set(source ${CPACK_KNEEPOINT_SOURCE}/deploy/packages)
set(package_controller kneepoint)
set(package_worker kneepoint-worker)
set(package_workloads kneepoint-workloads)
string(TIMESTAMP today "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH sets it
file(GLOB parts LIST_DIRECTORIES true ${CPACK_TEMPORARY_DIRECTORY}/*)
foreach(part ${parts})
  get_filename_component(name ${part} NAME)
  set(package ${package_${name}})
  if(NOT package)
    message(FATAL_ERROR "finish.cmake: '${name}' is no component of ours")
  endif()
  set(doc ${part}/usr/share/doc/${package})
  # Debian has the license in /usr/share/common-licenses, and who reads it has installed it.
  file(REMOVE ${doc}/LICENSE ${doc}/INSTALL.md)
  file(COPY ${source}/copyright DESTINATION ${doc})
  if(EXISTS ${doc}/CHANGELOG.md)
    file(RENAME ${doc}/CHANGELOG.md ${doc}/changelog)
  else()
    file(COPY_FILE ${CPACK_KNEEPOINT_SOURCE}/CHANGELOG.md ${doc}/changelog)
  endif()
  file(WRITE ${doc}/changelog.Debian
    "kneepoint (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
    "  * Made by cpack from the upstream sources.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${today}\n")
  execute_process(COMMAND gzip -9 -n -f ${doc}/changelog ${doc}/changelog.Debian
    COMMAND_ERROR_IS_FATAL ANY)
  if(EXISTS ${source}/${package}.lintian-overrides)
    file(COPY_FILE ${source}/${package}.lintian-overrides ${part}/overrides)
    file(MAKE_DIRECTORY ${part}/usr/share/lintian/overrides)
    file(RENAME ${part}/overrides ${part}/usr/share/lintian/overrides/${package})
  endif()
endforeach()
