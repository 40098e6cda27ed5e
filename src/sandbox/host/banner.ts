// What the terminal shows once everything runs.
import type { Flags } from "./flags.ts";
import type { Ready } from "./ready-file.ts";

export function printBanner(ready: Ready, flags: Flags, tookMs: number, print: (text: string) => void): void {
  const { demo } = ready;
  const lines = [
    "",
    `The gateway is ready (${(tookMs / 1000).toFixed(1)} s).`,
    "",
    `  dashboard   ${ready.dashboard_url}`,
    `  sign in     ${demo.email}  ${demo.password}`,
    `  admin       ${ready.admin.email}  ${ready.admin.password}`,
    ...(ready.network_url === null ? [] : [`  phones      ${ready.network_url}/   (simulated; its page links a device by QR)`]),
    ...(flags.noLimits ? ["", "  --no-limits: the burst and repeated-read limits are lifted. For load measurements only."] : []),
    ...(flags.strict ? ["", "  --strict: webhooks and media URLs must be https and public, as in production."] : []),
    "",
    ...(demo.contact === null ? pairing(ready) : firstSend(ready, demo.contact)),
    "",
    "Ctrl-C stops everything; the next start goes on where this one stopped.",
    "",
  ];
  print(lines.join("\n"));
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
    "Pair your own phone: scan the QR below under Linked devices (it changes every 20 seconds), or ask for a pairing code:",
    "",
    `  curl -s ${ready.app_url}/api/v1/instance/pairing-code -H 'X-Api-Key: ${ready.demo.connection.api_key}' \\`,
    "    -H 'Content-Type: application/json' -d '{\"phone_number\":\"55...\"}'",
  ];
}
