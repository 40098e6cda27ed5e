const store = `/instances/${process.env.INSTANCE_ID}`;
const { data: channels } = await api("GET", `${store}/channels?role=owner`);
const channel = channels[0] ?? (await api("POST", `${store}/channels`, { name: "News of the store" })).data;
await api("POST", `${store}/channels/${channel.channel_id}/messages/text`, { text: "We have moved." });
await api("POST", `${store}/status/text`, { text: "We have moved.", recipients: ["5511900000002"] });
console.log(channel.invite_link);
