<?php
function is_genuine(array $headers, string $rawBody, string $secret): bool
{
    // getallheaders() keeps the original case of the names.
    $headers = array_change_key_case($headers);
    return hash_equals(hash_hmac("sha256", $rawBody, $secret), $headers["x-service-signature"] ?? "");
}
