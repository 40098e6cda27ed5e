const store = `/instances/${process.env.INSTANCE_ID}`;
const { data: group, participants } = await api("POST", `${store}/groups`, {
  subject: "Orders",
  participants: ["5511900000002"],
});
for (const { id, status, reason } of participants) console.log(id, status, reason);
await api("POST", `${store}/messages/text`, { chat_id: group.group_id, text: "Welcome!" });
