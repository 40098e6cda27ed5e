$delivery = ["at" => (new DateTime("tomorrow 9:00"))->format(DATE_RFC3339)];
$sent = api("POST", "/messages/text", ["to" => "5511900000002", "text" => "Bom dia!", "delivery" => $delivery]);
echo $sent["status"], PHP_EOL;
// O cliente desistiu, então nada será enviado.
echo api("DELETE", "/messages/waiting/" . $sent["message_id"])["data"]["count"], PHP_EOL;
