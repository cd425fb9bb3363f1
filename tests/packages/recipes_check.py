#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Do the recipes for Spack and EasyBuild say what CMakeLists.txt says?  recipes_check.py ROOT

Neither tool is here. Both recipes are Python: they are run with stand-ins for what the tools define, and
what they name is compared: our version, every library with the version it must have at least, every option.
"""
import pathlib
import re
import sys
import types

# What find_package or find_library calls it: name in Spack, name in EasyBuild.
NAMES = {"spdlog": ("spdlog", "spdlog"), "fmt": ("fmt", "fmt"), "nlohmann_json": ("nlohmann-json", "nlohmann_json"),
         "yaml-cpp": ("yaml-cpp", "yaml-cpp"), "SQLite3": ("sqlite", "SQLite"), "CLI11": ("cli11", "CLI11"),
         "CURL": ("curl", "cURL"), "OpenSSL": ("openssl", "OpenSSL"), "muparser": ("muparser", "muParser"),
         "Boost": ("boost", "Boost"), "MPI": ("mpi", "gompi")}


def wanted(root):
    text = (root / "CMakeLists.txt").read_text()
    version = re.search(r"project\(kneepoint VERSION (\S+)", text).group(1)
    found = re.findall(r"find_package\((\S+)(?: ([\d.]+))? REQUIRED\)", text)
    libraries = dict(found) | {name: "" for name in re.findall(r"find_library\(\S+ (\S+) REQUIRED\)", text)}
    options = set(re.findall(r"^(?:option|set)\((KNEEPOINT_\w+)", text, re.M))
    return version, libraries | {"MPI": ""}, options


def spack(root):
    """(versions, {dependency: constraint}, class) of package.py."""
    versions, dependencies = [], {}

    def depends_on(spec, **_):
        name, _, version = re.match(r"([a-z0-9-]+)(@([\d.]+):)?", spec).groups()
        dependencies[name] = version or ""

    def nothing(*_, **__):
        return lambda function: function

    package = types.ModuleType("spack.package")
    for name in ("license", "variant", "generator", "run_after", "on_package_attributes", "Executable"):
        setattr(package, name, nothing)
    package.version, package.depends_on = lambda version, **_: versions.append(version), depends_on
    cmake = types.ModuleType("spack_repo.builtin.build_systems.cmake")
    cmake.CMakePackage = type("CMakePackage", (), {"define": staticmethod(lambda name, value: name)})
    for name in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["spack.package"] = package
    sys.modules["spack_repo.builtin.build_systems.cmake"] = cmake
    path = root / "deploy/packages/spack/spack_repo/kneepoint/packages/kneepoint/package.py"
    scope = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)  # pylint: disable=exec-used
    recipe = scope["Kneepoint"]()
    recipe.spec = types.SimpleNamespace(satisfies=lambda _: False)
    return versions, dependencies, recipe.cmake_args()


def easybuild(path):
    scope = {"SOURCE_TAR_GZ": "", "SYSTEM": {"name": "system"}, "SHLIB_EXT": "so"}
    exec(compile(path.read_text(), str(path), "exec"), scope)  # pylint: disable=exec-used
    return scope


def at_least(given, minimum):
    return [int(n) for n in given.split(".")] >= [int(n) for n in minimum.split(".")[:len(given.split("."))]]


def main():
    root = pathlib.Path(sys.argv[1])
    version, libraries, options = wanted(root)
    problems = []
    if len(libraries) < 8:
        problems.append(f"CMakeLists.txt names only {sorted(libraries)}")
    versions, dependencies, given = spack(root)
    if versions != [version]:
        problems.append(f"package.py has {versions}, the project {version}")
    recipes = list((root / "deploy/packages/easybuild").glob("*.eb"))
    eb = easybuild(recipes[0])
    chain = eb["toolchain"]
    if recipes[0].name != f"kneepoint-{version}-{chain['name']}-{chain['version']}.eb" or eb["version"] != version:
        problems.append(f"{recipes[0].name} is of version {eb['version']}, the project {version}")
    here = {one[0]: one[1] for one in eb["dependencies"]} | {chain["name"]: chain["version"]}
    for library, minimum in libraries.items():
        if library not in NAMES:
            problems.append(f"{library} is new: name it here and in both recipes")
            continue
        in_spack, in_easybuild = NAMES[library]
        if in_spack not in dependencies or (minimum and dependencies[in_spack] != minimum
                                            and not at_least(dependencies[in_spack] or "0", minimum)):
            problems.append(f"package.py: {in_spack} {dependencies.get(in_spack)} where {minimum} is wanted")
        if in_easybuild not in here or (minimum and not at_least(here[in_easybuild], minimum)):
            problems.append(f"{recipes[0].name}: {in_easybuild} {here.get(in_easybuild)} where {minimum} is wanted")
    for option in set(given) | set(re.findall(r"-D(\w+)=", eb["configopts"])):
        if option not in options:
            problems.append(f"CMakeLists.txt has no option {option}")
    print(f"{len(libraries)} libraries in both recipes; Spack {versions}, EasyBuild {chain}")
    sys.exit("\n".join(problems) or None)


if __name__ == "__main__":
    main()
