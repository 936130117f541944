"""A sweep on an executor, as a program of a user's: sweep_on.py EXECUTOR MARK OUT.csv. Unless MARK is there, the
worker that comes to a mass of 3 makes it and kills itself. What is done is kept in OUT.csv.part."""

import os
import signal
import sys

import carom
import support

AXES = {"body.box.mass": carom.grid(1, 8, 8), "dt": [0.004, 0.01]}


def measure(model, dt, mark):
    if model.bodies["box"].mass == 3 and not os.path.exists(mark):
        open(mark, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    sim = carom.Sim(model, dt=dt)
    report = sim.step(50)
    return {"q": sim.q.copy(), "contacts": report.contacts}


def sweep(executor=None):
    _, mark, out = sys.argv[1:]
    model = carom.load(support.SLIDE)
    table = carom.sweep(model, {**AXES, "mark": [mark]}, measure, executor, file=f"{out}.part", workers=1)
    del table["mark"]
    table.to_csv(out)


def on_processes():
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(2) as executor:
        sweep(executor)


def on_dask():
    from dask.distributed import Client, LocalCluster

    workers = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(**workers) as cluster, Client(cluster) as client:
        sweep(client.get_executor())


def on_ray():
    import carom.ray
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    sweep(carom.ray.Executor())
    ray.shutdown()


def on_mpi():
    from mpi4py.futures import MPIPoolExecutor

    with MPIPoolExecutor() as executor:
        sweep(executor)


if __name__ == "__main__":
    {"threads": sweep, "processes": on_processes, "dask": on_dask, "ray": on_ray, "mpi": on_mpi}[sys.argv[1]]()
