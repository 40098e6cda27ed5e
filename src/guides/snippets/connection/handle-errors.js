try {
  await api("POST", "/messages/text", { to: "5511900000099", text: "Olá!" });
} catch (error) {
  switch (error.code) {
    case "resultado_incerto": // It may have been sent: check the message's status later.
      console.log((await api("GET", "/messages/" + error.details.message_id)).data.status);
      break;
    case "bloqueio_temporario": // Stop sending from this number for now.
    case "limite_do_rede":
      console.log("paused");
      break;
    case "numero_sem_conta": // The number has no WhatsApp account. Correct it.
      console.log("no account");
      break;
    default:
      throw error;
  }
}
