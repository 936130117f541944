/* <include file="..."/>: the children of the named document's root stand in its place.
 *
 * A file is looked for beside the main file, then beside the file that includes it. Each file can
 * be included once, so that neither cycles nor files that double at every level have an end to
 * find. */
#include "import/asset.h"
#include "import/mjcf/reader.h"
#include "io/file.h"

#include <string.h>

/* What is being spliced. */
typedef struct splicer {
  cr_mjcf* m;
  const char* main_path;
  cr_name_table seen; /* normalised paths */
  cr_text text;
} splicer;

/* "a/./b//c/../d" as "a/b/d", in place: to tell files apart by name. */
static void normalize_path(char* path) {
  char* out = path;
  bool is_absolute = *path == '/';
  for (const char* part = path; *part;) {
    while (*part == '/') part++;
    size_t length = strcspn(part, "/");
    bool is_up = length == 2 && part[0] == '.' && part[1] == '.';
    char* start = is_absolute ? path + 1 : path;
    char* slash = out;
    while (slash > start && slash[-1] != '/') slash--;
    bool follows_up = out - slash == 2 && slash[0] == '.' && slash[1] == '.';
    if (is_up && out > start && !follows_up) {
      out = slash > start ? slash - 1 : start;
    } else if (length > 0 && !(length == 1 && part[0] == '.')) {
      if (out > start || is_absolute) *out++ = '/';
      memmove(out, part, length);
      out += length;
    }
    part += length;
  }
  *out = '\0';
}

/* `file` in the folder of `beside`, in the pool; null without memory. */
static char* join_path(cr_mjcf* m, const char* beside, const char* file) {
  while (file[0] == '.' && file[1] == '/') file += 2;
  const char* slash = strrchr(beside, '/');
  size_t folder = slash && file[0] != '/' ? (size_t)(slash - beside) + 1 : 0;
  size_t size = folder + strlen(file) + 1;
  char* path = cr_pool_take(&m->xml.pool, size);
  if (path) snprintf(path, size, "%.*s%s", (int)folder, beside, file);
  return path;
}

static FILE* open_file(const cr_mjcf* m, const char* path) {
  const cr_mjcf_files* files = m->files;
  return files && files->open ? files->open(files->user, path) : cr_file_open_regular(path);
}

static bool has_no_file(void* user, const char* path) {
  (void)user, (void)path;
  return false;
}

bool cr_mjcf_is_outside(const cr_mjcf* m, const char* path) {
  const cr_asset_search search = {.main_path = m->main_path,
                                  .exists = m->files ? has_no_file : NULL,
                                  .outside = m->outside,
                                  .alone = m->alone,
                                  .absolute = m->is_text};
  return cr_asset_is_outside(&search, path);
}

carom_status cr_mjcf_fail_open(const cr_mjcf* m, const cr_subject* subject, const char* file,
                               const char* path) {
  if (m->alone) return cr_subject_fail(subject, CAROM_ERROR_FILE, CR_ASSET_ALONE, file);
  if (cr_mjcf_is_outside(m, path))
    return cr_subject_fail(subject, CAROM_ERROR_FILE, CR_ASSET_OUTSIDE, file);
  const char* fault = m->files ? NULL : cr_file_fault(path);
  return cr_subject_fail(subject, CAROM_ERROR_FILE, "file '%.150s' cannot be opened%s%s", file,
                         fault ? ": " : "", fault ? fault : "");
}

FILE* cr_mjcf_find_file(cr_mjcf* m, const char* main_path, const cr_xml_element* element,
                        const char* file, char** path) {
  const char* folders[2] = {main_path, element->file};
  char* outside = NULL;
  for (int i = 0; i < 2; i++) {
    *path = join_path(m, folders[i], file);
    if (!*path) return NULL;
    bool is_outside = cr_mjcf_is_outside(m, *path);
    FILE* opened = is_outside ? NULL : open_file(m, *path);
    if (opened) return opened;
    if (is_outside && !outside) outside = *path;
  }
  if (outside) *path = outside;
  return NULL;
}

