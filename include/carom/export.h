/** @file
 * Symbol visibility and C++ linkage of the public interface.
 */
#ifndef CAROM_EXPORT_H
#define CAROM_EXPORT_H

#if defined(_WIN32) && defined(CAROM_BUILDING_SHARED)
#define CAROM_API __declspec(dllexport)
#elif defined(__GNUC__)
#define CAROM_API __attribute__((visibility("default")))
#else
#define CAROM_API
#endif

#ifdef __cplusplus
#define CAROM_BEGIN_DECLS extern "C" {
#define CAROM_END_DECLS   }
#else
#define CAROM_BEGIN_DECLS
#define CAROM_END_DECLS
#endif

#endif
