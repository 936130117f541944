/* The XML tree: structure, files and lines, and everything it refuses. */
#include "base/error.h"
#include "import/xml.h"
#include "support/check.h"
#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

/* A tree, and the error of the last document. */
typedef struct fixture {
  check_memory memory;
  cr_xml_tree tree;
  cr_xml_element* root;
  carom_error error;
} fixture;

static int set_up(void** state) {
  fixture* f = calloc(1, sizeof *f);
  f->memory = check_memory_make();
  carom_allocator hooks = check_memory_hooks(&f->memory);
  cr_xml_init(&f->tree, &hooks);
  *state = f;
  return 0;
}

static int tear_down(void** state) {
  fixture* f = *state;
  cr_xml_destroy(&f->tree);
  check_memory_expect_empty(&f->memory);
  free(f);
  return 0;
}

static carom_status read_bytes(fixture* f, const char* text, size_t length) {
  cr_xml_source source = {.name = "a.xml", .text = text, .length = length};
  return cr_xml_read(&f->tree, &source, &f->root, &f->error);
}

static carom_status read(fixture* f, const char* text) { return read_bytes(f, text, strlen(text)); }

static void expect(fixture* f, const char* text, const char* message) {
  assert_int_equal(read(f, text), CAROM_ERROR_BAD_INPUT);
  assert_string_equal(f->error.message, message);
  assert_null(f->root);
}

static void test_structure(void** state) {
  fixture* f = *state;
  check_ok(read(f, "<?xml version='1.0'?>\n<!-- c -->\n<a x='1' p:y='&lt;2&gt;'>\n <b/>\n <c>\n  "
                   "<d/></c>t\n</a>"),
           &f->error);
  cr_xml_element *a = f->root, *b = a->first_child, *c = b->next, *d = c->first_child;
  assert_string_equal(a->name, "a");
  assert_string_equal(a->file, "a.xml");
  assert_string_equal(cr_xml_get(a, "x"), "1");
  assert_string_equal(cr_xml_get(a, "p:y"), "<2>");
  assert_null(cr_xml_get(a, "z"));
  assert_int_equal(a->line, 3);
  assert_int_equal(a->text_line, 6);
  assert_int_equal(b->line, 4);
  assert_int_equal(c->text_line, 0);
  assert_int_equal(d->line, 6);
  assert_int_equal(d->depth, 2);
  assert_ptr_equal(d->parent, c);
  assert_ptr_equal(a->last_child, c);
  assert_ptr_equal(cr_xml_next(a, a), b);
  assert_ptr_equal(cr_xml_next(b, a), c);
  assert_ptr_equal(cr_xml_next(c, a), d);
  assert_null(cr_xml_next(d, a));
  assert_null(cr_xml_next(b, b));
}

static void test_malformed(void** state) {
  fixture* f = *state;
  expect(f, "", "a.xml:1: not well-formed XML: it has no element");
  expect(f, "\n\nhello", "a.xml:3: not well-formed XML: it has no element");
  expect(f, "<a>\n<b>\n</a>", "a.xml:3: not well-formed XML: mismatched tag within 'b' of line 2");
  expect(f, "<a>\n<b", "a.xml:2: not well-formed XML: unclosed token within 'a' of line 1");
  expect(f, "<a>\n<b/>\n", "a.xml:3: not well-formed XML: it ends within 'a' of line 1");
  expect(f, "<a x=1/>", "a.xml:1: not well-formed XML: invalid token");
  expect(f, "<a><b>\n</a>", "a.xml:2: not well-formed XML: mismatched tag within 'b' of line 1");
  expect(
      f, "<a>&#0;</a>",
      "a.xml:1: not well-formed XML: reference to invalid character number within 'a' of line 1");
}

static void test_zeros(void** state) {
  fixture* f = *state;
  char* zeros = calloc(1 << 20, 1);
  assert_int_equal(read_bytes(f, zeros, 1 << 20), CAROM_ERROR_BAD_INPUT);
  assert_string_equal(f->error.message, "a.xml:1: not well-formed XML: it is binary");
  assert_true(f->tree.bytes <= 65536); /* the first piece was enough */
  free(zeros);
}

static void test_entities(void** state) {
  fixture* f = *state;
  expect(f, "<!DOCTYPE a [\n<!ENTITY x 'xxxxxxxxxx'>\n<!ENTITY y '&x;&x;&x;'>]>\n<a>&y;</a>",
         "a.xml:2: entity 'x' is declared; entities are not accepted");
  expect(f, "<!DOCTYPE a [<!ENTITY x SYSTEM '/etc/passwd'>]><a>&x;</a>",
         "a.xml:1: entity 'x' is declared; entities are not accepted");
  expect(f, "<!DOCTYPE a [<!ENTITY % x 'y'>]><a/>",
         "a.xml:1: entity 'x' is declared; entities are not accepted");
  check_ok(read(f, "<!DOCTYPE a SYSTEM 'a.dtd'><a>&x;</a>"), &f->error);
  assert_string_equal(f->root->text, "&x;");
  check_ok(read(f, "<!DOCTYPE a SYSTEM 'no such file'><a>&amp;</a>"), &f->error);
}

