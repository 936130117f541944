/* Rows of contact points, and of pairs of bodies with the sums of their contacts. */
#include "convert/table_contacts.h"

#include "math/vec3.h"

void cr_table_put_numbers(cr_file* file, const double* values, int count) {
  for (int i = 0; i < count; i++) cr_file_print(file, ",%.17g", values[i]);
}

/* --- Points -------------------------------------------------------------------------------------
 */

void cr_table_put_points_header(cr_file* file) {
  cr_file_put_text(file, ",geom1,geom2,x,y,z,nx,ny,nz,jx,jy,jz,distance,slip,state,area,pressure,"
                         "shear,area_error");
}

/* Mean pressure and shear of the step over what the point stands for; NaN where that is not known.
 */
static void put_pressure(cr_file* file, const carom_contact* c, double dt) {
  v3 normal = v3_load(c->normal), impulse = v3_load(c->impulse);
  double push = v3_dot(impulse, normal), over = 1 / (c->area * dt);
  v3 along = v3_axpy(impulse, -push, normal);
  const double values[3] = {c->area, c->area > 0 ? push * over : NAN,
                            c->area > 0 ? v3_norm(along) * over : NAN};
  cr_table_put_numbers(file, values, 3);
}

void cr_table_put_points(cr_file* file, const carom_frame* frame, double dt) {
  for (int i = 0; i < frame->num_contacts; i++) {
    const carom_contact* c = &frame->contacts[i];
    double last[2] = {c->distance, c->slip};
    cr_file_print(file, "%.17g,%d,%d", frame->time, c->geom1, c->geom2);
    cr_table_put_numbers(file, c->position, 3);
    cr_table_put_numbers(file, c->normal, 3);
    cr_table_put_numbers(file, c->impulse, 3);
    cr_table_put_numbers(file, last, 2);
    cr_file_print(file, ",%d", (int)c->state);
    put_pressure(file, c, dt);
    cr_table_put_numbers(file, &c->area_error, 1);
    cr_file_put_text(file, "\n");
  }
}

/* --- Pairs --------------------------------------------------------------------------------------
 */

void cr_table_put_pairs_header(cr_file* file) {
  cr_file_put_text(file, ",body1,body2,points,fx,fy,fz,mx,my,mz,x,y,z,normal,area");
}

static void find_bodies(const carom_recording* recording, const carom_contact* c, int bodies[2]) {
  const int geoms[2] = {c->geom1, c->geom2}, count = carom_recording_get_info(recording).num_geoms;
  for (int k = 0; k < 2; k++) {
    bool is_rigid = geoms[k] >= 0 && geoms[k] < count;
    bodies[k] = is_rigid ? carom_recording_get_geom(recording, geoms[k]).body : -1;
  }
}

/* Whether no contact before this one is between the same two. */
static bool is_first(const carom_recording* recording, const carom_frame* frame, int index,
                     const int bodies[2]) {
  for (int i = index - 1; i >= 0; i--) {
    int other[2];
    find_bodies(recording, &frame->contacts[i], other);
    if (other[0] == bodies[0] && other[1] == bodies[1]) return false;
    if (other[0] == bodies[1] && other[1] == bodies[0]) return false;
  }
  return true;
}

void cr_table_put_pairs(cr_file* file, const carom_recording* recording, const carom_frame* frame) {
  for (int i = 0; i < frame->num_contacts; i++) {
    int bodies[2];
    find_bodies(recording, &frame->contacts[i], bodies);
    if (bodies[0] < 0 || bodies[1] < 0 || !is_first(recording, frame, i, bodies)) continue;
    carom_contact_sum s = carom_recording_sum_contacts(recording, frame, bodies[0], bodies[1]);
    const double last[2] = {s.normal, s.area};
    cr_file_print(file, "%.17g,%d,%d,%d", frame->time, bodies[0], bodies[1], s.count);
    cr_table_put_numbers(file, s.force, 3);
    cr_table_put_numbers(file, s.moment, 3);
    cr_table_put_numbers(file, s.center, 3);
    cr_table_put_numbers(file, last, 2);
    cr_file_put_text(file, "\n");
  }
}
