// Loaded first into every process of the sandbox: when the sandbox itself is killed, nothing is left behind.
if (process.channel !== undefined) {
  process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel.unref();
}
