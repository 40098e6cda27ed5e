const store = `/instances/${process.env.INSTANCE_ID}`;
const chats = [];
for (let cursor = ""; cursor !== null;) {
  const page = await api("GET", `${store}/chats?limit=200${cursor === "" ? "" : "&cursor=" + encodeURIComponent(cursor)}`);
  chats.push(...page.data);
  cursor = page.next_cursor;
}
for (const { chat_id, unread_count } of chats) {
  if (unread_count === 0) continue;
  const { data: messages } = await api("GET", `${store}/chats/${chat_id}/messages?from_me=false&limit=${Math.min(unread_count, 200)}`);
  for (const { from, type, text } of messages) console.log(from, type, text);
  await api("POST", `${store}/chats/${chat_id}/seen`);
}
