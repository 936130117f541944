/* The XML tree; see xml.h. Expat is fed in pieces, so that a file that is not XML is refused after
 * its first one, however long it is. */
#include "import/xml.h"

#include "base/error.h"
#include "import/xml_bytes.h"
#include "import/xml_mend.h"
#include "io/file.h"

#include <expat.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#define PIECE_SIZE      ((size_t)16384)
#define MOST_PIECE_SIZE ((size_t)1 << 24)

/* State of one document. */
typedef struct reader {
  cr_xml_tree* tree;
  XML_Parser parser;
  const char* name;
  int depth; /* of the next element */
  cr_xml_element* root;
  cr_xml_element* open; /* innermost element whose end has not been seen */
  cr_xml_bytes bytes;
  cr_xml_mend mend;
  bool is_closed; /* the root's end has been seen */
  char* text;     /* of `open` so far */
  size_t text_length, text_size;
  char* clean; /* a piece as UTF-8 */
  size_t clean_size;
  bool root_only;
  carom_error* error;
  carom_status status;
} reader;

/* ---- Expat's memory comes from the caller's hooks too. Its suite carries no user pointer, so the
 * allocator of the parse that runs on this thread is kept here; a header keeps each block's size.
 */

static _Thread_local const carom_allocator* parse_allocator;

#define HEADER ((size_t)CR_ALIGNMENT)

static void* suite_allocate(size_t size) {
  if (size > SIZE_MAX - HEADER) return NULL;
  char* block = cr_alloc(parse_allocator, size + HEADER);
  if (!block) return NULL;
  memcpy(block, &size, sizeof size);
  return block + HEADER;
}

static void suite_free(void* memory) {
  if (!memory) return;
  char* block = (char*)memory - HEADER;
  size_t size;
  memcpy(&size, block, sizeof size);
  cr_release(parse_allocator, block, size + HEADER);
}

static void* suite_reallocate(void* memory, size_t size) {
  void* grown = suite_allocate(size);
  if (!grown || !memory) return grown;
  size_t old;
  memcpy(&old, (char*)memory - HEADER, sizeof old);
  memcpy(grown, memory, old < size ? old : size);
  suite_free(memory);
  return grown;
}

/* ---- Events */

static int current_line(const reader* r) {
  XML_Size line = XML_GetCurrentLineNumber(r->parser);
  return line > INT_MAX ? INT_MAX : (int)line;
}

/* Stops the parse with a sentence. */
CR_PRINTF(3, 4)
static void stop(reader* r, carom_status status, const char* format, ...) {
  if (r->status != CAROM_OK) return;
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  r->status = cr_error_set(r->error, status, "%.200s:%d: %s", r->name, current_line(r), text);
  XML_StopParser(r->parser, XML_FALSE);
}

static void stop_memory(reader* r) {
  r->status = cr_error_memory(r->error);
  XML_StopParser(r->parser, XML_FALSE);
}

/* Whether an attribute's name is that of one before it; see xml_mend.h. */
static bool is_again(const char* name) {
  const char* mark = strstr(name, CR_XML_MEND_AGAIN);
  return mark && mark[2] >= '0' && mark[2] <= '9';
}

/* Copies names and values; false without memory. */
static bool copy_attributes(reader* r, cr_xml_element* element, const char** pairs) {
  int count = 0;
  for (int i = 0; pairs[2 * i]; i++) {
    bool again = is_again(pairs[2 * i]);
    element->gives_again = element->gives_again || again;
    if (again) continue;
    pairs[2 * count] = pairs[2 * i], pairs[2 * count + 1] = pairs[2 * i + 1];
    count++;
  }
  cr_pool* pool = &r->tree->pool;
  cr_xml_attribute* copies = cr_pool_take(pool, (size_t)count * sizeof *copies);
  if (!copies) return false;
  for (int i = 0; i < count; i++) {
    copies[i].name = cr_pool_copy(pool, pairs[2 * i], strlen(pairs[2 * i]));
    copies[i].value = cr_pool_copy(pool, pairs[2 * i + 1], strlen(pairs[2 * i + 1]));
    if (!copies[i].name || !copies[i].value) return false;
  }
  element->attributes = copies;
  element->num_attributes = count;
  return true;
}

