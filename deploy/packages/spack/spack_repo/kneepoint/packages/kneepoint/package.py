# SPDX-License-Identifier: Apache-2.0
#
# Spack: everything from source, against the site's MPI. There is no public place to fetch from, so it is
# built from a clone (`spack dev-build`); deploy/packages/README.md has the commands, and says what was
# checked.
from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Kneepoint(CMakePackage):
    """Scaling studies on Slurm, on Kubernetes and on one machine: how far a parallel program scales, with
    intervals, where the knee is, and what a result costs."""

    homepage = "https://example.org/kneepoint"
    git = "https://example.org/kneepoint.git"

    license("Apache-2.0")

    version("0.1.0", tag="v0.1.0")

    variant("nccl", default=False, description="Build the NCCL workloads")
    variant("web", default=False, description="Bundle the dashboard's page, which npm fetches parts of")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("boost@1.74:+math", type="build")
    depends_on("cli11@2:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("curl@7.85:")
    depends_on("fmt@9:")
    depends_on("mpi")
    depends_on("muparser@2.3:")
    depends_on("openssl@3:")
    depends_on("spdlog@1.10:")
    depends_on("sqlite@3.40:")
    depends_on("yaml-cpp@0.7:")
    depends_on("node-js@18:", type="build", when="+web")
    depends_on("npm", type="build", when="+web")
    depends_on("cuda", when="+nccl")
    depends_on("nccl", when="+nccl")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("KNEEPOINT_TESTS", False),
            self.define("KNEEPOINT_NCCL", "ON" if self.spec.satisfies("+nccl") else "OFF"),
            self.define("KNEEPOINT_WEB", "ON" if self.spec.satisfies("+web") else "OFF"),
        ]

    def setup_run_environment(self, env):
        env.prepend_path("PYTHONPATH", self.prefix.share.kneepoint.python)

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        Executable(self.prefix.bin.kneepoint)("version")
