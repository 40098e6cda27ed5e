$chats = [];
for ($cursor = ""; $cursor !== null; ) {
    $page = api("GET", "/chats?limit=200" . ($cursor === "" ? "" : "&cursor=" . urlencode($cursor)));
    $chats = array_merge($chats, $page["data"]);
    $cursor = $page["next_cursor"];
}
