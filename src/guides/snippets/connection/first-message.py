# Save as send.py, and run it: pip install requests && python send.py
import os
import requests

answer = requests.post(
    "{{url}}/api/v1/messages/text",
    headers={"X-Api-Key": os.environ["API_KEY"]},
    json={"to": "5511900000002", "text": "Olá!"},
    timeout=90,
)
print(answer.status_code, answer.text)
