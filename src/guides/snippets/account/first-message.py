# Save as send.py, and run it: pip install requests && python send.py
import os
import requests

answer = requests.post(
    f"{{url}}/api/instances/{os.environ['INSTANCE_ID']}/messages/text",
    headers={"X-Api-Key": os.environ["API_KEY"]},
    json={"to": "5511900000002", "text": "Hello!"},
    timeout=90,
)
print(answer.status_code, answer.text)
