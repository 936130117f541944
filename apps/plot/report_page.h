/* The page of a report: tables, lists and figures as HTML without scripts. */
#ifndef PLOT_REPORT_PAGE_H
#define PLOT_REPORT_PAGE_H

#include "summary.h"

/* A figure of the page. */
typedef struct report_figure {
  const char *word, *title;
  int first_group, num_groups;
} report_figure;

typedef struct report_page {
  const plot_chart* chart;
  const plot_summary* summary;
  const report_figure* figures; /* [num_figures] */
  int num_figures;
  const carom_model* model;   /* the scene; null: it could not be read */
  const carom_error* unknown; /* why not */
} report_page;

/* Writes the page.
 * @param name of the file, for sentences */
carom_status report_page_write(const report_page* page, FILE* file, const char* name,
                               carom_error* error);

#endif
