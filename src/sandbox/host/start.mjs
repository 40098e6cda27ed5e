// Plain JavaScript on purpose: a Node too old to read TypeScript must still be able to say so.
const WANTED = 24;
const major = Number(process.versions.node.split(".")[0]);
if (major < WANTED) {
  process.stderr.write(`Node ${WANTED} or newer is needed, this is ${process.versions.node}. Run \`npm ci\`, then \`npm start\`.\n`);
  process.exit(2);
}
const { run } = await import("./main.ts");
await run(process.argv.slice(2));
