# Tests of the house around the code. They run once, in the release tree.
function(house_test name)
  suite_test(${name} ${ARGN})
  # They are the long ones: started first, they do not hold up the end of a parallel run.
  set_tests_properties(${name} PROPERTIES COST 100)
endfunction()

set(house ${PROJECT_SOURCE_DIR}/tests/house)
house_test(house.headers bash ${house}/headers.sh ${PROJECT_SOURCE_DIR}/include)
house_test(house.names python3 ${house}/names.py ${PROJECT_SOURCE_DIR}/include/stiction ${PROJECT_SOURCE_DIR}/tests)
house_test(house.symbols bash ${house}/symbols.sh ${PROJECT_SOURCE_DIR}/include $<TARGET_FILE:stiction>
           $<TARGET_FILE:stiction_static>)
house_test(house.consumer bash ${PROJECT_SOURCE_DIR}/tests/consumer/run.sh ${PROJECT_BINARY_DIR}
           ${PROJECT_VERSION})
house_test(house.bootstrap bash ${house}/bootstrap.sh ${PROJECT_SOURCE_DIR}/tools/bootstrap)
house_test(house.allocations bash ${house}/allocations.sh ${PROJECT_SOURCE_DIR}/include/stiction ${PROJECT_SOURCE_DIR}/tests)
house_test(house.sizes bash ${house}/sizes.sh ${PROJECT_SOURCE_DIR}/tools/lint ${PROJECT_BINARY_DIR})
house_test(house.readme bash ${house}/readme.sh $<TARGET_FILE:stiction_command> ${PROJECT_SOURCE_DIR}/README.md)
house_test(house.reproductions bash ${house}/readme.sh $<TARGET_FILE:stiction_command>
           ${PROJECT_SOURCE_DIR}/docs/reproductions.md)
house_test(house.errata bash ${house}/readme.sh $<TARGET_FILE:stiction_command> ${PROJECT_SOURCE_DIR}/docs/errata.md)
house_test(house.answers python3 ${house}/answers.py $<TARGET_FILE:stiction_command> ${PROJECT_SOURCE_DIR}/docs/json.md)
house_test(house.papers python3 ${house}/papers.py $<TARGET_FILE:stiction_command> ${PROJECT_SOURCE_DIR}/docs/papers.md
           ${PROJECT_SOURCE_DIR}/include/stiction)
house_test(house.skipped bash ${house}/skipped.sh ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/../shared)
house_test(house.attack python3 ${house}/attack.py ${PROJECT_SOURCE_DIR})
house_test(house.docs bash ${house}/docs.sh)
house_test(house.calls bash ${house}/calls.sh ${PROJECT_BINARY_DIR}/CMakeFiles/stiction_objects.dir ${PROJECT_SOURCE_DIR}
           ${PROJECT_SOURCE_DIR}/docs/architecture.md)
house_test(house.demo bash ${PROJECT_SOURCE_DIR}/tools/demo $<TARGET_FILE:stiction_command>)

house_test(lint.format bash ${PROJECT_SOURCE_DIR}/tools/lint format)
house_test(lint.width bash ${PROJECT_SOURCE_DIR}/tools/lint width)
house_test(lint.names bash ${PROJECT_SOURCE_DIR}/tools/lint names)
house_test(lint.rooms bash ${PROJECT_SOURCE_DIR}/tools/lint rooms)
house_test(lint.sizes bash ${PROJECT_SOURCE_DIR}/tools/lint sizes ${PROJECT_BINARY_DIR})
house_test(lint.borders bash ${PROJECT_SOURCE_DIR}/tools/lint borders)
house_test(lint.tidy bash ${PROJECT_SOURCE_DIR}/tools/lint tidy ${PROJECT_BINARY_DIR})

# The other trees' tests join this one. A tree that was promised and is not there is a failure.
foreach(tree ${STICTION_SUITE_TREES})
  get_filename_component(name ${tree} NAME)
  set(join ${PROJECT_BINARY_DIR}/suite-${name}.cmake)
  file(WRITE ${join} "if(EXISTS \"${tree}/CTestTestfile.cmake\")\n"
                     "  include(\"${tree}/CTestTestfile.cmake\")\n"
                     "else()\n"
                     "  add_test(tree.${name} false)\n"
                     "endif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${join})
endforeach()
