# Read by ctest after the tests of a program (`tests`, from `sources`): who waits for whom. A test
# whose first line names a cluster, as in `SlurmPlace place("plain");`, uses that one alone, and one
# on the other cluster may run beside it. Every other test has both to itself; so has one whose name
# tells that it takes the time.
set(clusters "")
foreach(source IN LISTS sources)
  file(READ ${source} text)
  string(REGEX MATCHALL
    "\nTEST\\([A-Za-z]+, [A-Za-z]+\\) {\n  [A-Za-z]+ [a-z]+\\(\"(plain|accounting)\""
    found "${text}")
  foreach(one IN LISTS found)
    string(REGEX REPLACE
      "\nTEST\\(([A-Za-z]+), ([A-Za-z]+)\\).*\"(.*)\"" "\\1.\\2=\\3" one "${one}")
    list(APPEND clusters "${one}")
  endforeach()
endforeach()
foreach(test IN LISTS tests)
  list(FIND clusters "${test}=plain" on_plain)
  list(FIND clusters "${test}=accounting" on_accounting)
  set(locks slurm_plain slurm_accounting)
  if(test MATCHES "Deadline")
  elseif(on_plain GREATER -1 OR test MATCHES "/slurm(_rest)?( |$)")
    set(locks slurm_plain)
  elseif(on_accounting GREATER -1 OR test MATCHES "/slurm(_rest)?_with_accounting( |$)")
    set(locks slurm_accounting)
  endif()
  set_tests_properties("${test}" PROPERTIES RESOURCE_LOCK "${locks}")
endforeach()
