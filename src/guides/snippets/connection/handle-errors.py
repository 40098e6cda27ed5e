try:
    api("POST", "/messages/text", {"to": "5511900000099", "text": "Olá!"})
except ApiError as error:
    if error.code == "resultado_incerto":  # It may have been sent: check the message's status later.
        print(api("GET", "/messages/" + error.details["message_id"])["data"]["status"])
    elif error.code in ("bloqueio_temporario", "limite_do_rede"):  # Stop sending from this number for now.
        print("paused")
    elif error.code == "numero_sem_conta":  # The number has no WhatsApp account. Correct it.
        print("no account")
    else:
        raise
