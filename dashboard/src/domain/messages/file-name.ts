import { typeName } from "../chats.ts";

type WithFile = { type: string; at: string; media: { filename: string | null; mimetype: string } };

const EXTENSIONS: Readonly<Record<string, string>> = { jpeg: "jpg", mpeg: "mp3", quicktime: "mov", "3gpp": "3gp" };

/** Returns the name for saving a message's file. Photos and audio have no name of their own. `types` maps known types to names. */
export function fileName({ type, at, media: { filename, mimetype } }: WithFile, types: Readonly<Record<string, string>>): string {
  if (filename !== null && filename !== "") return filename;
  const subtype = /^\w+\/([a-z0-9]+)(?:;|$)/.exec(mimetype)?.[1];
  const when = new Date(Date.parse(at) - new Date(at).getTimezoneOffset() * 60_000).toISOString();
  const extension = subtype === undefined ? "" : `.${EXTENSIONS[subtype] ?? subtype}`;
  return `${typeName(types, type)} ${when.slice(0, 16).replace("T", " ").replace(":", "-")}${extension}`;
}
