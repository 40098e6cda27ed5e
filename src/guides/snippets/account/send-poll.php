$store = "/instances/" . getenv("INSTANCE_ID");
["data" => $poll] = api("POST", "$store/messages/poll", [
    "to" => "5511900000002",
    "question" => "Which day?",
    "options" => ["Tuesday", "Thursday"],
]);
// Later, when people have voted:
foreach (api("GET", "$store/chats/{$poll['chat_id']}/messages/{$poll['message_id']}/votes")["data"] as $vote) {
    echo $vote["option"], " ", $vote["votes"], PHP_EOL;
}