/* `count` times a piece of text, between two others. */
static char* repeat(const char* head, const char* piece, int count, const char* tail) {
  size_t width = strlen(piece);
  char* text = malloc(strlen(head) + (size_t)count * width + strlen(tail) + 1);
  char* end = text + sprintf(text, "%s", head);
  for (int i = 0; i < count; i++, end += width) memcpy(end, piece, width);
  strcpy(end, tail);
  return text;
}

static void test_depth(void** state) {
  fixture* f = *state;
  char* text = repeat("", "<a>", CR_XML_MAX_DEPTH + 1, "");
  expect(f, text, "a.xml:1: elements are nested deeper than 20000");
  free(text);
}

static void test_many_elements(void** state) {
  fixture* f = *state;
  f->tree.elements = CR_XML_MAX_ELEMENTS - 10;
  char* text = repeat("<a>\n", "<b/>\n", 10, "</a>");
  expect(f, text, "a.xml:11: there are more than 4000000 elements");
  free(text);
}

static void test_many_bytes(void** state) {
  fixture* f = *state;
  f->tree.bytes = CR_XML_MAX_BYTES - 5;
  expect(f, "<abcdef/>", "a.xml: the files hold more than 256 MiB");
}

/* Documents larger than a piece, with names across its end. */
static void test_large(void** state) {
  fixture* f = *state;
  char* text =
      repeat("<root>\n", "<element name='some name' value=\"1 2 3 4\"/>\n", 20000, "</root>");
  check_ok(read(f, text), &f->error);
  int count = 0;
  for (cr_xml_element* e = f->root->first_child; e; e = e->next) {
    assert_string_equal(cr_xml_get(e, "value"), "1 2 3 4");
    assert_int_equal(e->line, 2 + count++);
  }
  assert_int_equal(count, 20000);
  free(text);
}

/* Every allocation fails in turn. */
static void test_memory(void** state) {
  fixture* f = *state;
  for (int fail_at = 0;; fail_at++) {
    cr_xml_destroy(&f->tree);
    f->memory.num_allocations = 0;
    f->memory.fail_at = fail_at;
    carom_status status = read(f, "<a x='1'><b y='2'/><c><d/></c></a>");
    if (status == CAROM_OK) break;
    assert_int_equal(status, CAROM_ERROR_OUT_OF_MEMORY);
    assert_string_equal(f->error.message, "out of memory");
  }
  assert_true(f->memory.num_allocations > 10);
}

/* Dashes within comments, and declarations behind something, are mended; lines stay. */
static void test_mended(void** state) {
  fixture* f = *state;
  check_ok(read(f, "<!-- a -- b --->\n<?xml version='1.0'?>\n<a><!-----\n-- > -->"
                   "<![CDATA[<!-- ]] ]]>\n<b c='-- ]]'/>\n<!--></a>--><?xml-style x?></a>"),
           &f->error);
  assert_string_equal(f->root->text, "<!-- ]]");
  assert_int_equal(f->root->line, 3);
  assert_int_equal(f->root->first_child->line, 5);
  assert_string_equal(cr_xml_get(f->root->first_child, "c"), "-- ]]");
  assert_null(f->root->first_child->next);
  check_ok(read(f, "\n <?xml version='1.0' encoding='UTF-8'?><?xml version='1.0'?><a/>"),
           &f->error);
}

/* Starts and ends that lie across the border of two pieces. */
static void test_mended_pieces(void** state) {
  fixture* f = *state;
  enum { LENGTH = 65536 + 100 };
  char* text = malloc(LENGTH + 100);
  for (int shift = 0; shift < 40; shift++) {
    int blanks = LENGTH - 100 - shift;
    memset(text, ' ', LENGTH);
    memcpy(text, "<a>", 3);
    strcpy(text + blanks, "<!-- -- x -- --><![CDATA[-->]]><!----->t</a>");
    check_ok(read(f, text), &f->error);
    assert_string_equal(f->root->text, "-->t");
  }
  free(text);
}

/* What is no reference is text, and a value may hold a '<'. */
static void test_loose_values(void** state) {
  fixture* f = *state;
  check_ok(read(f, "<a x='1 < 2 & 3 && &b; &lt;&#65;&amp' y=\"a'&quot;<b>\">&c &amp;&d; &</a>"),
           &f->error);
  assert_string_equal(cr_xml_get(f->root, "x"), "1 < 2 & 3 && &b; <A&amp");
  assert_string_equal(cr_xml_get(f->root, "y"), "a'\"<b>");
  assert_string_equal(f->root->text, "&c &&d; &");
}

