/** @file
 * Recordings of simulations in HDF5, readable while they grow and after a kill.
 *
 * `docs/recording.md` lists the datasets with their units and sizes: `/meta`, `/time`, `/q`, `/v`,
 * `/ctrl`, `/bodies/pose`, `/energy`, `/sensors/readings`, `/attachments/reaction`, `/steps/...`,
 * `/contacts/...`. All grow together, a chunk of frames at a time, in HDF5's mode for one writer
 * and many readers.
 *
 * HDF5 serves one thread at a time unless it was built to be thread-safe; that holds for all
 * functions here together.
 */
#ifndef CAROM_RECORD_H
#define CAROM_RECORD_H

#include "carom/sensor.h"

CAROM_BEGIN_DECLS

/** Writes a recording. */
typedef struct carom_recorder carom_recorder;

/** Options of a recording. */
typedef struct carom_recorder_def {
  uint32_t cookie;
  carom_allocator allocator;
  double rate;         /**< frames per simulated second; 0 (default): every step */
  const char* scene;   /**< text of the scene, kept in the recording; may be null */
  const char* options; /**< how it was made (a command line, say); may be null */
  int chunk; /**< frames that are written together, the most that a kill loses; default 64; fewer
                  where a chunk of a dataset would exceed 1 MiB */
  bool joint_reactions; /**< frames hold what passes through the joints, and what equalities do;
                             default false */
} carom_recorder_def;

CAROM_API carom_recorder_def carom_recorder_def_default(void);

/** Creates the file and all its datasets, and takes the present state as the first frame.
 * @param sim what is recorded; must outlive the recorder
 * @param path an existing file is replaced
 * @param def null: the defaults
 * @return CAROM_ERROR_FILE when it cannot be created */
CAROM_API carom_status carom_recorder_create(carom_sim* sim, const char* path,
                                             const carom_recorder_def* def,
                                             carom_recorder** recorder, carom_error* error);

/** Takes the state after a step; a frame comes of it when the rate asks for one.
 * @param report of the step
 * @param wall_time s, of the step; NaN: not known
 * @return CAROM_ERROR_FILE when the file cannot be written */
CAROM_API carom_status carom_recorder_append(carom_recorder* recorder,
                                             const carom_step_report* report, double wall_time,
                                             carom_error* error);

/** Writes the frames that wait for their chunk to fill, for readers that follow a slow simulation.
 */
CAROM_API carom_status carom_recorder_flush(carom_recorder* recorder, carom_error* error);

/** Frames taken so far. */
CAROM_API int carom_recorder_count(const carom_recorder* recorder);

/** Adds the last state when the rate left it out, writes what is left and closes the file; frees
 * the recorder in any case. Null is allowed. */
CAROM_API carom_status carom_recorder_close(carom_recorder* recorder, carom_error* error);

/** Reads a recording. */
typedef struct carom_recording carom_recording;

/** What a recording holds. Strings live as long as the recording is open. */
typedef struct carom_recording_info {
  int version;         /**< of the format */
  const char* library; /**< version of the library that wrote it */
  const char* model;   /**< name of the model, empty if none */
  const char* scene;   /**< text, empty if none */
  const char* options; /**< how it was made, empty if not said */
  double dt;           /**< s, of the steps */
  double rate;         /**< frames per simulated second; 0: every step */
  int num_frames;
  int num_q, num_v, num_ctrl, num_bodies;
  int num_act;                              /**< activations; 0 in early recordings too */
  int num_joints, num_geoms, num_actuators; /**< 0 where the recording says nothing of them */
  bool has_parts;        /**< it says what bodies, joints and geometries there are */
  bool has_momentum;     /**< frames hold centre of mass and momentum */
  double start, end;     /**< s, times of the first and the last frame; NaN where there is none */
  int64_t num_contacts;  /**< of all frames */
  int64_t num_triangles; /**< likewise, of the areas over which contacts press; 0 in early
                              recordings too */
  bool is_open; /**< the file was not closed: it is being written, or its writer was killed; what is
                     there is readable */
  int num_sensors, num_readings; /**< 0 where the recording holds none */
  int num_meshes;                /**< surfaces; 0 in early recordings too */
  int num_attachments; /**< of soft bodies, whose reactions the frames hold; 0 in early recordings
                        * too
                        */
  bool has_joint_reactions;    /**< frames hold what passes through the joints */
  int num_equalities;          /**< 0 in early recordings too */
  bool has_equality_reactions; /**< frames hold what they do */
  int num_softs; /**< soft bodies that the recording describes; 0 in early recordings too */
} carom_recording_info;

