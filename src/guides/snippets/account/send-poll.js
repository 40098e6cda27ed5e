const store = `/instances/${process.env.INSTANCE_ID}`;
const { data: poll } = await api("POST", `${store}/messages/poll`, {
  to: "5511900000002",
  question: "Which day?",
  options: ["Tuesday", "Thursday"],
});
// Later, when people have voted:
const { data: votes } = await api("GET", `${store}/chats/${poll.chat_id}/messages/${poll.message_id}/votes`);
for (const { option, votes: count } of votes) console.log(option, count);
