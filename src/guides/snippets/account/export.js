const { data: account } = await api("GET", "/me/export");
for (const { id, name } of account.instances) {
  let records = 0;
  for (let cursor = ""; cursor !== null;) {
    const page = await api("GET", `/instances/${id}/export${cursor === "" ? "" : `?cursor=${encodeURIComponent(cursor)}`}`);
    records += page.data.length;
    cursor = page.next_cursor;
  }
  console.log(name, records);
}