/** Opens a recording, also one that is being written or was cut off by a kill.
 * @param allocator null: the C library's
 * @return CAROM_ERROR_FILE when it cannot be read, CAROM_ERROR_BAD_INPUT when it is no recording,
 * is damaged or of an unknown version */
CAROM_API carom_status carom_recording_open(const char* path, const carom_allocator* allocator,
                                            carom_recording** recording, carom_error* error);

/** Closes a recording; null is allowed. */
CAROM_API void carom_recording_close(carom_recording* recording);

CAROM_API carom_recording_info carom_recording_get_info(const carom_recording* recording);

/** A body, joint or geometry of the recorded model, as carom_model_get_body and its like give them;
 * `index` must be in range. Names live as long as the recording is open. */
CAROM_API carom_body_info carom_recording_get_body(const carom_recording* recording, int index);
/** Details of a joint. */
CAROM_API carom_joint_info carom_recording_get_joint(const carom_recording* recording, int index);
/** The coordinate of a hinge or slide at which its body is where the scene places it, m or rad; 0
 * for other joints, and where the recording, of an early version, does not say. */
CAROM_API double carom_recording_get_reference(const carom_recording* recording, int joint);
/** Details of a geometry; its mesh is -1 also where the recording leaves the surface out, as early
 * ones do, and all those of more than 200000 triangles. */
CAROM_API carom_geom_info carom_recording_get_geom(const carom_recording* recording, int index);
/** The surface of a mesh, from 0 to num_meshes - 1. */
CAROM_API carom_mesh_info carom_recording_get_mesh(const carom_recording* recording, int index);
/** A soft body, from 0 to num_softs - 1; its nodes stand in q and v of the frames, from its
 * addresses on. Arrays live as long as the recording is open. */
CAROM_API carom_soft_info carom_recording_get_soft(const carom_recording* recording, int index);

/** An attachment, from 0 to num_attachments - 1, as carom_model_get_attachment gives it. Name and
 * nodes live as long as the recording is open. */
CAROM_API carom_attachment_info carom_recording_get_attachment(const carom_recording* recording,
                                                               int index);

/** An equality: name, type and parts; whether it is active, and its compliance, a recording does
 * not say. */
CAROM_API carom_equality_info carom_recording_get_equality(const carom_recording* recording,
                                                           int index);

/** Details of an actuator. */
CAROM_API carom_actuator_info carom_recording_get_actuator(const carom_recording* recording,
                                                           int index);

/** Details of a sensor. */
CAROM_API carom_sensor_info carom_recording_get_sensor(const carom_recording* recording, int index);

/** Looks for frames that were written since; then see carom_recording_get_info. */
CAROM_API carom_status carom_recording_refresh(carom_recording* recording, carom_error* error);

/** Times of frames, s.
 * @param first from 0 to num_frames - count
 * @param times [count]
 * @return CAROM_ERROR_INVALID_ARGUMENT, CAROM_ERROR_BAD_INPUT when the file is damaged there */
CAROM_API carom_status carom_recording_read_times(carom_recording* recording, int first, int count,
                                                  double* times, carom_error* error);

/** One frame; arrays live until the next call. Figures of steps are those since the frame before.
 */
typedef struct carom_frame {
  double time;             /**< s */
  const double* q;         /**< [num_q] */
  const double* v;         /**< [num_v] */
  const double* ctrl;      /**< [num_ctrl] */
  const double* act;       /**< [num_act] activations; null in early recordings */
  const double* poses;     /**< [7 num_bodies] */
  const double* energy;    /**< [4] J: kinetic, potential, elastic; dissipated since the start */
  const double* com;       /**< [3] m, of everything, world frame; null in early recordings */
  const double* momentum;  /**< [6] linear, kg m/s, and angular about the world's origin, kg m²/s,
                                of everything; null in early recordings */
  const double* sensors;   /**< [num_readings] null where there are none */
  const double* reactions; /**< [6 num_attachments] what each did to its soft body in the last step:
                                force, N, and moment about the mean place of its nodes, N m, world
                                frame, as carom_sim_compute_reaction; zero where no step led to the
                                frame; null where there are none */
  const double* joint_reactions; /**< [6 num_joints] force, N, and moment about the joint's anchor,
                                      N m, on its body in the last step, world frame, as
                                      carom_sim_compute_joint_reactions; zero where no step led to
                                      the frame; null where the recording does not hold them */
  const double* equality_reactions; /**< [6 num_equalities] force, N, and moment about its anchor,
                                         N m, on body 2, likewise; of joint and tendon first what
                                         acts along the first one, then zeros, see
                                         carom_equality_reaction */
  int steps, substeps, iterations, outer_iterations; /**< sum of steps, largest of the others */
  double error_bound, residual, stick_slip;          /**< largest, see carom_step_report */
  double actuator_work;                              /**< J, since the start */
  double wall_time;                                  /**< s, sum */
  int num_contacts;
  const carom_contact* contacts;
  int num_triangles;
  const carom_pressure_triangle* triangles; /**< of the areas over which contacts press */
} carom_frame;

