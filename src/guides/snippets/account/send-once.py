import time


def send_once(key, message):
    for attempt in range(5):
        try:
            path = f"/instances/{os.environ['INSTANCE_ID']}/messages/text"
            return api("POST", path, message, {"Idempotency-Key": key})["data"]
        except (ApiError, requests.ConnectionError, requests.Timeout) as error:
            if getattr(error, "code", "") == "send_outcome_unknown":
                return status_of(error.details["message_id"])
            passing = getattr(error, "status", 503) in (429, 502, 503, 504)
            if not passing or getattr(error, "code", "") == "network_rate_limited" or attempt == 4:
                raise
            time.sleep(max(getattr(error, "retry_after", 0), 2**attempt))


def status_of(message_id):
    """Its `status` is `pending` until the network reports the outcome; then `sent` or better, or `failed`."""
    return api("GET", f"/instances/{os.environ['INSTANCE_ID']}/messages/{message_id}")["data"]


sent = send_once("order-1042-confirmation", {"to": "5511900000002", "text": "Order 1042 confirmed", "reference": "order-1042"})
print(status_of(sent["message_id"])["reference"], sent["status"])
