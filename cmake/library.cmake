# SPDX-License-Identifier: Apache-2.0
# libexecz, shared and static, from the objects of src/, and what installs it.

add_library(execz SHARED $<TARGET_OBJECTS:execz_objects>)
add_library(execz_static STATIC $<TARGET_OBJECTS:execz_objects>)
set_target_properties(execz PROPERTIES EXPORT_NAME execz
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set_target_properties(execz_static PROPERTIES OUTPUT_NAME execz)
foreach(library execz execz_static)
  target_include_directories(${library} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${library} PRIVATE $<TARGET_PROPERTY:execz_objects,LINK_LIBRARIES>)
endforeach()
