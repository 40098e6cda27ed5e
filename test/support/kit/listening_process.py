"""The Python program that a test kills: like listening-process.ts."""
import json
import os
import sys

from gateway_sdk import ConnectionClient, FileCheckpoint

_, base_url, checkpoint = sys.argv


def show(**line: object) -> None:
    os.write(1, (json.dumps(line) + "\n").encode())


client = ConnectionClient(os.environ["GATEWAY_API_KEY"], base_url)
events = client.events.listen(types=["message.received"], checkpoint=FileCheckpoint(checkpoint), on_state=lambda state: show(**state))
for event in events:
    if event["type"] == "gap":
        show(gap=event["missed"])
    if event["type"] == "message.received":
        show(id=event["id"], text=event["data"]["text"])
