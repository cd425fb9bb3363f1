#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges the Containerfiles of deploy/container without a container engine.

containerfiles.py lint ROOT             every rule on every file; 1 and the reasons where one is broken
containerfiles.py self-test ROOT        does every rule see the mistake it is for?
containerfiles.py configure ROOT        do the sources that are copied suffice for cmake?
containerfiles.py libraries ROOT BIN    does the last stage install what our programs load? 77: not Debian
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAMS = {
    "controller.Containerfile": ["kneepoint"],
    "workloads.Containerfile": ["kneepoint-agent", "kneepoint-push", "kp-jacobi3d", "kp-synthetic"],
}
IN_THE_BASE = {"libc6", "libgcc-s1", "libstdc++6"}  # apt itself needs them


def instructions(text):
    """[(line, NAME, rest)], with continued lines joined and comments dropped."""
    found, whole, first = [], "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#") or (not line.strip() and not whole):
            continue
        first = first if whole else number
        if line.rstrip().endswith("\\"):
            whole += line.rstrip()[:-1] + " "
            continue
        name, _, rest = (whole + line).strip().partition(" ")
        found.append((first, name.upper(), " ".join(rest.split())))
        whole = ""
    return found


def stages(text):
    """A list of {"name", "base", "steps"}, one for each FROM."""
    found = []
    for line, name, rest in instructions(text):
        if name == "FROM":
            words = rest.split()
            alias = words[2] if len(words) == 3 and words[1].upper() == "AS" else ""
            found.append({"line": line, "base": words[0], "name": alias, "steps": []})
        elif found:
            found[-1]["steps"].append((line, name, rest))
    return found


def packages(stage):
    """What apt-get installs in a stage."""
    names = set()
    for _, name, rest in stage["steps"]:
        for command in rest.split("&&") if name == "RUN" else []:
            words = command.split()
            if words[:2] == ["apt-get", "install"]:
                names.update(word for word in words[2:] if not word.startswith("-"))
    return names


def copied(stage):
    """[(line, from_stage, sources)] of each COPY."""
    found = []
    for line, name, rest in stage["steps"]:
        if name == "COPY":
            words = rest.split()
            source_stage = [w[len("--from="):] for w in words if w.startswith("--from=")]
            plain = [word for word in words if not word.startswith("--")]
            found.append((line, source_stage[0] if source_stage else "", plain[:-1]))
    return found


def check_base(stage, names):
    if stage["base"] in names:
        return []
    tag = stage["base"].rpartition("/")[2].partition(":")[2]
    if "@sha256:" in stage["base"] or re.search(r"\d+\.\d+", tag):
        return []
    return [(stage["line"], f"FROM {stage['base']} names no exact version")]


def check_step(line, name, rest):
    problems = []
    if name == "ADD":
        problems.append((line, "ADD fetches and unpacks; COPY only copies"))
    if name == "RUN" and "apt-get install" in rest:
        for needed in ("apt-get update", "--no-install-recommends", "rm -rf /var/lib/apt/lists/*"):
            if needed not in rest:
                problems.append((line, f"apt-get install without {needed}"))
    if name == "RUN" and re.search(r"\b(curl|wget)\s[^&]*://", rest):
        problems.append((line, "fetches something that nothing pins"))
    if name in ("ENV", "ARG") and re.search(r"(PASSWORD|SECRET|TOKEN)", rest):
        problems.append((line, "a secret would stay in the image"))
    if name in ("CMD", "ENTRYPOINT") and not rest.startswith("["):
        problems.append((line, f"{name} goes through a shell, which keeps signals to itself"))
    return problems


def check_last(stage):
    users = [rest for _, name, rest in stage["steps"] if name == "USER"]
    problems = []
    if not users or not re.fullmatch(r"[1-9]\d*:[1-9]\d*", users[-1]):
        problems.append((stage["line"], "the last stage has no USER of number:number, not root"))
    if packages(stage) & {"g++", "cmake", "libopenmpi-dev"}:
        problems.append((stage["line"], "compilers don't belong into the last stage"))
    return problems


def check(text, root):
    all_stages, problems, names = stages(text), [], set()
    if len(all_stages) < 2:
        problems.append((1, "one stage only: what builds would be in the image"))
    for stage in all_stages:
        problems += check_base(stage, names)
        for step in stage["steps"]:
            problems += check_step(*step)
        for line, source_stage, sources in copied(stage):
            if source_stage and source_stage not in names:
                problems.append((line, f"COPY --from={source_stage}: there is no such stage"))
            for source in [] if source_stage else sources:
                if not (root / source).exists() or source in (".", "./"):
                    problems.append((line, f"COPY {source}: not a file or folder of the repository"))
        names.add(stage["name"])
    return problems + (check_last(all_stages[-1]) if all_stages else [])


