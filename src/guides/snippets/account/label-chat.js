const store = `/instances/${process.env.INSTANCE_ID}`;
const { data: labels } = await api("GET", `${store}/labels`);
const known = labels.find(({ name }) => name === "Open orders");
const label = known ?? (await api("POST", `${store}/labels`, { name: "Open orders", color: 3 })).data;
await api("POST", `${store}/chats/5511900000002@c.us/labels/${label.label_id}`);
const { data: open } = await api("GET", `${store}/labels/${label.label_id}/chats`);
for (const { chat_id, name } of open) console.log(chat_id, name);
