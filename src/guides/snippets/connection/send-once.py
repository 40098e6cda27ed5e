import time


def send_once(key, message):
    for attempt in range(5):
        try:
            return api("POST", "/messages/text", message, {"Idempotency-Key": key})
        except (ApiError, requests.ConnectionError, requests.Timeout) as error:
            passing = getattr(error, "status", 503) in (429, 502, 503, 504)
            if not passing or getattr(error, "code", "") == "limite_do_rede" or attempt == 4:
                raise
            time.sleep(max(getattr(error, "retry_after", 0), 2**attempt))


send_once("pedido-1042-confirmacao", {"to": "5511900000002", "text": "Pedido 1042 confirmado", "reference": "pedido-1042"})
