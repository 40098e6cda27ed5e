$store = "/instances/" . getenv("INSTANCE_ID");
foreach (api("GET", "$store/calls?limit=20")["data"] as ["call_id" => $callId, "phone" => $phone, "status" => $status]) {
    if ($status !== "received" || $phone === null) {
        continue;
    }
    api("POST", "$store/calls/reject", ["call_id" => $callId, "from" => $phone]);
    api("POST", "$store/messages/text", ["to" => $phone, "text" => "Please write to us."]);
}
