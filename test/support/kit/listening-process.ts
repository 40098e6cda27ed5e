// A program that a test kills. It listens with the SDK and prints each event's line before it asks for the next one.
import { writeSync } from "node:fs";
import { ConnectionClient } from "@gateway/sdk";
import { fileCheckpoint } from "@gateway/sdk/checkpoint";

const [, , baseUrl = "", checkpoint = ""] = process.argv;
const client = new ConnectionClient({ apiKey: process.env["GATEWAY_API_KEY"] ?? "", baseUrl });
const print = (line: object): void => void writeSync(1, `${JSON.stringify(line)}\n`);

const events = client.events.listen({
  types: ["message.received"],
  checkpoint: fileCheckpoint(checkpoint),
  onState: (state) => print(state),
});
for await (const event of events) {
  if (event.type === "gap") print({ gap: event.missed });
  if (event.type === "message.received") print({ id: event.id, text: event.data.text });
}
