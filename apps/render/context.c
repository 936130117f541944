/* Tries the displays that need no screen, best first: the devices that EGL lists, graphics cards
 * before software, then Mesa's surfaceless platform, then whatever EGL takes by default. */
#include "context.h"

#include "common/error.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>

enum { MAX_DEVICES = 16 };

/* libepoxy ends the program where a library is missing, so look first. */
static bool has_library(const char* name) {
  void* library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (library) dlclose(library);
  return library != NULL;
}

static EGLContext make_context(EGLDisplay display) {
  static const EGLint ATTRIBUTES[] = {EGL_CONTEXT_MAJOR_VERSION,
                                      3,
                                      EGL_CONTEXT_MINOR_VERSION,
                                      3,
                                      EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                      EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                      EGL_NONE};
  static const EGLint WANTED[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, 0,
                                  EGL_NONE};
  EGLConfig config = EGL_NO_CONFIG_KHR;
  EGLint count = 0;
  if (!eglChooseConfig(display, WANTED, &config, 1, &count) || count < 1)
    config = EGL_NO_CONFIG_KHR;
  return eglCreateContext(display, config, EGL_NO_CONTEXT, ATTRIBUTES);
}

/* Whether drawing can begin on this display. */
static bool try_display(render_context* c, EGLDisplay display) {
  if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL)) return false;
  if (eglBindAPI(EGL_OPENGL_API)) {
    EGLContext context = make_context(display);
    if (context && eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
      *c = (render_context){display, context};
      return true;
    }
    if (context) eglDestroyContext(display, context);
  }
  eglTerminate(display);
  return false;
}

static EGLDisplay device_display(EGLDeviceEXT device) {
  return eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, device, NULL);
}

static bool is_software(EGLDeviceEXT device) {
  const char* extensions = eglQueryDeviceStringEXT(device, EGL_EXTENSIONS);
  return extensions && epoxy_extension_in_string(extensions, "EGL_MESA_device_software");
}

static bool try_devices(render_context* c, bool software) {
  EGLDeviceEXT devices[MAX_DEVICES];
  EGLint count = 0;
  if (!eglQueryDevicesEXT(MAX_DEVICES, devices, &count)) return false;
  for (int i = 0; i < count; i++)
    if (is_software(devices[i]) == software && try_display(c, device_display(devices[i])))
      return true;
  return false;
}

static bool has_extension(const char* name) {
  return epoxy_has_egl_extension(EGL_NO_DISPLAY, name);
}

static bool try_all(render_context* c) {
  bool has_platforms = has_extension("EGL_EXT_platform_base");
  bool has_devices = has_platforms && has_extension("EGL_EXT_device_enumeration") &&
                     has_extension("EGL_EXT_device_query") &&
                     has_extension("EGL_EXT_platform_device");
  if (has_devices && (try_devices(c, false) || try_devices(c, true))) return true;
  if (has_platforms && has_extension("EGL_MESA_platform_surfaceless") &&
      try_display(
          c, eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL)))
    return true;
  return try_display(c, eglGetDisplay(EGL_DEFAULT_DISPLAY));
}

carom_status render_context_create(render_context* context, carom_error* error) {
  *context = (render_context){EGL_NO_DISPLAY, EGL_NO_CONTEXT};
  if (!has_library("libEGL.so.1"))
    return cli_error(error, CAROM_ERROR_FILE,
                     "pictures need libEGL.so.1; install the packages libegl1 and libgl1-mesa-dri");
  if (!has_library("libOpenGL.so.0") && !has_library("libGL.so.1"))
    return cli_error(error, CAROM_ERROR_FILE,
                     "pictures need libOpenGL.so.0; install the packages libopengl0 and "
                     "libgl1-mesa-dri");
  setenv("EGL_LOG_LEVEL", "fatal", 0); /* devices that are refused are no news */
  if (try_all(context)) return CAROM_OK;
  return cli_error(error, CAROM_ERROR_FILE,
                   "EGL gives no OpenGL 3.3 context; install the packages libegl-mesa0 and "
                   "libgl1-mesa-dri, which draw without a graphics card");
}

void render_context_destroy(render_context* context) {
  if (context->display == EGL_NO_DISPLAY) return;
  eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  eglDestroyContext(context->display, context->context);
  eglTerminate(context->display);
}