/* Attributes without a blank between them, and given twice: the first one counts. */
static void test_loose_attributes(void** state) {
  fixture* f = *state;
  check_ok(read(f, "<a x='1'y=\"2\"z = '3'/>"), &f->error);
  assert_int_equal(f->root->num_attributes, 3);
  assert_string_equal(cr_xml_get(f->root, "y"), "2");
  assert_string_equal(cr_xml_get(f->root, "z"), "3");
  assert_false(f->root->gives_again);
  check_ok(read(f, "<a x='1' y='2' x = '3' x='4'><b x='5' xy='6'/></a>"), &f->error);
  assert_int_equal(f->root->num_attributes, 2);
  assert_string_equal(cr_xml_get(f->root, "x"), "1");
  assert_true(f->root->gives_again);
  assert_int_equal(f->root->first_child->num_attributes, 2);
  assert_false(f->root->first_child->gives_again);
}

/* What stands before the first tag is not read, also a declaration that lost its beginning. */
static void test_before_root(void** state) {
  fixture* f = *state;
  static const char* const MORE[] = {"?xml version='1.0' encoding='UTF-8'?>\n",
                                     "hi \xc3\xa4 & ]]>\n", "\n", "\xef\xbb\xbf.\n"};
  for (int i = 0; i < 4; i++) {
    char text[100];
    sprintf(text, "%s<?xml version='1.0'?><a/>", MORE[i]);
    check_ok(read(f, text), &f->error);
    assert_string_equal(f->root->name, "a");
    assert_int_equal(f->root->line, 2);
  }
}

/* What stands behind the root's end is not read; a zero ends the document. */
static void test_behind_root(void** state) {
  fixture* f = *state;
  static const char* const MORE[] = {"junk", "<b/>", "</a>", "<!-- x", "<"};
  for (int i = 0; i < 5; i++) {
    char text[40];
    sprintf(text, "<a><c/></a>\n%s", MORE[i]);
    check_ok(read(f, text), &f->error);
    assert_string_equal(f->root->name, "a");
    assert_true(f->root->has_more);
    assert_null(f->root->next);
  }
  check_ok(read_bytes(f, "<a><c/></a>\n\0 </a>", 19), &f->error);
  assert_false(f->root->has_more);
}

/* Encodings: by the name that is declared where that is one of bytes, else UTF-8, and bytes that
 * are none are Latin-1. */
static void test_encodings(void** state) {
  fixture* f = *state;
  static const struct {
    const char *text, *value;
  } CASES[] = {
      {"<?xml version='1.0' encoding='utf8'?><a x='\xc3\xa9'/>", "\xc3\xa9"},
      {"<?xml version='1.0' encoding='UTF_8'?><a x='\xe2\x82\xac'/>", "\xe2\x82\xac"},
      {"<?xml version='1.1' encoding='nobody'?><a x='y'/>", "y"},
      {"<?xml version='1.0' encoding=\"ISO-8859-1\"?><a x='\xc3\xa9'/>", "\xc3\x83\xc2\xa9"},
      {"<?xml version='1.0' encoding='windows-1252'?><a x='\xfc'/>", "\xc3\xbc"},
      {"<a x='Gr\xf6\xdf"
       "e'/>",
       "Gr\xc3\xb6\xc3\x9f"
       "e"},
      {"\xef\xbb\xbf<?xml version='1.0'?><a x='\xed\xa0\x80'/>", "\xc3\xad\xc2\xa0\xc2\x80"},
      {"<a x='1\x01\x1f"
       "2'/>",
       "1  2"},
      {"<a x='\xf0\x9f\x98\x80\xf0\x9f'/>", "\xf0\x9f\x98\x80\xc3\xb0\xc2\x9f"}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    check_ok(read(f, CASES[i].text), &f->error);
    assert_string_equal(cr_xml_get(f->root, "x"), CASES[i].value);
  }
  static const char WIDE[] = "\xff\xfe<\0a\0 \0x\0=\0'\0\xe9\0'\0/\0>";
  check_ok(read_bytes(f, WIDE, sizeof WIDE), &f->error);
  assert_string_equal(cr_xml_get(f->root, "x"), "\xc3\xa9");
}

static void test_text(void** state) {
  fixture* f = *state;
  check_ok(read(f, "<a> x &lt; \n y <b>  </b> z<c>1</c></a>"), &f->error);
  assert_string_equal(f->root->text, "x < \n y");
  assert_null(f->root->first_child->text);
  assert_string_equal(f->root->last_child->text, "1");
}

static void test_root_only(void** state) {
  fixture* f = *state;
  const char* text = "<?xml version='1.0'?><!-- -- --><robot name='r'><link></robot>";
  cr_xml_source source = {.name = "a.xml", .text = text, .length = strlen(text), .root_only = true};
  check_ok(cr_xml_read(&f->tree, &source, &f->root, &f->error), &f->error);
  assert_string_equal(f->root->name, "robot");
}

int main(void) {
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(test_mended),        TEST(test_mended_pieces), TEST(test_text),
      TEST(test_root_only),     TEST(test_structure),     TEST(test_malformed),
      TEST(test_zeros),         TEST(test_entities),      TEST(test_depth),
      TEST(test_many_elements), TEST(test_many_bytes),    TEST(test_large),
      TEST(test_memory),        TEST(test_loose_values),  TEST(test_loose_attributes),
      TEST(test_before_root),   TEST(test_behind_root),   TEST(test_encodings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
