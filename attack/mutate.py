"""Corrupted copies of files: bytes, text, JSON, XML and HDF5, the last three by their structure too.

Every function takes a random.Random and the bytes of a file, and gives the bytes of a damaged one. The same generator
gives the same bytes.
"""
import copy
import re
import struct

# Numbers at the edges of doubles and of the integers that sizes are kept in.
NUMBERS = ["1e308", "-1e308", "1.7976931348623157e308", "1e300", "1e155", "1e-155", "1e-308", "5e-324", "-5e-324", "0", "-0.0",
           "1", "-1", "2", "0.5", "1e16", "9007199254740993", "2147483647", "2147483648", "-2147483649", "4294967296",
           "9223372036854775807", "18446744073709551616", "1e400", "-1e400", "NaN", "-Infinity", "1e-400", "0x10", "1_000",
           "0.1e", "1e999999999"]
FINITE = NUMBERS[:20]
DOUBLES = [1e308, -1e308, 1e155, 1e-308, 5e-324, 0.0, -0.0, 1.0, -1.0, float("nan"), float("inf"), float("-inf"), 1e16]
INTEGERS = [0, 1, 2, 3, 7, 8, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40, 2**62, 2**63 - 1, 2**63, 2**64 - 1]
TEXTS = ["", "x", "\u0000", "\x1b[31m\n", "%s%n", "../../../../etc/passwd", "a" * 3000, "\ud83d\ude00", "'\"\\", "1/0", "1/3", "-7/2",
         "nan", "inf", "true"]
FORMULAS = ["1/0", "0/0", "sqrt(-1)", "exp(1000)", "log(0)", "(" * 150 + "x" + ")" * 150, "x^x^x^x", "x''", "t'", "1e308*1e308",
            "-" * 300 + "1", "sin(", "x +* y", "", "tan(1.5707963267948966)", "x/(x-x)"]


# ---- bytes

