<?php
function is_genuine(array $headers, string $rawBody, string $secret): bool
{
    return hash_equals(hash_hmac("sha256", $rawBody, $secret), $headers["x-service-signature"] ?? "");
}
