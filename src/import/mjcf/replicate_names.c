/* What refers to copies is copied with them: of an actuator on a joint that <replicate> makes three
 * times there are three. Inner replicates first, so that the outer ones find the names that these
 * make. */
#include "import/mjcf/attach.h"
#include "import/mjcf/body.h"
#include "import/number.h"

#include <string.h>

int cr_mjcf_count_of(const cr_xml_element* replicate) {
  const char* text = cr_xml_get(replicate, "count");
  double count = 0;
  if (!text || cr_number_read(text, (int)strlen(text), &count) != CR_NUMBER_FINITE) return 0;
  return count >= 0 && count <= 1e6 ? (int)count : 0;
}

static bool is_replicate(const cr_xml_element* e) { return strcmp(e->name, "replicate") == 0; }

/* The replicate right around an element, within another; null: none but that. */
static const cr_xml_element* find_around(const cr_xml_element* e, const cr_xml_element* within) {
  for (e = e->parent; e && e != within; e = e->parent)
    if (is_replicate(e)) return e;
  return NULL;
}

/* Lists a name with all suffixes that replicates between the element and `outer` give it. */
static carom_status list_name(cr_mjcf* m, cr_mjcf_leftover* list, const cr_xml_element* e,
                              const cr_xml_element* outer, const char* name) {
  const cr_xml_element* around = find_around(e, outer);
  if (!around) return cr_mjcf_add_leftover(m, list, e->name, name);
  for (int i = 0; i < cr_mjcf_count_of(around); i++) {
    const char* suffix =
        cr_mjcf_copy_suffix(m, cr_xml_get(around, "sep"), cr_mjcf_count_of(around), i);
    size_t size = suffix ? strlen(name) + strlen(suffix) + 1 : 0;
    char* whole = suffix ? cr_pool_take(&m->xml.pool, size) : NULL;
    if (!whole) return cr_error_memory(m->error);
    snprintf(whole, size, "%s%s", name, suffix);
    CR_TRY(cr_mjcf_count_copy(m, e));
    cr_xml_element as = {.name = e->name, .parent = (cr_xml_element*)around->parent};
    CR_TRY(list_name(m, list, &as, outer, whole));
  }
  return CAROM_OK;
}

static carom_status list_names(cr_mjcf* m, cr_mjcf_leftover* list, const cr_xml_element* outer) {
  for (const cr_xml_element* e = cr_xml_next(outer, outer); e; e = cr_xml_next(e, outer)) {
    const char* name = cr_xml_get(e, "name");
    if (name && name[0]) CR_TRY(list_name(m, list, e, outer, name));
  }
  return CAROM_OK;
}

carom_status cr_mjcf_clone(cr_mjcf* m, const cr_xml_element* e, cr_xml_element* parent,
                           cr_xml_element** copy) {
  CR_TRY(cr_mjcf_count_copy(m, e));
  cr_xml_element* own = cr_pool_take(&m->xml.pool, sizeof *own);
  if (!own) return cr_error_memory(m->error);
  *own = *e;
  own->parent = parent;
  own->next = own->first_child = own->last_child = NULL;
  for (const cr_xml_element* c = e->first_child; c; c = c->next) {
    cr_xml_element* child = NULL;
    CR_TRY(cr_mjcf_clone(m, c, own, &child));
    if (child) cr_xml_append(own, child);
  }
  *copy = own;
  return CAROM_OK;
}

/* One copy, under a new name, with what it refers to renamed. */
static carom_status make_copy(cr_mjcf* m, const cr_mjcf_leftover* list, const cr_xml_element* e,
                              const cr_mjcf_affix* affix, cr_xml_element** copy) {
  CR_TRY(cr_mjcf_clone(m, e, e->parent, copy));
  CR_TRY(cr_mjcf_rename_references(m, list, *copy, affix));
  return cr_mjcf_rename(m, *copy, "name", affix);
}

/* Takes what refers to the names out of a section, or copies of it, in a row of its own; its own
 * names join them. */
static carom_status take_out(cr_mjcf* m, cr_mjcf_leftover* list, bool keeps,
                             cr_xml_element* section, cr_xml_element* row) {
  cr_xml_element* next;
  for (cr_xml_element* e = section->first_child; e; e = next) {
    next = e->next;
    if (!cr_mjcf_refers_to(list, e)) continue;
    const char* name = cr_xml_get(e, "name");
    cr_xml_element* taken = e;
    if (name && name[0]) CR_TRY(cr_mjcf_add_leftover(m, list, section->name, name));
    if (keeps)
      CR_TRY(cr_mjcf_clone(m, e, section, &taken));
    else
      cr_mjcf_unlink(e);
    cr_xml_append(row, taken);
  }
  return CAROM_OK;
}

