"""Makes the calls listed on stdin and prints the requests, which test/domain/kit/python.test.ts compares with the documents."""
from __future__ import annotations

import json
import sys

from gateway_sdk import AccountClient, ConnectionClient

from scripted import Answer, Script

PAGE = b'{"data": [], "next_cursor": null}'
EVENT = b"data: {}\n\n"

requests = []
for call in json.load(sys.stdin):
    script = Script(Answer(200, EVENT if call["method"].startswith("stream") else PAGE))
    make = ConnectionClient if call["client"] == "Connection" else AccountClient
    client = make("svc_x", "https://app.example.com/", transport=script)
    if call["client"] == "Instance":
        client = client.instance(call["instance"])
    result = getattr(getattr(client, call["resource"]), call["method"])(*call["given"], **call["query"])
    if hasattr(result, "__iter__") and not isinstance(result, (dict, list)):
        next(iter(result), None)
    (request,) = script.requests
    body = None if request.body is None else json.loads(request.body)
    requests.append({"method": request.method, "url": request.url, "body": body, "headers": script.headers[0]})
json.dump(requests, sys.stdout)
