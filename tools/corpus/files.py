"""Finds files of models under folders, and says of each what format it is in, or why it is none."""
import hashlib
import os
import pathlib
import re
import xml.etree.ElementTree as ElementTree

ENDINGS = (".xml", ".mjcf", ".urdf", ".sdf", ".world")
# The format that a root element tells.
ROOTS = {"mujoco": "MJCF", "robot": "URDF", "sdf": "SDF", "gazebo": "SDF"}
FRAGMENT, TEMPLATE, COPY = "fragments", "templates of xacro", "copies of another file"
TREE = re.compile(r"<(body|include|attach|replicate|composite|flexcomp)\b")


class Found:
    """A file: its name from the folder that was given on, its format, and the reason to leave it out, if any."""

    def __init__(self, root, path):
        self.path = path
        self.name = f"{root.name}/{path.relative_to(root)}"
        self.format = self.reason = None


def strip(text):
    """A text without its comments and declarations."""
    return re.sub(r"<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^>]*>", "", text, flags=re.S)


def read_root(text):
    """Name of the first element of a stripped text; empty where there is none."""
    match = re.search(r"<([A-Za-z_][\w:.-]*)", text)
    return match[1] if match else ""


def is_template(text):
    """Whether xacro has not been run on it; what it left over makes no template."""
    return re.search(r"<xacro:(macro|include|property|arg|if|unless)\b|=\s*[\"'][^\"']*\$[{(]", text) is not None


def classify(found, text):
    """Sets the format and the reason to leave a file out."""
    root = read_root(text)
    if root == "mujocoinclude":
        found.format, found.reason = "MJCF", FRAGMENT
    elif root in ROOTS:
        found.format = ROOTS[root]
        if found.format == "MJCF" and not TREE.search(text):
            found.reason = FRAGMENT
        elif found.format == "SDF" and not re.search(r"<(world|model|include)\b", text):
            found.reason = FRAGMENT
        elif found.format == "URDF" and is_template(text):
            found.reason = TEMPLATE
        elif found.format == "URDF" and not re.search(r"<link\b", text):
            found.reason = FRAGMENT


def is_well_formed(path):
    """Whether the strict reader of Python takes a file as XML."""
    try:
        ElementTree.parse(path)
    except (ElementTree.ParseError, OSError, ValueError, LookupError):
        return False
    return True


def list_paths(root):
    """Files below a folder whose names end as those of models do, in the order of their names."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(names):
            if name.lower().endswith(ENDINGS):
                yield pathlib.Path(folder, name)


def find(folders):
    """Every file of a model below `folders`, also those that are left out; of files with the same bytes the first is tried."""
    seen = set()
    for root in map(pathlib.Path, folders):
        for path in list_paths(root):
            found = Found(root.resolve(), root.resolve() / path.relative_to(root))
            try:
                data = path.read_bytes()
            except OSError:
                continue
            classify(found, strip(data.decode("utf-8", "replace")))
            if found.format is None:
                continue
            digest = hashlib.sha256(data).digest()
            if digest in seen and not found.reason:
                found.reason = COPY
            seen.add(digest)
            yield found
