// `gateway whoami` shows the number and the gateway that the other commands would use.
import type { Command } from "../command.ts";
import { targetOf } from "../target.ts";

export const whoami: Command = {
  usage: "",
  summary: "shows the number of the key, its status and the gateway",
  flags: { json: { about: "prints one JSON object" } },
  run: async ({ flags }, io) => {
    const { gateway, baseUrl, sandbox } = targetOf(flags, io);
    const { name, phone, status } = await gateway.instance.get({ signal: io.signal });
    const about = { name, phone, status, url: baseUrl, sandbox: sandbox !== null };
    io.print(flags["json"] === true ? JSON.stringify(about) : `${name} (${phone ?? "no number yet"}), ${status}, at ${baseUrl}`);
    return status === "connected" ? 0 : 1;
  },
};
