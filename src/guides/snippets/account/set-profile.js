const store = `/instances/${process.env.INSTANCE_ID}`;
await api("PUT", `${store}/profile/name`, { name: "Ana's store" });
await api("PUT", `${store}/profile/about`, { about: "Open from 9 to 6" });
await api("PUT", `${store}/presence`, { presence: "online" });
const { data: profile } = await api("GET", `${store}/profile`);
console.log(profile.name, profile.about);