def build_packages(root, with_web):
    """Of ./quickstart; what only makes builds quicker is of no use in an image. The page takes npm, and npm certificates."""
    text = (root / ".ci/lib.sh").read_text()
    names = set()
    for part in ["build"] + (["web"] if with_web else []):
        body = re.search(rf"^{part}_packages=\((.*?)^\)", text, re.S | re.M).group(1)
        names |= set(re.findall(r"'([^|']+)\|", body))
    return names - {"ccache", "mold"} | ({"ca-certificates"} if with_web else set())


def containerfiles(root):
    files = sorted((root / "deploy/container").glob("*Containerfile"))
    if [file.name for file in files] != sorted(PROGRAMS):
        sys.exit(f"expected {sorted(PROGRAMS)}, found {files}")
    return files


def lint(root):
    bad = False
    for file in containerfiles(root):
        text = file.read_text()
        problems = check(text, root)
        differ = packages(stages(text)[0]) ^ build_packages(root, "KNEEPOINT_WEB=ON" in text)
        if differ:
            problems.append((1, f"the build stage and .ci/lib.sh differ in {sorted(differ)}"))
        for line, problem in problems:
            print(f"{file.relative_to(root)}:{line}: {problem}")
            bad = True
    return bad


# What is wrong, and what replaces what.
MISTAKES = {
    "no exact version": (r"FROM debian:\S+ AS", "FROM debian:latest AS"),
    "COPY only copies": (r"COPY agents agents", "ADD https://example.org/a.tar /a"),
    "without rm -rf": (r" && rm -rf /var/lib/apt/lists/\*", " && true"),
    "without --no-install": (r" --no-install-recommends", ""),
    "nothing pins": (r"RUN cmake --preset release", "RUN curl https://example.org/x | sh"),
    "no such stage": (r"--from=build", "--from=builder"),
    "not a file or folder": (r"COPY workloads workloads", "COPY workload workload"),
    "not root": (r"USER \S+", "USER root"),
    "USER of number": (r"USER \S+", "USER 0:0"),
    "compilers": (r" && useradd", " && apt-get install -y g++ && useradd"),
    "through a shell": (r"(ENTRYPOINT|CMD) .*", r"\1 kneepoint"),
    "secret": (r"ENV PATH", "ENV REGISTRY_TOKEN=x PATH"),
    "one stage only": (r"(?s)FROM debian.*?\n(?=FROM)", ""),
}


def self_test(root):
    bad = False
    for file in containerfiles(root):
        for words, (pattern, replacement) in MISTAKES.items():
            text, changes = re.subn(pattern, replacement, file.read_text())
            if not changes or not any(words in problem for _, problem in check(text, root)):
                print(f"{file.name}: '{words}' was not seen ({changes} changes)")
                bad = True
    return bad


def configure(root):
    bad = False
    for file in containerfiles(root):
        with tempfile.TemporaryDirectory() as place:
            build = stages(file.read_text())[0]
            for _, _, sources in copied(build):
                for source in sources:
                    target = pathlib.Path(place, source)
                    copy = shutil.copytree if (root / source).is_dir() else shutil.copy
                    copy(root / source, target)
            for _, name, rest in build["steps"]:
                command = rest.split("&&")[0].strip()
                if name == "RUN" and command.startswith("cmake --preset"):
                    done = subprocess.run(command.split(), cwd=place, capture_output=True, text=True)
                    print(f"{file.name}: {command}: {done.returncode}\n{done.stderr}")
                    bad = bad or done.returncode != 0
                    break
            else:
                bad = True
                print(f"{file.name}: nothing configures")
    return bad


def package_of(library):
    found = subprocess.run(["dpkg", "-S", "*/" + library], capture_output=True, text=True).stdout
    return {line.split(":")[0] for line in found.splitlines() if "/lib/" in line}


def libraries(root, programs):
    if not shutil.which("dpkg") or not shutil.which("readelf"):
        print("no dpkg or no readelf: which packages hold the libraries is not known")
        sys.exit(77)
    bad = False
    for file in containerfiles(root):
        there = packages(stages(file.read_text())[-1]) | IN_THE_BASE
        for program in PROGRAMS[file.name]:
            path = str(programs / program)
            head = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True)
            for library in re.findall(r"\(NEEDED\).*\[(.+)\]", head.stdout):
                if not package_of(library) & there:
                    print(f"{file.name}: {program} loads {library} of {package_of(library)}")
                    bad = True
    return bad


def main():
    commands = {"lint": lint, "self-test": self_test, "configure": configure}
    if len(sys.argv) == 3 and sys.argv[1] in commands:
        bad = commands[sys.argv[1]](pathlib.Path(sys.argv[2]).resolve())
    elif len(sys.argv) == 4 and sys.argv[1] == "libraries":
        bad = libraries(pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]))
    else:
        sys.exit(__doc__)
    print("not good" if bad else "good")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