/* Notes a path; false when it was there before. */
static carom_status add_path(splicer* s, const char* path, bool* is_new) {
  carom_status memory = CAROM_ERROR_OUT_OF_MEMORY;
  char* normal = cr_pool_copy(&s->m->xml.pool, path, strlen(path));
  if (!normal) return memory;
  normalize_path(normal);
  *is_new = cr_name_find(&s->seen, &s->text, 0, normal) < 0;
  if (!*is_new) return CAROM_OK;
  int offset = cr_text_add(&s->text, &s->m->allocator, normal);
  if (offset < 0 || !cr_name_add(&s->seen, &s->m->allocator, &s->text, 0, offset, 0)) return memory;
  return CAROM_OK;
}

/* Reads the document that an include names. */
static carom_status read_included(splicer* s, const cr_xml_element* include,
                                  cr_xml_element** root) {
  cr_mjcf* m = s->m;
  cr_subject subject = cr_mjcf_subject(m, include);
  const char* file = cr_xml_get(include, "file");
  if (!file || !file[0])
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute 'file' is missing");
  char* path;
  FILE* opened = cr_mjcf_find_file(m, s->main_path, include, file, &path);
  if (!path) return cr_error_memory(m->error);
  if (!opened) return cr_mjcf_fail_open(m, &subject, file, path);
  bool is_new = false;
  carom_status status = add_path(s, path, &is_new);
  if (status != CAROM_OK) {
    status = cr_error_memory(m->error);
  } else if (!is_new) {
    status = cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                             "file '%.150s' is included a second time, or by itself", file);
  } else {
    cr_xml_source source = {.name = path, .file = opened, .depth = include->depth - 1};
    status = cr_xml_read(&m->xml, &source, root, m->error);
    if (status == CAROM_OK && !*root)
      status = cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "file '%.150s' is empty", file);
  }
  fclose(opened);
  return status;
}

/* Puts the children of `root` where `include` stands. `before` is its elder sibling, or null. */
static void splice(cr_xml_element* include, cr_xml_element* before, cr_xml_element* root) {
  cr_xml_element* parent = include->parent;
  cr_xml_element* first = root->first_child ? root->first_child : include->next;
  for (cr_xml_element* child = root->first_child; child; child = child->next)
    child->parent = parent;
  if (root->last_child) root->last_child->next = include->next;
  if (before)
    before->next = first;
  else
    parent->first_child = first;
  if (parent->last_child == include)
    parent->last_child = root->last_child ? root->last_child : before;
}

/* Replaces the includes among an element's children, and those that come with them. */
static carom_status splice_children(splicer* s, cr_xml_element* parent) {
  cr_xml_element *before = NULL, *child = parent->first_child;
  while (child) {
    if (strcmp(child->name, "include") != 0) {
      before = child;
      child = child->next;
      continue;
    }
    cr_xml_element* root = NULL;
    CR_TRY(cr_mjcf_expect_no_children(s->m, child));
    CR_TRY(read_included(s, child, &root));
    if (root) splice(child, before, root);
    child = before ? before->next : parent->first_child;
  }
  return CAROM_OK;
}

carom_status cr_mjcf_include(cr_mjcf* m, cr_xml_element* root, const char* path) {
  splicer s = {.m = m, .main_path = path, .seen = CR_NAME_TABLE_INIT};
  bool is_new;
  carom_status status = add_path(&s, path, &is_new);
  if (status != CAROM_OK) cr_error_memory(m->error);
  for (cr_xml_element* e = root; e && status == CAROM_OK; e = cr_xml_next(e, root))
    status = splice_children(&s, e);
  cr_name_release(&s.seen, &m->allocator);
  cr_text_release(&s.text, &m->allocator);
  return status;
}
