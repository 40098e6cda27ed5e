<?php
// Save as send.php, and run it: php send.php
$request = curl_init("{{url}}/api/v1/messages/text");
curl_setopt_array($request, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_TIMEOUT => 90,
    CURLOPT_HTTPHEADER => ["X-Api-Key: " . getenv("API_KEY"), "Content-Type: application/json"],
    CURLOPT_POSTFIELDS => json_encode(["to" => "5511900000002", "text" => "Olá!"]),
]);
$answer = curl_exec($request);
echo curl_getinfo($request, CURLINFO_RESPONSE_CODE), " ", $answer, "\n";
