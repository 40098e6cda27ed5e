<?php
class ApiError extends Exception
{
    public function __construct(public int $status, public string $codigo, string $mensagem, public ?array $detalhes, public int $retryAfter)
    {
        parent::__construct($mensagem);
    }
}

function api(string $method, string $path, ?array $body = null, array $headers = []): array
{
    $retryAfter = 0;
    $request = curl_init("{{url}}/api/v1" . $path);
    curl_setopt_array($request, [
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 90,
        CURLOPT_HTTPHEADER => ["X-Api-Key: " . getenv("API_KEY"), "Content-Type: application/json", ...$headers],
        CURLOPT_HEADERFUNCTION => function ($request, string $line) use (&$retryAfter): int {
            if (stripos($line, "retry-after:") === 0) {
                $retryAfter = (int) substr($line, 12);
            }
            return strlen($line);
        },
    ]);
    if ($body !== null) {
        curl_setopt($request, CURLOPT_POSTFIELDS, json_encode($body));
    }
    $answer = json_decode(curl_exec($request), true);
    $status = curl_getinfo($request, CURLINFO_RESPONSE_CODE);
    if ($status >= 400) {
        $error = $answer["error"];
        throw new ApiError($status, $error["codigo"], $error["mensagem"], $error["detalhes"] ?? null, $retryAfter);
    }
    return $answer;
}
