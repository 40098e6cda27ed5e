// `gateway login` gets a key, checks it and stores it for the other commands. `gateway logout` removes it.
import { ConnectionClient } from "@gateway/sdk";
import { keyFromBrowser } from "../browser-login.ts";
import { type Command, type Flags, type Io, textFlag, UsageError } from "../command.ts";
import { isOnThisMachine } from "../forwarding/forward.ts";
import { loginFile, removeLogin, storedLogin, storeLogin } from "../login-file.ts";

export const login: Command = {
  usage: "--url URL",
  summary: "gets a key of a connection from the dashboard, and stores it for the other commands",
  flags: { paste: { about: "asks for a key that you have created, or reads it from standard input" } },
  run: async ({ flags }, io) => {
    const url = urlOf(flags, io);
    const apiKey = flags["paste"] === true ? await pastedKey(url, io) : await keyFromBrowser(url, io);
    const { name, phone } = await new ConnectionClient({ apiKey, baseUrl: url }).instance.get({ signal: io.signal });
    storeLogin(io, { url, api_key: apiKey });
    io.print(`Logged in to ${name} (${phone ?? "no number yet"}). The key is in ${loginFile(io)}.`);
    return 0;
  },
};

async function pastedKey(url: string, io: Io): Promise<string> {
  io.warn(`Create a key in the dashboard at ${url}: the connection, then its keys. Paste it here; it is not shown.`);
  const apiKey = await io.ask("Key: ");
  if (apiKey === "") throw new UsageError("no key was given");
  return apiKey;
}

export const logout: Command = {
  usage: "",
  summary: "removes the stored key from this machine",
  flags: {},
  run: async (_given, io) => {
    const was = removeLogin(io);
    io.print(was ? "Logged out. The key itself stays valid until you revoke it in the dashboard." : "There was no stored key.");
    return 0;
  },
};

/** A key is sent unencrypted over http, so only a gateway on this machine may have such an address. */
function urlOf(flags: Flags, io: Io): string {
  const url = textFlag(flags, "url") ?? io.env["GATEWAY_URL"] ?? storedUrl(io);
  if (url === null) throw new UsageError("write --url, the gateway's address");
  if (!/^https?:/.test(url) || !URL.canParse(url)) throw new UsageError(`${url} is not an http address`);
  if (new URL(url).protocol === "http:" && !isOnThisMachine(url))
    throw new UsageError(`${url}: write https, because others could read the key on its way`);
  return url.replace(/\/+$/, "");
}

function storedUrl(io: Io): string | null {
  try {
    return storedLogin(io)?.url ?? null;
  } catch {
    return null;
  }
}
