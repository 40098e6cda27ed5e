// Plain JavaScript, so that a Node too old to run TypeScript can still print the message below.
const WANTED = 24;
const major = Number(process.versions.node.split(".")[0]);
if (major < WANTED) {
  process.stderr.write(`Node ${WANTED} or newer is needed, this is ${process.versions.node}. Run \`npm ci\`, then \`npm start\`.\n`);
  process.exit(2);
}
const { run } = await import("./main.ts");
await run(process.argv.slice(2));
