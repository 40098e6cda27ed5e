$answer = api("POST", "/groups", ["subject" => "Pedido 1042", "participants" => ["5511900000002"]]);
foreach ($answer["participants"] as $one) {
    echo $one["phone"], " ", $one["status"], " ", $one["reason"], PHP_EOL;
}
api("POST", "/messages/text", ["chat_id" => $answer["data"]["group_id"], "text" => "Bem-vindos!"]);
