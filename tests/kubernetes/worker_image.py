#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The image that the tests' pods run: our own programs as `cmake --install` lays them out, Open MPI,
a shell, and the libraries of all of them, taken from this machine.

worker_image.py BUILD_FOLDER ARCHIVE

Nothing is done when the archive was made of the same files before.
"""
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

NAME = "kneepoint.test/worker:1"
HERE = os.path.dirname(os.path.abspath(__file__))
PREFIX = "/opt/kneepoint"
TOOLS = ["sh", "cat", "env", "head", "hostname", "id", "ls", "mkdir", "rm", "seq", "sleep", "tail", "true"]
USER = 65532  # as sites have it unless they say otherwise


def told(*argv):
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout


def found(program):
    path = shutil.which(program)
    if not path:
        sys.exit(f"worker_image: '{program}' is not installed")
    return path


def mpi_folders():
    """What Open MPI reads while it runs; its plug-ins, and those of the PMIx it was built with."""
    paths = dict(
        line.split(":")[1:3] for line in told(found("ompi_info"), "--parsable", "--path", "all").split()
    )
    folders = [paths["pkglibdir"], paths["pkgdatadir"], paths["sysconfdir"]]
    pmix = os.path.join(os.path.dirname(os.path.dirname(paths["libdir"])), "pmix2")
    return folders + ([pmix] if os.path.isdir(pmix) else [])


def plain(path):
    """/lib/x and /usr/lib/x are one file: the image has it below /usr."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def copy(path, root, to=None):
    target = root + (to or plain(path))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if not os.path.exists(target):
        shutil.copy(os.path.realpath(path), target)
    return target


def files_below(folder):
    for place, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            yield os.path.join(place, name)


def is_program(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def libraries_of(paths):
    """The closure, by the loader's own account; what it does not find is left out with its user."""
    listing = subprocess.run(["ldd", *paths], capture_output=True, text=True, check=False).stdout
    for line in listing.splitlines():
        words = line.split()
        if "=>" in words and words[-2].startswith("/"):
            yield words[-2]
        elif words and words[0].startswith("/") and words[-1].startswith("(0x"):
            yield words[0]


def write(root, path, text, mode=0o644):
    os.makedirs(os.path.dirname(root + path), exist_ok=True)
    with open(root + path, "w", encoding="ascii") as file:
        file.write(text)
    os.chmod(root + path, mode)


def assemble(build, root, folders):
    for link, target in [("bin", "usr/bin"), ("sbin", "usr/bin"), ("lib", "usr/lib"), ("lib64", "usr/lib64")]:
        os.makedirs(os.path.join(root, target), exist_ok=True)
        os.symlink(target, os.path.join(root, link))
    for folder in ["proc", "sys", "dev", "kneepoint", "etc"]:
        os.makedirs(os.path.join(root, folder))
    os.makedirs(os.path.join(root, "tmp"))
    os.chmod(os.path.join(root, "tmp"), 0o1777)
    for part in ["worker", "workloads"]:
        told("cmake", "--install", build, "--component", part, "--strip", "--prefix", root + PREFIX)
    for program in TOOLS + ["mpirun", "orted"]:
        copy(found(program), root, "/usr/bin/" + program)
    for folder in folders:
        for path in files_below(folder):
            if os.path.exists(path):
                copy(path, root)
    programs = [path for path in files_below(root) if not os.path.islink(path) and is_program(path)]
    for library in sorted(set(libraries_of(programs))):
        copy(library, root)
    write(root, "/etc/passwd", f"root:x:0:0::/:/bin/sh\nkneepoint:x:{USER}:{USER}::/kneepoint/home:/bin/sh\n")
    write(root, "/etc/group", f"root:x:0:\nkneepoint:x:{USER}:\n")
    write(root, "/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n")
    shutil.copytree("/etc/ld.so.conf.d", root + "/etc/ld.so.conf.d")
    write(root, "/etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n")
    told(shutil.which("ldconfig") or "/sbin/ldconfig", "-r", root)


def key_of(build, folders):
    """Our programs by their content; the system's files by size and date."""
    digest = hashlib.sha256()
    for path in sorted(os.listdir(os.path.join(build, "bin"))):
        with open(os.path.join(build, "bin", path), "rb") as file:
            digest.update(path.encode() + hashlib.file_digest(file, "sha256").digest())
    for script in [__file__, os.path.join(HERE, "image.py")]:
        with open(script, "rb") as file:
            digest.update(file.read())
    system = [os.path.realpath(found(program)) for program in TOOLS + ["mpirun", "orted"]]
    for folder in folders:
        system += files_below(folder)
    for path in system + sorted(set(libraries_of([found("mpirun"), found("sh")]))):
        if os.path.exists(path):
            at = os.stat(path)
            digest.update(f"{path} {at.st_size} {at.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def main():
    build, archive = (os.path.abspath(argument) for argument in sys.argv[1:])
    folders = mpi_folders()
    key, note = key_of(build, folders), archive + ".key"
    if os.path.exists(archive) and os.path.exists(note):
        with open(note, encoding="ascii") as file:
            if file.read() == key:
                print(f"worker_image: {archive} is up to date")
                return
    os.makedirs(os.path.dirname(archive), exist_ok=True)
    with tempfile.TemporaryDirectory() as root:
        assemble(build, root, folders)
        told(sys.executable, os.path.join(HERE, "image.py"), "--name", NAME,
             "--env", f"PATH={PREFIX}/bin:/usr/bin", root, archive)
    with open(note, "w", encoding="ascii") as file:
        file.write(key)
    print(f"worker_image: {archive}, {os.path.getsize(archive) >> 20} MiB")


if __name__ == "__main__":
    main()
