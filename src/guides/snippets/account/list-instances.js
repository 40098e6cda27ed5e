const instances = [];
for (let cursor = ""; cursor !== null;) {
  const page = await api("GET", "/instances?limit=200" + (cursor === "" ? "" : "&cursor=" + encodeURIComponent(cursor)));
  instances.push(...page.data);
  cursor = page.next_cursor;
}
