// Loaded first into every process of the sandbox: ends the process when the sandbox itself is killed.
if (process.channel !== undefined) {
  process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel.unref();
}
