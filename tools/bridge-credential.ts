// The credential of a session bridge that runs elsewhere (docs/deployment.md, "Session bridges"): npm run bridge:credential -- ID
// `BRIDGE_SECRET`, as the worker has it, is read from the environment or from standard input; only the credential is printed.
import { text } from "node:stream/consumers";
import { makeBridgeCredential } from "../src/domain/keys/bridge-credential.ts";
import { readSecrets } from "../src/domain/keys/secrets.ts";

const ID = /^[\w.-]{1,100}$/;

const [id, ...rest] = process.argv.slice(2);
if (id === undefined || rest.length > 0 || !ID.test(id)) {
  leave("usage: npm run bridge:credential -- ID, with the worker's BRIDGE_SECRET in the environment or on standard input");
}
const secrets = readSecrets(process.env["BRIDGE_SECRET"] ?? (await text(process.stdin)));
if (!secrets.ok) leave(`BRIDGE_SECRET: ${secrets.problem}`);
process.stdout.write(`${makeBridgeCredential(secrets.secrets, id)}\n`);

function leave(problem: string): never {
  process.stderr.write(`${problem}\n`);
  process.exit(2);
}
