const messages = `/instances/${process.env.INSTANCE_ID}/messages`;
const tomorrow = new Date();
tomorrow.setDate(tomorrow.getDate() + 1);
tomorrow.setHours(9, 0, 0, 0);
const delivery = { at: tomorrow.toISOString() };
const { data } = await api("POST", `${messages}/text`, { to: "5511900000002", text: "Good morning!", delivery });
console.log(data.status);
// The customer cancelled, so nothing is sent.
console.log((await api("DELETE", `${messages}/waiting/${data.message_id}`)).data.count);
