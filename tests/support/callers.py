"""The functions of the package's modules that make calls of some kind, found in their sources."""

import ast


def callers(path, package, is_meant):
    """Names ``module.py:function`` of those with an ``ast.Call`` that ``is_meant``, with enclosing scopes."""

    def look(node, name):
        for child in ast.iter_child_nodes(node):
            inner = [*name, child.name] if isinstance(child, ast.FunctionDef | ast.ClassDef) else name
            if isinstance(child, ast.Call) and is_meant(child):
                yield f"{path.relative_to(package).as_posix()}:{'.'.join(inner)}"
            yield from look(child, inner)

    return set(look(ast.parse(path.read_text(encoding="utf-8")), []))
