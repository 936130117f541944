/* ParaView's series of files: out.pvd lists the frames of the bodies, out_contacts.pvd those of the
 * contact points, out_areas.pvd, out_soft.pvd and out_soft_surface.pvd those of areas and of soft
 * bodies where there are any; the frames are in out_frames. */
#include "convert/vtk_parts.h"
#include "convert/vtk_xml.h"
#include "io/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* The list of a part's frames, and what encodes them. */
typedef struct series {
  const cr_vtk_part* part;
  char* list_path;
  size_t list_size;
  cr_file list;
  bool is_open;
  cr_vtk_xml xml;
} series;

typedef struct writer {
  cr_convert_job* job;
  char* folder;
  size_t folder_size;
  cr_vtk_parts parts;
  series series[CR_VTK_MOST_PARTS]; /* one for each part */
} writer;

/* --- Lists --------------------------------------------------------------------------------------
 */

static void put_escaped(cr_file* file, const char* text) {
  for (; *text; text++) switch (*text) {
    case '&':
      cr_file_put_text(file, "&amp;");
      break;
    case '<':
      cr_file_put_text(file, "&lt;");
      break;
    case '"':
      cr_file_put_text(file, "&quot;");
      break;
    default:
      cr_file_put(file, text, 1);
    }
}

static carom_status open_list(writer* w, int part, carom_error* error) {
  series* s = &w->series[part];
  s->list_path = cr_vtk_parts_make_path(&w->parts, part, ".pvd", &s->list_size);
  if (!s->list_path) return cr_error_memory(error);
  CR_TRY(cr_file_open(&s->list, s->list_path, error));
  s->is_open = true;
  cr_file_put_text(&s->list, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" "
                             "version=\"0.1\">\n  <Collection>\n");
  return CAROM_OK;
}

static carom_status close_list(writer* w, series* s, carom_error* error) {
  if (!s->is_open) return CAROM_OK;
  s->is_open = false;
  cr_file_put_text(&s->list, "  </Collection>\n</VTKFile>\n");
  w->job->report.num_bytes += s->list.num_bytes;
  w->job->report.num_files++;
  return cr_file_close(&s->list, error);
}

/* --- Frames -------------------------------------------------------------------------------------
 */

/* A frame's file is named beside the list that names it. */
static carom_status put_frame(writer* w, series* s, double time, int number, carom_error* error) {
  const char* slash = strrchr(w->folder, '/');
  const char* folder = slash ? slash + 1 : w->folder;
  char name[64];
  const char* ending = s->part->mesh->kind == CR_VTK_SOLID ? "vtu" : "vtp";
  snprintf(name, sizeof name, "/%s_%06d.%s", s->part->name, number, ending);
  cr_file_print(&s->list, "    <DataSet timestep=\"%.17g\" part=\"0\" file=\"", time);
  put_escaped(&s->list, folder);
  cr_file_print(&s->list, "%s\"/>\n", name);
  size_t size = w->folder_size + strlen(name);
  char* path = cr_alloc(w->job->allocator, size);
  if (!path) return cr_error_memory(error);
  snprintf(path, size, "%s%s", w->folder, name);
  int64_t num_bytes = 0;
  carom_status status = cr_vtk_xml_write(&s->xml, s->part->mesh, time, path, &num_bytes, error);
  cr_release(w->job->allocator, path, size);
  w->job->report.num_bytes += num_bytes;
  w->job->report.num_files++;
  return status;
}

static carom_status visit(void* writer_, const carom_frame* frame, int number, carom_error* error) {
  writer* w = writer_;
  CR_TRY(cr_vtk_parts_update(&w->parts, frame, error));
  for (int i = 0; i < w->parts.count; i++)
    CR_TRY(put_frame(w, &w->series[i], frame->time, number, error));
  return CAROM_OK;
}

/* --- All of it ----------------------------------------------------------------------------------
 */

static carom_status make_folder(writer* w, carom_error* error) {
  w->folder = cr_convert_make_path(w->job, ".pvd", "_frames", &w->folder_size);
  if (!w->folder) return cr_error_memory(error);
  if (mkdir(w->folder, 0777) == 0 || errno == EEXIST) return CAROM_OK;
  return cr_error_set(error, CAROM_ERROR_FILE, "%.300s: cannot be made: %s", w->folder,
                      strerror(errno));
}

static carom_status write_all(writer* w, carom_error* error) {
  CR_TRY(cr_vtk_parts_lay_out(&w->parts, w->job->def->solid, error));
  for (int i = 0; i < w->parts.count; i++) CR_TRY(open_list(w, i, error));
  CR_TRY(make_folder(w, error));
  CR_TRY(cr_convert_each_frame(w->job, visit, w, error));
  for (int i = 0; i < w->parts.count; i++) CR_TRY(close_list(w, &w->series[i], error));
  return CAROM_OK;
}

static void begin(writer* w, cr_convert_job* job) {
  *w = (writer){.job = job};
  cr_vtk_parts_begin(&w->parts, job);
  for (int i = 0; i < w->parts.count; i++) {
    w->series[i].part = &w->parts.part[i];
    cr_vtk_xml_init(&w->series[i].xml, job->allocator);
  }
}

carom_status cr_convert_write_vtk(cr_convert_job* job, carom_error* error) {
  const carom_allocator* a = job->allocator;
  writer w;
  begin(&w, job);
  carom_status status = write_all(&w, error);
  for (int i = 0; i < w.parts.count; i++) {
    close_list(&w, &w.series[i], NULL);
    cr_vtk_xml_free(&w.series[i].xml);
    cr_release(a, w.series[i].list_path, w.series[i].list_size);
  }
  cr_release(a, w.folder, w.folder_size);
  cr_vtk_parts_free(&w.parts);
  return status;
}