void cr_xml_append(cr_xml_element* parent, cr_xml_element* child) {
  child->next = NULL;
  if (parent->last_child)
    parent->last_child->next = child;
  else
    parent->first_child = child;
  parent->last_child = child;
  child->parent = parent;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* Gives the open element the text that has come since its start tag. */
static void keep_text(reader* r) {
  size_t start = 0, end = r->text_length;
  r->text_length = 0;
  if (!r->open || r->open->first_child || !r->open->text_line) return;
  while (start < end && is_blank(r->text[start])) start++;
  while (end > start && is_blank(r->text[end - 1])) end--;
  r->open->text = cr_pool_copy(&r->tree->pool, r->text + start, end - start);
  if (!r->open->text) stop_memory(r);
}

static void XMLCALL on_start(void* user, const char* name, const char** attributes) {
  reader* r = user;
  if (r->status != CAROM_OK || r->is_closed) return;
  if (r->depth >= CR_XML_MAX_DEPTH) {
    stop(r, CAROM_ERROR_BAD_INPUT, "elements are nested deeper than %d", CR_XML_MAX_DEPTH);
    return;
  }
  if (++r->tree->elements > CR_XML_MAX_ELEMENTS) {
    stop(r, CAROM_ERROR_BAD_INPUT, "there are more than %d elements", CR_XML_MAX_ELEMENTS);
    return;
  }
  keep_text(r);
  if (r->status != CAROM_OK) return;
  cr_xml_element* element = cr_pool_take(&r->tree->pool, sizeof *element);
  char* copy = element ? cr_pool_copy(&r->tree->pool, name, strlen(name)) : NULL;
  if (!copy || !copy_attributes(r, element, attributes)) {
    stop_memory(r);
    return;
  }
  element->name = copy;
  element->file = r->name;
  element->line = current_line(r);
  element->depth = r->depth++;
  if (r->open)
    cr_xml_append(r->open, element);
  else
    r->root = element;
  r->open = element;
  if (r->root_only) XML_StopParser(r->parser, XML_FALSE);
}

static void XMLCALL on_end(void* user, const char* name) {
  (void)name;
  reader* r = user;
  if (r->status != CAROM_OK) return;
  keep_text(r);
  r->is_closed = r->open == r->root;
  r->open = r->open->parent;
  r->depth--;
}

/* Adds to the text of the open element; false without memory. */
static bool append_text(reader* r, const char* text, size_t length) {
  const carom_allocator* allocator = &r->tree->pool.allocator;
  if (length > r->text_size - r->text_length) {
    size_t size = 2 * (r->text_size + length);
    char* grown = cr_realloc(allocator, r->text, r->text_size, size);
    if (!grown) return false;
    r->text = grown;
    r->text_size = size;
  }
  memcpy(r->text + r->text_length, text, length);
  r->text_length += length;
  return true;
}

static void XMLCALL on_text(void* user, const char* text, int length) {
  reader* r = user;
  if (r->status != CAROM_OK || !r->open) return;
  for (int i = 0; i < length && !r->open->text_line; i++)
    if (!is_blank(text[i])) r->open->text_line = current_line(r);
  if (r->open->first_child || !r->open->text_line) return;
  if (!append_text(r, text, (size_t)length)) stop_memory(r);
}

static void XMLCALL on_entity(void* user, const char* name, int is_parameter, const char* value,
                              int length, const char* base, const char* system_id,
                              const char* public_id, const char* notation) {
  (void)is_parameter, (void)value, (void)length, (void)base;
  (void)system_id, (void)public_id, (void)notation;
  stop(user, CAROM_ERROR_BAD_INPUT, "entity '%.60s' is declared; entities are not accepted", name);
}

static void XMLCALL on_skipped_entity(void* user, const char* name, int is_parameter) {
  (void)is_parameter;
  stop(user, CAROM_ERROR_BAD_INPUT, "entity '%.60s' is not known", name);
}

/* ---- Feeding */

static const char* describe(const reader* r, enum XML_Error code) {
  if (code == XML_ERROR_INVALID_TOKEN) return "invalid token"; /* expat's repeats what is said */
  if (code != XML_ERROR_NO_ELEMENTS) return XML_ErrorString(code);
  if (r->open) return "it ends";
  return r->bytes.has_ended ? "it is binary" : "it has no element";
}

/* Says what is wrong, and which element was open there: a lost end tag shows late. */
static void refuse(reader* r, enum XML_Error code) {
  char within[100] = "";
  if (r->open)
    snprintf(within, sizeof within, " within '%.60s' of line %d", r->open->name, r->open->line);
  r->status = cr_error_set(r->error, CAROM_ERROR_BAD_INPUT, "%.200s:%d: not well-formed XML: %s%s",
                           r->name, current_line(r), describe(r, code), within);
}

/* The parser gave up. What stands behind the root's end is of no account: readers of the formats
 * stop there. */
static bool give_up(reader* r) {
  if (r->status != CAROM_OK || (r->root_only && r->root)) return false;
  enum XML_Error code = XML_GetErrorCode(r->parser);
  if (code == XML_ERROR_NO_MEMORY)
    r->status = cr_error_memory(r->error);
  else if (r->is_closed && r->root)
    r->root->has_more = true;
  else
    refuse(r, code);
  return false;
}

/* Parses what is in the parser's buffer; true when the document may go on. */
static bool feed(reader* r, int length, bool is_last) {
  r->tree->bytes += (size_t)length;
  if (r->tree->bytes > CR_XML_MAX_BYTES) {
    r->status =
        cr_error_set(r->error, CAROM_ERROR_BAD_INPUT, "%.200s: the files hold more than %zu MiB",
                     r->name, CR_XML_MAX_BYTES >> 20);
    return false;
  }
  return XML_ParseBuffer(r->parser, length, is_last) == XML_STATUS_OK || give_up(r);
}

/* Mends a piece and parses it; true when the document may go on. */
static bool feed_piece(reader* r, const char* piece, size_t length, bool is_last) {
  size_t needed = CR_XML_BYTES_MOST(length) + 8;
  if (needed > r->clean_size) {
    char* grown = cr_realloc(&r->tree->pool.allocator, r->clean, r->clean_size, needed);
    if (grown) r->clean = grown, r->clean_size = needed;
  }
  if (needed > r->clean_size) {
    r->status = cr_error_memory(r->error);
    return false;
  }
  char* clean = r->clean;
  size_t count = cr_xml_bytes_piece(&r->bytes, piece, length, clean);
  is_last = is_last || r->bytes.has_ended;
  if (is_last) count += cr_xml_bytes_end(&r->bytes, clean + count);
  char* buffer = XML_GetBuffer(r->parser, (int)CR_XML_MEND_MOST(count));
  if (!buffer) {
    r->status = cr_error_memory(r->error);
    return false;
  }
  if (r->bytes.is_wide) {
    memcpy(buffer, clean, count);
    return feed(r, (int)count, is_last) && !is_last;
  }
  if (r->mend.count == 0) XML_SetEncoding(r->parser, "UTF-8");
  size_t mended = cr_xml_mend_piece(&r->mend, clean, count, buffer);
  if (is_last) mended += cr_xml_mend_end(&r->mend, buffer + mended);
  return feed(r, (int)mended, is_last) && !is_last;
}

/* Pieces as long as all before them, up to a bound: expat begins a tag anew with every piece until
 * it ends, which would make one long tag cost the square of its length. */
static size_t next_piece(size_t fed) {
  size_t piece = fed > PIECE_SIZE ? fed : PIECE_SIZE;
  return piece < MOST_PIECE_SIZE ? piece : MOST_PIECE_SIZE;
}

static void feed_file(reader* r, FILE* file) {
  const carom_allocator* allocator = &r->tree->pool.allocator;
  size_t size = 0, fed = 0;
  char* piece = NULL;
  for (bool goes_on = true; goes_on;) {
    size_t wanted = next_piece(fed);
    char* grown = cr_realloc(allocator, piece, size, wanted);
    if (!grown) {
      r->status = cr_error_memory(r->error);
      break;
    }
    piece = grown, size = wanted;
    size_t length = fread(piece, 1, size, file);
    bool is_last = length < size;
    fed += length;
    if (ferror(file)) {
      r->status = cr_error_set(r->error, CAROM_ERROR_FILE, "%.200s: cannot be read", r->name);
      break;
    }
    goes_on = feed_piece(r, piece, length, is_last);
  }
  cr_release(allocator, piece, size);
}

static void feed_text(reader* r, const char* text, size_t length) {
  size_t fed = 0;
  for (bool goes_on = true; goes_on;) {
    size_t wanted = next_piece(fed), piece = length - fed < wanted ? length - fed : wanted;
    goes_on = feed_piece(r, text + fed, piece, fed + piece == length) && fed + piece < length;
    fed += piece;
  }
}

/* Runs the parser over the source. */
static void parse(reader* r, const cr_xml_source* source) {
  XML_SetUserData(r->parser, r);
  XML_SetElementHandler(r->parser, on_start, on_end);
  XML_SetCharacterDataHandler(r->parser, on_text);
  XML_SetEntityDeclHandler(r->parser, on_entity);
  XML_SetSkippedEntityHandler(r->parser, on_skipped_entity);
  if (source->file)
    feed_file(r, source->file);
  else
    feed_text(r, source->text, source->length);
}

/* The file that an element names, or null; what it includes is opened in any case. */
static const char* named_file(const cr_xml_element* e) {
  if (strcmp(e->name, "uri") == 0 && e->text) return e->text;
  if (strcmp(e->name, "include") == 0) return NULL;
  for (int i = 0; i < e->num_attributes; i++)
    if (strncmp(e->attributes[i].name, "file", 4) == 0) return e->attributes[i].value;
  return NULL;
}

/* Files that are named and not read, such as meshes for drawing, are not to be lost either. */
static carom_status check_outputs(const cr_xml_element* root, carom_error* error) {
  for (const cr_xml_element* e = root; e; e = cr_xml_next(e, root)) {
    const char* name = named_file(e);
    if (name && cr_file_may_be_output(name))
      return cr_error_set(error, CAROM_ERROR_FILE,
                          "%.200s:%d: '%.300s' is to be written, as an output, and is named here",
                          e->file, e->line, name);
  }
  return CAROM_OK;
}

carom_status cr_xml_read(cr_xml_tree* tree, const cr_xml_source* source, cr_xml_element** root,
                         carom_error* error) {
  static const XML_Memory_Handling_Suite SUITE = {suite_allocate, suite_reallocate, suite_free};
  *root = NULL;
  reader r = {.tree = tree, .depth = source->depth, .error = error, .root_only = source->root_only};
  r.name = cr_pool_copy(&tree->pool, source->name, strlen(source->name));
  if (!r.name) return cr_error_memory(error);
  const carom_allocator* outer = parse_allocator;
  parse_allocator = &tree->pool.allocator;
  r.parser = XML_ParserCreate_MM(NULL, &SUITE, NULL);
  if (r.parser)
    parse(&r, source);
  else
    r.status = cr_error_memory(error);
  if (r.parser) XML_ParserFree(r.parser);
  cr_release(&tree->pool.allocator, r.text, r.text_size);
  cr_release(&tree->pool.allocator, r.clean, r.clean_size);
  parse_allocator = outer;
  if (r.status == CAROM_OK && r.root) r.status = check_outputs(r.root, error);
  if (r.status == CAROM_OK) *root = r.root;
  return r.status;
}

void cr_xml_init(cr_xml_tree* tree, const carom_allocator* allocator) {
  *tree = (cr_xml_tree){0};
  cr_pool_init(&tree->pool, allocator);
}

void cr_xml_destroy(cr_xml_tree* tree) { cr_pool_destroy(&tree->pool); }

const char* cr_xml_get(const cr_xml_element* element, const char* name) {
  for (int i = 0; i < element->num_attributes; i++)
    if (strcmp(element->attributes[i].name, name) == 0) return element->attributes[i].value;
  return NULL;
}

cr_xml_element* cr_xml_next(const cr_xml_element* element, const cr_xml_element* root) {
  if (element->first_child) return element->first_child;
  while (element != root && !element->next) element = element->parent;
  return element == root ? NULL : element->next;
}
