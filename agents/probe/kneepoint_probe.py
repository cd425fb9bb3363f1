# SPDX-License-Identifier: Apache-2.0
#
# kneepoint's probe for Python, by ctypes. Put this file on PYTHONPATH; the library is looked for in
# KNEEPOINT_PROBE_LIBRARY, beside this file, in the same installation and where the loader looks.
# Without it, or without an agent, every function does nothing. What each does is said in
# kneepoint/probe.h.
import contextlib
import ctypes
import os


def _load():
    name = "libkneepoint-probe.so"
    here = os.path.dirname(os.path.abspath(__file__))
    prefix = os.path.normpath(os.path.join(here, "../../.."))  # of PREFIX/share/kneepoint/python
    places = [os.path.join(folder, name) for folder in (here, prefix + "/lib", prefix + "/lib64")]
    for path in (os.environ.get("KNEEPOINT_PROBE_LIBRARY"), *places, name):
        try:
            if path:
                # Seen by all: the MPI profile takes the probe's numbers home where ranks share
                # no file system.
                return ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        except OSError:
            pass
    return None


_library = _load() if os.environ.get("KNEEPOINT_PROBE") else None
if _library is not None:
    _library.kp_metric.argtypes = [ctypes.c_char_p, ctypes.c_double, ctypes.c_char_p]
    for _function in (_library.kp_region_begin, _library.kp_region_end):
        _function.argtypes = [ctypes.c_char_p]
        _function.restype = None


def iteration_begin():
    if _library is not None:
        _library.kp_iteration_begin()


def iteration_end():
    if _library is not None:
        _library.kp_iteration_end()


def region_begin(name):
    if _library is not None:
        _library.kp_region_begin(name.encode())


def region_end(name):
    if _library is not None:
        _library.kp_region_end(name.encode())


def metric(name, value, unit=""):
    if _library is not None:
        _library.kp_metric(name.encode(), value, unit.encode())


@contextlib.contextmanager
def iteration():
    iteration_begin()
    yield
    iteration_end()


@contextlib.contextmanager
def region(name):
    region_begin(name)
    yield
    region_end(name)
