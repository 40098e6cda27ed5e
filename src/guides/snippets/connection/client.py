import os
import requests


class ApiError(Exception):
    def __init__(self, answer):
        error = answer.json()["error"]
        super().__init__(error["mensagem"])
        self.status, self.code, self.details = answer.status_code, error["codigo"], error.get("detalhes")
        self.retry_after = int(answer.headers.get("retry-after", 0))


def api(method, path, body=None, headers=None):
    answer = requests.request(
        method,
        "{{url}}/api/v1" + path,
        headers={"X-Api-Key": os.environ["API_KEY"], **(headers or {})},
        json=body,
        timeout=90,
    )
    if not answer.ok:
        raise ApiError(answer)
    return answer.json()
