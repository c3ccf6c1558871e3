"""Packings of bytes, by the suffix that is usual for each."""

import bz2
import gzip
import io
import lzma
import zipfile


def zipped(raw, *names):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, raw)
    return file.getvalue()


PACKINGS = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zip": lambda raw: zipped(raw, "folder/", "__MACOSX/folder/._x.bif", "folder/x.bif"),
}