/* What refers to the names in sections of a kind is copied, behind all else, copy by copy. */
static carom_status copy_sections(cr_mjcf* m, cr_mjcf_leftover* list, cr_xml_element* root,
                                  const char* kind, const cr_mjcf_copies* copies) {
  cr_xml_element row = {0}, *last = NULL;
  for (cr_xml_element* s = root->first_child; s; s = s->next) {
    if (strcmp(s->name, kind) != 0) continue;
    CR_TRY(take_out(m, list, copies->keeps, s, &row));
    last = s;
  }
  for (int i = 0; i < copies->count && row.first_child; i++)
    for (const cr_xml_element* e = row.first_child; e; e = e->next) {
      cr_xml_element* copy = NULL;
      CR_TRY(make_copy(m, list, e, &copies->affixes[i], &copy));
      if (copy && last) cr_xml_append(last, copy);
    }
  return CAROM_OK;
}

carom_status cr_mjcf_copy_references(cr_mjcf* m, cr_mjcf_leftover* list, cr_xml_element* root,
                                     const cr_mjcf_copies* copies) {
  static const char* const ORDER[] = {"contact", "tendon", "equality", "actuator", "sensor"};
  for (size_t i = 0; i < sizeof ORDER / sizeof ORDER[0]; i++)
    CR_TRY(copy_sections(m, list, root, ORDER[i], copies));
  return CAROM_OK;
}

static carom_status copy_for(cr_mjcf* m, cr_mjcf_leftover* list, cr_xml_element* root,
                             const cr_xml_element* replicate) {
  int count = cr_mjcf_count_of(replicate);
  CR_TRY(list_names(m, list, replicate));
  cr_mjcf_affix* affixes = cr_pool_take(&m->xml.pool, sizeof *affixes * (size_t)(count + 1));
  if (!affixes) return cr_error_memory(m->error);
  for (int i = 0; i < count; i++) {
    affixes[i] =
        (cr_mjcf_affix){"", cr_mjcf_copy_suffix(m, cr_xml_get(replicate, "sep"), count, i)};
    if (!affixes[i].after) return cr_error_memory(m->error);
  }
  return cr_mjcf_copy_references(m, list, root, &(cr_mjcf_copies){affixes, count, false});
}

carom_status cr_mjcf_replicate_references(cr_mjcf* m, cr_xml_element* root,
                                          const cr_xml_element* replicate) {
  cr_mjcf_leftover list = {.names = CR_NAME_TABLE_INIT};
  carom_status status = copy_for(m, &list, root, replicate);
  cr_name_release(&list.names, &m->allocator);
  cr_text_release(&list.text, &m->allocator);
  return status;
}

/* --- Attachments of a document to itself --------------------------------------------------------
 */

/* The class that elements of a part inherit from what is around it, else the document's main one:
 * around the copy another may hold. */
static carom_status keep_class(cr_mjcf* m, const cr_xml_element* root, const cr_xml_element* part,
                               cr_xml_element* copy) {
  const char* class = NULL;
  for (const cr_xml_element* e = part; e && !class; e = e->parent)
    class = cr_xml_get(e, "childclass");
  for (const cr_xml_element* s = root->first_child; s && !class; s = s->next)
    if (strcmp(s->name, "default") == 0) class = cr_xml_get(s, "class");
  return cr_mjcf_set_attribute(m, copy, "childclass", class ? class : "main");
}

/* Copies a part under new names, and what refers to it, which stays too. */
static carom_status attach_copy(cr_mjcf* m, cr_mjcf_leftover* list, cr_xml_element* root,
                                cr_xml_element* attach, const cr_xml_element* part) {
  const cr_mjcf_affix affix = {cr_xml_get(attach, "prefix"), ""};
  cr_xml_element* copy = NULL;
  CR_TRY(list_names(m, list, part));
  const char* name = cr_xml_get(part, "name");
  if (name) CR_TRY(cr_mjcf_add_leftover(m, list, part->name, name));
  CR_TRY(cr_mjcf_clone(m, part, attach, &copy));
  CR_TRY(keep_class(m, root, part, copy));
  for (cr_xml_element* e = copy; e; e = cr_xml_next(e, copy))
    CR_TRY(cr_mjcf_rename(m, e, "name", &affix));
  cr_xml_append(attach, copy);
  return cr_mjcf_copy_references(m, list, root, &(cr_mjcf_copies){&affix, 1, true});
}

carom_status cr_mjcf_attach_self(cr_mjcf* m, cr_xml_element* root, cr_xml_element* attach,
                                 const cr_xml_element* part) {
  cr_mjcf_leftover list = {.names = CR_NAME_TABLE_INIT};
  carom_status status = attach_copy(m, &list, root, attach, part);
  cr_name_release(&list.names, &m->allocator);
  cr_text_release(&list.text, &m->allocator);
  return status;
}
