"""The posterior of tools/peerposterior by scikit-learn: CPU seconds, and how far the two are apart."""
import sys
import time

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF

path, times = sys.argv[1], int(sys.argv[2])
table = np.loadtxt(path, delimiter=",")
x, (count, y, noise, mean, sd) = table[:, :5], table[:, 5:].T  # RBF of task times RBF of arm is RBF of both
seen = count > 0
before = time.process_time()
for _ in range(times):
    gp = GaussianProcessRegressor(RBF(1.0), alpha=noise[seen] ** 2 / count[seen], optimizer=None)
    gp.fit(x[seen], y[seen])
    got, deviation = gp.predict(x, return_std=True)
print(f"{(time.process_time() - before) / times:.4f} {np.abs(got - mean).max():.2g} {np.abs(deviation - sd).max():.2g}")
