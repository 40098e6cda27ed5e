try {
    api("POST", "/messages/text", ["to" => "5511900000099", "text" => "Olá!"]);
} catch (ApiError $error) {
    switch ($error->codigo) {
        case "resultado_incerto": // It may have been sent: check the message's status later.
            echo api("GET", "/messages/" . $error->detalhes["message_id"])["data"]["status"], PHP_EOL;
            break;
        case "bloqueio_temporario": // Stop sending from this number for now.
        case "limite_do_rede":
            echo "paused", PHP_EOL;
            break;
        case "numero_sem_conta": // The number has no WhatsApp account. Correct it.
            echo "no account", PHP_EOL;
            break;
        default:
            throw $error;
    }
}
