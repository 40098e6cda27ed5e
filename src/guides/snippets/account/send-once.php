function send_once(string $key, array $message): array
{
    for ($attempt = 0; ; $attempt++) {
        try {
            $path = "/instances/" . getenv("INSTANCE_ID") . "/messages/text";
            return api("POST", $path, $message, ["Idempotency-Key: $key"])["data"];
        } catch (ApiError $error) {
            if ($error->error === "send_outcome_unknown") {
                return status_of($error->details["message_id"]);
            }
            $passing = in_array($error->status, [429, 502, 503, 504]) && $error->error !== "network_rate_limited";
            if (!$passing || $attempt === 4) {
                throw $error;
            }
            sleep(max($error->retryAfter, 2 ** $attempt));
        }
    }
}

/** Its `status` is `pending` until the network reports the outcome; then `sent` or better, or `failed`. */
function status_of(string $messageId): array
{
    return api("GET", "/instances/" . getenv("INSTANCE_ID") . "/messages/$messageId")["data"];
}

$sent = send_once("order-1042-confirmation", ["to" => "5511900000002", "text" => "Order 1042 confirmed", "reference" => "order-1042"]);
echo status_of($sent["message_id"])["reference"], " ", $sent["status"], PHP_EOL;