/** Reads a frame.
 * @param index from 0 to num_frames - 1
 * @return CAROM_ERROR_INVALID_ARGUMENT, CAROM_ERROR_BAD_INPUT when the file is damaged there */
CAROM_API carom_status carom_recording_read(carom_recording* recording, int index,
                                            carom_frame* frame, carom_error* error);

/** Velocities of the bodies of a frame, which follow from those of the joints.
 * @param twists [6 num_bodies] velocity of the body frame's origin, m/s, and angular velocity,
 * rad/s, both in the world frame
 * @return CAROM_ERROR_BAD_INPUT where the recording, of an early version, says nothing of bodies
 * and joints */
CAROM_API carom_status carom_recording_compute_velocities(const carom_recording* recording,
                                                          const carom_frame* frame, double* twists,
                                                          carom_error* error);

/** Sums the contacts of a frame between two bodies, as carom_sim_sum_contacts. Forces are those of
 * whole steps: of a step that was taken in parts they come out low, as impulses are of its last.
 * @param body1, body2 their indices; -1: whatever touches the other */
CAROM_API carom_contact_sum carom_recording_sum_contacts(const carom_recording* recording,
                                                         const carom_frame* frame, int body1,
                                                         int body2);

/** Von Mises' stress of a soft body in a frame, Pa: of Cauchy's stress as it follows from nodes and
 * material (docs/soft.md), without damping.
 * @param soft from 0 to num_softs - 1
 * @param q [num_q] of the frame
 * @param elements [num_elements] the mean over an element's points; null: not wanted
 * @param nodes [num_nodes] means of the elements about a node, see carom_soft_compute_means; null:
 * not wanted
 * @return CAROM_ERROR_INVALID_ARGUMENT, CAROM_ERROR_BAD_INPUT where the recorded mesh or material
 * is none of a soft body, CAROM_ERROR_OUT_OF_MEMORY: the first call takes some */
CAROM_API carom_status carom_recording_compute_soft_stress(carom_recording* recording, int soft,
                                                           const double* q, double* elements,
                                                           double* nodes, carom_error* error);

/** Von Mises' equivalent of Green's strain of a soft body in a frame: sqrt(2/3 e:e) of the deviator
 * e of (FᵀF - 1)/2 (docs/soft.md), as carom_sim_compute_soft_strain gives it.
 * @param soft from 0 to num_softs - 1
 * @param q [num_q] of the frame
 * @param elements [num_elements] the mean over an element's points; null: not wanted
 * @param nodes [num_nodes] means of the elements about a node, see carom_soft_compute_means; null:
 * not wanted
 * @return as carom_recording_compute_soft_stress */
CAROM_API carom_status carom_recording_compute_soft_strain(carom_recording* recording, int soft,
                                                           const double* q, double* elements,
                                                           double* nodes, carom_error* error);

/** The stress up to which colours of soft bodies go well, Pa: a round number at or above what 99 %
 * of the nodes of their surfaces bear, in 64 frames spread over the recording, and a millionth of
 * the least Young's modulus, so that round-off has no colours. It reads frames: arrays of one that
 * was read before are not its own any more.
 * @param most receives it; 0 where there are no soft bodies
 * @return CAROM_ERROR_INVALID_ARGUMENT, CAROM_ERROR_BAD_INPUT, CAROM_ERROR_OUT_OF_MEMORY */
CAROM_API carom_status carom_recording_compute_stress_range(carom_recording* recording,
                                                            double* most, carom_error* error);

CAROM_END_DECLS

#endif
