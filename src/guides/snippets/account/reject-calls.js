const store = `/instances/${process.env.INSTANCE_ID}`;
const { data: calls } = await api("GET", `${store}/calls?limit=20`);
for (const { call_id, phone, status } of calls) {
  if (status !== "received" || phone === null) continue;
  await api("POST", `${store}/calls/reject`, { call_id, from: phone });
  await api("POST", `${store}/messages/text`, { to: phone, text: "Please write to us." });
}
