const { INSTANCE_ID, GROUP_ID } = process.env;
const { data: results } = await api("POST", `/instances/${INSTANCE_ID}/groups/${GROUP_ID}/participants/remove`, {
  participants: ["5511900000002"],
});
console.log(results);
