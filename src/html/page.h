/* The viewer's page (viewer/dist/page.html), built into the library by cmake/Embed.cmake. */
#ifndef CR_HTML_PAGE_H
#define CR_HTML_PAGE_H

#include <stddef.h>

/* Stands in the page's security policy where it says what the page may connect to. */
#define CR_HTML_CONNECT_MARK "@CAROM_CONNECT@"

/* Stands in the page where the recording goes. */
#define CR_HTML_MARK "@CAROM_RECORDING@"

extern const unsigned char cr_html_page[]; /* ends with a zero */
extern const size_t cr_html_page_size;     /* without it */

#endif
