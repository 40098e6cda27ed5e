import os
import requests


class ApiError(Exception):
    def __init__(self, answer):
        json = answer.json()
        super().__init__(json["error"]["message"])
        self.status, self.code, self.details = answer.status_code, json["error"]["code"], json["error"].get("details")
        self.request_id, self.retry_after = json["request_id"], int(answer.headers.get("retry-after", 0))


def api(method, path, body=None, headers=None):
    answer = requests.request(
        method,
        "{{url}}/api" + path,
        headers={"X-Api-Key": os.environ["API_KEY"], **(headers or {})},
        json=body,
        timeout=90,
    )
    if not answer.ok:
        raise ApiError(answer)
    return answer.json()
