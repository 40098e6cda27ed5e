const { data: group, participants } = await api("POST", "/groups", { subject: "Pedido 1042", participants: ["5511900000002"] });
for (const { phone, status, reason } of participants) console.log(phone, status, reason);
await api("POST", "/messages/text", { chat_id: group.group_id, text: "Bem-vindos!" });
