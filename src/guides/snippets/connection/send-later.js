const tomorrow = new Date();
tomorrow.setDate(tomorrow.getDate() + 1);
tomorrow.setHours(9, 0, 0, 0);
const delivery = { at: tomorrow.toISOString() };
const { message_id, status } = await api("POST", "/messages/text", { to: "5511900000002", text: "Bom dia!", delivery });
console.log(status);
// O cliente desistiu, então nada será enviado.
console.log((await api("DELETE", `/messages/waiting/${message_id}`)).data.count);
