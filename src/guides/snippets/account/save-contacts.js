const store = `/instances/${process.env.INSTANCE_ID}`;
const people = { 5511900000002: "Ana Souza", 5511900009999: "Rui Costa" };
const { data: checks } = await api("POST", `${store}/contacts/check`, { phones: Object.keys(people) });
for (const { phone, exists, chat_id } of checks) {
  if (exists) await api("PUT", `${store}/contacts/${chat_id}`, { full_name: people[phone] });
  else console.log(phone, "has no account");
}
