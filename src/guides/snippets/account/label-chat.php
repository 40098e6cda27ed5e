$store = "/instances/" . getenv("INSTANCE_ID");
$known = array_filter(api("GET", "$store/labels")["data"], fn (array $label): bool => $label["name"] === "Open orders");
$label = current($known) ?: api("POST", "$store/labels", ["name" => "Open orders", "color" => 3])["data"];
api("POST", "$store/chats/5511900000002@c.us/labels/{$label['label_id']}");
foreach (api("GET", "$store/labels/{$label['label_id']}/chats")["data"] as $chat) {
    echo $chat["chat_id"], " ", $chat["name"], PHP_EOL;
}
