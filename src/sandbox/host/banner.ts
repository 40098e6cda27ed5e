import { styleText } from "node:util";
import type { Flags } from "./flags.ts";
import type { Ready } from "./state-directory.ts";

export type Surroundings = {
  logDirectory: string;
  converter: boolean;
  /** True if the output is a terminal that supports colors. */
  colors?: boolean;
};

const COMMAND = /^ {2,}(curl|-H|-d) /;
const LABEL = /^ {2}(\w+) {2,}/;

/** At most 80 columns wide, except for keys, paths and URLs. The command for a first message is at the top. */
export function panel(ready: Ready, flags: Flags, tookMs: number, surroundings: Surroundings): string {
  const lines = linesOf(ready, flags, tookMs, surroundings);
  return (surroundings.colors === true ? lines.map(coloured) : lines).join("\n");
}

/** Calls `styleText` without its own check of the terminal, because the caller knows the terminal. */
function coloured(line: string, at: number): string {
  const style = (format: Parameters<typeof styleText>[0], text: string) => styleText(format, text, { validateStream: false });
  if (at === 1) return style(["bold", "green"], line);
  if (COMMAND.test(line)) return style("cyan", line);
  return line.replace(LABEL, (label) => style("bold", label));
}

function linesOf(ready: Ready, flags: Flags, tookMs: number, { logDirectory, converter }: Surroundings): string[] {
  const { admin, demo } = ready;
  const phone = demo.connection.phone === null ? "" : ` (number ${demo.connection.phone})`;
  return [
    "",
    `The gateway is ready (${(tookMs / 1000).toFixed(1)} s).`,
    "",
    ...(demo.contact === null ? pairing(ready) : firstSend(ready, demo.contact)),
    "",
    `  dashboard  ${ready.dashboard_url}`,
    `             ${demo.email}, password ${demo.password}`,
    `             ${admin.email}, password ${admin.password}: administrator`,
    `  docs       ${ready.app_url}/docs           Connection API: one number`,
    `             ${ready.app_url}/docs/account   Account API: all numbers`,
    ...(ready.network_url === null ? [] : [`  phones     ${ready.network_url}/               simulated: pair, write, call`]),
    `  mail       ${ready.app_url}/sandbox/mail   e-mails it would send (JSON)`,
    "  events     npx gateway listen, in another terminal (docs/use/first-steps.md)",
    "",
    `  connection key${phone}, for the Connection API:`,
    `    ${demo.connection.api_key}`,
    ...(demo.cloud === null ? [] : [`  key of a Cloud API number (${demo.cloud.phone}; people write first):`, `    ${demo.cloud.api_key}`]),
    `  account key (${demo.email}), for the Account API:`,
    `    ${demo.api_key}`,
    "",
    ...(flags.noLimits ? ["  --no-limits: no burst and repeated-read limits. For load tests only.", ""] : []),
    ...(flags.strict ? ["  --strict: webhook and media URLs must be https and public, as in production.", ""] : []),
    ...(converter ? [] : ["  ffmpeg is not on the PATH: audio and video that phones cannot play return 501.", ""]),
    `Logs are in ${logDirectory}.`,
    "Ctrl-C stops everything. The next start continues where this one stopped.",
    "",
  ];
}

function firstSend(ready: Ready, contact: { phone: string; name: string }): string[] {
  return [
    `Send the first message to ${contact.name}, who reads it and echoes it back:`,
    "",
    `  curl -s ${ready.app_url}/api/v1/messages/text \\`,
    `    -H 'X-Api-Key: ${ready.demo.connection.api_key}' \\`,
    "    -H 'Content-Type: application/json' \\",
    `    -d '{"to":"${contact.phone}","text":"Olá!"}'`,
    "",
    "and see it on the phone:",
    "",
    `  curl -s ${ready.network_url}/phones/${contact.phone}/inbox`,
  ];
}

function pairing(ready: Ready): string[] {
  return [
    "Pair your own phone: scan the QR below under Linked devices (it changes every",
    "20 seconds), or ask for a pairing code:",
    "",
    `  curl -s ${ready.app_url}/api/v1/instance/pairing-code \\`,
    `    -H 'X-Api-Key: ${ready.demo.connection.api_key}' \\`,
    "    -H 'Content-Type: application/json' -d '{\"phone_number\":\"55...\"}'",
  ];
}
