function send_once(string $key, array $message): array
{
    for ($attempt = 0; ; $attempt++) {
        try {
            return api("POST", "/messages/text", $message, ["Idempotency-Key: $key"]);
        } catch (ApiError $error) {
            $passing = in_array($error->status, [429, 502, 503, 504]) && $error->codigo !== "limite_do_rede";
            if (!$passing || $attempt === 4) {
                throw $error;
            }
            sleep(max($error->retryAfter, 2 ** $attempt));
        }
    }
}

send_once("pedido-1042-confirmacao", ["to" => "5511900000002", "text" => "Pedido 1042 confirmado", "reference" => "pedido-1042"]);
