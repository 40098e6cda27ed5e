<?php
function is_genuine(array $headers, string $rawBody, string $secret, ?int $now = null): bool
{
    // getallheaders() keeps the original case of the names.
    $headers = array_change_key_case($headers);
    $id = $headers["webhook-id"] ?? "";
    $timestamp = $headers["webhook-timestamp"] ?? "";
    if (!ctype_digit($timestamp) || abs(($now ?? time()) - (int) $timestamp) > 300) {
        return false;
    }
    $key = base64_decode(str_replace("whsec_", "", $secret));
    $expected = "v1," . base64_encode(hash_hmac("sha256", "$id.$timestamp.$rawBody", $key, true));
    foreach (explode(" ", $headers["webhook-signature"] ?? "") as $entry) {
        if (hash_equals($expected, $entry)) {
            return true;
        }
    }
    return false;
}
