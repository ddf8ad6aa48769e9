"""Just enough of PNG to look at a screenshot: 8 bits a channel, RGB or RGBA, not interlaced."""
import struct
import zlib


def read(path):
    """Width, height, and the rows as lists of (r, g, b)."""
    data = open(path, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        chunk = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color, _, _, interlace = struct.unpack(">IIBBBBB", chunk)
        elif kind == b"IDAT":
            packed += chunk
        at += 12 + length
    assert depth == 8 and color in (2, 6) and interlace == 0, "a PNG of another kind"
    size = 3 if color == 2 else 4
    raw, stride = zlib.decompress(packed), width * size
    rows, above = [], bytes(stride)
    for y in range(height):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        unfilter(kind, line, above, size)
        above = bytes(line)
        rows.append(above)
    return width, height, size, rows


def unfilter(kind, line, above, size):
    if kind == 0:
        return
    if kind == 2:
        for i in range(len(line)):
            line[i] = (line[i] + above[i]) & 255
        return
    for i in range(len(line)):
        left = line[i - size] if i >= size else 0
        corner = above[i - size] if i >= size else 0
        if kind == 1:
            predicted = left
        elif kind == 3:
            predicted = (left + above[i]) // 2
        else:
            p = left + above[i] - corner
            distances = (abs(p - left), abs(p - above[i]), abs(p - corner))
            predicted = (left, above[i], corner)[distances.index(min(distances))]
        line[i] = (line[i] + predicted) & 255


def colors(path):
    """How often each colour occurs."""
    width, _, size, rows = read(path)
    counts = {}
    for row in rows:
        for x in range(0, width * size, size):
            color = row[x:x + 3]
            counts[color] = counts.get(color, 0) + 1
    return counts
