# SPDX-License-Identifier: Apache-2.0
#
# What an installation has besides programs, and how CPack makes packages of it. Included by the root.
#   cmake --install BUILD --prefix PREFIX --strip       all of it, anywhere
#   cpack --config BUILD/CPackConfig.cmake -G DEB       or RPM, or TGZ, which may be unpacked anywhere
# The one rule: destinations are relative, and nothing that is installed knows the prefix.

# --- files --------------------------------------------------------------------------------------
set(kp_doc share/doc/kneepoint)
install(DIRECTORY plans DESTINATION share/kneepoint COMPONENT controller)
install(FILES README.md CHANGELOG.md LICENSE deploy/packages/INSTALL.md DESTINATION ${kp_doc}
  COMPONENT controller)
# With their places to each other, so that links between them hold.
install(DIRECTORY docs deploy DESTINATION ${kp_doc} COMPONENT controller
  PATTERN packages EXCLUDE PATTERN __pycache__ EXCLUDE)
install(FILES deploy/systemd/kneepoint-nightly.service deploy/systemd/kneepoint-nightly.timer
  deploy/systemd/kneepoint-serve.service DESTINATION lib/systemd/user COMPONENT controller)
install(FILES agents/agent/kneepoint-agent.1 DESTINATION share/man/man1
  COMPONENT worker)

# Man pages and completions are written by the program that they are about, straight into their places:
# two installations of one build tree may run at a time.
install(CODE "
  set(kneepoint \"$<TARGET_FILE:kneepoint>\")
  set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share\")
  message(STATUS \"Writing: \${share}/man/man1/kneepoint*.1 and completions\")
  execute_process(COMMAND \${kneepoint} man --output-dir \${share}/man/man1 COMMAND_ERROR_IS_FATAL ANY)
  set(bash bash-completion/completions/kneepoint)
  set(zsh zsh/site-functions/_kneepoint)
  set(fish fish/vendor_completions.d/kneepoint.fish)
  foreach(shell bash zsh fish)
    get_filename_component(folder \${share}/\${\${shell}} DIRECTORY)
    file(MAKE_DIRECTORY \${folder})
    execute_process(COMMAND \${kneepoint} completion \${shell} OUTPUT_FILE \${share}/\${\${shell}}
      COMMAND_ERROR_IS_FATAL ANY)
    list(APPEND written \${share}/\${\${shell}})
  endforeach()
  file(GLOB pages \${share}/man/man1/kneepoint.1 \${share}/man/man1/kneepoint-*.1)
  list(APPEND written \${pages})
  file(CHMOD \${written} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES \${written})" COMPONENT controller)

# --- packages -----------------------------------------------------------------------------------
set(CPACK_PACKAGE_NAME kneepoint)
set(CPACK_PACKAGE_VENDOR "the kneepoint project")
set(CPACK_PACKAGE_CONTACT "kneepoint maintainers <maintainers@kneepoint.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_FILE_NAME kneepoint-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
  GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL controller worker workloads)  # not nccl: its libraries are in no package
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/generator.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/finish.cmake)
set(CPACK_KNEEPOINT_SOURCE ${PROJECT_SOURCE_DIR})

# Lines of a description are taken as they are, and Debian wants them short.
set(kp_about_controller "kneepoint measures a parallel program at several numbers of workers,
on Slurm, on Kubernetes or on one machine, and says how far scaling pays:
efficiency with intervals, the knee, what a result costs. This package has
the program itself, plans, documents and systemd user units.")
set(kp_about_worker "What runs where a program is measured by kneepoint: the agent, what it
measures the machine with, the library that it preloads to see inside MPI
programs, and the probe for C, C++, Fortran and Python. Every node needs it,
and the machine of the controller too for studies there.")
set(kp_about_workloads "Programs with a known answer to measure a machine with: stencil, conjugate
gradients, Monte Carlo, all-reduce, data and tensor parallel training, and
one that sleeps as a formula says. Built with Open MPI.")
set(kp_package_controller kneepoint)
set(kp_package_worker kneepoint-worker)
set(kp_package_workloads kneepoint-workloads)
set(kp_title_controller "scaling studies on Slurm, Kubernetes and one machine")
set(kp_title_worker "agent of kneepoint for the nodes that are measured")
set(kp_title_workloads "MPI workloads that kneepoint measures machines with")

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_CONTROLLER_PACKAGE_RECOMMENDS "kneepoint-worker, kneepoint-workloads")
set(CPACK_DEBIAN_CONTROLLER_PACKAGE_SUGGESTS "slurm-client")
set(CPACK_DEBIAN_WORKER_PACKAGE_SUGGESTS "python3")
set(CPACK_DEBIAN_WORKER_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/triggers)
set(CPACK_DEBIAN_WORKLOADS_PACKAGE_DEPENDS "openmpi-bin")
set(CPACK_DEBIAN_WORKLOADS_PACKAGE_RECOMMENDS "kneepoint-worker")

set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
set(CPACK_RPM_PACKAGE_RELEASE 1)
set(CPACK_RPM_PACKAGE_RELOCATABLE ON)
set(CPACK_RPM_SPEC_MORE_DEFINE "%define _build_id_links none")
set(CPACK_RPM_CONTROLLER_PACKAGE_SUGGESTS "kneepoint-worker, kneepoint-workloads")
set(CPACK_RPM_WORKLOADS_PACKAGE_REQUIRES "openmpi")
# Folders that belong to other packages.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/lib/systemd /usr/lib/systemd/user
  /usr/share/man /usr/share/man/man1 /usr/share/doc /usr/share/bash-completion
  /usr/share/bash-completion/completions /usr/share/zsh /usr/share/zsh/site-functions
  /usr/share/fish /usr/share/fish/vendor_completions.d)

foreach(part ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${part} PART)
  set(CPACK_COMPONENT_${PART}_DESCRIPTION ${kp_about_${part}})
  set(CPACK_DEBIAN_${PART}_PACKAGE_NAME ${kp_package_${part}})
  set(CPACK_DEBIAN_${PART}_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_${PART}_DESCRIPTION "${kp_title_${part}}\n${kp_about_${part}}")
  set(CPACK_RPM_${PART}_PACKAGE_NAME ${kp_package_${part}})
  set(CPACK_RPM_${PART}_PACKAGE_SUMMARY ${kp_title_${part}})
  set(CPACK_RPM_${PART}_PACKAGE_DESCRIPTION ${kp_about_${part}})
endforeach()
include(CPack)
