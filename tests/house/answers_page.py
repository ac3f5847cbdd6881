"""docs/json.md as a machine reads it: sections with tables of fields, and whether an answer is what its table says.

A section is a heading "### NAME" with a table of four columns: field, type, when, meaning. "### shape: NAME" is a part
that several answers have. A type is

    number, integer, boolean, text        as in JSON; an integer is written without point and exponent
    fraction                              an exact number as text: "-4/3"
    exact                                 a number where a double holds it, a fraction otherwise
    "a", "b"                              one of these words
    list of T, matrix of T                a matrix is a list of rows of the same length; of one row it is one still
    map of T/U                            an object whose names are not listed here
    object                                its fields follow, as field.name or field[].name
    NAME                                  a shape
    T or null, T or U

A field stands in every answer of its section, and in every object of its kind, unless its column "when" says when it
does; "rarely" there means that it need not occur. A field ".." with a shape stands for all the fields of the shape.
"""
import re

FRACTION = re.compile(r"-?\d+(/\d+)?")


class Node:
    """A field: its type, its fields in turn, and what was seen of it."""

    def __init__(self, type_text="object", when="", meaning=""):
        self.type, self.when, self.meaning = type_text, when, meaning
        self.children = {}
        self.seen = False  # with a value other than null


class Page:
    def __init__(self, text):
        self.sections, self.shapes, self.mistakes = {}, {}, []
        rows, name = None, None
        for line in text.split("\n"):
            if line.startswith("#"):
                name = line.lstrip("#").strip() if line.startswith("### ") else None
                if name is not None:
                    rows = self._open(name)
            elif line.startswith("| `") and name is not None:
                self._row(name, rows, line)

    def _open(self, name):
        table, key = (self.shapes, name[7:]) if name.startswith("shape: ") else (self.sections, name)
        if key in table:
            self.mistakes.append("%s: a section twice" % name)
        table[key] = Node()
        return table[key]

    def _row(self, name, root, line):
        cells = [c.strip() for c in line.strip().strip("|").split("|")]
        if len(cells) != 4 or not cells[3] or not cells[1]:
            self.mistakes.append("%s: four columns expected, with a type and a meaning: %s" % (name, line))
            return
        path, node = cells[0].strip("`"), root
        parts = [path] if path == ".." else path.replace("[]", "").split(".")
        for part in parts[:-1]:
            if part not in node.children:
                self.mistakes.append("%s: %s: no row for %s" % (name, path, part))
                return
            node = node.children[part]
        if parts[-1] in node.children:
            self.mistakes.append("%s: %s: a row twice" % (name, path))
        node.children[parts[-1]] = Node(cells[1].replace("`", ""), cells[2], cells[3])

    def fields_of(self, node):
        """Fields of an object, those of included shapes with them: {name: (node, when)}."""
        out = {}
        for name, child in node.children.items():
            if name == "..":
                shape = self.shapes.get(child.type, Node())
                child.seen = shape.seen = True
                for inner, (sub, when) in self.fields_of(shape).items():
                    out.setdefault(inner, (sub, when or child.when))
            else:
                out[name] = (child, child.when)
        return out


class Reader:
    """Compares answers with the page; what differs is gathered in problems."""

    def __init__(self, page):
        self.page, self.problems = page, []

    def read(self, section, answer):
        root = self.page.sections.get(section)
        if root is None:
            self.problems.append("no section \"%s\"" % section)
            return
        root.seen = True
        self._object(section, root, answer)

    def _say(self, where, what):
        text = "%s: %s" % (where, what)
        if text not in self.problems:
            self.problems.append(text)

    @staticmethod
    def _kind_of(value):
        """The type of a value in the words of the page, as far as it tells."""
        names = {bool: "boolean", int: "integer", float: "number", str: "text", dict: "an object", type(None): "null"}
        if isinstance(value, list):
            return "a list of " + (Reader._kind_of(value[0]) if value else "nothing")
        return names[type(value)]

    def _object(self, where, node, value):
        fields = self.page.fields_of(node)
        for name in value:
            if name not in fields:
                self._say(where, "docs/json.md has no row for `%s`, %s" % (name, self._kind_of(value[name])))
        for name, (child, when) in fields.items():
            if name in value:
                self._value(where + "." + name, child, child.type, value[name])
            elif not when:
                self._say(where + "." + name, "missing in an answer, and the page does not say when it is")

    def _value(self, where, node, type_text, value):
        if value is not None:
            node.seen = True
        if not self._any_fits(where, node, type_text, value):
            self._say(where, "not %s: %r" % (type_text, str(value)[:60]))

    def _any_fits(self, where, node, type_text, value):
        return any(self._fits(where, node, option, value) for option in type_text.split(" or "))

    def _fits(self, where, node, t, v):
        t = t.strip()
        if t == "null":
            return v is None
        if t == "boolean":
            return isinstance(v, bool)
        if t in ("integer", "number"):
            return not isinstance(v, bool) and isinstance(v, int if t == "integer" else (int, float))
        if t == "text":
            return isinstance(v, str)
        if t.startswith('"'):
            return isinstance(v, str) and v in [w.strip().strip('"') for w in t.split(",")]
        if t == "fraction":
            return isinstance(v, str) and FRACTION.fullmatch(v) is not None
        if t == "exact":
            return self._fits(where, node, "number", v) or self._fits(where, node, "fraction", v)
        if t.startswith(("list of ", "matrix of ")):
            return isinstance(v, list) and self._all_fit(where, node, t, v)
        if t.startswith("map of "):
            return isinstance(v, dict) and all(self._any_fits(where, node, t[7:].replace("/", " or "), x) for x in v.values())
        return self._is_object(where, node, t, v)

    def _all_fit(self, where, node, t, v):
        if t.startswith("matrix of "):
            rows = all(isinstance(row, list) for row in v) and len(set(map(len, v))) <= 1
            return rows and all(self._fits(where, node, "list of " + t[10:], row) for row in v)
        item = t[8:]
        if item.endswith("?"):  # entries that may be null
            return all(x is None or self._fits(where + "[]", node, item[:-1], x) for x in v)
        return all(self._fits(where + "[]", node, item, x) for x in v)

    def _is_object(self, where, node, t, v):
        if not isinstance(v, dict):
            return False
        if t == "object":
            self._object(where, node, v)
            return True
        shape = self.page.shapes.get(t)
        if shape is None:
            self._say(where, "no such type and no such shape: " + t)
            return True
        shape.seen = True
        self._object("shape " + t, shape, v)
        return True

    def unseen(self):
        """Fields of the page that no answer had."""
        out = []
        for table, lead in ((self.page.sections, ""), (self.page.shapes, "shape ")):
            for name, node in table.items():
                self._unseen(lead + name, node, out)
        return out

    def _unseen(self, where, node, out):
        if not node.seen:
            out.append(where)
            return
        for name, child in node.children.items():
            if not child.when.startswith("rarely"):
                self._unseen(where + "." + name, child, out)
