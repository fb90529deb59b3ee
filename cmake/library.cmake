# SPDX-License-Identifier: Apache-2.0
# libexecz, shared and static, from the objects of src/, and all that is installed.
include(CMakePackageConfigHelpers)

add_library(execz SHARED $<TARGET_OBJECTS:execz_objects>)
add_library(execz_static STATIC $<TARGET_OBJECTS:execz_objects>)
set_target_properties(execz PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set_target_properties(execz_static PROPERTIES OUTPUT_NAME execz EXPORT_NAME static)
foreach(library execz execz_static)
  target_include_directories(${library} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${library} PRIVATE
    ${EXECZ_PACKAGES} Threads::Threads m)
endforeach()
add_library(execz::execz ALIAS execz)
add_library(execz::static ALIAS execz_static)

# The shared library shows what the public headers declare and nothing else: a declaration begins at the
# start of a line and has the function's name in it.
file(GLOB EXECZ_HEADERS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/execz/*.h)
set(EXPORTS "")
foreach(header ${EXECZ_HEADERS})
  file(STRINGS ${header} declarations REGEX "^[a-z].*[ *]ez_[a-z0-9_]+\\(")
  foreach(declaration IN LISTS declarations)
    if(NOT declaration MATCHES "static inline" AND declaration MATCHES "(ez_[a-z0-9_]+)\\(")
      string(APPEND EXPORTS "    ${CMAKE_MATCH_1};\n")
    endif()
  endforeach()
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/execz.map CONTENT "{\n  global:\n${EXPORTS}  local:\n    *;\n};\n")
if(NOT APPLE AND NOT EXECZ_FUZZ)
  target_link_options(execz PRIVATE -Wl,--version-script=${PROJECT_BINARY_DIR}/execz.map)
  set_target_properties(execz PROPERTIES LINK_DEPENDS ${PROJECT_BINARY_DIR}/execz.map)
endif()

# ---- install ----
# Two exports: whoever uses the shared library needs none of the packages that the static one pulls in.
install(TARGETS execz EXPORT execzTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS execz_static EXPORT execzStaticTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${EXECZ_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/execz)

set(PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/execz)
install(EXPORT execzTargets NAMESPACE execz:: DESTINATION ${PACKAGE_DIR})
install(EXPORT execzStaticTargets NAMESPACE execz:: DESTINATION ${PACKAGE_DIR})
configure_package_config_file(cmake/execzConfig.cmake.in ${PROJECT_BINARY_DIR}/execzConfig.cmake
  INSTALL_DESTINATION ${PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/execzConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/execzConfig.cmake ${PROJECT_BINARY_DIR}/execzConfigVersion.cmake
  DESTINATION ${PACKAGE_DIR})
file(RELATIVE_PATH PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/execz.pc.in ${PROJECT_BINARY_DIR}/execz.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/execz.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES docs/execz.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES completions/execz.bash RENAME execz DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES completions/_execz DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES completions/execz.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
