/** @file
 * Everything.
 */
#ifndef CAROM_CAROM_H
#define CAROM_CAROM_H

#include "carom/allocator.h"
#include "carom/batch.h"
#include "carom/builder.h"
#include "carom/convert.h"
#include "carom/derivatives.h"
#include "carom/dynamics.h"
#include "carom/html.h"
#include "carom/mechanism.h"
#include "carom/model.h"
#include "carom/parameter.h"
#include "carom/problem.h"
#include "carom/problem_file.h"
#include "carom/query.h"
#include "carom/record.h"
#include "carom/scene.h"
#include "carom/sensor.h"
#include "carom/sim.h"
#include "carom/soft.h"
#include "carom/solve.h"
#include "carom/status.h"
#include "carom/table.h"
#include "carom/tasks.h"
#include "carom/types.h"
#include "carom/version.h"

#endif
