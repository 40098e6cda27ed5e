const { data: messages } = await api("GET", `/instances/${process.env.INSTANCE_ID}/chats/5511900000002@c.us/messages?limit=50`);
for (const { media } of messages) {
  if (media?.url == null) continue;
  const file = await fetch(media.url);
  console.log(media.mimetype, (await file.arrayBuffer()).byteLength);
}
