"""4096 worlds of a cart with a pole, each with its own push, under one control law on two threads."""
import carom
import numpy as np

model = carom.load("samples/cart_pole.xml")
batch = carom.Batch(model, 4096, threads=2, dt=0.01)
batch.v[:, -1] = np.linspace(-8, 8, batch.n)  # rad/s, of the pole
gains = np.array([2.0, 60.0, 5.0, 12.0])
for _ in range(300):
    state = np.concatenate([batch.q, batch.v], axis=1)
    batch.ctrl[:, 0] = state @ gains
    batch.step()
upright = np.abs(batch.q[:, 1]) < 0.2
print(f"{upright.sum()} of {batch.n} poles stand after 3 s; {batch.failed.sum()} worlds have failed")
print(f"those pushed up to {np.abs(np.linspace(-8, 8, batch.n)[upright]).max():.2f} rad/s")
