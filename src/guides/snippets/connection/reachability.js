const { data } = await api("GET", "/contacts/5511900000002/reachability");
const message = { to: "5511900000002", text: "Seu pedido saiu para entrega" };
if (data.advice === "send") await api("POST", "/messages/text", message);
if (data.advice === "wait") await api("POST", "/messages/text", { ...message, delivery: {} });
console.log(data.advice, data.why);
