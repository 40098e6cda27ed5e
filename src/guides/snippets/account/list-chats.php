$store = "/instances/" . getenv("INSTANCE_ID");
$chats = [];
for ($cursor = ""; $cursor !== null; ) {
    $page = api("GET", "$store/chats?limit=200" . ($cursor === "" ? "" : "&cursor=" . urlencode($cursor)));
    $chats = array_merge($chats, $page["data"]);
    $cursor = $page["next_cursor"];
}
foreach ($chats as ["chat_id" => $chatId, "unread_count" => $unread]) {
    if ($unread === 0) {
        continue;
    }
    foreach (api("GET", "$store/chats/$chatId/messages?from_me=false&limit=" . min($unread, 200))["data"] as $message) {
        echo $message["from"], " ", $message["type"], " ", $message["text"], PHP_EOL;
    }
    api("POST", "$store/chats/$chatId/seen");
}
