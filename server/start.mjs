// This is plain JavaScript, so that a Node version too old to run TypeScript can still print the error message below.
import module from "node:module";
import { fileURLToPath } from "node:url";

const WANTED = 24;
const major = Number(process.versions.node.split(".")[0]);
if (major < WANTED) {
  process.stderr.write(`Node ${WANTED} or newer is needed, this is ${process.versions.node}. Run \`npm ci\`, then \`npm run serve\`.\n`);
  process.exit(1);
}
const [argument] = process.argv.slice(2);
if (argument !== undefined) {
  process.stderr.write('`npm run serve` takes no arguments, only settings (docs/operate/one-machine.md, "Settings").\n');
  process.exit(argument === "--help" ? 0 : 2);
}
// All processes compile the same modules. A cache reduces their start time by a third.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url));
module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
const { serve } = await import("./serve.ts");
await serve();