def flip_bits(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        if data:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def set_bytes(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        if data:
            data[rng.randrange(len(data))] = rng.choice((0, 1, 0x7f, 0x80, 0xff, rng.randrange(256)))
    return bytes(data)


def cut(rng, data):
    return data[:rng.randrange(len(data) + 1)]


def remove_part(rng, data):
    at = rng.randrange(len(data) + 1)
    return data[:at] + data[at + rng.choice((1, 2, 8, 64, 512)):]


def repeat_part(rng, data):
    at, size = rng.randrange(len(data) + 1), rng.choice((1, 8, 64, 512, 4096))
    return data[:at] + data[at:at + size] * rng.choice((2, 2, 3, 50)) + data[at + size:]


def swap_parts(rng, data):
    a, b, size = rng.randrange(len(data) + 1), rng.randrange(len(data) + 1), rng.choice((1, 8, 64))
    a, b = min(a, b), max(a, b)
    if b < a + size or b + size > len(data):
        return flip_bits(rng, data)
    return data[:a] + data[b:b + size] + data[a + size:b] + data[a:a + size] + data[b + size:]


BYTES = [flip_bits, set_bytes, cut, remove_part, repeat_part, swap_parts]


# ---- text: numbers and words, wherever they stand

NUMBER = re.compile(rb"(?<![\w.])[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")


def change_number(rng, data):
    found = list(NUMBER.finditer(data))
    for hit in sorted(rng.sample(found, min(len(found), rng.choice((1, 1, 1, 2, 5)))), key=lambda m: -m.start()):
        data = data[:hit.start()] + rng.choice(NUMBERS).encode() + data[hit.end():]
    return data


def scale_number(rng, data):
    found = list(NUMBER.finditer(data))
    for hit in sorted(rng.sample(found, min(len(found), rng.choice((1, 2, 3)))), key=lambda m: -m.start()):
        value = float(hit.group()) * 10.0 ** rng.choice((-300, -150, -30, -8, 8, 30, 150, 300))
        data = data[:hit.start()] + repr(value).replace("inf", "1e308").encode() + data[hit.end():]
    return data


def change_line(rng, data):
    lines = data.split(b"\n")
    k = rng.randrange(len(lines))
    if rng.random() < 0.5:
        del lines[k]
    else:
        lines.insert(rng.randrange(len(lines) + 1), lines[k])
    return b"\n".join(lines)


TEXT = [change_number, change_number, scale_number, change_line]


# ---- JSON: a tree in which objects are lists of pairs, so that a name may stand twice, and raw tokens stand as they
# are

class Raw(str):
    pass


class Pairs(list):
    pass


TOKEN = re.compile(r'\s+|//[^\n]*|/\*.*?\*/|("(?:[^"\\]|\\.)*")|([-+]?\d[\d.eE+-]*)|(\w+)|([{}\[\]:,])', re.S)


def parse_json(text):
    """The tree of a text with comments, or None when it is not JSON."""
    tokens, at = [], 0
    while at < len(text):
        m = TOKEN.match(text, at)
        if m is None:
            return None
        at = m.end()
        if m.lastindex:
            tokens.append(m.group())
    tokens.append("")
    try:
        value, k = _value(tokens, 0)
    except (IndexError, ValueError, RecursionError):
        return None
    return value if tokens[k] == "" else None


def _value(tokens, k):
    head = tokens[k]
    if head == "{":
        out, k = Pairs(), k + 1
        while tokens[k] != "}":
            name, k = tokens[k], k + 1
            if tokens[k] != ":" or not name.startswith('"'):
                raise ValueError
            value, k = _value(tokens, k + 1)
            out.append([Raw(name), value])
            if tokens[k] == ",":
                k += 1
            elif tokens[k] != "}":
                raise ValueError
        return out, k + 1
    if head == "[":
        out, k = [], k + 1
        while tokens[k] != "]":
            value, k = _value(tokens, k)
            out.append(value)
            if tokens[k] == ",":
                k += 1
            elif tokens[k] != "]":
                raise ValueError
        return out, k + 1
    if head == "" or head in "}]:,":
        raise ValueError
    return Raw(head), k + 1


def write_json(value):
    if isinstance(value, Pairs):
        return "{" + ", ".join(name + ": " + write_json(v) for name, v in value) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(write_json(v) for v in value) + "]"
    return value


def quoted(text):
    out = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\x1b", "\\u001b")
    return Raw('"' + out.replace("\u0000", "\\u0000") + '"')


def places(value, found=None):
    """All (container, index) of a tree."""
    found = [] if found is None else found
    for k, part in enumerate(value):
        holder = part if isinstance(value, Pairs) else value
        key = 1 if isinstance(value, Pairs) else k
        found.append((value, k, holder, key))
        if isinstance(holder[key], list):
            places(holder[key], found)
    return found


def other_value(rng, value):
    """Another value in the place of this one."""
    is_number = isinstance(value, Raw) and (value[:1].isdigit() or value[:1] in "+-")
    is_text = isinstance(value, Raw) and value.startswith('"')
    if is_number and rng.random() < 0.75:
        return Raw(rng.choice(NUMBERS if rng.random() < 0.4 else FINITE))
    if is_text and rng.random() < 0.7:
        return quoted(rng.choice(FORMULAS if rng.random() < 0.6 else TEXTS))
    kind = rng.randrange(10)
    if kind == 0:
        return Raw(rng.choice(("null", "true", "false", "nul", "NaN")))
    if kind == 1:
        return quoted(rng.choice(TEXTS))
    if kind == 2:
        return [value]
    if kind == 3:
        return Pairs([[quoted("x"), value]])
    if kind == 4:
        return []
    if kind == 5:
        return Pairs()
    if kind == 6:
        deep = value
        for _ in range(rng.choice((3, 60, 64, 65, 300, 5000))):
            deep = Raw("[" + write_json(deep) + "]")
        return deep
    if kind == 7 and isinstance(value, list) and not isinstance(value, Pairs) and value:
        return value[0]
    if kind == 8:
        return [value] * rng.choice((2, 3, 100))
    return Raw(rng.choice(NUMBERS))


def edit_once(rng, tree):
    found = places(tree)
    if not found:
        return
    container, k, holder, key = rng.choice(found)
    kind = rng.randrange(8)
    if kind <= 3:
        holder[key] = other_value(rng, holder[key])
    elif kind == 4:
        del container[k]
    elif kind == 5:
        container.insert(rng.randrange(len(container) + 1), container[k])
    elif kind == 6 and isinstance(container, Pairs):
        container[k] = [quoted(rng.choice(TEXTS[1:6] + [container[k][0][1:-1] + "s", "kind", "n", "mu"])), holder[key]]
    else:
        other = rng.choice(found)
        holder[key] = copy.deepcopy(other[2][other[3]])  # a part of the file in another place


def edit_json(rng, data):
    tree = parse_json(data.decode("utf-8", "replace"))
    if not isinstance(tree, list):
        return flip_bits(rng, data)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        edit_once(rng, tree)
    try:
        return write_json(tree).encode("utf-8", "surrogatepass")
    except RecursionError:
        return change_number(rng, data)


# ---- XML: by its tags, without a parser, so that what is written may be wrong

TAG = re.compile(rb"<[A-Za-z][^>]*>")
ATTRIBUTE = re.compile(rb'([\w:]+)\s*=\s*"([^"]*)"')


def edit_attribute(rng, data):
    found = list(ATTRIBUTE.finditer(data))
    if not found:
        return flip_bits(rng, data)
    m = rng.choice(found)
    words = m.group(2).split()
    kind = rng.randrange(6)
    if kind == 0:
        return data[:m.start()] + data[m.end():]
    if kind == 1:
        return data[:m.end()] + b" " + m.group() + data[m.end():]
    if kind == 2:
        value = rng.choice(TEXTS).encode("utf-8", "replace").replace(b'"', b"&quot;").replace(b"\0", b"&#0;")
    elif kind == 3 and words:
        value = b" ".join(words[:-1] if rng.random() < 0.5 else words + words[-1:])
    elif words:
        words[rng.randrange(len(words))] = rng.choice(NUMBERS).encode()
        value = b" ".join(words)
    else:
        value = rng.choice(NUMBERS).encode()
    return data[:m.start(2)] + value + data[m.end(2):]


def edit_tag(rng, data):
    found = list(TAG.finditer(data))
    if not found:
        return flip_bits(rng, data)
    m, other = rng.choice(found), rng.choice(found)
    kind = rng.randrange(6)
    if kind == 0:
        return data[:m.start()] + data[m.end():]
    if kind == 1:
        return data[:m.start()] + other.group() + data[m.end():]
    if kind == 2:
        return data[:m.start()] + b"<a>" * rng.choice((2, 70, 5000)) + data[m.start():]
    if kind == 3:
        return b'<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>' + data
    if kind == 4:
        return data[:m.start()] + b"<!-- " + data[m.start():]
    end = data.find(b">", data.find(b"</", m.end())) + 1
    return data[:m.start()] + data[m.start():end] * 2 + data[end:] if end > 0 else data[:m.start()]


XML = [edit_attribute, edit_attribute, edit_attribute, edit_tag]


# ---- HDF5: values in datasets, and fields of its own structures

SIGNATURES = re.compile(rb"TREE|SNOD|HEAP|GCOL|OHDR|OCHK|FRHP|FHDB|BTHD|FADB|EAHD|\x89HDF")


def edit_value(rng, data):
    """8 aligned bytes that are a plausible double or a small integer become another one."""
    words = len(data) // 8
    if words == 0:
        return data
    at = 8 * rng.randrange(words)
    for _ in range(64):
        at = 8 * rng.randrange(words)
        value, = struct.unpack_from("<d", data, at)
        whole, = struct.unpack_from("<Q", data, at)
        if 1e-12 < abs(value) < 1e12 or 0 < whole < 1 << 24:
            break
    as_double = rng.random() < 0.5
    new = struct.pack("<d", rng.choice(DOUBLES)) if as_double else struct.pack("<Q", rng.choice(INTEGERS))
    return data[:at] + new + data[at + 8:]


def edit_near_signature(rng, data):
    found = list(SIGNATURES.finditer(data))
    if not found:
        return flip_bits(rng, data)
    at = rng.choice(found).start() + rng.randrange(4, 72)
    size = rng.choice((1, 2, 4, 8))
    new = (rng.choice(INTEGERS) & ((1 << 8 * size) - 1)).to_bytes(size, "little")
    return data[:at] + new + data[at + size:]


def messages(data):
    """(type, start, size) of the messages of object headers of version 1, found by what they must look like."""
    found = []
    for at in range(0, len(data) - 24, 8):
        if data[at] != 1 or data[at + 1] != 0:
            continue
        count, references, size = struct.unpack_from("<HII", data, at + 2)
        if not 0 < count < 200 or references != 1 or not 8 <= size < 1 << 16:
            continue
        k, end = at + 16, at + 16 + size
        for _ in range(count):
            if k + 8 > min(end, len(data)):
                break
            kind, length = struct.unpack_from("<HH", data, k)
            if kind > 0x18:
                break
            found.append((kind, k + 8, length))
            k += 8 + length
    return found


def edit_message(rng, data):
    """A field of a dataspace, datatype, layout, filter, attribute or continuation message."""
    found = [m for m in messages(data) if m[0] in (1, 3, 5, 8, 0xb, 0xc, 0x10, 0x11)]
    if not found:
        return edit_near_signature(rng, data)
    _, start, length = rng.choice(found)
    size = rng.choice((1, 1, 2, 4, 8))
    at = start + size * rng.randrange(max(1, length // size))
    new = (rng.choice(INTEGERS) & ((1 << 8 * size) - 1)).to_bytes(size, "little")
    return data[:at] + new + data[at + size:]


def parts_with_sums(data):
    """Parts of a checkpoint: size, sum, words. (start of the words, their count)"""
    found = []
    for at in range(0, len(data) - 16, 8):
        size, sum_there = struct.unpack_from("<QQ", data, at)
        count = (size + 7) // 8
        if not 8 <= size <= len(data) - at - 16 or sum_there < 1 << 32:
            continue
        if part_sum(data, at + 16, count) == sum_there:
            found.append((at, count))
    return found


def part_sum(data, at, count):
    total = 0xcbf29ce484222325
    for word in struct.unpack_from("<%dQ" % count, data, at):
        total = ((total ^ word) * 0x100000001b3) & (2**64 - 1)
    return total


def edit_summed(rng, data):
    """A checkpoint's content, with a sum that is right again."""
    found = parts_with_sums(data)
    if not found:
        return edit_value(rng, data)
    at, count = rng.choice(found)
    inside = data[at + 16:at + 16 + 8 * count]
    changed = rng.choice((edit_value, flip_bits, set_bytes))(rng, inside)[:len(inside)].ljust(len(inside), b"\0")
    data = data[:at + 16] + changed + data[at + 16 + 8 * count:]
    return data[:at + 8] + struct.pack("<Q", part_sum(data, at + 16, count)) + data[at + 16:]


HDF5 = [edit_value, edit_value, edit_message, edit_message, edit_near_signature]


# ---- by the kind of file

def mutators(name):
    ending = name.rsplit(".", 1)[-1].lower()
    if ending == "json":
        return [edit_json] * 6 + TEXT * 2 + BYTES
    if ending in ("urdf", "xml", "sdf", "mjcf"):
        return XML * 3 + TEXT + BYTES
    if name.endswith("checkpoint.h5"):
        return [edit_summed] * 8 + HDF5 + BYTES
    if ending in ("h5", "hdf5"):
        return HDF5 * 2 + BYTES
    if ending in ("mtx", "csv", "obj"):
        return TEXT * 2 + BYTES
    if ending == "stl":
        return [edit_value] + TEXT + BYTES
    return BYTES


def damage(rng, name, data):
    if not data:
        return data
    return rng.choice(mutators(name))(rng, data)
