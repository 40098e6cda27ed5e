// Save as send.mjs, and run it: node send.mjs
const answer = await fetch(`{{url}}/api/instances/${process.env.INSTANCE_ID}/messages/text`, {
  method: "POST",
  headers: { "X-Api-Key": process.env.API_KEY, "Content-Type": "application/json" },
  body: JSON.stringify({ to: "5511900000002", text: "Hello!" }),
});
console.log(answer.status, await answer.text());
