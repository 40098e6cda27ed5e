<?php
function is_genuine(array $headers, string $rawBody, string $secret): bool
{
    // getallheaders() keeps the case in which they came.
    $headers = array_change_key_case($headers);
    return hash_equals(hash_hmac("sha256", $rawBody, $secret), $headers["x-service-signature"] ?? "");
}
