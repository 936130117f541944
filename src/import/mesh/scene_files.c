/* Files for assimp; see scene_files.h. */
#ifdef CAROM_HAS_ASSIMP
#include "import/mesh/scene_files.h"

#include "base/error.h"
#include "io/file.h"

#include <string.h>

/* An open file. */
typedef struct open_file {
  struct aiFile calls; /* first */
  cr_mesh_bytes own;   /* none for the scene itself */
  const char* bytes;
  size_t size, at;
} open_file;

static size_t read_items(struct aiFile* file, char* to, size_t size, size_t count) {
  open_file* f = (open_file*)(void*)file;
  if (size == 0) return 0;
  size_t left = (f->size - f->at) / size, taken = count < left ? count : left;
  memcpy(to, f->bytes + f->at, taken * size);
  f->at += taken * size;
  return taken;
}

static size_t refuse_write(struct aiFile* file, const char* from, size_t size, size_t count) {
  (void)file, (void)from, (void)size, (void)count;
  return 0;
}

static size_t tell(struct aiFile* file) { return ((open_file*)(void*)file)->at; }

static size_t tell_size(struct aiFile* file) { return ((open_file*)(void*)file)->size; }

static enum aiReturn seek(struct aiFile* file, size_t offset, enum aiOrigin origin) {
  open_file* f = (open_file*)(void*)file;
  size_t from = origin == aiOrigin_SET ? 0 : origin == aiOrigin_CUR ? f->at : f->size;
  size_t at = from + offset; /* an offset backwards wraps around */
  if (at > f->size) return aiReturn_FAILURE;
  f->at = at;
  return aiReturn_SUCCESS;
}

static void flush(struct aiFile* file) { (void)file; }

/* Reads a file beside the scene. */
static bool load(cr_scene_files* files, const char* path, open_file* to) {
  carom_error error;
  FILE* file = cr_scene_may_open(files->source->name, path) ? cr_file_open_regular(path) : NULL;
  if (!file) return false;
  carom_status status =
      cr_mesh_bytes_read(file, path, files->budget, &files->allocator, &to->own, &error);
  fclose(file);
  if (status != CAROM_OK) return false;
  files->budget -= to->own.size;
  to->bytes = to->own.data;
  to->size = to->own.size;
  return true;
}

static struct aiFile* open_one(struct aiFileIO* io, const char* path, const char* mode) {
  cr_scene_files* files = (cr_scene_files*)(void*)io;
  if (!mode || mode[0] != 'r') return NULL;
  open_file* f = cr_alloc_zero(&files->allocator, sizeof *f);
  if (!f) return NULL;
  f->calls = (struct aiFile){.ReadProc = read_items,
                             .WriteProc = refuse_write,
                             .TellProc = tell,
                             .FileSizeProc = tell_size,
                             .SeekProc = seek,
                             .FlushProc = flush};
  f->bytes = files->source->bytes;
  f->size = files->source->size;
  if (strcmp(path, files->source->name) == 0 || load(files, path, f)) return &f->calls;
  cr_mesh_bytes_release(&f->own, &files->allocator);
  cr_release(&files->allocator, f, sizeof *f);
  return NULL;
}

static void close_one(struct aiFileIO* io, struct aiFile* file) {
  cr_scene_files* files = (cr_scene_files*)(void*)io;
  open_file* f = (open_file*)(void*)file;
  cr_mesh_bytes_release(&f->own, &files->allocator);
  cr_release(&files->allocator, f, sizeof *f);
}

void cr_scene_files_init(cr_scene_files* files, const cr_mesh_source* source,
                         const carom_allocator* allocator) {
  *files = (cr_scene_files){.io = {.OpenProc = open_one, .CloseProc = close_one},
                            .source = source,
                            .allocator = *allocator,
                            .budget = CR_SCENE_MAX_BYTES};
}
#endif
