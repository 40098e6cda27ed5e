const instance = `/instances/${process.env.INSTANCE_ID}`;
const { data } = await api("GET", `${instance}/contacts/5511900000002/reachability`);
const message = { to: "5511900000002", text: "Your order is on its way" };
if (data.advice === "send") await api("POST", `${instance}/messages/text`, message);
if (data.advice === "wait") await api("POST", `${instance}/messages/text`, { ...message, delivery: {} });
console.log(data.advice, data.why);
