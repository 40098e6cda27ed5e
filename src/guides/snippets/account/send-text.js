const store = `/instances/${process.env.INSTANCE_ID}`;
const { data: sent } = await api("POST", `${store}/messages/text`, { to: "5511900000002", text: "Hello!" });
