const { message_id } = await api("POST", "/messages/text", { to: "5511900000002", text: "Olá!" });
