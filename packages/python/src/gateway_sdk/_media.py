from __future__ import annotations

import base64
import mimetypes
import os
from typing import Dict, Optional, Union

from .errors import GatewayError

# The API accepts 25 MB of JSON; Base64 encoding leaves 18 MB for a file.
_LARGEST_BYTES = 18 * 1024 * 1024


def media(file: Union[bytes, "os.PathLike[str]"], *, mimetype: Optional[str] = None, filename: Optional[str] = None) -> Dict[str, str]:
    """Encodes a file as Base64 for sending. `file` is bytes or a path. For files over 18 MB, pass a URL instead."""
    if not isinstance(file, (bytes, bytearray)):
        filename = filename or os.path.basename(os.fspath(file))
        with open(file, "rb") as opened:
            file = opened.read(_LARGEST_BYTES + 1)
    if len(file) > _LARGEST_BYTES:
        raise GatewayError(f'The file is larger than {_LARGEST_BYTES} bytes: send it by url: "media": {{"url": …}}')
    mimetype = mimetype or (mimetypes.guess_type(filename)[0] if filename else None)
    given = {"base64": base64.b64encode(file).decode(), "mimetype": mimetype, "filename": filename}
    return {name: value for name, value in given.items() if value is not None}
