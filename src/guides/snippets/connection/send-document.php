api("POST", "/messages/document", [
    "to" => "5511900000002",
    "media" => ["base64" => base64_encode("Pedido 1042\n"), "filename" => "pedido.txt", "mimetype" => "text/plain"],
]);
