const chats = [];
for (let cursor = ""; cursor !== null;) {
  const page = await api("GET", "/chats?limit=200" + (cursor === "" ? "" : "&cursor=" + encodeURIComponent(cursor)));
  chats.push(...page.data);
  cursor = page.next_cursor;
}
